"""The four tools over a database, without any protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, TypeVar

from pydantic import BaseModel

from riskanalytics.models import RATINGS, STANCE_CLAUSES, UNDETERMINED, languages_not_read
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.search import search_clauses, search_names
from riskanalytics.service.store.state import quiet_surfaces, training_use
from riskanalytics.service.tool_server import plain
from riskanalytics.service.tool_server.arguments import (
    ClauseQuery,
    OnePlatform,
    PlatformPage,
    SeveralPlatforms,
    ToolError,
)
from riskanalytics.service.tool_server.pages import cursor_at, fingerprint, fitting, offset_of
from riskanalytics.service.tool_server.results import (
    ClauseSearch,
    ComparedPlatform,
    Comparison,
    FoundClause,
    Noted,
    PlatformRisk,
    QuotedClause,
    Searched,
    TrainingCheck,
)
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import SURFACES
from riskanalytics.untrusted import visible_line, without_tags

_Clause = TypeVar("_Clause", bound=QuotedClause)
_TRAINING: Final = "training_use"
_MOST_CLAUSES: Final = 50
_MOST_NEAR: Final = 3
_MOST_DECIDING: Final = 3
_MOST_DECIDED: Final = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answers, in both forms.

    Parameters
    ----------
    structured : Noted
    text : str
    """

    structured: Noted
    text: str


