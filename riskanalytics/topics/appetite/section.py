"""The section on the rules of an organisation: what is broken or undetermined, with the clauses that decide."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.section import Section, of_data
from riskanalytics.text.wording import dated, joined, plural

from ..shape import Record, items_of, word_of
from . import rules_said

__all__ = ["expiring_exceptions", "rule_results"]


@of_data(results="rule_results", clauses="rule_clauses", unused="unused_rules")
def rule_results(results: pd.DataFrame | None, clauses: pd.DataFrame, unused: Sequence[str] = ()) -> Section:
    """Return a section on the rules of an organisation: for each rule, what is broken or undetermined, and the deciding clauses.

    Parameters
    ----------
    results : pandas.DataFrame or None
        Result of `analysis.rule_results`; None without rules, then the section is empty.
    clauses : pandas.DataFrame
        Findings that decide a broken rule, after `data.verify`.
    unused : sequence of str, optional
        Result of `unused_rules`: sentences on rules that apply to no row of the portfolio.

    Examples
    --------
    >>> from riskanalytics.topics.appetite.rules import Appetite, Rule
    >>> ours = Appetite(rule=[Rule(id="retention", surface="data_retention", level="LOW")])
    >>> some = data.of(["alalix-chat", "orvewick-voice"])
    >>> results = analysis.rule_results(ours, some.platforms, some.surfaces, some.training_use, data.day)
    >>> sections.rule_results(results, data.verify(some.findings)).text
    '1 of 1 rule broken: 2 results fail'
    """
    if results is None:
        return Section((), "no rules")
    quotes = {row["finding_id"]: row for row in rows_of(clauses)}
    by_rule = show.grouped(rows_of(results), "rule")
    parts = [part for rows in by_rule.values() for part in _of_rule(rows, quotes)]
    said = rules_said(results)
    note = "A result is undetermined if the documents do not settle it; it is no pass. An exception never changes a result."
    notes = [v.Paragraph(f"{one}.") for one in unused]
    return Section((v.Heading("Your rules"), v.Paragraph(f"{said}."), *notes, *parts, v.Paragraph(note, "note")), said)


@of_data(results="rule_results", day="day")
def expiring_exceptions(results: pd.DataFrame | None, day: date, within: int = 60) -> Section:
    """Return a section with the exceptions that have expired or will soon expire, the earliest first.

    Parameters
    ----------
    results : pandas.DataFrame or None
        Result of `analysis.rule_results`; None without rules, then the section is empty.
    day : date
        Day of the data.
    within : int
        Number of days after `day`: exceptions that expire later are left out.

    Examples
    --------
    >>> from datetime import date
    >>> from riskanalytics.topics.appetite.rules import Appetite, Exemption, Rule
    >>> trial = Exemption(rule="r", platform="alalix-chat", owner="Ann", reason="Trial.", expires=date(2026, 12, 1))
    >>> ours, some = Appetite(rule=[Rule(id="r", rating="MED")], exception=[trial]), data.of(["alalix-chat"])
    >>> results = analysis.rule_results(ours, some.platforms, some.surfaces, some.training_use, data.day)
    >>> sections.expiring_exceptions(results, data.day).text
    '1 exception expires by 30 December 2026'
    """
    if results is None:
        return Section((), "no rules")
    last = day + timedelta(within)
    rows = rows_of(results[results["expires"] <= pd.Timestamp(last, tz="UTC")].sort_values("expires", kind="stable"))
    said = f"{plural(len(rows), 'exception expires', 'exceptions expire') if rows else 'No exception expires'} by {dated(last)}"
    heads = ("Platform", "name"), ("Rule", "title"), ("Result", _result), ("Exception", _exception)
    table = (show.rows_table("Exceptions, the earliest last day first", rows, *heads),) if rows else ()
    return Section((v.Heading("Expiring exceptions"), v.Paragraph(f"{said}."), *table), said)


def _of_rule(rows: show.Rows, quotes: Mapping[str, Record]) -> v.Parts:
    """Return one rule as a fold: a table of the results that are not a pass, and the clauses that decide those that fail."""
    first, lacking = rows[0], [row for row in rows if row["result"] != "pass"]
    kinds = Counter("excepted" if row["excepted"] else row["result"] for row in rows)
    counts = [f"{kinds[kind]:,} {kind}" for kind in ("fail", "undetermined", "excepted", "pass") if kinds[kind]]
    allowed = f"; allowed: {first['allowed']}" if first["title"].casefold() != first["allowed"].casefold() else ""
    title = (show.name(first["title"]), " ", v.Text(f"{joined(counts)}{allowed}", "thin"))
    heads: list[tuple[str, show.Shown]] = [("Platform", "name"), ("Result", _result), ("Observed", "observed")]
    heads += [(head, of) for head, of in (("Used by", used_by), ("Exception", _exception)) if any(map(of, lacking))]
    table = show.rows_table(f"Rule {first['rule']}: results that are not a pass", lacking, *heads, most=100)
    failing = [row for row in lacking if row["result"] == "fail"]
    shown = list(dict.fromkeys(one for row in failing for one in items_of(row["decided_by"])[:2]))
    clauses = [quotes[one] for one in shown if one in quotes]
    cited = [show.quote(row, mark=(show.level(row["level"]), " ", show.name(row["name"]))) for row in clauses]
    inside = (table, *show.first_shown(cited, 4, "more clause")) if lacking else (v.Paragraph("All results pass."),)
    return (v.Fold(title, inside, "keep", open=bool(failing)),)


def _result(row: Record) -> v.Words:
    """Return the result, or that an exception covers it."""
    return f"{row['result']}, excepted" if row["excepted"] else str(row["result"])


def used_by(row: Record) -> str:
    """Return owner, data class, plan and region of a row of a portfolio in words, as far as they are given."""
    return ", ".join(filter(None, (word_of(row[name]) for name in ("owner", "data_class", "plan", "region"))))


def _exception(row: Record) -> str:
    """Return owner, reason and last day of the exception; empty without one."""
    until = "" if is_missing(row["expires"]) else f" (until {show.day(row['expires'])})"
    return f"{word_of(row['exception'])}{until}"
