"""The four tools over a database, as plain functions with typed arguments and results."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Annotated, Any, Final, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from riskanalytics.models import DISCLAIMER, RATINGS, STANCE_CLAUSES, UNDETERMINED, languages_not_read
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json, quiet_surfaces
from riskanalytics.service.store.search import search_clauses, search_names
from riskanalytics.service.tool_server import contract
from riskanalytics.service.tool_server.contract import (
    UNTRUSTED,
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
    clause_lines,
)
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.untrusted import visible_line, without_tags

_Clause = TypeVar("_Clause", bound=QuotedClause)
MOST_TOKENS: Final = 15_000
"""Estimated tokens of one result, its structured content and its text form together."""
_BEGINNING: Final = 400
"""Tokens of what is written around the parts: notes, field names, counts."""
_TRAINING: Final = "training_use"
_MOST_CLAUSES: Final = 50
_MOST_NEAR: Final = 3
_MOST_DECIDING: Final = 3
_MOST_DECIDED: Final = 10


def _in_one_state(tool: Callable[..., CallToolResult]) -> Callable[..., CallToolResult]:
    """Let a tool read one state of the database from its first row to its last."""

    @functools.wraps(tool)
    def read(tools: Tools, /, *words: Any, **named: Any) -> CallToolResult:
        with tools.service.store.one_state():
            return tool(tools, *words, **named)

    return read


class Tools:
    """The tools; each method is one of them, and its docstring is for readers of this code.

    Parameters
    ----------
    store : Store
    public_url : str, optional
        Address in results; without it results name no address of the service, because nobody could follow it.
    """

    def __init__(self, store: Store, public_url: str | None) -> None:
        self.service = Service(store, public_url)

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
            If the platform is not tracked, or the cursor is not of this query.
        """
        state = self._state(slug)
        found = self._ordered(state, surface)
        bound_to = fingerprint("platform", slug, surface, state["reviewed_at"], len(found))
        first = offset_of(cursor, bound_to)
        empty = PlatformRisk(
            **self._head(state),
            surfaces=state["surfaces"],
            findings=[],
            findings_total=len(found),
            next_cursor=None,
            searched_without_result=_searched(state, surface),
        )
        lines = contract.surface_lines(empty.surfaces)
        head = "\n".join((contract.head_lines(empty), *lines, contract.read_lines(empty.searched_without_result)))
        pieces = [(clause, clause_lines(clause)) for clause in found[first : first + _MOST_CLAUSES]]
        shown, texts = _fitted(pieces, _written(empty), head)
        cursor, tail = _page(first, len(shown), len(found), bound_to)
        return _result(empty.model_copy(update={"findings": shown, "next_cursor": cursor}), head, *texts, tail)

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
        head = contract.comparison_lines(platforms)
        deciding = [_deciding(state, clauses) for state, clauses in zip(states, found, strict=True)]
        queue = [
            (platform, clause)
            for rank in zip_longest(*deciding)
            for platform, clause in zip(platforms, rank, strict=True)
            if clause is not None
        ]
        pieces = [(clause, clause_lines(clause, platform.slug)) for platform, clause in queue]
        shown, texts = _fitted(pieces, _written(Comparison(platforms=platforms)), head)
        for platform, clause in queue[: len(shown)]:
            platform.findings.append(clause)
        tail = "Only findings that decided the highest levels; get_platform_risk gives all of one platform."
        return _result(Comparison(platforms=platforms), head, *texts, tail)

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
        store = self.service.store
        bound_to = fingerprint("search", query, surface, store.newest)
        first = offset_of(cursor, bound_to)
        total, rows = search_clauses(store, query, surface=surface, limit=_MOST_CLAUSES, offset=first)
        found = [FoundClause(**self._clause(row), url=self.service.address(row["platform"])) for row in rows]
        shown, texts = _fitted(
            [(clause, clause_lines(clause, f"{visible_line(clause.name)} ({clause.platform})")) for clause in found]
        )
        cursor, tail = _page(first, len(shown), total, bound_to, "clause")
        return _result(ClauseSearch(total=total, clauses=shown, next_cursor=cursor), "", *texts, tail)

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
            answer=_stance_sentence(state),
            findings=[],
            findings_total=len(found),
            searched=_searched(state, _TRAINING),
        )
        head = "\n".join((contract.head_lines(empty), empty.answer, contract.read_lines(empty.searched)))
        shown, texts = _fitted([(clause, clause_lines(clause)) for clause in found], _written(empty), head)
        _, tail = _page(0, len(shown), len(found))
        if len(shown) < len(found):
            tail += f" All of them: get_platform_risk with surface {_TRAINING}."
        return _result(empty.model_copy(update={"findings": shown}), head, *texts, tail)

    def _state(self, slug: str) -> Json:
        """Return a platform's state, or say which slugs are near."""
        state = self.service.store.platform(slug)
        if state is not None:
            return state
        _, near = search_names(self.service.store, slug.replace("-", " "), limit=_MOST_NEAR, offset=0)
        if near:
            names = ", ".join(record["id"] for record in near)
            raise ToolError(f"No platform with this slug is tracked: try one of {names}.")
        raise ToolError("No platform with this slug is tracked, and none is called nearly so: try another name for it.")

    def _head(self, state: Json) -> Json:
        """Return what every result about one platform begins with."""
        head: Json = _untagged(self.service.head(state))
        head["training_use"]["decided_by"] = state["stance_decided_by"][:_MOST_DECIDED]
        return head

    def _clause(self, finding: Json) -> Json:
        """Return a finding for the structured content."""
        escaped = without_tags(finding["quote"]) != finding["quote"]
        return {**_untagged(self.service.resolved(finding)), "quote_escaped": escaped}

    def _ordered(self, state: Json, surface: str | None) -> list[QuotedClause]:
        """Return a platform's findings by surface, the highest level first, repetitions last."""
        found = [QuotedClause(**self._clause(finding)) for finding in self.service.store.findings(state)]
        return sorted((clause for clause in found if surface in (None, clause.surface)), key=_order)


