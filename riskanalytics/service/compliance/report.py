"""The compliance report of one platform: what the page says, and the PDF of it (specification section 4.2)."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from datetime import date, datetime
from importlib import resources
from itertools import groupby
from typing import Final

from riskanalytics.extraction import RULES_VERSION
from riskanalytics.models import DISCLAIMER, RATINGS, document_words, languages_not_read, state_words
from riskanalytics.service.compliance import wording
from riskanalytics.service.compliance.mapping import OUTCOMES, UNREAD, Outcome, control_map, outcomes
from riskanalytics.service.store.records import Json, led
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import SURFACES
from riskanalytics.typesetting import typeset_apart

EVIDENCE: Final = "evidence.json"
"""Name of the attached file: all citations, machine-readable and byte for byte."""
MOST_PRINTED: Final = 300
"""Citations in the annex at most, gravest first; a page for each ten thousand would help nobody, the file has all."""
_MOST_WEIGHTY: Final = 3
_RANKS: Final = {name: place for place, name in enumerate(reversed(RATINGS))}


@dataclass(frozen=True, slots=True)
class Draft:
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

    @property
    def day(self) -> str:
        """Date of the data."""
        return self.captured_at[:10]

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
    findings = [service.resolved(finding) for finding in in_order(service.store.findings(state), state)]
    numbers = {finding["id"]: number for number, finding in enumerate(findings, 1)}
    levels = {
        name: (_level(name, state), tuple(_decided(surface["decided_by"], numbers)))
        for name, surface in state["surfaces"].items()
    }
    rows = outcomes(levels)
    captured_at = _newest(state)
    data = {
        **_front(service, state, captured_at[:10], as_of),
        "surfaces": [_surface(name, state, findings, numbers) for name in _surfaces(state)],
        "training": _training(state, findings, numbers),
        "documents": [_document(service, document) for document in state["documents"]],
        "frameworks": _frameworks(rows),
        "mapping_version": control_map().version,
        "outcomes": [[name, wording.OUTCOME_WORDS[name]] for name in OUTCOMES],
        "levels": [[name, wording.LEVEL_WORDS[name]] for name in reversed(RATINGS)],
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
    surfaces = {name: place for place, name in enumerate(_surfaces(state))}
    deciding = {public for surface in state["surfaces"].values() for public in surface["decided_by"]}

    def key(finding: Json) -> tuple[int, str, int, bool]:
        name = finding["surface"]
        rank = _RANKS.get(finding["risk"], len(_RANKS))
        return surfaces.get(name, len(surfaces)), name, rank, finding["id"] not in deciding

    return sorted(findings, key=key)


def _surfaces(state: Json) -> list[str]:
    """Return the surfaces of a state in the order in which pages show them; unknown ones last."""
    known = [name for name in SURFACES if name in state["surfaces"]]
    return known + sorted(set(state["surfaces"]) - set(known))


def _newest(state: Json) -> str:
    """Return the time of the platform's newest capture."""
    times = [document["newest_capture_at"] for document in state["documents"]]
    return str(max([state["reviewed_at"], *times]))


def _front(service: Service, state: Json, day: str, as_of: date | None) -> Json:
    """Return what the first page says of the platform."""
    name = wording.line(state["name"])
    return {
        "title": f"Compliance report: {name}",
        "name": name,
        "short": name if len(name) <= 60 else f"{name[:60]}…",
        "rating": wording.line(state["rating"]),
        "reason": wording.line(state["risk_reason"]),
        "verification": wording.verification(state["verification"]),
        "day": day,
        "reviewed": state["last_reviewed"],
        "as_of": as_of.isoformat() if as_of else None,
        "website": _address(state["website"]) if state["website"] else None,
        "page": _address(service.address(state["id"])),
        "machine": _address(f"{service.public_url}/api/machine/platform/{state['id']}"),
        "archive": _address(service.snapshot_address("")),
        "read": [sum(document["read"] for document in state["documents"]), len(state["documents"])],
        "citation_count": state["citation_count"],
        "rules_version": RULES_VERSION,
        "disclaimer": DISCLAIMER,
    }


def _address(url: str) -> Json:
    """Return an address as text, and as a link where it may be one."""
    return {"text": url if wording.link(url) else wording.line(url), "link": wording.link(url)}


def _level(name: str, state: Json) -> str | None:
    """Return the level of a surface; that it is undetermined, or not read, where it is."""
    surface = state["surfaces"][name]
    open_ = {"to_read": "undetermined", "unread": UNREAD}.get(surface["state"])
    return open_ or (surface["risk"] if surface["risk"] or not surface["count"] else "undetermined")


def _surface(name: str, state: Json, findings: list[Json], numbers: dict[str, int]) -> Json:
    """Return a row of the table of surfaces."""
    surface = state["surfaces"][name]
    decided = _decided(surface["decided_by"], numbers)
    return {
        "name": wording.title(name),
        "level": surface["risk"] or state_words(surface["state"], surface["to_read"]),
        "count": surface["count"],
        "explanation": wording.explanation(surface["explanation"]),
        "excerpt": wording.excerpt(led(findings[decided[0] - 1]), decided[0]) if decided else None,
        "numbers": wording.ranges(decided),
    }


