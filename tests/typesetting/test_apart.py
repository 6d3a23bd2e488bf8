"""Typesetting in a process that ends."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psutil
import pytest

from riskanalytics.errors import ReportError
from riskanalytics.typesetting import typeset
from riskanalytics.typesetting.apart import typeset_apart

pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")

TEMPLATE = """#let data = json(bytes(sys.inputs.data))
#set document(title: data.title)
#set text(lang: "en")
#data.title"""
ENDLESS = "#for a in range(1000000) { for b in range(1000000) { let sum = a + b } }"
WHEN = datetime(2026, 5, 1, tzinfo=UTC)


def test_the_bytes_are_those_of_this_process() -> None:
    asked: dict[str, Any] = {"data": {"title": "Report \\ #of 漢字"}, "timestamp": WHEN, "files": {"a.json": "{}"}}
    assert typeset_apart(TEMPLATE, **asked) == typeset(TEMPLATE, **asked)


def test_no_process_is_left() -> None:
    typeset_apart(TEMPLATE, {"title": "a"}, timestamp=WHEN)
    assert not [child for child in psutil.Process().children() if "typesetting.apart" in " ".join(child.cmdline())]


def test_a_template_that_is_not_usable_is_said_in_one_line() -> None:
    with pytest.raises(ReportError, match="cannot be typeset") as caught:
        typeset_apart("#nothing", {"title": "a"}, timestamp=WHEN)
    assert "\n" not in str(caught.value)


def test_one_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskanalytics.typesetting.apart.MOST_SECONDS", 0.5)
    with pytest.raises(ReportError, match="too long"):
        typeset_apart(ENDLESS, {"title": "a"}, timestamp=WHEN)
