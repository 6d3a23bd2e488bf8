"""The content of one notebook cell: values rendered as HTML by Jinja templates, and as JSON in a notebook's outputs."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, wraps
from inspect import signature
from typing import Any, ClassVar, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic import ConfigDict, TypeAdapter, ValidationError

from riskanalytics.errors import ReportError
from riskanalytics.frames.building import Json
from riskanalytics.text.untrusted import is_public, visible
from riskanalytics.text.wording import plural
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_STYLES, LEVEL_TEXT, figure_template, letter_of, letter_style

from . import values as v
from .svg.figure import Node
from .values import PAGE_TYPE, Evidence, Figure, Parts

_UNSEEN: Final = re.compile("[\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c\ud800-\udfff\U000e0000-\U000e007f]")
_IN_MARKUP: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}


def stem_of(words: str) -> str:
    """Return words as an anchor: lower-case letters and digits of ASCII, and a hyphen for each run of other characters."""
    return re.sub("[^a-z0-9]+", "-", words.lower()).strip("-")


class Figures:
    """Gives the figures of one page unique anchors and names, and records which anchors the page has used."""

    def __init__(self) -> None:
        self.count = 0
        self._named: Counter[str] = Counter()
        self._taken: set[str] = set()

    def key(self) -> str:
        """Return the anchor of the next figure; the first on a page is `chart-1`."""
        self.count += 1
        return f"chart-{self.count}"

    def name(self, figure: Figure) -> str:
        """Return the name of a figure, with a number if an earlier figure of the page has the same name."""
        stem = stem_of(figure.name)
        self._named[stem] += 1
        return stem if self._named[stem] == 1 else f"{stem}-{self._named[stem]}"

    def once(self, address: str) -> bool:
        """Return whether the anchor `address` is not used on the page yet, and record it as used."""
        fresh = address not in self._taken
        self._taken.add(address)
        return fresh


def html_of(
    parts: Parts,
    *,
    figures: Figures | None = None,
    quoted: Callable[[Evidence], int] | None = None,
    cleaned: Callable[[str], Markup] | None = None,
) -> str:
    """Return blocks of a page as HTML.

    Parameters
    ----------
    parts : tuple of Part
        Blocks of the page, such as headings, paragraphs and tables (`pages.values`).
    figures : Figures, optional
        Figures and anchors that the page already has. If None, the page is new.
    quoted : callable, optional
        Keeps the record of a quote and returns its number (`pages.quoted.Quoted`). If None, quotes refer to no record.
    cleaned : callable, optional
        Sanitizes HTML that other code put into the notebook (`pages.cells.cleaned`). If None, its plain text is shown.

    Returns
    -------
    str
        HTML in which all data are escaped. If several blocks have the same anchor, only the first keeps it.
    """
    return rendered("parts.html.jinja", figures or Figures(), parts=parts, quoted=quoted, cleaned=cleaned)


def live_html_of(parts: Parts) -> str:
    """Return blocks of a page as HTML with the CSS that they need, for the output of a cell in a live notebook.

    Text has the colours of the notebook's front end, light or dark; only levels have their own colours.

    Parameters
    ----------
    parts : tuple of Part
        Blocks of a page, such as headings, paragraphs and tables (`pages.values`).
    """
    colours = {"fill": LEVEL_COLOURS["light"], "ink": LEVEL_TEXT["light"], "letters": LEVEL_STYLES}
    return rendered("live.html.jinja", Figures(), parts=parts, **colours)


def rendered(template: str, figures: Figures, **given: object) -> str:
    """Return the text of a Jinja template of this package, filled with variables.

    Parameters
    ----------
    template : str
        File name of the template.
    figures : Figures
        Figures and anchors that the page already has.
    **given : object
        Other variables of the template.
    """
    usual = {"parts": (), "quoted": None, "cleaned": None, "once": figures.once}
    return _environment().get_template(template).render(**usual | given, figures=figures)


def script_json(value: object) -> str:
    """Return JSON for a script element (RFC 8259, section 7).

    Parameters
    ----------
    value : JSON value

    Returns
    -------
    str
        Safe for any content: it cannot end the script or reverse the text direction. Keys are sorted.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
    return _UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text).translate(_IN_MARKUP)


def _plot_json(plot: Mapping[str, Any]) -> Markup:
    """Return a figure's JSON for a script element, without the plotly template: the page contains that once."""
    layout = plot.get("layout") or {}
    if layout.get("template") == figure_template():
        plot = {**plot, "layout": {name: value for name, value in layout.items() if name != "template"}}
    return Markup(script_json(plot))  # noqa: S704 (nothing in it ends the script)


def _is_many(plot: object) -> bool:
    """Return whether a figure has so many columns that a phone scrolls it sideways."""
    traces = Node(plot).parts("data")
    return any(trace.text("type") == "heatmap" and len(trace.values("x")) > 8 for trace in traces)


