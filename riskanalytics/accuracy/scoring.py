"""A whole set of labels against a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from riskanalytics.accuracy.clauses import Figures, JudgedDocument, score_clauses
from riskanalytics.accuracy.labels import Labels, WholeDocument, read_labels
from riskanalytics.accuracy.platforms import (
    Archive,
    ChangeScore,
    PlatformScore,
    assessor,
    score_changes,
    score_platforms,
)
from riskanalytics.extraction import RULES_VERSION, DocumentReading
from riskanalytics.extraction.stance import Located
from riskanalytics.service import Store
from riskanalytics.service.store.evidence import MOST_LEADS, surest_leads
from riskanalytics.settings.databases import Place

Progress = Callable[[str, int, int | None], None]
"""(phase, steps done, steps in all)"""


@dataclass(frozen=True)
class Score:
    """What a set of labels says of the extraction.

    Parameters
    ----------
    source : Path
        The labels.
    rules : str
        Version of what read the texts.
    as_of : date or None
        Day at whose end platforms were assessed.
    documents : tuple of JudgedDocument
        What was labelled whole, with all findings.
    groups : dict of str to Figures
        See `score_clauses`.
    platforms : PlatformScore
    changes : ChangeScore
    samples : tuple of str
        Files of labels that were not read, since they label a sample only.
    refused : tuple of str
        Labels that were not scored since they do not stand where they say: a line each.
    not_scored : tuple of str
        Labels that were not scored since the database does not hold their text: a line each.
    """

    source: Path
    rules: str
    as_of: date | None
    documents: tuple[JudgedDocument, ...]
    groups: dict[str, Figures]
    platforms: PlatformScore
    changes: ChangeScore
    samples: tuple[str, ...]
    refused: tuple[str, ...]
    not_scored: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every label was scored."""
        return not self.refused and not self.not_scored


def score(source: Path, database: Place, *, dask: str | None = None, progress: Progress | None = None) -> Score:
    """Score the extraction of this version against labels.

    Parameters
    ----------
    source : Path
        A file of documents labelled whole, or a folder of labels; see `riskanalytics.accuracy.labels`.
    database : Path or Server
        An ingested database that holds the labelled texts.
    dask : str, optional
        Address of a Dask scheduler whose workers read the texts; the cores of this machine do without.
    progress : callable, optional
        Told the phase, the steps done and the steps in all.

    Returns
    -------
    Score

    Raises
    ------
    LabelsError
        If the labels, or a line of them, are not of the form described.
    DatabaseError
        If the database cannot be read.
    ExecutorError, MissingExtraError
        If the cluster cannot be used.
    """
    labels = read_labels(source)
    store = Store(database)
    try:
        with store.one_state():
            archive, tell = Archive(store), progress or _silent
            tell("reading the labelled texts", 0, 3)
            archive.read(_hashes(labels, archive), dask)
            return _scored(labels, archive, tell)
    finally:
        store.close()


def _scored(labels: Labels, archive: Archive, tell: Progress) -> Score:
    refused, missing = list[str](), list[str]()
    documents = tuple(_judged(labels.documents, archive, refused, missing))
    tell("assessing the labelled platforms", 1, 3)
    platforms = score_platforms(labels.stances, labels.surfaces, assessor(archive, labels.as_of))
    tell("comparing the labelled changes", 2, 3)
    changes = score_changes(labels.changes, archive)
    return Score(
        labels.source,
        RULES_VERSION,
        labels.as_of,
        documents,
        score_clauses(documents),
        platforms,
        changes,
        labels.samples,
        tuple(refused),
        (*missing, *platforms.missing, *changes.missing),
    )


def _hashes(labels: Labels, archive: Archive) -> Iterator[str]:
    """Hashes of the texts that labels are about: their own, and those of their platforms by then."""
    yield from (document.sha256 for document in labels.documents)
    yield from (sha256 for label in labels.changes for sha256 in (label.before, label.after))
    platforms = {label.platform for label in labels.stances} | {label.platform for label in labels.surfaces}
    asked: list[tuple[str, date | None]] = [(document.platform, None) for document in labels.documents]
    for slug, as_of in dict.fromkeys([*asked, *((slug, labels.as_of) for slug in sorted(platforms))]):
        yield from (sha256 for _, sha256, _ in archive.newest(slug, as_of))


def _judged(
    documents: tuple[WholeDocument, ...], archive: Archive, refused: list[str], missing: list[str]
) -> Iterator[JudgedDocument]:
    """Documents beside their texts; a line for each label that is refused and each text that is missing."""
    held: dict[str, list[tuple[WholeDocument, str]]] = {}
    for document in documents:
        text = archive.text(document.sha256)
        if text is None:
            missing.append(
                f"{document.where}, {document.platform}, {document.document}, sha256 {document.sha256}: "
                f"{len(document.labels)} labels"
            )
        else:
            held.setdefault(document.platform, []).append((document, text))
    for slug, labelled in held.items():
        shown = _leads(slug, labelled, archive)
        for document, text in labelled:
            labels, wrong = document.standing(text)
            refused += wrong
            findings = archive.reading(document.sha256).findings
            leads = tuple(lead.finding for lead in shown if lead.snapshot_sha256 == document.sha256)
            yield JudgedDocument(document, text, labels, findings, leads)


def _leads(slug: str, labelled: list[tuple[WholeDocument, str]], archive: Archive) -> list[Located]:
    """The surest leads of a platform, near-copies once; its documents that nobody labelled take their share of them."""
    readings = [
        DocumentReading(document.document, document.sha256, "", archive.reading(document.sha256))
        for document, _ in labelled
    ]
    if not any(reading.reading.leads for reading in readings):
        return []
    names = {reading.document for reading in readings}
    readings += [other for other in archive.documents(slug, None) or () if other.document not in names]
    return surest_leads(readings)[:MOST_LEADS]


def _silent(phase: str, done: int, total: int | None) -> None:
    """Take no note of progress."""
