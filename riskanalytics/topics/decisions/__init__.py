"""Decisions of reviewers: which still hold, where reviewers differ, and their use as exceptions and as labels."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.pages.rows import quoted
from riskanalytics.text.substance import same_clause, stems
from riskanalytics.text.wording import listed, plural

from ..appetite import RESULT_COLUMNS, RULE_RESULTS
from ..appetite.rules import Appetite
from ..shape import SEVERITY, Record, schema, severities, shaped, word_of
from .records import Clause, Decision, merged

__all__ = ["accepted_results", "decision_states"]

STATES: Final = ("reopened", "unknown", "reworded", "holds")
"""States of a decision, in this order: what must be decided again comes first."""
DECISION_COLUMNS: Final = schema(
    "decision_id decision reviewer note:str decided_at day:time slug document:str surfaces:object change_id quote state:str "
    "latest conflict:boolean finding_ids candidates:object"
)

_ORDERED: Final = re.compile(
    r"\d.*\D\d|\b(?:not|never|no|only|without|unless|except)\b|[不未无仅除]", re.IGNORECASE | re.DOTALL
)
"""A statement with two numbers, a negation, a limit or an exception: in another order its words may say something else."""
_LABEL: Final = re.compile(r"([^.;:!?\n]{3,60})(?::[*_]*\s|\n)\s*(?=\S)")
"""A heading or label in front of a statement."""


@lru_cache(65_536)
def words_of(text: str) -> tuple[str, ...]:
    r"""Return the words of a quote in lower case, without marks of Markdown, punctuation and spaces.

    Characters that change the meaning of a number, such as `%` and signs of currencies, are words.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> from riskanalytics.topics.decisions import words_of
    >>> words_of("We **keep** it, for 30 days.") == words_of("We keep it for 30\ndays")
    True
    """
    found = re.findall(r"[^\W_]+|[^\w\s]", unicodedata.normalize("NFKC", quoted(text)).casefold())
    return tuple(word for word in found if word == "%" or unicodedata.category(word[0])[0] not in "PC")


def _key(lead_in: object, quote: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a clause's lead-in and quote; a lead-in without words, such as a number, is left out."""
    led = words_of(word_of(lead_in))
    return led if any(len(word) > 1 and word.isalpha() for word in led) else (), words_of(word_of(quote))


def _words(lead_in: object, quote: object) -> tuple[str, str]:
    """Return the plain words of a clause: of its lead-in, and of its quote without a label that only repeats its words."""
    label = _LABEL.match(words := word_of(quote))
    repeated = label and stems(label[1]) <= stems(words[label.end() :])
    return quoted(word_of(lead_in)), quoted(words[label.end() :] if label and repeated else words)


def latest_of(decisions: Iterable[Decision]) -> list[dict[str, Decision]]:
    """Return the latest decisions: for each change or clause, a dict of reviewer (name in lower case) to last decision.

    Clauses are the same if platform, document, surface and words, with those of the lead-in, are equal (`words_of`).
    """
    latest: dict[object, dict[str, Decision]] = {}
    for one in merged(decisions):
        clause = one.clauses[0]
        place = (clause.platform, clause.document, clause.surface, _key(clause.lead_in, clause.quote))
        latest.setdefault(one.change_id or place, {})[one.name.casefold()] = one
    return list(latest.values())


def differ(latest: dict[str, Decision]) -> bool:
    """Return whether the latest decisions of several reviewers differ."""
    return len({decision.decision for decision in latest.values()}) > 1


