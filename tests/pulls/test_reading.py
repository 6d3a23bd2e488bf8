"""Pulls answer as the service did: a day is that of its pull, of the nearest earlier one, which is named, or not known."""

from __future__ import annotations

import hashlib
import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.dataset.checks import verify_findings
from riskanalytics.dataset.connecting import Origin, origin_of
from riskanalytics.dataset.pulls import COVERAGE, MACHINE, answers_frame, read_answers
from riskanalytics.dataset.storage import Storage, StoredTable
from riskanalytics.errors import IncompleteReportError, ParameterError, PullError, ServiceError, UnknownPlatform
from riskanalytics.frames.building import as_parquet
from tests.pulls.given import (
    FRAMES,
    change,
    earlier_database,
    files,
    later_database,
    platform,
    pulled,
    speaking,
)
from tests.test_readme import blocks

pytestmark = pytest.mark.usefixtures("parquet")


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pulls")
    return earlier_database(folder), later_database(folder)


@pytest.fixture(scope="module")
def folder(databases: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pulls: of 2 February, after it had ended, and of 5 March 2026."""
    place = tmp_path_factory.mktemp("two") / "pulls"
    for day in ("2026-02-02", None):
        pulled(place, databases[1], as_of=day, snapshots=True)
    return place


def check_same(ours: ra.Dataset, theirs: ra.Dataset) -> None:
    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(ours, name), getattr(theirs, name))


def test_each_frame_equals_that_of_the_service(databases: tuple[Path, Path], folder: Path) -> None:
    with ra.connect(folder) as pulls, ra.connect(databases[1]) as service:
        ours, theirs = ra.load(pulls), ra.load(service)
        check_same(ours, theirs)
        assert ours.day == theirs.day == date(2026, 3, 5)
        for asked in ({}, {"since": "2026-03-01"}, {"change_class": "material"}, {"change_class": "format"}):
            pd.testing.assert_frame_equal(ours.changes(**asked), theirs.changes(**asked))
        assert repr(pulls) == f"<Client of pulls of given.sqlite in {folder}>"


def test_changes_are_filtered_by_utc_day_and_class_under_any_field_names(tmp_path: Path) -> None:
    feed = [
        {"platform": "alpha", "detected_at": "2026-02-03 10:00:00", "class": "material"},
        {"platform": "alpha", "reviewed_at": "2026-02-01T00:30:00+02:00", "class": "material"},
        {"platform": "alpha", "date": "2026-01-20", "change_class": "format"},
        {"platform": "alpha", "reviewed_at": "soon", "class": "material"},
    ]
    ra.pull(tmp_path, speaking("2026-10-31", [platform("alpha", "LOW", "2026-07-01T00:00:00Z")], feed))
    with ra.connect(tmp_path) as pulls:
        for asked, places in (
            (("2026-01-01", "2026-01-31"), [1, 2, 3]),
            (("2026-02-01", "2026-02-28"), [0, 3]),
            ((None, None, "material"), [0, 1, 3]),
        ):
            assert [feed.index(row) for row in pulls.changes(*asked)] == places
        assert pulls.answer("/api/v1/changes", {"limit": 2, "offset": 1}, keyed=True)["data"] == feed[1:3]


def test_quotes_are_verified_from_the_texts_that_were_kept(folder: Path) -> None:
    with ra.connect(folder) as pulls:
        findings = ra.load(pulls).findings
        assert set(verify_findings(pulls, findings)["verification_status"]) == {"verified"}
        clauses = [part for change in pulls.changes() for part in (*change["added"], *change["removed"])]
        assert clauses
        for clause in clauses:
            assert pulls.snapshot(clause["provenance"]["snapshot_sha256"])
        with pytest.raises(ServiceError):
            pulls.snapshot("0" * 64)


def test_a_day_is_read_from_its_pull_or_from_the_nearest_earlier_one_with_a_note(
    databases: tuple[Path, Path], folder: Path
) -> None:
    with ra.connect(folder) as pulls, ra.connect(databases[1]) as service:
        kept = ra.load(service, as_of="2026-02-02")
        of_its_day = ra.load(pulls, as_of="2026-02-02")
        check_same(of_its_day, kept)
        assert of_its_day.problems.empty
        later = ra.load(pulls, as_of="2026-03-01")
        assert (later.day, later.past) == (date(2026, 3, 1), date(2026, 2, 2))
        check_same(later, kept)
        assert later.problems["what"].tolist() == [
            "there is no pull of 2026-03-01: ratings and findings are those of 2026-02-02"
        ]


def test_a_day_before_the_first_pull_is_not_known(folder: Path) -> None:
    with (
        ra.connect(folder) as pulls,
        pytest.raises(IncompleteReportError, match="cannot be loaded: the pulls in ") as said,
    ):
        ra.load(pulls, as_of="2026-01-31").platforms  # noqa: B018
    assert str(said.value).endswith("are of 2026-02-02, 2026-03-05: give one of these days")


def test_a_feed_without_a_change_is_empty_and_not_unknown(tmp_path: Path) -> None:
    ra.pull(tmp_path, speaking("2026-10-31", [platform("alpha", "LOW", "2026-07-01T00:00:00Z")], []))
    with ra.connect(tmp_path) as pulls:
        changes = ra.load(pulls).changes()
    assert changes is not None
    assert changes.empty


def test_data_without_a_day_are_those_of_the_day_of_the_pull(tmp_path: Path) -> None:
    began = datetime.now(UTC).date()
    manifest = ra.pull(tmp_path, speaking("", [platform("alpha", "LOW", "2026-07-01T00:00:00Z")]))
    assert began <= manifest.day <= datetime.now(UTC).date()
    with ra.connect(tmp_path) as pulls:
        assert pulls.coverage()["as_of"] == str(manifest.day)


def test_of_several_pulls_of_a_day_the_last_is_read(tmp_path: Path) -> None:
    for day, rating in (("2026-10-31", "LOW"), ("2026-10-31", "HIGH"), ("2026-11-01", "MED")):
        ra.pull(tmp_path, speaking(day, [platform("alpha", rating, f"{day}T02:00:00Z")]))
    with ra.connect(tmp_path) as pulls:
        assert ra.load(pulls, "2026-10-31").platforms["rating"].tolist() == ["HIGH"]


def test_ratings_of_months_without_a_pull_are_played_back_from_the_changes(tmp_path: Path) -> None:
    feed = [
        change("alpha", "2026-10-10T00:00:00Z", "LOW", "HIGH"),
        change("alpha", "2026-07-01T00:00:00Z", "MED", "LOW"),
    ]
    ra.pull(tmp_path, speaking("2026-08-15", [platform("alpha", "LOW", "2026-07-01T00:00:00Z")], feed[1:]))
    ra.pull(tmp_path, speaking("2026-10-31", [platform("alpha", "HIGH", "2026-10-10T00:00:00Z")], feed))
    with ra.connect(tmp_path) as pulls:
        assert ra.load(pulls).history(2)["rating"].tolist() == ["LOW", "LOW", "HIGH"]


def test_two_pulls_are_compared_by_the_days_of_their_data(tmp_path: Path) -> None:
    feed = [
        change("alpha", "2026-10-10T00:00:00Z", "LOW", "HIGH"),
        change("alpha", "2026-07-01T00:00:00Z", "MED", "LOW"),
    ]
    ra.pull(tmp_path, speaking("2026-10-01", [platform("alpha", "LOW", "2026-07-01T00:00:00Z")], feed[1:]))
    ra.pull(tmp_path, speaking("2026-10-31", [platform("alpha", "HIGH", "2026-10-10T00:00:00Z")], feed))
    with ra.connect(tmp_path) as pulls:
        moved = ra.diff("2026-10-20", "2026-10-31", pulls)
    assert (moved.before, moved.after) == (date(2026, 10, 1), date(2026, 10, 31))
    assert moved.ratings["reason"].str[:10].tolist() == ["2026-10-10"]
    assert any("those of 2026-10-01" in note for note in moved.notes)


def test_a_platform_that_the_first_of_two_pulls_lacks_is_not_compared(tmp_path: Path) -> None:
    alpha, beta = (platform(slug, "LOW", "2026-10-01T00:00:00Z", findings=[]) for slug in ("alpha", "beta"))
    first = ra.pull(tmp_path, speaking("2026-10-31", [alpha, {**beta, "detail": "hidden"}]))
    second = ra.pull(tmp_path, speaking("2026-11-10", [alpha, beta]))
    moved = ra.diff(tmp_path / first.name, tmp_path / second.name)
    assert (moved.not_compared, moved.platforms, len(moved.ratings)) == (("beta",), 2, 0)


def test_problems_of_a_past_pull_are_reported_with_it(tmp_path: Path) -> None:
    records = [platform(slug, "LOW", "2026-10-01T00:00:00Z") for slug in ("alpha", "beta")]
    feed = [change("alpha", "2026-01-01T00:00:00Z", "LOW", "LOW")]
    first = ra.pull(tmp_path, speaking("2026-10-31", records[:1], ["?", *feed]))
    second = ra.pull(tmp_path, speaking("2026-11-10", records, feed))
    assert (len(first.problems), second.problems) == (1, ())
    with ra.connect(tmp_path) as pulls:
        newest = ra.load(pulls)
        assert len(newest.records) == 2
        assert newest.problems["slug"].notna().all()
        past = ra.load(pulls, "2026-10-31")
        assert len(past.records) == 1
        (result,) = past.problems.loc[past.problems["slug"].isna(), "what"]
        assert "rows that are empty or not JSON objects" in result
    note = ra.diff(tmp_path / first.name, tmp_path / second.name).notes[0]
    assert note.startswith("not all could be read, which may cause differences: /api/v1/changes: the list has rows")


@pytest.mark.parametrize("day", ["2027-10-31", "2026-11-01"])
def test_a_pull_of_a_day_after_the_data_is_refused(tmp_path: Path, day: str) -> None:
    client = speaking("2026-10-31", [platform("alpha", "LOW", "2026-10-30T22:00:00Z")])
    with pytest.raises(ParameterError, match=f"{day} is after the data, which end on 2026-10-31"):
        ra.pull(tmp_path, client, as_of=day)
    assert files(tmp_path) == {}


def test_a_list_without_platforms_is_kept_and_named(databases: tuple[Path, Path], tmp_path: Path) -> None:
    manifest = pulled(tmp_path, databases[1], as_of="1990-01-01")
    assert manifest.problems == ("the service lists no platform on 1990-01-01",)
    assert (manifest.tables["platforms"].rows, manifest.tables["changes"].rows) == (0, 0)


def test_a_later_pull_of_an_earlier_day_leaves_the_newest_day_current(
    databases: tuple[Path, Path], tmp_path: Path
) -> None:
    pulled(tmp_path, databases[1])
    pulled(tmp_path, databases[1], as_of="2026-02-02")
    with ra.connect(tmp_path) as pulls:
        assert ra.load(pulls).day == date(2026, 3, 5)


def test_a_day_after_the_newest_is_refused(folder: Path) -> None:
    with ra.connect(folder) as pulls, pytest.raises(IncompleteReportError, match="is after the data"):
        ra.load(pulls, as_of="2026-03-06")


def test_one_pull_alone_is_read_by_its_own_folder(folder: Path) -> None:
    first, second = sorted(path for path in folder.iterdir() if path.name.startswith("20"))
    days = []
    for place in (first, second):
        with ra.connect(place) as pulls:
            days.append(ra.load(pulls).day)
            shown = f"Pulls of given.sqlite in {place.name}, newest {place.name} of {days[-1]}"
            assert origin_of(pulls) == Origin(shown, f"--database {place.name}", place.name)
    assert days == [date(2026, 2, 2), date(2026, 3, 5)]
    with ra.connect(second) as pulls:
        (moved,) = pulls.changes()
        assert b"train" in pulls.snapshot(moved["removed"][0]["provenance"]["snapshot_sha256"])


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
    result = json.loads(manifest.read_text())
    result["tables"]["answers"]["file"] = "../../etc/passwd"
    manifest.write_text(json.dumps(result))
    with pytest.raises(PullError, match="is damaged: the file is not the manifest of a pull"):
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
    with pytest.raises(PullError, match=r"contains pulls of given\.sqlite and of other\.sqlite"):
        ra.connect(copy)


def test_a_folder_without_pulls_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(PullError, match=r"there is no pull in .*: make one with 'riskanalytics pull --archive"):
        ra.connect(tmp_path)


def test_responses_are_returned_unchanged(tmp_path: Path) -> None:
    slug = "../\u202e a/b\u0000'\"?#"
    record = {"slug": slug, "name": "\u4e2d\u6587 \U0001f600", "n": 10**30, "nested": {"": [None, True, {}]}}
    result = {COVERAGE: {"tracked": 1, "as_of": None}, MACHINE + slug: record, f"{MACHINE}gone/away": "was \n cut off"}
    storage, content = Storage(tmp_path), as_parquet(answers_frame(result))
    file, digest = "20261031T000000Z-0000/answers.parquet", hashlib.sha256(content).hexdigest()
    storage.write(file, content)
    assert read_answers(storage, StoredTable(file=file, sha256=digest, bytes=len(content), rows=3)) == result


def test_coverage_without_a_requested_day_states_the_day_of_the_pull(folder: Path) -> None:
    with ra.connect(folder) as pulls:
        assert pulls.coverage()["as_of"] == "2026-03-05"


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # Dask's own
def test_the_lines_of_the_docs_read_a_pull_with_pandas_duckdb_and_dask(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("duckdb", "dask.dataframe"):
        pytest.importorskip(library)
    of_a_pull, of_a_folder = [code for code in blocks("python") if "duckdb" in code]
    shutil.copytree(folder, tmp_path / "pulls")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(of_a_pull, "docs/pulls.md", "exec"), names)
    rows = len(names["frame"])
    assert rows == sum(count for _, count in names["counts"]) == names["levels"].sum() > 0
    (tmp_path / "findings").mkdir()
    shutil.copy(names["findings"], tmp_path / "findings")
    by_duckdb, by_dask = (eval(line, names) for line in of_a_folder.splitlines())
    assert sum(count for *_, count in by_duckdb.fetchall()) == by_dask.sum() == rows


def test_nothing_is_written_by_reading(folder: Path) -> None:
    before = files(folder)
    with ra.connect(folder) as pulls:
        ra.load(pulls).findings  # noqa: B018
    assert files(folder) == before
