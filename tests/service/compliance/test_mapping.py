"""What findings say to each control; nothing is ever called passed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from riskanalytics.service.compliance.mapping import (
    LONGEST_LINE,
    OUTCOME_WORDS,
    OUTCOMES,
    UNREAD,
    VERIFICATION_WORDS,
    address,
    control_map,
    excerpt,
    explanation,
    line,
    outcomes,
    ranges,
)
from riskanalytics.surfaces import SURFACES
from riskanalytics.surfaces.declared import declared


def outcome_of(control: str, **levels: tuple[str | None, tuple[int, ...]]) -> tuple[str, Any]:
    """Outcome and numbers of one control for the levels of surfaces and what decided them."""
    (row,) = [row for row in outcomes(levels) if row["id"] == control]
    return row["outcome"], tuple(row["numbers"])


def test_every_surface_has_a_control_in_each_framework_and_controls_are_unique() -> None:
    table = control_map()
    for framework in table["frameworks"]:
        rows = [control for control in table["rows"] if control["framework"] == framework["key"]]
        assert {surface for row in rows for surface in row["surfaces"]} == set(SURFACES)
        assert len({row["id"] for row in rows}) == len(rows)
        assert any(not row["surfaces"] for row in rows)
    ids = [control["id"] for control in table["rows"]]
    assert {"GOVERN 1.1", "GOVERN 6.1", "MAP 4.1", "MEASURE 2.10", "MANAGE 3.2", "A.2", "A.10"} <= set(ids)
    for name in ids:
        assert re.fullmatch(r"(GOVERN|MAP|MEASURE|MANAGE) \d\.\d{1,2}|A\.([2-9]|10)", name)


def test_the_controls_of_each_surface_are_those_that_were_reviewed() -> None:
    reviewed = {
        "training_use": "GOVERN 6.1, MAP 1.1, MAP 4.2, MEASURE 2.10, MANAGE 3.2, A.7",
        "web_data_training": "MAP 4.1, MEASURE 2.8, MANAGE 3.2, A.4, A.7",
        "content_license": "GOVERN 6.1, MAP 4.1, A.7, A.10",
        "output_rights": "GOVERN 6.1, MAP 1.1, MAP 4.1, MANAGE 1.4, A.9",
        "ip_liability": "GOVERN 6.1, MAP 4.1, MANAGE 1.4, MANAGE 3.1, A.10",
        "data_retention": "GOVERN 6.2, MAP 1.6, MEASURE 2.10, A.8",
        "third_party_sharing": "GOVERN 6.1, MAP 4.2, MEASURE 2.10, MANAGE 3.1, A.10",
        "ads_tracking": "GOVERN 1.1, MEASURE 2.10, A.9",
        "human_review": "MAP 1.6, MEASURE 2.8, MEASURE 2.10, A.5, A.8",
        "cross_border_transfer": "GOVERN 1.1, MEASURE 2.10, A.10",
        "sensitive_data": "GOVERN 1.1, MAP 1.1, MAP 1.6, MEASURE 2.10, A.5, A.7",
        "terms_changes": "GOVERN 1.5, GOVERN 6.2, MEASURE 2.8, MANAGE 3.1, A.8, A.10",
    }
    rows = control_map()["rows"]
    named = {surface: ", ".join(row["id"] for row in rows if surface in row["surfaces"]) for surface in reviewed}
    assert named == reviewed


def test_every_control_named_by_a_surface_belongs_to_a_framework() -> None:
    known = {(row["framework"], row["id"]) for row in control_map()["rows"]}
    for surface in declared():
        assert {(key, name) for key, names in surface.controls.items() for name in names} <= known


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ({"training_use": ("LOW", (1,)), "web_data_training": ("HIGH", (2, 5))}, ("concern", (2, 5))),
        ({"training_use": ("MED", (3, 1)), "web_data_training": ("LOW", (2,))}, ("attention", (1, 3))),
        ({"training_use": ("SEVERE", (1,))}, ("attention", (1,))),
        ({"training_use": ("LOW", (1, 3)), "ads_tracking": ("HIGH", (2,))}, ("low risk stated", (1, 3))),
        ({"training_use": ("LOW", (1,)), "web_data_training": (None, ())}, ("low risk stated", (1,))),
        ({"training_use": ("undetermined", (1,)), "web_data_training": ("LOW", (2,))}, ("undetermined", (1,))),
        ({"training_use": ("undetermined", (1,)), "web_data_training": ("MED", (2,))}, ("attention", (2,))),
        ({"training_use": (UNREAD, ()), "web_data_training": (None, ())}, ("not assessed", ())),
        ({"training_use": (UNREAD, ()), "web_data_training": ("LOW", (2,))}, ("low risk stated", (2,))),
        ({"ads_tracking": ("HIGH", (1,))}, ("silent", ())),
        ({}, ("silent", ())),
    ],
)
def test_the_most_severe_surface_decides_the_outcome(
    levels: dict[str, tuple[str | None, tuple[int, ...]]], expected: tuple[str, tuple[int, ...]]
) -> None:
    assert outcome_of("MANAGE 3.2", **levels) == expected


def test_a_control_without_surfaces_and_a_platform_without_text_are_not_assessed() -> None:
    assert outcome_of("GOVERN 1.6", **dict.fromkeys(SURFACES, ("HIGH", (1,)))) == ("not assessed", ())
    assert {row["outcome"] for row in outcomes(dict.fromkeys(SURFACES, (UNREAD, ())))} == {"not assessed"}


def test_the_mapping_never_claims_that_a_control_is_met() -> None:
    said = [
        *OUTCOMES,
        *OUTCOME_WORDS.values(),
        *(f"{row['title']} {row['rationale']}" for row in control_map()["rows"]),
    ]
    for text in said:
        assert not re.search(r"\b(compliant|complies|passed|conforms|fulfilled|met)\b", text, re.IGNORECASE)
    assert set(OUTCOME_WORDS) == set(OUTCOMES)


def test_each_word_is_explained_as_what_it_is() -> None:
    for words in (VERIFICATION_WORDS, OUTCOME_WORDS):
        assert len(set(words.values())) == len(words)
    assert VERIFICATION_WORDS == {
        "verified": "verified: all documents were read and every quote was found in its source",
        "partial": "partial: not every document was read",
        "stale": "stale: the newest capture of a document is broken; its last good text is used",
        "unverified": "unverified: no document was read",
    }
    begun = {name: text.split(" ")[-2:] for name, text in OUTCOME_WORDS.items()}
    assert begun == {
        "concern": ["rated", "HIGH."], "attention": ["is", "MED."], "undetermined": ["read", "them."],
        "low risk stated": ["states", "itself."], "silent": ["a", "safeguard."], "not assessed": ["not", "read."],
    }  # fmt: skip


def test_numbers_are_grouped_into_sorted_runs_without_repetitions() -> None:
    assert ranges([7, 1, 3, 2, 3]) == [[1, 3], [7, 7]]
    assert ranges([1, 3, 5, 6]) == [[1, 1], [3, 3], [5, 6]]
    assert ranges([]) == []


@pytest.mark.parametrize(
    ("url", "kept"),
    [("https://a.example/x", True), ("http://a.example", True), ("javascript:alert(1)", False), ("https://", False),
     ("https://a.example/\u202e", False), ("https://[", False), (None, False), ("https://a.example/" + "x" * 2000, False)],
)  # fmt: skip
def test_only_a_plain_web_address_becomes_a_link(url: str | None, kept: bool) -> None:
    assert address(url)["link"] == (url if kept else None)


def test_a_long_text_becomes_one_line_with_its_original_length() -> None:
    assert line("a\nb") == "a[U+000A]b"
    assert line("x" * LONGEST_LINE) == "x" * LONGEST_LINE
    assert line("x" * 5000) == "x" * LONGEST_LINE + "… (5,000 characters in all)"


def test_an_excerpt_ends_at_a_word_and_a_short_quote_stays_complete() -> None:
    assert excerpt("We do  not\nsell data.", 1) == "“We do not sell data.”"
    assert excerpt("word " * 40, 1) == "“" + "word " * 17 + "word…”"
    said = "This PDF has no font for this script. Citation 7 shows the code points, the evidence file the text."
    assert excerpt("我们训练 you", 7) == "“我们训练 you”"
    assert excerpt("我们会训练 mod", 7) == said


def test_the_reason_for_a_level_contains_no_rule_name() -> None:
    assert explanation("ads_tracking.sale, training_use.opt_out.exists") == "sale; opt out exists"
    learned = explanation("sensitive_data.not_collected, sensitive_data.learned.low, sensitive_data.learned.med")
    assert learned == "not collected; wording learned from examples"
    for text in ("read, and nothing found", "ads_tracking.sale, and more"):
        assert explanation(text) == text
