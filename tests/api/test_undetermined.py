"""A platform whose documents contradict themselves on training: what every door of the service says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.given import TERMS, Caller, build_database
from tests.service.tool_server.fixtures import Agent, agent_on

USED = "We use the prompts you enter to train our models."
NEVER = "We do not use the prompts you enter to train our models."
POLICY = f"""Opal Notes Privacy Policy
=========================

This policy tells which information the service handles, why, and which rights you have.

{USED}

{NEVER}

We do not sell your personal data.
"""
PATH = "/api/machine/platform/opal-notes"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with this one platform."""
    files = {"Opal Notes/Privacy Policy/2026-01-10.md": POLICY, "Opal Notes/Terms of Service/2026-01-10.md": TERMS}
    return build_database(tmp_path_factory.mktemp("torn"), files)


@pytest.fixture(scope="module")
def torn(database: Path) -> Iterator[Caller]:
    """A caller on it."""
    caller = Caller(database)
    yield caller
    caller.close()


@pytest.fixture(scope="module")
def agent_of_torn(database: Path) -> Iterator[Agent]:
    """An agent of it."""
    yield from agent_on(database)


def test_the_machine_record_says_undetermined_and_lists_the_clauses_to_read(torn: Caller) -> None:
    record = torn.call(PATH).json()
    quotes = {finding["id"]: finding["quote"] for finding in record["findings"]}
    output = record["training_use"]
    assert {key: output[key] for key in ("stance", "consumer_stance", "business_stance")} == {
        "stance": "undetermined", "consumer_stance": "undetermined", "business_stance": None,
    }  # fmt: skip
    assert {quotes[public] for public in output["decided_by"]} == {USED, NEVER}
    assert record["surfaces"]["training_use"]["risk"] is None
    assert record["rating"] != "LOW"
    assert record["risk_reason"].startswith(f"{record['rating']}: 5 citations extracted; ")
    assert "training is undetermined, to be read (Training use)" in record["risk_reason"]


def test_the_report_and_the_page_name_the_conflicting_clauses(torn: Caller) -> None:
    record = torn.call(PATH).json()
    page = torn.call("/platform/opal-notes", headers={"accept": "text/html"}).body.decode()
    first, second = (finding["id"] for finding in record["findings"] if finding["quote"] in (USED, NEVER))
    assert page.count("conflicts with") == 2
    for number, other, one in ((1, second, first), (2, first, second)):
        caption = page.partition(f'<figure id="finding-{one}">')[2].partition("</figure>")[0]
        assert f"<figcaption>{number} " in caption
        assert f'&middot; conflicts with <a href="#finding-{other}">{3 - number}</a></figcaption>' in caption


def test_the_page_and_its_markdown_form_say_it_in_words(torn: Caller) -> None:
    for accept in ("text/html", "text/markdown"):
        body = torn.call("/platform/opal-notes", headers={"accept": accept}).body.decode()
        assert "Undetermined: to be read" in body


def test_the_tool_says_that_it_is_neither_yes_nor_no(agent_of_torn: Agent) -> None:
    output = agent_of_torn.result("check_training_use", slug="opal-notes")
    assert output["training_use"]["stance"] == "undetermined"
    assert output["answer"] == (
        "The documents do not settle whether user content trains models: these clauses are to be read."
    )
    quotes = {finding["id"]: finding["quote"] for finding in output["findings"]}
    assert {quotes[public] for public in output["training_use"]["decided_by"]} == {USED, NEVER}


def test_an_answer_states_the_recorded_stance_before_the_quotes(torn: Caller) -> None:
    reply = torn.post("/api/verified/ask", {"question": "Does Opal Notes train on my prompts?"}).json()
    first = reply["answer"].splitlines()[0]
    assert first.startswith("Opal Notes: the documents do not settle whether user content trains models")
    assert "[1]" in first and "[2]" in first
