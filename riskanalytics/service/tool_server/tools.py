"""The four tools of the MCP server, as methods with typed arguments and results."""

import hashlib
import json
from collections.abc import Iterable
from itertools import chain, repeat, zip_longest
from typing import Annotated, Final, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from riskanalytics.models import DISCLAIMER, RATINGS, languages_not_read
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.untrusted import without_tags

from ..store.records import Json, quiet_surfaces, with_each_text
from ..store.search import search_clauses, search_names
from ..wire import Service, stance_sentence
from . import contract

_Clause = TypeVar("_Clause", bound=contract.QuotedClause)
MOST_TOKENS: Final = 15_000
"""Maximum number of tokens (estimated) of a result, structured content and readable form together."""
_BEGINNING: Final = 400
"""Tokens reserved for notes, field names and counts."""
_TRAINING: Final = "training_use"
_MOST_CLAUSES: Final = 50
_UNKNOWN: Final = "Nothing is known about training. Silence is not a promise."


class Tools(Service):
    """The four tools of the MCP server, one method each. The docstring of such a method is the description that agents read."""

    def get_platform_risk(
        self, slug: contract.Slug, surface: contract.Surface = None, cursor: contract.Cursor = None
    ) -> Annotated[CallToolResult, contract.PlatformRisk]:
        """Get the verified risk rating of one AI platform, its level on each surface (risk topic), and its findings.

        Findings are verbatim policy clauses with snapshot hash, offsets and archive address for verification. Long
        lists are split into pages; repeated clauses come last.
        """
        with self.store.one_state():
            state = self._tracked(slug)
            found = self._ordered(state, surface)
            bound_to = fingerprint("platform", slug, surface, state["reviewed_at"], len(found))
            first = offset_of(cursor, bound_to)
            result = contract.PlatformRisk(
                **self.head(state),
                surfaces=state["surfaces"],
                findings=[],
                findings_total=len(found),
                next_cursor=None,
                searched_without_result=_searched(state, surface),
            )
            lines = contract.surface_lines(result.surfaces)
            head = "\n".join((contract.head_lines(result), *lines, contract.read_lines(result.searched_without_result)))
            shown, texts = _fitted(found[first : first + _MOST_CLAUSES], _written(result), head)
            cursor, tail = _page(first, len(shown), len(found), bound_to)
            return _result(result.model_copy(update={"findings": shown, "next_cursor": cursor}), head, *texts, tail)

    def compare_platforms(self, slugs: contract.Slugs) -> Annotated[CallToolResult, contract.Comparison]:
        """Compare the verified ratings of 2 to 8 AI platforms by surface, with the findings behind the highest levels."""
        with self.store.one_state():
            result, deciding = contract.Comparison(platforms=[]), []
            for state in map(self._tracked, slugs):
                found = self._ordered(state)
                platform = contract.ComparedPlatform(
                    **self.head(state), surfaces=state["surfaces"], findings=[], findings_total=len(found)
                )
                result.platforms.append(platform)
                deciding.append([(platform, clause) for clause in _deciding(state, found)])
            queue = [pair for rank in zip_longest(*deciding) for pair in rank if pair]
            head = contract.comparison_lines(result.platforms)
            owners = [platform.slug for platform, _ in queue]
            shown, texts = _fitted([clause for _, clause in queue], _written(result), head, heads=owners)
            for platform, clause in queue[: len(shown)]:
                platform.findings.append(clause)
            tail = (
                "Only findings that decided the stance or the highest levels; get_platform_risk returns all findings."
            )
            return _result(result, head, *texts, tail)

    def search_clauses(
        self, query: contract.Query, surface: contract.Surface = None, cursor: contract.Cursor = None
    ) -> Annotated[CallToolResult, contract.ClauseSearch]:
        """Search the verified verbatim clauses of all platforms by words, best match first, with provenance."""
        with self.store.one_state():
            bound_to = fingerprint("search", query, surface, self.store.newest)
            first = offset_of(cursor, bound_to)
            total, rows = search_clauses(self.store, query, surface=surface, limit=_MOST_CLAUSES, offset=first)
            found = [contract.FoundClause(**self._clause(row), url=self.address(row["platform"])) for row in rows]
            shown, texts = _fitted(found, heads=[f"{clause.name} ({clause.platform})" for clause in found])
            cursor, tail = _page(first, len(shown), total, bound_to, "clause")
            return _result(contract.ClauseSearch(total=total, clauses=shown, next_cursor=cursor), "", *texts, tail)

    def check_training_use(self, slug: contract.Slug) -> Annotated[CallToolResult, contract.TrainingCheck]:
        """Check whether an AI platform trains models on user content, with the verified clauses that say so."""
        with self.store.one_state():
            state = self._tracked(slug)
            decided, unread = state["stance_decided_by"], languages_not_read(state["documents"]) or "a document"
            found = self._ordered(state, _TRAINING)
            found.sort(key=lambda clause: decided.index(clause.id) if clause.id in decided else len(decided))
            result = contract.TrainingCheck(
                **self.head(state),
                answer=stance_sentence(state["stance"]) if state["stance"] else f"Not read: {unread}. {_UNKNOWN}",
                findings=[],
                findings_total=len(found),
                searched=_searched(state, _TRAINING),
            )
            head = "\n".join((contract.head_lines(result), result.answer, contract.read_lines(result.searched)))
            shown, texts = _fitted(found, _written(result), head)
            _, tail = _page(0, len(shown), len(found))
            if len(shown) < len(found):
                tail += f" All findings: get_platform_risk with surface {_TRAINING}."
            return _result(result.model_copy(update={"findings": shown}), head, *texts, tail)

    def _tracked(self, slug: str) -> Json:
        """Return the state of a platform; for an unknown slug, raise an error with similar slugs."""
        if state := self.store.platform(slug):
            return state
        _, near = search_names(self.store, slug.replace("-", " "), limit=3, offset=0)
        if near:
            names = ", ".join(record["id"] for record in near)
            raise ToolError(f"No platform with this slug is tracked. Similar slugs: {names}.")
        raise ToolError("No platform with this slug is tracked, and no name is similar: try another name for it.")

    def head(self, state: Json) -> Json:
        """Return the fields that come first in a result about one platform: name, rating and so on, without invisible characters.

        Parameters
        ----------
        state : dict
            Rating, stances, surface levels and documents of the platform, as `Store.platform` returns them.
        """
        head: Json = with_each_text(super().head(state), without_tags)
        head["training_use"]["decided_by"] = state["stance_decided_by"][:10]
        return head

    def _clause(self, finding: Json) -> Json:
        """Return the fields of a finding for the structured content."""
        escaped = without_tags(finding["quote"]) != finding["quote"]
        return {**with_each_text(self.resolved(finding), without_tags), "quote_escaped": escaped}

    def _ordered(self, state: Json, surface: str | None = None) -> list[contract.QuotedClause]:
        """Return the findings of a platform by surface, highest level first, repetitions last."""
        found = [contract.QuotedClause(**self._clause(finding)) for finding in self.store.findings(state)]
        return sorted((clause for clause in found if surface in (None, clause.surface)), key=_order)


