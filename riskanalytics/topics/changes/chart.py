"""The chart of changes by month."""

from typing import Final

import pandas as pd

from riskanalytics.pages.figures import HATCH, Chart, canvas, count, draws, label, month_ticks, numbers
from riskanalytics.text.wording import plural

from . import MONTH_COLUMNS

__all__ = ["changes_by_month"]

_NOISE: Final = {"color": "rgba(128,128,128,0.18)", "line": {"width": 0}, "pattern": {"shape": HATCH, "solidity": 0.15}}
"""Style of the bars of changes that are not material."""


@draws(MONTH_COLUMNS, "When did terms change?")
def changes_by_month(months: pd.DataFrame, *, noise: bool = True) -> Chart:
    """Draw a bar for each month: material changes solid, changes of all other classes (noise) hatched above them.

    Parameters
    ----------
    months : pandas.DataFrame
        Result of `analysis.changes_by_month`.
    noise : bool
        Whether to draw the other classes above the material changes and list them in the table.

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
    figure = canvas(_title(material), height=340, barmode="stack", bargap=0.15)
    hover = "%{x}<br>%{fullData.name}: %{y:,d}<extra></extra>"
    for name, group in months.groupby("change_class", sort=False):
        if name == "material" or (noise and group["changes"].sum()):
            marker = None if name == "material" else _NOISE
            bars = {"x": _names(group), "y": numbers(group["changes"]), "hovertemplate": hover, "marker": marker}
            figure.add_bar(name=label(str(name).replace("_", " "), 24), **bars)
    ticks = month_ticks(material["month"].tolist())
    figure.update_xaxes(type="category", tickangle=0, tickvals=_names(material), ticktext=ticks)
    title = "Changes<br>(hatched: not material)" if noise else "Changes"
    figure.update_yaxes(title=title, tickformat=",d", rangemode="tozero")
    total = count(months["changes"].sum(), "change")
    counted = plural(int(material["changes"].sum()), "is material", "are material")
    words = f"{_title(material)}. Of {total} in all these months, {counted}."
    return Chart("changes_by_month", figure, words, months if noise else material)


def _names(months: pd.DataFrame) -> list[str]:
    """Return the months of rows as categories."""
    return list(months["month"].dt.strftime("%Y-%m"))


def _title(material: pd.DataFrame) -> str:
    """Return the number of material changes in the last month, and the range of the months before."""
    last, before = material.iloc[-1], material["changes"].iloc[:-1]
    said = f"{count(last['changes'], 'material change')} in {last['month']:%B %Y}"
    if len(before) < 2:
        return said
    span = " to ".join(dict.fromkeys(map(count, (before.min(), before.max()))))
    return f"{said}; {span} a month in the {count(len(before), 'month')} before"
