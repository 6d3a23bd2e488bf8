"""What a platform's findings say to each control of the frameworks; nothing is ever called passed."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

from riskanalytics.errors import ReportError
from riskanalytics.models import SURFACES
from riskanalytics.service.store.read import Json

OUTCOMES: Final = ("concern", "attention", "low risk stated", "silent", "not assessed")
"""What a row may come to, gravest first; the last two say that nothing is known, each in its own way."""


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
    """Return the mapping that this version carries (`framework.toml`).

    Raises
    ------
    ReportError
        If a row names a surface or a framework that does not exist.
    """
    text = resources.files(__package__).joinpath("framework.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    frameworks = tuple(Framework(**row) for row in table["frameworks"])
    controls = tuple(Control(**{**row, "surfaces": tuple(row["surfaces"])}) for row in table["rows"])
    keys = {framework.key for framework in frameworks}
    for control in controls:
        if control.framework not in keys or not set(control.surfaces) <= set(SURFACES):
            raise ReportError(f"framework.toml: {control.id} names an unknown framework or surface")
    return ControlMap(table["version"], frameworks, controls)


def outcomes(findings: Sequence[Json], *, readable: bool) -> list[Outcome]:
    """Return what numbered findings say to each control, in the order of the frameworks.

    Parameters
    ----------
    findings : sequence of dict
        In the order of the citations: the first is number 1.
    readable : bool
        Whether at least one document could be read.

    Returns
    -------
    list of Outcome
        A HIGH finding on one of the surfaces makes `concern`, any other level than LOW `attention`, only LOW
        findings `low risk stated`; no finding is `silent`; no surface, or nothing readable, is `not assessed`.
        The numbers are those of the findings that decide.
    """
    by_surface: dict[str, list[tuple[int, str]]] = {}
    for number, finding in enumerate(findings, 1):
        by_surface.setdefault(finding["surface"], []).append((number, finding["risk"]))
    return [_outcome(control, by_surface, readable=readable) for control in control_map().controls]


def _outcome(control: Control, by_surface: Mapping[str, list[tuple[int, str]]], *, readable: bool) -> Outcome:
    """Return what the findings say to one control."""
    if not control.surfaces or not readable:
        return Outcome(control, "not assessed", ())
    cited = [pair for surface in control.surfaces for pair in by_surface.get(surface, ())]
    if not cited:
        return Outcome(control, "silent", ())
    high = [number for number, risk in cited if risk == "HIGH"]
    other = [number for number, risk in cited if risk not in ("HIGH", "LOW")]
    low = [number for number, risk in cited if risk == "LOW"]
    word = "concern" if high else "attention" if other else "low risk stated"
    return Outcome(control, word, tuple(sorted(high or other or low)))
