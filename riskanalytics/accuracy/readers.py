"""Measure how often the verdicts of readers (language models) are right, on fully labelled documents.

A verdict is what a reader says of a clause on one surface. The share of right verdicts is measured separately for each surface,
and for verdicts on which all, most or fewer of the readers agree.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from riskanalytics.errors import LabelsError
from riskanalytics.extraction.verdicts import BASES, LEAD, Basis, Readers, Verdicts
from riskanalytics.settings.databases import Place
from riskanalytics.surfaces import SURFACES
from riskanalytics.work import OnProgress

from .clauses import Share
from .scoring import Score, score

_PRIOR: Final = 4
"""Number of verdicts that the precision on all surfaces counts as, when it is averaged with the precision on one surface."""
_LEAST: Final = 30
"""Minimum number of verdicts on a basis for its precision to be measured."""
_SHOWN_FROM: Final = 0.94
"""Minimum precision of all verdicts together that can become findings on a surface."""
_JOINS_FROM: Final = 0.85
"""Minimum precision of a single basis whose verdicts can become findings."""

Shown = dict[str, dict[str, float]]
"""Surface -> `Basis` -> precision, as in `Readers.shown`."""


def measure(
    source: Path, database: Place, verdicts: Mapping[str, Mapping[str, Verdicts]], progress: OnProgress | None = None
) -> Shown:
    """Measure how often the verdicts of readers (language models) are right, and return the confidence to give to them.

    Parameters
    ----------
    source : Path
        A file of fully labelled documents, or a folder of labels.
    database : Path or Server
        Database with the labelled texts.
    verdicts : mapping of str to mapping of str to Verdicts
        Name of a reader -> key of a unit (a clause in its context) -> the reader's verdicts on the unit.
    progress : callable, optional
        Called with the phase, the number of steps done, and the number of all steps.

    Returns
    -------
    dict
        Surface -> basis -> confidence. The basis of a verdict says how many of the language models gave a verdict on the
        surface: all (`agreed`), most (`majority`) or fewer (`disputed`). It ends with `_known` if the package alone, without
        language models, has a finding or lead on the surface, too. The confidence is the precision of the verdicts with this
        basis on the surface, averaged with their precision on all surfaces; the latter counts as much as four verdicts.

        On each surface, the most precise bases keep this confidence, so that their verdicts can become findings: as many of them
        as have a precision of .85 or more each, and of .94 or more together. The confidence of every other basis is limited to
        the highest confidence of a lead, so that its verdicts stay leads. A basis with fewer than 30 verdicts on
        labelled documents is left out; its verdicts stay leads, too.

    Raises
    ------
    LabelsError
        If no basis has 30 verdicts, because the readers have read too few of the labelled texts.
    """
    counted: dict[str, dict[Basis, tuple[float, float]]] = {surface: {} for surface in SURFACES}
    for basis in BASES:
        readers = Readers(tuple(verdicts), verdicts, {surface: {basis: 1.0} for surface in SURFACES})
        share = _by_surface(score(source, database, readers=readers, progress=progress))
        for surface in SURFACES if share.whole >= _LEAST else ():
            right, whole = share.counts.get(surface, (0, 0))
            counted[surface][basis] = right + _PRIOR * share.part / share.whole, whole + _PRIOR
    if not any(counted.values()):
        raise LabelsError(
            f"the language models gave fewer than {_LEAST} verdicts on the labelled texts: "
            f"run 'riskanalytics read --labels {source}' first"
        )
    return {surface: _shown(counts) for surface, counts in counted.items()}


def _shown(counts: Mapping[Basis, tuple[float, float]]) -> dict[str, float]:
    """Return the confidence of each basis on a surface, given basis -> numbers of right verdicts and of all verdicts."""
    shown: dict[str, float] = {}
    right = whole = 0.0
    for basis, (own_right, own_whole) in sorted(counts.items(), key=lambda one: -one[1][0] / one[1][1]):
        own, right, whole = own_right / own_whole, right + own_right, whole + own_whole
        joins = own >= _JOINS_FROM and right / whole >= _SHOWN_FROM
        shown[basis] = round(own if joins else min(own, LEAD), 3)
    return shown


def _by_surface(result: Score) -> Share:
    """Return the share of right findings among those that readers decided, with counts by surface instead of by family."""
    verdicts = (pair for judged in result.documents for pair in judged.verdicts)
    return Share.of((found.surface, label is not None, 1) for found, label in verdicts if found.read_by is not None)
