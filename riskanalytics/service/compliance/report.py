"""The compliance report of one platform: what the page says, and the PDF of it (specification section 4.2)."""

from __future__ import annotations

import functools
import json
from datetime import date, datetime
from importlib import resources
from itertools import groupby
from typing import Any, Final, NamedTuple

from riskanalytics.extraction import RULES_VERSION
from riskanalytics.models import DISCLAIMER, RATINGS, document_words, languages_not_read, state_words
from riskanalytics.service.compliance import mapping
from riskanalytics.service.compliance.mapping import OUTCOME_WORDS, OUTCOMES, Outcome, address, control_map, ranges
from riskanalytics.service.store.records import Json, led
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import SURFACES, surface_name
from riskanalytics.text.page_words import plain_words
from riskanalytics.typesetting import typeset_apart

EVIDENCE: Final = "evidence.json"
"""Name of the attached file: all citations, machine-readable and byte for byte."""
MOST_PRINTED: Final = 300
"""Citations in the annex at most, gravest first; the attached file has all."""
_MOST_WEIGHTY: Final = 3
_LONGEST_QUOTE: Final = 20_000
_RANKS: Final = {name: place for place, name in enumerate(reversed(RATINGS))}


class Draft(NamedTuple):
    """A report before it is typeset: equal drafts give equal bytes.

    Parameters
    ----------
    data : dict
        What the template shows.
    evidence : str
        The attached file.
    captured_at : str
        Newest capture of the platform, ISO 8601 UTC.
    """

    data: Json
    evidence: str
    captured_at: str

    def pdf(self) -> bytes:
        """Typeset the report.

        Raises
        ------
        MissingExtraError
            If typst is not installed.
        ReportError
            If it cannot be typeset.
        """
        timestamp = datetime.fromisoformat(self.captured_at)
        return typeset_apart(_template(), self.data, timestamp=timestamp, files={EVIDENCE: self.evidence})


def draft(service: Service, state: Json, as_of: date | None = None) -> Draft:
    """Return what the report of a platform says.

    Parameters
    ----------
    service : Service
    state : dict
        What `Store.platform` returned.
    as_of : date, optional
    """
    findings = in_order([service.resolved(finding) for finding in service.store.findings(state)], state)
    numbers = {finding["id"]: number for number, finding in enumerate(findings, 1)}
    levels = {
        name: (_level(surface), tuple(_decided(surface["decided_by"], numbers)))
        for name, surface in state["surfaces"].items()
    }
    captured_at = str(max([state["reviewed_at"], *(one["newest_capture_at"] for one in state["documents"])]))
    data = {
        **_front(service, state, captured_at[:10], as_of),
        "surfaces": [_surface(name, state, findings, numbers) for name in _surfaces(state)],
        "training": _training(state, findings, numbers),
        "documents": [_lined(document | {"words": document_words(document)}) for document in state["documents"]],
        "frameworks": _frameworks(mapping.outcomes(levels)),
        "mapping_version": control_map().version,
        "outcomes": list(OUTCOME_WORDS.items()),
        "levels": list(mapping.LEVEL_WORDS.items()),
        "weighty": _weighty(state, findings, numbers),
        "sections": _sections(findings, numbers),
        "total": len(findings),
        "repeated": sum(finding["duplicate_of"] in numbers for finding in findings),
        "evidence": EVIDENCE,
    }
    return Draft(data, _evidence(state, captured_at, findings), captured_at)


def in_order(findings: list[Json], state: Json) -> list[Json]:
    """Return findings in the order of their numbers: by surface, gravest first, what decided a level before the rest.

    Parameters
    ----------
    findings : list of dict
    state : dict
        Names the surfaces and what decided them.
    """
    surfaces = _surfaces(state)
    deciding = {public for surface in state["surfaces"].values() for public in surface["decided_by"]}

    def key(finding: Json) -> tuple[int, int, bool]:
        rank = _RANKS.get(finding["risk"], len(_RANKS))
        return surfaces.index(finding["surface"]), rank, finding["id"] not in deciding

    return sorted(findings, key=key)


def _surfaces(state: Json) -> list[str]:
    """Return the surfaces of a state in the order of pages; unknown ones last."""
    known = [name for name in SURFACES if name in state["surfaces"]]
    return known + sorted(set(state["surfaces"]) - set(known))


def _lined(value: Any) -> Any:
    """Return a value with each of its texts as one line that is not long."""
    if isinstance(value, dict):
        return {name: _lined(part) for name, part in value.items()}
    return mapping.line(value) if isinstance(value, str) else value


def _front(service: Service, state: Json, day: str, as_of: date | None) -> Json:
    """Return what the first page says of the platform."""
    name = mapping.line(state["name"])
    shown = ("rating", "risk_reason", "last_reviewed", "citation_count")
    return {
        **_lined({one: state[one] for one in shown}),
        "title": f"Compliance report: {name}",
        "short": name if len(name) <= 60 else f"{name[:60]}…",
        "verification": mapping.VERIFICATION_WORDS.get(state["verification"], state["verification"]),
        "day": day,
        "as_of": as_of.isoformat() if as_of else None,
        "website": address(state["website"]) if state["website"] else None,
        "page": address(service.address(state["id"])),
        "machine": address(f"{service.public_url}/api/machine/platform/{state['id']}"),
        "archive": address(service.archived("")),
        "read": [sum(document["read"] for document in state["documents"]), len(state["documents"])],
        "rules_version": RULES_VERSION,
        "disclaimer": DISCLAIMER,
    }


