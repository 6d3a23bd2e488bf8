"""The chart of a portfolio: uses by owner or data class, and by rating."""

import pandas as pd

from riskanalytics.pages.figures import Chart, add_bars, canvas, count, draws, label, level_marker
from riskanalytics.text.wording import plural
from riskanalytics.theme import letter_of

from ..shape import SEVERITY
from . import EXPOSURE_COLUMNS, GROUPS

__all__ = ["portfolio_exposure"]


@draws(EXPOSURE_COLUMNS, "Who uses platforms rated HIGH?")
def portfolio_exposure(exposure: pd.DataFrame, by: str = "owner") -> Chart:
    """Draw the number of uses by rating of the platform, for each owner or each data class.

    Parameters
    ----------
    exposure : pandas.DataFrame
        Result of `analysis.portfolio_exposure`.
    by : str
        `owner` or `data_class`.

    Returns
    -------
    Chart
        A stacked bar for each group, HIGH to the left. Uses of platforms without a rating of LOW, MED or HIGH are hatched.

    Examples
    --------
    >>> uses = analysis.portfolio_uses(None, data.platforms.head(2), None, data.day)
    >>> charts.portfolio_exposure(analysis.portfolio_exposure(uses.assign(owner="Ann"))).title
    '1 of 2 uses are on platforms rated HIGH; owner with most: Ann 1 of 2'
    """
    shown = exposure[exposure["by"] == by].reset_index(drop=True)
    names = [label(group, 24) for group in shown["group"]]
    rows = zip(shown["group"], shown["high"], shown["uses"], strict=True)
    said = [f"{name} {count(high)} of {count(uses)}" for name, high, uses in rows]
    whole = f"{count(shown['high'].sum())} of {plural(int(shown['uses'].sum()), 'use')} are on platforms rated HIGH"
    title = f"{whole}; {GROUPS[by]} with most: {label(said[0], 40)}"
    figure = canvas(title, height=110 + 34 * len(names), barmode="stack", bargap=0.25)
    for level in SEVERITY:
        counts, look = shown[level.lower()], {"name": level, "marker": level_marker(level)}
        texts = [f"{letter_of(level)} {n}" if n else "" for n in counts]
        add_bars(figure, names, counts, "%{y}, %{fullData.name}: %{x:,d}", text=texts, **look)
    figure.update_xaxes(title="Uses, by rating (hatched: not rated)", dtick=max(1, int(shown["uses"].max()) // 6))
    return Chart("portfolio_exposure", figure, f"{whole}. By {GROUPS[by]}: {', '.join(said)}.", shown)
