"""A whole set of labels against a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from riskanalytics.accuracy.archive import Archive
from riskanalytics.accuracy.clauses import LabelledText, Tally, score_clauses, sort_labels
from riskanalytics.accuracy.labels import Labels, read_labels
from riskanalytics.accuracy.platforms import ChangeScore, PlatformScore, assessor, score_changes, score_platforms
from riskanalytics.extraction import RULES_VERSION
from riskanalytics.service import Store

Progress = Callable[[str, int, int | None], None]
"""(phase, steps done, steps in all)"""


@dataclass(frozen=True)
class Score:
    """What a set of labels says of the extraction.

    Parameters
    ----------
    folder : Path
        The labels.
    rules : str
        Version of what read the texts.
    as_of : date or None
        Day at whose end platforms were assessed.
    texts : tuple of LabelledText
        What was scored, with all findings.
    surfaces : dict of str to Tally
        Clauses, by surface.
    platforms : PlatformScore
    changes : ChangeScore
    refused : tuple of str
        Labels that were not scored since they do not stand where they say: a line each.
    not_scored : tuple of str
        Labels that were not scored since the database does not hold their text: a line each.
    """

    folder: Path
    rules: str
    as_of: date | None
    texts: tuple[LabelledText, ...]
    surfaces: dict[str, Tally]
    platforms: PlatformScore
    changes: ChangeScore
    refused: tuple[str, ...]
    not_scored: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every label was scored."""
        return not self.refused and not self.not_scored


def score(folder: Path, database: Path, *, progress: Progress | None = None) -> Score:
    """Score the extraction of this version against a folder of labels.

    Parameters
    ----------
    folder : Path
        Of labels; see `riskanalytics.accuracy.labels`.
    database : Path
        An ingested database that holds the labelled texts.
    progress : callable, optional
        Told the phase, the steps done and the steps in all.

    Returns
    -------
    Score

    Raises
    ------
    LabelsError
        If the folder, or a line of it, is not of the form described.
    DatabaseError
        If the database cannot be read.
    """
    labels = read_labels(folder)
    store = Store(database)
    try:
        with store.one_state():
            return _scored(labels, Archive(store), progress or _silent)
    finally:
        store.close()


def _scored(labels: Labels, archive: Archive, tell: Progress) -> Score:
    tell("reading the labelled texts", 0, 3)
    placed = sort_labels(
        labels.quotes, labels.negatives, archive.text, lambda sha256, text: archive.reading(sha256, text).findings
    )
    tell("assessing the labelled platforms", 1, 3)
    platforms = score_platforms(labels.stances, labels.surfaces, assessor(archive, labels.as_of))
    tell("comparing the labelled changes", 2, 3)
    changes = score_changes(labels.changes, archive)
    return Score(
        labels.folder,
        RULES_VERSION,
        labels.as_of,
        placed.texts,
        score_clauses(placed.texts),
        platforms,
        changes,
        placed.refused,
        (*placed.missing, *platforms.missing, *changes.missing),
    )


def _silent(phase: str, done: int, total: int | None) -> None:
    """Take no note of progress."""