def _untagged(value: Any) -> Any:
    """Return a value in which invisible tag characters of all texts are escaped."""
    if isinstance(value, dict):
        return {name: _untagged(part) for name, part in value.items()}
    return without_tags(value) if isinstance(value, str) else value


def _order(clause: QuotedClause) -> tuple[object, ...]:
    """Return the place of a finding: first words before their repetitions, surfaces as on pages, levels falling."""
    surface = SURFACES.index(clause.surface) if clause.surface in SURFACES else len(SURFACES)
    level = RATINGS.index(clause.risk) if clause.risk in RATINGS else -1
    source = clause.provenance
    return clause.duplicate_of is not None, surface, clause.surface, -level, source.document, source.start, clause.id


def _deciding(state: Json, clauses: list[QuotedClause]) -> list[QuotedClause]:
    """Return the first finding of the stance and of the surfaces with the highest levels."""
    known = {clause.id: clause for clause in clauses}

    def ids() -> Iterator[str]:
        yield from state["stance_decided_by"][:1]
        levels = {name: RATINGS.index(row["risk"]) for name, row in state["surfaces"].items() if row["risk"] in RATINGS}
        for name in sorted(levels, key=lambda name: -levels[name]):
            yield from state["surfaces"][name]["decided_by"][:1]

    return [known[public] for public in dict.fromkeys(ids()) if public in known][:_MOST_DECIDING]


def _stance_sentence(state: Json) -> str:
    """Return the stance on training use as a sentence."""
    stance = state["stance"]
    if stance is None:
        languages = languages_not_read(state["documents"])
        return f"Not read: {languages or 'a document'}. Nothing is known of training; silence is no promise."
    if stance == "silent":
        return "No clause was found that says whether user content trains models; silence is no promise."
    clause = STANCE_CLAUSES.get(stance)
    return f"The documents say that it {clause}." if clause else f"The documents {UNDETERMINED}."


def _searched(state: Json, surface: str | None) -> Searched:
    """Return what was read; where nothing is read, no surface counts as searched."""
    read = [row["snapshot_sha256"] for row in state["documents"] if row["read"]]
    quiet = [name for name in quiet_surfaces(state) if read and surface in (None, name)]
    return Searched(surfaces=quiet, snapshots=read, not_read=languages_not_read(state["documents"]))


def tokens(text: str) -> int:
    """Estimate the tokens of a text: three characters of ASCII each, one of any other script.

    Parameters
    ----------
    text : str
    """
    plain = len(text.encode("ascii", "ignore"))
    return plain // 3 + 1 + len(text) - plain


def _written(result: BaseModel) -> str:
    """Return a result, or a part of one, as JSON text, with the spaces that a client may show it with."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False)


def _fitted(pieces: list[tuple[_Clause, str]], *written: str) -> tuple[list[_Clause], list[str]]:
    """Return the findings that fit beside what is written, and their readable forms; the first always fits."""
    left = MOST_TOKENS - _BEGINNING - sum(map(tokens, (UNTRUSTED, DISCLAIMER, *written)))
    count = 0
    for clause, text in pieces:
        left -= tokens(_written(clause)) + tokens(text)
        if left < 0 and count:
            break
        count += 1
    return [clause for clause, _ in pieces[:count]], [text for _, text in pieces[:count]]


def fingerprint(*words: object) -> str:
    """Return what a cursor is bound to: the query and the state of the data.

    Parameters
    ----------
    *words : str or None
    """
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


def offset_of(cursor: str | None, bound_to: str) -> int:
    """Return the place that a cursor names, 0 without one.

    Parameters
    ----------
    cursor : str or None
    bound_to : str
        What `fingerprint` returned.

    Raises
    ------
    ToolError
        If it is malformed, of another query, or of data that have changed since.
    """
    offset, _, bound = (f"0-{bound_to}" if cursor is None else cursor).partition("-")
    if bound != bound_to or not (offset.isascii() and offset.isdecimal() and len(offset) < 10):
        raise ToolError(
            "The cursor is not one of this query, or the data have changed since: leave cursor out to begin again."
        )
    return int(offset)


def _page(first: int, shown: int, total: int, bound_to: str = "", noun: str = "finding") -> tuple[str | None, str]:
    """Return the cursor of the next page, and the line that counts what is shown."""
    if total == 0:
        return None, f"No {noun}s."
    last = first + shown
    cursor = f"{last}-{bound_to}" if bound_to and shown and last < total else None
    part = f"{noun.capitalize()}s {first + 1} to {last} of {total}."
    return cursor, f"{part} Next page: cursor {cursor}" if cursor else part


def _result(structured: Noted, *parts: str) -> CallToolResult:
    """Return a result in both of its forms."""
    text = "\n\n".join(part for part in (f"Note: {UNTRUSTED}", *parts, DISCLAIMER) if part)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured.model_dump(mode="json")
    )
