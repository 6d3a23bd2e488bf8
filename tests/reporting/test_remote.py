"""Batches on the workers of a Dask cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError, ReportError
from riskanalytics.reporting import batch
from riskanalytics.settings import Settings, load_settings
from tests.dask_cluster import DaskCluster
from tests.reporting.conftest import KEY, held
from tests.reporting.notebooks_given import WORDS, table, written


def test_pages_manifests_and_failures_equal_those_of_a_local_batch(cluster: DaskCluster, tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", "if name == 'bad': raise ValueError('no such thing')\nname", WORDS)
    rows = table(tmp_path, "name,limit\nLumen,1\nbad,1\nAurelia,2\n")
    here = batch(path, rows, tmp_path / "here")
    there = batch(path, rows, tmp_path / "there", dask=cluster.address)
    assert len(held(tmp_path / "here")) == 6  # two pages, their manifests, the list and its feed
    assert held(tmp_path / "here") == held(tmp_path / "there")
    assert list(here.failed.values()) == list(there.failed.values())
    assert len(batch(path, rows, tmp_path / "here", dask=cluster.address).fresh) == 2


@pytest.mark.slow
def test_dossiers_equal_those_of_a_local_batch(cluster: DaskCluster, tmp_path: Path, embedded_demo: Path) -> None:
    rows = table(tmp_path, "platform\nalalix-chat\nno-such-platform\n")
    batch("platform_dossier", rows, tmp_path / "here")
    done = batch("platform_dossier", rows, tmp_path / "there", dask=cluster.address)
    assert held(tmp_path / "here") == held(tmp_path / "there")
    assert len(done.failed) == 1


def test_files_named_by_parameters_are_sent_to_the_workers(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("teams").mkdir()
    Path("teams/ours.txt").write_text("Aurelia, Lumen")
    path = written(tmp_path / "small.ipynb", "print(open(name).read())")
    rows = table(tmp_path, f"name\nteams/ours.txt\n{tmp_path}/teams/ours.txt\n")
    batch(path, rows, tmp_path / "here")
    assert not batch(path, rows, tmp_path / "there", dask=cluster.address).failed
    pages = {name: page for name, page in held(tmp_path / "there").items() if name.startswith("small-")}
    assert len(pages) == 4
    assert all(page == held(tmp_path / "here")[name] for name, page in pages.items())


def test_files_of_a_folder_and_of_defaults_are_sent_to_the_workers(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("teams/deep").mkdir(parents=True)
    for name in ("teams/ours.txt", "teams/deep/theirs.txt", "names.txt"):
        Path(name).write_text(f"words of {name}")
    given = 'folder: str = "teams"\nfile: str = "names.txt"\nlimit: int = 1'
    path = written(
        tmp_path / "small.ipynb",
        "import pathlib\nfrom IPython.display import HTML\n"
        "told = [open(file).read(), *sorted(one.read_text() for one in pathlib.Path(folder).rglob('*.txt'))]\n"
        "HTML(f'<p>{\" \".join(told)}</p>')",
        given=given,
    )
    assert not batch(path, table(tmp_path, "limit\n1\n"), tmp_path / "here").failed
    assert not batch(path, table(tmp_path, "limit\n1\n"), tmp_path / "there", dask=cluster.address).failed
    (page,) = (tmp_path / "there").glob("small-*.html")
    assert "words of names.txt words of teams/deep/theirs.txt words of teams/ours.txt" in page.read_text()
    assert page.read_bytes() == (tmp_path / "here" / page.name).read_bytes()
    away = batch(path, table(tmp_path, f"folder\n{tmp_path}/teams\n"), tmp_path / "there", dask=cluster.address)
    assert list(away.failed.values()) == [
        f"the folder {tmp_path}/teams cannot be sent to workers: name a folder inside the current folder"
    ]


def test_the_worker_uses_its_own_key_and_logs_no_key(cluster: DaskCluster, tmp_path: Path) -> None:
    cell = (
        f"import os\nassert os.environ['RISKANALYTICS_API_KEY'] == {KEY[::-1]!r}[::-1]\n"
        "if name == 'bad': raise KeyError(os.environ)\nname"
    )
    path, rows = written(tmp_path / "small.ipynb", cell), table(tmp_path, "name\nbad\nLumen\n")
    service = Settings("http://me:pass-word@127.0.0.1:9", KEY, cache=load_settings().cache)
    done = batch(path, rows, tmp_path / "out", source=service, dask=cluster.address)
    assert (len(done.made), len(done.failed)) == (1, 1)
    assert KEY not in str(done.failed)
    for secret in (KEY, "pass-word"):
        assert secret.encode() not in cluster.log.read_bytes()
    for other in (None, "rk-other"):
        asked = Settings("http://127.0.0.1:9", other, cache=load_settings().cache)
        with pytest.raises(ReportError, match="uses a different key from this command; set RISKANALYTICS_API_KEY"):
            batch(path, rows, tmp_path / "out", source=asked, dask=cluster.address)


def test_a_database_that_is_missing_is_reported_before_anything_is_made(
    cluster: DaskCluster, tmp_path: Path, embedded_demo: Path
) -> None:
    path, rows = written(tmp_path / "small.ipynb", "name"), table(tmp_path, "name\nLumen\n")
    missing = Settings(database=tmp_path / "none.sqlite", cache=load_settings().cache)
    with pytest.raises(DatabaseError, match=r"there is no database /.*none.sqlite"):
        batch(path, rows, tmp_path / "out", source=missing, dask=cluster.address)