def _order(clause: contract.QuotedClause) -> tuple[object, ...]:
    """Return the sort key of a finding: repetitions last, surfaces as on pages, highest level first."""
    place, level, source = SURFACES.index(clause.surface), RATINGS.index(clause.risk), clause.provenance
    return clause.duplicate_of is not None, place, -level, source.document, source.start, clause.id


def _deciding(state: Json, clauses: list[contract.QuotedClause]) -> list[contract.QuotedClause]:
    """Return up to three findings that decided the stance and the surfaces with the highest levels."""
    levels = [row for row in state["surfaces"].values() if row["risk"]]
    levels.sort(key=lambda row: -RATINGS.index(row["risk"]))
    firsts = (decided[:1] for decided in (state["stance_decided_by"], *(row["decided_by"] for row in levels)))
    known = {clause.id: clause for clause in clauses}
    return [known[public] for public in dict.fromkeys(chain(*firsts)) if public in known][:3]


def _searched(state: Json, surface: str | None) -> contract.Searched:
    """Return the documents read and the quiet surfaces; if nothing was read, no surface counts as searched."""
    read = [row["snapshot_sha256"] for row in state["documents"] if row["read"]]
    quiet = [name for name in quiet_surfaces(state) if read and surface in (None, name)]
    return contract.Searched(surfaces=quiet, snapshots=read, not_read=languages_not_read(state["documents"]))


def tokens(text: str) -> int:
    """Estimate the tokens of a text: one per three ASCII characters, one per other character.

    Parameters
    ----------
    text : str
    """
    plain = len(text.encode("ascii", "ignore"))
    return plain // 3 + 1 + len(text) - plain


def _written(result: BaseModel) -> str:
    """Return a result or part as JSON, with the spaces that clients may add."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False)


def _fitted(
    clauses: list[_Clause], *written: str, heads: Iterable[str] = repeat("")
) -> tuple[list[_Clause], list[str]]:
    """Return the findings that fit into a result next to other texts, at least one, with their readable forms."""
    left = MOST_TOKENS - _BEGINNING - sum(map(tokens, (contract.UNTRUSTED, DISCLAIMER, *written)))
    texts: list[str] = []
    for clause, text in zip(clauses, map(contract.clause_lines, clauses, heads), strict=True):
        left -= tokens(_written(clause)) + tokens(text)
        if left < 0 and texts:
            break
        texts.append(text)
    return clauses[: len(texts)], texts


def fingerprint(*words: object) -> str:
    """Return a hash of a tool call and of the state of the data.

    A cursor (the token for the next page of results) contains this hash. It is valid only for the same call on the same data.

    Parameters
    ----------
    *words : str, int or None
        Name of the tool, its arguments, and values that change with the data, such as the time of the newest capture.
    """
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


def offset_of(cursor: str | None, bound_to: str) -> int:
    """Return the position at which a page of results begins: the offset in the cursor, or 0 if there is no cursor.

    Parameters
    ----------
    cursor : str or None
        `next_cursor` of the page before.
    bound_to : str
        Result of `fingerprint` for the present query and data; the cursor must contain the same.

    Raises
    ------
    ToolError
        If the cursor is malformed, belongs to another query, or the data have changed since.
    """
    if cursor is None:
        return 0
    offset, _, bound = cursor.partition("-")
    if bound == bound_to and offset.isascii() and offset.isdecimal() and len(offset) < 10:
        return int(offset)
    raise ToolError(
        "The cursor does not belong to this query, or the data have changed since: omit cursor to start again."
    )


def _page(first: int, shown: int, total: int, bound_to: str = "", noun: str = "finding") -> tuple[str | None, str]:
    """Return the cursor of the next page, and the line with the range shown."""
    if total == 0:
        return None, f"No {noun}s."
    last = first + shown
    cursor = f"{last}-{bound_to}" if bound_to and shown and last < total else None
    part = f"{noun.capitalize()}s {first + 1} to {last} of {total}."
    return cursor, f"{part} Next page: cursor {cursor}" if cursor else part


def _result(structured: contract.Noted, *parts: str) -> CallToolResult:
    """Return a result in structured and readable form."""
    text = TextContent(type="text", text="\n\n".join(filter(None, (f"Note: {contract.UNTRUSTED}", *parts, DISCLAIMER))))
    return CallToolResult(content=[text], structured_content=structured.model_dump(mode="json"))
