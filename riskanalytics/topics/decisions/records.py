"""Files of decisions about clauses and changes: saved by the pages of reviewers, and merged into one chain of hashes."""

import json
from collections.abc import Iterable
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints, ValidationError

from riskanalytics.errors import EvidenceError, ParameterError
from riskanalytics.files import reported_as, write_file

_Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
_Offset = Annotated[int, Field(ge=0, le=2**53, strict=True)]
_Words = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]


class Clause(BaseModel, extra="forbid", frozen=True):
    """A clause on which a decision rests: its words, and their place in a snapshot."""

    finding_id: str = ""
    platform: _Words
    """Slug of the platform."""
    document: _Words
    surface: str = ""
    quote: str = Field(min_length=1)
    quote_sha256: _Sha256
    """SHA-256 of the quote in UTF-8."""
    lead_in: str = ""
    """Text that introduces the list from which the quote comes; empty without one."""
    snapshot_sha256: _Sha256
    start: _Offset
    end: _Offset
    """Offsets of the quote in the snapshot, in Unicode code points."""
    removed: bool = False
    """Whether the change removed the clause."""


class Decision(BaseModel, extra="forbid", frozen=True):
    """What one reviewer decided about a finding or a change."""

    decision: Literal["accept", "dispute", "ask_counsel"]
    name: _Words
    """Name of the reviewer."""
    note: _Words
    decided_at: AwareDatetime
    day: date | None = None
    """Day of the data that the page showed."""
    change_id: str = ""
    """Identifier of the change; empty if the decision is about a finding."""
    clauses: tuple[Clause, ...] = Field(min_length=1)
    """The clause of a finding, or the clauses that the page showed of a change: those added, and those removed."""
    previous: str = ""
    """In a merged file, the hash of the entry before it; empty for the first one."""
    hash: str = ""
    """In a merged file, the hash of the entry: the SHA-256 of `previous` and of the content."""

    @property
    def content(self) -> dict[str, Any]:
        """The decision as a JSON object, without the hashes of the file."""
        return self.model_dump(mode="json", exclude={"previous", "hash"})

    def hashed(self, previous: str = "") -> str:
        """Return the SHA-256 of `previous` (the hash of the entry before) and of the content; by default of the content only."""
        return sha256(f"{previous}{json.dumps(self.content, sort_keys=True)}".encode()).hexdigest()

    @property
    def title(self) -> str:
        """Reviewer, platform and document, for messages."""
        return f"{self.name} on {self.clauses[0].platform}, {self.clauses[0].document}"


class _File(BaseModel, extra="forbid", frozen=True):
    """A file of decisions: saved by a page, or merged; only a merged file has the hash of its last entry (`head`)."""

    version: Literal[1]
    head: str | None = None
    decisions: tuple[Decision, ...]


def read_decisions(path: str | Path) -> tuple[Decision, ...]:
    """Read a file of decisions, which a page saved or `riskanalytics decisions merge` wrote.

    Parameters
    ----------
    path : str or Path
        JSON.

    Returns
    -------
    tuple of Decision
        In the order of the file.

    Raises
    ------
    ParameterError
        If the file cannot be read, or a field is missing, unknown or invalid. The message names the entry.
    EvidenceError
        If a quote, or an entry of a merged file, differs from its hash, or if entries are missing. The message names the entry.
    """
    try:
        with reported_as(ParameterError, f"the file of decisions {path} cannot be read"):
            file = _File.model_validate_json(Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ", ".join(f"entry {step + 1}" if isinstance(step, int) else step for step in first["loc"][1:])
        raise ParameterError(
            f"the file of decisions {path} is malformed{place and f', {place}'}: {first['msg']}"
        ) from error
    head = ""
    for number, entry in enumerate(file.decisions, 1):
        before, head = head, entry.hashed(head)
        quoted = all(sha256(one.quote.encode()).hexdigest() == one.quote_sha256 for one in entry.clauses)
        if not quoted or (file.head is not None and (entry.previous, entry.hash) != (before, head)):
            raise EvidenceError(f"{path}, entry {number} ({entry.title}) was changed, or entries before it are missing")
    if file.head not in (None, head) or (file.head is None and any(entry.hash for entry in file.decisions)):
        raise EvidenceError(
            f"{path} is incomplete: its last entries, or the hash of the last entry (`head`), are missing"
        )
    return file.decisions


def merged(decisions: Iterable[Decision]) -> list[Decision]:
    """Return decisions of several files without repetitions, the earliest first; the order of the files does not matter."""
    return sorted({one.hashed(): one for one in decisions}.values(), key=lambda one: (one.decided_at, one.hashed()))


def write_decisions(path: Path, decisions: Iterable[Decision]) -> None:
    """Write decisions as a chain of hashes, completely or not at all; the same decisions give the same bytes.

    Parameters
    ----------
    path : Path
    decisions : iterable of Decision
        In any order, also with repetitions.

    Raises
    ------
    OSError
        If the file cannot be written; the previous file is kept.
    """
    entries, head = [], ""
    for decision in merged(decisions):
        before, head = head, decision.hashed(head)
        entries.append({**decision.content, "previous": before, "hash": head})
    file = {"version": 1, "head": head, "decisions": entries}
    write_file(path, json.dumps(file, ensure_ascii=False, indent=1) + "\n")
