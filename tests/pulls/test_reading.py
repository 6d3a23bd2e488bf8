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
from riskanalytics.cli import main
from riskanalytics.errors import IncompleteReportError, ParameterError, PullError, ServiceError, UnknownPlatform
from riskanalytics.pulls import Pulls
from riskanalytics.pulls.tables import Answers, stored, tables_of
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
from tests.service.given import build_database
from tests.test_readme import blocks


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
                ours, theirs = ra.load(pulls, as_of=day), ra.load(service, as_of=day)
                told = [record["slug"] for record in ours.records]
                if len(told) == len(theirs.records):
                    known[day] = ours
                    check_same(ours, theirs)
                findings = theirs.findings[theirs.findings["slug"].isin(told)].reset_index(drop=True)
                pd.testing.assert_frame_equal(ours.findings, findings)
            except IncompleteReportError as error:
                assert f"the state of {day} is not known: the pulls in " in str(error)
    assert date(2026, 2, 2) in known
    assert date(2026, 3, 5) in known
    assert date(2026, 1, 9) not in known


def test_a_pull_that_was_made_during_a_day_does_not_tell_how_it_ended(tmp_path: Path) -> None:
    alpha, beta = platform("alpha", "LOW", "2026-10-30T22:00:00Z"), platform("beta", "MED", "2026-10-31T01:00:00Z")
    known = [change("beta", "2026-10-31T01:00:00Z", "LOW", "MED"), change("beta", "2026-09-01T00:00:00Z", "LOW", "LOW")]
    told = ra.pull(tmp_path, speaking("2026-10-31", [alpha, beta], known))
    with ra.connect(tmp_path) as pulls:
        assert ra.load(pulls, "2026-10-31").platforms["rating"].tolist() == ["LOW", "MED"]
    later = [platform("alpha", "HIGH", "2026-10-31T20:00:00Z"), platform("beta", "HIGH", "2026-11-01T01:00:00Z")]
    feed = [
        change("beta", "2026-11-01T01:00:00Z", "MED", "HIGH"),
        change("alpha", "2026-10-31T20:00:00Z", "LOW", "HIGH"),
    ]
    newest = ra.pull(tmp_path, speaking("2026-11-01", later, feed + known))
    with ra.connect(tmp_path) as pulls:
        assert ra.load(pulls, "2026-10-31").platforms["rating"].tolist() == ["HIGH", "MED"]
        assert ra.diff("2026-10-31", "2026-11-01", pulls).ratings["slug"].tolist() == ["beta"]
    moved = ra.diff(tmp_path / told.name, tmp_path / newest.name).ratings.set_index("slug")
    assert moved["reason"].str[:10].to_dict() == {"alpha": "2026-10-31", "beta": "2026-11-01"}
    assert set(moved["direction"]) == {"up"}


@pytest.mark.parametrize(("captured", "rating"), [("2026-10-30T22:00:00Z", "LOW"), ("2026-10-31T20:00:00Z", None)])
def test_without_changes_a_day_is_known_of_what_was_not_captured_again(
    tmp_path: Path, captured: str, rating: str | None
) -> None:
    beta = platform("beta", "MED", "2026-10-31T01:00:00Z")
    ra.pull(tmp_path, speaking("2026-10-31", [platform("alpha", "LOW", "2026-10-30T22:00:00Z"), beta]))
    ra.pull(tmp_path, speaking("2026-11-01", [platform("alpha", "LOW", captured), beta]))
    with ra.connect(tmp_path) as pulls:
        data = ra.load(pulls, "2026-10-31")
        assert data.platforms["rating"].astype(object).where(data.platforms["rating"].notna(), None).tolist() == [
            rating,
            "MED",
        ]
        assert [record["slug"] for record in data.records] == (["alpha", "beta"] if rating else ["beta"])


