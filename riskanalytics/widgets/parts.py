"""Controls, words and looks that all widgets share. Whatever comes from data or a reader is text, never markup."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import cache
from html import unescape
from pathlib import Path
from typing import Final

import anywidget
import ipywidgets
from jinja2 import ChoiceLoader, PackageLoader, Template

from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.pages.charting.labels import label
from riskanalytics.pages.html import environment, html_of
from riskanalytics.pages.values import Paragraph, Part, Text, Words
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_TEXT

_FILLS: Final = "".join(
    f".ra .{letter}{{background:{LEVEL_COLOURS['light'][word]};color:{LEVEL_TEXT['light'][word]}}}"
    for letter, word in (("H", "HIGH"), ("M", "MED"), ("L", "LOW"), ("U", "UNKNOWN"))
)


class Frame(anywidget.AnyWidget):
    """The looks of all widgets, and the keys inside them kept from the notebook around them."""

    _esm = Path(__file__).with_name("widgets.js")
    _css = Path(__file__).with_name("widgets.css").read_text(encoding="utf-8") + _FILLS


def root(title: str, purpose: str, *children: ipywidgets.Widget) -> ipywidgets.VBox:
    """Return a widget: its title, one line on what it is for, and its parts."""
    head = ipywidgets.HTML(html_of((Paragraph(title, "ra-title"), Paragraph(purpose, "ra-for"))))
    box = ipywidgets.VBox([Frame(), head, *children])
    box.add_class("ra")
    return box


def row(*children: ipywidgets.Widget) -> ipywidgets.Box:
    """Return controls side by side, on further lines where they do not fit."""
    layout = ipywidgets.Layout(flex_flow="row wrap", align_items="flex-end", grid_gap="0 .75rem", width="100%")
    return ipywidgets.Box(children, layout=layout)


def shown_over(control: ipywidgets.DOMWidget, width: str = "auto", grow: bool = False) -> ipywidgets.Widget:
    """Return a control with its label above it."""
    control.add_class("ra-over")
    control.layout = ipywidgets.Layout(width=width, flex=f"1 1 {width}" if grow else "none", min_width="8rem")
    return control


ANY: Final = ""
"""Value of the option that leaves everything in: a drop-down list shows nothing for None."""


def choice(
    title: str, options: Iterable[tuple[str, str]], value: str | None = ANY, width: str = "9rem"
) -> ipywidgets.Dropdown:
    """Return a drop-down list."""
    return shown_over(ipywidgets.Dropdown(options=list(options), value=value, description=title), width)


def field(title: str, placeholder: str, value: str = "") -> ipywidgets.Widget:
    """Return a line to type in."""
    return shown_over(ipywidgets.Text(value=value, placeholder=placeholder, description=title), "16rem", grow=True)


def plain(value: object, width: int = 60) -> str:
    """Return text from data for a label or an option: hidden characters shown, one line, cut with a mark."""
    return unescape(label(value, width))


def on_submit(line: ipywidgets.Text, act: Callable[[], None]) -> None:
    """Act when a reader ends a line with Enter; not at every key."""
    line.on_msg(lambda _, content, __: act() if content.get("event") == "submit" else None)


def note(words: str) -> str:
    """Return a remark of ours as HTML."""
    return html_of((Paragraph(words, "note"),))


def failure(error: RiskAnalyticsError) -> Paragraph:
    """Return what went wrong in one line."""
    return Paragraph((Text("Did not work:", "strong"), f" {' '.join(str(error).split())}"))


def failed(error: RiskAnalyticsError) -> str:
    """Return what went wrong as HTML that is read out at once."""
    return spoken(failure(error), role="alert")


def spoken(*parts: Part, role: str = "status") -> str:
    """Return parts of a page as HTML that a screen reader reads out when they come.

    Parameters
    ----------
    *parts : Part
    role : str
        `status`, or `alert` for what cannot wait.
    """
    return _live(shown=parts, role=role)


def listed_facts(facts: Iterable[tuple[str, Words]]) -> str:
    """Return facts, each with its name, as HTML."""
    return _live(facts=tuple(facts))


def _live(**told: object) -> str:
    """Return the HTML of what stands inside a widget only."""
    blank: dict[str, object] = {"parts": (), "shown": (), "facts": (), "role": ""}
    blank |= {"once": lambda _: False, "figures": None, "quoted": None}
    return _template().render(**blank | told)


@cache
def _template() -> Template:
    """Return the template of what stands inside a widget only; it takes words and parts from that of pages."""
    pages = environment()
    loaders = [loader for loader in (pages.loader, PackageLoader("riskanalytics.widgets", "")) if loader]
    return pages.overlay(loader=ChoiceLoader(loaders)).get_template("widget.html.jinja")


class Soon:
    """Does the last thing that was asked of it, once nothing more is asked for a moment.

    Without a running loop (outside a kernel) it is done at once.

    Parameters
    ----------
    seconds : float
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: asyncio.TimerHandle | None = None

    def __call__(self, act: Callable[[], None]) -> None:
        """Do it soon, in place of what still waits."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            act()
            return
        self._waiting = loop.call_later(self._seconds, act)
