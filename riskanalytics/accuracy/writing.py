"""A score as a table for people and as a record for machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from riskanalytics.accuracy.clauses import Tally, total
from riskanalytics.accuracy.scoring import Score
from riskanalytics.accuracy.share import Share
from riskanalytics.accuracy.vendors import VendorsLeftOut
from riskanalytics.models import SURFACES

_ALL = "all"
_BUT_TRAINING = "all but training_use"
_LONGEST = 300
_LONGEST_NAME = 40


def as_table(score: Score) -> list[str]:
    """Write a score as lines of at most 120 columns; figures with Wilson's 95 % interval.

    Parameters
    ----------
    score : Score

    Returns
    -------
    list of str
    """
    return [
        *aligned(
            ["clauses", "precision (judged text)", "recall", "F1", "level exact"],
            _clause_rows(_with_sums(score.surfaces)),
        ),
        "",
        *_platforms(score),
        "",
        *_alone(score),
        "",
        *_counts(score),
    ]


def as_vendor_table(left_out: VendorsLeftOut) -> list[str]:
    """Write the figures of vendors left out in turn as lines of at most 120 columns.

    Parameters
    ----------
    left_out : VendorsLeftOut

    Returns
    -------
    list of str
    """
    head = ["each vendor left out", "precision (judged text)", "recall", "F1", "level exact"]
    families = [
        [_short(name), str(tally.precision), str(tally.recall), f"{len(left_out.switched_off[name])}"]
        for name, tally in left_out.families.items()
    ]
    confidence, right, brier = (
        "-" if value is None else f"{value:.3f}"
        for value in (left_out.mean_confidence, left_out.share_right, left_out.brier)
    )
    return [
        *aligned(head, _clause_rows(_with_sums(left_out.surfaces))),
        "",
        *aligned(["vendor left out", "precision (judged text)", "recall", "rules switched off"], families),
        "",
        "the learned weights are the package's, not learned again: documents that they were learned from flatter",
        f"confidence, as the other vendors' clauses give it: mean {confidence}, right {right}, Brier score {brier} "
        f"({len(left_out.predictions)} findings)",
    ]


def as_faults(score: Score) -> list[str]:
    """Write what went wrong, a line each: false alarms, missed clauses and other levels by surface, then platforms.

    Parameters
    ----------
    score : Score

    Returns
    -------
    list of str
        Quotes are shortened, with a mark.
    """
    lines = []
    for surface, tally in score.surfaces.items():
        lines += [f"{surface}, false alarm by {found.rule}: {_quote(found.quote)}" for _, found in tally.wrong]
        lines += [f"{surface}, missed, {span.risk}, {span.platform}: {_quote(span.quote)}" for span in tally.missed]
        lines += [
            f"{surface}, {found.risk} by {found.rule} instead of {span.risk}, {span.platform}: {_quote(span.quote)}"
            for span, found in tally.off_level
        ]
    lines += [f"stance of {line}" for line in score.platforms.faults]
    return [*lines, *(f"change {line}" for line in score.changes.faults)]


def _quote(words: str) -> str:
    """One line of a quote."""
    plain = " ".join(words.split())
    return f'"{plain}"' if len(plain) <= _LONGEST else f'"{plain[:_LONGEST]}[…]"'


def _short(name: str) -> str:
    """A name that a table has room for."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def as_record(score: Score, left_out: VendorsLeftOut | None = None) -> dict[str, Any]:
    """Write a score as a JSON object.

    Parameters
    ----------
    score : Score
    left_out : VendorsLeftOut, optional
        Under `vendors_left_out`, where it is given.

    Returns
    -------
    dict
        Shares are objects of `value`, `low`, `high`, `part`, `whole`; see `Share.record`.
    """
    platforms, changes = score.platforms, score.changes
    return {
        "rules": score.rules,
        "as_of": None if score.as_of is None else score.as_of.isoformat(),
        "complete": score.complete,
        "surfaces": {surface: _tally(tally) for surface, tally in score.surfaces.items()},
        _ALL: _tally(total(score.surfaces)),
        "stance": {
            "acceptable": platforms.stance_acceptable.record(),
            "best": platforms.stance_best.record(),
            "accused_wrongly": platforms.accused_wrongly.record(),
            "acquitted_wrongly": platforms.acquitted_wrongly.record(),
            "undetermined": platforms.undetermined.record(),
        },
        "present": _shares(platforms.present),
        "platform_level": _shares(platforms.level),
        "changes": {
            "material": changes.material.record(),
            "surface": changes.surface.record(),
            "first_surface": changes.first_surface.record(),
            "direction": changes.direction.record(),
        },
        "faults": [*platforms.faults, *changes.faults],
        "refused": list(score.refused),
        "not_scored": list(score.not_scored),
    } | ({} if left_out is None else {"vendors_left_out": _left_out(left_out)})