@pytest.mark.parametrize(
    ("claimed", "junk", "why"),
    [(2, [], ""), (4, [], "claims 4 changes and gave 2"), (4, ["?", "?"], "rows that are no records")],
    ids=["whole", "more claimed", "no records"],
)
def test_a_feed_with_holes_settles_no_day(tmp_path: Path, claimed: int, junk: list[Any], why: str) -> None:
    records = [platform("alpha", "LOW", "2026-10-01T00:00:00Z"), platform("beta", "MED", "2026-11-05T00:00:00Z")]
    feed = [change("beta", "2026-11-05T00:00:00Z", "MED", "MED"), change("beta", "2026-09-01T00:00:00Z", "LOW", "MED")]
    manifest = ra.pull(tmp_path, speaking("2026-11-10", records, junk + feed, changes=claimed))
    assert all(why in line for line in manifest.problems)
    assert bool(manifest.problems) == bool(why)
    with ra.connect(tmp_path) as pulls:
        if why:
            with pytest.raises(IncompleteReportError, match="is not known"):
                ra.load(pulls, "2026-10-22").platforms  # noqa: B018
        else:
            assert [record["slug"] for record in ra.load(pulls, "2026-10-22").records] == ["alpha"]


def test_what_the_pull_of_a_past_day_lacks_is_told_with_it(tmp_path: Path) -> None:
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
        assert len(past.records) == 2
        (told,) = past.problems.loc[past.problems["slug"].isna(), "what"]
        assert "rows that are no records" in told
    note = ra.diff(tmp_path / first.name, tmp_path / second.name).notes[0]
    assert note.startswith(
        "not all could be read, so a difference may come from that: /api/v1/changes: the list holds rows"
    )


def test_no_day_is_told_from_pulls_that_were_read_by_two_sets_of_rules(tmp_path: Path) -> None:
    records = [platform(slug, "LOW", "2026-10-01T00:00:00Z") for slug in ("alpha", "beta")]
    feed = [change("alpha", "2026-01-01T00:00:00Z", "LOW", "LOW")]
    for day in ("2026-10-20", "2026-10-31"):
        ra.pull(tmp_path, speaking(day, records, feed, rules=7))
    with ra.connect(tmp_path) as pulls:
        assert len(ra.load(pulls, "2026-10-25").records) == 2
    ra.pull(tmp_path, speaking("2026-11-10", records, feed, rules=8))
    with (
        ra.connect(tmp_path) as pulls,
        pytest.raises(IncompleteReportError, match="whose texts were read by other rules"),
    ):
        ra.load(pulls, "2026-11-05").platforms  # noqa: B018


def test_a_platform_that_no_pull_could_read_is_named_on_the_days_between(tmp_path: Path) -> None:
    records = [
        platform("alpha", "LOW", "2026-10-01T00:00:00Z"),
        {"slug": "beta", "name": "Beta", "rating": "MED", "detail": "x"},
    ]
    feed = [change("alpha", "2026-01-01T00:00:00Z", "LOW", "LOW")]
    for day in ("2026-10-20", "2026-10-31"):
        ra.pull(tmp_path, speaking(day, records, feed))
    with ra.connect(tmp_path) as pulls:
        data = ra.load(pulls, "2026-10-25")
        assert [record["slug"] for record in data.records] == ["alpha"]
        assert data.platforms["slug"].tolist() == ["alpha", "beta"]
        assert any("what it said on 2026-10-25 cannot be told" in what for what in data.problems["what"])


@pytest.mark.parametrize("day", ["2027-10-31", "2026-11-01"])
def test_a_pull_of_a_day_after_the_data_is_refused(tmp_path: Path, day: str) -> None:
    client = speaking("2026-10-31", [platform("alpha", "LOW", "2026-10-30T22:00:00Z")])
    with pytest.raises(ParameterError, match=f"{day} lies after the data, which end on 2026-10-31"):
        ra.pull(tmp_path, client, as_of=day)
    assert files(tmp_path) == {}


def test_a_pull_of_a_day_without_platforms_is_refused(databases: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(PullError, match=r"given\.sqlite lists no platform on 1990-01-01: nothing is kept"):
        pulled(tmp_path, databases[1], as_of="1990-01-01")
    assert files(tmp_path) == {}


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
    of_a_pull, of_a_folder = [code for code in blocks("python") if "duckdb" in code]
    shutil.copytree(folder, tmp_path / "pulls")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(of_a_pull, "README.md", "exec"), names)
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


