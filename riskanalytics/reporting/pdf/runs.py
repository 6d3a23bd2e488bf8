"""Runs of words: the words of a page with their style and where they lead, as the template writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlsplit

from riskanalytics.reporting.pdf.markup import Element

Run = dict[str, Any]
"""`t` words; `s` its styles (letters); `l` class of a level; `to` an address: of the web, or `#id` in the report."""

_BLANKS: Final = re.compile(r"[ \t\r\n\f]+")
_BLANKS_IN_LINES: Final = re.compile(r"[ \t\r\f]+")
_LONG: Final = re.compile(r"\S{28}")
_ENDLESS: Final = re.compile(r"\S{4001,}")
_LONGEST_LINK: Final = 2000
_LEVELS: Final = ("H", "M", "L", "U")
_TAG_STYLES: Final = {
    "strong": "b", "b": "b", "em": "i", "i": "i", "code": "c", "kbd": "c", "del": "d", "ins": "n", "mark": "k",
    "cite": "m", "summary": "b", "dt": "b",
}  # fmt: skip
_CLASS_STYLES: Final = {"thin": "m", "meta": "m", "note": "m", "around": "m", "ok": "m", "bad": "x", "dir": "b"}
_SKIPPED: Final = frozenset({
    "script", "style", "template", "nav", "button", "label", "input", "select", "option", "output", "svg", "textarea",
})  # fmt: skip
_SKIPPED_CLASSES: Final = frozenset({"tools", "hidden", "noprint", "skip"})
_BREAKING: Final = frozenset(
    {"p", "div", "li", "tr", "blockquote", "ul", "ol", "table", "h3", "h4", "details", "summary", "pre"}
)


def is_skipped(element: Element) -> bool:
    """Say whether an element is for the screen only."""
    return element.tag in _SKIPPED or bool(element.classes & _SKIPPED_CLASSES)


def runs_of(parts: Iterable[Element | str], *, lines: bool = False, whole: bool = False) -> list[Run]:
    """Return the runs of some parts of a page.

    Parameters
    ----------
    parts : iterable of Element or str
    lines : bool
        Whether line breaks stay, as in quotes.
    whole : bool
        Whether all white space stays, as in commands.

    Returns
    -------
    list of Run
        Without blanks at the ends; neighbours of one style are one run.
    """
    runs: list[Run] = []
    _gather(parts, "", "", runs)
    blanks = _BLANKS_IN_LINES if lines else _BLANKS
    return _trimmed(runs if whole else [_collapsed(run, blanks) for run in runs], whole=whole)


def plain(runs: Iterable[Run]) -> str:
    """Return the words of runs."""
    return "".join(str(run["t"]) for run in runs)


def _gather(parts: Iterable[Element | str], styles: str, to: str, runs: list[Run]) -> None:
    """Walk through parts."""
    for part in parts:
        if isinstance(part, str):
            runs.append({"t": part, "s": styles, "to": to})
        elif part.tag == "br":
            runs.append({"t": "\n", "s": styles + "_", "to": ""})
        elif part.tag == "img":
            runs.append({"t": part.attributes.get("alt", ""), "s": styles, "to": to})
        elif not is_skipped(part):
            _gather_element(part, styles, to, runs)


def _gather_element(part: Element, styles: str, to: str, runs: list[Run]) -> None:
    """Walk through one element."""
    level = next((letter for letter in _LEVELS if letter in part.classes), "")
    if "level" in part.classes and level:
        runs.append({"t": part.text().strip(), "s": "", "l": level, "to": to})
        return
    added = [_TAG_STYLES.get(part.tag, ""), *(_CLASS_STYLES.get(name, "") for name in sorted(part.classes))]
    inner = "".join(dict.fromkeys(styles + "".join(added)))
    target = _target(part.attributes.get("href", "")) if part.tag == "a" else to
    quoted = part.tag == "q"
    if part.tag in _BREAKING and runs and not runs[-1]["t"].endswith("\n"):
        runs.append({"t": "\n", "s": "_", "to": ""})
    if quoted:
        runs.append({"t": "“", "s": inner, "to": target})
    _gather(part.parts, inner, target, runs)
    if quoted:
        runs.append({"t": "”", "s": inner, "to": target})


def _target(href: str) -> str:
    """Return where a link leads: an address of the web or a place in the report; nothing for any other."""
    if href.startswith("#"):
        return href
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    fine = parts.scheme in ("http", "https") and parts.hostname and href.isprintable() and len(href) <= _LONGEST_LINK
    return href if fine else ""


def _collapsed(run: Run, blanks: re.Pattern[str]) -> Run:
    """Return a run with its white space as a browser shows it; breaks stay."""
    return run if "_" in run["s"] else {**run, "t": blanks.sub(" ", run["t"])}


def _trimmed(runs: list[Run], *, whole: bool) -> list[Run]:
    """Return runs joined, without blanks at the ends and with their long words marked."""
    joined: list[Run] = []
    for run in runs:
        key = (run["s"].replace("_", ""), run["to"], run.get("l"))
        text = run["t"]
        if not whole and joined and joined[-1]["t"].endswith((" ", "\n")) and "l" not in run:
            text = text.lstrip(" ")
        if joined and "l" not in run and (joined[-1]["s"], joined[-1]["to"], joined[-1].get("l")) == key:
            joined[-1]["t"] += text
        elif text:
            joined.append({**run, "t": text, "s": key[0]})
    while joined and not joined[0]["t"].strip():
        joined.pop(0)
    while joined and not joined[-1]["t"].strip():
        joined.pop()
    if joined:
        joined[0]["t"] = joined[0]["t"].lstrip(" \n")
        joined[-1]["t"] = joined[-1]["t"].rstrip(" \n")
    return [_slim(run) for run in joined]


def _slim(run: Run) -> Run:
    """Return a run without what is empty; `w` among its styles says that a word of it is long.

    A word of more than 4,000 letters is cut with a mark: no line could be broken around it in good time.
    """
    run = {**run, "t": _ENDLESS.sub(_cut, run["t"])}
    styles = run["s"] + ("w" if _LONG.search(run["t"]) else "")
    kept = {"t": run["t"], "s": styles, "to": run["to"], "l": run.get("l")}
    return {key: value for key, value in kept.items() if value or key == "t"}


def _cut(match: re.Match[str]) -> str:
    """Return the beginning of a word, and how much more of it there is."""
    return f"{match[0][:4000]} [… {len(match[0]) - 4000:,} more characters]"
