"""Packs from others are read whole, or refused; nothing of a hostile one is written."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import EvidenceError
from riskanalytics.evidence import Pack, opened
from riskanalytics.evidence.check import PackError, check, check_finding, check_snapshot
from riskanalytics.evidence.pack import annotation

BESIDE = ("prefix", "comment", "note", "gap", "between")


def with_other_words(path: Path, kind: str) -> bytes:
    """Return a zip file with bytes that are of no member: ahead of all, behind all, of an entry, or between two."""
    words, body = b"other words", bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as file:
        second = file.infolist()[1].header_offset
    ended = len(body) - 22
    size, start = (int.from_bytes(body[ended + at : ended + at + 4], "little") for at in (12, 16))
    first_name = int.from_bytes(body[start + 28 : start + 30], "little")
    size_too, start_too = (len(words) if kind in kinds else 0 for kinds in (("note",), ("gap", "between")))
    body[ended + 12 : ended + 20] = (size + size_too).to_bytes(4, "little") + (start + start_too).to_bytes(4, "little")
    if kind == "comment":
        body[ended + 20 :] = len(words).to_bytes(2, "little")
    if kind == "note":
        body[start + 32 : start + 34] = len(words).to_bytes(2, "little")
    place = start
    while kind == "between" and place < ended:  # the directory tells where the other members stand then
        offset = int.from_bytes(body[place + 42 : place + 46], "little")
        body[place + 42 : place + 46] = (offset + len(words) * (offset >= second)).to_bytes(4, "little")
        place += 46 + int.from_bytes(body[place + 28 : place + 30], "little")
    put = {"prefix": 0, "comment": len(body), "note": start + 46 + first_name, "gap": start, "between": second}[kind]
    return bytes(body[:put] + words + body[put:])


@pytest.mark.parametrize("kind", BESIDE)
def test_zip_files_with_other_bytes_are_read_by_what_reads_any_zip(kind: str, pack: Pack, tmp_path: Path) -> None:
    with zipfile.ZipFile(hostile(tmp_path / "other.zip", kind, pack.members)) as file:
        assert {name: file.read(name) for name in file.namelist()} == pack.members


def hostile(path: Path, kind: str, members: dict[str, bytes]) -> Path:
    """Write a pack that does what no pack may do."""
    packing = zipfile.ZIP_DEFLATED if kind in ("packed", "bomb") else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", packing) as file:
        for name, body in members.items():
            file.writestr(name, body)
        extra = {"above": "../escaped.txt", "absolute": "/tmp/escaped.txt", "back": "a\\..\\b", "hidden": ".git/config",
                 "colon": "C:x", "deep": "a/b/c/d", "dots": "findings/../root.txt", "case": "Root.txt"}.get(kind)  # fmt: skip
        if extra is not None:
            file.writestr(extra, b"x")
        if kind == "link":  # told beside the members' bytes, so that no signature speaks of it
            file.getinfo("README.txt").external_attr = 0o120777 << 16
        if kind == "bomb":
            file.writestr("findings/bomb.json", b"\0" * (64 << 20))
    if kind == "twice":
        with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("root.txt", b"other")
    if kind in BESIDE:
        path.write_bytes(with_other_words(path, kind))
    if kind == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    if kind == "large":  # the central directory says more than the file holds
        body = bytearray(path.read_bytes())
        at = body.rfind(b"PK\x01\x02")
        body[at + 20 : at + 28] = b"\xff\xff\xff\x7f" * 2
        path.write_bytes(bytes(body))
    if kind == "words":
        path.write_bytes(b"no zip at all")
    return path


HOSTILE = (
    "above",
    "absolute",
    "back",
    "hidden",
    "colon",
    "deep",
    "dots",
    "case",
    "link",
    "packed",
    "bomb",
    "twice",
    "cut",
    "large",
    "words",
    *BESIDE,
)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_pack_is_refused_and_nothing_is_written(kind: str, pack: Pack, tmp_path: Path) -> None:
    path = hostile(tmp_path / "hostile.zip", kind, pack.members)
    with pytest.raises(EvidenceError, match="do not rely on"):
        opened(path)
    assert [one.name for one in tmp_path.iterdir()] == ["hostile.zip"]
    script = tmp_path / "verify.py"
    script.write_bytes(pack.members["verify.py"])
    done = subprocess.run([sys.executable, "-I", str(script), str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("NOT VERIFIED")
    assert done.stderr == ""


@pytest.mark.parametrize("body", [b"[]", b"{}", b"null", b"[" * 100_000, b'{"size": 1e999, "members": []}', b"\xff"])
def test_a_tree_of_another_form_is_refused_in_one_line(body: bytes, pack: Pack) -> None:
    from riskanalytics.evidence.check import sums_of

    members = {**pack.members, "tree.json": body}
    with pytest.raises(PackError):
        check({**members, "SHA256SUMS": sums_of(members)})


TEXT = "We keep it." + " Always." * 5
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()


def annotated(start: int, end: int, **more: object) -> dict[str, Any]:
    row = {
        "finding_id": "f",
        "start": start,
        "end": end,
        "snapshot_sha256": SHA256,
        "surface": "sale",
        "archive_url": None,
    }
    return dict(json.loads(annotation(row | {"captured_at": "2026-07-02T03:04:05Z"} | more, TEXT)))


def test_a_finding_near_the_ends_of_its_text_has_all_that_is_around_it() -> None:
    place = f"../snapshots/{SHA256}.txt"
    record = annotated(3, 7)
    assert record["target"] == {
        "source": place,
        "state": {"type": "TimeState", "cached": place, "sourceDate": "2026-07-02T03:04:05Z"},
        "selector": [
            {"type": "TextQuoteSelector", "prefix": "We ", "exact": "keep", "suffix": TEXT[7:39]},
            {"type": "TextPositionSelector", "start": 3, "end": 7},
        ],
    }
    assert record["body"] == [{"type": "TextualBody", "purpose": "tagging", "value": "sale"}]
    assert annotated(3, 7, archive_url="https://a.example/1")["target"]["source"] == "https://a.example/1"


@pytest.mark.parametrize(("start", "end", "right"), [(3, 7, True), (0, 51, True), (5, 5, False), (3, 52, False)])
def test_a_finding_has_words_inside_its_text(start: int, end: int, right: bool) -> None:
    members = {f"snapshots/{SHA256}.txt": TEXT.encode(), "findings/f.json": json.dumps(annotated(start, end)).encode()}
    with nullcontext() if right else pytest.raises(PackError, match="offsets outside its text"):
        check_finding(members, "findings/f.json")


def test_a_text_has_the_hash_of_its_name_and_the_recorded_name_in_git() -> None:
    name, blob = (
        f"snapshots/{SHA256}.txt",
        hashlib.sha1(b"blob 51\0" + TEXT.encode(), usedforsecurity=False).hexdigest(),
    )
    for given in ({}, {"git_blob": blob}):
        check_snapshot({name: TEXT.encode(), f"captures/{SHA256}.json": json.dumps(given).encode()}, name)
    with pytest.raises(PackError, match="its SHA-256 differs"):
        check_snapshot({name: b"We keep it!"}, name)
    with pytest.raises(PackError, match="its git blob name differs"):
        check_snapshot(
            {name: TEXT.encode(), f"captures/{SHA256}.json": json.dumps({"git_blob": "0" * 40}).encode()}, name
        )
