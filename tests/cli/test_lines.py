"""What commands print of quotes, counts, packs, differences, answers and limits."""

from __future__ import annotations

import json
import signal
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import uvicorn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from riskanalytics.cli import _end, main
from riskanalytics.cli.data import _lines, _quote, _show_counts, signed
from riskanalytics.dataset.difference import Difference
from riskanalytics.evidence import Pack
from riskanalytics.service import Pace
from tests.http_server import reply, serving
from tests.service.given import build_database

ROW: dict[str, Any] = {
    "verification_status": "hash_mismatch", "slug": "opal", "document": "Terms", "snapshot_sha256": "ab" * 32, "start": 4,
    "end": 26, "shown": None, "whose": None, "quote": "We\nkeep it.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({}, "hash mismatch  opal  Terms  abababababab  4-26  We keep it."),
        ({"start": 0, "shown": "differs", "whose": "not confirmed", "quote": "x" * 71},
         "hash mismatch  opal  Terms  abababababab  0-26  the page shows other words  source of the text not confirmed  "
         f"{'x' * 70}…"),
        ({"verification_status": "verified", "start": None, "snapshot_sha256": None, "shown": "not shown", "whose": "it"},
         "verified       opal  Terms  no source  the page does not show it  We keep it."),
    ],
)  # fmt: skip
def test_a_quote_is_a_line_with_its_check_and_its_place(more: dict[str, object], line: str) -> None:
    assert _quote(ROW | more) == line


def test_quotes_are_counted_by_their_check_and_verified_ones_without_a_confirmed_platform_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    statuses = ["verified"] * 3 + ["hash_mismatch"]
    frame = pd.DataFrame(
        {"verification_status": statuses, "whose": ["not confirmed", None, "confirmed", "not confirmed"]}
    )
    assert [_show_counts(frame), _show_counts(frame[1:]), _show_counts(frame[:0])] == [1, 0, 0]
    assert capsys.readouterr().out.splitlines() == [
        "4 quotes: 3 verified, 1 hash mismatch; for 1 the source does not confirm which platform and document the text belongs to",
        "3 quotes: 2 verified, 1 hash mismatch",
        "no quotes: nothing was checked",
    ]


def test_a_signature_is_trusted_only_if_its_key_was_named(capsys: pytest.CaptureFixture[str]) -> None:
    public = Ed25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    key = public.decode().splitlines()[1]
    tree = {"members": [{}, {}], "size": 1200}
    part = Pack({"public_key.pem": public, "tree.json": json.dumps(tree).encode(), "timestamp.tsr": b""})
    check = (
        "time stamp not checked; to check it: openssl ts -verify -data root.txt -in timestamp.tsr -CAfile AUTHORITY.pem"
    )
    assert signed(part, named=True) == [
        f"public key: {key} (matches --key)",
        "part of a pack: 2 of 1,200 members",
        check,
    ]
    whole = Pack({"public_key.pem": public, "tree.json": json.dumps(tree | {"size": 2}).encode()})
    assert signed(whole, named=False) == [
        f"public key: {key} (anyone can sign a pack: compare this key with the key its owner gave you)"
    ]


def test_differences_are_listed_with_both_sides_and_reasons_up_to_20() -> None:
    name = {"name": "Opal", "document": "Terms", "surface": "training_use", "level": "HIGH"}
    rating = name | {"rating_before": "LOW", "rating_after": "HIGH", "direction": "up", "reason": "new words"}
    ratings = pd.DataFrame([rating, rating | {"rating_before": None}, *[rating] * 19])
    stances = pd.DataFrame([name | {"stance_before": "silent", "stance_after": None, "reason": "read"}])
    moves: tuple[tuple[str | None, ...], ...] = (
        ("added", "text", "new", None), ("removed", "text", None, "old"),
        ("moved", "text", "to", "from"), ("added", "reading", "x", None),
    )  # fmt: skip
    keys = ("move", "reason", "quote_after", "quote_before")
    findings = pd.DataFrame([name | dict(zip(keys, move, strict=True)) for move in moves])
    lines = [*_lines(Difference(date(2026, 1, 1), date(2026, 2, 1), ratings, stances, findings, ("other rules",)))]
    assert lines[:4] == [
        "note: other rules", "ratings that differ: 21",
        "  Opal: LOW to HIGH (up): new words", "  Opal: not listed to HIGH (up): new words",
    ]  # fmt: skip
    assert lines[21:] == [
        "  Opal: LOW to HIGH (up): new words",
        "  and 1 more: use --json or --csv for the full list",
        "stances on training use that differ: 1",
        "  Opal: silent to unknown: read",
        "findings that differ: 4",
        "  1 added (the same text is read differently)",
        "  1 added (the document changed)",
        "  1 moved (the document changed)",
        "  1 removed (the document changed)",
        "  added: Opal, Terms, training_use, HIGH: new",
        "  removed: Opal, Terms, training_use, HIGH: old",
    ]


def test_an_answer_marks_the_leads_among_its_citations(capsys: pytest.CaptureFixture[str]) -> None:
    source = {"document": "Terms", "captured_at": "2026-07-31T10:00:00Z", "snapshot_sha256": "ab", "start": 4, "end": 26,
              "archive_url": "https://archive.example/1"}  # fmt: skip
    cited = [
        {"name": "Opal", "surface": "sale", "to_read": read, "provenance": source}
        for read in (True, False, "true", None)
    ]
    with (
        serving(reply("200 OK", json.dumps({"answer": "One.\nTwo.", "citations": cited}).encode())) as server,
        pytest.raises(SystemExit) as end,
    ):
        main(["ask", "Does it sell data?", "--base-url", server.url])
    place = ["    sha256 ab, characters 4 to 26", "    https://archive.example/1"]
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == ["One.", "Two.", "", "[1] Opal, Terms, 2026-07-31, sale, to be read, not a finding", *place]
    assert [line for line in lines if line.startswith("[")][1:] == [
        f"[{n}] Opal, Terms, 2026-07-31, sale" for n in (2, 3, 4)
    ]
    assert not end.value.code


def test_a_service_has_the_limits_of_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[Pace] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, **_: given.append(server.config.app.args[2]))
    database = str(build_database(tmp_path))
    for words, limits in (
        ((), "1,200 reads and 120 posts"),
        (("--open-reads", "7", "--open-posts", "3"), "7 reads and 3 posts"),
        (("--open-reads", "0", "--open-posts", "0"), "any number of reads and any number of posts"),
    ):
        with pytest.raises(SystemExit):
            main(["serve", "--database", database, "--port", "0", *words])
        assert f"; each address may send {limits} per minute" in capsys.readouterr().err
    assert given == [Pace(reads=1200, posts=120), Pace(reads=7, posts=3), Pace(reads=None, posts=None)]


def test_a_terminated_command_exits_143() -> None:
    with pytest.raises(SystemExit) as end:
        _end(15, None)
    assert end.value.code == 143
    with pytest.raises(SystemExit):
        main(["--version"])
    assert signal.getsignal(signal.SIGTERM) is _end
