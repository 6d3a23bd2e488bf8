"""Labels as files, read and checked line by line.

Documents that were labelled whole stand in one `.jsonl` file or several, a document a line (`read_whole`). A folder may
also hold `training_use.jsonl` (a platform's stance), `platform_surface.jsonl` (what a platform says on a surface) and
`changes.jsonl` (two texts of one document). A line that is not of this form ends the reading, with file and number;
a label that does not stand where it says is refused beside the text (`WholeDocument.standing`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from riskanalytics.accuracy.lines import Line, read_lines
from riskanalytics.errors import LabelsError
from riskanalytics.models import RATINGS, STANCES
from riskanalytics.surfaces import SURFACES

_OTHERS: Final = ("training_use", "platform_surface", "changes")
_SAMPLES: Final = ("quotes", "negatives")
_BEGINNING: Final = 16
"""Hexadecimal digits of its quote's SHA-256 that a label of a whole document tells."""
_POLARITIES: Final = ("raises_risk", "mitigates_risk", "neutral")
_CELLS: Final = (
    "start", "end", "surface", "risk", "polarity", "confidence", "stance", "risk_other", "polarity_other", "hash"
)  # fmt: skip
"""What the places of a label of a whole document hold."""
_DIRECTIONS: Final = ("up", "down", "mixed", "none")


@dataclass(frozen=True, slots=True)
class StanceLabel:
    """A platform's stance on training use: the best answer, and those to count as right."""

    where: str
    platform: str
    best: str
    acceptable: tuple[str, ...]
    as_of: date | None = None
    """Day of the documents that were read."""


@dataclass(frozen=True, slots=True)
class SurfaceLabel:
    """What a platform says on a surface: whether anything, and at which level.

    `sure` is False where the reader's own confidence was low; such a label is not scored.
    """

    where: str
    platform: str
    surface: str
    present: bool
    risk: str | None
    sure: bool


@dataclass(frozen=True, slots=True)
class ChangeLabel:
    """Two texts of one document, and what the step from one to the other means."""

    where: str
    id: str
    platform: str
    before: str
    after: str
    material: bool
    surface: str | None
    direction: str


@dataclass(frozen=True)
class Labels:
    """A set of labels, in the order of its files.

    Parameters
    ----------
    source : Path
        File or folder.
    documents : tuple of WholeDocument
    stances : tuple of StanceLabel
    surfaces : tuple of SurfaceLabel
    changes : tuple of ChangeLabel
    samples : tuple of str
        Names of files that label a sample of the clauses: they cannot say what is wrong, and are not read.
    """

    source: Path
    documents: tuple[WholeDocument, ...]
    stances: tuple[StanceLabel, ...]
    surfaces: tuple[SurfaceLabel, ...]
    changes: tuple[ChangeLabel, ...]
    samples: tuple[str, ...]

    @property
    def as_of(self) -> date | None:
        """Newest day that a stance was read at; None where no line tells one."""
        return max((label.as_of for label in self.stances if label.as_of), default=None)


def read_labels(source: Path) -> Labels:
    """Read a set of labels.

    Parameters
    ----------
    source : Path
        A file of documents labelled whole, or a folder; see the module.

    Returns
    -------
    Labels

    Raises
    ------
    LabelsError
        If nothing of that kind is there, or a line is not of the form described; with file and line.
    """
    if source.is_file():
        return Labels(source, read_whole(source), (), (), (), ())
    if not source.is_dir():
        raise LabelsError(f"there is no file or folder {source}: labels are a .jsonl file or a folder of them")
    files = sorted(source.glob("*.jsonl"))
    whole = [path for path in files if path.stem not in (*_OTHERS, *_SAMPLES)]
    if not whole and not any(path.stem in _OTHERS for path in files):
        raise LabelsError(
            f"{source} holds no labels: neither a .jsonl of documents labelled whole nor one of {', '.join(_OTHERS)}"
        )
    return Labels(
        source,
        tuple(document for path in whole for document in read_whole(path)),
        read_lines(source / "training_use.jsonl", _stance),
        read_lines(source / "platform_surface.jsonl", _surface),
        read_lines(source / "changes.jsonl", _change),
        tuple(path.name for path in files if path.stem in _SAMPLES),
    )


