"""Measure the accuracy of the extraction: compare its results with labelled documents, stances, levels and changes.

`score` returns a `Score`: `as_table` formats it as tables for people, `as_record` as JSON for machines.
"""

from collections.abc import Mapping, Sequence

from riskanalytics.surfaces import SURFACES

from .clauses import ALL, BY_HAND, LEARNED, Share, sum_of
from .labels import read_labels
from .scoring import Score, score

__all__ = ["Score", "as_faults", "as_record", "as_table", "clauses_record", "read_labels", "records", "score"]
_TABLES = {
    "clauses": {"precision": "right of all shown", "recall": "found of firm labels", "high": "right of shown as HIGH"},
    "clauses that are right": {"level": "level", "polarity": "polarity", "sure": "right at .95 or more"},
}


def as_table(score: Score) -> list[str]:
    """Return the accuracy of the extraction as text tables for people, in which each share has its 95 % interval.

    Parameters
    ----------
    score : Score
        Accuracy of the extraction on a set of labels.

    Returns
    -------
    list of str
        Lines of at most 120 columns. Measures for which there are no labels are left out.
    """
    present, level = (_with_all(score.shares[name]) for name in ("present", "level"))
    lines = _clauses(score) if score.documents else []
    if present[ALL].whole:
        rows = [[name, share, level[name]] for name, share in present.items()]
        lines += _aligned(["platforms", "present or not", "platform's level exact"], *rows)
    others = [(group, *share) for group in ("stances", "changes") for share in score.shares[group].items()]
    if rows := [[f"{group}: {name.replace('_', ' ')}", share] for group, name, share in others if share.whole]:
        lines += _aligned(["stances, changes", "share"], *rows)
    counts = clauses_record(score)
    whole = (
        f"{counts['documents']} fully labelled documents of {counts['families']} families of vendors: {counts['labels']} labels, "
        f"{counts['firm']} of them firm; a finding without a label counts as wrong"
    )
    return [
        *lines,
        *([whole] if score.documents else []),
        f"intervals: 95 %, families of vendors resampled{f' as of {score.as_of}' if score.as_of else ''}",
        f"rules {score.rules}; {len(score.refused)} labels refused, {len(score.not_scored)} texts or platforms missing",
        *(f"a sample only, not read: {name}" for name in score.samples),
    ]


def as_faults(score: Score) -> list[str]:
    """Return the errors of the extraction on a set of labels, one line each.

    Parameters
    ----------
    score : Score
        Accuracy of the extraction on the set of labels.

    Returns
    -------
    list of str
        Wrong findings (no label confirms them), missed clauses (they must be found, but are not) and findings with a wrong level,
        sorted by surface; then platforms with a wrong stance, and changes between two texts with a wrong class, surface or
        direction. A quote of more than 300 characters is cut and ends with `[…]`.
    """
    lines = []
    for judged in score.documents:
        platform = judged.document.platform
        for row, label in judged.verdicts:
            if label is None or row.risk not in label.risks:
                fault = f"{row.risk} by {row.rule} instead of {label.risks[0]}" if label else f"wrong by {row.rule}"
                lines.append(f"{row.surface}, {fault}, {platform}: {_quote(row.quote)}")
        lines += [
            f"{label.surface}, missed, {label.risks[0]}, {platform}: {_quote(judged.text[label.start : label.end])}"
            for label in judged.missed
        ]
    lines.sort(key=lambda line: SURFACES.index(line.partition(",")[0]))
    return [*lines, *map(" ".join, score.faults)]


def _quote(words: str) -> str:
    """Return a quote in one line."""
    plain = " ".join(words.split())
    return f'"{plain}"' if len(plain) <= 300 else f'"{plain[:300]}[…]"'


