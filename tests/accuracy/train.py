"""Learn the weights of `riskanalytics.extraction.learned` from written sentences and from labelled clauses.

Run `python -m tests.accuracy.train LABELS --database FILE --write` from the checkout (needs scikit-learn), then the
same with `--measure`, which writes the figures of what was learned; without either the borders are printed. Three
kinds of examples are learned from:

`written`  sentences and whole fictional policies written for the project, every one judged on all surfaces;
`read`     documents of the archive that were labelled whole (tests/accuracy/labels/read, hashes and offsets only);
LABELS     documents of which a sample of the clauses was labelled.

Whether a clause speaks to a surface is learned by a linear support vector machine (Fan et al. 2008, LIBLINEAR, JMLR
9:1871), what it says by one for each kind. The borders of the scores (`keep`, `take`) are chosen on documents left
out of the learning, vendor by vendor, and the figures of vendors left out are measured with weights that never saw
them.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from riskanalytics.accuracy import measure, score
from riskanalytics.accuracy.archive import Archive
from riskanalytics.accuracy.clauses import TRAINING_WORD, LabelledText, overlaps, sort_labels
from riskanalytics.accuracy.labels import read_labels
from riskanalytics.demo.policies import clauses
from riskanalytics.demo.policies import written as demo_texts
from riskanalytics.extraction import Clause, extract
from riskanalytics.extraction.deciding import Looks, by_patterns
from riskanalytics.extraction.learned import Kind, parsed
from riskanalytics.extraction.learned.features import Seen, see
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.segment import segment
from riskanalytics.models import SURFACES
from riskanalytics.service import Store

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
TARGET = ROOT / "riskanalytics" / "extraction" / "learned" / "weights.tsv.gz"
JUDGED, ELSEWHERE, UNREAD = 2.0, 1.0, 0.2
"""What an example weighs: judged on the surface, judged on another, or only standing in a document."""
SEEN = 3
"""Examples that must have a feature for it to count."""
KIN = 3
"""Vendors, fictional documents or single sentences that must have it: what one vendor alone says tells nothing."""
SMALLEST = 0.15
"""A weight nearer to nought than this is left out."""
FEWEST = 8
"""A kind with fewer examples is not learned."""
PENALTY = 2.0
LONGEST = 4000
FINDINGS_OF_FORM = ("transfer", "returned", "never")
"""Sentences around the demo's clauses that are findings themselves."""
FOLDS = 6
BETA = 0.8
"""Below 1: a finding that does not hold costs more than a clause that was missed."""
GRID = np.round(np.arange(-1.2, 0.41, 0.05), 2)


@dataclass(frozen=True)
class Example:
    """A clause, what was judged of it, and where it comes from."""

    words: str
    lead_in: str
    heading: str
    kinds: dict[str, Kind]
    """Surface -> what it says."""
    wrong: frozenset[str] = frozenset()
    """Surfaces that it only seems to speak to."""
    read: bool = True
    """Whether all surfaces were judged."""
    family: str = ""
    """Vendor or fictional document; empty for a single sentence."""

    @cached_property
    def looks(self) -> Looks:
        """What the patterns say."""
        return by_patterns(self.words, self.lead_in)

    @cached_property
    def seen(self) -> Seen:
        """What the model sees."""
        return see(self.words, self.lead_in, self.heading, self.looks.signs)

    def weight(self, surface: str) -> float:
        """What it weighs for a surface."""
        if surface in self.kinds or surface in self.wrong:
            return JUDGED
        return ELSEWHERE if self.read or self.kinds or self.wrong else UNREAD