def _left_out(left_out: VendorsLeftOut) -> dict[str, Any]:
    return {
        "surfaces": {surface: _tally(tally) for surface, tally in left_out.surfaces.items()},
        _ALL: _tally(total(left_out.surfaces)),
        "families": {
            family: _tally(tally) | {"switched_off": list(left_out.switched_off[family])}
            for family, tally in left_out.families.items()
        },
        "confidence": {
            "mean": left_out.mean_confidence,
            "share_right": left_out.share_right,
            "brier": left_out.brier,
            "findings": len(left_out.predictions),
        },
    }


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "precision": tally.precision.record(),
        "recall": tally.recall.record(),
        "f1": None if tally.f1 is None else round(tally.f1, 4),
        "level": tally.level.record(),
        "negatives_reported": tally.reported.record(),
        "findings": tally.found,
    }


def _shares(shares: Mapping[str, Share]) -> dict[str, Any]:
    return {surface: share.record() for surface, share in shares.items()} | {_ALL: _sum(shares.values()).record()}


def _sum(shares: Iterable[Share]) -> Share:
    parts = list(shares)
    return Share(sum(share.part for share in parts), sum(share.whole for share in parts))


def _with_sums(tallies: Mapping[str, Tally]) -> dict[str, Tally]:
    rest = {name: tally for name, tally in tallies.items() if name != "training_use"}
    return {**tallies, _BUT_TRAINING: total(rest), _ALL: total(tallies)}


def _clause_rows(tallies: Mapping[str, Tally]) -> list[list[str]]:
    return [
        [
            name,
            str(tally.precision),
            str(tally.recall),
            "-" if tally.f1 is None else f"{tally.f1:.3f}",
            str(tally.level),
        ]
        for name, tally in tallies.items()
    ]


def _platforms(score: Score) -> list[str]:
    platforms = score.platforms
    rows = [
        [name, str(score.surfaces[name].reported), str(platforms.present[name]), str(platforms.level[name])]
        for name in SURFACES
    ]
    sums = (total(score.surfaces).reported, _sum(platforms.present.values()), _sum(platforms.level.values()))
    rows.append([_ALL, *map(str, sums)])
    return aligned(["lookalikes, platforms", "lookalikes reported", "present or not", "platform's level exact"], rows)


def _alone(score: Score) -> list[str]:
    platforms, changes = score.platforms, score.changes
    rows = [
        ["training stance: acceptable", str(platforms.stance_acceptable)],
        ["training stance: the best label", str(platforms.stance_best)],
        ["training stance: said to train, and wrongly", str(platforms.accused_wrongly)],
        ["training stance: said not to, and wrongly", str(platforms.acquitted_wrongly)],
        ["training stance: undetermined", str(platforms.undetermined)],
        ["changes: material or not", str(changes.material)],
        ["material changes: surface among those named", str(changes.surface)],
        ["material changes: surface named first", str(changes.first_surface)],
        ["material changes: direction", str(changes.direction)],
    ]
    return aligned(["stances, changes", "share"], rows)


def _counts(score: Score) -> list[str]:
    """What was scored, and what was not."""
    whole = total(score.surfaces)
    day = "" if score.as_of is None else f" as of {score.as_of}"
    return [
        f"{len(score.texts)} texts with {whole.labelled} labelled clauses and {whole.negatives} lookalikes{day}; intervals: 95 %",
        f"rules {score.rules}; {len(score.refused)} labels refused, {len(score.not_scored)} texts or platforms not held",
    ]


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out a table: names to the left, everything else to the right, two spaces between.

    Parameters
    ----------
    head : sequence of str
    rows : sequence of sequence of str

    Returns
    -------
    list of str
        The head, then a line per row.
    """
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    return [
        "  ".join(
            word.ljust(width) if place == 0 else word.rjust(width)
            for place, (word, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *rows)
    ]
