"""What a commit's message says of a capture, and the public link to one."""

from __future__ import annotations

import time

import pytest

from riskanalytics.ingest.collection import kind_of, public_link, sources_of


@pytest.mark.parametrize(
    ("subject", "kind"),
    [("First record of A B", "first"), ("Start tracking A B", "first"), ("Record new changes of A B", "change"),
     ("Update A B", "change"), ("Apply technical or declaration upgrade on A B", "technical"), ("Refilter A B", "technical"),
     ("Remove mojibake", "other")],
)  # fmt: skip
def test_all_forms_of_a_subject_are_known(subject: str, kind: str) -> None:
    assert kind_of(subject) == kind


def test_a_message_names_none_one_or_many_sources() -> None:
    assert sources_of("First record of A B") == ()
    assert sources_of("x\n\nafter extracting from snapshot https://s.example/1") == ("https://s.example/1",)
    many = (
        "x\n\nassembling the following snapshots from 2 source documents:\n- https://s.example/1\n- https://s.example/2"
    )
    assert sources_of(many) == ("https://s.example/1", "https://s.example/2")
    assert sources_of("x\n\nafter filtering snapshot mongo://c/snapshots/undefined") == ()
    assert sources_of("x\n\nafter filtering snapshot 0123456789abcdef01234567") == ("0123456789abcdef01234567",)


def test_a_link_is_made_only_to_a_public_home() -> None:
    assert public_link("folder", "abc", "A/B.md") is None
    assert public_link("Owner/mirror", "abc", "A B/C.md") == "https://github.com/Owner/mirror/blob/abc/A%20B/C.md"


@pytest.mark.parametrize("blank", [" ", "\t", "- ", "\n", "snapshot ", "https://"])
def test_a_hundred_kilobytes_of_commit_message_are_read_in_time(blank: str) -> None:
    began = time.perf_counter()
    assert (
        sources_of("x\n\n" + blank * (100_000 // len(blank)) + "\n  -  https://s.example/1 ")[-1]
        == "https://s.example/1"
    )
    assert time.perf_counter() - began < 1
