"""The chart of changes by month."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.pages.figures import HATCH, Chart, canvas, count, draws, label, month_ticks, numbers
from riskanalytics.topics.changes import MONTH_COLUMNS

__all__ = ["changes_by_month"]

_HOVER: Final = "%{x}<br>%{fullData.name}: %{y:,d}<extra></extra>"
_PATTERN: Final = {"shape": HATCH, "solidity": 0.15}
_NOISE: Final = {"color": "rgba(128,128,128,0.18)", "line": {"width": 0}, "pattern": _PATTERN}
"""Look of the bars of changes that are not material."""


@draws(MONTH_COLUMNS, "When did terms change?")
def changes_by_month(months: pd.DataFrame, *, noise: bool = True, height: int = 340) -> Chart:
    """Draw the changes by month: material ones solid, the noise hatched above them.

    Parameters
    ----------
    months : pandas.DataFrame
        What `analysis.changes_by_month` returned.
    noise : bool
        Whether the other classes are drawn above the material ones, and listed in the table.
    height : int
        Pixels.

    Returns
    -------
    Chart

    Examples
    --------
    >>> months = analysis.changes_by_month(data.changes(), "2026-08-01", "2026-11-01")
    >>> print(charts.changes_by_month(months).title)
    8 material changes in October 2026; 5 to 9 a month in the 2 months before
    """
    material = months[months["change_class"] == "material"]
    figure = canvas(_title(material), height=height, barmode="stack", bargap=0.15)
    for name, group in months.groupby("change_class", sort=False):
        if name == "material" or (noise and group["changes"].sum()):
            figure.add_bar(**_bars(str(name), group))
    _set_axes(figure, material["month"].tolist(), noise)
    return Chart("changes_by_month", figure, _words(months, material), months if noise else material)


def _title(material: pd.DataFrame) -> str:
    """Return how many material changes the last month has, and the range of the months before."""
    last, before = material.iloc[-1], material["changes"].iloc[:-1]
    said = f"{count(last['changes'], 'material change')} in {last['month']:%B %Y}"
    if len(before) < 2:
        return said
    span = count(before.min()) if before.min() == before.max() else f"{count(before.min())} to {count(before.max())}"
    return f"{said}; {span} a month in the {count(len(before), 'month')} before"


def _bars(name: str, group: pd.DataFrame) -> dict[str, Any]:
    """Return the bars of one class, hatched where it is not material."""
    bars = {"x": [f"{month:%Y-%m}" for month in group["month"]], "y": numbers(group["changes"])}
    bars |= {"name": label(name.replace("_", " "), 24), "hovertemplate": _HOVER}
    return bars if name == "material" else bars | {"marker": _NOISE}


def _set_axes(figure: go.Figure, months: list[pd.Timestamp], noise: bool) -> None:
    """Name the months below the bars and the changes beside them."""
    figure.update_xaxes(
        type="category", tickangle=0, tickvals=[f"{month:%Y-%m}" for month in months], ticktext=month_ticks(months)
    )
    title = "Changes<br>(hatched: not material)" if noise else "Changes"
    figure.update_yaxes(title=title, tickformat=",d", rangemode="tozero")


def _words(months: pd.DataFrame, material: pd.DataFrame) -> str:
    """Return what the chart shows: material changes, the month with the most, and all differences."""
    most = material.sort_values(["changes", "month"], ascending=[False, True]).iloc[0]
    said = f"{count(material['changes'].sum(), 'material change')} in {count(len(material), 'month')}"
    peak = f"most in {most['month']:%B %Y} ({count(most['changes'])})"
    return f"{said}, {peak}; {count(months['changes'].sum(), 'difference')} in all."