POLICY = "{} Privacy Policy\n\nThis policy says how {} treats content that its customers upload to the service.\n\n{}\n"
TRAINS = "We use your prompts and uploads to train our models."
NEVER = "We never use your prompts or uploads to train our models."


def test_a_platform_whose_day_no_pull_settles_is_named_with_the_rating_that_its_next_change_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = (
        ("Birch Notes", "2026-01-05", TRAINS), ("Birch Notes", "2026-02-01", NEVER), ("Birch Notes", "2026-02-25", TRAINS),
        ("Elm Talk", "2026-01-06", NEVER), ("Elm Talk", "2026-02-25", TRAINS),
        ("Cedar Draft", "2026-01-04", NEVER),
        ("Dune Chat", "2026-01-03", TRAINS), ("Dune Chat", "2026-01-20", NEVER),
    )  # fmt: skip
    texts = {f"{name}/Privacy Policy/{at}.md": POLICY.format(name, name, said) for name, at, said in given}
    database = build_database(tmp_path / "made", texts)
    pulled(tmp_path / "pulls", database)
    day = date(2026, 2, 10)
    with ra.connect(tmp_path / "pulls") as pulls, ra.connect(database) as service:
        ours, theirs = ra.load(pulls, as_of=day), ra.load(service, as_of=day)
        assert list(ours.platforms["slug"]) == list(theirs.platforms["slug"])
        rated = ours.platforms.set_index("slug")["rating"]
        assert (
            rated.drop("elm-talk").to_dict() == theirs.platforms.set_index("slug")["rating"].drop("elm-talk").to_dict()
        )
        assert rated.isna().sum() == 1  # nothing on record says that it was tracked then
        assert ours.coverage[["tracked", "verified"]].isna().all(axis=None)
        known = ~theirs.findings["slug"].isin(["birch-notes", "elm-talk"])
        pd.testing.assert_frame_equal(ours.findings, theirs.findings[known].reset_index(drop=True))
        told = ours.problems
        assert list(told["slug"]) == ["birch-notes", "elm-talk"]
        assert "what it said on 2026-02-10 cannot be told from the pulls" in told["what"][0]
        moved = ra.diff(day, "2026-02-25", pulls)
        assert "birch-notes" not in set(moved.findings["slug"]) | set(moved.stances["slug"])
        assert any("birch-notes" in note for note in moved.notes)
        assert list(moved.ratings["slug"]) == ["birch-notes"]
        assert (moved.platforms, moved.not_compared) == (4, ("birch-notes", "elm-talk"))
    with pytest.raises(SystemExit) as end:
        main(["diff", str(day), "2026-02-25", "--database", str(tmp_path / "pulls")])
    said = capsys.readouterr()
    assert end.value.code == 3
    assert said.out.startswith("2026-02-10 to 2026-02-25: 2 of 4 platforms compared\n")
    assert "riskanalytics: 2 of 4 platforms compared: give days that were pulled" in said.err
    assert "data end 2026-02-25, " in said.err


def test_many_platforms_that_are_not_known_keep_none_of_the_others(tmp_path: Path) -> None:
    names = [f"Alder {letter}" for letter in "ABCDEFGHIJKLMN"]
    given = [(name, at, said) for name in names for at, said in (("2026-01-05", NEVER), ("2026-02-25", TRAINS))]
    given += [("Zinnia Draft", "2026-01-02", TRAINS), ("Zinnia Draft", "2026-01-04", NEVER)]
    texts = {f"{name}/Privacy Policy/{at}.md": POLICY.format(name, name, said) for name, at, said in given}
    pulled(tmp_path / "pulls", build_database(tmp_path / "made", texts))
    with ra.connect(tmp_path / "pulls") as pulls:
        data = ra.load(pulls, as_of="2026-02-10")
        assert set(data.findings["slug"]) == {"zinnia-draft"}
        assert len(data.problems) == len(names)