def decision_states(
    decisions: Sequence[Decision], findings: pd.DataFrame, leads: pd.DataFrame, documents: pd.DataFrame,
    reworded: Collection[Clause] = (), standing: Collection[Clause] = (),
) -> pd.DataFrame:  # fmt: skip
    """Compare decisions with the current clauses: a decision reopens if a clause on which it rests has changed in substance.

    Parameters
    ----------
    decisions : sequence of Decision
        Result of `read_decisions`.
    findings, leads, documents : pandas.DataFrame
        The frames of these names in a data set.
    reworded : collection of Clause
        Clauses that language models found in the current text, in other words (`riskanalytics decisions check --reader`).
    standing : collection of Clause
        Clauses that are in the current text, though perhaps no finding or lead of their surface (`same_as_unit`).

    Returns
    -------
    pandas.DataFrame
        One row for each decision: `decision_id`, `decision` (`accept`, `dispute` or `ask_counsel`), `reviewer`, `note` str;
        `decided_at` and `day` (of the page) time; `slug`, `document` str; `surfaces` object; `change_id` (empty for a finding)
        and `quote` (of the first clause) str; and

        - `state` str: `holds` if each clause, with its lead-in, is in its document with the same words, or with a few other words
          that do not change its meaning (`text.substance.same_clause`); `reopened` if a clause is gone or changed in
          substance, or a clause that a change removed is back; `reworded` instead, if all these clauses are in the parameter
          `reworded`; `unknown` if the document was not read.
        - `latest` boolean: False if the same reviewer decided about the same clause or change again, later.
        - `conflict` boolean: whether the latest decisions of several reviewers about this clause or change differ.
        - `finding_ids` object: the current findings and leads that have the same words as the clauses of the decision.
        - `candidates` object: for a decision that reopened, the findings and leads that may have replaced its clauses, the most
          similar first.

        The decisions that reopened come first, then the unknown ones.

    Examples
    --------
    >>> from hashlib import sha256
    >>> from riskanalytics.topics.decisions.records import Decision
    >>> clause = {"platform": "orvewick-voice", "document": "Privacy Policy", "quote": "We sell it.", "start": 0, "end": 11}
    >>> clause |= {"quote_sha256": sha256(b"We sell it.").hexdigest(), "snapshot_sha256": "0" * 64}
    >>> made = {"decision": "accept", "name": "Ann", "note": "Known.", "decided_at": "2026-11-02T09:00:00Z", "clauses": [clause]}
    >>> states = analysis.decision_states([Decision(**made)], data.findings, data.leads, data.documents)
    >>> states[["reviewer", "decision", "state"]].values.tolist()
    [['Ann', 'accept', 'reopened']]
    """
    read = documents[documents["state"].isin(["good", "stale"]) & documents["read"].fillna(True)]
    places: dict[object, list[Record]] = {}
    for row in (*rows_of(read), *rows_of(findings), *rows_of(leads)):
        places.setdefault((row["slug"], row["document"]), []).append(row)
    latest = {one.hashed(): group for group in latest_of(decisions) for one in group.values()}
    rows = []
    for decision in decisions:
        clauses, group = decision.clauses, latest.get(decision.hashed(), {})
        texts = {clause.snapshot_sha256 for clause in clauses if not clause.removed}
        judged = [
            ("reworded", [], others) if state == "reopened" and clause in reworded else (state, found, others)
            for clause in clauses
            for rows_of_document in [places.get((clause.platform, clause.document), [])]
            for state, found, others in [_judged(clause, rows_of_document, texts, present=clause in standing)]
        ]
        rows.append({
            **decision.content, "decision_id": decision.hashed(), "reviewer": decision.name, "slug": clauses[0].platform,
            "document": clauses[0].document, "surfaces": sorted({clause.surface for clause in clauses}),
            "quote": clauses[0].quote, "state": min((state for state, _, _ in judged), key=STATES.index),
            "latest": bool(group), "conflict": differ(group),
            "finding_ids": list(dict.fromkeys(one for _, found, _ in judged for one in found)),
            "candidates": list(dict.fromkeys(one for _, _, others in judged for one in others)),
        })  # fmt: skip
    rows.sort(key=lambda row: (STATES.index(row["state"]), row["slug"], row["document"]))
    return shaped(rows, DECISION_COLUMNS)


def same_as_unit(clause: Clause, lead_in: str, quote: str) -> bool:
    """Return whether words of a text, with the words before them, say the same as a clause on which a decision rests.

    A clause that a change removed is back only in its own words. Words with a negation, or with two numbers, must keep their order.
    """
    if clause.removed:
        return _key(clause.lead_in, clause.quote) == _key(lead_in, quote)
    then, now = _words(clause.lead_in, clause.quote), _words(lead_in, quote)
    return same_clause(then, now) and (not _ORDERED.search(then[1]) or _in_order(then[1], now[1]))


def _in_order(before: str, after: str) -> bool:
    """Return whether the words that two statements have equally often are in the same order."""
    first, second = words_of(before), words_of(after)
    counts = Counter(first), Counter(second)
    orders = [[word for word in words if counts[0][word] == counts[1][word]] for words in (first, second)]
    return orders[0] == orders[1]


def _judged(clause: Clause, rows: list[Record], texts: set[str], *, present: bool) -> tuple[str, list[str], list[str]]:
    """Return the state of one clause, the findings and leads with its words, and those that may have replaced it.

    Parameters
    ----------
    clause : Clause
    rows : list of mapping
        The document of the clause, and its findings and leads; empty if the document was not read.
    texts : set of str
        SHA-256 of the texts on which the decision was made. As long as one of them is the current text, the decision holds.
    present : bool
        Whether the clause is in the current text, though perhaps no finding or lead.
    """
    if not rows:
        return "unknown", [], []
    key, own = _key(clause.lead_in, clause.quote), [row for row in rows if row.get("surface") == clause.surface]
    found = [row["finding_id"] for row in own if _key(row["lead_in"], row["quote"]) == key]
    if not found:
        found = [row["finding_id"] for row in own if same_as_unit(clause, row["lead_in"], row["quote"])]
    if texts & {row["snapshot_sha256"] for row in rows} or (present or bool(found)) != clause.removed:
        return "holds", [] if clause.removed else found, []
    others = {words_of(row["quote"]): row["finding_id"] for row in own}
    return "reopened", [], [others[tuple(words)] for words in get_close_matches(key[1], others, cutoff=0.35)]


