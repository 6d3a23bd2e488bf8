"""What a notebook's cells show: figures with their words and table, and blocks of semantic HTML.

A block's HTML is ours and escaped; it travels under a media type of its own, so that the exporter need not
trust any `text/html`. In a live notebook the same HTML is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from riskanalytics.reporting.escaping import escaped

BLOCK_TYPE: Final = "application/vnd.riskanalytics.block+html"
FIGURE_TYPE: Final = "application/vnd.plotly.v1+json"
DETAILS: Final = "riskanalytics"
"""Key of what the exporter reads in an output's metadata."""


@dataclass(frozen=True)
class Block:
    """A piece of a page.

    Parameters
    ----------
    html : str
        Semantic HTML, everything from data escaped.
    text : str
        The same in short plain words, for the notebook's text output.
    report : mapping
        What a page tells about itself; the first block that says a thing is heard. `title`, `name` (what the file is
        named by), `description`, `as_of`, `scope`, `lead`, `quotes_checked`, `quotes_failed`, `counts`, `provenance`.
    """

    html: str
    text: str
    report: Mapping[str, Any] = field(default_factory=dict)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:  # noqa: ARG002
        """Return what a front end may show, and what the exporter reads."""
        bundle = {BLOCK_TYPE: self.html, "text/html": self.html, "text/plain": self.text}
        return bundle, {DETAILS: {"report": dict(self.report)}} if self.report else {}


@dataclass(frozen=True)
class Shown:
    """A figure as a page shows it.

    Parameters
    ----------
    figure : plotly Figure
    name : str
        Of the chart; counted by readers of the page (`data-chart`).
    alternative : str
        What it shows, in words.
    table : pandas.DataFrame
        The numbers behind it.
    """

    figure: Any
    name: str
    alternative: str
    table: pd.DataFrame

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:  # noqa: ARG002
        """Return the figure's JSON beside its words; nbformat stays out of the kernel."""
        record = json.loads(self.figure.to_json())
        title = str((record.get("layout", {}).get("title") or {}).get("text") or self.name)
        details = {"chart": self.name, "title": title, "alternative": self.alternative, "table": table(self.table)}
        return {FIGURE_TYPE: record, "text/plain": self.alternative}, {DETAILS: details}


def show(figure: Any, name: str, *, alternative: str, table: pd.DataFrame) -> Shown:
    """Show a figure with its words and numbers.

    Parameters
    ----------
    figure : plotly Figure
    name : str
    alternative : str
        What it shows, in words.
    table : pandas.DataFrame
        The numbers behind it, any columns.

    Returns
    -------
    Shown
        Last in a cell, or given to `display`.
    """
    return Shown(figure, name, alternative, table)


def table(frame: pd.DataFrame, *, caption: str = "", most: int = 400) -> str:
    """Return a frame as a plain table.

    Parameters
    ----------
    frame : pandas.DataFrame
    caption : str
    most : int
        Rows shown; a note says how many are left out.

    Returns
    -------
    str
        HTML, everything escaped; numbers are right-aligned, nested columns left out, and so are the end tags that
        HTML lets fall.
    """
    kept = [name for name in frame.columns if frame[name].dtype != object]
    numeric = {name for name in kept if pd.api.types.is_numeric_dtype(frame[name])}
    head = "".join(
        f"<th scope=col{' class=n' if name in numeric else ''}>{escaped(_title(name))}</th>" for name in kept
    )
    body = "".join(
        "<tr>" + "".join(_cell(value, name in numeric) for name, value in zip(kept, row, strict=True))
        for row in frame[kept].head(most).itertuples(index=False, name=None)
    )
    title = f"<caption>{escaped(caption)}</caption>" if caption else ""
    rest = f"<p class=note>{len(frame) - most:,} more rows are left out.</p>" if len(frame) > most else ""
    return f"<div class=wide><table class=sortable>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{rest}"


def _cell(value: Any, numeric: bool) -> str:
    """Return one cell."""
    return f"<td class=n>{written(value)}" if numeric else f"<td>{written(value)}"


def written(value: Any) -> str:
    """Return a value as a person reads it, escaped; nothing where it is missing."""
    if value is None or value is pd.NaT or (not isinstance(value, list | dict) and pd.isna(value)):
        return ""
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else escaped(str(value))


def _title(name: str) -> str:
    """Return a column's name for people."""
    return str(name).replace("_", " ")
