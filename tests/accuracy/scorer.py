"""Score what the extraction finds against labelled clauses, beside a plain keyword list.

Run `python -m tests.accuracy.scorer` from the checkout (needs ../shared). The rules of scoring are those of
the labels' README: same bytes, same surface, spans that overlap by at least half of the shorter; precision on
judged text only (a finding that touches neither a labelled clause nor a hard negative is not judged), except
that on `training_use` every sentence with a training word was judged in the documents read.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from riskanalytics.extraction import DocumentReading, assess, compare, extract, segment
from riskanalytics.extraction.confidence import wilson
from riskanalytics.models import SURFACES
from tests.accuracy.labels import Labels, Row, by_document, open_labels, overlaps

TRAINING_WORD = re.compile(r"\btrain(?!\w*ers?\b)|fine-?tun|训练", re.IGNORECASE)
KEYWORDS = {
    "training_use": r"\btrain(?:s|ed|ing)?\b|fine-?tun|训练",
    "web_data_training": r"publicly available|scrap|crawl|公开",
    "content_license": r"licen[cs]e|\bgrant|许可|授权",
    "output_rights": r"\boutputs?\b|generated content|输出",
    "ip_liability": r"indemnif|infring|侵权",
    "data_retention": r"\bretain|retention|\bdelete|保存|保留",
    "third_party_sharing": r"\bshare\b|disclose|third part|共享|披露",
    "ads_tracking": r"advertis|\bads\b|cookies?|广告",
    "human_review": r"\breview|\bmonitor|moderat|审核",
    "cross_border_transfer": r"transfer|outside the|countries|境",
    "sensitive_data": r"sensitive|biometric|children|health|未成年|敏感",
    "terms_changes": r"\bmodify|\bchanges? to|\bupdate|amend|修改|变更",
}


class Found(NamedTuple):
    """A finding, ours or the baseline's."""

    surface: str
    start: int
    end: int
    quote: str
    risk: str
    rule: str


Finder = Callable[[str], list[Found]]


def ours(text: str) -> list[Found]:
    """What the extraction finds."""
    return [
        Found(item.surface, item.start, item.end, item.quote, item.risk, item.rule) for item in extract(text).findings
    ]


def keyword_list(text: str) -> list[Found]:
    """What a list of keywords finds: every sentence that holds one, at the middle level."""
    patterns = {surface: re.compile(words, re.IGNORECASE) for surface, words in KEYWORDS.items()}
    found = []
    for clause in segment(text):
        quote = text[clause.start : clause.end]
        found += [
            Found(surface, clause.start, clause.end, quote, "MED", "keyword")
            for surface, pattern in patterns.items()
            if pattern.search(quote)
        ]
    return found


