"""Cursors are bound to their query, and results have a size."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from riskanalytics.service.tool_server.tools import fingerprint, offset_of, tokens


def test_a_cursor_gives_its_offset_and_no_cursor_the_beginning() -> None:
    bound_to = fingerprint("search", "train", None)
    assert offset_of(f"50-{bound_to}", bound_to) == 50
    assert offset_of(None, bound_to) == 0


@pytest.mark.parametrize(
    "cursor", ["", "canary", "MS4w", "é", "a" * 120, f"1-{fingerprint('other')}", f"-1-{fingerprint('search')}"]
)
def test_a_cursor_of_another_query_is_refused(cursor: str) -> None:
    with pytest.raises(ToolError, match="omit cursor"):
        offset_of(cursor, fingerprint("search"))


def test_other_scripts_take_more_tokens_than_ascii() -> None:
    assert (tokens("abcdef"), tokens("训练模型数据"), tokens("")) == (3, 7, 1)
