"""Cursors are bound to their query, and results have a size."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from riskanalytics.extraction import Reading
from riskanalytics.service import Store
from riskanalytics.service.tool_server.tools import Tools, fingerprint, offset_of, tokens
from tests.service.given import by_hand, give_readings, lead_on


def test_a_cursor_gives_its_offset_and_no_cursor_the_beginning() -> None:
    bound_to = fingerprint("search", "train", None)
    assert offset_of(f"50-{bound_to}", bound_to) == 50
    assert offset_of(None, bound_to) == 0
    assert offset_of(f"0-{bound_to}", bound_to) == 0


@pytest.mark.parametrize(
    "cursor",
    ["", "canary", "MS4w", "é", "a" * 120, f"1-{fingerprint('other')}", f"-1-{fingerprint('search')}",
     f"{'1' * 10}-{fingerprint('search')}", f"\u0661-{fingerprint('search')}"],
)  # fmt: skip
def test_a_cursor_of_another_query_is_refused(cursor: str) -> None:
    with pytest.raises(ToolError, match="omit cursor"):
        offset_of(cursor, fingerprint("search"))


def test_other_scripts_take_more_tokens_than_ascii() -> None:
    assert (tokens("abcdef"), tokens("训练模型数据"), tokens("")) == (3, 7, 1)


def three(text: str, reading: Reading) -> Reading:
    """A reading by hand: clauses on training of three levels."""
    levels = {"We do not use": "LOW", "We retain": "HIGH", "We do not sell": "MED"}
    if not all(words in text for words in levels):
        return reading
    found = (lead_on(text, words, 0.95, "training_use")._replace(risk=risk) for words, risk in levels.items())
    return replace(reading, findings=tuple(found), leads=())


def test_findings_are_ordered_by_level_with_repetitions_last_and_deciding_ones_first(
    given_database: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "three.sqlite"))
    give_readings(database, "aurelia-chat", three)
    with closing(Store(database)) as store:
        tools = Tools(store, None)

        def quotes(found: object) -> list[str]:
            return [row["quote"] for row in getattr(found, "structured_content", {})["findings"]]

        assert quotes(tools.get_platform_risk("aurelia-chat", "training_use")) == [
            "We retain", "We do not sell", "We do not use",
        ]  # fmt: skip
        ids = {row["quote"]: row["id"] for row in store.findings(store.platform("aurelia-chat") or {})}
        with by_hand(database) as writer:
            related = ids["We do not sell"], ids["We retain"]
            writer.execute("UPDATE live_finding SET duplicate_of = ? WHERE id = ?", related)
            writer.execute("UPDATE state SET stance_decided_by = ?", (json.dumps([ids["We do not use"]]),))
        assert quotes(tools.get_platform_risk("aurelia-chat", "training_use")) == [
            "We do not sell", "We do not use", "We retain",
        ]  # fmt: skip
        assert quotes(tools.check_training_use("aurelia-chat")) == ["We do not use", "We do not sell", "We retain"]
        # more than a result may have: it is shown alone
        with by_hand(database) as writer:
            writer.execute("UPDATE clause SET quote = ? WHERE quote = 'We do not use'", ("字" * 20_000,))
        assert quotes(tools.check_training_use("aurelia-chat")) == ["字" * 20_000]
        assert quotes(tools.get_platform_risk("aurelia-chat", "training_use")) == ["We do not sell"]
