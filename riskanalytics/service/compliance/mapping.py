"""What a platform's findings say to each control of the frameworks; nothing is ever called passed."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

from riskanalytics.errors import ReportError
from riskanalytics.surfaces.declared import declared

UNREAD: Final = "unread"
OUTCOMES: Final = ("concern", "attention", "undetermined", "low risk stated", "silent", "not assessed")
"""What a row may come to, gravest first; the last two say that nothing is known, each in its own way."""
_WORDS: Final = {"HIGH": "concern", "LOW": "low risk stated", "undetermined": "undetermined"}


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework as it is cited.

    Parameters
    ----------
    key, name : str
    source : str
        Publication and edition.
    url : str
        Where the publisher describes it.
    """

    key: str
    name: str
    source: str
    url: str


@dataclass(frozen=True, slots=True)
class Control:
    """One row of a framework.

    Parameters
    ----------
    framework : str
        Key of its framework.
    id, title : str
    surfaces : tuple of str
        Surfaces that speak to it; none where policies cannot show it.
    rationale : str
        Why they do, or why none does.
    """

    framework: str
    id: str
    title: str
    surfaces: tuple[str, ...]
    rationale: str


@dataclass(frozen=True, slots=True)
class ControlMap:
    """The frameworks and the controls that are mapped.

    Parameters
    ----------
    version : str
    frameworks : tuple of Framework
    controls : tuple of Control
    """

    version: str
    frameworks: tuple[Framework, ...]
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the findings say to one control.

    Parameters
    ----------
    control : Control
    outcome : str
        One of `OUTCOMES`.
    numbers : tuple of int
        Citations it rests on.
    """

    control: Control
    outcome: str
    numbers: tuple[int, ...]


@functools.cache
def control_map() -> ControlMap:
    """Return the mapping that this version carries: `framework.toml`, and the controls that the surfaces name.

    Raises
    ------
    ReportError
        If a surface names a control that does not exist.
    """
    text = resources.files(__package__).joinpath("framework.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    frameworks = tuple(Framework(**row) for row in table["frameworks"])
    speaks: dict[tuple[str, str], list[str]] = {(row["framework"], row["id"]): [] for row in table["rows"]}
    for surface in declared():
        for control in ((key, name) for key, names in surface.controls.items() for name in names):
            if control not in speaks:
                raise ReportError(f"{surface.id}.toml: controls: {' '.join(control)} is not in framework.toml")
            speaks[control].append(surface.id)
    controls = (Control(**row, surfaces=tuple(speaks[row["framework"], row["id"]])) for row in table["rows"])
    return ControlMap(table["version"], frameworks, tuple(controls))


def outcomes(surfaces: Mapping[str, tuple[str | None, tuple[int, ...]]]) -> list[Outcome]:
    """Return what the surfaces of a platform say to each control, in the order of the frameworks.

    Parameters
    ----------
    surfaces : mapping of str to tuple
        Level of each surface, None where nothing was found, `undetermined` where its clauses do not settle it, `UNREAD`
        where nothing was found and a document is not read; and the numbers of the citations that decided it.

    Returns
    -------
    list of Outcome
        A surface of level HIGH makes `concern`, any other level than LOW `attention`, one that is undetermined
        `undetermined`, only LOW `low risk stated`; nothing found on any is `silent`; no surface, or one that is not read
        beside silence, is `not assessed`. The numbers are those that decided the gravest of the surfaces.
    """
    return [_outcome(control, surfaces) for control in control_map().controls]


def _outcome(control: Control, surfaces: Mapping[str, tuple[str | None, tuple[int, ...]]]) -> Outcome:
    """Return what the surfaces say to one control."""
    known = [surfaces[name] for name in control.surfaces if name in surfaces]
    told = [one for one in known if one[0] not in (None, UNREAD)]
    if not told:
        unread = not control.surfaces or any(level == UNREAD for level, _ in known)
        return Outcome(control, "not assessed" if unread else "silent", ())
    words = [_WORDS.get(str(level), "attention") for level, _ in told]
    word = min(words, key=OUTCOMES.index)
    deciding = {number for (_, numbers), said in zip(told, words, strict=True) if said == word for number in numbers}
    return Outcome(control, word, tuple(sorted(deciding)))
