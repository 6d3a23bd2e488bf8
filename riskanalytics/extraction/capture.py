"""Check whether a capture shows the expected document; the checks run in the order of this table.

========================== ==============================================================================
check                      result
========================== ==============================================================================
`empty`                    broken: no words
`script_wall`              broken: the page asks for JavaScript, a captcha or the acceptance of cookies
`error_page`               broken: an error message of the server or site, or a text that begins with one
`collapsed`                broken: far shorter than the last good text (less than a fifth of its length)
`title_only`               broken: a title or one line, without text below it
`other_language`           broken: the language differs from that of the last good text, and the capture is short or
                           in neither English nor Chinese
`login_page`               not a policy: a form to sign in
`no_policy_words`          not a policy: hardly any of the words that are usual in policies
`passed`                   good
========================== ==============================================================================

A short document is good if its words are those of a policy and the last good text was not much longer. If a collapsed text is a
policy of 4,000 characters or more, and the document stays so short for thirty days, `compare.Walk` accepts it as good; the name
of the check is then `shorter_for_good`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from .plain import is_chinese, language_of, plain
from .rules import NamedPatterns

_COLLAPSED_BELOW: Final = 0.2
"""A capture has collapsed below this share of the last good text's length."""
_SAMPLE: Final = 5_000
_CHECKED: Final = ("en", "zh")
"""Languages with patterns for policy words."""
_ENOUGH: Final = 4
"""Number of policy words from which a long text is a policy; no more are counted."""
_TINY: Final = 160
_TINY_CHINESE: Final = 50
SUBSTANTIAL: Final = 4000
"""Number of characters below which a text may be only the part of a policy that an error left."""
_PATTERNS: Final = NamedPatterns("capture.toml")


@dataclass(frozen=True, slots=True)
class CaptureCheck:
    """The result of checking whether a capture shows the expected document.

    Parameters
    ----------
    state : str
        `good`, `broken` (such as an error page, an empty text, or a text far shorter than the last good one) or
        `not_a_policy`.
    check : str
        Name of the check that decided, such as `error_page`, `empty`, `collapsed` (less than a fifth as long as the last good
        text) or `passed`.
    """

    state: str
    check: str


def check_capture(text: str, *, last_good: str | None = None) -> CaptureCheck:
    """Check one capture of a document.

    Parameters
    ----------
    text : str
        The decoded capture.
    last_good : str, optional
        The last good text of the same document.

    Returns
    -------
    CaptureCheck
        `good`, `broken` or `not_a_policy`, with the name of the check that decided.
    """
    words, short = plain(text[:_SAMPLE]), len(text) < SUBSTANTIAL
    policy_words = sum(1 for _ in islice(_PATTERNS["policy"].finditer(words), None if short else _ENOUGH))
    failures = (
        ("empty", not words),
        ("script_wall", short and policy_words < 12 and _PATTERNS["wall"].search(words)),
        ("error_page", short and policy_words < 12 and _PATTERNS["error"].search(words)),
        ("error_page", _PATTERNS["gone"].match(words)),
        ("collapsed", len(text) < _COLLAPSED_BELOW * len(last_good or "")),
        ("title_only", len(words) < (_TINY_CHINESE if is_chinese(words) else _TINY)),
        ("other_language", last_good is not None and _other_language(text, last_good, short=short)),
    )
    if failed := next((name for name, holds in failures if holds), None):
        return CaptureCheck("broken", failed)
    if not short and language_of(text) not in (*_CHECKED, "und"):
        return CaptureCheck("good", "passed")
    if short and len(_PATTERNS["login"].findall(words)) > policy_words:
        return CaptureCheck("not_a_policy", "login_page")
    if policy_words < 2 or (policy_words < _ENOUGH and policy_words * 600 < len(words)):
        return CaptureCheck("not_a_policy", "no_policy_words")
    return CaptureCheck("good", "passed")


def _other_language(text: str, last_good: str, *, short: bool) -> bool:
    """Return whether the language differs from that of the last good text, in a text that is short or cannot be checked."""
    before, now = language_of(last_good), language_of(text)
    return now != before != "und" and (short or now not in _CHECKED)