def written(folder: Path) -> Iterator[Example]:
    """Sentences written for the project."""
    for path in sorted(folder.glob("**/*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            yield Example(
                plain(row["text"]).lower(),
                plain(row.get("lead_in") or "").lower(),
                (row.get("heading") or "").lower(),
                dict(_kinds(row)),
                frozenset([row["surface"]] if row.get("kind") == "negative" else ()),
                family=row.get("doc", ""),
            )


def _kinds(row: dict[str, Any]) -> Iterator[tuple[str, Kind]]:
    """What a written sentence says, by surface."""
    for surface in row.get("also", ()):
        yield surface, Kind("", "")  # it speaks to the surface; what it says there was not noted
    for told in row.get("labels", [row] if row.get("kind") == "positive" else []):
        yield told["surface"], Kind(told["risk"], told["polarity"], told.get("stance"))


def demo() -> Iterator[Example]:
    """Clauses of the demo's fictional policies, and what stands around them."""
    for surface, levels in clauses().items():
        for texts in levels.values():
            for text in texts:
                yield from _sentences(text, {surface: Kind("", "")})
    for name, part in demo_texts("form").items():
        if name not in FINDINGS_OF_FORM:
            for text in texts_of({key: value for key, value in part.items() if key not in FINDINGS_OF_FORM}):
                yield from _sentences(text, {})


def texts_of(part: Any) -> Iterator[str]:
    """All texts of a part of what was written."""
    if isinstance(part, str):
        yield part
    else:
        for inner in part if isinstance(part, list) else part.values():
            yield from texts_of(inner)


def _sentences(text: str, kinds: dict[str, Kind]) -> Iterator[Example]:
    """The clauses of one text; what it says, each of them is taken to say."""
    for clause in segment(text):
        words = plain(text[clause.start : clause.end]).lower()
        yield Example(words, clause.lead_in.lower(), "", kinds)


def labelled(folder: Path, archive: Archive, *, whole: bool) -> Iterator[Example]:
    """Clauses of labelled documents; `whole` where every clause of them was judged."""
    rows = map(json.loads, (folder / "quotes.jsonl").read_text(encoding="utf-8").splitlines())
    told = {
        (row["blob_sha256"], row["start"], row["surface"]): Kind(row["risk"], row["polarity"], row.get("stance"))
        for row in rows
    }
    labels = read_labels(folder)
    for labels_of_text in sort_labels(labels.quotes, labels.negatives, archive.text, lambda *_: ()).texts:
        text = archive.text(labels_of_text.sha256) or ""
        for clause in segment(text):
            if clause.kind != "heading" and clause.end - clause.start <= LONGEST:
                yield _labelled(text, clause, labels_of_text, told, whole=whole)


def _labelled(
    text: str, clause: Clause, labels: LabelledText, told: dict[tuple[str, int, str], Kind], *, whole: bool
) -> Example:
    """One clause of a labelled text."""
    quote = text[clause.start : clause.end]
    kinds = {
        span.surface: told[span.sha256, span.start, span.surface]
        for span in labels.quotes
        if overlaps(clause.start, clause.end, span)
    }
    wrong = {span.surface for span in labels.negatives if overlaps(clause.start, clause.end, span)}
    if "training_use" not in kinds and TRAINING_WORD.search(quote):
        wrong.add("training_use")
    named = re.compile(rf"\b(?:{'|'.join(re.escape(name) for name in names_of(labels))})\b('s)?")
    said = (plain(quote).lower(), clause.lead_in.lower(), clause.heading.lower())
    return Example(*(named.sub(_party, text_) for text_ in said), kinds, frozenset(wrong), whole, labels.family)


def names_of(labels: LabelledText) -> set[str]:
    """Words that name a vendor or its platform."""
    words = {part for name in (labels.platform, labels.family) for part in (name, *name.split("-"))}
    return {word.replace("-", " ") for word in words if len(word) > 2} | {word for word in words if len(word) > 2}


def _party(match: re.Match[str]) -> str:
    """Name a vendor as the provider that it is."""
    return "our" if match[1] else "we"


def gathered(labels: Path, database: Path) -> list[Example]:
    """All examples; a document that was read whole does not count as a sample too."""
    with closing(Store(database)) as store:
        archive = Archive(store)
        read = list(labelled(HERE / "labels" / "read", archive, whole=True))
        known = {(item.family, item.words) for item in read}
        sample = [item for item in labelled(labels, archive, whole=False) if (item.family, item.words) not in known]
    return [*written(HERE / "written"), *demo(), *read, *sample]


@dataclass
class Line:
    """One linear function."""

    weights: Any
    bias: float

    def __call__(self, rows: Any) -> Any:
        return rows @ self.weights + self.bias


class Learner:
    """Examples as rows of features, and what is learned from some of them.

    Parameters
    ----------
    examples : sequence of Example
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples
        counts = Counter(name for item in examples for name in item.seen.features)
        kin: dict[str, set[str]] = {}
        for item in examples:
            for name in item.seen.features:
                kin.setdefault(name, set()).add(item.family or item.words)
        self.vocabulary = sorted(name for name, count in counts.items() if count >= SEEN and len(kin[name]) >= KIN)
        place = {name: at for at, name in enumerate(self.vocabulary)}
        columns = [sorted(place[name] for name in item.seen.features if name in place) for item in examples]
        lengths = [len(row) for row in columns]
        self.rows = csr_matrix(
            (
                np.repeat([1 / item.seen.size for item in examples], lengths),
                np.concatenate(columns),
                np.concatenate([[0], np.cumsum(lengths)]),
            ),
            shape=(len(examples), len(self.vocabulary)),
        )
        names = [item.family or item.words for item in examples]
        self.fold = np.array([fold_of(name) for name in names])
        self.everything = np.ones(len(examples), dtype=bool)

    def line(self, truth: Any, weights: Any, chosen: Any) -> Line:
        """Learn one linear function from the chosen examples."""
        machine = LinearSVC(C=PENALTY, random_state=0, max_iter=5000)
        machine.fit(self.rows[chosen], truth[chosen], sample_weight=weights[chosen])
        learned = machine.coef_[0].copy()
        learned[np.abs(learned) < SMALLEST] = 0
        return Line(np.round(learned, 3), round(float(machine.intercept_[0]), 3))

    def truth(self, surface: str) -> Any:
        """Which examples speak to a surface."""
        return np.array([surface in item.kinds for item in self.examples])

    def surface_line(self, surface: str, chosen: Any) -> Line:
        """Learn whether a clause speaks to a surface."""
        weights = np.array([item.weight(surface) for item in self.examples])
        return self.line(self.truth(surface), weights, chosen)

    def left_out_scores(self, surface: str) -> Any:
        """Score each example by what was learned without it and its kin."""
        scores = np.zeros(len(self.examples))
        for fold in range(FOLDS):
            held = self.fold == fold
            scores[held] = self.surface_line(surface, ~held)(self.rows[held])
        return scores

    def kind_lines(self, surface: str, chosen: Any) -> tuple[list[Kind], list[Line]]:
        """Learn what the clauses of a surface say."""
        told = [item.kinds.get(surface) for item in self.examples]
        counts = Counter(kind for kind, taken in zip(told, chosen, strict=True) if taken and kind and kind.risk)
        kinds = sorted((kind for kind, count in counts.items() if count >= FEWEST), key=str)
        chosen = chosen & np.array([kind in kinds for kind in told])
        even = np.ones(len(told))
        return kinds, [self.line(np.array([kind == one for kind in told]), even, chosen) for one in kinds]


@dataclass
class Borders:
    """From which score a rule's finding stands, from which a clause is taken without a rule; and what they give."""

    keep: float
    take: float
    right: int
    found: int
    truth: int


def borders(truth: Any, by_rule: Any, scores: Any) -> Borders:
    """Choose borders by the F-measure that weighs precision over recall (van Rijsbergen 1979), over a grid."""
    best: tuple[float, Borders] | None = None
    for keep in GRID:
        for take in GRID[keep <= GRID]:
            found = (by_rule & (scores >= keep)) | (scores >= take)
            right = int((found & truth).sum())
            measure_ = (1 + BETA**2) * right / max(1.0, BETA**2 * truth.sum() + found.sum())
            if best is None or measure_ > best[0]:
                best = measure_, Borders(float(keep), float(take), right, int(found.sum()), int(truth.sum()))
    assert best is not None
    return best[1]


def all_borders(learner: Learner) -> dict[str, Borders]:
    """Choose the borders of all surfaces on whole documents, each left out."""
    whole = np.array([item.read and bool(item.family) for item in learner.examples])
    found = {}
    for place, surface in enumerate(SURFACES):
        by_rule = np.array([item.looks.rules[place] is not None for item in learner.examples])
        truth, scores = learner.truth(surface), learner.left_out_scores(surface)
        found[surface] = borders(truth[whole], by_rule[whole], scores[whole])
    return found


def weights_of(learner: Learner, chosen: Any, limits: dict[str, Borders]) -> str:
    """Learn from the chosen examples; give the weights as `riskanalytics.extraction.learned.parsed` reads them."""
    columns: dict[str, list[Line]] = {"": [learner.surface_line(surface, chosen) for surface in SURFACES]}
    kinds = {}
    for surface in SURFACES:
        kinds[surface], columns[surface] = learner.kind_lines(surface, chosen)
    lines = []
    for at, feature in enumerate(learner.vocabulary):
        cells = []
        for name, learned in columns.items():
            pairs = [f"{place}:{round(1000 * one.weights[at])}" for place, one in enumerate(learned) if one.weights[at]]
            cells += [" ".join((name, *pairs))] if pairs else []
        if cells:
            lines.append("\t".join((feature, *cells)))
    head: dict[str, Any] = {
        "surfaces": list(SURFACES),
        "bias": [one.bias for one in columns.pop("")],
        "keep": [limits[surface].keep for surface in SURFACES],
        "take": [limits[surface].take for surface in SURFACES],
        "kinds": {surface: [list(kind) for kind in told] for surface, told in kinds.items()},
        "kind_bias": {surface: [one.bias for one in learned] for surface, learned in columns.items()},
    }
    body = "\n".join((json.dumps(head, sort_keys=True, ensure_ascii=False), *lines))
    head["version"] = hashlib.sha256(body.encode()).hexdigest()[:8]
    return "\n".join((json.dumps(head, sort_keys=True, ensure_ascii=False), *lines)) + "\n"


def left_out_texts(learner: Learner, limits: dict[str, Borders], labels: Path, archive: Archive) -> list[LabelledText]:
    """Read each labelled text by weights that were learned without its vendor."""
    readers = [parsed(weights_of(learner, learner.fold != fold, limits)) for fold in range(FOLDS)]
    given = read_labels(labels)
    texts = sort_labels(given.quotes, given.negatives, archive.text, lambda *_: ()).texts
    return [
        replace(text, findings=tuple(extract(archive.text(text.sha256) or "", readers[fold_of(text.family)]).findings))
        for text in texts
    ]


def fold_of(name: str) -> int:
    """In which fold a vendor, a document or a sentence is left out."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS


def main(arguments: list[str] | None = None) -> int:
    """Learn, print what was measured, and write the weights and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--measure", action="store_true", help="write the figures of the weights that were written")
    given = parser.parse_args(arguments)
    learner = Learner(gathered(given.labels, given.database))
    limits = all_borders(learner)
    for surface, row in limits.items():
        print(
            f"{surface:22} keep {row.keep:5.2f} take {row.take:5.2f}  right {row.right}/{row.found} "
            f"({row.right / max(1, row.found):.2f})  found {row.right / max(1, row.truth):.2f} of {row.truth}"
        )
    text = weights_of(learner, learner.everything, limits)
    body = gzip.compress(text.encode("utf-8"), mtime=0)
    print(f"{len(learner.examples)} examples, {text.count(chr(10))} features, {len(body) / 1000:.0f} kB")
    if given.write:
        TARGET.write_bytes(body)
    if given.measure:
        with closing(Store(given.database)) as store:
            texts = left_out_texts(learner, limits, given.labels, Archive(store))
        scores = [score(folder, given.database) for folder in (given.labels, HERE / "labels" / "unseen")]
        measure.TARGET.write_text(measure.written(scores[0], texts, scores[1], datetime.now(UTC).date()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
