"""Clauses to learn from: of documents labelled whole, and of sentences written for the project."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from riskanalytics.accuracy.clauses import overlaps
from riskanalytics.accuracy.labels import WholeDocument, read_whole
from riskanalytics.extraction.features import Looks, by_patterns, neighbours, see, tokens, within
from riskanalytics.extraction.learned import Kind
from riskanalytics.extraction.plain import kind_of, plain
from riskanalytics.extraction.segment import segment
from riskanalytics.extraction.sense import Form, form_of
from riskanalytics.service import Store

HERE: Final = Path(__file__).parent
WHOLE: Final = HERE / "labels" / "whole"
LONGEST = 4000
"""Characters of a clause that is read."""
ORDINARY: Final = frozenset((
    "the", "and", "new", "local", "world", "app", "store", "mail", "business", "social", "general", "daily", "copy",
    "match", "service", "generative", "health", "research", "payment", "solution", "line", "time", "glass", "signal",
    "spark", "cursor", "frank", "financial", "guardian", "register", "star", "rail", "code", "incredible", "lovable",
    "scribe", "mix", "visible", "dune", "steam", "privacy", "yellow", "pages", "group", "market", "national",
    "geographic", "entertainment", "foundation", "science", "project", "learn", "software", "angle", "wide", "music",
    "phone", "video", "image", "text", "voice", "together", "stability",
))  # fmt: skip
"""Words of names that are ordinary words too."""


@dataclass
class Example:
    """A clause and what was judged of it."""

    words: str
    lead_in: str
    heading: str
    kind: str
    labels: dict[str, tuple[Kind | None, bool]]
    """Surface -> what it says (None where that was not noted), and whether the reader was sure."""
    document: str = "privacy"
    features: set[str] = field(default_factory=set)
    size: float = 1.0

    @cached_property
    def looks(self) -> Looks:
        """What the patterns say."""
        return by_patterns(self.words, self.lead_in)

    @cached_property
    def form(self) -> Form:
        """How it is built."""
        return form_of(self.words, self.kind, self.lead_in)


@dataclass
class Document:
    """The clauses of one text in order, headings left out."""

    family: str
    part: str
    examples: list[Example]

    def see(self) -> None:
        """Give each clause what the model sees of it, neighbours included."""
        for at, one in enumerate(self.examples):
            seen = see(one.words, one.lead_in, one.heading, one.form, one.looks.signs, one.looks.names)
            sides = (("P", at - 1), ("N", at + 1))
            near = [(mark, self.examples[place]) for mark, place in sides if 0 <= place < len(self.examples)]
            around = [name for mark, other in near for name in neighbours(mark, other.kind, other.looks.signs)]
            one.features = {*seen.features, *within(one.document, one.looks.signs), *around}
            one.size = seen.size


def real(part: str, store: Store) -> Iterator[Document]:
    """Documents labelled whole, the vendor's name taken out."""
    for whole in read_whole(WHOLE / f"{part}.jsonl"):
        body = store.snapshot(whole.sha256)
        if body is None:
            print(f"not held: {whole.platform}, {whole.document}", file=sys.stderr)
            continue
        yield Document(whole.family, part, list(_examples(body.decode("utf-8", errors="replace"), whole)))


def _examples(text: str, whole: WholeDocument) -> Iterator[Example]:
    """The clauses of one labelled text."""
    labels, refused = whole.checked_labels(text)
    if refused:
        raise SystemExit(refused[0])
    named = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names_of(whole)), key=len, reverse=True))})\b('s)?")
    clauses = segment(text)
    words = [plain(text[clause.start : clause.end]).lower() for clause in clauses]
    document = kind_of(words)
    for clause, raw in zip(clauses, words, strict=True):
        if clause.kind == "heading" or clause.end - clause.start > LONGEST or len(raw) < 5:
            continue
        said = {
            label.surface: (Kind(label.risks[0], label.polarities[0], label.stance), label.sure)
            for label in labels
            if overlaps(clause.start, clause.end, label)
        }
        texts = (named.sub(_party, part) for part in (raw, clause.lead_in.lower(), clause.heading.lower()))
        yield Example(*texts, clause.kind, said, document)


def names_of(whole: WholeDocument) -> set[str]:
    """Words that name a vendor or its platform."""
    words = {part for name in (whole.platform, whole.family) for part in (name.replace("-", " "), *name.split("-"))}
    return {word for word in words if len(word) > 2 and word not in ORDINARY} or {"\0"}


def families_of(folder: Path) -> set[str]:
    """Names of all families that were labelled, in whichever part; nothing else of a part is looked at."""
    rows = (line for path in folder.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines())
    return {json.loads(row)["family"] for row in rows}


def names_in(family: str) -> set[str]:
    """Stems of a vendor's name that are no ordinary words: no weight may hang on who is meant."""
    return {stem for stem in tokens(family.replace("-", " ")) if len(stem) > 3 and stem not in ORDINARY}


def _party(match: re.Match[str]) -> str:
    """Name a vendor as the provider that it is."""
    return "our" if match[1] else "we"


def written(folder: Path) -> Iterator[Document]:
    """Sentences written for the project, each a document of its own, and whole fictional policies."""
    rows = [
        (json.loads(line), str(path), number)
        for path in sorted(folder.glob("**/*.jsonl"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
    ]
    keyed = [(f"written {path} {row.get('doc', number)}", row) for row, path, number in rows]
    for name, group in groupby(keyed, key=lambda pair: pair[0]):
        yield Document(name, "written", [_written(row) for _, row in group])


def _written(row: dict[str, Any]) -> Example:
    """One sentence written for the project."""
    labels: dict[str, tuple[Kind | None, bool]] = dict.fromkeys(row.get("also", ()), (None, True))
    for result in row.get("labels", [row] if row.get("kind") == "positive" else []):
        labels[result["surface"]] = Kind(result["risk"], result["polarity"], result.get("stance")), True
    lead_in = plain(row.get("lead_in") or "").lower()
    kind = "item" if lead_in else "sentence"
    return Example(plain(row["text"]).lower(), lead_in, (row.get("heading") or "").lower(), kind, labels)
