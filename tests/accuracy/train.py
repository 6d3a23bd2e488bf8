"""Learn the weights of `riskanalytics.extraction.learned` from documents labelled whole.

Run `python -m tests.accuracy.train --database FILE --write` from the checkout (needs scikit-learn) on a database that
holds both archives; without `--write` the figures are printed and nothing is kept. Learned from are

`labels/whole/learn.jsonl`  real documents, every sentence of them judged (hashes and offsets only);
`written`                   sentences and fictional policies written for the project.

1. A linear support vector machine a surface (Fan et al. 2008, LIBLINEAR, JMLR 9:1871) scores each clause.
2. Boosted trees read the score in its place (`riskanalytics.extraction.learned.context`). They are given scores that
   were learned without the clause's vendor, as they will meet them.
3. The sum of the trees is calibrated (Platt 1999) on `labels/whole/calibrate.jsonl`, and on the documents learned from,
   each read by weights and trees that were learned without its vendor.
4. What a clause says is told by one linear machine for each kind; from which margin HIGH is said is calibrated likewise.

The test part is never read here.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from riskanalytics.accuracy.archive import Archive
from riskanalytics.accuracy.clauses import overlaps
from riskanalytics.accuracy.labels import WholeDocument, read_whole
from riskanalytics.extraction.confidence import wilson
from riskanalytics.extraction.deciding import Looks, by_patterns
from riskanalytics.extraction.document_kind import kind_of
from riskanalytics.extraction.form import Form, form_of
from riskanalytics.extraction.learned import SCALE, Kind, Sigmoid, parsed
from riskanalytics.extraction.learned.context import read, table
from riskanalytics.extraction.learned.features import beside, see, tokens, within
from riskanalytics.extraction.learned.trees import Trees
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.segment import segment
from riskanalytics.models import SURFACES
from riskanalytics.service import Store

ROOT: Final = Path(__file__).resolve().parents[2]
HERE: Final = Path(__file__).parent
WHOLE: Final = HERE / "labels" / "whole"
TARGET: Final = ROOT / "riskanalytics" / "extraction" / "learned" / "weights.tsv.gz"
SEEN = 3
"""Vendors or fictional documents that must have a feature for it to count: what one alone says tells nothing."""
SMALLEST = 0.12
"""A weight nearer to nought than this is left out."""
FEWEST = 8
"""A kind with fewer examples is not learned."""
DOUBTFUL, WRITTEN = 0.5, 0.5
"""What an example weighs of which the reader was not sure, and one written for the project."""
LONGEST = 4000
THIRD_PARTIES: Final = ("facebook", "meta", "amazon", "instagram", "whatsapp", "linkedin", "twitter", "youtube")
"""Named in others' documents; no weight may hang on them."""
FOLDS = 5
_WORD: Final = re.compile(r"[a-z]+")
ROUNDS, LEAVES, DEPTH, RATE = 140, 16, 7, 0.07
PRECISION = 0.94
"""Share of what is shown that is to be right on vendors left out: the bound of being shown follows from it."""
HIGH_PRECISION = 0.94
LEAD_FROM = 0.3
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
            around = [name for mark, other in near for name in beside(mark, other.kind, other.looks.signs)]
            one.features = {*seen.features, *within(one.document, one.looks.signs), *around}
            one.size = seen.size


def real(part: str, archive: Archive) -> Iterator[Document]:
    """Documents labelled whole, the vendor's name taken out."""
    for whole in read_whole(WHOLE / f"{part}.jsonl"):
        text = archive.text(whole.sha256)
        if text is None:
            print(f"not held: {whole.platform}, {whole.document}", file=sys.stderr)
            continue
        yield Document(whole.family, part, list(_examples(text, whole)))


def _examples(text: str, whole: WholeDocument) -> Iterator[Example]:
    """The clauses of one labelled text."""
    labels, refused = whole.standing(text)
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
    for told in row.get("labels", [row] if row.get("kind") == "positive" else []):
        labels[told["surface"]] = Kind(told["risk"], told["polarity"], told.get("stance")), True
    lead_in = plain(row.get("lead_in") or "").lower()
    kind = "item" if lead_in else "sentence"
    return Example(plain(row["text"]).lower(), lead_in, (row.get("heading") or "").lower(), kind, labels)


@dataclass
class Line:
    """One linear function."""

    weights: Any
    bias: float

    def __call__(self, rows: Any) -> Any:
        return np.round(SCALE * (rows @ self.weights + self.bias)).astype(np.int32)


