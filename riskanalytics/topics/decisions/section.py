"""The section on decisions of reviewers: how many hold, and which must be made again."""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural

from ..shape import Record, word_of

__all__ = ["decision_states"]

_STATES = {"reopened": "reopened: the text changed", "unknown": "platform or document not read"}
"""State of a decision -> why a reader is needed, in words."""
_DECIDED = {"accept": "accepted", "dispute": "disputed", "ask_counsel": "asked counsel"}
_WORDS = 160
"""Maximum number of characters of a quote in the table."""


@of_data(platforms="platforms")
def decision_states(decisions: pd.DataFrame | None, platforms: pd.DataFrame | None = None) -> Section:
    """Return a section on the latest decisions of each reviewer: their number by state, and a table of those that need a reader.

    Parameters
    ----------
    decisions : pandas.DataFrame or None
        Result of `ra.decisions`; None without decisions, then the section is empty.
    platforms : pandas.DataFrame, optional
        `data.platforms`. Platforms that it does not have are shown by their slugs.

    Examples
    --------
    >>> none = analysis.decision_states([], data.findings, data.leads, data.documents)
    >>> sections.decision_states(none).text
    '0 decisions'
    """
    if decisions is None:
        return Section((), "no decisions")
    latest = decisions[decisions["latest"]]
    rows = rows_of(latest[latest["state"].isin(_STATES) | latest["conflict"]])
    states = latest["state"].value_counts()
    words = {state: (f"is {state}", f"are {state}") for state in ("reworded", "reopened", "unknown")}
    words = {"holds": ("holds", "hold"), **words}
    counts = [plural(int(states[state]), *said) for state, said in words.items() if state in states]
    said = f"{plural(len(latest), 'decision')}{': ' if counts else ''}{joined(counts)}"
    names = {} if platforms is None else dict(zip(platforms["slug"], platforms["name"], strict=True))
    heads = ("Platform", partial(_place, names)), ("Why", _why), ("Decision", _decision), ("Clause", _clause)
    table = (show.rows_table("Decisions that need a reader", rows, *heads, most=100),) if rows else ()
    return section("Decisions", v.Heading("Decisions"), v.Paragraph(f"{said}."), *table, text=said)


def _place(names: Mapping[str, str], row: Record) -> str:
    """Return the platform, document and surfaces of a decision."""
    surfaces = listed([surface_name(one) for one in row["surfaces"] if one], 3)
    return f"{word_of(names.get(row['slug'])) or row['slug']}, {row['document']}{surfaces and f' ({surfaces})'}"


def _decision(row: Record) -> v.Words:
    """Return a decision with its reviewer, day and note."""
    return f"{row['reviewer']} {_DECIDED[str(row['decision'])]} on {show.day(row['decided_at'])}: {row['note']}"


def _clause(row: Record) -> v.Words:
    """Return the first words of the clause on which a decision rests."""
    words = show.quoted(row["quote"])
    return words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…"


def _why(row: Record) -> str:
    """Return why a decision needs a reader, and how many clauses may have replaced its clause."""
    near = f"{plural(len(row['candidates']), 'similar clause')} now" if len(row["candidates"]) else ""
    said = _STATES.get(str(row["state"])), near, "reviewers differ" if row["conflict"] else ""
    return "; ".join(filter(None, said))