def _level(surface: Json) -> str | None:
    """Return the level of a surface; that it is undetermined, or not read, where it is."""
    open_ = {"to_read": "undetermined", "unread": mapping.UNREAD}.get(surface["state"])
    return open_ or surface["risk"] or ("undetermined" if surface["count"] else None)


def _surface(name: str, state: Json, findings: list[Json], numbers: dict[str, int]) -> Json:
    """Return a row of the table of surfaces."""
    surface = state["surfaces"][name]
    decided = _decided(surface["decided_by"], numbers)
    return {
        "name": surface_name(name),
        "level": surface["risk"] or state_words(surface["state"], surface["to_read"]),
        "count": surface["count"],
        "explanation": mapping.explanation(surface["explanation"]),
        "excerpt": mapping.excerpt(led(findings[decided[0] - 1]), decided[0]) if decided else None,
        "numbers": ranges(decided),
    }


def _decided(public: list[str], numbers: dict[str, int]) -> list[int]:
    """Return the numbers of findings by their identifiers, lowest first."""
    return sorted(numbers[name] for name in public if name in numbers)


def _training(state: Json, findings: list[Json], numbers: dict[str, int]) -> Json:
    """Return the stance on training in words, with the clauses that decided it."""
    unread = f"not assessed: {languages_not_read(state['documents']) or 'a document'}, not read"
    codes = {"stance": "stance", "consumer": "consumer_stance", "business": "business_stance"}
    words = {
        name: unread if state["stance"] is None else mapping.stance_words(state[code]) for name, code in codes.items()
    }
    decided = _decided(state["stance_decided_by"], numbers)[:_MOST_WEIGHTY]
    return words | {"clauses": [_clause(findings[number - 1], numbers) for number in decided]}


def _weighty(state: Json, findings: list[Json], numbers: dict[str, int]) -> list[Json]:
    """Return the first deciding clause of the gravest surfaces."""
    rows = [state["surfaces"][name] for name in _surfaces(state)]
    gravest = [
        decided[0]
        for level in ("HIGH", "MED")
        for row in rows
        if row["risk"] == level and (decided := _decided(row["decided_by"], numbers))
    ]
    return [_clause(findings[number - 1], numbers) for number in gravest[:_MOST_WEIGHTY]]


def _frameworks(rows: list[Outcome]) -> list[Json]:
    """Return the mapping tables and how often each outcome is in them."""
    tables = []
    for framework in control_map().frameworks:
        own = [row for row in rows if row.control.framework == framework.key]
        tally = [sum(row.outcome == name for row in own) for name in OUTCOMES]
        shown = [
            row.control._asdict() | {
                "outcome": row.outcome,
                "surfaces": ", ".join(map(surface_name, row.control.surfaces)) or "no surface",
                "numbers": ranges(row.numbers),
            }
            for row in own
        ]  # fmt: skip
        tables.append(framework._asdict() | {"address": address(framework.url), "tally": tally, "rows": shown})
    return tables


def _clause(finding: Json, numbers: dict[str, int]) -> Json:
    """Return one citation, for the pages in front and for the annex."""
    number, quote = numbers[finding["id"]], led(finding)
    lined: Json = _lined(finding)
    return lined | {
        "number": number,
        "title": surface_name(finding["surface"]),
        "shown": mapping.excerpt(quote, number, _LONGEST_QUOTE),
        "quote": plain_words(quote),
        "scope": ", ".join(mapping.line(part) for part in finding["scope"].values() if part),
        "address": address(finding["provenance"]["archive_url"]),
        "same_as": numbers.get(finding["duplicate_of"]),
        "against": ranges(numbers[public] for public in finding["conflicts_with"] if public in numbers),
    }


def _sections(findings: list[Json], numbers: dict[str, int]) -> list[Json]:
    """Return the annex: citations by surface, in the order of their numbers."""
    gravest = sorted(findings, key=lambda finding: _RANKS.get(finding["risk"], 0))[:MOST_PRINTED]
    printed = {finding["id"] for finding in gravest}
    sections = []
    for name, rows in groupby(findings, key=lambda finding: finding["surface"]):
        own = list(rows)
        shown = [_clause(row, numbers) for row in own if row["id"] in printed]
        sections.append({"name": surface_name(name), "citations": shown, "more": len(own) - len(shown)})
    return sections


def _evidence(state: Json, captured_at: str, findings: list[Json]) -> str:
    """Return the attached file."""
    record = {
        "platform": state["id"],
        "name": state["name"],
        "rating": state["rating"],
        "data_of": captured_at,
        "offsets": "Unicode code points of the snapshot decoded as UTF-8",
        "disclaimer": DISCLAIMER,
    }
    # one citation to a line: indented JSON takes ten times as long
    rows = ",\n".join(json.dumps({"number": number, **finding}) for number, finding in enumerate(findings, 1))
    return f'{json.dumps(record)[:-1]},\n"citations": [\n{rows}\n]}}\n'


@functools.cache
def _template() -> str:
    """Return the template of the report."""
    return resources.files(__package__).joinpath("report.typ").read_text(encoding="utf-8")