class Desk:
    """Answers the tools' calls from a database.

    Parameters
    ----------
    store : Store
    public_url : str, optional
        Address that answers name; without it no address of ours is named, since nobody could follow it.
    """

    def __init__(self, store: Store, public_url: str | None) -> None:
        self._store = store
        self._service = None if public_url is None else Service(store, public_url)

    def one_state(self) -> AbstractContextManager[object]:
        """Let this thread read one state of the database for the length of a block."""
        return self._store.one_state()

    def get_platform_risk(self, asked: PlatformPage) -> Answer:
        """Answer one platform's rating and findings, a page at a time.

        Parameters
        ----------
        asked : PlatformPage

        Raises
        ------
        ToolError
            If the platform is not tracked, or the cursor not of this query.
        """
        state = self._state(asked.slug)
        found = self._ordered(state, asked.surface)
        total = len(found)
        bound_to = fingerprint("platform", asked.slug, asked.surface, state["reviewed_at"], total)
        first = offset_of(asked.cursor, bound_to)
        empty = PlatformRisk(
            **self._head(state),
            surfaces=state["surfaces"],
            findings=[],
            findings_total=total,
            next_cursor=None,
            searched_without_result=_searched(
                state, [name for name in quiet_surfaces(state) if asked.surface in (None, name)]
            ),
        )
        head = plain.platform_head(empty)
        rest = found[first : first + _MOST_CLAUSES]
        shown, lines = _fitted([(clause, plain.clause_lines(clause)) for clause in rest], _written(empty), head)
        cursor = cursor_at(first + len(shown), bound_to) if first + len(shown) < total else None
        result = empty.model_copy(update={"findings": shown, "next_cursor": cursor})
        return Answer(result, plain.whole(head, lines, plain.counted_tail(first, len(shown), total, cursor)))

    def compare_platforms(self, asked: SeveralPlatforms) -> Answer:
        """Answer several platforms side by side, with the findings that decided their highest levels.

        Parameters
        ----------
        asked : SeveralPlatforms

        Raises
        ------
        ToolError
            If one of them is not tracked.
        """
        states = [self._state(slug) for slug in asked.slugs]
        found = [self._ordered(state, None) for state in states]
        platforms = [
            ComparedPlatform(**self._head(state), surfaces=state["surfaces"], findings=[], findings_total=len(clauses))
            for state, clauses in zip(states, found, strict=True)
        ]
        head = plain.comparison_head(platforms)
        deciding = [_deciding(state, clauses) for state, clauses in zip(states, found, strict=True)]
        queue = [
            (platform, clause)
            for rank in zip_longest(*deciding)
            for platform, clause in zip(platforms, rank, strict=True)
            if clause is not None
        ]
        pieces = [(clause, plain.clause_lines(clause, platform.slug)) for platform, clause in queue]
        shown, lines = _fitted(pieces, _written(Comparison(platforms=platforms)), head)
        for platform, clause in queue[: len(shown)]:
            platform.findings.append(clause)
        tail = "Only findings that decided the highest levels; get_platform_risk gives all of one platform."
        return Answer(Comparison(platforms=platforms), plain.whole(head, lines, tail))

    def search_clauses(self, asked: ClauseQuery) -> Answer:
        """Answer the clauses of all platforms that hold some words, best first, a page at a time.

        Parameters
        ----------
        asked : ClauseQuery

        Raises
        ------
        ToolError
            If the cursor is not of this query.
        """
        bound_to = fingerprint("search", asked.query, asked.surface, self._store.newest)
        first = offset_of(asked.cursor, bound_to)
        total, rows = search_clauses(self._store, asked.query, surface=asked.surface, limit=_MOST_CLAUSES, offset=first)
        found = [
            FoundClause(
                **self._clause(row),
                platform=row["platform"],
                name=without_tags(row["name"]),
                url=self._address(row["platform"]),
            )
            for row in rows
        ]
        shown, lines = _fitted(
            [
                (clause, plain.clause_lines(clause, f"{visible_line(clause.name)} ({clause.platform})"))
                for clause in found
            ]
        )
        cursor = cursor_at(first + len(shown), bound_to) if shown and first + len(shown) < total else None
        result = ClauseSearch(total=total, clauses=shown, next_cursor=cursor)
        return Answer(result, plain.whole("", lines, plain.counted_tail(first, len(shown), total, cursor, "clause")))

    def check_training_use(self, asked: OnePlatform) -> Answer:
        """Answer whether a platform trains on user content; the findings that decided come first.

        Parameters
        ----------
        asked : OnePlatform

        Raises
        ------
        ToolError
            If the platform is not tracked.
        """
        state = self._state(asked.slug)
        decided = {public: at for at, public in enumerate(state["stance_decided_by"])}
        found = sorted(self._ordered(state, _TRAINING), key=lambda clause: decided.get(clause.id, len(decided)))
        empty = TrainingCheck(
            **self._head(state),
            answer=_told(state),
            findings=[],
            findings_total=len(found),
            searched=_searched(state, [name for name in quiet_surfaces(state) if name == _TRAINING]),
        )
        head = plain.training_head(empty)
        shown, lines = _fitted([(clause, plain.clause_lines(clause)) for clause in found], _written(empty), head)
        tail = plain.counted_tail(0, len(shown), len(found), None)
        if len(shown) < len(found):
            tail += f" All of them: get_platform_risk with surface {_TRAINING}."
        return Answer(empty.model_copy(update={"findings": shown}), plain.whole(head, lines, tail))

    def _state(self, slug: str) -> Json:
        """Return a platform's state, or say which slugs are near."""
        state = self._store.platform(slug)
        if state is not None:
            return state
        _, near = search_names(self._store, slug.replace("-", " "), limit=_MOST_NEAR, offset=0)
        if near:
            names = ", ".join(record["id"] for record in near)
            raise ToolError(f"No platform with this slug is tracked: try one of {names}.")
        raise ToolError("No platform with this slug is tracked, and none is called nearly so: try another name for it.")

    def _address(self, slug: str) -> str | None:
        """Return the public page of a platform; None where no address of ours is named."""
        return None if self._service is None else self._service.address(slug)

    def _head(self, state: Json) -> Json:
        """Return what every result about one platform begins with."""
        return {
            "slug": state["id"],
            "name": without_tags(state["name"]),
            "website": state["website"] and without_tags(state["website"]),
            "url": self._address(state["id"]),
            **{name: state[name] for name in ("rating", "risk_reason", "last_reviewed")},
            "verification_status": state["verification"],
            "training_use": training_use(state) | {"decided_by": state["stance_decided_by"][:_MOST_DECIDED]},
        }

    def _clause(self, finding: Json) -> Json:
        """Return a finding for the structured content."""
        resolved = finding if self._service is None else self._service.resolved(finding)
        quote, source = without_tags(finding["quote"]), resolved["provenance"]
        named = source | {"document": without_tags(source["document"])}
        roles = {name: told and without_tags(told) for name, told in finding["roles"].items()}
        lead_in = finding["lead_in"] and {**finding["lead_in"], "quote": without_tags(finding["lead_in"]["quote"])}
        return {
            name: value for name, value in resolved.items() if name in QuotedClause.model_fields
        } | {
            "quote": quote, "quote_escaped": quote != finding["quote"], "lead_in": lead_in, "roles": roles, "provenance": named
        }  # fmt: skip

    def _ordered(self, state: Json, surface: str | None) -> list[QuotedClause]:
        """Return a platform's findings by surface, the highest level first, repetitions last."""
        found = [QuotedClause(**self._clause(finding)) for finding in self._store.findings(state)]
        return sorted((clause for clause in found if surface in (None, clause.surface)), key=_order)


