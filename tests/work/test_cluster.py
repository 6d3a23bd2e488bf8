"""Work done by the workers of a Dask cluster."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from riskanalytics.errors import ClusterGoneError, ExecutorError, MissingExtraError
from riskanalytics.extraction import Kept, walked
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.settings import package_hash
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
    for address in (f"tcp://me:secret@{place}", "nonsense"):
        with pytest.raises(ExecutorError, match="no Dask scheduler answers at") as output:
            opened(address).__enter__()
        assert "secret" not in str(output.value)
        assert "\n" not in str(output.value)


@pytest.mark.skipif(find_spec("distributed") is not None, reason="distributed is installed")
def test_without_dask_the_extra_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r'pip install "riskanalytics\[dask\]"'):
        opened("tcp://127.0.0.1:8786").__enter__()


@pytest.mark.slow
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


class Scheduler:
    """What this package uses of Dask's client, without a cluster."""

    def __init__(self, versions: Mapping[str, object], threads: Mapping[str, int], waits: bool = False) -> None:
        self.versions, self.threads, self.waits = versions, threads, waits
        self.asked: list[object] = []

    def __enter__(self) -> Scheduler:
        return self

    def __exit__(self, *raised: object) -> None:
        self.asked.append("closed")

    def wait_for_workers(self, count: int, timeout: float) -> None:
        if self.waits:
            raise TimeoutError

    def run(self, function: Callable[[], object], on_error: str) -> Mapping[str, object]:
        assert (function(), on_error) == (package_hash(), "return")
        return self.versions

    def nthreads(self) -> Mapping[str, int]:
        return self.threads

    def scatter(self, data: bytes) -> list[bytes]:
        return [data]

    def get_executor(self, *, pure: bool) -> ThreadPoolExecutor:
        self.asked.append(pure)
        return ThreadPoolExecutor(1)


class KilledWorkerError(Exception):
    allowed_failures = 3


def cluster_of(monkeypatch: pytest.MonkeyPatch, client: Callable[..., object]) -> None:
    """Let a stand-in be Dask's client."""
    library = ModuleType("distributed")
    vars(library).update(Client=client, KilledWorker=KilledWorkerError)
    monkeypatch.setitem(sys.modules, "distributed", library)


@pytest.mark.parametrize(
    ("versions", "waits", "said"),
    [
        ({}, True, r"^the Dask cluster has no workers: start one with 'dask worker tcp://a.example:8786'$"),
        (
            {"tcp://b": "1.0 0", "tcp://c": ""},
            False,
            r"^the worker tcp://b lacks this .* \(another version\): install it",
        ),
        ({"tcp://a": None, "tcp://c": ImportError("no\nmodule")}, False, r"^the worker tcp://c lacks .* \(.*no module"),
    ],
)
def test_a_cluster_without_workers_or_with_other_versions_is_refused(
    versions: dict[str, object], waits: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {name: package_hash() if found is None else found for name, found in versions.items()}
    cluster_of(monkeypatch, lambda *_, **__: Scheduler(here, {}, waits))
    with pytest.raises(ExecutorError, match=said):
        opened("tcp://ann:secret@a.example:8786").__enter__()


@pytest.mark.parametrize(("threads", "count"), [({"a": 2, "b": 3}, 5), ({}, 1)])
def test_a_cluster_runs_a_task_on_each_thread_and_tells_how_it_ended(
    threads: dict[str, int], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Scheduler({"a": package_hash()}, threads)
    cluster_of(monkeypatch, lambda *_, **__: client)
    with open_executor("tcp://a.example:8786") as workers:
        assert (workers.at_once, workers.executor.submit(len, "abc").result()) == (count, 3)
        assert workers.share(b"x") == [b"x"]
    assert client.asked == [False, "closed"]  # equal calls are made anew
    for error, kind, words in (
        (CancelledError(), ClusterGoneError, "^the Dask cluster at tcp://a.example:8786 has gone away: it ended, or"),
        (
            KilledWorkerError(),
            ExecutorError,
            "^each of its 4 workers ended: killed, or out of memory; their logs say more$",
        ),
        (KeyError("x"), KeyError, "x"),
    ):
        with pytest.raises(kind, match=words), opened("tcp://ann:secret@a.example:8786"):
            raise error


def test_an_address_where_no_scheduler_answers_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(address: str, **_: object) -> None:
        raise OSError(f"Timed out trying\nto connect to {address}")

    cluster_of(monkeypatch, unreachable)
    for login in ("", "ann:secret@"):
        with pytest.raises(ExecutorError) as refused:
            opened(f"tcp://{login}a.example:8786").__enter__()
        said = str(refused.value)
        assert said.startswith("no Dask scheduler answers at tcp://a.example:8786 (")
        assert "to connect to tcp://a.example:8786): give an address like tcp://HOST:8786" in said
        assert ("secret" in said, "\n" in said) == (False, False)
