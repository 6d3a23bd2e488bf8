"""Stances, levels and changes beside their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from riskanalytics.accuracy.archive import Archive
from riskanalytics.accuracy.labels import ChangeLabel, StanceLabel, SurfaceLabel
from riskanalytics.accuracy.share import Share
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
    kept: dict[str, Assessment | None] = {}

    def assessed(slug: str) -> Assessment | None:
        if slug not in kept:
            documents = archive.documents(slug, as_of)
            kept[slug] = None if documents is None else assess(documents)
        return kept[slug]

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
    missing: dict[str, int] = {}
    verdicts: dict[str, list[tuple[str, bool]]] = {name: [] for name in ("acceptable", "best", UNDETERMINED, *_SAID)}
    faults = []
    for label in stances:
        given = assessed(label.platform)
        if given is None:
            missing[label.platform] = missing.get(label.platform, 0) + 1
            continue
        right = given.stance in label.acceptable
        said = (name for name, told in _SAID.items() if given.stance in told)
        for name in ("acceptable", *said):
            verdicts[name].append((label.platform, right))
        verdicts["best"].append((label.platform, given.stance == label.best))
        verdicts[UNDETERMINED].append((label.platform, given.stance == UNDETERMINED))
        if not right:
            faults.append(f"{label.platform}: {given.stance}, labelled {' or '.join(label.acceptable)}")
    present, level = _levels(surfaces, assessed, missing)
    lines = [f"platform {slug}: {count} labels" for slug, count in missing.items()]
    shares = {name: Share.of(told) for name, told in verdicts.items()}
    return PlatformScore(shares, present, level, tuple(faults), tuple(lines))


def _levels(
    labels: Iterable[SurfaceLabel], assessed: Assess, missing: dict[str, int]
) -> tuple[dict[str, Share], dict[str, Share]]:
    """Whether anything was found, and the level, by surface; platforms not tracked are counted in `missing`."""
    present: dict[str, list[tuple[str, bool]]] = {surface: [] for surface in SURFACES}
    level: dict[str, list[tuple[str, bool]]] = {surface: [] for surface in SURFACES}
    for label in labels:
        assessment = assessed(label.platform)
        if assessment is None:
            missing[label.platform] = missing.get(label.platform, 0) + 1
        elif label.sure:
            given = next(row.risk for row in assessment.surfaces if row.surface == label.surface)
            to_read = label.surface == "training_use" and assessment.stance == UNDETERMINED
            present[label.surface].append((label.platform, label.present == (given is not None or to_read)))
            if label.present and label.risk:
                level[label.surface].append((label.platform, label.risk == given))
    return (
        {surface: Share.of(verdicts) for surface, verdicts in present.items()},
        {surface: Share.of(verdicts) for surface, verdicts in level.items()},
    )


@dataclass(frozen=True)
class ChangeScore:
    """How well changes were told.

    Parameters
    ----------
    material : Share
        Called material, or not, as labelled.
    surface, first_surface, direction : Share
        Of those labelled material: the labelled surface among those named; named first; the direction as labelled.
    faults : tuple of str
        A line for each change whose class, surface or direction is another.
    missing : tuple of str
        A line for each change of which the database does not hold both texts.
    """

    material: Share
    surface: Share
    first_surface: Share
    direction: Share
    faults: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass
class _Changes:
    material: list[tuple[str, bool]] = field(default_factory=list)
    surface: list[tuple[str, bool]] = field(default_factory=list)
    first: list[tuple[str, bool]] = field(default_factory=list)
    direction: list[tuple[str, bool]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(self, label: ChangeLabel, given: Comparison) -> None:
        """Count one change."""
        verdicts = [(given.change_class == "material") == label.material]
        self.material.append((label.platform, verdicts[0]))
        if label.material:
            verdicts += [label.surface in given.surfaces, label.direction == given.direction]
            self.surface.append((label.platform, verdicts[1]))
            self.first.append((label.platform, given.surfaces[:1] == (label.surface,)))
            self.direction.append((label.platform, verdicts[2]))
        if not all(verdicts):
            wanted = f"material on {label.surface}, {label.direction}" if label.material else "not material"
            told = f"{given.change_class}{' on ' if given.surfaces else ''}{', '.join(given.surfaces[:3])}"
            self.faults.append(f"{label.id} ({label.platform}): {told}, {given.direction}; labelled {wanted}")


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
    counts, missing = _Changes(), []
    for label in labels:
        before, after = archive.text(label.before), archive.text(label.after)
        if before is None or after is None:
            gone = label.before if before is None else label.after
            missing.append(f"{label.where}, {label.platform}: sha256 {gone}")
            continue
        readings = (archive.reading(label.before, before), archive.reading(label.after, after))
        counts.add(label, compare(before, after, readings=readings))
    return ChangeScore(
        Share.of(counts.material),
        Share.of(counts.surface),
        Share.of(counts.first),
        Share.of(counts.direction),
        tuple(counts.faults),
        tuple(missing),
    )