_GROWN: Final = 2.0
"""A text of at least this many times the length of the other text contains more than the document."""
_KEPT: Final = 0.8
"""Share of the other text's statements that must remain for the text to count as contained."""
_SHARE: Final = 0.1
"""Minimum length of a piece at the beginning or end to be a document of its own, as a share of the other text's length."""
_LONG: Final = 30
_ENDS: Final = 5
"""Number of statements at either end that show where the other text begins and ends."""
_OPENING: Final = 4
_REWRITTEN: Final = 0.15
"""Two texts may be variants if at least this share of the statements of each is missing in the other."""
_OPENING_OF_POLICY: Final = 30
_SPOKEN_OF: Final = 10
_EVERYWHERE: Final = frozenset(("everywhere",))


def holds_another(whole: Mapping[str, str], part: Mapping[str, str]) -> bool:
    """Return whether the text `whole` contains a second document, in addition to the document of which `part` is a text.

    Parameters
    ----------
    whole, part : mapping of str to str
        The text that may contain a second document; and an earlier or later text, which contains only the first. Each maps the
        keys of its clauses (`plain.sentence_key`) to their words, in the order of the text.

    Returns
    -------
    bool
        True if `part` has at least 4,000 characters and `whole` is at least twice as long, or if `whole` contains nearly all
        of `part` and, before or after it, a long new piece with its own title; else False.
    """
    size = _length(part.values())
    if size >= SUBSTANTIAL and _length(whole.values()) >= _GROWN * size:
        return True
    long = [key for key, words in part.items() if len(words) >= _LONG]
    order = list(whole)
    place = {key: at for at, key in enumerate(order)}
    kept = [place[key] for key in long if key in whole]
    if len(kept) < _KEPT * len(long) or not kept:
        return False
    first, last = (sorted(places)[len(places) // 2] for places in (kept[:_ENDS], kept[-_ENDS:]))
    return any(_is_document(piece, whole, part, size) for piece in (order[:first], order[last + 1 :]))


def other_region(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Return whether two texts are variants of one document for different regions.

    Parameters
    ----------
    before, after : mapping of str to str
        The two texts. Each maps the keys of its clauses (`plain.sentence_key`) to their words, in the order of the text.

    Returns
    -------
    bool
        True if at least 15 % of the clauses of each text are missing in the other, and either the beginnings of the texts
        name different regions, or one text mentions Ireland or the GDPR often and the other seldom; else False.
    """
    sides = ((before, after), (after, before))
    if any(len(here.keys() - there.keys()) / max(1, len(here)) < _REWRITTEN for here, there in sides):
        return False
    first, second = (_regions(list(side.values())[:_OPENING_OF_POLICY]) for side in (before, after))
    if first != second and (first or _EVERYWHERE) != (second or _EVERYWHERE):
        return bool(first and second)
    counts = sorted(len(_PATTERNS["europe"].findall(" ".join(side.values()))) for side in (before, after))
    return counts[1] >= _SPOKEN_OF and counts[1] >= _GROWN * _GROWN * counts[0]


def _regions(opening: Sequence[str]) -> frozenset[str]:
    """Return the regions to which a text applies by its opening; `_EVERYWHERE` if the opening refers a region to another text."""
    for sentence in _PATTERNS["sentence_end"].split(" ".join(opening)):
        if _PATTERNS["for_region"].search(sentence):
            if _PATTERNS["sent_elsewhere"].search(sentence):
                return _EVERYWHERE
            if _PATTERNS["applies"].search(sentence):
                return frozenset(match.casefold() for match in _PATTERNS["region"].findall(sentence))
    return frozenset()


def _is_document(piece: Sequence[str], whole: Mapping[str, str], part: Mapping[str, str], size: int) -> bool:
    """Return whether a piece is long, mostly new and has a title near its beginning."""
    new = [key for key in piece if key not in part]
    length, titles = _length(whole[key] for key in new), (whole[key].strip(" #*:") for key in new[:_OPENING])
    big = length >= _SHARE * size and 2 * length >= _length(whole[key] for key in piece)
    return big and any(map(_PATTERNS["title"].search, titles))


def _length(words: Iterable[str]) -> int:
    """Return the number of characters of all words."""
    return sum(map(len, words))
