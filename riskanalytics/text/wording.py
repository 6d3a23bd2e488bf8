"""Functions that write numbers, dates and lists in words, and give the British and American spelling of a word."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache
from typing import Final


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun in singular or plural.

    Parameters
    ----------
    count : int
    one, many : str
        The noun; `many` defaults to `one` with an s.

    Examples
    --------
    >>> plural(1, "clause"), plural(1200, "clause"), plural(2, "copy", "copies")
    ('1 clause', '1,200 clauses', '2 copies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def dated(day: date) -> str:
    """Return a day in words.

    Examples
    --------
    >>> from datetime import date
    >>> dated(date(2026, 10, 5))
    '5 October 2026'
    """
    return f"{day.day} {day:%B %Y}"


def aged(end: str, today: date | None = None) -> str:
    """Return a phrase with the last day of the data and its age; empty if that day is today, in the future or not known.

    Parameters
    ----------
    end : str
        Last day of the data, YYYY-MM-DD.
    today : date, optional
        By default the present day on this machine.

    Examples
    --------
    >>> aged("2026-08-22", date(2026, 11, 24))
    'data end 2026-08-22, 94 days ago'
    """
    with suppress(ValueError):
        # the reader's own day
        days = ((today or date.today()) - date.fromisoformat(end)).days  # noqa: DTZ011
        return f"data end {end}, {plural(days, 'day')} ago" if days > 0 else ""
    return ""


def joined(parts: Sequence[str]) -> str:
    """Return parts as a list in a sentence: "a, b and c".

    Examples
    --------
    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def led_in(lead_in: str, end: object, start: object) -> str:
    """Return a lead-in as text to print before its quote; it ends with `[…]` if other text lies between the two.

    Parameters
    ----------
    lead_in : str
        Words of the policy that introduce the list from which the quote comes.
    end, start : int
        Offsets of the end of the lead-in and of the beginning of the quote. Up to ten characters between them count as white
        space and the marker of a list item. If an offset is not known, `[…]` is added.

    Examples
    --------
    >>> led_in("We may share:", 13, 18), led_in("We may share:", 13, 90)
    ('We may share: ', 'We may share: […] ')
    """
    near = isinstance(end, int) and isinstance(start, int) and 0 <= start - end <= 10
    return f"{lead_in} " if near else f"{lead_in} […] "


def percent(share: float) -> str:
    r"""Return a share (0 to 1) in whole percent; never 0 % or 100 % for a share that only rounds to it.

    Examples
    --------
    >>> [percent(share).replace("\xa0", " ") for share in (0, 0.005, 0.42, 0.999, 1)]
    ['0 %', 'under 1 %', '42 %', 'over 99 %', '100 %']
    """
    if 0 < share <= 0.005:
        return "under 1\u00a0%"
    return "over 99\u00a0%" if 0.995 <= share < 1 else f"{100 * share:.0f}\u00a0%"


def ratio(value: float) -> str:
    """Return a number from 0 to 1 with two decimals; never 1.00 for a number that only rounds to it.

    Examples
    --------
    >>> ratio(0.5), ratio(0.999), ratio(1.0)
    ('0.50', '>0.99', '1.00')
    """
    return ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"


def listed(names: Sequence[str], most: int) -> str:
    """Return the first `most` names as a list in a sentence, followed by the number of the remaining names.

    Parameters
    ----------
    names : sequence of str
    most : int
        Maximum number of names.

    Examples
    --------
    >>> listed(["a", "b"], 2), listed(["a", "b", "c"], 2), listed(["a", "b", "c"], 1)
    ('a and b', 'a, b and 1 other', 'a and 2 others')
    """
    left = len(names) - most
    return joined([*names[:most], *([plural(left, "other")] if left > 0 else [])])


_PAIRS: Final = """
    isation/ization ise/ize isi/izi isa/iza alyse/alyze alysi/alyzi ence/ense enci/ensi practis/practic bour/bor viour/vior
    lour/lor nour/nor vour/vor entre/enter logue/log ellation/elation elled/eled elling/eling alment/allment ilment/illment
    olment/ollment dgement/dgment programme/program
"""
_AMERICAN: Final[dict[str, str]] = dict(re.findall(r"(\w+)/(\w+)", _PAIRS))
"""Parts of words, British -> American; other words have one spelling."""
AMERICAN: Final = {american: british for british, american in _AMERICAN.items()}
"""Parts of words, American -> British; for the scripts of pages, which search with the same rules."""
_OTHER: Final = AMERICAN | _AMERICAN
_PART: Final = re.compile("|".join(sorted(_OTHER, key=len, reverse=True)))


@lru_cache(maxsize=65_536)
def spellings(word: str) -> tuple[str, ...]:
    """Return a word in lower case, followed by its other spelling (British or American) if it has one.

    Parameters
    ----------
    word : str
        One word.

    Returns
    -------
    tuple of str
        The given word first; a single item if the word has one spelling. Both spellings of a word give the same two items.

    Examples
    --------
    >>> spellings("License"), spellings("behaviour"), spellings("cookie")
    (('license', 'licence'), ('behaviour', 'behavior'), ('cookie',))
    """
    own = word.casefold()
    other = _PART.sub(lambda match: _OTHER[match[0]], own)
    return (own,) if other == own else (own, other)
