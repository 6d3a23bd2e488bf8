"""What every chart asks of its frame, and what it shows of a frame without rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Final, ParamSpec

import pandas as pd

from riskanalytics.charting.canvas import NO_ROW, empty
from riskanalytics.charting.chart import Chart
from riskanalytics.errors import ReportError

NO_DATA: Final = "No data for this chart."

P = ParamSpec("P")


def draws(
    columns: Iterable[str],
    question: str,
    why: str = NO_ROW,
    *,
    table: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame,
) -> Callable[[Callable[P, Chart]], Callable[P, Chart]]:
    """Return a decorator of charts, each of which draws what the analysis of its own name returned.

    The function is called with a frame that has these columns and at least one row. Any other frame is refused in one
    line that names the analysis; a frame without rows gives a chart that says so.

    Parameters
    ----------
    columns : iterable of str
        Of the frame.
    question : str
        Title of the chart where the frame has no rows.
    why : str
        Said there.
    table : callable, optional
        Gives the numbers behind a chart out of its frame, where they are not the frame.
    """
    wanted = tuple(columns)

    def decorated(draw: Callable[P, Chart]) -> Callable[P, Chart]:
        name, form = draw.__name__, signature(draw)

        @wraps(draw)
        def chart(*args: P.args, **kwargs: P.kwargs) -> Chart:
            frame = next(iter(form.bind(*args, **kwargs).arguments.values()))
            _check(name, frame, wanted)
            return draw(*args, **kwargs) if len(frame) else Chart(name, empty(question, why), NO_DATA, table(frame))

        return chart

    return decorated


def _check(name: str, frame: object, columns: tuple[str, ...]) -> None:
    """Refuse what is not the frame that a chart draws."""
    wants = f"it draws what analysis.{name} returns"
    if not isinstance(frame, pd.DataFrame):
        raise ReportError(f"charts.{name}: a frame is needed, not {type(frame).__name__}; {wants}")
    if missing := [column for column in columns if column not in frame]:
        raise ReportError(f"charts.{name}: the frame lacks the column(s) {', '.join(missing)}; {wants}")