@dataclass(frozen=True, slots=True)
class WholeLabel:
    """What a reader of a whole document found in one clause on one surface.

    Parameters
    ----------
    start, end : int
        Offsets in code points.
    surface : str
    risks, polarities : tuple of str
        Levels and polarities that count as right, the first reader's first.
    sure : bool
        False where a careful second reader might leave it out, or did: it may be found and need not be.
    stance : str or None
        On `training_use`: what the clause says of training.
    quote_sha256 : str
        The first 16 hexadecimal digits of the hash of what stands there.
    """

    start: int
    end: int
    surface: str
    risks: tuple[str, ...]
    polarities: tuple[str, ...]
    sure: bool
    stance: str | None
    quote_sha256: str


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document that was read sentence by sentence: what is not labelled says nothing on any surface.

    Parameters
    ----------
    where : str
        File and line: `test.jsonl line 12`.
    sha256 : str
        Hash of the text's bytes.
    platform, family, document, collection : str
        Slug; group of related vendors; name of the document; archive that it is from, `OWNER/NAME`.
    readers, clauses : int
        Who read it; clauses that were read.
    labels : tuple of WholeLabel
    """

    where: str
    sha256: str
    platform: str
    family: str
    document: str
    collection: str
    readers: int
    clauses: int
    labels: tuple[WholeLabel, ...]

    def standing(self, text: str) -> tuple[tuple[WholeLabel, ...], tuple[str, ...]]:
        """Put the labels beside the text; refuse those that do not stand where they say.

        Parameters
        ----------
        text : str
            The document.

        Returns
        -------
        tuple of (tuple of WholeLabel, tuple of str)
            Labels kept, and a line for each that was refused.
        """
        kept = tuple(label for label in self.labels if _stands(label, text))
        refused = (label for label in self.labels if label not in kept)
        return kept, tuple(
            f"{self.where}: the quote on {label.surface} does not stand at characters {label.start} to {label.end}"
            for label in refused
        )


def _stands(label: WholeLabel, text: str) -> bool:
    """Say whether the quote that a label means stands where it says."""
    quote = text[label.start : label.end].encode("utf-8", "surrogatepass")
    return hashlib.sha256(quote).hexdigest().startswith(label.quote_sha256)


def read_whole(path: Path) -> tuple[WholeDocument, ...]:
    """Read documents that were labelled whole, a line each.

    Parameters
    ----------
    path : Path
        JSON lines; the labels of a line are lists of start, end, surface, risk, polarity, confidence (`high` or
        `low`), stance or null, a second reader's risk and polarity or null, and the first 16 hexadecimal digits of
        the quote's hash.

    Returns
    -------
    tuple of WholeDocument

    Raises
    ------
    LabelsError
        If the file cannot be read, or a line is not of that form; with file and line.
    """
    if not path.is_file():
        raise LabelsError(f"there is no file {path}: documents labelled whole are JSON lines, a document each")
    documents = read_lines(path, _whole)
    seen: dict[str, str] = {}
    for document in documents:
        if document.sha256 in seen:
            raise LabelsError(f"{path.parent / document.where} labels the text of {seen[document.sha256]} again")
        seen[document.sha256] = document.where
    return documents


def _stance(line: Line) -> StanceLabel:
    return StanceLabel(
        line.where, line.text("platform"), line.text("label"), line.texts("acceptable"), line.day("as_of")
    )


def _surface(line: Line) -> SurfaceLabel:
    return SurfaceLabel(
        line.where,
        line.text("platform"),
        line.known("surface", SURFACES),
        line.flag("present"),
        line.known_or_none("risk", RATINGS),
        line.text_or("confidence", "high") != "low",
    )


def _change(line: Line) -> ChangeLabel:
    return ChangeLabel(
        line.where,
        line.text_or("id", line.where),
        line.text("platform"),
        line.sha256("before_sha256"),
        line.sha256("after_sha256"),
        line.flag("material"),
        line.known_or_none("surface", SURFACES),
        line.known("direction", _DIRECTIONS),
    )


def _whole(line: Line) -> WholeDocument:
    labels = tuple(_whole_label(label) for label in line.inner("labels", _CELLS))
    if len({(label.start, label.end, label.surface) for label in labels}) < len(labels):
        line.refuse("labels a clause twice on one surface")
    platform = line.text("platform")
    return WholeDocument(
        line.where,
        line.sha256("blob_sha256"),
        platform,
        line.text_or("family", platform),
        line.text_or("document", "document"),
        line.text_or("collection", ""),
        line.offset("readers"),
        line.offset("clauses"),
        labels,
    )


def _whole_label(label: Line) -> WholeLabel:
    start, end = label.offset("start"), label.offset("end")
    if end <= start:
        label.refuse(f"ends at {end}, which is not behind its start at {start}")
    return WholeLabel(
        start,
        end,
        label.known("surface", SURFACES),
        label.of_both("risk", RATINGS),
        label.of_both("polarity", _POLARITIES),
        label.known("confidence", ("high", "low")) == "high",
        label.known_or_none("stance", STANCES),
        label.sha256("hash", _BEGINNING),
    )
