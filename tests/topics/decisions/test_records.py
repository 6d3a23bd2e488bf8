"""Files of decisions: what a page saves is read, merged without loss, and refused if it was changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import reduce
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riskanalytics.errors import EvidenceError, ParameterError
from riskanalytics.topics.decisions.records import Decision, merged, read_decisions, write_decisions

from .given import clause, entry, made, saved

HUNDRED = [
    made(
        clause(f"We keep item {n % 40}.", start=n % 40),
        name=("Ann", "Bo", "Cy")[n % 3],
        decision=("accept", "dispute", "ask_counsel")[n % 7 % 3],
        decided_at=f"2026-11-02T09:{n % 60:02}:00Z",
        note=f"Note {n}.",
    )
    for n in range(100)
]
"""Decisions of three reviewers; some are about the same clause, some are of the same minute."""


def test_what_a_page_saved_is_read_in_its_order(tmp_path: Path) -> None:
    file = saved(tmp_path / "d.json", entry(name=" Bo "), entry(decision="dispute", change_id="c1"))
    first, second = read_decisions(file)
    assert (first.name, first.decision, first.decided_at.isoformat()) == (
        "Bo",
        "accept",
        "2026-11-02T09:00:00.120000+00:00",
    )
    assert (str(first.day), first.clauses[0].model_dump()) == ("2026-10-31", clause())
    assert (second.decision, second.change_id, second.title) == ("dispute", "c1", "Ann on vellumo, Terms")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_decisions(file) == (first, second)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(100)), cuts=st.lists(st.integers(0, 100), max_size=6), again=st.integers(0, 5))
def test_files_in_any_order_and_grouping_give_the_same_hundred_decisions(
    order: list[int], cuts: list[int], again: int, tmp_path: Path
) -> None:
    ends = [0, *sorted(cuts), 100]
    files = [[HUNDRED[n] for n in order[start:end]] for start, end in pairwise(ends)]
    whole = reduce(lambda before, file: merged([*before, *file]), [*files, *files[:again]], [])
    assert {one.hashed() for one in whole} == {one.hashed() for one in HUNDRED}
    assert whole == merged(HUNDRED)
    assert [one.decided_at for one in whole] == sorted(one.decided_at for one in HUNDRED)


def test_merging_through_files_keeps_the_bytes_and_every_field(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    write_decisions(one, HUNDRED)
    write_decisions(other, [*read_decisions(one)[50:], *reversed(HUNDRED), *HUNDRED])
    assert one.read_bytes() == other.read_bytes()
    assert [read.content for read in read_decisions(one)] == [each.content for each in merged(HUNDRED)]


def test_a_merged_file_is_a_chain_of_hashes(tmp_path: Path) -> None:
    write_decisions(file := tmp_path / "d.json", HUNDRED[:3])
    written = json.loads(file.read_text("utf-8"))
    before = ""
    for each in written["decisions"]:
        content = {name: value for name, value in each.items() if name not in ("previous", "hash")}
        assert each["previous"] == before
        before = sha256(f"{before}{json.dumps(content, sort_keys=True)}".encode()).hexdigest()
        assert each["hash"] == before
    assert (written["version"], written["head"]) == (1, before)
    write_decisions(file, [])
    assert (file.read_text("utf-8"), read_decisions(file)) == (
        '{\n "version": 1,\n "head": "",\n "decisions": []\n}\n',
        (),
    )


def _note(file: dict[str, Any]) -> None:
    file["decisions"][1]["note"] = "Fine."


def _quote(file: dict[str, Any]) -> None:
    quote = "We keep nothing."
    file["decisions"][1]["clauses"][0] |= {"quote": quote, "quote_sha256": sha256(quote.encode()).hexdigest()}


def _swap(file: dict[str, Any]) -> None:
    file["decisions"][1:3] = file["decisions"][2:0:-1]


def _drop(file: dict[str, Any]) -> None:
    del file["decisions"][1]


def _hash(file: dict[str, Any]) -> None:
    file["decisions"][1]["hash"] = "0" * 64


def _before(file: dict[str, Any]) -> None:
    file["decisions"][1]["previous"] = "0" * 64


@pytest.mark.parametrize("change", [_note, _quote, _swap, _drop, _hash, _before])
def test_a_changed_entry_of_a_merged_file_is_named(change: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    write_decisions(file := tmp_path / "d.json", HUNDRED[:4])
    written = json.loads(file.read_text("utf-8"))
    whose = "Cy" if change in (_swap, _drop) else "Bo"
    change(written)
    file.write_text(json.dumps(written), "utf-8")
    with pytest.raises(EvidenceError) as refused:
        read_decisions(file)
    said = f"{file}, entry 2 ({whose} on vellumo, Terms) was changed, or entries before it are missing"
    assert str(refused.value) == said


@pytest.mark.parametrize("left", [{"decisions": []}, {"head": None}, {"head": "0" * 64}])
def test_a_merged_file_that_lost_its_end_is_refused(left: dict[str, Any], tmp_path: Path) -> None:
    write_decisions(file := tmp_path / "d.json", HUNDRED[:2])
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | left), "utf-8")
    with pytest.raises(
        EvidenceError, match=r"is incomplete: its last entries, or the hash of .* \(`head`\), are missing$"
    ):
        read_decisions(file)


def test_a_changed_quote_of_a_page_is_refused_with_its_entry(tmp_path: Path) -> None:
    file = saved(tmp_path / "d.json", entry(), entry(clause(), clause() | {"quote": "We keep nothing."}, name="Bo"))
    with pytest.raises(EvidenceError, match=r"entry 2 \(Bo on vellumo, Terms\) was changed, or entries"):
        read_decisions(file)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a decision of another name": (entry(decision="approve"), "entry 1, decision: Input should be 'accept'"),
    "no name": (entry(name=" "), "entry 1, name: String should have at least 1 character"),
    "no note": (entry(note=""), "entry 1, note: String should have at least 1 character"),
    "a long note": (entry(note="x" * 4001), "entry 1, note: String should have at most 4000 characters"),
    "no time": (entry(decided_at="yesterday"), "entry 1, decided_at: Input should be a valid datetime"),
    "a time without zone": (entry(decided_at="2026-11-02T09:00:00"), "entry 1, decided_at: Input should have timezone"),
    "no day": (entry(day="2026-13-01"), "entry 1, day: "),
    "no clause": (entry(clauses=[]), "entry 1, clauses: Tuple should have at least 1 item"),
    "an unknown field": (entry(verdict="x"), "entry 1, verdict: Extra inputs are not permitted"),
    "a hash that is none": (entry(clause(snapshot_sha256="AB" * 32)), "entry 1, clauses, entry 1, snapshot_sha256: "),
    "an offset as text": (
        entry(clause(start="4")),
        "entry 1, clauses, entry 1, start: Input should be a valid integer",
    ),
    "a negative offset": (entry(clause(end=-1)), "entry 1, clauses, entry 1, end: Input should be greater"),
    "no platform": (entry(clause(platform="")), "entry 1, clauses, entry 1, platform: String should have at least"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_malformed_entry_is_refused_in_one_line_with_its_place(name: str, tmp_path: Path) -> None:
    wrong, said = WRONG[name]
    file = saved(tmp_path / "d.json", wrong)
    with pytest.raises(
        ParameterError, match=re.escape(f"the file of decisions {file} is malformed, {said}")
    ) as refused:
        read_decisions(file)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"\xff\xfe{\x00}\x00", b"[" * 100_000, b'{"version": 2, "decisions": []}']
)
def test_another_file_is_refused_in_one_line(body: bytes, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(body)
    with pytest.raises(ParameterError, match=r"^the file of decisions .*d\.json is malformed.*: .+$") as refused:
        read_decisions(tmp_path / "d.json")
    assert len(str(refused.value)) < 300 + len(str(tmp_path))
    with pytest.raises(ParameterError, match=r"none\.json cannot be read: No such file or directory$"):
        read_decisions(tmp_path / "none.json")


def test_times_of_other_zones_are_kept_and_sorted_as_moments() -> None:
    early, late = made(decided_at="2026-11-02T10:00:00+02:00"), made(decided_at="2026-11-02T09:00:00Z")
    assert merged([late, early]) == [early, late]
    assert isinstance(early, Decision)
    assert early.content["decided_at"] == "2026-11-02T10:00:00+02:00"
