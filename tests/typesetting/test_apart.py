"""Typesetting in a process that ends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
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


def processes() -> list[psutil.Process]:
    """Those that typeset for this one."""
    return [child for child in psutil.Process().children() if "riskanalytics.typesetting.apart" in child.cmdline()]


def test_the_bytes_are_those_of_this_process() -> None:
    asked: dict[str, Any] = {"data": {"title": "Report \\ #of 漢字"}, "timestamp": WHEN, "files": {"a.json": "{}"}}
    assert typeset_apart(TEMPLATE, **asked) == typeset(TEMPLATE, **asked)


def test_no_process_is_left() -> None:
    typeset_apart(TEMPLATE, {"title": "a"}, timestamp=WHEN)
    assert processes() == []


def test_a_template_that_is_not_usable_is_said_in_one_line() -> None:
    with pytest.raises(ReportError, match="cannot be typeset") as caught:
        typeset_apart("#nothing", {"title": "a"}, timestamp=WHEN)
    assert "\n" not in str(caught.value)


def test_one_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskanalytics.typesetting.apart.MOST_SECONDS", 0.5)
    with pytest.raises(ReportError, match="too long"):
        typeset_apart(ENDLESS, {"title": "a"}, timestamp=WHEN)


def test_one_whose_process_is_killed_is_said_in_one_line() -> None:
    def kill() -> None:
        while not (children := processes()):
            time.sleep(0.01)
        children[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(ReportError, match="too long or too much memory"):
        typeset_apart(ENDLESS, {"title": "a"}, timestamp=WHEN)
    killer.join()


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from datetime import UTC, datetime\n"
        "from riskanalytics.typesetting.apart import typeset_apart\n"
        f"print(typeset_apart({TEMPLATE!r}, {{'title': 'a'}}, timestamp=datetime.now(UTC))[:5])\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("b'%PDF-'\n", "")