def _decided(public: list[str], numbers: dict[str, int]) -> list[int]:
    """Return the numbers of findings by their identifiers, lowest first."""
    return sorted(numbers[name] for name in public if name in numbers)


def _training(state: Json, findings: list[Json], numbers: dict[str, int]) -> Json:
    """Return the stance on training in words, with the clauses that decided it."""
    languages = languages_not_read(state["documents"])
    unread = f"not assessed: {languages or 'a document'}, not read"
    said = [state["stance"], state["consumer_stance"], state["business_stance"]]
    words = [unread if state["stance"] is None else wording.stance(code) for code in said]
    decided = _decided(state["stance_decided_by"], numbers)
    return {
        "stance": words[0],
        "consumer": words[1],
        "business": words[2],
        "clauses": [_weighed(number, findings[number - 1]) for number in decided[:_MOST_WEIGHTY]],
    }


def _document(service: Service, document: Json) -> Json:
    """Return a row of the table of documents."""
    return {
        "name": wording.line(document["document"]),
        "captured": document["captured_at"][:10],
        "state": wording.line(document_words(document)),
        "newest": document["newest_capture_at"][:10],
        "sha256": document["snapshot_sha256"],
        "address": _address(document["archive_url"] or service.snapshot_address(document["snapshot_sha256"])),
    }


def _frameworks(rows: list[Outcome]) -> list[Json]:
    """Return the mapping tables and how often each outcome stands in them."""
    own = {name: list(group) for name, group in groupby(rows, key=lambda row: row.control.framework)}
    return [
        {
            "name": framework.name,
            "source": framework.source,
            "address": _address(framework.url),
            "tally": [sum(row.outcome == name for row in own[framework.key]) for name in OUTCOMES],
            "rows": [_control(row) for row in own[framework.key]],
        }
        for framework in control_map().frameworks
    ]


def _control(row: Outcome) -> Json:
    """Return one row of a mapping table."""
    return {
        "id": row.control.id,
        "title": row.control.title,
        "outcome": row.outcome,
        "surfaces": ", ".join(wording.title(name) for name in row.control.surfaces) or "no surface",
        "rationale": row.control.rationale,
        "numbers": wording.ranges(row.numbers),
    }


def _weighty(state: Json, findings: list[Json], numbers: dict[str, int]) -> list[Json]:
    """Return the first deciding clause of the gravest surfaces."""
    shown = []
    for level in reversed(RATINGS[1:]):
        for name in _surfaces(state):
            surface = state["surfaces"][name]
            decided = _decided(surface["decided_by"], numbers)
            if surface["risk"] == level and decided:
                shown.append(_weighed(decided[0], findings[decided[0] - 1]))
    return shown[:_MOST_WEIGHTY]


def _weighed(number: int, finding: Json) -> Json:
    """Return one clause for the pages in front of the annex."""
    return {
        "number": number,
        "level": wording.line(finding["risk"]),
        "surface": wording.title(finding["surface"]),
        "quote": wording.readable_quote(led(finding), number),
        "document": wording.line(finding["provenance"]["document"]),
        "captured": finding["provenance"]["captured_at"][:10],
    }


def _sections(findings: list[Json], numbers: dict[str, int]) -> list[Json]:
    """Return the annex: citations by surface, in the order of their numbers."""
    gravest = sorted(findings, key=lambda finding: _RANKS.get(finding["risk"], 0))[:MOST_PRINTED]
    printed = {finding["id"] for finding in gravest}
    sections = [(name, list(rows)) for name, rows in groupby(findings, key=lambda finding: finding["surface"])]
    return [
        {
            "name": wording.title(name),
            "citations": [_citation(row, numbers) for row in rows if row["id"] in printed],
            "more": sum(row["id"] not in printed for row in rows),
        }
        for name, rows in sections
    ]


def _citation(finding: Json, numbers: dict[str, int]) -> Json:
    """Return one citation of the annex."""
    source = finding["provenance"]
    scope = [wording.line(part) for part in finding["scope"].values() if part]
    return {
        "number": numbers[finding["id"]],
        "quote": wording.quoted(led(finding)),
        "level": wording.line(finding["risk"]),
        "polarity": wording.line(finding["polarity"]).replace("_", " "),
        "scope": ", ".join(scope),
        "document": wording.line(source["document"]),
        "captured": source["captured_at"][:10],
        "span": f"{source['start']}–{source['end']}",
        "sha256": source["snapshot_sha256"],
        "address": _address(source["archive_url"]),
        "same_as": numbers.get(finding["duplicate_of"]),
        "against": wording.ranges(numbers[public] for public in finding["conflicts_with"] if public in numbers),
    }


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
