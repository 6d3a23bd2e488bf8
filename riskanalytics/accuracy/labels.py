"""Labels as files, read and validated line by line.

Fully labelled documents are in one or more `.jsonl` files, one document a line (`read_whole`). A folder may also contain
`training_use.jsonl` (stances of platforms), `platform_surface.jsonl` (statements of platforms on surfaces) and `changes.jsonl`
(two texts of one document). A malformed line ends the reading with an error that names file and number; a label whose quote is
not at its offsets is refused later (`WholeDocument.checked_labels`).
"""

import hashlib
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
)

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
    """The statement of one clause on one surface, according to readers of a whole document; in files a list in this order.

    Parameters
    ----------
    start, end : int
        Offsets in code points.
    surface, risk, polarity : str
        According to the first reader.
    confidence : str
        `low` if a careful second reader did, or might, leave it out: then it need not be found.
    stance : str or None
        On `training_use`: the clause's statement on training.
    risk_other, polarity_other : str or None
        According to the second reader.
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
        """Whether the extraction must find the clause."""
        return self.confidence == "high"


def _checked(labels: tuple[WholeLabel, ...]) -> tuple[WholeLabel, ...]:
    """Refuse a clause that ends before it starts, and a clause labelled twice on a surface."""
    if any(label.end <= label.start for label in labels):
        raise ValueError("the end of a label is not after its start")
    if len({(label.start, label.end, label.surface) for label in labels}) < len(labels):
        raise ValueError("a clause is labelled twice on one surface")
    return labels


class _Line(BaseModel):
    """One line of a file."""

    model_config = ConfigDict(frozen=True, validate_by_name=True)

    where: str = ""
    """File and line: `test.jsonl line 12`."""
    platform: str


Kind = TypeVar("Kind", bound=_Line)


class StanceLabel(_Line):
    """A platform's stance on training use: the best answer, and the acceptable ones."""

    best: str = Field(alias="label")
    acceptable: Annotated[tuple[str, ...], Field(min_length=1)]
    as_of: date | None = None
    """Day of the documents that were read."""


class SurfaceLabel(_Line):
    """A platform's statement on a surface: whether there is one, and its level."""

    surface: Surface
    present: StrictBool
    risk: Level | None = None
    confidence: str = "high"
    """Not scored if it is `low`."""


class ChangeLabel(_Line):
    """Two texts of one document, and the meaning of the change."""

    id: str = ""
    before: Sha256 = Field(alias="before_sha256")
    after: Sha256 = Field(alias="after_sha256")
    material: StrictBool
    surface: Surface | None = None
    direction: Literal["up", "down", "mixed", "none"]


class WholeDocument(_Line):
    """A fully labelled document: a clause without a label says nothing on any surface.

    `family` is a group of related vendors, `collection` the archive of the document, `OWNER/NAME`; `readers` is the number of
    readers, `clauses` the number of clauses.
    """

    sha256: Sha256 = Field(alias="blob_sha256")
    family: str = Field(default_factory=lambda line: line["platform"])
    document: str = "document"
    collection: str = ""
    readers: Count
    clauses: Count
    labels: Annotated[tuple[WholeLabel, ...], AfterValidator(_checked)]

    def checked_labels(self, text: str) -> tuple[tuple[WholeLabel, ...], tuple[str, ...]]:
        """Compare the labels with the text; refuse those whose quotes are not at their offsets.

        Parameters
        ----------
        text : str
            The document.

        Returns
        -------
        tuple of (tuple of WholeLabel, tuple of str)
            Valid labels, and a line for each refused one.
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
    """A set of labels, in the order of its files.

    Parameters
    ----------
    documents : tuple of WholeDocument
    stances : tuple of StanceLabel
    surfaces : tuple of SurfaceLabel
    changes : tuple of ChangeLabel
    samples : tuple of str
        Names of files that label a sample only; they are not read.
    """

    documents: tuple[WholeDocument, ...]
    stances: tuple[StanceLabel, ...] = ()
    surfaces: tuple[SurfaceLabel, ...] = ()
    changes: tuple[ChangeLabel, ...] = ()
    samples: tuple[str, ...] = ()

    @property
    def as_of(self) -> date | None:
        """Newest day of the stances; None if no line has a day."""
        return max((label.as_of for label in self.stances if label.as_of), default=None)

    @property
    def platforms(self) -> tuple[StanceLabel | SurfaceLabel, ...]:
        """All labels of platforms: their stances and their statements on surfaces."""
        return (*self.stances, *self.surfaces)


def read_labels(source: Path) -> Labels:
    """Read a set of labels.

    Parameters
    ----------
    source : Path
        A file of fully labelled documents, or a folder; see the module.

    Returns
    -------
    Labels

    Raises
    ------
    LabelsError
        If there are no labels, or a line is malformed; the message names file and line.
    """
    if source.is_file():
        return Labels(read_whole(source))
    files = {path.stem: path for path in sorted(source.glob("*.jsonl"))}
    # labels of a sample of the clauses cannot show wrong findings
    samples = tuple(files.pop(name).name for name in ("negatives", "quotes") if name in files)
    if not files:
        raise LabelsError(f"{source} contains no labels: they are a .jsonl file, or a folder of such files")

    def part(name: str, kind: type[Kind]) -> tuple[Kind, ...]:
        return _read(files.pop(name), kind) if name in files else ()

    others = part("training_use", StanceLabel), part("platform_surface", SurfaceLabel), part("changes", ChangeLabel)
    return Labels(tuple(one for path in files.values() for one in read_whole(path)), *others, samples)


def read_whole(path: Path) -> tuple[WholeDocument, ...]:
    """Read fully labelled documents, one for each line.

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
        If the file cannot be read, or a line is malformed; the message names file and line.
    """
    documents = _read(path, WholeDocument)
    seen: dict[str, str] = {}
    for document in documents:
        if document.sha256 in seen:
            raise LabelsError(f"{path.parent / document.where} labels the text of {seen[document.sha256]} again")
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
