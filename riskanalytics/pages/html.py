"""Values of a page as HTML: all markup stands in Jinja templates, which escape whatever they are given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from riskanalytics.models.words import LEVEL_LETTERS
from riskanalytics.pages.svg.figure import Told
from riskanalytics.pages.values import MATRIX_CAPTION, Evidence, Figure, Level, Link, Parts
from riskanalytics.text.untrusted import is_public, visible
from riskanalytics.text.wording import plural
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_TEXT, figure_template, letter_of, letter_style

_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/=]")
_NOT_IN_IDS: Final = re.compile(r"[^a-z0-9]+")
_UNSAFE_IN_SCRIPTS: Final = re.compile(
    "[<>&\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c\ud800-\udfff\U000e0000-\U000e007f]"
)
_FILE_BESIDE: Final = re.compile(r"[A-Za-z0-9%._-]+")
_MANY_COLUMNS: Final = 9
_USUAL_HEIGHT: Final = 420
"""Pixels of a figure that does not tell its height."""


def html_of(
    parts: Parts,
    *,
    figures: Figures | None = None,
    quoted: Callable[[Evidence], int] | None = None,
    cleaned: Callable[[str], Markup] | None = None,
) -> str:
    """Return parts of a page as HTML.

    Parameters
    ----------
    parts : tuple of Part
    figures : Figures, optional
        Where figures of several calls stand on one page.
    quoted : callable, optional
        Keeps the record of a quote and gives its number (`pages.quoted.Quoted`); quotes name no record where None.
    cleaned : callable, optional
        Makes HTML that is none of ours harmless (`pages.foreign.cleaned`); its plain text is shown where None.

    Returns
    -------
    str
        Everything from data is escaped; each address stands once, at its first place.
    """
    return _template().render(parts=parts, once=_Once(), figures=figures or Figures(), quoted=quoted, cleaned=cleaned)


def live_html_of(parts: Parts) -> str:
    """Return parts of a page as HTML with its styles, for front ends that show one output after the other.

    Text takes the colours of the front end, light or dark; only levels bring colours of their own.

    Parameters
    ----------
    parts : tuple of Part
    """
    template = environment().get_template("live.html.jinja")
    return template.render(
        parts=parts,
        once=_Once(),
        figures=Figures(),
        quoted=None,
        cleaned=None,
        fill=LEVEL_COLOURS["light"],
        ink=LEVEL_TEXT["light"],
        letters=[(letter_style(letter), level) for level, letter in LEVEL_LETTERS.items()],
    )


class _Once:
    """Says whether an address is asked for the first time: an `id` may stand only once."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(self, address: str) -> bool:
        fresh = address not in self.seen
        self.seen.add(address)
        return fresh


def script_json(value: object) -> str:
    """Return JSON that may stand in a script element (RFC 8259, section 7).

    Parameters
    ----------
    value : JSON value

    Returns
    -------
    str
        It ends no script, turns no text around, and can be written whatever stands in it; keys in order.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
    return _UNSAFE_IN_SCRIPTS.sub(_code_units, text)


def _plot_json(plot: Mapping[str, Any]) -> Markup:
    """Return a figure's JSON for a script element, without the template, which the page's script holds once."""
    layout = plot.get("layout") or {}
    if layout.get("template") == figure_template():
        plot = {**plot, "layout": {name: value for name, value in layout.items() if name != "template"}}
    return Markup(script_json(plot))  # noqa: S704 (nothing in it ends the script)


class Figures:
    """The figures of a page: counted, each with an address of its own."""

    def __init__(self) -> None:
        self.count = 0
        self._named: dict[str, int] = {}

    def key(self) -> str:
        """Return the address at which a figure is drawn; `chart-1` is the first of a page."""
        self.count += 1
        return f"chart-{self.count}"

    def name(self, figure: Figure) -> str:
        """Return the name of a figure, with a number where another of the page has it."""
        stem = _NOT_IN_IDS.sub("-", figure.name.lower()).strip("-")
        self._named[stem] = self._named.get(stem, 0) + 1
        return stem if self._named[stem] == 1 else f"{stem}-{self._named[stem]}"


def _code_units(match: re.Match[str]) -> str:
    """Return a character as its UTF-16 code units."""
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _is_many(plot: Mapping[str, object]) -> bool:
    """Say whether a figure has so many columns that a phone moves it sideways."""
    traces = Told(plot).parts("data")
    return any(trace.text("type") == "heatmap" and len(trace.values("x")) >= _MANY_COLUMNS for trace in traces)


def _height(plot: Mapping[str, object]) -> int:
    """Return the height of a figure in pixels."""
    return int(Told(plot).part("layout").number("height") or _USUAL_HEIGHT)


@cache
def environment() -> Environment:
    """Return the templates, with what they ask of values."""
    made = Environment(
        loader=PackageLoader("riskanalytics.pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=False
    )
    made.filters |= {
        "visible": visible,
        "letter": letter_of,
        "letter_class": lambda word: letter_style(letter_of(word)),
        "style_of_letter": letter_style,
        "plural": plural,
        "kind": lambda value: type(value).__name__.lower(),
        "json": lambda value: Markup(script_json(value)),  # noqa: S704 (nothing in it ends the script)
        "plot": _plot_json,
        "height": _height,
        "base64": lambda text: _NOT_BASE64.sub("", text),
    }
    made.globals["caption"] = MATRIX_CAPTION
    made.tests |= {
        "public": lambda to: is_public(to),  # noqa: PLW0108 (mypy takes a cached function for no function)
        "inside": lambda to: to.startswith("#") or _FILE_BESIDE.fullmatch(to) is not None,
        "level": lambda value: isinstance(value, Level),
        "link": lambda value: isinstance(value, Link),
        "many": _is_many,
    }
    return made


@cache
def _template() -> Template:
    """Return the template of parts."""
    return environment().get_template("parts.html.jinja")
