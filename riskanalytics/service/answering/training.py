"""What the recorded stances on training use answer: of one platform in a line, of all of them in exact counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from riskanalytics.models import STANCE_CLAUSES, STANCE_NAMES, STANCES, UNDETERMINED
from riskanalytics.service.answering.order import folded_quote
from riskanalytics.service.answering.question import Question
from riskanalytics.service.answering.retrieval import fits_audience
from riskanalytics.service.answering.wording import AUDIENCES, answered, listed, quoted, refused, searched
from riskanalytics.service.store.evidence import live_findings, newest_states
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.service import Service

MOST_CITED: Final = 20
"""Clauses that an answer over all platforms cites; names are counted beyond it."""
_UNREAD, _UNTOLD = "unread", "untold"
_OPEN: Final = ("undetermined", "silent", _UNREAD, _UNTOLD)
"""What counts for no side of a question."""
_SAID_OF: Final = {
    "undetermined": f"the documents {UNDETERMINED}",
    "silent": "no clause says whether user content trains models; what comes nearest:",
}
_PROTECTS: Final = ("trains_with_opt_in", "does_not_train")
_STANCE_OF: Final = {"business": "business_stance", "developer": "business_stance", "consumer": "consumer_stance"}
_APART: Final = (("consumer", "consumer_stance"), ("business", "business_stance"))


def stance_line(asked: Question, name: str, slug: str, recorded: Json | None, citations: Sequence[Json]) -> list[str]:
    """Return the line of a platform's recorded stance; none where the findings that decided are not cited."""
    if recorded is None:
        return []
    stance, whom = _of(recorded, asked.audience), _for(asked.audience)
    numbered = [(place, row) for place, row in enumerate(citations, 1) if row["platform"] == slug]
    if stance in _SAID_OF:
        marks = " ".join(f"[{place}]" for place, _ in numbered)
        return [f"{name}{whom}: {_SAID_OF[stance]} {marks}."] if marks else []
    marks = " ".join(f"[{place}]" for place, row in numbered if row["id"] in recorded["decided_by"])
    if stance not in STANCE_CLAUSES or not marks:
        return []
    return [f"{name}, recorded stance on training use{whom}: {STANCE_CLAUSES[stance]} {marks}."]


def census(service: Service, asked: Question, names: dict[str, str]) -> Json:
    """Answer a question about all platforms from their recorded stances; what is not settled counts for no side.

    Parameters
    ----------
    service : Service
    asked : Question
        Whose `stances` are the ones asked for.
    names : dict
        Slug -> name, of all tracked platforms.

    Returns
    -------
    dict
        Answer, or refusal where no platform has one of these stances.
    """
    recorded = newest_states(service.store)
    findings = live_findings(service.store, ("training_use",))
    groups: dict[str, list[str]] = defaultdict(list)
    for slug in names:
        groups[_of(recorded.get(slug), asked.audience)].append(slug)
    wanted = {stance: groups[stance] for stance in STANCES if stance in asked.stances and groups[stance]}
    partly = _partly(asked, recorded, groups["depends_on_plan"])
    whole = [(slug, stance, asked.audience) for stance, slugs in wanted.items() for slug in slugs]
    cited = _deciding(findings, recorded, [*whole, *partly])
    others = _others(names, groups, wanted, asked.audience)
    if not wanted and not partly:
        none = f"0 of {len(names)} tracked platforms' documents say so{_for(asked.audience)}."
        looked_at = searched(asked, list(names), findings, [])
        return refused(asked, "no_evidence", " ".join([none, *others]), looked_at=looked_at)
    marks = {(finding["platform"], whom): f" [{place}]" for place, (finding, whom) in enumerate(cited, 1)}
    lines = _counts(names, wanted, marks, asked.audience) + _parts(names, partly, marks) + others
    citations = [finding for finding, _ in cited]
    return answered(
        service, asked, lines + quoted(citations), citations, searched(asked, list(names), findings, citations)
    )


def _of(recorded: Json | None, audience: str | None) -> str:
    """Return a platform's stance for an audience, or why there is none."""
    stance: str | None = None if recorded is None else recorded["stance"]
    if recorded is None or stance is None:
        return _UNREAD
    if audience is None:
        return stance
    return str(recorded[_STANCE_OF[audience]] or (stance if stance in _OPEN else _UNTOLD))


def _for(audience: str | None) -> str:
    """Return an audience as the end of a phrase."""
    return f" for {AUDIENCES[audience]}" if audience else ""


