"""An ingest that was interrupted says what is kept, and a report over it says first that it is incomplete."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from riskanalytics.cli import INTERRUPTED
from tests.cli.calling import run
from tests.service.given import PRIVACY

PLATFORMS = 120


def collection(folder: Path) -> Path:
    """Make a dataset folder of platforms, each with a text of its own: to review them all takes seconds."""
    for number in range(PLATFORMS):
        path = folder / f"Platform {number}" / "Privacy Policy" / "2026-01-05.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"# Platform {number}\n\n{PRIVACY}\n", encoding="utf-8")
    return folder


def interrupted(folder: Path, database: Path) -> subprocess.CompletedProcess[str]:
    """Start an ingest and end it as Ctrl-C does while it reviews."""
    words = [sys.executable, "-m", "riskanalytics.cli", "ingest", str(folder), "--database", str(database)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        result = []
        for line in process.stderr:
            result.append(line)
            if line.startswith("reviewing"):
                process.send_signal(signal.SIGINT)
        process.wait(60)
    return subprocess.CompletedProcess(words, process.returncode, "", "".join(result))


@pytest.mark.slow
def test_an_interrupted_ingest_and_its_reports_say_what_is_missing_until_it_is_done(tmp_path: Path) -> None:
    folder, database = collection(tmp_path / "set"), tmp_path / "cut.sqlite"
    cut = interrupted(folder, database)
    (line,) = [line for line in cut.stderr.splitlines() if line.startswith("interrupted")]
    assert cut.returncode == 130
    assert line == INTERRUPTED

    made = run("report", "coverage", "--database", str(database), "--out", "out", cwd=tmp_path)
    assert made.returncode == 3, made.stderr
    assert made.stdout == "out/coverage-2026-01-05.html\n"
    (line,) = [line for line in made.stderr.splitlines() if line.startswith("riskanalytics: ")]
    assert f"'riskanalytics ingest COLLECTION --database {database}'" in line
    html = (tmp_path / "out" / "coverage-2026-01-05.html").read_text(encoding="utf-8")
    head = html[html.index("<h1>") :]
    assert re.match(
        rf"<h1>[^<]*</h1>\s*<p class=\"meta\">[^<]*</p>\s*<p class=\"alarm\">Incomplete: [^<]* \d+ of {PLATFORMS} platforms stored",
        head,
    )
    assert "Incomplete: " in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")

    assert run("ingest", str(folder), "--database", str(database), cwd=tmp_path).returncode == 0
    made = run("report", "coverage", "--database", str(database), "--out", "out", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "Incomplete" not in (tmp_path / "out" / "coverage-2026-01-05.html").read_text(encoding="utf-8")
