"""The measured precision of readers decides which verdicts are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.accuracy import score
from riskanalytics.accuracy.readers import _shown, measure
from riskanalytics.extraction import DocumentReading, extract
from riskanalytics.extraction.changed import changed_units
from riskanalytics.extraction.records import Course
from riskanalytics.extraction.training import asked, read_whole, stances_key
from riskanalytics.extraction.units import units_of
from riskanalytics.extraction.verdicts import LEAD, Readers, Verdict, Verdicts, Vote
from riskanalytics.service.store.verdicts import keep_courses, keep_stances, readers_named
from riskanalytics.service.store.write import Writer
from riskanalytics.surfaces import SURFACES
from tests.accuracy.given import SLUG, document, label, sha256, write_labels
from tests.service.given import PRIVACY, PRIVACY_LATER, build_database


def test_a_basis_is_shown_if_all_that_is_shown_on_its_surface_is_precise_enough() -> None:
    shown = _shown({"agreed": (45, 50), "agreed_known": (198, 200), "disputed": (12, 30), "disputed_known": (44, 50)})
    assert shown == {"agreed_known": 0.99, "agreed": 0.9, "disputed_known": 0.88, "disputed": 0.4}


def test_a_basis_is_a_lead_if_it_would_make_its_surface_too_imprecise() -> None:
    assert _shown({"agreed_known": (95, 100), "agreed": (86, 100)}) == {"agreed_known": 0.95, "agreed": round(LEAD, 3)}


def test_an_imprecise_basis_is_never_carried_by_precise_ones() -> None:
    assert _shown({"agreed_known": (1000, 1000), "agreed": (845, 1000)}) == {
        "agreed_known": 1.0,
        "agreed": round(LEAD, 3),
    }


@pytest.mark.parametrize(("others", "found"), [(14, 1), (15, 0)])
def test_leads_of_unlabelled_documents_are_among_the_fifteen_that_a_platform_shows(
    tmp_path: Path, others: int, found: int
) -> None:
    head = "# Privacy Policy\n\nOur services process personal data.\n\n"
    letters, own = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:others], "Item 00 of the long list is open to a small circle."
    text, other = head + own, head + "\n\n".join(own.replace("00", letter * 2) for letter in letters)
    files = {
        f"Aurelia Chat/{name}/2026-01-10.md": body for name, body in (("Privacy Policy", text), ("Imprint", other))
    }
    surfaces = {"human_review": other, "data_retention": text}
    said = {
        unit.key: Verdicts((Verdict(surface, "MED", "raises_risk", own=True),))
        for surface, body in surfaces.items()
        for unit in units_of(body)
        if unit.words.startswith("Item")
    }
    readers = Readers(
        ("reader@1",), {"reader@1": said}, {"human_review": {"agreed": 0.6}, "data_retention": {"agreed": 0.5}}
    )
    labels = write_labels(
        tmp_path / "labels", whole=[document(text, label(text, own, "data_retention", "MED"))], training_use=None,
        platform_surface=None, changes=None,
    )  # fmt: skip
    leads = score(labels, build_database(tmp_path, files), readers=readers).groups["all"].shares["leads"]
    assert (leads.part, leads.whole) == (found, 1)


def test_thirty_verdicts_measure_each_surface_together_with_four_of_all_surfaces(tmp_path: Path) -> None:
    text = "# Privacy Policy\n\nOur services process personal data.\n\n" + "\n\n".join(
        f"Item {place}{place} of the long list is open to a small circle." for place in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcd"
    )
    database = build_database(tmp_path, {"Aurelia Chat/Privacy Policy/2026-01-10.md": text})
    *items, last = units_of(text)[1:]
    labels = [label(text, unit.words, "human_review", "MED") for unit in items]
    said = {unit.key: Verdicts((Verdict("human_review", "MED", "raises_risk", own=True),)) for unit in items}
    said[last.key] = Verdicts((Verdict("data_retention", "MED", "raises_risk", own=True),))
    shown = measure(write_labels(tmp_path / "labels", whole=[document(text, *labels)]), database, {"reader@1": said})
    everywhere = 4 * 29 / 30
    assert shown == {surface: {"agreed": round(everywhere / 4, 3)} for surface in SURFACES} | {
        "human_review": {"agreed": round((29 + everywhere) / 33, 3)},
        "data_retention": {"agreed": round(everywhere / 5, 3)},
    }


def test_directions_and_stances_on_which_two_readers_agree_are_scored_and_those_of_one_are_not(tmp_path: Path) -> None:
    both = f"{PRIVACY_LATER}\nWe use the files you upload to train our models.\n"
    texts = {"2026-01-10": PRIVACY, "2026-02-10": PRIVACY_LATER, "2026-03-10": both}
    database = build_database(tmp_path, {f"Aurelia Chat/Privacy Policy/{day}.md": text for day, text in texts.items()})
    labels = write_labels(
        tmp_path / "labels", whole=None, platform_surface=None,
        training_use=[{"platform": SLUG, "label": "trains_by_default", "acceptable": ["trains_by_default"]}],
        changes=[{
            "id": "c_1", "platform": SLUG, "before_sha256": sha256(PRIVACY), "after_sha256": sha256(PRIVACY_LATER),
            "material": True, "surface": "training_use", "direction": "up",
        }],
    )  # fmt: skip
    seen = asked([DocumentReading("Privacy Policy", "a", "2026", read_whole(both, extract(both), []))])
    votes = {
        stances_key(unit.key for _, unit, bears in seen if bears): Vote("trains_by_default", "silent", [seen[0][1].key])
    }
    courses = {changed_units(PRIVACY, PRIVACY_LATER).key: Course("up", (("training_use", "up"),))}
    with Writer(database) as writer:
        with writer.transaction() as connection:
            for reader in ("one@1", "two@1"):
                keep_courses(connection, reader, courses)
                keep_stances(connection, reader, votes)
        groups = [None, *(readers_named(writer.connection, names, {}) for names in (["one@1"], ["one@1", "two@1"]))]
    right = [
        [result.shares[group][name].part for group, name in (("changes", "direction"), ("stances", "acceptable"))]
        for result in (score(labels, database, readers=readers) for readers in groups)
    ]
    assert right == [[0, 0], [0, 0], [1, 1]]
