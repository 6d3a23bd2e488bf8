"""Decisions held against the service: their quotes against the snapshots, their clauses against the newest ones."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.errors import EvidenceError
from tests.service.given import PRIVACY, build_database
from tests.topics.decisions.given import clause, entry, saved

from .conftest import SLUG

GARDEN = "The office has a garden with trees, and a pond with fish in it."


@pytest.fixture(scope="module")
def data(client: Client) -> Dataset:
    """One platform of the demo."""
    return ra.load(client, platforms=[SLUG])


def of_row(row: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A clause as a page takes it from a finding; its hash is that of its quote."""
    names = ("finding_id", "document", "surface", "snapshot_sha256", "start", "end")
    quote = changed.get("quote", row["quote"])
    lead_in = row["lead_in"] if isinstance(row["lead_in"], str) else ""
    usual = {"platform": row["slug"], "lead_in": lead_in, "quote_sha256": sha256(quote.encode()).hexdigest()}
    return clause(**{name: row[name] for name in names} | usual | {"quote": quote} | changed)


def test_a_decision_on_a_clause_of_the_newest_text_holds(data: Dataset, tmp_path: Path) -> None:
    row = data.findings.to_dict("records")[0]
    states = ra.decisions(saved(tmp_path / "d.json", entry(of_row(row))), data)
    assert states[["state", "slug", "document"]].values.tolist() == [["holds", SLUG, row["document"]]]
    assert states["finding_ids"].tolist() == [[row["finding_id"]]]


def test_a_decision_reopens_where_a_later_text_has_other_words(client: Client, tmp_path: Path) -> None:
    data = ra.load(client, platforms=["quorfilixmusic"])
    before = data.at("2026-09-30").findings
    rows = before[before["surface"] == "training_use"].to_dict("records")
    entries = [entry(of_row(row)) for row in rows]
    file = saved(tmp_path / "d.json", *entries)
    assert set(ra.decisions(file, data.at("2026-09-30"))["state"]) == {"holds"}
    states = ra.decisions(file, data)
    gone = set(before["quote"]) - set(data.findings["quote"])
    assert set(states.loc[states["state"] == "reopened", "quote"]) == gone & {row["quote"] for row in rows}
    assert "reopened" in set(states["state"])


def test_a_clause_that_is_still_in_the_text_holds_even_if_it_is_no_finding_any_more(
    client: Client, tmp_path: Path
) -> None:
    data = ra.load(client, platforms=["quorfilixmusic"])
    before, now = data.at("2026-09-30").findings, set(data.findings["quote"])
    rows = before[~before["snapshot_sha256"].isin(data.findings["snapshot_sha256"])].to_dict("records")
    entries = [entry(of_row(row, surface="other_surface", finding_id="")) for row in rows]
    states = ra.decisions(saved(tmp_path / "d.json", *entries), data).set_index("quote")["state"]
    assert states.to_dict() == {row["quote"]: "holds" if row["quote"] in now else "reopened" for row in rows}
    assert {*states} == {"holds", "reopened"}


@pytest.mark.parametrize(
    ("now", "state"), [("", "holds"), (GARDEN, "reopened"), (GARDEN.replace("trees", "roses"), "holds")]
)
def test_a_decision_on_a_removed_clause_reopens_when_its_words_are_back_though_they_are_no_finding(
    now: str, state: str, tmp_path: Path
) -> None:
    start = PRIVACY.replace("We do not sell", f"{GARDEN}\n\nWe do not sell")
    texts = {"2026-01-10": start, "2026-02-10": PRIVACY, "2026-03-10": f"{PRIVACY}\n\nOur cat is black.\n\n{now}\n"}
    files = {f"Aurelia Chat/Privacy Policy/{day}.md": text for day, text in texts.items()}
    at = start.index(GARDEN)
    place = {"platform": "aurelia-chat", "document": "Privacy Policy", "surface": "", "quote": GARDEN, "removed": True}
    hashes = {
        "quote_sha256": sha256(GARDEN.encode()).hexdigest(),
        "snapshot_sha256": sha256(start.encode()).hexdigest(),
    }
    decided = entry(clause(**place, **hashes, start=at, end=at + len(GARDEN)), change_id="c1")
    with ra.connect(build_database(tmp_path, files)) as client:
        states = ra.decisions(saved(tmp_path / "d.json", decided), ra.load(client))
    assert states["state"].tolist() == [state]


@pytest.mark.parametrize(
    "changed",
    [
        {"quote": "We never keep anything that you say to the assistant."},
        {"start": 0},
        {"start": 1, "end": 2},
        {"lead_in": "We never do any of this:"},
        {"lead_in": "its quote"},  # not before it
    ],
)
def test_a_quote_that_its_snapshot_does_not_have_is_refused_with_its_entry(
    changed: dict[str, Any], data: Dataset, tmp_path: Path
) -> None:
    row = data.findings.to_dict("records")[0]
    changed = {name: row["quote"] if value == "its quote" else value for name, value in changed.items()}
    file = saved(tmp_path / "d.json", entry(of_row(row)), entry(of_row(row, **changed), name="Bo"))
    with pytest.raises(EvidenceError) as refused:
        ra.decisions(file, data)
    place = f"its words are not in snapshot {row['snapshot_sha256'][:12]}"
    assert str(refused.value) == f"{file}, entry 2 (Bo on {SLUG}, {row['document']}) was changed: {place}"


def test_a_lead_in_of_the_snapshot_is_accepted(client: Client, tmp_path: Path) -> None:
    data = ra.load(client, platforms=["silravane-image"])
    row = data.findings.dropna(subset=["lead_in"]).to_dict("records")[0]
    assert ra.decisions(saved(tmp_path / "d.json", entry(of_row(row))), data)["state"].tolist() == ["holds"]


def test_a_snapshot_that_the_source_does_not_have_is_not_compared(data: Dataset, tmp_path: Path) -> None:
    row = data.findings.to_dict("records")[0]
    unknown = of_row(row, snapshot_sha256="0" * 64, start=0)
    other = of_row(row, snapshot_sha256="0" * 64, quote="We never keep it.")
    states = ra.decisions(saved(tmp_path / "d.json", entry(unknown), entry(other)), data)
    assert sorted(states["state"]) == ["holds", "reopened"]


def test_a_platform_outside_the_data_is_left_out_and_one_that_is_not_tracked_is_unknown(
    data: Dataset, client: Client, tmp_path: Path
) -> None:
    row = data.findings.to_dict("records")[0]
    file = saved(tmp_path / "d.json", entry(of_row(row)), entry(of_row(row | {"slug": "nowhere"})))
    states = ra.decisions(file, ra.load(client, platforms=["quorfilixmusic"]))
    assert states[["slug", "state"]].values.tolist() == [["nowhere", "unknown"]]