def as_record(score: Score) -> dict[str, object]:
    """Return the accuracy of the extraction as a JSON object.

    Parameters
    ----------
    score : Score
        Accuracy of the extraction on a set of labels.

    Returns
    -------
    dict
        - `rules` (version of the extraction), `as_of` (day at the end of which platforms were assessed, or None for the newest
          data), `complete` (whether every label was scored)
        - the accuracy of findings: all fields that `clauses_record` returns
        - `stances` (of platforms), `present` (whether documents say anything on a surface), `platform_level` (levels of platforms
          on surfaces) and `changes`: for each, name of a share (listed in `Score.shares`) -> its counts, value and interval
        - three lists of lines: `faults` (wrong stances and changes), `refused` (labels whose quotes are not at their offsets),
          `not_scored` (labels whose text or platform is not in the database)
    """
    stances, present, level, changes = score.shares.values()
    return {
        "rules": score.rules,
        "as_of": score.as_of and score.as_of.isoformat(),
        "complete": score.complete,
        **clauses_record(score),
        "stances": records(stances),
        "present": records(_with_all(present)),
        "platform_level": records(_with_all(level)),
        "changes": records(changes),
        "faults": [line for _, line in score.faults],
        "refused": list(score.refused),
        "not_scored": list(score.not_scored),
    }


def clauses_record(score: Score) -> dict[str, object]:
    """Return the accuracy of the findings in fully labelled documents as a JSON object.

    Parameters
    ----------
    score : Score
        Accuracy of the extraction on a set of labels.

    Returns
    -------
    dict
        Counts: `documents`, `platforms`, `families` (groups of related vendors), `labels`, `firm` (labels of the clauses
        that the extraction must find). `groups`: group of findings -> its shares by name, such as `precision`, and its
        `calibration_error` if it has findings. The groups are `all`, `hand_written` (made by rules), `learned` (made by the
        trained model), and each surface. `reliability`: `all`, `hand_written` or `learned` -> a list with one object for each
        range of confidence that has findings: `from`, `to`, `stated` (the mean confidence of these findings), and the fields of
        `Share.record` for the share of them that is right.
    """
    documents = [judged.document for judged in score.documents]
    labels = [label for judged in score.documents for label in judged.labels]
    return {
        "documents": len(documents),
        "platforms": len({document.platform for document in documents}),
        "families": len({document.family for document in documents}),
        "labels": len(labels),
        "firm": sum(label.sure for label in labels),
        "groups": {
            name: records(group.shares) | ({} if group.error is None else {"calibration_error": round(group.error, 3)})
            for name, group in score.groups.items()
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
    """Return shares as JSON objects: name -> counts, value and 95 % interval of the share, as `Share.record` returns them."""
    return {name: share.record() for name, share in shares.items()}


def _with_all(shares: Mapping[str, Share]) -> dict[str, Share]:
    return {**shares, ALL: sum_of(shares.values())}


def _clauses(score: Score) -> list[str]:
    """Return tables of the findings by surface and by what decided them, of the leads, and of the stated confidence."""
    lines, groups = [], score.groups
    for title, names in _TABLES.items():
        rows = [[row, *(groups[row].shares[name] for name in names)] for row in (*SURFACES, BY_HAND, LEARNED, ALL)]
        lines += _aligned([title, *names.values()], *rows)
    bins = [[f"{one.low:.1f} to {one.high:.1f}", _decimals(one.stated), one.right] for one in groups[ALL].bins]
    errors = [f"{name.replace('_', ' ')} {_decimals(groups[name].error)}" for name in (ALL, BY_HAND, LEARNED)]
    return [
        *lines,
        *_aligned(["stated confidence", "on average", "right"], *bins)[:-1],
        f"expected calibration error: {', '.join(errors)}",
        f"labels missed that are among the leads: {groups[ALL].shares['leads']}",
        "",
    ]


def _decimals(number: float | None) -> str:
    return "-" if number is None else f"{number:.3f}"


def _aligned(*rows: Sequence[object]) -> list[str]:
    """Format a table followed by an empty line: names left-aligned, all else right-aligned, two spaces between columns."""
    words = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*words, strict=True)]
    cells = [[f"{word:>{width}}" for word, width in zip(row, widths, strict=True)] for row in words]
    return [*("  ".join([row[0].ljust(widths[0]), *line[1:]]) for row, line in zip(words, cells, strict=True)), ""]
