"""Pulls answer as the service did, on their own days and on those between them that are known exactly."""

from __future__ import annotations

import json
import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.errors import IncompleteReportError, ParameterError, PullError, ServiceError, UnknownPlatform
from riskanalytics.pulls import Pulls
from riskanalytics.pulls.tables import Answers, stored, tables_of
from tests.pulls.given import FRAMES, earlier_database, files, later_database, pulled
from tests.test_readme import blocks


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pulls")
    return earlier_database(folder), later_database(folder)


@pytest.fixture(scope="module")
def folder(databases: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pulls: of 2 February and of 5 March 2026."""
    place = tmp_path_factory.mktemp("two") / "pulls"
    for database in databases:
        pulled(place, database, snapshots=True)
    return place


def check_same(ours: ra.Dataset, theirs: ra.Dataset) -> None:
    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(ours, name), getattr(theirs, name))


def test_each_frame_is_that_of_the_service(databases: tuple[Path, Path], folder: Path) -> None:
    with ra.connect(folder) as pulls, ra.connect(databases[1]) as service:
        ours, theirs = ra.load(pulls), ra.load(service)
        check_same(ours, theirs)
        assert ours.day == theirs.day == date(2026, 3, 5)
        for asked in ({}, {"since": "2026-03-01"}, {"change_class": "material"}, {"change_class": "format"}):
            pd.testing.assert_frame_equal(ours.changes(**asked), theirs.changes(**asked))
        assert repr(pulls) == f"<Client of pulls of given.sqlite in {folder}>"


def test_quotes_are_verified_from_the_texts_that_were_kept(folder: Path) -> None:
    with ra.connect(folder) as pulls:
        findings = ra.load(pulls).findings
        assert set(ra.verify_findings(pulls, findings)["verification_status"]) == {"verified"}
        clauses = [part for change in pulls.changes() for part in (*change["added"], *change["removed"])]
        assert clauses
        for clause in clauses:
            assert pulls.snapshot(clause["provenance"]["snapshot_sha256"])
        with pytest.raises(ServiceError):
            pulls.snapshot("0" * 64)


def test_a_day_is_told_as_the_service_tells_it_or_not_at_all(databases: tuple[Path, Path], folder: Path) -> None:
    known = {}
    with ra.connect(folder) as pulls, ra.connect(databases[1]) as service:
        for back in (*range(6), *range(6, 75, 5), 30, 32, 55):
            day = date(2026, 3, 5) - timedelta(days=back)
            try:
                known[day] = ra.load(pulls, as_of=day)
                check_same(known[day], ra.load(service, as_of=day))
            except IncompleteReportError as error:
                assert f"the state of {day} is not known: the pulls in " in str(error)
                known.pop(day, None)
    assert date(2026, 2, 2) in known
    assert date(2026, 3, 5) in known
    assert date(2026, 1, 9) not in known


def test_a_day_after_the_newest_is_refused(folder: Path) -> None:
    with ra.connect(folder) as pulls, pytest.raises(IncompleteReportError, match="lies after the data"):
        ra.load(pulls, as_of="2026-03-06")


def test_a_state_that_no_feed_settles_is_not_known(databases: tuple[Path, Path], tmp_path: Path) -> None:
    pulled(tmp_path / "one", databases[1])
    with ra.connect(tmp_path / "one") as pulls, pytest.raises(IncompleteReportError, match="is not known"):
        ra.load_platforms(pulls, "2026-02-20")


def test_one_pull_alone_is_read_by_its_own_folder(folder: Path) -> None:
    first, second = sorted(path for path in folder.iterdir() if path.name.startswith("20"))
    days = []
    for place in (first, second):
        with ra.connect(place) as pulls:
            days.append(ra.load(pulls).day)
    assert days == [date(2026, 2, 2), date(2026, 3, 5)]


def test_an_unknown_platform_and_a_search_are_refused_as_by_a_service(folder: Path) -> None:
    with ra.connect(folder) as pulls:
        with pytest.raises(UnknownPlatform):
            pulls.machine_platform("nobody")
        with pytest.raises(ParameterError, match="no platform 'aurelia'"):
            ra.load(pulls, platforms="aurelia")
        with pytest.raises(ServiceError, match="a pull answers no searches and no questions"):
            pulls.ask("Does it train?")
        with pytest.raises(ServiceError, match="a pull answers no searches"):
            list(pulls.search("x"))


@pytest.mark.parametrize("harm", [b"", b"{", b'{"form": 2}', b"[]", b"\xff"])
def test_a_damaged_manifest_is_named(folder: Path, tmp_path: Path, harm: bytes) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    manifest = sorted(copy.glob("*/manifest.json"))[0]
    manifest.write_bytes(harm)
    with pytest.raises(PullError, match=rf"{manifest.parent.name}/manifest\.json is damaged"):
        ra.connect(copy)


def test_a_manifest_that_leads_out_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    manifest = sorted(copy.glob("*/manifest.json"))[0]
    told = json.loads(manifest.read_text())
    told["tables"]["answers"]["file"] = "../../etc/passwd"
    manifest.write_text(json.dumps(told))
    with pytest.raises(PullError, match="is damaged: it is not what a manifest holds"):
        ra.connect(copy)


def test_any_damaged_file_is_named_when_it_is_read(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    for path in copy.glob("*/answers.parquet"):
        body = bytearray(path.read_bytes())
        body[len(body) // 2] ^= 1
        path.write_bytes(body)
    with ra.connect(copy) as pulls, pytest.raises(PullError, match=r"answers\.parquet is damaged: its hash"):
        ra.load(pulls)


def test_pulls_of_two_sources_in_one_folder_are_refused(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    manifest = sorted(copy.glob("*/manifest.json"))[0]
    manifest.write_text(manifest.read_text().replace("given.sqlite", "other.sqlite"))
    with pytest.raises(PullError, match=r"holds pulls of given\.sqlite and of other\.sqlite"):
        ra.connect(copy)


def test_a_folder_without_pulls_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(PullError, match=r"there is no pull in .*: make one with 'riskanalytics pull --archive"):
        ra.connect(tmp_path)


def test_answers_come_back_as_they_came_whatever_they_hold() -> None:
    from riskanalytics.pulls.tables import read_answers

    slug = "../\u202e a/b\u0000'\"?#"
    record = {"slug": slug, "name": "\u4e2d\u6587 \U0001f600", "n": 10**30, "nested": {"": [None, True, {}]}}
    told = Answers({"tracked": 1, "as_of": None}, None, {slug: record}, {"gone/away": "was \n cut off"}, None, "x\r\ny")
    back = read_answers(stored(tables_of(told)["answers"]), "answers.parquet")
    assert back == told


def test_a_pull_without_a_day_of_its_own_speaks_of_the_day_of_the_pull(folder: Path) -> None:
    pulls = Pulls(folder)
    answers = pulls.at()
    assert answers.coverage["as_of"] == "2026-03-05"


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # Dask's own
def test_the_lines_of_the_readme_read_a_pull_with_pandas_duckdb_and_dask(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("duckdb", "dask.dataframe"):
        pytest.importorskip(library)
    (code,) = [code for code in blocks("python") if "duckdb" in code]
    shutil.copytree(folder, tmp_path / "pulls")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    rows = len(names["frame"])
    assert rows == sum(count for _, count in names["counts"]) == names["levels"].sum() > 0


def test_nothing_is_written_by_reading(folder: Path) -> None:
    before = files(folder)
    with ra.connect(folder) as pulls:
        ra.load(pulls).findings  # noqa: B018
    assert files(folder) == before
