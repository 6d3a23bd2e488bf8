"""Compliance report of one platform: its data and its PDF (specification section 4.2)."""

import json
from datetime import date, datetime
from functools import partial
from importlib import resources
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from riskanalytics.extraction import RULES_VERSION
from riskanalytics.models import DISCLAIMER, RATINGS, document_words, languages_not_read, state_words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.page_words import plain_words
from riskanalytics.typesetting import typeset_apart

from ..store.records import Json, led, with_each_text
from ..wire import Service, stance_sentence
from . import mapping
from .mapping import OUTCOME_WORDS, OUTCOMES, address, control_map, ranges

EVIDENCE: Final = "evidence.json"
"""Name of the file attached to the PDF: all citations, machine-readable and verbatim."""
MOST_PRINTED: Final = 300
"""Maximum number of citations in the annex, most severe first; the attached file has all."""
_OPEN: Final = {"to_read": "undetermined", "unread": mapping.UNREAD}
"""State of a surface without a level -> its level in the mapping."""
_lined: Final = partial(with_each_text, change=mapping.line)
"""Returns a value with each of its texts as one short line."""


def _level(surface: Json) -> str | None:
    """Return the level of a surface for the mapping; `undetermined` if its clauses, such as neutral ones, give no level."""
    return _OPEN.get(surface["state"]) or surface["risk"] or ("undetermined" if surface["count"] else None)


class Draft(NamedTuple):
    """Content of a report; equal drafts give equal PDF bytes.

    Parameters
    ----------
    data : dict
        Values that the template prints.
    evidence : str
        Content of the file attached to the PDF: JSON with all citations.
    captured_at : str
        Newest capture of the platform, ISO 8601 UTC.
    """

    data: Json
    evidence: str
    captured_at: str

    def pdf(self) -> bytes:
        """Typeset the report and return the bytes of the PDF.

        Raises
        ------
        MissingExtraError
            If typst is not installed.
        ReportError
            If typesetting fails.
        """
        timestamp = datetime.fromisoformat(self.captured_at)
        template = resources.files(__package__).joinpath("report.typ").read_text(encoding="utf-8")
        return typeset_apart(template, self.data, timestamp=timestamp, files={EVIDENCE: self.evidence})


def draft(service: Service, state: Json, as_of: date | None = None) -> Draft:
    """Return the content of the compliance report of a platform.

    Parameters
    ----------
    service : Service
        Database and public address of the service.
    state : dict
        Rating, stances, surface levels and documents of the platform, as `Store.platform` returns them.
    as_of : date, optional
        Day of this state, printed on the first page.
    """
    cited = _Citations(service, state)
    levels = {name: (_level(surface), tuple(cited.decided(surface))) for name, surface in state["surfaces"].items()}
    captured_at = str(max(state["reviewed_at"], *(one["newest_capture_at"] for one in state["documents"])))
    data = {
        **_front(service, state, captured_at[:10], as_of),
        "surfaces": cited.surfaces(),
        "training": cited.training(),
        "documents": [_lined(one | {"words": document_words(one)}) for one in state["documents"]],
        "frameworks": _frameworks(mapping.outcomes(levels)),
        "mapping_version": control_map()["version"],
        "outcomes": list(OUTCOME_WORDS.items()),
        "levels": list(mapping.LEVEL_WORDS.items()),
        "weighty": cited.weighty(),
        "sections": cited.sections(),
        "total": len(cited.findings),
        "repeated": sum(finding["duplicate_of"] in cited.numbers for finding in cited.findings),
        "evidence": EVIDENCE,
    }
    return Draft(data, _evidence(state, captured_at, cited.findings), captured_at)


def _front(service: Service, state: Json, day: str, as_of: date | None) -> Json:
    """Return the data of the first page."""
    name = mapping.line(state["name"])
    return {
        **_lined({one: state[one] for one in ("rating", "risk_reason", "last_reviewed", "citation_count")}),
        "title": f"Compliance report: {name}",
        "short": name if len(name) <= 60 else f"{name[:60]}…",
        "verification": mapping.VERIFICATION_WORDS[state["verification"]],
        "day": day,
        "as_of": as_of and as_of.isoformat(),
        "website": address(state["website"]) if state["website"] else None,
        "page": address(service.address(state["id"])),
        "machine": address(f"{service.public_url}/api/machine/platform/{state['id']}"),
        "archive": address(service.archived("")),
        "read": [sum(document["read"] for document in state["documents"]), len(state["documents"])],
        "rules_version": RULES_VERSION,
        "disclaimer": DISCLAIMER,
    }