def _order(clause: QuotedClause) -> tuple[object, ...]:
    """Return where a finding stands: first words before their repetitions, surfaces as pages show them, levels falling."""
    surface = SURFACES.index(clause.surface) if clause.surface in SURFACES else len(SURFACES)
    level = RATINGS.index(clause.risk) if clause.risk in RATINGS else -1
    source = clause.provenance
    return clause.duplicate_of is not None, surface, clause.surface, -level, source.document, source.start, clause.id


def _written(result: BaseModel) -> str:
    """Return a result, or a part of one, as JSON text, with the spaces that a client may show it with."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False)


def _fitted(pieces: list[tuple[_Clause, str]], *written: str) -> tuple[list[_Clause], list[str]]:
    """Return the findings that fit beside what is written, and their readable forms."""
    count = fitting(((_written(clause), text) for clause, text in pieces), plain.FRAME, *written)
    return [clause for clause, _ in pieces[:count]], [text for _, text in pieces[:count]]


def _deciding(state: Json, clauses: list[QuotedClause]) -> list[QuotedClause]:
    """Return the first finding of the stance and of the surfaces with the highest levels."""
    known = {clause.id: clause for clause in clauses}

    def ids() -> Iterator[str]:
        yield from state["stance_decided_by"][:1]
        levels = {name: RATINGS.index(row["risk"]) for name, row in state["surfaces"].items() if row["risk"] in RATINGS}
        for name in sorted(levels, key=lambda name: -levels[name]):
            yield from state["surfaces"][name].get("decided_by", [])[:1]

    return [known[public] for public in dict.fromkeys(ids()) if public in known][:_MOST_DECIDING]


def _told(state: Json) -> str:
    """Return the stance on training use as a sentence."""
    if state["stance"] is None:
        languages = languages_not_read(state["documents"])
        return f"Not read: {languages or 'a document'}. Nothing is known of training; silence is no promise."
    if state["stance"] == "silent":
        return "No clause was found that says whether user content trains models; silence is no promise."
    if state["stance"] == "undetermined":
        return f"The documents {UNDETERMINED}."
    clause = STANCE_CLAUSES.get(state["stance"])
    return f"The documents say that it {clause}." if clause else f"The documents' stance is {state['stance']}."


def _searched(state: Json, quiet: list[str]) -> Searched:
    """Return what was read; where nothing is read, no surface counts as searched."""
    read = [row["snapshot_sha256"] for row in state["documents"] if row["read"]]
    return Searched(surfaces=quiet if read else [], snapshots=read, not_read=languages_not_read(state["documents"]))