class Learner:
    """Clauses as rows of features, and what is learned from some of them.

    Parameters
    ----------
    documents : sequence of Document
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        for document in documents:
            document.see()
        self.documents = documents
        self.examples = [one for document in documents for one in document.examples]
        self.of = np.repeat(np.arange(len(documents)), [len(document.examples) for document in documents])
        kin: dict[str, set[str]] = {}
        for document in documents:
            if document.part in ("learn", "written"):
                for one in document.examples:
                    for name in one.features:
                        kin.setdefault(name, set()).add(document.family)
        named = set(THIRD_PARTIES).union(*map(names_in, families_of(WHOLE)))
        self.vocabulary = sorted(
            name for name, families in kin.items() if len(families) >= SEEN and named.isdisjoint(_WORD.findall(name))
        )
        place = {name: at for at, name in enumerate(self.vocabulary)}
        columns = [sorted(place[name] for name in one.features if name in place) for one in self.examples]
        lengths = [len(row) for row in columns]
        values = np.repeat([1 / one.size for one in self.examples], lengths)
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        self.rows = csr_matrix((values, np.concatenate(columns), pointers), shape=(len(columns), len(self.vocabulary)))
        part = np.array([document.part for document in documents])[self.of]
        self.learned, self.real = np.isin(part, ("learn", "written")), part != "written"
        self.fold = np.array([fold_of(document.family) for document in documents])[self.of]
        self.fold[part == "calibrate"] = -1
        self.truth = np.array([[name in one.labels for name in SURFACES] for one in self.examples])
        self.sure = np.array([[one.labels.get(name, (None, True))[1] for name in SURFACES] for one in self.examples])

    def line(self, truth: Any, weights: Any, chosen: Any) -> Line:
        """Learn one linear function from the chosen examples."""
        machine = LinearSVC(C=1.0, random_state=0, max_iter=3000)
        machine.fit(self.rows[chosen], truth[chosen], sample_weight=weights[chosen])
        learned = machine.coef_[0].copy()
        learned[np.abs(learned) < SMALLEST] = 0
        return Line(np.round(learned, 3), round(float(machine.intercept_[0]), 3))

    def surface_lines(self, chosen: Any) -> list[Line]:
        """Learn whether a clause speaks to each surface."""
        even = np.where(self.real, 1.0, WRITTEN)
        return [
            self.line(self.truth[:, at], even * np.where(self.sure[:, at], 1.0, DOUBTFUL), chosen)
            for at in range(len(SURFACES))
        ]

    def kind_lines(self, surface: str, chosen: Any) -> tuple[list[Kind], list[Line]]:
        """Learn what the clauses of a surface say."""
        told = [one.labels.get(surface, (None, True))[0] for one in self.examples]
        counts = Counter(kind for kind, taken in zip(told, chosen, strict=True) if taken and kind)
        kinds = sorted((kind for kind, count in counts.items() if count >= FEWEST), key=str)
        chosen = chosen & np.array([kind in kinds for kind in told])
        weights = np.where(self.real, 1.0, WRITTEN)
        if len(kinds) < 2:
            return kinds, [Line(np.zeros(len(self.vocabulary)), 0.0) for _ in kinds]
        return kinds, [self.line(np.array([kind == one for kind in told]), weights, chosen) for one in kinds]

    def trust(self, chosen: Any) -> dict[str, int]:
        """Count how many of thousand clauses that a rule took spoke to the surface."""
        taken, right = Counter[str](), Counter[str]()
        for one, is_chosen in zip(self.examples, chosen & self.real, strict=True):
            for surface, rule in zip(SURFACES, one.looks.names, strict=True):
                if is_chosen and rule:
                    taken[rule] += 1
                    right[rule] += surface in one.labels
        return {rule: round(1000 * (right[rule] + 1) / (taken[rule] + 3)) for rule in sorted(taken)}

    def tables(self, scores: Any, trust: dict[str, int]) -> tuple[Any, Any]:
        """Rows of the candidates of all real documents, and the example and surface of each."""
        rows, places = [], []
        for at, document in enumerate(self.documents):
            if document.part == "written":
                continue
            here = np.flatnonzero(self.of == at)
            if not len(here):
                continue
            clauses = [
                read(one.heading, one.lead_in, one.form, one.looks.signs, one.looks.names, trust)
                for one in document.examples
            ]
            found = table(scores[here], clauses, document.examples[0].document)
            rows.append(found.rows)
            places += [(int(here[clause]), surface) for clause, surface in found.places]
        return np.concatenate(rows), np.array(places)


def fold_of(name: str) -> int:
    """In which fold a vendor, a document or a sentence is left out."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS


