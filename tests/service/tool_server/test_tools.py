"""Cursors are bound to their query, and results have a size."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import pytest
from mcp.server.mcpserver.exceptions import ToolError

from riskanalytics.errors import ParameterError
from riskanalytics.extraction import Reading
from riskanalytics.service import Store
from riskanalytics.service.compliance.report import draft
from riskanalytics.service.tool_server.serving import tool_server
from riskanalytics.service.tool_server.tools import Tools, fingerprint, offset_of, tokens
from riskanalytics.service.wire import Service
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


def test_a_cursor_ends_with_the_data_that_it_was_made_for(
    given_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "paged.sqlite"))
    monkeypatch.setattr("riskanalytics.service.tool_server.tools.MOST_TOKENS", 600)
    with closing(Store(database)) as store:
        tools = Tools(store, None)
        calls = (partial(tools.search_clauses, "personal data"), partial(tools.get_platform_risk, "aurelia-chat"))
        first = [call().structured_content or {} for call in calls]
        cursors = [result["next_cursor"] for result in first]
        second = [call(cursor=cursor).structured_content or {} for call, cursor in zip(calls, cursors, strict=True)]
        (one,), (other,) = first[0]["clauses"], second[0]["clauses"]
        assert (one["surface"], other["surface"]) == ("ads_tracking", "data_retention")
        assert [second[0]["total"], second[0]["next_cursor"]] == [2, None]
        (one,), (other,) = first[1]["findings"], second[1]["findings"]
        assert (one["surface"], other["surface"]) == ("training_use", "content_license")
        for table, column in (("capture", "captured_at"), ("state", "valid_from")):
            with by_hand(database) as writer:
                writer.execute(f"UPDATE {table} SET {column} = '2026-03-06T00:00:00Z' WHERE {column} > '2026-03'")
        for call, cursor in zip(calls, cursors, strict=True):
            with pytest.raises(ToolError, match="or the data have changed since: omit cursor to start again"):
                call(cursor=cursor)


def test_a_comparison_shows_each_deciding_finding_once_the_stance_first_then_the_highest_levels(
    given_database: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "three.sqlite"))
    give_readings(database, "aurelia-chat", three)
    with closing(Store(database)) as store, by_hand(database) as writer:
        ids = {row["quote"]: row["id"] for row in store.findings(store.platform("aurelia-chat") or {})}
        by = [ids["We retain"], ids["We do not sell"]]
        writer.execute("UPDATE state SET stance_decided_by = ?, surfaces = json_set(surfaces, "
                       "'$.training_use.risk', 'HIGH', '$.training_use.decided_by', json(?))", (json.dumps(by),) * 2)  # fmt: skip
    with closing(Store(database)) as store:
        found = Tools(store, None).compare_platforms(["aurelia-chat", "cafe-lumiere"]).structured_content or {}
    assert [row["surface"] for row in found["platforms"][0]["findings"]] == [
        "training_use", "content_license", "terms_changes",
    ]  # fmt: skip
    assert found["platforms"][0]["findings"][0]["quote"] == "We retain"


def test_three_similar_slugs_are_suggested(given_database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "similar.sqlite"))
    with by_hand(database) as writer:
        writer.execute("UPDATE platform SET name = 'Zeta ' || id")
    with closing(Store(database)) as store, pytest.raises(ToolError) as refused:
        Tools(store, None).check_training_use("zeta")
    assert str(refused.value).endswith("Similar slugs: aurelia-chat, cafe-lumiere, northwind-draft.")


def test_a_further_tool_is_listed_last_and_its_refusal_reaches_the_agent(given_database: Path) -> None:
    def check_it(slug: str) -> dict[str, str]:
        """Check
        it."""
        raise ParameterError(f"no platform {slug!r}; did you mean aurelia-chat?")

    with closing(Store(given_database)) as store:
        server = tool_server(store, None, check_it)
        listed = anyio.run(server.list_tools)
        with pytest.raises(ToolError, match=r"no platform 'aurelia'; did you mean aurelia-chat\?$"):
            anyio.run(server.call_tool, "check_it", {"slug": "aurelia"})
    assert [tool.name for tool in listed][3:] == ["check_training_use", "check_it"]
    assert (listed[-1].title, listed[-1].description) == ("Check it", "Check it.")


def test_what_was_not_read_is_named_by_its_language(given_database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "unread.sqlite"))
    with by_hand(database) as writer:
        writer.execute("UPDATE state SET stance = 'unread', consumer_stance = 'unread'")
    with closing(Store(database)) as store:
        found = Tools(store, None).check_training_use("cafe-lumiere").structured_content or {}
        data = draft(Service(store, "https://a.example"), store.platform("cafe-lumiere") or {}).data
    unknown = "Nothing is known about training. Silence is not a promise."
    assert found["answer"] == f"Not read: 1 document in Chinese. {unknown}"
    assert {data["training"][name] for name in ("stance", "consumer", "business")} == {
        "not assessed: 1 document in Chinese not read"
    }


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
