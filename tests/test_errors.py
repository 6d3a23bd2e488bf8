"""Messages of libraries are told in one line, and long ones keep their end, which says what to do."""

from __future__ import annotations

import pytest

from riskanalytics.errors import cut_inside, one_line


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one […] three"),
        ("the folder could not be read: give another one", 30, "the […] give another one"),
        ("x" * 9, 6, "xx […] xxxx"),
        ("", 0, ""),
    ],
)
def test_a_long_text_is_cut_in_its_middle_at_spaces_after_a_third(text: str, most: int, cut: str) -> None:
    assert cut_inside(text, most) == cut


def test_the_message_of_a_library_is_one_line_of_limited_length() -> None:
    assert one_line(ValueError("no\n\tsuch   file ")) == "no such file"
    told = one_line(ValueError("begins " + "word " * 200 + "ends"))
    assert (told.startswith("begins word"), told.endswith("word ends"), len(told) <= 304) == (True, True, True)
