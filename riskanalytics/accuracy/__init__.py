"""How well the extraction reads: documents labelled whole, stances and changes beside what it finds in a database.

A score is written here as a table for people and as a record for machines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskanalytics.accuracy.clauses import ALL, BY_HAND, LEARNED, Share, sum_of
from riskanalytics.accuracy.labels import read_labels, read_whole
from riskanalytics.accuracy.scoring import Score, score
from riskanalytics.surfaces import SURFACES

__all__ = [
    "Score",
    "as_faults",
    "as_record",
    "as_table",
    "clauses_record",
    "read_labels",
    "read_whole",
    "records",
    "score",
]
_LONGEST = 300
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
    parts = _clauses(score) if score.documents else []
    present, level = (score.shares[name] | {ALL: sum_of(score.shares[name].values())} for name in ("present", "level"))
    if present[ALL].whole:
        rows = [[name, str(share), str(level[name])] for name, share in present.items()]
        parts.append(_aligned(["platforms", "present or not", "platform's level exact"], rows))
    alone = {**score.shares["stances"], **score.shares["changes"]}
    if rows := [[words, str(alone[name])] for name, words in _ALONE.items() if alone[name].whole]:
        parts.append(_aligned(["stances, changes", "share"], rows))
    return "\n\n".join("\n".join(part) for part in (*parts, _counts(score))).split("\n")


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
            if label is None or found.risk not in label.risks:
                wrong = f"wrong by {found.rule}"
                level = label and f"{found.risk} by {found.rule} instead of {label.risks[0]}"
                lines.append(f"{found.surface}, {level or wrong}, {platform}: {_quote(found.quote)}")
        lines += [
            f"{label.surface}, missed, {label.risks[0]}, {platform}: {_quote(judged.text[label.start : label.end])}"
            for label in judged.missed(judged.findings)
        ]
    lines.sort(key=lambda line: SURFACES.index(line.partition(",")[0]))
    return [*lines, *map(" ".join, score.faults)]


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
        `rules`, `as_of`, `complete`; what `clauses_record` says; `stances`, `present`, `platform_level`, `changes`: shares as
        objects of `part`, `whole`, `families` and, where there is a whole, `value`, `low`, `high`; `faults`, `refused`,
        `not_scored`.
    """
    stances, present, level, changes = score.shares.values()
    return {
        "rules": score.rules,
        "as_of": None if score.as_of is None else score.as_of.isoformat(),
        "complete": score.complete,
        **clauses_record(score),
        "stances": records(stances),
        "present": records({**present, ALL: sum_of(present.values())}),
        "platform_level": records({**level, ALL: sum_of(level.values())}),
        "changes": records(changes),
        "faults": [line for _, line in score.faults],
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
        "groups": {
            name: records(told.shares) | ({} if told.error is None else {"calibration_error": round(told.error, 3)})
            for name, told in score.groups.items()
        },
        "reliability": {
            name: [
                {"from": one.low, "to": one.high, "stated": round(one.stated, 5)} | one.right.record()
                for one in score.groups[name].bins
                if one.stated is not None
            ]
            for name in (ALL, BY_HAND, LEARNED)
        },
    }


def records(shares: Mapping[str, Share]) -> dict[str, object]:
    """Return shares for machines."""
    return {name: share.record() for name, share in shares.items()}


def _clauses(score: Score) -> list[list[str]]:
    """Tables of shares by surface and by what decided, of leads, and of stated confidence."""
    groups = score.groups
    tables = [
        _aligned(
            [title, *names.values()],
            [[row, *(str(groups[row].shares[name]) for name in names)] for row in (*SURFACES, BY_HAND, LEARNED, ALL)],
        )
        for title, names in _TABLES
    ]
    rows = [
        [f"{one.low:.1f} to {one.high:.1f}", "-" if one.stated is None else f"{one.stated:.3f}", str(one.right)]
        for one in groups[ALL].bins
    ]
    errors = [
        f"{name.replace('_', ' ')} {'-' if (error := groups[name].error) is None else f'{error:.3f}'}"
        for name in (ALL, BY_HAND, LEARNED)
    ]
    confidence = [
        *_aligned(["stated confidence", "on average", "right"], rows),
        f"expected calibration error: {', '.join(errors)}",
        f"labels missed that are among the leads: {groups[ALL].shares['leads']}",
    ]
    return [*tables, confidence]


def _counts(score: Score) -> list[str]:
    """What was scored, and what was not."""
    counts = clauses_record(score)
    day = "" if score.as_of is None else f" as of {score.as_of}"
    whole = (
        f"{counts['documents']} documents of {counts['families']} families of vendors, labelled whole: {counts['labels']} "
        f"labels, {counts['firm']} of them firm; what is not labelled counts as wrong"
    )
    return [
        *([whole] if score.documents else []),
        f"intervals: 95 %, families of vendors drawn again{day}",
        f"rules {score.rules}; {len(score.refused)} labels refused, {len(score.not_scored)} texts or platforms not held",
        *(f"not read, since it labels a sample only: {name}" for name in score.samples),
    ]


def _aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out a table: names to the left, everything else to the right, two spaces between."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(word.rjust(width) for word, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in (head, *rows)
    ]
