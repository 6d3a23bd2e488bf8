"""The four tools over a database, as plain functions with typed arguments and results."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Annotated, Concatenate, Final, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from riskanalytics.models import RATINGS, STANCE_CLAUSES, UNDETERMINED, languages_not_read
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.search import search_clauses, search_names
from riskanalytics.service.store.state import quiet_surfaces, training_use
from riskanalytics.service.tool_server import readable
from riskanalytics.service.tool_server.contract import (
    ClauseSearch,
    ComparedPlatform,
    Comparison,
    Cursor,
    FoundClause,
    Noted,
    PlatformRisk,
    Query,
    QuotedClause,
    Searched,
    Slug,
    Slugs,
    Surface,
    TrainingCheck,
)
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.untrusted import visible_line, without_tags

_P = ParamSpec("_P")
_Clause = TypeVar("_Clause", bound=QuotedClause)
_TRAINING: Final = "training_use"
_MOST_CLAUSES: Final = 50
_MOST_NEAR: Final = 3
_MOST_DECIDING: Final = 3
_MOST_DECIDED: Final = 10


def _in_one_state(
    tool: Callable[Concatenate[Tools, _P], CallToolResult],
) -> Callable[Concatenate[Tools, _P], CallToolResult]:
    """Let a tool read one state of the database from its first row to its last."""

    @functools.wraps(tool)
    def read(tools: Tools, /, *words: _P.args, **named: _P.kwargs) -> CallToolResult:
        with tools.store.one_state():
            return tool(tools, *words, **named)

    return read


class Tools:
    """The tools; each method is one of them, and its docstring is for readers of this code.

    Parameters
    ----------
    store : Store
    public_url : str, optional
        Address that answers name; without it no address of ours is named, since nobody could follow it.
    """

    def __init__(self, store: Store, public_url: str | None) -> None:
        self.store = store
        self._service = None if public_url is None else Service(store, public_url)

    @_in_one_state
    def get_platform_risk(
        self, slug: Slug, surface: Surface = None, cursor: Cursor = None
    ) -> Annotated[CallToolResult, PlatformRisk]:
        """Answer one platform's rating and findings, a page at a time.

        Parameters
        ----------
        slug, surface, cursor : str

        Raises
        ------
        ToolError
            If the platform is not tracked, or the cursor not of this query.
        """
        state = self._state(slug)
        found = self._ordered(state, surface)
        total = len(found)
        bound_to = readable.fingerprint("platform", slug, surface, state["reviewed_at"], total)
        first = readable.offset_of(cursor, bound_to)
        empty = PlatformRisk(
            **self._head(state),
            surfaces=state["surfaces"],
            findings=[],
            findings_total=total,
            next_cursor=None,
            searched_without_result=_searched(
                state, [name for name in quiet_surfaces(state) if surface in (None, name)]
            ),
        )
        head = readable.platform_head(empty)
        rest = found[first : first + _MOST_CLAUSES]
        shown, lines = _fitted([(clause, readable.clause_lines(clause)) for clause in rest], _written(empty), head)
        cursor = readable.cursor_at(first + len(shown), bound_to) if first + len(shown) < total else None
        result = empty.model_copy(update={"findings": shown, "next_cursor": cursor})
        return _result(result, readable.whole(head, lines, readable.counted_tail(first, len(shown), total, cursor)))

    @_in_one_state
    def compare_platforms(self, slugs: Slugs) -> Annotated[CallToolResult, Comparison]:
        """Answer several platforms side by side, with the findings that decided their highest levels.

        Parameters
        ----------
        slugs : list of str

        Raises
        ------
        ToolError
            If one of them is not tracked.
        """
        states = [self._state(slug) for slug in slugs]
        found = [self._ordered(state, None) for state in states]
        platforms = [
            ComparedPlatform(**self._head(state), surfaces=state["surfaces"], findings=[], findings_total=len(clauses))
            for state, clauses in zip(states, found, strict=True)
        ]
        head = readable.comparison_head(platforms)
        deciding = [_deciding(state, clauses) for state, clauses in zip(states, found, strict=True)]
        queue = [
            (platform, clause)
            for rank in zip_longest(*deciding)
            for platform, clause in zip(platforms, rank, strict=True)
            if clause is not None
        ]
        pieces = [(clause, readable.clause_lines(clause, platform.slug)) for platform, clause in queue]
        shown, lines = _fitted(pieces, _written(Comparison(platforms=platforms)), head)
        for platform, clause in queue[: len(shown)]:
            platform.findings.append(clause)
        tail = "Only findings that decided the highest levels; get_platform_risk gives all of one platform."
        return _result(Comparison(platforms=platforms), readable.whole(head, lines, tail))

    @_in_one_state
    def search_clauses(
        self, query: Query, surface: Surface = None, cursor: Cursor = None
    ) -> Annotated[CallToolResult, ClauseSearch]:
        """Answer the clauses of all platforms that hold some words, best first, a page at a time.

        Parameters
        ----------
        query, surface, cursor : str

        Raises
        ------
        ToolError
            If the cursor is not of this query.
        """
        bound_to = readable.fingerprint("search", query, surface, self.store.newest)
        first = readable.offset_of(cursor, bound_to)
        total, rows = search_clauses(self.store, query, surface=surface, limit=_MOST_CLAUSES, offset=first)
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
                (clause, readable.clause_lines(clause, f"{visible_line(clause.name)} ({clause.platform})"))
                for clause in found
            ]
        )
        cursor = readable.cursor_at(first + len(shown), bound_to) if shown and first + len(shown) < total else None
        result = ClauseSearch(total=total, clauses=shown, next_cursor=cursor)
        return _result(
            result, readable.whole("", lines, readable.counted_tail(first, len(shown), total, cursor, "clause"))
        )

    @_in_one_state
    def check_training_use(self, slug: Slug) -> Annotated[CallToolResult, TrainingCheck]:
        """Answer whether a platform trains on user content; the findings that decided come first.

        Parameters
        ----------
        slug : str

        Raises
        ------
        ToolError
            If the platform is not tracked.
        """
        state = self._state(slug)
        decided = {public: at for at, public in enumerate(state["stance_decided_by"])}
        found = sorted(self._ordered(state, _TRAINING), key=lambda clause: decided.get(clause.id, len(decided)))
        empty = TrainingCheck(
            **self._head(state),
            answer=_told(state),
            findings=[],
            findings_total=len(found),
            searched=_searched(state, [name for name in quiet_surfaces(state) if name == _TRAINING]),
        )
        head = readable.training_head(empty)
        shown, lines = _fitted([(clause, readable.clause_lines(clause)) for clause in found], _written(empty), head)
        tail = readable.counted_tail(0, len(shown), len(found), None)
        if len(shown) < len(found):
            tail += f" All of them: get_platform_risk with surface {_TRAINING}."
        return _result(empty.model_copy(update={"findings": shown}), readable.whole(head, lines, tail))

    def _state(self, slug: str) -> Json:
        """Return a platform's state, or say which slugs are near."""
        state = self.store.platform(slug)
        if state is not None:
            return state
        _, near = search_names(self.store, slug.replace("-", " "), limit=_MOST_NEAR, offset=0)
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
        found = [QuotedClause(**self._clause(finding)) for finding in self.store.findings(state)]
        return sorted((clause for clause in found if surface in (None, clause.surface)), key=_order)


def _result(structured: Noted, text: str) -> CallToolResult:
    """Return a result in both of its forms."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured.model_dump(mode="json")
    )


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
    count = readable.fitting(((_written(clause), text) for clause, text in pieces), readable.FRAME, *written)
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
