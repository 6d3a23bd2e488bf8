"""Stances, levels and changes beside their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Final

from riskanalytics.accuracy.archive import Archive
from riskanalytics.accuracy.labels import ChangeLabel, StanceLabel, SurfaceLabel
from riskanalytics.accuracy.share import Share, Verdicts
from riskanalytics.extraction import Assessment, Comparison, assess, compare
from riskanalytics.surfaces import SURFACES

_SAID: Final = {
    "said_to_train": ("trains_by_default", "trains_with_opt_out", "depends_on_plan"),
    "said_not_to_train": ("trains_with_opt_in", "does_not_train"),
    "said_to_be_silent": ("silent",),
}
"""What a stance says in public under a platform's name."""
UNDETERMINED: Final = "undetermined"

Assess = Callable[[str], Assessment | None]
"""From a platform's slug to its assessment; None where the database does not track it."""


@dataclass(frozen=True)
class PlatformScore:
    """How well stances and levels were told.

    Parameters
    ----------
    stances : dict of str to Share
        `acceptable` and `best`: stances among those to accept, stances that are the best answer; `undetermined`: left
        open; `said_to_train`, `said_not_to_train`, `said_to_be_silent`: of the platforms that this is said of, those
        whose very stance is one to accept.
    present, level : dict of str to Share
        By surface: whether anything was found, as labelled, on training use also where it is left open; of what is
        labelled with a level, the level as labelled.
    faults : tuple of str
        A line for each stance that is not acceptable.
    missing : tuple of str
        A line for each platform that the database does not track.
    """

    stances: dict[str, Share]
    present: dict[str, Share]
    level: dict[str, Share]
    faults: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def assessor(archive: Archive, as_of: date | None) -> Assess:
    """Return what assesses a platform at a date, each once.

    Parameters
    ----------
    archive : Archive
    as_of : date or None
        State at the end of that day; the newest where None.
    """

    @cache
    def assessed(slug: str) -> Assessment | None:
        documents = archive.documents(slug, as_of)
        return None if documents is None else assess(documents)

    return assessed


def score_platforms(
    stances: Iterable[StanceLabel], surfaces: Iterable[SurfaceLabel], assessed: Assess
) -> PlatformScore:
    """Count stances and levels.

    Parameters
    ----------
    stances : iterable of StanceLabel
    surfaces : iterable of SurfaceLabel
    assessed : callable

    Returns
    -------
    PlatformScore
    """
    missing: Counter[str] = Counter()
    told, faults = Verdicts(("acceptable", "best", UNDETERMINED, *_SAID)), []
    for label in stances:
        given = assessed(label.platform)
        if given is None:
            missing[label.platform] += 1
            continue
        right = given.stance in label.acceptable
        told.add("acceptable", label.platform, right)
        told.add("best", label.platform, given.stance == label.best)
        told.add(UNDETERMINED, label.platform, given.stance == UNDETERMINED)
        for name in (name for name, said in _SAID.items() if given.stance in said):
            told.add(name, label.platform, right)
        if not right:
            faults.append(f"{label.platform}: {given.stance}, labelled {' or '.join(label.acceptable)}")
    present, level = _levels(surfaces, assessed, missing)
    lines = [f"platform {slug}: {count} labels" for slug, count in missing.items()]
    return PlatformScore(told.shares, present.shares, level.shares, tuple(faults), tuple(lines))


def _levels(labels: Iterable[SurfaceLabel], assessed: Assess, missing: Counter[str]) -> tuple[Verdicts, Verdicts]:
    """Whether anything was found, and the level, by surface; platforms not tracked are counted in `missing`."""
    present, level = Verdicts(SURFACES), Verdicts(SURFACES)
    for label in labels:
        assessment = assessed(label.platform)
        if assessment is None:
            missing[label.platform] += 1
        elif label.sure:
            given = next(row.risk for row in assessment.surfaces if row.surface == label.surface)
            to_read = label.surface == "training_use" and assessment.stance == UNDETERMINED
            present.add(label.surface, label.platform, label.present == (given is not None or to_read))
            if label.present and label.risk:
                level.add(label.surface, label.platform, label.risk == given)
    return present, level


@dataclass(frozen=True)
class ChangeScore:
    """How well changes were told.

    Parameters
    ----------
    shares : dict of str to Share
        `material`: called material, or not, as labelled. Of those labelled material: `surface`, the labelled one among
        those named; `first_surface`, named first; `direction`, as labelled.
    faults : tuple of str
        A line for each change whose class, surface or direction is another.
    missing : tuple of str
        A line for each change of which the database does not hold both texts.
    """

    shares: dict[str, Share]
    faults: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def score_changes(labels: Iterable[ChangeLabel], archive: Archive) -> ChangeScore:
    """Compare each labelled pair of texts.

    Parameters
    ----------
    labels : iterable of ChangeLabel
    archive : Archive

    Returns
    -------
    ChangeScore
    """
    told, faults, missing = Verdicts(("material", "surface", "first_surface", "direction")), [], []
    for label in labels:
        before, after = archive.text(label.before), archive.text(label.after)
        if before is None or after is None:
            gone = label.before if before is None else label.after
            missing.append(f"{label.where}, {label.platform}: sha256 {gone}")
            continue
        given = compare(before, after, readings=(archive.reading(label.before), archive.reading(label.after)))
        right = {"material": (given.change_class == "material") == label.material}
        if label.material:
            right |= {"surface": label.surface in given.surfaces, "direction": label.direction == given.direction}
            told.add("first_surface", label.platform, given.surfaces[:1] == (label.surface,))
        for name, verdict in right.items():
            told.add(name, label.platform, verdict)
        if not all(right.values()):
            faults.append(_fault(label, given))
    return ChangeScore(told.shares, tuple(faults), tuple(missing))


def _fault(label: ChangeLabel, given: Comparison) -> str:
    """A line for a change that is not told as labelled."""
    wanted = f"material on {label.surface}, {label.direction}" if label.material else "not material"
    told = f"{given.change_class}{' on ' if given.surfaces else ''}{', '.join(given.surfaces[:3])}"
    return f"{label.id or label.where} ({label.platform}): {told}, {given.direction}; labelled {wanted}"
