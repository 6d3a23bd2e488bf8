"""What a page says of the reader's portfolio."""

from __future__ import annotations

from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.pages.section import Section, of_data
from riskanalytics.pages.values import Fold, Listing
from riskanalytics.topics.monthly.portfolio import suggestion
from riskanalytics.wording import plural

__all__ = ["portfolio_rows"]

_LISTED: Final = 50
_TOLD: Final = 20
"""Unmatched rows that the page tells machines, and the command the person who typed it."""


@of_data()
def portfolio_rows(matches: pd.DataFrame | None, unmatched: pd.DataFrame) -> Section:
    """List the rows of a portfolio that matched no tracked platform, and those that another name matched.

    Nothing is shown where each row has a platform's own slug, name or website.

    Parameters
    ----------
    matches, unmatched : pandas.DataFrame
        As `analysis.portfolio_scope` gives them; None without a portfolio.

    Examples
    --------
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"name": ["Orvewick Voice", "A name that nobody has"]})
    >>> scope = analysis.portfolio_scope(data.tracked, wanted)
    >>> sections.portfolio_rows(scope.matches, scope.unmatched).text
    '1 portfolio row matched no tracked platform'
    """
    if matches is None:
        return Section((), "no portfolio")
    lost = [f"{row['row']}, {row['given']}{suggestion(row['candidates'])}" for row in rows_of(unmatched)]
    others = matches[matches["matched_by"].isin(["spelling", "alias", "maker"])]
    taken = [
        f"{row['row']}, {row['given']}: {row['name']} ({row['slug']}, {row['matched_by']}, {row['confidence']:.2f})"
        for row in rows_of(others)
    ]
    said = f"{plural(len(lost), 'portfolio row')} matched no tracked platform"
    folds = (
        (said, lost, True),
        (f"{plural(len(taken), 'portfolio row')} matched by another spelling or name", taken, False),
    )
    parts = tuple(
        Fold(title, (Listing(tuple(lines[:_LISTED])),), "keep", open=shown) for title, lines, shown in folds if lines
    )
    if not lost:
        return Section(parts, f"{plural(len(matches), 'row')} matched")
    return Section(parts, said, {"unmatched": {"said": said, "first": "\n".join(lost[:_TOLD])}})