def grown(rows: Any, truth: Any, weights: Any) -> list[list[list[int]]]:
    """Grow trees; give them as `riskanalytics.extraction.learned.trees.Trees` reads them."""
    forest = HistGradientBoostingClassifier(
        max_iter=ROUNDS, learning_rate=RATE, max_leaf_nodes=LEAVES, max_depth=DEPTH, l2_regularization=10,
        min_samples_leaf=40, max_bins=96, random_state=0, early_stopping=False,
    )  # fmt: skip
    forest.fit(rows, truth, sample_weight=weights)
    base = round(1e6 * float(forest._baseline_prediction.ravel()[0]))
    trees = [[[0, 0, 0, 0, base]]]
    for (tree,) in forest._predictors:
        trees.append(
            [
                [0, 0, at, at, round(1e6 * float(node["value"]))]
                if node["is_leaf"]
                else [
                    int(node["feature_idx"]),
                    int(np.floor(node["num_threshold"])),
                    int(node["left"]),
                    int(node["right"]),
                    0,
                ]
                for at, node in enumerate(tree.nodes)
            ]
        )
    return trees


def platt(scores: Any, truth: Any, weights: Any, surfaces: Any) -> list[Sigmoid]:
    """Calibrate: one slope, and for each surface a shift that leans on all."""
    columns = np.concatenate([scores[:, None], np.eye(len(SURFACES))[surfaces]], axis=1)
    fitted = LogisticRegression(C=0.3, max_iter=2000).fit(columns, truth, sample_weight=weights)
    slope, *shifts = fitted.coef_[0]
    return [Sigmoid(round(float(slope), 4), round(float(fitted.intercept_[0] + shift), 4)) for shift in shifts]


def bound(chances: Any, right: Any, wanted: float) -> float:
    """The least chance from which so large a share is right."""
    order = np.argsort(-chances, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= wanted)
    enough = enough[enough >= min(50, len(order) - 1)]
    return round(float(chances[order[enough[-1]]]), 3) if len(enough) else 0.99


def bins_of(chances: Any, right: Any) -> list[tuple[float, float, float]]:
    """Wilson's interval of the share that was right, by confidence."""
    found = []
    for start in (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98):
        later = min((edge for edge in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01) if edge > start), default=1.01)
        inside = (chances >= start) & (chances < later)
        low, high = wilson(int(right[inside].sum()), int(inside.sum()))
        found.append((start, round(low, 3), round(high, 3)))
    return found


