"""The tool that checks the rules of an organisation for agents, called by the official client over stdin and stdout."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from riskanalytics.dataset.tools import posture_tool, rules_tool
from riskanalytics.errors import ParameterError
from riskanalytics.models import DISCLAIMER
from riskanalytics.service.tool_server.contract import UNTRUSTED
from riskanalytics.settings import load_settings
from tests.service.given import FILES, PRIVACY_LATER, build_database

RULES = """
[[rule]]
id = "high"
rating = "MED"
data_classes = ["secret"]
[[rule]]
id = "low"
title = "Everything is LOW"
rating = "LOW"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    hidden = PRIVACY_LATER.replace("train our models.", "train our models\U000e0041.")
    build_database(folder, {**FILES, "Tagged/Privacy Policy/2026-01-10.md": hidden}).rename(folder / "a.sqlite")
    (folder / "rules.toml").write_text(RULES)
    (folder / "ours.csv").write_text("name,data class\nAurelia Chat,Secret\nAurelia Chat,Public\nNorthwind Draft,\n")
    return folder


def test_results_of_one_platform_are_complete_and_without_a_platform_the_worst_are_listed(folder: Path) -> None:
    settings = load_settings(database=folder / "a.sqlite")
    call = rules_tool(folder / "rules.toml", settings, str(folder / "ours.csv"))
    found = call("aurelia-chat")
    rows = [(row["row"], row["rule"], row["result"], row["observed"]) for row in found["results"]]
    assert rows == [
        (1, "low", "fail", "rated MED"),
        (2, "low", "fail", "rated MED"),
        (1, "high", "pass", "rated MED"),
    ]
    assert found["counts"] == {"fail": 2, "undetermined": 0, "pass": 1}
    assert (found["not_listed"], found["disclaimer"]) == (0, DISCLAIMER)
    assert found["results"][0]["decided_by"]
    every = call()
    assert [row["result"] for row in every["results"]] == sorted(
        (row["result"] for row in every["results"]), key=["fail", "undetermined"].index
    )
    assert sum(every["counts"].values()) == len(every["results"]) + every["counts"]["pass"]
    assert (every["counts"]["pass"] > 0, every["not_listed"]) == (True, 0)


def test_a_platform_outside_the_portfolio_is_refused(folder: Path) -> None:
    call = rules_tool(folder / "rules.toml", load_settings(database=folder / "a.sqlite"), str(folder / "ours.csv"))
    with pytest.raises(ParameterError, match="cafe-lumiere is not in the portfolio, so no rule was checked"):
        call("cafe-lumiere")


def test_at_most_fifty_results_are_listed_and_the_others_counted(folder: Path) -> None:
    many = "".join(f'[[rule]]\nid = "r{number}"\nrating = "LOW"\n' for number in range(60))
    (folder / "many.toml").write_text(many)
    found = rules_tool(folder / "many.toml", load_settings(database=folder / "a.sqlite"))("aurelia-chat")
    assert (len(found["results"]), found["not_listed"], found["counts"]["fail"]) == (50, 10, 60)


def test_rules_and_portfolio_that_cannot_be_read_are_refused_at_once(folder: Path) -> None:
    settings = load_settings(database=folder / "a.sqlite")
    with pytest.raises(ParameterError, match=r"the rules .*none.toml cannot be read"):
        rules_tool(folder / "none.toml", settings)
    with pytest.raises(ParameterError, match=r"none.csv"):
        rules_tool(folder / "rules.toml", settings, str(folder / "none.csv"))


def test_the_posture_of_a_platform_has_facts_with_clauses_and_an_unknown_platform_is_refused(folder: Path) -> None:
    call = posture_tool(load_settings(database=folder / "a.sqlite"))
    found = call("aurelia-chat")
    (platform,) = found["data"]
    trains = platform["routes"][0]["trains"]
    assert (platform["platform"], trains["value"]) == ("aurelia-chat", "no")
    assert trains["quote"] == "We do not use your prompts to train our models."
    assert trains["provenance"]["archive_url"] is None
    assert (found["schema"], found["disclaimer"], found["untrusted_text_note"]) == ("1", DISCLAIMER, UNTRUSTED)
    with pytest.raises(ParameterError, match=r"did you mean aurelia-chat\?"):
        call("aurelia-chatt")
    with pytest.raises(ParameterError, match="no platform '-' is tracked"):
        call("")
    hidden = call("tagged")["data"][0]["routes"][0]["trains"]["quote"]
    assert hidden == r"We do not use your prompts to train our models\u{E0041}."


@pytest.mark.slow
def test_the_official_client_lists_the_tool_and_gets_results_and_refusals(folder: Path) -> None:
    words = [
        "-m",
        "riskanalytics.cli",
        "mcp",
        "--database",
        str(folder / "a.sqlite"),
        "--rules",
        str(folder / "rules.toml"),
    ]
    server = StdioServerParameters(command=sys.executable, args=[*words, "--portfolio", str(folder / "ours.csv")])
    said: list[Any] = []

    async def talk() -> None:
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            said.append([tool.name for tool in (await session.list_tools()).tools])
            said.append(await session.call_tool("get_posture", {"slug": "aurelia-chat"}))
            for slug in ("northwind-draft", "northwind-daft"):
                said.append(await session.call_tool("check_rules", {"slug": slug}))

    anyio.run(talk)
    names, posture, found, refused = said
    assert names[-2:] == ["get_posture", "check_rules"]
    assert json.loads(posture.content[0].text)["data"][0]["routes"][0]["trains"]["value"] == "no"
    assert [row["rule"] for row in json.loads(found.content[0].text)["results"]] == ["high", "low"]
    assert refused.is_error
    assert "did you mean northwind-draft?" in refused.content[0].text
