"""What one cell of a notebook shows: values as HTML through Jinja templates, and as JSON in a notebook's outputs."""

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
from pydantic import TypeAdapter, ValidationError

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
    """Return words as an address may hold them."""
    return re.sub("[^a-z0-9]+", "-", words.lower()).strip("-")


class Figures:
    """What a page counts: its figures, each with an address of its own, and the addresses that are taken."""

    def __init__(self) -> None:
        self.count = 0
        self._named: Counter[str] = Counter()
        self._taken: set[str] = set()

    def key(self) -> str:
        """Return the address at which a figure is drawn; `chart-1` is the first of a page."""
        self.count += 1
        return f"chart-{self.count}"

    def name(self, figure: Figure) -> str:
        """Return the name of a figure, with a number where another of the page has it."""
        stem = stem_of(figure.name)
        self._named[stem] += 1
        return stem if self._named[stem] == 1 else f"{stem}-{self._named[stem]}"

    def once(self, address: str) -> bool:
        """Say whether an address is asked for the first time: an `id` is unique."""
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
    """Return parts of a page as HTML.

    Parameters
    ----------
    parts : tuple of Part
    figures : Figures, optional
        Those of the page.
    quoted : callable, optional
        Keeps the record of a quote and gives its number (`pages.quoted.Quoted`); quotes name no record where None.
    cleaned : callable, optional
        Makes HTML of others harmless (`pages.cells.cleaned`); its plain text is shown where None.

    Returns
    -------
    str
        Everything from data is escaped; an address is at its first place only.
    """
    return rendered("parts.html.jinja", figures or Figures(), parts=parts, quoted=quoted, cleaned=cleaned)


def live_html_of(parts: Parts) -> str:
    """Return parts of a page as HTML with its styles, for front ends that show one output after the other.

    Text takes the colours of the front end, light or dark; only levels bring colours of their own.

    Parameters
    ----------
    parts : tuple of Part
    """
    colours = {"fill": LEVEL_COLOURS["light"], "ink": LEVEL_TEXT["light"], "letters": LEVEL_STYLES}
    return rendered("live.html.jinja", Figures(), parts=parts, **colours)


def rendered(template: str, figures: Figures, **given: object) -> str:
    """Return a template of pages, filled.

    Parameters
    ----------
    template : str
        Its file name.
    figures : Figures
        Those of the page.
    **given : object
        What else it shows.
    """
    usual = {"parts": (), "quoted": None, "cleaned": None, "once": figures.once}
    return _environment().get_template(template).render(**usual | given, figures=figures)


def script_json(value: object) -> str:
    """Return JSON that may be in a script element (RFC 8259, section 7).

    Parameters
    ----------
    value : JSON value

    Returns
    -------
    str
        It ends no script, turns no text around, and can be written whatever it holds; keys in order.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
    return _UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text).translate(_IN_MARKUP)


def _plot_json(plot: Mapping[str, Any]) -> Markup:
    """Return a figure's JSON for a script element, without the template, which the page's script holds once."""
    layout = plot.get("layout") or {}
    if layout.get("template") == figure_template():
        plot = {**plot, "layout": {name: value for name, value in layout.items() if name != "template"}}
    return Markup(script_json(plot))  # noqa: S704 (nothing in it ends the script)


def _is_many(plot: object) -> bool:
    """Say whether a figure has so many columns that a phone moves it sideways."""
    traces = Node(plot).parts("data")
    return any(trace.text("type") == "heatmap" and len(trace.values("x")) > 8 for trace in traces)


@cache
def _environment() -> Environment:
    """Return the templates, with what they ask of values."""
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
"""Values that are in one place only, and need not name their kind."""


def encode(value: object) -> object:
    """Return a value as JSON: objects with their `kind` and what is not usual about them.

    Parameters
    ----------
    value : Part, Words or a tuple of them

    Returns
    -------
    JSON value
        `decode` reads it.
    """
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    if not is_dataclass(value):
        return value
    said = {one.name: encode(own) for one in fields(value) if (own := getattr(value, one.name)) != one.default}
    return said if type(value) in _PLAIN else {"kind": v.kind_of(value), **said}


@cache
def _adapter() -> TypeAdapter[Parts]:
    """Return what reads parts from JSON."""
    return TypeAdapter(Parts)


def decode(value: object) -> Parts:
    """Return the parts that `encode` made JSON of.

    Parameters
    ----------
    value : JSON value
        From a notebook: checked, for anybody may have written it.

    Returns
    -------
    tuple of Part

    Raises
    ------
    ReportError
        If it is anything else.
    """
    try:
        return _adapter().validate_python(value)
    except (ValidationError, RecursionError) as error:
        raise ReportError(f"an output of media type {PAGE_TYPE} is not readable: run the notebook again") from error


DETAILS: Final = "riskanalytics"
"""Key of what a page says about itself in an output's metadata."""


@dataclass(frozen=True)
class Section:
    """Parts of a page, last in a cell or given to `display`.

    Parameters
    ----------
    parts : tuple of Part
    text : str
        The same in short plain words, for the notebook's text output.
    report : mapping
        What a page says about itself; the first section that says a thing counts. `title`, `name` (what the file is
        named by), `description`, `as_of`, `scope`, `lead`, `quotes_checked`, `quotes_failed`, `counts`, `provenance`.
    """

    parts: Parts
    text: str
    report: Json = field(default_factory=dict)
    for_others: ClassVar[bool] = True
    """Whether outputs, those of charts with them, hold HTML and drawings too; not where our exporter alone reads them."""

    @property
    def html(self) -> str:
        """The same as HTML, as a live notebook shows it."""
        return live_html_of(self.parts)

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, object], dict[str, object]]:
        """Return what a front end may show, and what the exporter reads."""
        bundle: dict[str, object] = {PAGE_TYPE: encode(self.parts), "text/plain": self.text}
        if Section.for_others:
            bundle["text/html"] = self.html
        return bundle, {DETAILS: {"report": dict(self.report)}} if self.report else {}


def section(label: str, *parts: Any, text: str) -> Section:
    """Return a section with its parts under a label.

    Parameters
    ----------
    label : str
        Read by screen readers; not shown.
    *parts : Part
    text : str
        The same in short plain words.
    """
    return Section((v.Group(parts, "section", label),), text)


Show = Callable[..., Section]


def sentence(words: str, style: str = "") -> Section:
    """Return a section of one sentence, a `Paragraph` in a style."""
    return Section((v.Paragraph(words, style),), words)


def of_data(**names: str) -> Callable[[Show], Show]:
    """Return a decorator of sections, which then take a data set instead of their frames.

    Called with a data set, a parameter that is not given is its view of the same name (`data.views`).

    Parameters
    ----------
    **names : str
        Parameter -> view, where the view has another name.
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