class _Citations:
    """Numbered findings: by surface, most severe first; findings that decided a level come before others."""

    def __init__(self, service: Service, state: Json) -> None:
        surfaces = list(state["surfaces"])
        deciding = {public for surface in state["surfaces"].values() for public in surface["decided_by"]}

        def place(finding: Json) -> tuple[int, int, bool]:
            return surfaces.index(finding["surface"]), -RATINGS.index(finding["risk"]), finding["id"] not in deciding

        found = sorted(map(service.resolved, service.store.findings(state)), key=place)
        self.state = state
        self.findings = [{"number": number, **finding} for number, finding in enumerate(found, 1)]
        self.numbers = {finding["id"]: finding["number"] for finding in self.findings}

    def decided(self, row: Json, by: str = "decided_by") -> list[int]:
        """Return the numbers of the deciding findings in ascending order."""
        return sorted(self.numbers[public] for public in row[by] if public in self.numbers)

    def surfaces(self) -> list[Json]:
        """Return the rows of the surfaces table."""
        rows = []
        for name, surface in self.state["surfaces"].items():
            decided = self.decided(surface)
            row = {
                "name": surface_name(name),
                "level": surface["risk"] or state_words(surface["state"], surface["to_read"]),
                "count": surface["count"],
                "explanation": mapping.explanation(surface["explanation"]),
                "excerpt": mapping.excerpt(led(self.findings[decided[0] - 1]), decided[0]) if decided else None,
                "numbers": ranges(decided),
            }
            rows.append(row)
        return rows

    def training(self) -> Json:
        """Return the stance on training as sentences, with the clauses that decided it."""
        state = self.state
        unread = f"not assessed: {languages_not_read(state['documents']) or 'a document'} not read"
        nothing = "not distinguished" if state["stance"] else unread
        codes = {"stance": "stance", "consumer": "consumer_stance", "business": "business_stance"}
        words = {name: stance_sentence(state[code]) if state[code] else nothing for name, code in codes.items()}
        return words | {"clauses": self._clauses(self.decided(state, "stance_decided_by"))}

    def weighty(self) -> list[Json]:
        """Return the first deciding clause of the most severe surfaces."""
        rows = self.state["surfaces"].values()
        return self._clauses([
            number for level in ("HIGH", "MED") for row in rows if row["risk"] == level for number in self.decided(row)[:1]
        ])  # fmt: skip

    def _clauses(self, numbers: list[int]) -> list[Json]:
        """Return the first three of some citations, for the front pages."""
        return [self._clause(self.findings[number - 1]) for number in numbers[:3]]

    def _clause(self, finding: Json) -> Json:
        """Return one citation for the front pages or the annex."""
        quote = led(finding)
        lined: Json = _lined(finding)
        return lined | {
            "title": surface_name(finding["surface"]),
            "shown": mapping.excerpt(quote, finding["number"], 20_000),
            "quote": plain_words(quote),
            "scope": ", ".join(mapping.line(part) for part in finding["scope"].values() if part),
            "address": address(finding["provenance"]["archive_url"]),
            "same_as": self.numbers.get(finding["duplicate_of"]),
            "against": ranges(self.numbers[public] for public in finding["conflicts_with"] if public in self.numbers),
        }

    def sections(self) -> list[Json]:
        """Return the annex: citations by surface, in ascending order."""
        gravest = sorted(self.findings, key=lambda finding: -RATINGS.index(finding["risk"]))[:MOST_PRINTED]
        printed = {finding["number"] for finding in gravest}
        sections = []
        for name, rows in groupby(self.findings, key=itemgetter("surface")):
            own = list(rows)
            shown = [self._clause(row) for row in own if row["number"] in printed]
            sections.append({"name": surface_name(name), "citations": shown, "more": len(own) - len(shown)})
        return sections


def _frameworks(rows: list[Json]) -> list[Json]:
    """Return the mapping tables with the count of each outcome."""
    tables = []
    for framework in control_map()["frameworks"]:
        own = [row for row in rows if row["framework"] == framework["key"]]
        tally = [sum(row["outcome"] == name for row in own) for name in OUTCOMES]
        shown = [
            row | {
                "surfaces": ", ".join(map(surface_name, row["surfaces"])) or "no surface",
                "numbers": ranges(row["numbers"]),
            }
            for row in own
        ]  # fmt: skip
        tables.append(framework | {"address": address(framework["url"]), "tally": tally, "rows": shown})
    return tables


def _evidence(state: Json, captured_at: str, findings: list[Json]) -> str:
    """Return the content of the attached file."""
    record = {
        "platform": state["id"],
        "name": state["name"],
        "rating": state["rating"],
        "data_of": captured_at,
        "offsets": "Unicode code points of the snapshot decoded as UTF-8",
        "disclaimer": DISCLAIMER,
    }
    # one citation per line, because indented JSON takes ten times as long
    rows = ",\n".join(map(json.dumps, findings))
    return f'{json.dumps(record)[:-1]},\n"citations": [\n{rows}\n]}}\n'
