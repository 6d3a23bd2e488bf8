"""The readable form says which part of the findings it shows; cursors are bound to their query; results have a size."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from riskanalytics.models import DISCLAIMER
from riskanalytics.service.tool_server.readable import (
    FRAME,
    MOST_TOKENS,
    counted_tail,
    cursor_at,
    fingerprint,
    fitting,
    offset_of,
    tokens,
    whole,
)


@pytest.mark.parametrize(
    ("values", "tail"),
    [
        ((0, 0, 0, None), "No findings."),
        ((0, 2, 2, None), "Findings 1 to 2 of 2."),
        ((50, 7, 60, "abc"), "Findings 51 to 57 of 60. Next page: cursor abc"),
        ((0, 0, 0, None, "clause"), "No clauses."),
    ],
)
def test_the_tail_counts_what_is_shown(values: tuple[int, int, int, str | None], tail: str) -> None:
    assert counted_tail(*values) == tail


def test_every_readable_form_begins_with_the_note_and_ends_with_the_disclaimer() -> None:
    text = whole("", ["one", "two"])
    assert text.startswith("Note: Every quote is text of a third party")
    assert text.endswith(f"\n\none\n\ntwo\n\n{DISCLAIMER}")
    assert all(line in text for line in FRAME.splitlines())


def test_a_cursor_leads_back_to_its_place_and_no_cursor_to_the_beginning() -> None:
    bound_to = fingerprint("search", "train", None)
    assert offset_of(cursor_at(50, bound_to), bound_to) == 50
    assert offset_of(None, bound_to) == 0


@pytest.mark.parametrize("cursor", ["", "canary", "MS4w", "é", "a" * 120, cursor_at(1, fingerprint("other"))])
def test_a_cursor_that_is_not_of_this_query_is_refused(cursor: str) -> None:
    with pytest.raises(ToolError, match="leave cursor out"):
        offset_of(cursor, fingerprint("search"))


def test_the_first_piece_always_fits_and_others_while_there_is_room() -> None:
    long = "x" * 3 * MOST_TOKENS
    assert fitting([(long, long), ("x",)]) == 1
    assert fitting([("x",), (long,), ("x",)]) == 1
    assert fitting([("x", "x")] * 3) == 3
    assert fitting([("x",), ("x",)], long) == 1
    assert fitting([]) == 0


def test_other_scripts_take_more_tokens_than_ascii() -> None:
    assert (tokens("abcdef"), tokens("训练模型数据"), tokens("")) == (3, 7, 1)
