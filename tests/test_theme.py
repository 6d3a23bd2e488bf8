"""The colours keep their order and their distance for every reader, and words keep their contrast."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from riskanalytics.surfaces import SURFACE_NAMES, surface_name
from riskanalytics.theme import (
    DARK_OF,
    LEVEL_CODES,
    LEVEL_COLOURS,
    LEVEL_TEXT,
    PAGE,
    UNFILLED,
    letter_of,
    letter_style,
    template,
)

MODES = ("light", "dark")
# Vienot, Brettel, Mollon 1999: linear RGB to LMS, and the projection of each kind of dichromat
LMS = np.array([[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]])
SEES = {
    "all": np.eye(3),
    "protanope": np.array([[0, 2.02344, -2.52581], [0, 1, 0], [0, 0, 1]]),
    "deuteranope": np.array([[1, 0, 0], [0.494207, 0, 1.24827], [0, 0, 1]]),
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    return float(linear(colour) @ XYZ[1])


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, reader: str = "all") -> np.ndarray:
    seen = np.clip(np.linalg.inv(LMS) @ SEES[reader] @ LMS @ linear(colour), 0, 1)
    xyz = XYZ @ seen / np.array([0.95047, 1, 1.08883])
    bent = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])])


@pytest.mark.parametrize("reader", SEES)
@pytest.mark.parametrize("mode", MODES)
def test_colour_blind_readers_can_distinguish_levels(mode: str, reader: str) -> None:
    for one, other in combinations(LEVEL_COLOURS[mode].values(), 2):
        assert np.linalg.norm(lab(one, reader) - lab(other, reader)) >= 15, (one, other)


@pytest.mark.parametrize("mode", MODES)
def test_levels_keep_their_order_in_grey(mode: str) -> None:
    page = lab(PAGE[mode]["background"])[0]
    steps = [abs(lab(LEVEL_COLOURS[mode][level])[0] - page) for level in ("LOW", "MED", "HIGH")]
    assert steps[0] + 10 < steps[1] < steps[2] - 10


@pytest.mark.parametrize("mode", MODES)
def test_words_have_contrast_on_page_and_levels(mode: str) -> None:
    for kind in ("text", "muted", "accent", "second"):
        assert contrast(PAGE[mode][kind], PAGE[mode]["background"]) >= 4.5
    for level, fill in LEVEL_COLOURS[mode].items():
        assert contrast(LEVEL_TEXT[mode][level], fill) >= 4.5
        # plotly itself writes white or #444 on filled marks, whichever it holds readable
        assert max(contrast("#ffffff", fill), contrast("#444444", fill)) >= 4.5


def test_every_light_colour_has_one_dark_counterpart() -> None:
    colours = [*LEVEL_COLOURS["light"].values(), *PAGE["light"].values()]
    assert len(DARK_OF) == len(set(colours)) == len(colours)
    assert set(DARK_OF) == set(colours)


def test_a_figure_has_its_own_background_for_dark_front_ends() -> None:
    layout = template()["layout"]
    assert contrast(layout["paper_bgcolor"], layout["font"]["color"]) > 7


def test_the_template_is_slim() -> None:
    layout = template()["layout"]
    assert layout["font"]["family"].startswith("system-ui")
    assert len(str(template())) < 2500


def test_a_surface_never_seen_is_named_readably() -> None:
    assert surface_name("training_use") == SURFACE_NAMES["training_use"]
    assert surface_name("voice_cloning") == "Voice cloning"


def test_each_level_has_its_letter_and_a_word_that_is_none_is_unknown() -> None:
    words = ("HIGH", "MED", "LOW", "UNRATED", "UNKNOWN", "SEVERE", "")
    assert [letter_of(word) for word in words] == ["H", "M", "L", "–", "?", "?", "?"]
    assert [letter_style(letter) for letter in "HML–?"] == ["H", "M", "L", "U", "U"]


def test_the_colour_axis_has_the_colour_of_each_level_at_its_code() -> None:
    layout = template()["layout"]
    axis = layout["coloraxis"]
    places = {UNFILLED: PAGE["light"]["background"]} | {
        code: LEVEL_COLOURS["light"][word] for word, code in LEVEL_CODES.items()
    }
    for code, colour in places.items():
        share = (code - axis["cmin"]) / (axis["cmax"] - axis["cmin"])
        below, above = (
            [one for edge, one in axis["colorscale"] if test(edge, share)] for test in (float.__le__, float.__ge__)
        )
        assert (below[-1], above[0]) == (colour, colour)
    assert layout["separators"] == ".,"
