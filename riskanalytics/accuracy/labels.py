"""Labels as files, read and checked line by line.

Documents that were labelled whole are in one `.jsonl` file or several, a document a line (`read_whole`). A folder may
also hold `training_use.jsonl` (a platform's stance), `platform_surface.jsonl` (what a platform says on a surface) and
`changes.jsonl` (two texts of one document). A line that is not of this form ends the reading, with file and number;
a label whose quote is not at its offsets is refused beside the text (`WholeDocument.standing`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
    model_validator,
)

from riskanalytics.errors import LabelsError
from riskanalytics.models import RATINGS, STANCES
from riskanalytics.surfaces import SURFACES

_OTHERS: Final = ("training_use", "platform_surface", "changes")
_SAMPLES: Final = ("quotes", "negatives")


def _one_of(words: tuple[str, ...]) -> StringConstraints:
    """Return what holds a text to some words."""
    return StringConstraints(pattern=f"^(?:{'|'.join(words)})$")


def _day(value: object) -> object:
    """Return the day of a time with its offset, UTC."""
    try:
        at = datetime.fromisoformat(str(value))
        return at.astimezone(UTC).date() if at.tzinfo else at.date()
    except (ValueError, OverflowError):
        raise ValueError("is no ISO 8601 time") from None


Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Level = Annotated[str, _one_of(RATINGS)]
Surface = Annotated[str, _one_of(SURFACES)]
Polarity = Literal["raises_risk", "mitigates_risk", "neutral"]
Count = Annotated[StrictInt, Field(ge=0)]


class WholeLabel(NamedTuple):
    """What a reader of a whole document found in one clause on one surface; in files a list in this order.

    Parameters
    ----------
    start, end : int
        Offsets in code points.
    surface, risk, polarity : str
        As the first reader saw it.
    confidence : str
        `low` where a careful second reader might leave it out, or did: it may be found and need not be.
    stance : str or None
        On `training_use`: what the clause says of training.
    risk_other, polarity_other : str or None
        As the second reader saw it.
    quote_sha256 : str
        The first 16 hexadecimal digits of the quote's hash.
    """

    start: Count
    end: Count
    surface: Surface
    risk: Level
    polarity: Polarity
    confidence: Literal["high", "low"]
    stance: Annotated[str, _one_of(STANCES)] | None
    risk_other: Level | None
    polarity_other: Polarity | None
    quote_sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{16}$")]

    @property
    def risks(self) -> tuple[str, ...]:
        """Levels that count as right, the first reader's first."""
        return tuple(dict.fromkeys(filter(None, (self.risk, self.risk_other))))

    @property
    def polarities(self) -> tuple[str, ...]:
        """Polarities that count as right, the first reader's first."""
        return tuple(dict.fromkeys(filter(None, (self.polarity, self.polarity_other))))

    @property
    def sure(self) -> bool:
        """Whether it must be found."""
        return self.confidence == "high"


def _checked(labels: tuple[WholeLabel, ...]) -> tuple[WholeLabel, ...]:
    """Refuse a clause that ends before it starts, and a clause that is labelled twice on a surface."""
    for label in labels:
        if label.end <= label.start:
            raise ValueError(f"one ends at {label.end}, which is not behind its start at {label.start}")
    if len({(label.start, label.end, label.surface) for label in labels}) < len(labels):
        raise ValueError("a clause is labelled twice on one surface")
    return labels


class _Line(BaseModel):
    """One line of a file."""

    model_config = ConfigDict(frozen=True, validate_by_name=True)

    where: str = ""
    """File and line: `test.jsonl line 12`."""
    platform: str

    @model_validator(mode="before")
    @classmethod
    def _given(cls, row: object) -> object:
        """Leave out what is blank: it is missing."""
        return {name: row[name] for name in row if row[name] not in (None, "")} if isinstance(row, dict) else row


class StanceLabel(_Line):
    """A platform's stance on training use: the best answer, and those to count as right."""

    best: str = Field(alias="label")
    acceptable: Annotated[tuple[str, ...], Field(min_length=1)]
    as_of: Annotated[date | None, BeforeValidator(_day)] = None
    """Day of the documents that were read."""


class SurfaceLabel(_Line):
    """What a platform says on a surface: whether anything, and at which level."""

    surface: Surface
    present: StrictBool
    risk: Level | None = None
    confidence: str = "high"

    @property
    def sure(self) -> bool:
        """Whether it is scored: not where the reader's own confidence was low."""
        return self.confidence != "low"


class ChangeLabel(_Line):
    """Two texts of one document, and what the step from one to the other means."""

    id: str = ""
    before: Sha256 = Field(alias="before_sha256")
    after: Sha256 = Field(alias="after_sha256")
    material: StrictBool
    surface: Surface | None = None
    direction: Literal["up", "down", "mixed", "none"]


class WholeDocument(_Line):
    """A document that was read sentence by sentence: what is not labelled says nothing on any surface.

    `family` is a group of related vendors, `collection` the archive that the document is from, `OWNER/NAME`; `readers`
    read it, and `clauses` were read.
    """

    sha256: Sha256 = Field(alias="blob_sha256")
    family: str = Field(default_factory=lambda line: line["platform"])
    document: str = "document"
    collection: str = ""
    readers: Count
    clauses: Count
    labels: Annotated[tuple[WholeLabel, ...], AfterValidator(_checked)]

    def standing(self, text: str) -> tuple[tuple[WholeLabel, ...], tuple[str, ...]]:
        """Put the labels beside the text; refuse those whose quotes are not at their offsets.

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
            f"{self.where}: the quote on {label.surface} is not at characters {label.start} to {label.end}"
            for label in refused
        )


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
        _read(source / "training_use.jsonl", StanceLabel),
        _read(source / "platform_surface.jsonl", SurfaceLabel),
        _read(source / "changes.jsonl", ChangeLabel),
        tuple(path.name for path in files if path.stem in _SAMPLES),
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
    documents = _read(path, WholeDocument)
    seen: dict[str, str] = {}
    for document in documents:
        if document.sha256 in seen:
            raise LabelsError(f"{path.parent / document.where} labels the text of {seen[document.sha256]} again")
        seen[document.sha256] = document.where
    return documents


Kind = TypeVar("Kind", bound=_Line)


def _read(path: Path, kind: type[Kind]) -> tuple[Kind, ...]:
    """Read a file of JSON lines; nothing where it is missing."""
    try:
        body = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ()
    except UnicodeDecodeError as error:
        raise LabelsError(f"{path} is not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise LabelsError(f"{path} cannot be read: {error.strerror}") from error
    # not splitlines: U+2028 and its like may be part of a name
    lines = enumerate(body.split("\n"), 1)
    return tuple(_line(path, number, line, kind) for number, line in lines if line.strip())


def _line(path: Path, number: int, body: str, kind: type[Kind]) -> Kind:
    """Read one line."""
    try:
        return kind.model_validate_json(body).model_copy(update={"where": f"{path.name} line {number}"})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = " ".join(str(step + 1) if isinstance(step, int) else step for step in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise LabelsError(f"{path} line {number}{place and f', {place}'}: {reason}") from error
