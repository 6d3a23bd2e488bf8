"""Two states of one source compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.cli import main
from riskanalytics.client import Client
from riskanalytics.client.connection import recorded
from riskanalytics.dataset.difference import settled
from riskanalytics.errors import ParameterError
from riskanalytics.frames import changes_frame
from riskanalytics.topics.changes.clauses import finding_moves
from tests.service.given import build_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("difference"))


@pytest.fixture
def client(database: Path) -> Iterator[Client]:
    with ra.connect(database) as client:
        yield client


def test_rating_stance_and_finding_differences_have_reasons(client: Client) -> None:
    result = ra.diff("2026-02-28", "2026-03-05", client)
    assert result.stances["slug"].tolist() == ["aurelia-chat"]
    assert result.stances["reason"].str.startswith("2026-03-05 Privacy Policy: ").all()
    assert set(result.findings["reason"]) == {"text"}
    assert set(result.findings["slug"]) == {"aurelia-chat"}
    assert result.notes == ()


def test_a_day_does_not_differ_from_itself(client: Client) -> None:
    result = ra.diff(ra.load(client), "", client)
    assert (len(result.ratings), len(result.stances), len(result.findings)) == (0, 0, 0)


def test_states_in_the_wrong_order_or_of_two_sources_are_refused(client: Client, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="the first state is later than the second"):
        ra.diff("2026-03-05", "2026-02-28", client)
    with (
        ra.connect() as demo,
        pytest.raises(ParameterError, match=r"only states of one source can be compared, not given\.sqlite and demo"),
    ):
        ra.diff(ra.load(client), ra.load(demo))


def test_a_change_of_rules_is_noted_as_a_possible_cause(client: Client) -> None:
    after = ra.load(client)
    before = ra.load(client, as_of="2026-02-28").replaced(_counted={"extraction": {"version": "older"}})
    assert ra.diff(before, after).notes[0].startswith("the texts were read by different rules (older, then ")


@pytest.mark.usefixtures("parquet")
def test_pulls_are_compared_by_their_folders(client: Client, tmp_path: Path) -> None:
    first = ra.pull(tmp_path, client, as_of="2026-02-28")
    second = ra.pull(tmp_path / "later", client)
    result = ra.diff(tmp_path / first.name, str(tmp_path / "later" / second.name))
    theirs = ra.diff("2026-02-28", "2026-03-05", client)
    for name in ("ratings", "stances", "findings"):
        pd.testing.assert_frame_equal(getattr(result, name), getattr(theirs, name))


def test_the_command_prints_and_writes_the_differences(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["diff", "2026-02-28", "--database", str(database), "--json", str(tmp_path / "d.json")]
    with pytest.raises(SystemExit) as end:
        main([*words, "--csv", str(tmp_path / "tables")])
    assert not end.value.code
    said = capsys.readouterr().out
    assert said.startswith("2026-02-28 to 2026-03-05: 3 of 3 platforms compared\nratings that differ: ")
    assert "(the document changed)" in said
    record = json.loads((tmp_path / "d.json").read_text())
    tables = {name: pd.read_csv(tmp_path / "tables" / f"{name}.csv") for name in ("ratings", "stances", "findings")}
    assert {name: len(record[name]) for name in tables} == {name: len(table) for name, table in tables.items()}
    with pytest.raises(SystemExit) as end:
        main(["diff", "2026-03-05", "2026-02-28", "--database", str(database)])
    assert end.value.code == 2


def test_a_file_in_place_of_the_folder_for_tables_is_refused(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "two.csv"
    place.write_text("mine")
    with pytest.raises(SystemExit) as end:
        main(["diff", "2026-02-28", "--database", str(database), "--csv", str(place)])
    assert end.value.code
    assert "--csv writes three files into a folder" in capsys.readouterr().err
    assert place.read_text() == "mine"


@pytest.mark.parametrize("broken", ["2026-01-31", None])
def test_a_platform_unreadable_on_one_day_is_not_reported_as_added_or_removed(broken: str | None) -> None:
    def answer(path: str, asked: Mapping[str, str]) -> tuple[int, str, bytes]:
        day = asked.get("as_of")
        slug = path.rsplit("/", 1)[1]
        record: dict[str, object] = {
            "slug": slug,
            "name": slug.title(),
            "rating": "LOW",
            "findings": [],
            "surfaces": {},
        }
        result: tuple[int, object] = 200, record | ({"as_of": day} if day else {})
        if path == "/api/coverage":
            result = 200, {"tracked": 2, "verified": 2, "as_of": day or "2026-02-28"}
        elif slug not in {"birch", "zeta"}:
            result = 401, {"detail": "a key is missing"}
        elif slug == "birch" and day == broken:
            result = 501, {"detail": "broken"}
        if path == "/llms-full.txt":
            return (200, "text/plain", b"/api/machine/platform/birch\n/api/machine/platform/zeta\n")
        return (result[0], "application/json", json.dumps(result[1]).encode())

    with Client("https://service.example", None, transport=recorded(answer)) as client:
        result = ra.diff("2026-01-31", "2026-02-28", client)
    assert result.ratings.empty
    assert result.notes == (
        "stances and findings not compared, because one of the two states is not known: birch",
        "changes are not shown with this key: reasons are based on the findings alone",
    )
    assert (result.platforms, result.not_compared) == (2, ("birch",))


def moving(feed: list[dict[str, Any]] | None, *texts: tuple[str, str, str]) -> Client:
    """A service of one platform, rated LOW up to February and HIGH since; each text is given with its month and document."""

    def answer(path: str, asked: Mapping[str, str]) -> tuple[int, str, bytes]:
        echo = {name: day for name, day in asked.items() if name == "as_of"}
        month = echo.get("as_of", "2026-03")[:7]
        row = {"id": "opal", "slug": "opal", "name": "Opal", "rating": "LOW" if month < "2026-03" else "HIGH", **echo}
        stance = {"stance": "does_not_train" if month < "2026-03" else "trains_by_default"}
        documents = [{"document": name, "snapshot_sha256": text} for then, name, text in texts if then == month]
        places = [{"provenance": {**one, "start": 0, "end": 9}} for one in documents]
        findings = [
            {"quote": f"We {row['provenance']['snapshot_sha256']} it.", "surface": "a", **row} for row in places
        ]
        result: dict[str, object] = {"detail": "Changes need a Pro key."}
        if path == "/api/coverage":
            result = {"tracked": 1, "as_of": "2026-03-31", **echo}
        elif path == "/api/v1/changes" and feed is not None:
            result = {"total": len(feed), "data": feed}
        elif path.endswith("s"):
            result = result if path == "/api/v1/changes" else {"total": 1, "data": [row], **echo}
        elif path.endswith("/opal"):
            result = {**row, "documents": documents, "findings": findings, "training_use": stance}
        return 403 if "detail" in result else 200, "application/json", json.dumps(result).encode()

    return Client("https://service.example", "svc_x", transport=recorded(answer))


def change(at: str, before: str, after: str) -> dict[str, Any]:
    """A change on a day of 2026; its summary is its time."""
    ratings = {"rating_before": before, "rating_after": after}
    return {
        "platform": "opal",
        "reviewed_at": f"2026-{at}",
        "document": "Terms",
        "class": "material",
        "summary": at,
    } | ratings


LATER = [change("04-01", "HIGH", "MED"), change("03-31T23:00", "MED", "HIGH"), change("03-12", "MED", "MED")]
EARLIER = [change("02-28T09:00", "MED", "LOW"), change("02-27", "HIGH", "MED")]


@pytest.mark.parametrize(
    ("feed", "reason"),
    [
        ([*LATER, change("03-10", "LOW", "MED"), change("03-05", "MED", "LOW"), change("03-01", "LOW", "MED"), *EARLIER],
         "2026-03-31 Terms: 03-31T23:00; 2026-03-10 Terms: 03-10; 2026-03-05 Terms: 03-05; and 1 more"),
        ([change("03-10", "LOW", "HIGH"), *EARLIER], "2026-03-10 Terms: 03-10"),
        ([change("02-28T20:00", "LOW", "HIGH"), *EARLIER], "2026-02-28 Terms: 02-28T20:00"),
        (EARLIER, "no recorded change moved it"),
        ([EARLIER[0], change("02-28T08:00", "HIGH", "MED"), *EARLIER[1:]], "no recorded change moved it"),
        (None, "changes are not shown with this key"),
    ],
)  # fmt: skip
def test_a_rating_moved_by_the_changes_after_the_first_state_up_to_the_last_day_newest_first(
    feed: list[dict[str, Any]] | None, reason: str
) -> None:
    with moving(feed) as client:
        result = ra.diff("2026-02-28", "2026-03-31", client)
    assert result.ratings["reason"].tolist() == [reason]
    note = "changes are not shown with this key: reasons are based on the findings alone"
    assert result.notes == ((note,) if feed is None else ())


def test_a_stance_and_a_rating_have_their_own_reasons_of_which_three_are_named() -> None:
    turns = ["does_not_train", "silent", "undetermined", "depends_on_plan", "trains_by_default"]
    feed = [change(f"03-{day:02d}", "LOW", "HIGH" if day == 9 else "LOW") for day in (9, 8, 7, 6, 5)]
    for place, one in enumerate(reversed(feed[1:])):
        one |= {"stance_before": turns[place], "stance_after": turns[place + 1]}
    with moving(feed) as client:
        result = ra.diff("2026-02-28", "2026-03-31", client)
    named = [f"2026-{day} Terms: {day}" for day in ("03-09", "03-08", "03-07", "03-06")]
    assert result.ratings["reason"].tolist() == [named[0]]
    assert result.stances["reason"].tolist() == ["; ".join([*named[1:], "and 1 more"])]


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([("2026-02", "Terms", "keep"), ("2026-03", "Terms", "sell")], "no recorded change moved it; 1 finding reworded"),
        ([("2026-03", "Terms", "keep"), ("2026-03", "Terms", "sell")], "other documents are read than before"),
        ([("2026-02", "Terms", "keep"), ("2026-03", "Terms", "sell"), ("2026-03", "New", "lend")],
         "no recorded change moved it; 1 finding added; 1 finding reworded"),
        ([("2026-02", "Terms", "keep"), ("2026-03", "Terms", "sell"), ("2026-02", "Old", "lend")],
         "no recorded change moved it; 1 finding removed; 1 finding reworded"),
    ],
)  # fmt: skip
def test_without_a_recorded_change_the_reason_is_what_differs_in_the_findings(
    texts: list[tuple[str, str, str]], reason: str
) -> None:
    with moving([], *texts) as client:
        assert ra.diff("2026-02-28", "2026-03-31", client).ratings["reason"].tolist() == [reason]


def test_a_clause_in_both_texts_is_neither_added_nor_removed(client: Client) -> None:
    before, after = ra.load(client, as_of="2026-02-28"), ra.load(client)
    one = after.findings[after.findings["slug"] == "aurelia-chat"].iloc[[0]]
    rest = after.findings.drop(index=one.index)
    moves = finding_moves(after.findings, rest, before.documents, after.documents).assign(reason="text")
    result = settled(moves, after, after.replaced(findings=rest), None)
    assert result[["move", "reason"]].values.tolist() == [["reread", "reading"]]
    moves = finding_moves(rest, after.findings, before.documents, after.documents).assign(reason="text")
    assert settled(moves, after.replaced(findings=rest), after, None)["move"].tolist() == ["reread"]
    lead = after.replaced(findings=rest, leads=one, documents=after.documents)
    lead.client = None  # without texts
    assert settled(finding_moves(one, rest.head(0)).assign(reason="text"), after, lead, None)["move"].tolist() == [
        "reread"
    ]
    gone = one.assign(quote="Nobody says this.", start=0)
    moves = finding_moves(gone, rest.head(0)).assign(reason="text")
    changes = before.changes()
    assert changes is not None
    assert settled(moves, before, after, None)[["move", "reason"]].values.tolist() == [["removed", "text"]]
    assert settled(moves, before, after, changes)["reason"].tolist() == ["unrecorded"]
    quote, other = "Nobody  says\nthis.", "Other."
    cases: list[tuple[str, dict[str, Any]]] = [
        ("text", {"removed": [{"quote": quote}]}),
        ("text", {"added": [{"quote": other}, {"quote": quote}]}),
        ("text", {"altered": [{"before": quote, "after": other}]}),
        ("text", {"altered": [{"before": other, "after": quote}]}),
        ("unrecorded", {"removed": [{"quote": other}]}),
        ("unrecorded", {"removed": [{"quote": quote}], "class": "wording"}),
        ("unrecorded", {"removed": [{"quote": quote}], "platform": "cafe-lumiere"}),
    ]
    for reason, named in cases:
        feed = changes_frame([{"platform": "aurelia-chat", "class": "material"} | named])
        assert settled(moves, before, after, feed)["reason"].tolist() == [reason], named


def test_a_clause_that_is_a_finding_on_the_same_surface_in_both_states_is_left_out(client: Client) -> None:
    data = ra.load(client)
    one = data.findings.iloc[[0]]
    for given, left in ((one, []), (one.assign(surface="ads_tracking"), [["reread", "reading"]])):
        moves = finding_moves(given, one.head(0)).assign(reason="text")
        assert settled(moves, data, data, None)[["move", "reason"]].values.tolist() == left


@pytest.mark.usefixtures("parquet")
def test_a_pull_without_texts_does_not_report_a_clause_as_removed_that_is_still_in_the_text(
    database: Path, client: Client, tmp_path: Path
) -> None:
    ra.pull(tmp_path / "bare", client)
    ra.pull(tmp_path / "whole", client, snapshots=True)
    after = ra.load(client)
    gone = (
        after.findings[after.findings["slug"] == "aurelia-chat"].iloc[[0]].assign(quote="which information the service")
    )
    result = {}
    for name in ("bare", "whole"):
        with ra.connect(tmp_path / name) as pulls:
            pulled, moves = ra.load(pulls), finding_moves(gone, after.findings.head(0)).assign(reason="text")
            result[name] = settled(moves, pulled, pulled, pulled.changes())[["move", "reason"]].values.tolist()
    moves = finding_moves(gone, after.findings.head(0)).assign(reason="text")
    assert settled(moves, after, after, after.changes())[["move", "reason"]].values.tolist() == result["whole"]
    assert result == {"bare": [["removed", "not known"]], "whole": [["reread", "reading"]]}


def test_a_portfolio_limits_the_differences(
    client: Client, database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = ra.diff("2026-02-28", "2026-03-05", client)
    ours = whole._replace(not_compared=("aurelia-chat", "other")).of(["aurelia-chat"])
    assert set(ours.findings["slug"]) == {"aurelia-chat"}
    assert (ours.platforms, ours.not_compared, ours.before, ours.notes) == (
        1,
        ("aurelia-chat",),
        whole.before,
        whole.notes,
    )
    assert all(frame.empty for frame in whole.of(["cafe-lumiere"])[2:5])
    (tmp_path / "ours.csv").write_text("Tool\nNorthwind Draft\nNobody\n")
    with pytest.raises(SystemExit) as end:
        main(["diff", "2026-02-28", "--database", str(database), "--portfolio", str(tmp_path / "ours.csv")])
    said = capsys.readouterr()
    assert not end.value.code
    assert said.out.startswith("2026-02-28 to 2026-03-05: 1 of 1 platforms compared\nratings that differ: 0\n")
    assert said.err.startswith("not matched: row 2, Nobody\n")