@dataclass
class Tally:
    """Counts of one surface."""

    found: int = 0
    right: int = 0
    judged: int = 0
    hit: int = 0
    labelled: int = 0
    level_right: int = 0
    negatives_hit: int = 0
    negatives: int = 0
    elsewhere: int = 0
    wrong: list[Found] = field(default_factory=list)
    missed: list[Row] = field(default_factory=list)
    off_level: list[tuple[Row, Found]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Sum up."""
        for name in (
            "found",
            "right",
            "judged",
            "hit",
            "labelled",
            "level_right",
            "negatives_hit",
            "negatives",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.elsewhere += other.elsewhere

    @property
    def precision(self) -> float:
        """Right of the findings that were judged."""
        return _share(self.right, self.judged)

    @property
    def recall(self) -> float:
        """Labelled clauses that were found."""
        return _share(self.hit, self.labelled)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision on judged text and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def _score(tally: Tally, found: list[Found], quotes: list[Row], negatives: list[Row]) -> None:
    for item in found:
        verdict = judge(item, quotes, negatives)
        tally.found += 1
        tally.right += verdict == "right"
        tally.judged += verdict in ("right", "wrong")
        tally.elsewhere += verdict == "elsewhere"
        if verdict == "wrong":
            tally.wrong.append(item)


def judge(item: Found, quotes: list[Row], negatives: list[Row]) -> str:
    """`right`, `wrong`, `elsewhere` (labelled on another surface only) or `unjudged`."""
    touched = [row for row in quotes if overlaps(item.start, item.end, row)]
    if any(row["surface"] == item.surface for row in touched):
        return "right"
    if any(row["confusable_with"] == item.surface and overlaps(item.start, item.end, row) for row in negatives):
        return "wrong"
    if item.surface == "training_use" and TRAINING_WORD.search(item.quote):
        return "wrong"
    return "elsewhere" if touched else "unjudged"


def score_all(labels: Labels, finder: Finder) -> dict[str, Tally]:
    """Precision, recall, levels and hard negatives of a finder, by surface."""
    tallies = {surface: Tally() for surface in SURFACES}
    quotes, negatives = by_document(labels.quotes), by_document(labels.negatives)
    for sha256, blob in labels.blobs().items():
        here, not_here = quotes.get(sha256, []), negatives.get(sha256, [])
        found = finder(labels.text(blob))
        for surface in SURFACES:
            mine = [item for item in found if item.surface == surface]
            _score(tallies[surface], mine, here, not_here)
        for row in here:
            _recall(tallies[row["surface"]], row, found)
        for row in not_here:
            tally = tallies[row["confusable_with"]]
            tally.negatives += 1
            tally.negatives_hit += any(
                item.surface == row["confusable_with"]
                and overlaps(item.start, item.end, row)
                and judge(item, here, not_here) != "right"
                for item in found
            )
    return tallies


def _recall(tally: Tally, row: Row, found: Iterable[Found]) -> None:
    hits = [item for item in found if item.surface == row["surface"] and overlaps(item.start, item.end, row)]
    tally.labelled += 1
    if not hits:
        tally.missed.append(row)
        return
    tally.hit += 1
    best = max(hits, key=lambda item: min(item.end, row["end"]) - max(item.start, row["start"]))
    tally.level_right += best.risk == row["risk"]
    if best.risk != row["risk"]:
        tally.off_level.append((row, best))


def score_stances(labels: Labels) -> list[tuple[Row, str, str | None, str | None]]:
    """Each platform's label with the stances that we give: platform, consumer, business."""
    rows = []
    for row in labels.rows("training_use"):
        given = assess(readings(labels, row["service"]))
        rows.append((row, given.stance, given.consumer_stance, given.business_stance))
    return rows


def readings(labels: Labels, service: str) -> list[DocumentReading]:
    """Readings of a platform's documents."""
    return [
        DocumentReading(name, hashlib.sha256(text.encode()).hexdigest(), "", extract(text))
        for name, text in labels.documents(service)
    ]


def score_levels(labels: Labels) -> list[tuple[Row, str | None]]:
    """Each platform's level on each surface, as labelled and as given."""
    rows, given = [], {}
    for row in labels.rows("platform_surface"):
        service = row["service"]
        if service not in given:
            given[service] = {level.surface: level for level in assess(readings(labels, service)).surfaces}
        rows.append((row, given[service][row["surface"]].risk))
    return rows


class ChangeVerdict(NamedTuple):
    """A labelled change and what we call it."""

    row: Row
    change_class: str
    surfaces: tuple[str, ...]
    direction: str

    @property
    def right(self) -> bool:
        """Material or not, as labelled."""
        return (self.change_class == "material") == self.row["material"]


def score_changes(labels: Labels) -> list[ChangeVerdict]:
    """Each labelled change with our class."""
    verdicts = []
    for row in labels.rows("changes"):
        given = compare(labels.text(row["before_blob"]), labels.text(row["after_blob"]))
        verdicts.append(ChangeVerdict(row, given.change_class, given.surfaces, given.direction))
    return verdicts


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _figure(part: int, whole: int) -> str:
    low, high = wilson(part, whole)
    return f"{_share(part, whole):.2f} [{low:.2f}-{high:.2f}] {part}/{whole}"


def total(tallies: dict[str, Tally]) -> Tally:
    """All surfaces together."""
    whole = Tally()
    for tally in tallies.values():
        whole.add(tally)
    return whole


def _table(ours_: dict[str, Tally], theirs: dict[str, Tally]) -> Iterable[str]:
    rows = [*ours_.items(), ("all", total(ours_)), ("all but training", total(_without(ours_)))]
    base = {**theirs, "all": total(theirs), "all but training": total(_without(theirs))}
    yield (
        f"{'surface':22} {'precision (judged)':28} {'recall':28} {'level':24} {'negatives':10} {'F1':5} "
        "| keyword list: P, R, F1"
    )
    for name, tally in rows:
        other = base[name]
        yield (
            f"{name:22} {_figure(tally.right, tally.judged):28} {_figure(tally.hit, tally.labelled):28} "
            f"{_figure(tally.level_right, tally.hit):24} {tally.negatives_hit:3}/{tally.negatives:<4} "
            f"{tally.f1:8.2f} | {_share(other.right, other.judged):.2f} "
            f"{_share(other.hit, other.labelled):.2f} {other.f1:.2f}"
        )


def _without(tallies: dict[str, Tally]) -> dict[str, Tally]:
    return {name: tally for name, tally in tallies.items() if name != "training_use"}


def _details(tally: Tally) -> Iterable[str]:
    for item in tally.wrong:
        yield f"  WRONG {item.rule}: {item.quote[:300]!r}"
    for row in tally.missed:
        yield f"  MISSED {row['risk']} {row['platform']}: {row['quote_plain'][:300]!r}"
    for row, item in tally.off_level:
        yield f"  LEVEL {row['risk']} given {item.risk} {item.rule}: {row['quote_plain'][:260]!r}"


def main(arguments: list[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path(__file__).resolve().parents[3] / "shared")
    parser.add_argument("--repository", type=Path, help="bare clone of the archive; cloned from the bundle otherwise")
    parser.add_argument("--half", default="dev")
    parser.add_argument("--show", action="append", default=[], help="surface whose errors are printed")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as workplace:
        if given.repository:
            labels = Labels(given.shared / "labels" / given.half, given.repository)
        else:
            labels = open_labels(given.shared, Path(workplace), given.half)
        _print(labels, given.show)
    return 0


def _print(labels: Labels, show: list[str]) -> None:
    mine = score_all(labels, ours)
    print(*_table(mine, score_all(labels, keyword_list)), sep="\n")
    for surface in show:
        print(surface, *_details(mine.get(surface, Tally())), sep="\n")
    _print_stances(labels)
    _print_levels(labels, shown="levels" in show)
    _print_changes(labels)


def _print_stances(labels: Labels) -> None:
    stances = score_stances(labels)
    fit = [given in row["acceptable"] for row, given, _, _ in stances]
    print(f"training stance acceptable: {_figure(sum(fit), len(fit))}")
    best = [given == row["label"] for row, given, _, _ in stances]
    print(f"training stance the best label: {_figure(sum(best), len(best))}")
    for row, given, consumer, business in stances:
        if given not in row["acceptable"]:
            labelled = (row["acceptable"], row["consumer_label"], row["business_label"])
            print(f"  {row['platform']}: {given} ({consumer}, {business}), labelled {labelled}")


def _print_levels(labels: Labels, *, shown: bool) -> None:
    levels = [(row, given) for row, given in score_levels(labels) if row["confidence"] != "low"]
    known = [(row, given) for row, given in levels if row["present"] and row["risk"]]
    present = [row["present"] == (given is not None) for row, given in levels]
    exact = [row["risk"] == given for row, given in known]
    print(f"surface present or not: {_figure(sum(present), len(present))}")
    print(f"platform level of a surface exact: {_figure(sum(exact), len(exact))}")
    for row, given in levels:
        if shown and row["risk"] != given:
            print(f"  {row['platform']} {row['surface']}: {given}, labelled {row['risk']} {row['note']}")


def _print_changes(labels: Labels) -> None:
    changes = score_changes(labels)
    material = [verdict for verdict in changes if verdict.row["material"]]
    any_, first, direction = (
        [verdict.row["surface"] in verdict.surfaces for verdict in material],
        [verdict.surfaces[:1] == (verdict.row["surface"],) for verdict in material],
        [verdict.direction == verdict.row["direction"] for verdict in material],
    )
    print(f"changes material or not: {_figure(sum(verdict.right for verdict in changes), len(changes))}")
    print(f"material: surface among ours {_figure(sum(any_), len(any_))}")
    print(f"material: first of ours {_figure(sum(first), len(first))}")
    print(f"material: direction {_figure(sum(direction), len(direction))}")
    for verdict in changes:
        row = verdict.row
        if not verdict.right or (row["material"] and row["surface"] not in verdict.surfaces):
            given = (verdict.change_class, verdict.surfaces)
            print(f"  {row['id']} {row['kind']}: {given}, labelled {row['surface']}")


if __name__ == "__main__":
    sys.exit(main())
