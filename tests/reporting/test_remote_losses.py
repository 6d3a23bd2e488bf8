"""Batches on a Dask cluster that loses workers or its scheduler."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from riskanalytics.reporting import batch
from tests.dask_cluster import ROOT, DaskCluster
from tests.processes_seen import eventually
from tests.reporting.conftest import held
from tests.reporting.notebooks_given import table, written

pytestmark = pytest.mark.slow


def command(path: Path, rows: Path, out: Path, cluster: DaskCluster) -> list[str]:
    """Words of the command."""
    words = ["batch", str(path), "--over", str(rows), "--out", str(out), "--dask", cluster.address]
    return [sys.executable, "-m", "riskanalytics.cli", *words]


def test_a_killed_worker_loses_no_page_and_repeats_no_page(cluster: DaskCluster, tmp_path: Path) -> None:
    begun = cluster.begun
    path = written(tmp_path / "small.ipynb", "import time\ntime.sleep(1)\nname")
    rows = table(tmp_path, "name\n" + "".join(f"row-{number:02}\n" for number in range(4)))
    words = command(path, rows, tmp_path / "there", cluster)
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        eventually(lambda: len(list((tmp_path / "there").glob("small-*.html"))) >= 1)
        cluster.workers[0].send_signal(signal.SIGKILL)
        said = process.communicate()[1]
    assert process.returncode == 0, said
    assert "4 made, 0 up to date, 0 failed" in said
    batch(path, rows, tmp_path / "here")
    assert held(tmp_path / "here") == held(tmp_path / "there")
    eventually(lambda: cluster.begun >= begun + 1)


def test_a_report_that_kills_its_workers_fails_alone(cluster: DaskCluster, tmp_path: Path) -> None:
    begun = cluster.begun
    kills = (
        "import os, psutil, signal\n"
        "above = [one for one in psutil.Process().parents() if 'spawn_main' in str(one.cmdline())]\n"
        "if name == 'bad': [one.send_signal(signal.SIGKILL) for one in above]\nname"
    )
    path = written(tmp_path / "small.ipynb", kills)
    rows = table(tmp_path, "name\nbad\n" + "".join(f"row-{number}\n" for number in range(2)))
    done = batch(path, rows, tmp_path / "out", dask=cluster.address)
    assert len(done.made) == 2
    (why,) = done.failed.values()
    assert why.startswith("each of its 4 workers ended")
    eventually(lambda: cluster.begun >= begun + 4)


def test_a_lost_cluster_ends_the_batch_in_one_line_and_keeps_its_pages(cluster: DaskCluster, tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", "import time\nif name == 'slow': time.sleep(600)\nname")
    rows = table(tmp_path, "name\nfast\nslow\n")
    words = command(path, rows, tmp_path / "out", cluster)
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        eventually((tmp_path / "out" / "small-fast.html").exists)
        os.kill(cluster.scheduler.pid, signal.SIGKILL)  # the last test of this module: its cluster is gone
        said = process.communicate(timeout=90)[1]
    assert process.returncode == 1
    assert "has gone away" in said.splitlines()[-1]
    assert "run the same command again" in said.splitlines()[-1]
    assert "Traceback" not in said, said