def _partly(asked: Question, recorded: dict[str, Json], depending: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the platforms that have a stance asked for on some plans only: slug, stance and audience."""
    if asked.audience is not None or "depends_on_plan" in asked.stances:
        return []
    return [
        (slug, stance, audience)
        for audience, key in _APART
        for slug in depending
        if (stance := recorded[slug][key]) in asked.stances
    ]


def _deciding(
    findings: Sequence[Json], recorded: dict[str, Json], named: Sequence[tuple[str, str, str | None]]
) -> list[tuple[Json, str | None]]:
    """Return for each platform the clause that decided its stance for an audience, while there is room."""
    by_id = {finding["id"]: finding for finding in findings}
    cited: list[tuple[Json, str | None]] = []
    for slug, stance, audience in named:
        decided = [by_id[public] for public in recorded[slug]["decided_by"] if public in by_id]
        whom = ("business", "developer") if audience == "business" else (audience,)
        fitting = [row for row in decided if any(fits_audience(one, row, folded_quote(row["quote"])) for one in whom)]
        side = "mitigates_risk" if stance in _PROTECTS else "raises_risk"
        fitting.sort(key=lambda row: stance != "trains_with_opt_out" and row["polarity"] != side)
        if fitting and len(cited) < MOST_CITED:
            cited.append((fitting[0], audience))
    return cited


def _counts(
    names: dict[str, str], wanted: dict[str, list[str]], marks: dict[tuple[str, str | None], str], audience: str | None
) -> list[str]:
    """Return a line for each stance asked for: how many platforms, and which."""
    of_all = f"{_for(audience).strip().capitalize()}{', ' if audience else ''}{{}} of {len(names)} tracked platforms'"
    every = sum(map(len, wanted.values()))
    lines = [f"{of_all.format(every)} documents fit the question:"] if len(wanted) > 1 else []
    for stance, slugs in wanted.items():
        one = f"{of_all.format(len(slugs))} documents {_said(stance)}"
        marked = [names[slug] + marks.get((slug, audience), "") for slug in slugs]
        lines.append(f"{one if len(wanted) == 1 else _counted(stance, len(slugs))}: {listed(marked)}.")
    return lines


def _parts(
    names: dict[str, str], partly: Sequence[tuple[str, str, str]], marks: dict[tuple[str, str | None], str]
) -> list[str]:
    """Return a line for each audience for which alone platforms have a stance asked for."""
    lines = []
    for audience, _ in _APART:
        marked = [f"{names[slug]}{marks.get((slug, audience), '')}" for slug, _, whom in partly if whom == audience]
        if marked:
            says = "says" if len(marked) == 1 else "say"
            lines.append(f"{len(marked)} {says} so for {AUDIENCES[audience]} only: {listed(marked)}.")
    return lines


def _others(
    names: dict[str, str], groups: dict[str, list[str]], wanted: dict[str, list[str]], audience: str | None
) -> list[str]:
    """Return what the other platforms' documents say, and which of them settle nothing."""
    rest = [stance for stance in groups if stance not in wanted and groups[stance]]
    said = [_counted(stance, len(groups[stance])) for stance in STANCES if stance in rest and stance not in _OPEN]
    unsettled = {
        "undetermined": f"undetermined, to be read: {listed([names[slug] for slug in groups['undetermined']])}",
        "silent": f"with {STANCE_NAMES['silent'].lower()}",
        _UNREAD: "not read",
        _UNTOLD: f"without a word on {AUDIENCES[audience or 'business']} of their own",
    }
    open_ones = [f"{len(groups[stance])} {words}" for stance, words in unsettled.items() if stance in rest]
    lines = [f"Of the others, {'; '.join(said)}."] if said else []
    return lines + ([f"Counted for no side: {'; '.join(open_ones)}."] if open_ones else [])


def _counted(stance: str, many: int) -> str:
    """Return how many platforms' documents say what."""
    if many == 1 and stance in STANCE_CLAUSES:
        return f"1 says that it {STANCE_CLAUSES[stance]}"
    return f"{many} {_said(stance)}"


def _said(stance: str) -> str:
    """Return what several platforms' documents say."""
    if stance == "silent":
        return "do not say whether they train on user content"
    if stance == "undetermined":
        return UNDETERMINED
    clause = STANCE_CLAUSES[stance].replace("does not", "do not", 1)
    return f"say that they {clause.replace('trains', 'train', 1)}"
