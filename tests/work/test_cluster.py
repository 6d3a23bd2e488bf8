"""Work done by the workers of a Dask cluster."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from riskanalytics.errors import ClusterGoneError, ExecutorError, MissingExtraError
from riskanalytics.extraction import Kept, walked
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.work.executors import dask_cluster as opened
from riskanalytics.work.executors import open_executor
from tests.dask_cluster import ROOT, DaskCluster, dask_cluster
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS

HISTORY = [
    Kept(f"2024-0{month}-01", str(month), zlib.compress(f"# Terms\n\nWe keep your data for {month}0 days.".encode()))
    for month in range(1, 4)
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask")) as started:
        yield started


def test_workers_give_the_same_result_as_this_process(cluster: DaskCluster) -> None:
    with open_executor(cluster.address) as workers:
        assert workers.at_once == 2
        executor = workers.executor
        asked = [executor.submit(walked, HISTORY), executor.submit(walked, HISTORY[::-1])]
        assert [future.result() for future in asked] == [walked(HISTORY), walked(HISTORY[::-1])]
        with pytest.raises(ValueError, match="invalid literal"):
            executor.submit(int, "x").result()


def test_the_database_has_the_same_bytes_as_without_a_cluster(cluster: DaskCluster, tmp_path: Path) -> None:
    for month, text in enumerate((PRIVACY, PRIVACY_LATER, "", TERMS), start=1):
        for kind in ("Terms of Service", "Privacy Policy"):
            file = tmp_path / "policies" / "Aurelia" / kind / f"2024-0{month}-01.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n{kind}\n", encoding="utf-8")
    bytes_of = []
    for address in (None, cluster.address):
        database = tmp_path / f"by-{len(bytes_of)}.sqlite"
        with open_collection(tmp_path / "policies") as collection:
            ingest(collection, database, dask=address)
        bytes_of.append(database.read_bytes())
    assert bytes_of[0] == bytes_of[1]
    assert b"'walked'" not in cluster.log.read_bytes()


@pytest.mark.slow
def test_a_cluster_that_goes_away_is_reported_in_one_line(tmp_path: Path) -> None:
    with (
        dask_cluster(tmp_path) as cluster,
        pytest.raises(ClusterGoneError, match=f"the Dask cluster at {cluster.address} has gone away"),
        opened(cluster.address) as workers,
    ):
        asked = workers.executor.submit(time.sleep, 600)
        time.sleep(1)
        cluster.scheduler.kill()
        asked.result(60)


@pytest.mark.slow
def test_workers_without_the_same_package_and_clusters_without_workers_are_refused(tmp_path: Path) -> None:
    with dask_cluster(tmp_path, workers=0) as cluster:
        with pytest.raises(ExecutorError, match=f"has no workers: start one with 'dask worker {cluster.address}'"):
            opened(cluster.address).__enter__()
        (tmp_path / "none" / "riskanalytics").mkdir(parents=True)
        (tmp_path / "none" / "riskanalytics" / "__init__.py").write_text("raise ImportError('No module of ours')")
        other = cluster.join(1, PYTHONPATH=str(tmp_path / "none"))
        with pytest.raises(
            ExecutorError, match=r"the worker tcp://.* lacks this version of riskanalytics .*: install it"
        ):
            opened(cluster.address).__enter__()
        other.terminate()
        other.wait(30)
        (tmp_path / "old").mkdir()
        subprocess.run(["cp", "-r", str(ROOT / "riskanalytics"), str(tmp_path / "old")], check=True)
        with (tmp_path / "old" / "riskanalytics" / "errors.py").open("a") as file:
            file.write("\n# other\n")
        other = cluster.join(1, PYTHONPATH=str(tmp_path / "old"))
        with pytest.raises(
            ExecutorError, match=r"the worker tcp://.* lacks this version of riskanalytics .another version"
        ):
            opened(cluster.address).__enter__()
        other.terminate()
        other.wait(30)


@pytest.mark.slow
def test_an_address_without_a_scheduler_is_reported_without_its_password() -> None:
    pytest.importorskip("distributed", reason="needs the extra dask (distributed)")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # nobody listens
        place = f"127.0.0.1:{silent.getsockname()[1]}"
    for address in (f"tcp://{place}", f"tcp://me:secret@{place}", "nonsense", "http://localhost:9"):
        with pytest.raises(ExecutorError, match="no Dask scheduler answers at") as output:
            opened(address).__enter__()
        assert "secret" not in str(output.value)
        assert "\n" not in str(output.value)


@pytest.mark.skipif(find_spec("distributed") is not None, reason="distributed is installed")
def test_without_dask_the_extra_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r'pip install "riskanalytics\[dask\]"'):
        opened("tcp://127.0.0.1:8786").__enter__()


def test_a_command_that_cannot_have_its_cluster_says_so_in_one_line(tmp_path: Path) -> None:
    words = ["ingest", str(tmp_path), "--database", str(tmp_path / "new.sqlite"), "--dask", "nonsense"]
    (tmp_path / "Aurelia").mkdir()
    ran = subprocess.run(
        [sys.executable, "-m", "riskanalytics.cli", *words], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("riskanalytics: ")
    assert len(ran.stderr.splitlines()) == 1
    assert not (tmp_path / "new.sqlite").exists()
