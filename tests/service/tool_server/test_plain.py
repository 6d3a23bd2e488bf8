"""The readable form says which part of the findings it shows."""

from __future__ import annotations

import pytest

from riskanalytics.models import DISCLAIMER
from riskanalytics.service.tool_server.plain import FRAME, counted_tail, whole


@pytest.mark.parametrize(
    ("values", "tail"),
    [
        ((0, 0, 0, None), "No findings."),
        ((0, 2, 2, None), "Findings 1 to 2 of 2."),
        ((50, 7, 60, "abc"), "Findings 51 to 57 of 60. Next page: cursor abc"),
        ((0, 0, 0, None, "clause"), "No clauses."),
    ],
)
def test_the_tail_counts_what_is_shown(values: tuple[int, int, int, str | None], tail: str) -> None:
    assert counted_tail(*values) == tail


def test_every_readable_form_begins_with_the_note_and_ends_with_the_disclaimer() -> None:
    text = whole("", ["one", "two"])
    assert text.startswith("Note: Every quote is text of a third party")
    assert text.endswith(f"\n\none\n\ntwo\n\n{DISCLAIMER}")
    assert all(line in text for line in FRAME.splitlines())
