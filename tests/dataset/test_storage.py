"""A folder of pulls holds complete pulls only, and every file of them is checked against its hash."""

from __future__ import annotations

from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics.dataset.connecting import DEMO, Origin, origin_of, settings_of
from riskanalytics.dataset.pulls import MACHINE, answers_frame, machines_in, platforms_in, snapshots_in
from riskanalytics.dataset.storage import Manifest, Storage, StoredTable, check_pulls, is_store, snapshot_file
from riskanalytics.errors import PullError, ServiceError

FIRST, SECOND, CUT = "20261031T080000Z-5a1c", "20261130T080000Z-09ef", "20261201T000000Z-0000"
TEXT = b"We train."


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def write(storage: Storage, name: str, *, table: bytes = b"rows", of: str = FIRST, **more: Any) -> Manifest:
    """Write a pull whose table is in the folder of another pull, with one policy text."""
    stored = StoredTable(file=f"{of}/answers.parquet", sha256=digest(table), bytes=len(table), rows=1)
    now, texts = datetime(2026, 10, 31, tzinfo=UTC), (digest(TEXT),)
    told: dict[str, Any] = {"source": "demo", "day": date(2026, 10, 31), "snapshots": texts, **more}
    manifest = Manifest(
        name=name, pulled_at=now, finished_at=now, access="open", versions={}, tables={"answers": stored}, **told
    )  # fmt: skip
    for file, content in ((stored.file, b"rows"), (snapshot_file(texts[0]), TEXT)):
        storage.write(file, content)
    storage.write(f"{name}/manifest.json", manifest.model_dump_json().encode())
    return manifest


def test_pulls_are_the_complete_ones_oldest_first_and_their_files_are_counted_once(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    assert storage.pulls(new=True) == []
    second, first = write(storage, SECOND), write(storage, FIRST)
    storage.write(f"{CUT}/answers.parquet", b"half")
    storage.write(f"{FIRST}-copy/manifest.json", b"{}")
    assert storage.pulls() == [FIRST, SECOND]
    assert (storage.manifest(SECOND), storage.snapshots()) == (second, {digest(TEXT)})
    assert first.files == {f"{FIRST}/answers.parquet": digest(b"rows"), f"snapshots/{digest(TEXT)}.md": digest(TEXT)}
    assert check_pulls(tmp_path) == (2, 4, ())


def test_only_folders_that_no_pull_needs_are_swept(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    manifests = [write(storage, FIRST, of=SECOND)]
    for name in (SECOND, CUT, "mine"):
        storage.write(f"{name}/answers.parquet", b"rows")
    storage.sweep(manifests)
    assert sorted(path.name for path in tmp_path.iterdir()) == [FIRST, SECOND, "mine", "snapshots"]


def test_a_file_that_differs_from_any_manifest_or_is_missing_is_damaged(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    write(storage, FIRST, table=b"other")
    manifest = write(storage, SECOND)
    (line,) = check_pulls(tmp_path).damaged
    assert line.startswith(
        f"{tmp_path}/{FIRST}/answers.parquet is damaged: its hash differs from the hash in the manifest"
    )
    text = snapshot_file(manifest.snapshots[0])
    assert (storage.holds(text, digest(TEXT)), storage.holds(text, digest(b""))) == (True, False)
    (tmp_path / text).unlink()
    assert [line.partition(": ")[2][:19] for line in check_pulls(tmp_path).damaged[1:]] == ["the file is missing"]
    (tmp_path / FIRST / "manifest.json").write_bytes((tmp_path / SECOND / "manifest.json").read_bytes())
    with pytest.raises(PullError, match=f"the file is the manifest of {SECOND}"):
        storage.manifest(FIRST)


@pytest.mark.usefixtures("parquet")
def test_of_many_pulls_the_last_six_days_are_named_and_the_texts_of_all_are_given(tmp_path: Path) -> None:
    for day in range(1, 9):
        kept = (digest(TEXT),) if day == 1 else ()
        write(Storage(tmp_path), f"2026110{day}T080000Z-0000", day=date(2026, 11, day), snapshots=kept)
    with ra.connect(tmp_path) as client:
        assert client.snapshot(digest(TEXT)) == TEXT
        with pytest.raises(ServiceError, match=r"are of 2026-11-03, .*, 2026-11-08: give one of these days"):
            client.coverage("2026-10-31")


@pytest.mark.usefixtures("parquet")
@pytest.mark.parametrize(
    ("source", "line", "demo"),
    [
        ("demo", f"{DEMO}, pulls in my pulls", True),
        ("demo.sqlite", f"Pulls of demo.sqlite in my pulls, newest {FIRST} of 2026-10-31", False),
        (
            "https://ann:secret@a.example",
            f"Pulls of https://a.example in my pulls, newest {FIRST} of 2026-10-31",
            False,
        ),
    ],
)
def test_pages_name_the_pulled_source_without_its_password_and_only_the_demo_is_invented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, line: str, demo: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(Storage(tmp_path / "my pulls"), FIRST, source=source)
    with ra.connect("~/my pulls") as client:
        origin = origin_of(client)
        assert settings_of(client).database == Path("~/my pulls")
    assert (origin, origin.is_demo) == (Origin(line, "--database 'my pulls'", "my pulls"), demo)


def test_addresses_of_object_stores_are_known_in_any_case() -> None:
    kinds = [
        "s3",
        "s3a",
        "gs",
        "gcs",
        "az",
        "abfs",
        "abfss",
        "adl",
        "oss",
        "oci",
        "hdfs",
        "SFTP",
        "ssh",
        "smb",
        "memory",
    ]
    assert [kind for kind in kinds if not is_store(f"{kind}://b/p")] == []
    assert [
        place for place in ("https://a.example", "s3:/b", "s3", "postgresql://h/d", "file:///p") if is_store(place)
    ] == []


def test_the_answers_of_a_pull_are_told_apart_and_name_the_texts_they_refer_to() -> None:
    texts = ["a" * 64, "b" * 64, "c" * 64]
    record = {
        "verification_status": "stale",
        "documents": [{"snapshot_sha256": texts[1]}, {"snapshot_sha256": "x"}],
        "findings": [{"provenance": {"snapshot_sha256": texts[0]}}, {"provenance": {"snapshot_sha256": texts[1]}}],
    }
    answers = {f"{MACHINE}opal": record, f"{MACHINE}gone": "not shown", "/api/coverage": {"tracked": 1}}
    assert machines_in(answers) == {"opal": record}
    assert snapshots_in([record, {"added": [{"provenance": {"snapshot_sha256": texts[2]}}]}]) == [
        texts[1],
        texts[0],
        texts[2],
    ]
    assert [(row["id"], row["verification"]) for row in platforms_in(answers)] == [("opal", "stale")]
    assert platforms_in({**answers, "/api/v1/platforms": {"data": [{"id": "a"}]}}) == [{"id": "a"}]
    assert answers_frame(answers)["status"].tolist() == [200, 0, 200]