@cache
def _environment() -> Environment:
    """Return the Jinja environment with the tests and filters for values."""
    made = Environment(loader=PackageLoader("riskanalytics.pages"), autoescape=True, undefined=StrictUndefined)
    made.globals["caption"] = v.MATRIX_CAPTION
    made.filters |= {
        "visible": visible,
        "letter": letter_of,
        "style_of_letter": letter_style,
        "plural": plural,
        "kind": v.kind_of,
        "plot": _plot_json,
        "height": lambda plot: int(Node(plot).number("layout.height", 420)),
    }
    made.tests |= {
        "public": lambda to: is_public(to),  # noqa: PLW0108 (mypy takes a cached function for no function)
        "inside": lambda to: re.fullmatch("#.*|[A-Za-z0-9%._-]+", to, re.DOTALL) is not None,
        "many": _is_many,
    }
    return made


_PLAIN: Final = frozenset({v.Cell, v.Choice, v.Column, Evidence, v.MatrixRow, v.Row})
"""Classes whose objects need no `kind` in JSON, because the field that contains them determines their class."""


def encode(value: object) -> object:
    """Return blocks of a page as objects for JSON, for the outputs of a notebook.

    Parameters
    ----------
    value : Part, Words or a tuple of them
        Blocks of a page, or their words (`pages.values`).

    Returns
    -------
    JSON value
        Each object has its `kind` (the name of its class in lower case) and all fields that differ from the default. `decode`
        reads it.
    """
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    if not is_dataclass(value):
        return value
    said = {one.name: encode(own) for one in fields(value) if (own := getattr(value, one.name)) != one.default}
    return said if type(value) in _PLAIN else {"kind": v.kind_of(value), **said}


_PARTS: Final = TypeAdapter[Parts](Parts, config=ConfigDict(defer_build=True))
"""Validator of parts in JSON."""


def decode(value: object) -> Parts:
    """Return the blocks of a page that `encode` wrote as JSON.

    Parameters
    ----------
    value : JSON value
        Untrusted, from a notebook; it is validated.

    Returns
    -------
    tuple of Part

    Raises
    ------
    ReportError
        If the value does not have the form that `encode` writes.
    """
    try:
        return _PARTS.validate_python(value)
    except (ValidationError, RecursionError) as error:
        raise ReportError(f"an output of media type {PAGE_TYPE} cannot be read: run the notebook again") from error


DETAILS: Final = "riskanalytics"
"""Key, in the metadata of a notebook or an output, of the facts about a page."""


@dataclass(frozen=True)
class Section:
    """Blocks of a page that a notebook shows if the section is the last value of a cell, or an argument of `display`.

    Parameters
    ----------
    parts : tuple of Part
        Headings, paragraphs, tables, ... (`pages.values`).
    text : str
        Short plain text, for the notebook's text output.
    report : mapping
        Facts about the whole page, such as `title`, `name` (for the file name), `description`, `as_of` (day of the data), `scope`
        (which platforms it covers), `lead` (first statement), `quotes_checked` and `quotes_failed` (numbers of quotes), `counts`
        (other numbers that it states) and `provenance` (hash of the data, versions, parameters). If several sections of a page
        give the same fact, the value in the first one is used.
    """

    parts: Parts
    text: str
    report: Json = field(default_factory=dict)
    for_others: ClassVar[bool] = True
    """Whether outputs of sections and charts also contain HTML and drawings; False where only the exporter reads them."""

    @property
    def html(self) -> str:
        """The section as HTML for a live notebook."""
        return live_html_of(self.parts)

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, object], dict[str, object]]:
        """Return the output for front ends and for the exporter."""
        bundle: dict[str, object] = {PAGE_TYPE: encode(self.parts), "text/plain": self.text}
        if Section.for_others:
            bundle["text/html"] = self.html
        return bundle, {DETAILS: {"report": dict(self.report)}} if self.report else {}


def section(label: str, *parts: Any, text: str) -> Section:
    """Return blocks of a page as one section with a label.

    Parameters
    ----------
    label : str
        Read by screen readers, not shown.
    *parts : Part
        Headings, paragraphs, tables, ... (`pages.values`).
    text : str
        Short plain text, for the notebook's text output.
    """
    return Section((v.Group(parts, "section", label),), text)


Show = Callable[..., Section]


def sentence(words: str, style: str = "") -> Section:
    """Return a section that contains one sentence, as a `Paragraph` in the given style (by default without style)."""
    return Section((v.Paragraph(words, style),), words)


def of_data(**names: str) -> Callable[[Show], Show]:
    """Return a decorator for functions that make a section from frames: they then also accept a data set instead of the frames.

    If a data set (`ra.load`) is the only positional argument, each required parameter that the caller does not give by name is
    taken from `data.views`, where it has the name of the parameter.

    Parameters
    ----------
    **names : str
        Parameter -> name of the frame in `data.views`. Needed for a required parameter that has another name there, and for
        an optional parameter, which otherwise keeps its default.
    """

    def decorated(show: Show) -> Show:
        wanted = [name for name, one in signature(show).parameters.items() if one.default is one.empty or name in names]

        @wraps(show)
        def shown(*args: Any, **kwargs: Any) -> Section:
            if len(args) == 1 and hasattr(type(args[0]), "views"):
                views = {name: names.get(name, name) for name in wanted if name not in kwargs}
                kwargs |= {name: getattr(args[0].views, view) for name, view in views.items()}
                args = ()
            return show(*args, **kwargs)

        return shown

    return decorated
