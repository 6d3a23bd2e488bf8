"""Cursors are bound to their query, and a result has room for so much."""

from __future__ import annotations

import pytest

from riskanalytics.service.tool_server.arguments import ToolError
from riskanalytics.service.tool_server.pages import MOST_TOKENS, cursor_at, fingerprint, fitting, offset_of, tokens


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
