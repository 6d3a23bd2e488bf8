"""Read files of labels, and validate them line by line.

Fully labelled documents are in one or more `.jsonl` files, one document a line (`read_whole`). A folder may also contain
`training_use.jsonl` (stances of platforms), `platform_surface.jsonl` (whether a platform's documents say anything on a surface)
and `changes.jsonl` (changes between two texts of one document). A malformed line ends the reading with an error that names the
file and the line number; a label whose quote is not at its offsets is refused later (`WholeDocument.checked_labels`).
"""

import hashlib
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, Field, StrictBool, StrictInt, StringConstraints, ValidationError

from riskanalytics.errors import LabelsError
from riskanalytics.models import RATINGS, STANCES
from riskanalytics.surfaces import SURFACES


def _one_of(words: tuple[str, ...]) -> StringConstraints:
    """Return a constraint to some words."""
    return StringConstraints(pattern=f"^(?:{'|'.join(words)})$")


Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Level = Annotated[str, _one_of(RATINGS)]
Surface = Annotated[str, _one_of(SURFACES)]
Polarity = Literal["raises_risk", "mitigates_risk", "neutral"]
Count = Annotated[StrictInt, Field(ge=0)]


class WholeLabel(NamedTuple):
    """What one clause says on one surface, as the readers who labelled its whole document judged it.

    In files, a label is a list of the values below, in this order.

    Parameters
    ----------
    start, end : int
        Offsets of the clause in the document, in code points.
    surface, risk, polarity : str
        Surface, level and polarity of the clause according to the first reader.
    confidence : str
        `high` if the extraction must find the clause. `low` if it may, but need not, because a careful second reader left
        out the label or doubted it.
    stance : str or None
        On the surface `training_use`: the stance on training that the clause states, if any.
    risk_other, polarity_other : str or None
        Level and polarity according to the second reader, if any.
    quote_sha256 : str
        First 16 hexadecimal digits of the SHA-256 of the clause.
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
        """Levels that count as right for a finding: that of the first reader, then that of the second, if it differs."""
        return tuple(dict.fromkeys(filter(None, (self.risk, self.risk_other))))

    @property
    def polarities(self) -> tuple[str, ...]:
        """Polarities that count as right for a finding: that of the first reader, then that of the second, if it differs."""
        return tuple(dict.fromkeys(filter(None, (self.polarity, self.polarity_other))))

    @property
    def sure(self) -> bool:
        """Whether the extraction must find the clause."""
        return self.confidence == "high"


def _checked(labels: tuple[WholeLabel, ...]) -> tuple[WholeLabel, ...]:
    """Refuse a clause that ends before it starts, and a clause labelled twice on a surface."""
    if any(label.end <= label.start for label in labels):
        raise ValueError("the end of a label is not after its start")
    if len({(label.start, label.end, label.surface) for label in labels}) < len(labels):
        raise ValueError("a clause is labelled twice on one surface: keep one of the two labels")
    return labels


class _Line(BaseModel, frozen=True, validate_by_name=True):
    """One line of a file."""

    where: str = ""
    """File and line: `test.jsonl line 12`."""
    platform: str


Kind = TypeVar("Kind", bound=_Line)


class StanceLabel(_Line):
    """The labelled stance of a platform on training use: the best stance (`best`), and all that count as right (`acceptable`)."""

    best: str = Field(alias="label")
    acceptable: Annotated[tuple[str, ...], Field(min_length=1)]
    as_of: date | None = None
    """Day of the documents that the readers who labelled the platform read."""


class SurfaceLabel(_Line):
    """A label on a platform and a surface.

    `present` says whether the platform's documents say anything on the surface; `risk` is the level of what they say.
    """

    surface: Surface
    present: StrictBool
    risk: Level | None = None
    confidence: str = "high"
    """`high`, or `low` for a label that is not scored."""


class ChangeLabel(_Line):
    """A label on two texts of one document: whether the change between them is material, its surface, and its direction.

    The direction says whether the risk goes `up` or `down`, both (`mixed`), or neither (`none`).
    """

    id: str = ""
    before: Sha256 = Field(alias="before_sha256")
    after: Sha256 = Field(alias="after_sha256")
    material: StrictBool
    surface: Surface | None = None
    direction: Literal["up", "down", "mixed", "none"]


class WholeDocument(_Line):
    """A fully labelled document: readers judged each of its clauses, and a clause without a label says nothing on any surface.

    `family` is the group of related vendors to which the platform belongs; `collection` is the archive of the document,
    `OWNER/NAME`; `readers` is the number of readers who labelled it, `clauses` the number of its clauses.
    """

    sha256: Sha256 = Field(alias="blob_sha256")
    family: str = Field(default_factory=lambda line: line["platform"])
    document: str = "document"
    collection: str = ""
    readers: Count
    clauses: Count
    labels: Annotated[tuple[WholeLabel, ...], AfterValidator(_checked)]

    def checked_labels(self, text: str) -> tuple[tuple[WholeLabel, ...], tuple[str, ...]]:
        """Return the labels whose quotes are at their offsets in the text, and a message for each of the others.

        Parameters
        ----------
        text : str
            The full text of the document.

        Returns
        -------
        tuple of (tuple of WholeLabel, tuple of str)
            The valid labels; and one message for each refused label, with its file, line, surface and offsets.
        """
        kept, refused = [], []
        for label in self.labels:
            quote = text[label.start : label.end].encode(errors="surrogatepass")
            if hashlib.sha256(quote).hexdigest().startswith(label.quote_sha256):
                kept.append(label)
            else:
                place = f"characters {label.start} to {label.end}"
                refused.append(f"{self.where}: the quote on {label.surface} is not at {place}")
        return tuple(kept), tuple(refused)


class Labels(NamedTuple):
    """The labels of a file or folder, each group in the order of its files.

    Parameters
    ----------
    documents : tuple of WholeDocument
        Fully labelled documents.
    stances : tuple of StanceLabel
        Stances of platforms on training use.
    surfaces : tuple of SurfaceLabel
        Whether the documents of a platform say anything on a surface, and its level.
    changes : tuple of ChangeLabel
        Changes between two texts of a document.
    samples : tuple of str
        Names of files that label only a sample of the clauses. They are not read, because they cannot show wrong findings.
    """

    documents: tuple[WholeDocument, ...]
    stances: tuple[StanceLabel, ...] = ()
    surfaces: tuple[SurfaceLabel, ...] = ()
    changes: tuple[ChangeLabel, ...] = ()
    samples: tuple[str, ...] = ()

    @property
    def as_of(self) -> date | None:
        """Newest day of the documents from which the labelled stances were read; None if no labelled stance has a day."""
        return max((label.as_of for label in self.stances if label.as_of), default=None)

    @property
    def platforms(self) -> tuple[StanceLabel | SurfaceLabel, ...]:
        """All labels of platforms: those of their stances (`stances`), and those of single surfaces (`surfaces`)."""
        return (*self.stances, *self.surfaces)


def read_labels(source: Path) -> Labels:
    """Read a set of labels.

    Parameters
    ----------
    source : Path
        A `.jsonl` file of fully labelled documents, or a folder of such files. The folder may also contain `training_use.jsonl`
        (stances of platforms), `platform_surface.jsonl` (whether a platform's documents say anything on a surface) and
        `changes.jsonl` (changes between two texts of one document).

    Returns
    -------
    Labels
        All labels of the file or folder.

    Raises
    ------
    LabelsError
        If there are no labels, a file cannot be read, or a line is malformed; the message names the file and the line.
    """
    if source.is_file():
        return Labels(read_whole(source))
    files = {path.stem: path for path in sorted(source.glob("*.jsonl"))}
    # labels of a sample of the clauses cannot show wrong findings
    samples = tuple(files.pop(name).name for name in ("negatives", "quotes") if name in files)
    if not files:
        raise LabelsError(
            f"{source} contains no labels: give a .jsonl file of labelled documents, or a folder of such files"
        )

    def part(name: str, kind: type[Kind]) -> tuple[Kind, ...]:
        return _read(files.pop(name), kind) if name in files else ()

    others = part("training_use", StanceLabel), part("platform_surface", SurfaceLabel), part("changes", ChangeLabel)
    return Labels(tuple(one for path in files.values() for one in read_whole(path)), *others, samples)


def read_whole(path: Path) -> tuple[WholeDocument, ...]:
    """Read fully labelled documents, one for each line.

    Parameters
    ----------
    path : Path
        JSON lines, each with the fields of `WholeDocument`. Its `labels` are lists of ten values: start, end, surface, risk,
        polarity, confidence (`high` or `low`), stance or null, the second reader's risk or null, the second reader's
        polarity or null, and the first 16 hexadecimal digits of the quote's SHA-256.

    Returns
    -------
    tuple of WholeDocument

    Raises
    ------
    LabelsError
        If the file cannot be read, or a line is malformed; the message names file and line.
    """
    documents = _read(path, WholeDocument)
    seen: dict[str, str] = {}
    for document in documents:
        if document.sha256 in seen:
            raise LabelsError(
                f"{path.parent / document.where} labels the same text as {seen[document.sha256]}: keep one of the two lines"
            )
        seen[document.sha256] = document.where
    return documents


def _read(path: Path, kind: type[Kind]) -> tuple[Kind, ...]:
    """Read a file of JSON lines."""
    try:
        body = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LabelsError(f"{path} cannot be read as UTF-8: {error}") from error
    read: list[Kind] = []
    # not splitlines: characters such as U+2028 may be part of a name
    for number, line in enumerate(body.split("\n"), 1):
        try:
            if line.strip():
                read.append(kind.model_validate_json(line).model_copy(update={"where": f"{path.name} line {number}"}))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = " ".join(str(step + 1) if isinstance(step, int) else step for step in first["loc"])
            reason = first["msg"].removeprefix("Value error, ")
            raise LabelsError(f"{path} line {number}{place and f', {place}'}: {reason}") from error
    return tuple(read)
