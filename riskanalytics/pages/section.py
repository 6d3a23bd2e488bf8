"""What one cell of a notebook shows, and the JSON in which it travels in the outputs of a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, wraps
from inspect import signature
from typing import Any, ClassVar, Final

from pydantic import TypeAdapter, ValidationError

from riskanalytics.errors import ReportError
from riskanalytics.pages.html import live_html_of
from riskanalytics.pages.values import PAGE_TYPE, Cell, Choice, Column, Evidence, Group, MatrixRow, Parts, Row

_PLAIN: Final = frozenset({Cell, Choice, Column, Evidence, MatrixRow, Row})
"""Objects that stand in one place only: their kind need not be told."""


def encode(value: object) -> object:
    """Return a value as JSON: objects that tell their `kind` and what is not usual about them.

    Parameters
    ----------
    value : Part, Words or a tuple of them

    Returns
    -------
    JSON value
        `decode` reads it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    if not is_dataclass(value):
        return value
    kind: type = type(value)
    told = {name: encode(own) for name, usual in _usual(kind) if (own := getattr(value, name)) != usual}
    return told if kind in _PLAIN else {"kind": kind.__name__.lower(), **told}


@cache
def _usual(kind: type) -> tuple[tuple[str, object], ...]:
    """Return the fields of a kind of value, each with its default."""
    return tuple((field.name, field.default) for field in fields(kind))


@cache
def _adapter() -> TypeAdapter[Parts]:
    """Return what reads parts from JSON."""
    return TypeAdapter(Parts)


def decode(told: object) -> Parts:
    """Return the parts that `encode` made JSON of.

    Parameters
    ----------
    told : JSON value
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
        return _adapter().validate_python(told)
    except (ValidationError, RecursionError) as error:
        raise ReportError(f"an output of media type {PAGE_TYPE} is not readable: run the notebook again") from error


DETAILS: Final = "riskanalytics"
"""Key of what a page tells about itself in an output's metadata."""


@dataclass(frozen=True)
class Section:
    """Parts of a page, last in a cell or given to `display`.

    Parameters
    ----------
    parts : tuple of Part
    text : str
        The same in short plain words, for the notebook's text output.
    report : mapping
        What a page tells about itself; the first section that says a thing is heard. `title`, `name` (what the file is
        named by), `description`, `as_of`, `scope`, `lead`, `quotes_checked`, `quotes_failed`, `counts`, `provenance`.
    """

    parts: Parts
    text: str
    report: Mapping[str, object] = field(default_factory=dict)
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
    """Return a section whose parts stand together under a label.

    Parameters
    ----------
    label : str
        Read by screen readers; not shown.
    *parts : Part
    text : str
        The same in short plain words.
    """
    return Section((Group(parts, "section", label),), text)


def of_data(**names: str) -> Callable[[Callable[..., Section]], Callable[..., Section]]:
    """Return a decorator of sections, which then take a data set instead of their frames.

    Called with a data set, a parameter that is not given is its view of the same name (`data.views`).

    Parameters
    ----------
    **names : str
        Parameter -> view, where the view has another name.
    """

    def decorated(show: Callable[..., Section]) -> Callable[..., Section]:
        wanted = [name for name, one in signature(show).parameters.items() if one.default is one.empty or name in names]

        @wraps(show)
        def shown(*args: Any, **kwargs: Any) -> Section:
            if len(args) != 1 or not hasattr(type(args[0]), "views"):
                return show(*args, **kwargs)
            views = args[0].views
            told = {name: getattr(views, names.get(name, name)) for name in wanted if name not in kwargs}
            return show(**told, **kwargs)

        return shown

    return decorated
