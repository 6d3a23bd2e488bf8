"""What a page says of the reader's portfolio."""

from __future__ import annotations

from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.pages.rows import text
from riskanalytics.pages.section import Section
from riskanalytics.pages.values import Fold, Listing
from riskanalytics.wording import plural

__all__ = ["portfolio_rows"]

_LISTED: Final = 50


def portfolio_rows(matches: pd.DataFrame, unmatched: pd.DataFrame) -> Section:
    """List the rows of a portfolio that matched no tracked platform; nothing where all did.

    Parameters
    ----------
    matches, unmatched : pandas.DataFrame
        As `analysis.portfolio_scope` gives them; empty without a portfolio.

    Examples
    --------
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"name": ["Orvewick Voice", "A name that nobody has"]})
    >>> scope = analysis.portfolio_scope(data.tracked, wanted)
    >>> sections.portfolio_rows(scope.matches, scope.unmatched).text
    '1 portfolio row matched no tracked platform'
    """
    if unmatched.empty:
        return Section((), f"{plural(len(matches), 'row')} matched")
    rows = tuple(", ".join(text(value) for value in row.values() if text(value)) for row in rows_of(unmatched))
    said = f"{plural(len(rows), 'portfolio row')} matched no tracked platform"
    return Section((Fold(said, (Listing(rows[:_LISTED]),), "keep", open=True),), said)
