"""Colours of pages and charts, the letters that mark levels (such as `H` for HIGH), and the plotly template of figures.

There are two modes, `light` and `dark`. Figures are made in light colours. Each light colour has one dark counterpart
(`DARK_OF`): a page in dark mode replaces the colours in a figure's JSON and in the template before it draws the figure.

A higher risk contrasts more with the page: darker on a light page, brighter on a dark one. The colours run from blue through
amber to red, so that their order is visible with deuteranopia, with protanopia and in grey print. Unknown is a neutral
grey outside this scale; charts hatch it or mark it with `?`.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

from riskanalytics.models import LEVELS, RATINGS, UNRATED, UNREAD

LEVEL_CODES: Final = {level: code for code, level in enumerate(LEVELS)}
"""Level -> its value on the colour axis that charts share."""
UNFILLED: Final = -1
"""Value on the colour axis of a cell with words but no level: filled like the page, so that plotly picks legible text."""


def _named(names: Sequence[str], colours: str) -> dict[str, str]:
    """Return colours (sRGB) by name."""
    return dict(zip(names, colours.split(), strict=True))


LEVEL_COLOURS: Final = {
    "light": _named(LEVELS, "#6b7178 #b9d9ea #eda743 #9c1c35"),
    "dark": _named(LEVELS, "#5f6368 #1f4a66 #a6630e #ff9f86"),
}
"""Mode (`light`, `dark`) -> level -> its fill colour (sRGB)."""

LEVEL_TEXT: Final = {
    "light": _named(LEVELS, "#ffffff #1a1d21 #1a1d21 #ffffff"),
    "dark": _named(LEVELS, "#ffffff #ffffff #ffffff #1a1d21"),
}
"""Mode -> level -> text colour on the fill of the level, for tables and marks of a page."""

_LETTERS: Final = {UNRATED: UNREAD} | {rating: rating[0] for rating in RATINGS}
LEVEL_STYLES: Final = {level[0]: level for level in LEVELS}
"""Style of a mark, as `letter_style` returns it -> level."""

_SHADES: Final = ("background", "text", "muted", "accent", "second", "hairline")
PAGE: Final = {
    "light": _named(_SHADES, "#ffffff #1a1d21 #5a616a #0b5c8a #8a5a0b #d9dde2"),
    "dark": _named(_SHADES, "#15181d #e8eaed #a4abb4 #6fb7e6 #e0b060 #343a42"),
}
"""Colours of a page, and of the lines and words of its figures, by mode (`light`, `dark`)."""

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
"""System fonts for pages and figures, as a CSS font stack."""

TEMPLATE: Final = "riskanalytics"
"""Name of the template in plotly's registry."""


UPLOAD: Final = "sendChartToCloud"
"""plotly's button that sends a chart with its data to another company."""


def letter_of(word: str) -> str:
    """Return the letter that marks a level or rating, such as `H` for HIGH; `–` for UNRATED, `?` for any other word."""
    return _LETTERS.get(word, "?")


def letter_style(letter: str) -> str:
    """Return the CSS class with which pages show the letter of a level: `H`, `M` or `L` for these letters, else `U` (unknown)."""
    return letter if letter in LEVEL_STYLES else "U"


def template() -> dict[str, Any]:
    """Return the plotly template for all figures (colours, fonts, axes) as a dict, about 1 KB as JSON.

    Returns
    -------
    dict
        `{"layout": ..., "data": ...}`. It gives figures a background, so that they are readable on any page.
    """
    page = PAGE["light"]
    colours = [page["background"], *(LEVEL_COLOURS["light"][level] for level in LEVEL_CODES)]
    scale = [[edge / len(colours), colour] for place, colour in enumerate(colours) for edge in (place, place + 1)]
    axis = {
        "automargin": True,
        "gridcolor": page["hairline"],
        "linecolor": page["hairline"],
        "zeroline": False,
        "title": {"font": {"size": 12, "color": page["muted"]}, "standoff": 10},
    }
    layout = {
        "paper_bgcolor": page["background"],
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": page["text"]},
        "title": {
            "x": 0, "xref": "container", "xanchor": "left", "y": 0.99, "yref": "container", "yanchor": "top",
            "pad": {"t": 8, "l": 4, "b": 8}, "font": {"size": 14, "weight": 600},
        },
        "margin": {"l": 8, "r": 12, "t": 56, "b": 8, "pad": 4},
        "separators": ".,",
        "showlegend": False,
        "colorway": [page["accent"], page["second"], page["muted"]],
        "coloraxis": {"cmin": UNFILLED - 0.5, "cmax": 3.5, "colorscale": scale, "showscale": False},
        "xaxis": axis,
        "yaxis": axis,
        "hoverlabel": {
            "bgcolor": page["background"], "bordercolor": page["muted"], "align": "left",
            "font": {"color": page["text"], "family": FONT},
        },
        "annotationdefaults": {"showarrow": False},
    }  # fmt: skip
    bar = {"marker": {"line": {"color": page["muted"], "width": 0.5}}, "textangle": 0}
    return {"layout": layout, "data": {"bar": [bar]}}


DARK_OF: Final = {
    light: dark
    for kind in (LEVEL_COLOURS, PAGE)
    for light, dark in zip(kind["light"].values(), kind["dark"].values(), strict=True)
}
"""Light colour -> dark counterpart, for all colours of figures."""


@cache
def figure_template() -> dict[str, Any]:
    """Return the plotly template in the form that it has in a figure's JSON; a page contains it once for all its figures."""
    figure = json.loads(str(_plotly("graph_objects").Figure(layout={"template": template()}).to_json()))
    return dict(figure["layout"]["template"])


def register() -> None:
    """Add the template to `plotly.io.templates` as `riskanalytics`, and remove plotly's upload button. Calling twice is harmless.

    The button is also removed from figures that a user draws directly with plotly, unless the user enabled it.
    """
    pio = _plotly("io")
    if TEMPLATE not in pio.templates:
        pio.templates[TEMPLATE] = _plotly("graph_objects").layout.Template(template())
    for renderer in map(pio.renderers.__getitem__, pio.renderers):
        if hasattr(renderer, "config"):
            renderer.config = {"showSendToCloud": False, **(renderer.config or {})}


def _plotly(part: str) -> Any:
    """Return a part of plotly, imported late because it is slow to import."""
    return import_module(f"plotly.{part}")
