"""Stances, levels and changes beside their labels, read from the texts of an ingested database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Final

from riskanalytics.accuracy.clauses import Share, Verdicts
from riskanalytics.accuracy.labels import ChangeLabel, StanceLabel, SurfaceLabel
from riskanalytics.extraction import Assessment, Comparison, DocumentReading, Reading, assess, compare, extract
from riskanalytics.service import Store
from riskanalytics.service.store.evidence import newest_captures
from riskanalytics.surfaces import SURFACES
from riskanalytics.work.executors import open_executor


class Archive:
    """Texts by their hash, and the documents of a platform at a date; each text is read once.

    Parameters
    ----------
    store : Store
        An ingested database. Its texts are read again by the rules of this version: what an earlier version
        recorded in it does not count.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._texts: dict[str, str | None] = {}
        self._readings: dict[str, Reading] = {}

    def text(self, sha256: str) -> str | None:
        """Return a text; None where the database does not hold it.

        Parameters
        ----------
        sha256 : str
            Hash of its bytes.

        Raises
        ------
        DatabaseError
            If the database is damaged.
        """
        if sha256 not in self._texts:
            body = self._store.snapshot(sha256)
            self._texts[sha256] = None if body is None else body.decode("utf-8", errors="replace")
        return self._texts[sha256]

    def reading(self, sha256: str) -> Reading:
        """Return what is read out of a text that the database holds.

        Parameters
        ----------
        sha256 : str
        """
        if sha256 not in self._readings:
            self._readings[sha256] = extract(self.text(sha256) or "")
        return self._readings[sha256]

    def read(self, hashes: Iterable[str], dask: str | None = None) -> None:
        """Read texts, several at once; those that the database does not hold are left out.

        Parameters
        ----------
        hashes : iterable of str
        dask : str, optional
            As `executors.open_executor` takes it.
        """
        texts = {sha256: text for sha256 in dict.fromkeys(hashes) if (text := self.text(sha256)) is not None}
        with open_executor(dask, sum(map(len, texts.values()))) as workers:
            asked = {sha256: workers.executor.submit(extract, text) for sha256, text in texts.items()}
            self._readings |= {sha256: reading.result() for sha256, reading in asked.items()}

    def newest(self, slug: str, as_of: date | None) -> list[tuple[str, str, str]]:
        """Return name, hash and time of the newest capture of each document of a platform, broken ones too.

        Parameters
        ----------
        slug : str
        as_of : date or None
            By the end of that day; the newest where None.
        """
        return newest_captures(self._store, slug, as_of)

    def documents(self, slug: str, as_of: date | None) -> list[DocumentReading] | None:
        """Return what is read out of the newest captures of a platform's documents.

        These are the texts that a reader of the archive has before them, broken captures too; the service itself
        keeps the last good text of a document instead.

        Parameters
        ----------
        slug : str
        as_of : date or None
            By the end of that day; the newest where None.

        Returns
        -------
        list of DocumentReading or None
            None where nothing of the platform was captured by then.
        """
        captures = self.newest(slug, as_of)
        return [DocumentReading(name, sha256, at, self.reading(sha256)) for name, sha256, at in captures] or None


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