class Trained:
    """All that is learned, and the figures of vendors left out.

    Parameters
    ----------
    learner : Learner
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        everything = learner.learned
        self.lines = learner.surface_lines(everything)
        self.trust = learner.trust(everything)
        scores = np.stack([line(learner.rows) for line in self.lines], axis=1)
        for fold in range(FOLDS):
            held = learner.fold == fold
            without = learner.surface_lines(everything & ~held)
            scores[held] = np.stack([line(learner.rows[held]) for line in without], axis=1)
        self.rows, self.places = learner.tables(scores, self.trust)
        example, surface = self.places.T
        self.right = learner.truth[example, surface]
        self.sure = learner.sure[example, surface]
        weights = np.where(self.sure, 1.0, DOUBTFUL)
        fold = learner.fold[example]
        self.calibrate = fold < 0
        self.trees = grown(self.rows[~self.calibrate], self.right[~self.calibrate], weights[~self.calibrate])
        logits = _sums(self.trees, self.rows)
        for one in range(FOLDS):
            held = fold == one
            inside = ~held & ~self.calibrate
            logits[held] = _sums(grown(self.rows[inside], self.right[inside], weights[inside]), self.rows[held])
        self.calibration = platt(logits, self.right, np.ones(len(logits)), surface)
        self.chances = np.array(
            [self.calibration[at](score) for at, score in zip(surface.tolist(), logits.tolist(), strict=True)]
        )
        self.shown = bound(self.chances, self.right, PRECISION)
        self.kinds = {name: learner.kind_lines(name, everything) for name in SURFACES}
        self.high, self.high_from = self._high()

    def _high(self) -> tuple[Sigmoid, float]:
        """From which margin a level is HIGH, on vendors left out."""
        learner, margins, truth = self.learner, [], []
        for fold in range(-1, FOLDS):
            held = learner.fold == fold
            chosen = learner.learned & ~held
            for at, name in enumerate(SURFACES):
                kinds, lines = self.kinds[name] if fold < 0 else learner.kind_lines(name, chosen)
                high = [place for place, kind in enumerate(kinds) if kind.risk == "HIGH"]
                rest = [place for place, kind in enumerate(kinds) if kind.risk != "HIGH"]
                here = np.flatnonzero(held & learner.truth[:, at] & learner.real)
                if not high or not rest or not len(here):
                    continue
                totals = np.stack([line(learner.rows[here]) for line in lines], axis=1)
                margins += ((totals[:, high].max(axis=1) - totals[:, rest].max(axis=1)) / SCALE).tolist()
                for one in here:
                    kind = learner.examples[one].labels[name][0]
                    truth.append(kind is not None and kind.risk == "HIGH")
        column, right = np.array(margins)[:, None], np.array(truth)
        fitted = LogisticRegression(C=10).fit(column, right)
        sigmoid = Sigmoid(round(float(fitted.coef_[0][0]), 4), round(float(fitted.intercept_[0]), 4))
        chances = np.array([sigmoid(margin) for margin in margins])
        return sigmoid, bound(chances, right, HIGH_PRECISION)

    def body(self) -> str:
        """The weights as `riskanalytics.extraction.learned.parsed` reads them."""
        columns: dict[str, list[Line]] = {"": self.lines} | {name: lines for name, (_, lines) in self.kinds.items()}
        lines = []
        for at, feature in enumerate(self.learner.vocabulary):
            cells = []
            for name, learned in columns.items():
                pairs = [
                    f"{place}:{round(SCALE * one.weights[at])}" for place, one in enumerate(learned) if one.weights[at]
                ]
                cells += [" ".join((name, *pairs))] if pairs else []
            if cells:
                lines.append("\t".join((feature, *cells)))
        head: dict[str, Any] = {
            "surfaces": list(SURFACES),
            "bias": [round(SCALE * one.bias) for one in self.lines],
            "trust": self.trust,
            "trees": self.trees,
            "calibration": self.calibration,
            "high": self.high,
            "shown": self.shown,
            "high_from": self.high_from,
            "lead_from": LEAD_FROM,
            "bins": bins_of(self.chances, self.right),
            "kinds": {name: [list(kind) for kind in kinds] for name, (kinds, _) in self.kinds.items()},
            "kind_bias": {
                name: [round(SCALE * one.bias) for one in learned] for name, (_, learned) in self.kinds.items()
            },
        }
        body = "\n".join((json.dumps(head, sort_keys=True, ensure_ascii=False), *lines))
        head["version"] = hashlib.sha256(body.encode()).hexdigest()[:8]
        return "\n".join((json.dumps(head, sort_keys=True, ensure_ascii=False), *lines)) + "\n"

    def figures(self) -> Iterator[str]:
        """Lines about vendors left out."""
        firm = {part: (self.learner.truth & self.learner.sure)[chosen].sum() for part, chosen in (
            ("learned, vendor left out", self.learner.learned & self.learner.real), ("calibrate", self.learner.fold < 0)
        )}  # fmt: skip
        for part, inside in (("learned, vendor left out", ~self.calibrate), ("calibrate", self.calibrate)):
            for at in (self.shown, 0.5, LEAD_FROM):
                shown = inside & (self.chances >= at)
                right, found = self.right[shown], (self.right & self.sure)[shown]
                yield (
                    f"{part}: from {at}: {shown.sum()} shown, right {right.mean():.3f}, "
                    f"found {found.sum() / firm[part]:.3f}, mean confidence {self.chances[shown].mean():.3f}"
                )
        for at, name in enumerate(SURFACES):
            shown = (self.places[:, 1] == at) & (self.chances >= self.shown)
            yield f"  {name:22} {shown.sum():5} shown, right {self.right[shown].mean() if shown.any() else 0:.3f}"
        yield f"HIGH from {self.high_from}"


def _sums(trees: list[list[list[int]]], rows: Any) -> Any:
    """Logits of rows."""

    forest = Trees(trees)
    parts: Iterable[Any] = np.array_split(rows, max(1, len(rows) // 2000))
    return np.concatenate([np.array(forest.sums(part), dtype=float) for part in parts]) / 1e6


def main(arguments: list[str] | None = None) -> int:
    """Learn, print what was measured on vendors left out, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    with closing(Store(given.database)) as store:
        archive = Archive(store)
        documents = [*real("learn", archive), *real("calibrate", archive), *written(HERE / "written")]
    trained = Trained(Learner([document for document in documents if document.examples]))
    for line in trained.figures():
        print(line)
    text = trained.body()
    parsed(text)
    body = gzip.compress(text.encode("utf-8"), mtime=0)
    print(f"{len(trained.learner.examples)} clauses, {text.count(chr(10))} features, {len(body) / 1000:.0f} kB")
    if given.write:
        TARGET.write_bytes(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
