"""The list of what is tracked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from riskanalytics.cli import main
from riskanalytics.cli.commands import as_lines, listed
from riskanalytics.errors import RiskAnalyticsError
from tests.http_server import reply, serving

FRAME = pd.DataFrame(
    {
        "slug": ["aurelia-chat", "nine"],
        "name": ["Aurelia Chat", "N\u202eine"],
        "rating": ["HIGH", pd.NA],
        "website": ["https://a.example", pd.NA],
    },
    dtype="str",
)


@pytest.mark.parametrize("words", ["AURELIA", "a.example", " chat "])
def test_platforms_are_found_by_slug_name_or_website_in_any_case(words: str) -> None:
    assert [row["slug"] for row in listed(FRAME, words)] == ["aurelia-chat"]


def test_all_rows_are_in_aligned_columns_and_nothing_is_hidden() -> None:
    assert list(as_lines(listed(FRAME))) == [
        "slug          rating  name          website            aliases",
        "aurelia-chat  HIGH    Aurelia Chat  https://a.example",
        "nine                  N\\u{202E}ine",
    ]


def test_a_platform_is_found_by_the_other_names_of_its_product() -> None:
    known = pd.DataFrame(
        {"slug": ["claude-ai"], "name": ["Claude.ai"], "rating": ["MED"], "website": [pd.NA]}, dtype="str"
    )
    (row,) = listed(known, "claude\u00a0CHAT")
    assert row["aliases"].split(", ")[0] == "Claude"


def test_words_that_none_has_are_refused_with_the_nearest() -> None:
    with pytest.raises(
        RiskAnalyticsError,
        match=r"none of the 2 tracked platforms matches ' Aurelia-CAT '; did you mean aurelia-chat\?",
    ):
        listed(FRAME, " Aurelia-CAT ")
    with pytest.raises(RiskAnalyticsError, match=r"'a\.b'"):
        listed(FRAME, "a.b")


def test_a_platform_that_cannot_be_read_is_reported_and_the_list_is_marked_incomplete(
    capsys: pytest.CaptureFixture[str],
) -> None:
    index = b"/api/machine/platform/amber /api/machine/platform/beryl"

    def answer(request: bytes) -> bytes:
        if b"/llms-full.txt" in request:
            return reply("200 OK", index, "Content-Type: text/plain")
        amber = b'{"slug": "amber", "name": "Amber", "rating": "HIGH", "findings": []}'
        return reply("200 OK", amber) if b"/amber" in request else reply("418 x")

    with serving(answer) as server, pytest.raises(SystemExit) as end:
        main(["platforms", "--base-url", server.url])
    result = capsys.readouterr()
    assert end.value.code == 3
    assert "amber  HIGH" in result.out
    assert "beryl: /api/machine/platform/beryl answered status 418" in result.err
    assert "the list may be incomplete" in result.err


@pytest.mark.slow
def test_a_reader_that_takes_only_the_first_lines_ends_the_list_without_a_message(embedded_demo: Path) -> None:
    words = [sys.executable, "-m", "riskanalytics.cli", "platforms", "--database", str(embedded_demo)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.close()
        said = process.stderr.read() if process.stderr else ""
    assert (process.returncode, [line for line in said.splitlines() if not line.startswith("data end")]) == (1, [])
