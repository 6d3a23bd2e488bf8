"""Single members of a pack, made by hand: what a finding says, and which changes of it are refused."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.evidence import Pack
from riskanalytics.evidence.check import PackError, check, check_finding, check_snapshot, read, sums_of
from riskanalytics.evidence.pack import annotation
from riskanalytics.models.provenance import sha256_of

TEXT = f"{'We keep it. ' * 5}We sell your dätä.\n{'Write to us. ' * 5}"
SHA256 = sha256_of(TEXT.encode())
ROW: dict[str, Any] = {
    "finding_id": "f1", "slug": "aurelia", "name": "Aurelia", "document": "Terms", "surface": "ads_tracking",
    "risk": "HIGH", "confidence": None, "quote": "We sell your dätä.", "start": 60, "end": 78, "snapshot_sha256": SHA256,
    "archive_url": "https://archive.example.org/x", "captured_at": datetime(2026, 1, 2, 15, tzinfo=UTC),
    "polarity": "raises_risk", "confidence_low": 0.5, "confidence_high": 0.9, "rule": "ads_tracking.a", "audience": "consumer",
    "region": "eu", "product": "chat", "lead_in": "We keep it.", "lead_in_start": 0, "lead_in_end": 11, "place": 3,
}  # fmt: skip
SNAPSHOT = f"snapshots/{SHA256}.txt"


def members(row: dict[str, Any]) -> dict[str, bytes]:
    return {"findings/f1.json": annotation(row, TEXT), SNAPSHOT: TEXT.encode()}


def test_a_finding_says_where_its_words_are_and_what_stands_around_them() -> None:
    record = json.loads(annotation(ROW, TEXT))
    assert record["id"] == "urn:riskanalytics:finding:f1"
    assert [(body["purpose"], body["value"]) for body in record["body"]] == [
        ("tagging", "ads_tracking"),
        ("assessing", "HIGH"),
    ]
    assert record["target"] == {
        "source": "https://archive.example.org/x",
        "state": {"type": "TimeState", "cached": f"../{SNAPSHOT}", "sourceDate": "2026-01-02T15:00:00Z"},
        "selector": [
            {"type": "TextQuoteSelector", "prefix": TEXT[28:60], "exact": "We sell your dätä.", "suffix": TEXT[78:110]},
            {"type": "TextPositionSelector", "start": 60, "end": 78},
        ],
    }
    apart = (
        "finding_id",
        "quote",
        "start",
        "end",
        "snapshot_sha256",
        "archive_url",
        "captured_at",
        "confidence",
        "place",
    )
    said = {name: ROW[name] for name in ROW if name not in apart}
    assert record["finding"] == said  # what is missing is left out
    bare = {**ROW, "archive_url": None, "captured_at": None}
    assert json.loads(annotation(bare, TEXT))["target"]["source"] == f"../{SNAPSHOT}"
    assert [one["purpose"] for one in json.loads(annotation({**ROW, "risk": None}, TEXT))["body"]] == ["tagging"]
    for row, at in ((ROW, "2026-01-02T15:00:00Z"), (bare, None)):
        (found,) = Pack(members(row)).findings()
        assert found == said | {
            "finding_id": "f1", "quote": ROW["quote"], "start": 60, "end": 78, "snapshot_sha256": SHA256,
            "archive_url": row["archive_url"], "captured_at": at,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        ((0, "exact"), "We sell your data.", "the text at its offsets differs"),
        ((0, "prefix"), "We never keep it. ", "the text at its offsets differs"),
        ((0, "suffix"), "", "the text at its offsets differs"),
        ((1, "end"), 79, "the text at its offsets differs"),
        ((1, "start"), -1, "offsets outside its text"),
        ((1, "start"), 78, "offsets outside its text"),
        ((1, "start"), 60.0, "offsets outside its text"),
        ((1, "end"), len(TEXT) + 1, "offsets outside its text"),
        (None, f"../snapshots/{'0' * 64}.txt", "its snapshot is not in the pack"),
    ],
)
def test_a_finding_that_its_snapshot_does_not_contain_there_is_refused(
    place: tuple[int, str] | None, value: object, why: str
) -> None:
    given = members(ROW)
    check_finding(given, "findings/f1.json")
    record = json.loads(given["findings/f1.json"])
    if place is None:
        record["target"]["state"]["cached"] = value
    else:
        record["target"]["selector"][place[0]][place[1]] = value
    with pytest.raises(PackError, match=f"^findings/f1.json: {why}"):
        check_finding(given | {"findings/f1.json": json.dumps(record).encode()}, "findings/f1.json")


def test_findings_are_listed_by_id_and_all_other_members_are_in_the_sums() -> None:
    rows = [{**ROW, "finding_id": name} for name in ("f2", "f1", "f3")]
    given = {f"findings/{row['finding_id']}.json": annotation(row, TEXT) for row in rows}
    assert [one["finding_id"] for one in Pack(given).findings()] == ["f1", "f2", "f3"]
    sums = sums_of({"timestamp.tsr": b"t", "SHA256SUMS": b"old", "root.txt": b"r"}).decode()
    assert sums == f"{sha256_of(b'r')}  root.txt\n{sha256_of(b't')}  timestamp.tsr\n"


def test_a_snapshot_has_the_name_in_git_that_its_history_records() -> None:
    blob = hashlib.sha1(b"blob %d\0%b" % (len(TEXT.encode()), TEXT.encode()), usedforsecurity=False).hexdigest()
    history = f"captures/{SHA256}.json"
    check_snapshot(members(ROW) | {history: json.dumps({"git_blob": blob}).encode()}, SNAPSHOT)
    with pytest.raises(PackError, match="its git blob name differs"):
        check_snapshot(members(ROW) | {history: json.dumps({"git_blob": blob[::-1]}).encode()}, SNAPSHOT)


def test_a_pack_changed_together_with_its_sums_is_not_in_its_tree(pack: Pack) -> None:
    tree = json.loads(pack.members["tree.json"])
    doubled = [{**row, "index": min(row["index"], 1)} for row in tree["members"]]
    for change, why in (
        ({"README.txt": b"another"}, "not in the same tree"),
        ({"more.txt": b"more"}, "lists other members"),
        ({"tree.json": json.dumps({**tree, "members": tree["members"][1:]}).encode()}, "lists other members"),
        ({"tree.json": json.dumps({**tree, "members": doubled}).encode()}, "lists other members"),
        ({"root.txt": pack.members["root.txt"].replace(b"members ", b"members 1")}, "another root"),
    ):
        changed = {**pack.members, **change}
        with pytest.raises(PackError, match="SHA256SUMS"):
            check(changed)
        with pytest.raises(PackError, match=why):
            check({**changed, "SHA256SUMS": sums_of(changed)})
    with pytest.raises(PackError, match="members are missing"):
        check({name: body for name, body in pack.members.items() if name != "signature.bin"})


def test_an_unpacked_pack_is_read_unless_it_has_a_link(tmp_path: Path) -> None:
    (tmp_path / "findings").mkdir()
    (tmp_path / "findings" / "a.json").write_bytes(b"{}")
    assert read(tmp_path) == {"findings/a.json": b"{}"}
    (tmp_path / "b.txt").symlink_to("/etc/hostname")
    with pytest.raises(PackError, match="has a link"):
        read(tmp_path)


def test_a_snapshot_under_the_hash_of_another_text_is_refused() -> None:
    name = f"snapshots/{sha256_of(b'another text')}.txt"
    with pytest.raises(PackError, match="SHA-256 differs from its name"):
        check_snapshot({name: b"this text"}, name)
