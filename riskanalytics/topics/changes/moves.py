"""What moved between two states: findings, stances, and the words of a clause before and after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.pages.rows import quoted
from riskanalytics.pages.values import Text, Words
from riskanalytics.topics.changes.clauses import Clause, likest
from riskanalytics.topics.shape import SEVERITY, level_of, records, schema, shaped, with_columns, word_of

__all__ = ["finding_moves", "stance_differences"]

_PLACE: Final = ("slug", "document", "surface")
_SIDES: Final = ("quote", "risk", "snapshot_sha256", "start", "end", "finding_id")
FINDING_MOVE_COLUMNS: Final = schema(
    "slug name document surface move reason:str level:level quote_before quote_after risk_before risk_after "
    "snapshot_sha256_before snapshot_sha256_after:str start_before start_after end_before end_after:Int64 "
    "finding_id_before finding_id_after:str"
)
_STANCES: Final = ("stance", "consumer_stance", "business_stance")
STANCE_DIFFERENCE_COLUMNS: Final = {
    **dict.fromkeys(("slug", "name"), "str"),
    **{f"{name}_{side}": "str" for name in _STANCES for side in ("before", "after")},
}
MOVES: Final = ("added", "removed", "reworded", "reread", "moved")
"""Moves of a finding in the order of `finding_moves`."""

Row = dict[str, Any]
Pair = tuple[Row | None, Row | None]


def finding_moves(
    before: pd.DataFrame,
    after: pd.DataFrame,
    documents_before: pd.DataFrame | None = None,
    documents_after: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """List the findings that differ between two states.

    Parameters
    ----------
    before, after : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`.
    documents_before, documents_after : pandas.DataFrame, optional
        `frames.DOCUMENTS_COLUMNS`: which texts were read. A finding that came because another document, or the same
        text, is read otherwise is no change of the vendor's; without them that is `not known`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `document`, `surface` str; `move` str: `added`, `removed`, `reworded` (words in common, on the
        same surface of the same document), `reread` (the same words, another level or polarity), `moved` (the same words
        at another place); `reason` str: `text` (the document changed), `document` (it is read on one side only),
        `reading` (the same text is read otherwise), `not known`; `level` category (after, before of what went);
        `quote`, `risk`, `snapshot_sha256`, `finding_id` str and `start`, `end` Int64 (characters) with `_before` and
        `_after`. Findings that did not move are left out. Sorted by move in that order, the worst first, then by name.

    Examples
    --------
    >>> then = data.at("2026-09-30")
    >>> moves = analysis.finding_moves(then.findings, data.findings, then.documents, data.documents)
    >>> moves.groupby("move").size().to_dict()
    {'added': 5, 'moved': 90, 'removed': 4, 'reworded': 1}
    """
    sides = [_grouped(records(frame, "finding_moves", *_PLACE, "quote", "risk")) for frame in (before, after)]
    texts = [_texts(frame) for frame in (documents_before, documents_after)]
    rows = []
    for key in sorted(sides[0].keys() | sides[1].keys()):
        reason = _reason(key[:2], texts)
        for old, new in _paired(sides[0].get(key, []), sides[1].get(key, [])):
            if (move := _move(old, new)) is not None:
                rows.append(_told(old, new) | {"move": move, "reason": reason})
    rows.sort(key=lambda row: (MOVES.index(row["move"]), SEVERITY[row["level"]], row["name"].casefold(), row["slug"]))
    return shaped(rows, FINDING_MOVE_COLUMNS)


def _grouped(rows: list[Row]) -> dict[tuple[str, ...], list[Row]]:
    """Return findings by platform, document and surface, in the order of the text."""
    grouped: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        grouped.setdefault(tuple(word_of(row[name]) for name in _PLACE), []).append(row)
    for same in grouped.values():
        same.sort(key=lambda row: (_number(row.get("start")), word_of(row.get("finding_id"))))
    return grouped


def _number(value: object) -> int:
    """Return an offset; -1 where it is missing."""
    return int(str(value)) if word_of(value) else -1


def _texts(documents: pd.DataFrame | None) -> dict[tuple[str, ...], str] | None:
    """Return the hash of each document that was read."""
    if documents is None:
        return None
    told = with_columns(documents, "finding_moves", "slug", "document", "snapshot_sha256")
    return {(word_of(row["slug"]), word_of(row["document"])): word_of(row["snapshot_sha256"]) for row in rows_of(told)}


def _reason(document: tuple[str, ...], texts: list[dict[tuple[str, ...], str] | None]) -> str:
    """Return what a move comes from: another text, another document, or another reading of the same text."""
    if any(side is None for side in texts):
        return "not known"
    old, new = (None if side is None else side.get(document) for side in texts)
    if old is None or new is None:
        return "document"
    if not old or not new:
        return "not known"
    return "reading" if old == new else "text"


def _paired(before: list[Row], after: list[Row]) -> Iterator[Pair]:
    """Pair the findings of a surface of a document: first the same words, then those with words in common."""
    left, came = _by_words(before), _by_words(after)
    for words in [words for words in left if words in came]:
        pairs = list(zip_longest(left.pop(words), came.pop(words)))
        yield from ((old, new) for old, new in pairs if old is not None and new is not None)
        for old, new in pairs:
            if old is None or new is None:
                (came if old is None else left).setdefault(words, []).append(new or old)
    firsts = [{_clause(rows[0]).key: words for words, rows in side.items()} for side in (left, came)]
    clauses = ([_clause(rows[0]) for rows in side.values()] for side in (left, came))
    for old_key, new_key in likest(*clauses):
        yield left[firsts[0][old_key]].pop(0), came[firsts[1][new_key]].pop(0)
    yield from ((row, None) for rows in left.values() for row in rows)
    yield from ((None, row) for rows in came.values() for row in rows)


def _by_words(rows: list[Row]) -> dict[str, list[Row]]:
    """Return findings by their words, however they are broken into lines."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(" ".join(word_of(row["quote"]).split()), []).append(row)
    return grouped


def _clause(row: Row) -> Clause:
    """Return a finding as a clause."""
    surface, quote, risk = (word_of(row[name]) for name in ("surface", "quote", "risk"))
    return Clause(word_of(row.get("finding_id")), surface, quote, risk, False, {})


def _move(old: Row | None, new: Row | None) -> str | None:
    """Return what happened to a finding; None where it only stands in a newer text."""
    if old is None or new is None:
        return "added" if old is None else "removed"
    if word_of(old["quote"]).split() != word_of(new["quote"]).split():
        return "reworded"
    if any(word_of(old.get(name)) != word_of(new.get(name)) for name in ("risk", "polarity")):
        return "reread"
    return "moved" if _number(old.get("start")) != _number(new.get("start")) else None


def _told(old: Row | None, new: Row | None) -> Row:
    """Return both sides of a finding as a row of `FINDING_MOVE_COLUMNS`."""
    newest = new or old or {}
    sides = {
        f"{name}_{side}": (row or {}).get(name) for name in _SIDES for side, row in (("before", old), ("after", new))
    }
    place = {name: word_of(newest.get(name)) for name in (*_PLACE, "name")}
    return {**place, "name": place["name"] or place["slug"], "level": level_of(newest.get("risk")), **sides}


def stance_differences(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """List the platforms whose stance on training use differs between two states.

    Parameters
    ----------
    before, after : pandas.DataFrame
        `frames.TRAINING_USE_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, and `stance`, `consumer_stance`, `business_stance` with `_before` and `_after`, all str: missing
        where no document could be read. Platforms of both states only, by name.

    Examples
    --------
    >>> analysis.stance_differences(data.at("2026-09-30").training_use, data.training_use)["slug"].tolist()
    ['quorfilixmusic']
    """
    old, new = (
        {word_of(row["slug"]): row for row in records(frame, "stance_differences", "slug", "name", *_STANCES)}
        for frame in (before, after)
    )
    rows = []
    for slug in old.keys() & new.keys():
        sides = {
            f"{name}_{side}": row[slug][name] for name in _STANCES for side, row in (("before", old), ("after", new))
        }
        if any(word_of(old[slug][name]) != word_of(new[slug][name]) for name in _STANCES):
            rows.append({"slug": slug, "name": word_of(new[slug]["name"]) or slug, **sides})
    rows.sort(key=lambda row: (str(row["name"]).casefold(), str(row["slug"])))
    return shaped(rows, STANCE_DIFFERENCE_COLUMNS)


TOKEN: Final = re.compile(r"\s+|[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
_SAME: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
_MOST_WORDS: Final = 3000
AROUND: Final = 40
"""Tokens (words and blanks) kept on each side of a difference; more than as many between are marked as left out."""
LEFT_OUT: Final = " […] "


def marked(before: str, after: str) -> tuple[Words, Words]:
    """Compare two texts word by word and return both with the differing words marked as deleted and inserted.

    Parameters
    ----------
    before, after : str

    Returns
    -------
    tuple of Words
        The text before, with styles `del`, and the text after, with styles `ins`. Quotation marks of another shape are
        no difference; long runs in common are left out, and `[…]` marks where. If either text is empty or longer than
        3,000 words and blanks, both are returned whole and unmarked.
    """
    before, after = quoted(before), quoted(after)
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if not old or not new or max(len(old), len(new)) > _MOST_WORDS:
        return before, after
    plain = [[token.translate(_SAME) for token in tokens] for tokens in (old, new)]
    codes = _joined(SequenceMatcher(a=plain[0], b=plain[1], autojunk=False).get_opcodes(), old)
    last = len(codes) - 1
    left: list[Words] = []
    right: list[Words] = []
    for place, (kind, a, b, c, d) in enumerate(codes):
        if kind == "equal":
            left.append(_shortened(old[a:b], place > 0, place < last))
            right.append(_shortened(new[c:d], place > 0, place < last))
        else:
            left.append(_run("del", old[a:b]))
            right.append(_run("ins", new[c:d]))
    return tuple(left), tuple(right)


Code = tuple[str, int, int, int, int]


def _joined(codes: Iterable[Code], old: list[str]) -> list[Code]:
    """Join neighbouring differences that only a blank separates, so that a rewritten phrase is marked as a whole."""
    merged: list[Code] = []
    listed = list(codes)
    for place, code in enumerate(listed):
        blank = code[0] == "equal" and not "".join(old[code[1] : code[2]]).strip()
        inside = 0 < place < len(listed) - 1
        if merged and merged[-1][0] != "equal" and (code[0] != "equal" or (blank and inside)):
            merged[-1] = ("replace", merged[-1][1], code[2], merged[-1][3], code[4])
        else:
            merged.append(code)
    return merged


def _shortened(tokens: list[str], after: bool, before: bool) -> Words:
    """Return words that both texts share, the middle of a long run replaced by a mark.

    Parameters
    ----------
    tokens : list of str
    after, before : bool
        Whether a difference stands directly ahead of the run, and directly behind it.
    """
    head, tail = (AROUND if after else 0), (AROUND if before else 0)
    if len(tokens) <= head + tail + AROUND or not (head or tail):
        return "".join(tokens)
    final = "".join(tokens[len(tokens) - tail :]) if tail else ""
    return "".join(tokens[:head]), Text(LEFT_OUT, "meta"), final


def _run(tag: str, words: list[str]) -> Words:
    """Return consecutive differing words in the style `ins` or `del`; blanks alone stay unmarked."""
    shown = "".join(words)
    return Text(shown, tag) if shown.strip() else shown
