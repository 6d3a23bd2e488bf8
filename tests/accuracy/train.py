"""Learn the weights of `riskanalytics.extraction.learned` from documents labelled whole.

Run `python -m tests.accuracy.train --database FILE --write` from the checkout (needs scikit-learn) on a database that
holds both archives; without `--write` the figures are printed and nothing is kept. Learned from are

`labels/whole/learn.jsonl`  real documents, every sentence of them judged (hashes and offsets only);
`written`                   sentences and fictional policies written for the project.

1. A linear support vector machine a surface (Fan et al. 2008, LIBLINEAR, JMLR 9:1871) scores each clause.
2. Boosted trees read the score in its place (`riskanalytics.extraction.learned.table`). They are given scores that
   were learned without the clause's vendor, as they will meet them.
3. The sum of the trees is calibrated (Platt 1999) on `labels/whole/calibrate.jsonl`, and on the documents learned from,
   each read by weights and trees that were learned without its vendor.
4. What a clause says is told by one linear machine for each kind; from which margin HIGH is said is calibrated likewise.

The test part is never read here.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix, diags_array
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from riskanalytics.extraction.evidence import EXPLICIT, grade_of
from riskanalytics.extraction.features import columns_of
from riskanalytics.extraction.learned import SCALE, Kind, Sigmoid, Trees, reader_of, table
from riskanalytics.extraction.sense import roles_of
from riskanalytics.service import Store
from riskanalytics.surfaces import SURFACES
from tests.accuracy.calibration import bins_of, bound, margin_of, platt
from tests.accuracy.examples import HERE, WHOLE, Document, families_of, names_in, real, written

ROOT: Final = Path(__file__).resolve().parents[2]
TARGET: Final = ROOT / "riskanalytics" / "extraction" / "weights.npz"
SEEN = 3
"""Vendors or fictional documents that must have a feature for it to count: what one alone says tells nothing."""
SMALLEST = 0.12
"""A weight nearer to nought than this is left out."""
FEWEST = 8
"""A kind with fewer examples is not learned."""
DOUBTFUL, WRITTEN = 0.5, 0.5
"""What an example weighs of which the reader was not sure, and one written for the project."""
THIRD_PARTIES: Final = ("facebook", "meta", "amazon", "instagram", "whatsapp", "linkedin", "twitter", "youtube")
"""Named in others' documents; no weight may hang on them."""
FOLDS = 5
COST, RATIO = 1.0, 0.5
"""How dear an error is to a linear machine, and how much its features lean on their log-count ratio."""
_WORD: Final = re.compile(r"[a-z]+")
ROUNDS, LEAVES, DEPTH, RATE = 140, 16, 7, 0.07
PRECISION = 0.95
"""Share of what is shown that is to be right on vendors left out: the bound of being shown follows from it."""
HIGH_PRECISION = 0.88
LEAD_FROM = 0.3


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
        """Learn one linear function from the chosen examples, each feature scaled by how much it tells of the truth.

        The scale leans on the log-count ratio of naive Bayes (Wang and Manning 2012, "Baselines and bigrams").
        """
        present = self.rows[chosen].sign()
        counts = [1 + np.asarray(present[side].sum(axis=0)).ravel() for side in (truth[chosen], ~truth[chosen])]
        ratio = np.log(counts[0] / counts[0].sum()) - np.log(counts[1] / counts[1].sum())
        scale = (1 - RATIO) + RATIO * np.minimum(np.abs(ratio), 4) / 2
        machine = LinearSVC(C=COST, random_state=0, max_iter=3000)
        machine.fit(self.rows[chosen] @ diags_array(scale), truth[chosen], sample_weight=weights[chosen])
        learned = machine.coef_[0] * scale
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
        result = [one.labels.get(surface, (None, True))[0] for one in self.examples]
        counts = Counter(kind for kind, taken in zip(result, chosen, strict=True) if taken and kind)
        kinds = sorted((kind for kind, count in counts.items() if count >= FEWEST), key=str)
        chosen = chosen & np.array([kind in kinds for kind in result])
        weights = np.where(self.real, 1.0, WRITTEN)
        if len(kinds) < 2:
            return kinds, [Line(np.zeros(len(self.vocabulary)), 0.0) for _ in kinds]
        return kinds, [self.line(np.array([kind == one for kind in result]), weights, chosen) for one in kinds]

    def trust(self, chosen: Any) -> dict[str, int]:
        """Count how many of thousand clauses that a rule took spoke to the surface."""
        taken, right = Counter[str](), Counter[str]()
        for one, is_chosen in zip(self.examples, chosen & self.real, strict=True):
            for surface, rule in zip(SURFACES, one.looks.names, strict=True):
                if is_chosen and rule:
                    taken[rule] += 1
                    right[rule] += surface in one.labels
        return {rule: round(1000 * (right[rule] + 1) / (taken[rule] + 3)) for rule in sorted(taken)}

    def explicit(self) -> float:
        """Share of the clauses that say explicitly whether models are trained, and of which that was judged so too."""
        result = [
            "training_use" in one.labels
            for one, is_real in zip(self.examples, self.real, strict=True)
            if is_real and grade_of(one.words, roles_of(one.words, one.lead_in)).grade == EXPLICIT
        ]
        return round((sum(result) + 1) / (len(result) + 3), 3)

    def tables(self, scores: Any, trust: dict[str, int]) -> tuple[Any, Any]:
        """Rows of the candidates of all real documents, and the example and surface of each."""
        rows, places = [], []
        for at, document in enumerate(self.documents):
            if document.part == "written":
                continue
            here = np.flatnonzero(self.of == at)
            if not len(here):
                continue
            headings = [one.heading for one in document.examples]
            columns = np.array([columns_of(one.looks, one.form, trust, SURFACES) for one in document.examples])
            found, of = table(scores[here], headings, columns, document.examples[0].document)
            rows.append(found)
            places += [(int(here[clause]), surface) for clause, surface in of]
        return np.concatenate(rows), np.array(places)


