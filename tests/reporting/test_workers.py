"""How batches and their processes end: interrupted, killed, or refused because another batch runs."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from riskanalytics.errors import ReportError
from riskanalytics.reporting import batch
from tests.processes_seen import ended, eventually
from tests.reporting.batches_given import ROOT, command, made, names, stand
from tests.reporting.notebooks_given import WORDS, table, written


def test_a_second_batch_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    from filelock import FileLock

    (tmp_path / "out").mkdir()
    path = written(tmp_path / "small.ipynb", WORDS)
    with FileLock(tmp_path / "out" / ".batch.lock"), pytest.raises(ReportError, match="another batch"):
        batch(path, table(tmp_path, "name\nLumen\n"), tmp_path / "out")


@pytest.mark.slow
def test_unfinished_files_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    left, written_now = ".riskanalytics-abcd_123.html", ".riskanalytics-abcd_124.html"
    for name, age in {left: 600, written_now: 60, ".keep": 600, ".abcd_126.html": 600}.items():
        (out / name).write_text("<html>")
        os.utime(out / name, (time.time() - age,) * 2)
    batch(written(tmp_path / "small.ipynb", WORDS), table(tmp_path, "limit\nmany\n"), out)  # no row to make
    assert sorted(file.name for file in out.glob(".*")) == [".abcd_126.html", ".batch.lock", ".keep", written_now]


@pytest.mark.slow
def test_an_interrupted_batch_keeps_its_pages_and_says_how_to_continue(tmp_path: Path) -> None:
    cell = (
        f"import pathlib, time, os\nplace = pathlib.Path({str(tmp_path)!r})\n"
        "if name == 'a':\n    time.sleep(1)\n    (place / 'done').touch()\n"
        "elif (place / 'done').exists():\n    (place / 'pid').write_text(str(os.getpid()))\n    time.sleep(600)\nname"
    )
    path = written(tmp_path / "small.ipynb", cell)
    words = [*command(path, table(tmp_path, "name\na\nslow\n"), tmp_path / "out"), "-j", "1"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        eventually(lambda: names(tmp_path / "out") == ["small-a.html"] and (tmp_path / "pid").exists())
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
    assert process.returncode == 130
    assert "run the same command again to continue" in said
    assert names(tmp_path / "out") == ["small-a.html"]
    eventually(lambda: ended(int((tmp_path / "pid").read_text())))


@pytest.mark.slow
def test_a_batch_killed_at_any_moment_is_finished_by_the_next_run(tmp_path: Path) -> None:
    path, out = written(tmp_path / "small.ipynb", "name"), tmp_path / "out"
    rows = table(tmp_path, "name\n" + "".join(f"row-{number:03}\n" for number in range(12)))
    chance = random.Random(7)
    whole: dict[str, int] = {}
    for _ in range(2):
        with subprocess.Popen(command(path, rows, out), stderr=subprocess.DEVNULL, cwd=ROOT) as process:
            more = chance.randrange(4)  # of the pages that are missing: a kill after the last one would prove nothing
            eventually(partial(stand, out, len(whole) + more))
            time.sleep(chance.uniform(0, 0.3 if more else 2))
            process.kill()
        assert made(out).items() >= whole.items()  # what is there is not made twice
        whole = made(out)
    assert 0 < len(whole) < 12
    ran = subprocess.run(command(path, rows, out), capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr
    assert names(out) == [f"small-row-{number:03}.html" for number in range(12)]
    assert made(out).items() >= whole.items()
    undisturbed = batch(path, table(tmp_path, "name\nrow-000\nrow-005\nrow-011\n"), tmp_path / "undisturbed")
    assert all((out / page.name).read_bytes() == page.read_bytes() for page in undisturbed.made)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["interrupt", "terminate", "kill"])
def test_processes_of_a_notebook_end_with_the_batch_and_leave_no_folder(
    tmp_path: Path, short_folder: Path, end: str
) -> None:
    cell = (
        "import pathlib, subprocess\nstarted = subprocess.Popen(['sleep', '600'])\n"
        f"place = pathlib.Path({str(tmp_path)!r})\n(place / 'part').write_text(str(started.pid))\n"
        "(place / 'part').rename(place / 'pid')\nstarted.wait()"
    )
    path = written(tmp_path / "small.ipynb", cell)
    words = command(path, table(tmp_path, "name\na\n"), tmp_path / "out")
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=ROOT) as process:
        eventually((tmp_path / "pid").exists)
        process.send_signal({"interrupt": signal.SIGINT, "terminate": signal.SIGTERM, "kill": signal.SIGKILL}[end])
        process.wait(60)
    eventually(lambda: ended(int((tmp_path / "pid").read_text())))
    eventually(lambda: not list(short_folder.glob("riskanalytics-*")))


def test_a_killed_process_fails_only_its_own_row(tmp_path: Path) -> None:
    cell = "import os, signal\nif name == 'bad': os.kill(os.getppid(), 9)\nname"
    path = written(tmp_path / "small.ipynb", cell)
    words = [*command(path, table(tmp_path, "name\nbad\na\nb\n"), tmp_path / "out"), "-j", "1"]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 3, ran.stderr
    assert "the process that did the work ended early: it was killed, or ran out of memory" in ran.stderr
    assert names(tmp_path / "out") == ["small-a.html", "small-b.html"]
    assert (tmp_path / "out" / "index.html").exists()
