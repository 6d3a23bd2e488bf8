"""A score as a table for people and as a record for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskanalytics.accuracy.clauses import ALL, BY_HAND, LEARNED, Figures, Share, sum_of
from riskanalytics.accuracy.scoring import Score
from riskanalytics.surfaces import SURFACES

_LONGEST = 300
_GROUPS = (*SURFACES, BY_HAND, LEARNED, ALL)
_TABLES = (
    (
        "clauses",
        {"precision": "right of all shown", "recall": "found of firm labels", "high": "right of shown as HIGH"},
    ),
    ("clauses that are right", {"level": "level", "polarity": "polarity", "sure": "right where .95 or surer"}),
)
_ALONE = {
    "acceptable": "training stance: acceptable",
    "best": "training stance: the best label",
    "said_to_train": "said to train: right",
    "said_not_to_train": "said not to train: right",
    "said_to_be_silent": "said to be silent: right",
    "undetermined": "left undetermined",
    "material": "changes: material or not",
    "surface": "material changes: surface among those named",
    "first_surface": "material changes: surface named first",
    "direction": "material changes: direction",
}


def as_table(score: Score) -> list[str]:
    """Write a score as lines of at most 120 columns; figures with their 95 % interval.

    Parameters
    ----------
    score : Score

    Returns
    -------
    list of str
        What the labels do not speak of is left out.
    """
    parts = [*_clauses(score)] if score.documents else []
    if any(share.whole for share in score.platforms.present.values()):
        parts.append(_levels(score))
    parts += [_alone(score), _counts(score)]
    return "\n\n".join("\n".join(part) for part in parts if part).split("\n")


def as_faults(score: Score) -> list[str]:
    """Write what went wrong, a line each: wrong findings, missed labels and other levels, then platforms.

    Parameters
    ----------
    score : Score

    Returns
    -------
    list of str
        Quotes are shortened, with a mark.
    """
    lines = []
    for judged in score.documents:
        platform = judged.document.platform
        for found, label in judged.verdicts:
            if label is None:
                lines.append(f"{found.surface}, wrong by {found.rule}, {platform}: {_quote(found.quote)}")
            elif found.risk not in label.risks:
                lines.append(
                    f"{found.surface}, {found.risk} by {found.rule} instead of {label.risks[0]}, {platform}: "
                    f"{_quote(found.quote)}"
                )
        lines += [
            f"{label.surface}, missed, {label.risks[0]}, {platform}: {_quote(judged.text[label.start : label.end])}"
            for label in judged.missed(judged.findings)
        ]
    lines.sort(key=lambda line: SURFACES.index(line.partition(",")[0]))
    lines += [f"stance of {line}" for line in score.platforms.faults]
    return [*lines, *(f"change {line}" for line in score.changes.faults)]


def _quote(words: str) -> str:
    """One line of a quote."""
    plain = " ".join(words.split())
    return f'"{plain}"' if len(plain) <= _LONGEST else f'"{plain[:_LONGEST]}[…]"'


def as_record(score: Score) -> dict[str, object]:
    """Write a score as a JSON object.

    Parameters
    ----------
    score : Score

    Returns
    -------
    dict
        Shares are objects of `part`, `whole`, `families` and, where there is a whole, `value`, `low`, `high`.
    """
    platforms, changes = score.platforms, score.changes
    return {
        "rules": score.rules,
        "as_of": None if score.as_of is None else score.as_of.isoformat(),
        "complete": score.complete,
        **clauses_record(score),
        "stances": records(platforms.stances),
        "present": records(platforms.present | {ALL: sum_of(platforms.present.values())}),
        "platform_level": records(platforms.level | {ALL: sum_of(platforms.level.values())}),
        "changes": changes_record(score),
        "faults": [*platforms.faults, *changes.faults],
        "refused": list(score.refused),
        "not_scored": list(score.not_scored),
    }


def clauses_record(score: Score) -> dict[str, object]:
    """Return how clauses are read.

    Parameters
    ----------
    score : Score

    Returns
    -------
    dict
        `documents`, `platforms`, `families`, `labels`, `firm` (counts); `groups`: by what was decided by whom and by
        surface the shares of `MEASURES` and `calibration_error`; `reliability`: by whom, bins of stated confidence.
    """
    documents = [judged.document for judged in score.documents]
    return {
        "documents": len(documents),
        "platforms": len({document.platform for document in documents}),
        "families": len({document.family for document in documents}),
        "labels": sum(len(judged.labels) for judged in score.documents),
        "firm": sum(label.sure for judged in score.documents for label in judged.labels),
        "groups": {name: _group(told) for name, told in score.groups.items()},
        "reliability": {name: _reliability(score.groups[name]) for name in (ALL, BY_HAND, LEARNED)},
    }


def changes_record(score: Score) -> dict[str, object]:
    """Return how changes are told.

    Parameters
    ----------
    score : Score
    """
    return records(score.changes.shares)


def records(shares: Mapping[str, Share]) -> dict[str, object]:
    """Return shares for machines.

    Parameters
    ----------
    shares : mapping of str to Share
    """
    return {name: share.record() for name, share in shares.items()}


def _group(figures: Figures) -> dict[str, object]:
    error = {} if figures.error is None else {"calibration_error": round(figures.error, 3)}
    return records(figures.shares) | error


def _reliability(figures: Figures) -> list[dict[str, float]]:
    """Bins that hold findings."""
    return [
        {"from": one.low, "to": one.high, "stated": round(one.stated, 5)} | one.right.record()
        for one in figures.bins
        if one.stated is not None
    ]


def _clauses(score: Score) -> list[list[str]]:
    """Tables of shares by surface and by what decided, of leads, and of stated confidence."""
    groups = score.groups
    tables = [
        aligned(
            [title, *names.values()], [[row, *(str(groups[row].shares[name]) for name in names)] for row in _GROUPS]
        )
        for title, names in _TABLES
    ]
    rows = [
        [f"{one.low:.1f} to {one.high:.1f}", "-" if one.stated is None else f"{one.stated:.3f}", str(one.right)]
        for one in groups[ALL].bins
    ]
    errors = ", ".join(
        f"{name.replace('_', ' ')} {'-' if (error := groups[name].error) is None else f'{error:.3f}'}"
        for name in (ALL, BY_HAND, LEARNED)
    )
    return [
        *tables,
        [
            *aligned(["stated confidence", "on average", "right"], rows),
            f"expected calibration error: {errors}",
            f"labels missed that are among the leads: {groups[ALL].shares['leads']}",
        ],
    ]


def _levels(score: Score) -> list[str]:
    platforms = score.platforms
    rows = [[name, str(platforms.present[name]), str(platforms.level[name])] for name in SURFACES]
    rows.append([ALL, str(sum_of(platforms.present.values())), str(sum_of(platforms.level.values()))])
    return aligned(["platforms", "present or not", "platform's level exact"], rows)


def _alone(score: Score) -> list[str]:
    shares = score.platforms.stances | score.changes.shares
    rows = [[words, str(shares[name])] for name, words in _ALONE.items() if shares[name].whole]
    return aligned(["stances, changes", "share"], rows) if rows else []


def _counts(score: Score) -> list[str]:
    """What was scored, and what was not."""
    told = clauses_record(score)
    day = "" if score.as_of is None else f" as of {score.as_of}"
    whole = (
        f"{told['documents']} documents of {told['families']} families of vendors, labelled whole: {told['labels']} labels, "
        f"{told['firm']} of them firm; what is not labelled counts as wrong"
    )
    lines = [
        *([whole] if score.documents else []),
        f"intervals: 95 %, families of vendors drawn again{day}",
        f"rules {score.rules}; {len(score.refused)} labels refused, {len(score.not_scored)} texts or platforms not held",
    ]
    return lines + [f"not read, since it labels a sample only: {name}" for name in score.samples]


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