def accepted_results(
    results: pd.DataFrame, appetite: Appetite, decisions: pd.DataFrame, findings: pd.DataFrame
) -> pd.DataFrame:
    """Mark results that fail as excepted if reviewers accepted every clause that breaks the rule.

    Parameters
    ----------
    results : pandas.DataFrame
        Result of `analysis.rule_results`.
    appetite : Appetite
        The rules.
    decisions : pandas.DataFrame
        Result of `analysis.decision_states`. Only the latest decision of each reviewer counts, and only if it holds. A clause is
        accepted if all these decisions about it are `accept`.
    findings : pandas.DataFrame
        Findings of the same data.

    Returns
    -------
    pandas.DataFrame
        The same columns and results. A clause breaks a rule if it is in `decided_by`, or if it raises the risk on a surface of
        the rule above the level that the rule allows; so an exception never covers a clause that nobody accepted. `exception`
        has the reviewers and their notes; if only some of the clauses are accepted, it has their number.

    Examples
    --------
    >>> from riskanalytics.topics.appetite.rules import Appetite, Rule
    >>> ours = Appetite(rule=[Rule(id="retention", surface="data_retention", level="LOW")])
    >>> some = data.of(["orvewick-voice"])
    >>> results = analysis.rule_results(ours, some.platforms, some.surfaces, some.training_use, data.day)
    >>> none = analysis.decision_states([], some.findings, some.leads, some.documents)
    >>> analysis.accepted_results(results, ours, none, some.findings)["excepted"].tolist()
    [False]
    """
    holding = decisions[decisions["latest"] & (decisions["state"] == "holds")].explode("finding_ids")
    accepted = {one: rows for one, rows in holding.groupby("finding_ids") if set(rows["decision"]) == {"accept"}}
    raising = findings[(findings["polarity"] == "raises_risk") & findings["duplicate_of"].isna()]
    rules, rows = {rule.id: rule for rule in appetite.rule}, rows_of(results)
    for row in (row for row in rows if row["result"] == "fail" and not row["excepted"]):
        rule = rules[row["rule"]]
        surfaces = appetite.weights if rule.mean is not None else (rule.surface or "training_use",)
        above = raising[severities(raising["risk"]) < SEVERITY[rule.rating or rule.level or "LOW"]]
        own = (above["slug"] == row["slug"]) & (above["surface"].isin(surfaces) | bool(rule.rating))
        breaking = {*row["decided_by"], *above.loc[own, "finding_id"]}
        if given := breaking & accepted.keys():
            row["excepted"] = given == breaking
            said = [one for finding in sorted(given) for one in rows_of(accepted[finding])]
            notes = list(dict.fromkeys(f"{one['reviewer']}: {one['note']}" for one in said))
            some = [f"{len(given)} of {plural(len(breaking), 'clause')} accepted"]
            row["exception"] = listed(notes if row["excepted"] else some, 3)
            row["expires"] = None
    rows.sort(key=lambda row: (RULE_RESULTS.index(row["result"]), row["excepted"]))
    return shaped(rows, RESULT_COLUMNS)


def labels_of(decisions: pd.DataFrame, findings: pd.DataFrame) -> list[dict[str, Any]]:
    """Return labels for `riskanalytics score` of the documents in which a finding is disputed.

    A document is labelled as a whole, in the form of `accuracy.labels.WholeDocument`. Accepted findings become labels that must
    be found (`high`). Disputed findings are left out, so that they count as wrong. All other findings, including those on which
    reviewers differ, become labels that may be found (`low`) and then count as right.

    Parameters
    ----------
    decisions : pandas.DataFrame
        Result of `analysis.decision_states`. Only the latest decisions on findings count, and only if they hold.
    findings : pandas.DataFrame
        Findings of the same data.

    Returns
    -------
    list of dict
        One for each snapshot with a disputed finding.
    """
    agreed = decisions[decisions["latest"] & ~decisions["conflict"] & (decisions["change_id"] == "")]
    given = rows_of(agreed[agreed["state"] == "holds"])
    said = {finding: row["decision"] for row in given for finding in row["finding_ids"]}
    lines, place = [], ["snapshot_sha256", "start", "end", "surface"]
    for text, rows in findings.dropna(subset=place).drop_duplicates(place).groupby("snapshot_sha256", sort=False):
        if "dispute" in set(rows["finding_id"].map(said)):
            labels = [
                [one["start"], one["end"], one["surface"], one["risk"], one["polarity"], "high" if word == "accept" else "low",
                 None, None, None, sha256(one["quote"].encode()).hexdigest()[:16]]
                for one in rows_of(rows) if (word := said.get(one["finding_id"])) != "dispute"
            ]  # fmt: skip
            readers = {row["reviewer"] for row in given if not set(rows["finding_id"]).isdisjoint(row["finding_ids"])}
            head = {"platform": rows["slug"].iloc[0], "document": rows["document"].iloc[0], "blob_sha256": text}
            lines.append({**head, "readers": len(readers), "clauses": len(rows), "labels": labels})
    return lines
