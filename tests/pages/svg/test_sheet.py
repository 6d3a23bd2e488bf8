"""What an SVG is written on: labels, colours and numbers."""

from __future__ import annotations

import pytest

from riskanalytics.pages.svg.sheet import Sheet, colour, is_dark, number, width
from tests.pages.svg.given import marks, words


def test_a_label_has_its_lines_and_strong_words_and_no_other_mark() -> None:
    sheet = Sheet()
    sheet.text(10, 20, "<b>one</b> &amp; two<br><script>three", fill="#000000")
    svg = sheet.written(100, 50)
    assert words(svg) == ["one & two", "<script>three"]
    assert [mark.text for mark in marks(svg, "tspan")] == ["one"]
    first, second = (float(mark.get("y") or 0) for mark in marks(svg, "text"))
    assert first < 20 < second


@pytest.mark.parametrize(
    ("value", "shown"),
    [("#9c1c35", "#9c1c35"), ("rgba(1,2,3,0)", "none"), ("transparent", "none"), ('red" x="', "blue"), (3, "blue")],
)
def test_a_colour_that_could_be_anything_else_is_the_default(value: object, shown: str) -> None:
    assert colour(value, "blue") == shown


def test_words_stand_white_on_dark_grounds_only() -> None:
    assert is_dark("#9c1c35")
    assert not is_dark("#ffffff")


def test_width_is_that_of_the_longest_line() -> None:
    assert width("ab<br>abcd") == width("abcd") > width("ab")


def test_numbers_are_the_same_on_every_machine() -> None:
    assert [number(value) for value in (1.0, -0.001, 2.345, 1e6)] == ["1", "0", "2.35", "1000000"]
    with pytest.raises(ValueError, match="finite"):
        number(float("nan"))