def fold_of(name: str) -> int:
    """In which fold a vendor, a document or a sentence is left out."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS


def grown(rows: Any, truth: Any, weights: Any) -> list[list[list[int]]]:
    """Grow trees; give them as `riskanalytics.extraction.learned.Trees` reads them."""
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

    def _high(self) -> tuple[list[Sigmoid], float]:
        """From which chance a clause is shown as HIGH: that it is one, times that it is there at all."""
        learner, result = self.learner, []
        for fold in range(-1, FOLDS):
            chosen = learner.learned & (learner.fold != fold)
            for at, name in enumerate(SURFACES):
                kinds, lines = self.kinds[name] if fold < 0 else learner.kind_lines(name, chosen)
                if len({kind.risk == "HIGH" for kind in kinds}) < 2:
                    continue
                here = np.flatnonzero((self.places[:, 1] == at) & (learner.fold[self.places[:, 0]] == fold))
                clauses = self.places[here, 0]
                totals = np.stack([line(learner.rows[clauses]) for line in lines], axis=1)
                result += [
                    (place, *margin_of(learner.examples[clause], at, kinds, row.tolist()))
                    for place, clause, row in zip(here.tolist(), clauses.tolist(), totals, strict=True)
                ]
        place, margin, agreed, high = (np.array(column) for column in zip(*result, strict=True))
        there = self.right[place]
        fitted = LogisticRegression(C=10).fit(np.stack([margin, agreed], axis=1)[there], high[there])
        slope, more = (float(one) for one in fitted.coef_[0])
        shift = float(fitted.intercept_[0])
        sigmoids = [Sigmoid(round(slope, 4), round(shift + extra, 4)) for extra in (0.0, more)]
        chances = np.array([sigmoids[one](value) for one, value in zip(agreed.tolist(), margin.tolist(), strict=True)])
        shown = (self.chances[place] >= self.shown) & (margin > 0)
        joint = (self.chances[place] * chances)[shown]
        return sigmoids, bound(joint, high[shown], HIGH_PRECISION)

    def parts(self) -> tuple[dict[str, Any], list[str], Any]:
        """What `riskanalytics.extraction.learned.reader_of` takes: head, names of the features, weights."""
        columns = [*self.lines, *(line for _, lines in self.kinds.values() for line in lines)]
        every = np.stack([np.round(SCALE * one.weights) for one in columns], axis=1).astype(np.int16)
        used = every.any(axis=1)
        features, weights = (
            [name for name, some in zip(self.learner.vocabulary, used, strict=True) if some],
            every[used],
        )
        head: dict[str, Any] = {
            "surfaces": list(SURFACES),
            "bias": [round(SCALE * one.bias) for one in columns],
            "trust": self.trust,
            "trees": self.trees,
            "calibration": self.calibration,
            "high": self.high,
            "shown": self.shown,
            "high_from": self.high_from,
            "lead_from": LEAD_FROM,
            "explicit": self.learner.explicit(),
            "bins": bins_of(self.chances, self.right),
            "kinds": {name: [list(kind) for kind in kinds] for name, (kinds, _) in self.kinds.items()},
        }
        body = json.dumps(head, sort_keys=True, ensure_ascii=False).encode() + "\n".join(features).encode()
        head["version"] = hashlib.sha256(body + weights.tobytes()).hexdigest()[:8]
        return head, features, weights

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
    return np.concatenate([forest.sums(part) for part in parts]) / 1e6


def main(arguments: list[str] | None = None) -> int:
    """Learn, print what was measured on vendors left out, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    with closing(Store(given.database)) as store:
        documents = [*real("learn", store), *real("calibrate", store), *written(HERE / "written")]
    trained = Trained(Learner([document for document in documents if document.examples]))
    for line in trained.figures():
        print(line)
    head, features, weights = trained.parts()
    reader_of(head, features, weights)
    said = [json.dumps(head, sort_keys=True, ensure_ascii=False), "\n".join(features)]
    texts = (np.frombuffer(one.encode(), dtype=np.uint8) for one in said)
    file = io.BytesIO()
    np.savez_compressed(file, **dict(zip(("head", "features"), texts, strict=True)), weights=weights)
    body = file.getvalue()
    print(f"{len(trained.learner.examples)} clauses, {len(features)} features, {len(body) / 1000:.0f} kB")
    if given.write:
        TARGET.write_bytes(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
