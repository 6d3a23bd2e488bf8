"""Words that may change the meaning of a statement, and the comparison of two statements by such words.

Statements are plain words: without marks of Markdown, in English or Chinese. Endings, spelling and word order are ignored.
"""

import re
from collections import Counter
from functools import lru_cache
from itertools import chain
from typing import Final

WORD: Final = re.compile(r"[a-z0-9'%]+|[\u4e00-\u9fff]")
_RAISING: Final = (
    r"third|part|partn|partner|affiliat|broker|vendor|advertis\w*|sell|sale?|shar|perpetual|irrevocabl|sublicensabl|"
    r"transferabl|train|tune?|improv|develop|discretion|retain|human|review|biometric|any|all|indefinitely"
)
_PROTECTING: Final = (
    r"not|never|cannot|no|nor|neither|only|solely|consent|permission|opt|anonymiz|aggregat|identifi|delet|limit|"
    r"[不未无仅须]"
)
_EXCEPTING: Final = r"unles|except|exclud|除"
_EXCEPTION: Final = re.compile(r"\b(?:unless|except|other than)\b|除非|除了")
_GROWN: Final = 6
"""Number of words by which an exception must grow or shrink to count as changed."""
_RECIPIENTS: Final = r"authorit|enforcement|employer|administrator|framework|adequac"
"""Recipients and safeguards: weighty words that neither raise nor lower the risk by themselves."""
SPELLED_OUT: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90, "hundred": 100,
}  # fmt: skip
"""Numbers as words, as periods are written in policies."""
_NUMBER: Final = rf"\d{{1,3}}|{'|'.join(SPELLED_OUT)}|[一二三四五六七八九十百]"
WEIGHTY: Final = re.compile(
    rf"{_RAISING}|{_PROTECTING}|{_EXCEPTING}|{_RECIPIENTS}|without|also|other|sole|may|will|shall|must|exclusiv|enterpris|free|"
    rf"[可将会]|\d+%|(?:{_NUMBER})(?:hour|day?|week|month|year)"
)
"""Pattern of words that may change a statement's meaning: negations, figures, exceptions, modals, recipients."""
TURNING: Final = re.compile(rf"not|never|cannot|no|nor|neither|only|without|[不未无仅]|{_EXCEPTING}")
"""Pattern of words that reverse or limit what follows them: negations, limits, exceptions."""
_IDLE: Final = re.compile(r"(?:\bbut )?\b(?:not limited to|without limitation)")
_CONTRACTED: Final = re.compile(r"n't\b")
_SPELLED: Final = re.compile(r"(?<=[a-z]{3})is(?=e[ds]?\b|ing\b|ation)")
_ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ies|ing|ed|es|s|e|y)$")
_UNITS: Final = {"天": "day", "日": "day", "周": "week", "个月": "month", "月": "month", "年": "year"}
_PERIOD: Final = re.compile(
    rf"({_NUMBER})\W{{0,3}}(?:(?:business|working|calendar|rolling|full|more) )?(hour|day|week|month|year|{'|'.join(_UNITS)})s?"
)
_MARK: Final = re.compile(
    r"^\W*(?:(?:\d{1,3}|[a-z]|[ivx]{2,4})[.)](?!\W*(?:business|calendar|working|minute|hour|day|week|month|year|[天日周月年岁个]))\W*)+",
    re.IGNORECASE,
)
"""Number or letter of an item at the beginning of a statement; a number before a unit of time is none."""
_PEOPLE: Final = (
    r"(?:busines|enterpri[sz]|consumer|team|organi[sz]ation|individual|child|minor|resident"
    r"|feedback|voic|imag|video|biometric)\w*"
)
"""People and material to which a statement may be limited."""
_LIMITING: Final = re.compile(rf"{_PEOPLE}|such|follow")
"""Pattern of `_PEOPLE`, and of words that open or close a list."""
_GOVERNING: Final = re.compile(rf"{TURNING.pattern}|{_PEOPLE}|if|when|wher|dur|until|consent|opt|free")
"""Pattern of words, without endings, by which a lead-in governs the sentence that follows."""
_FEW: Final = 3
"""Maximum number of words on each side in which two statements with the same substance differ."""
_SENTENCE: Final = 10
"""Minimum number of words of a sentence that a lead-in need not complete."""
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*|[%$£¥<>\u20a0-\u20cf]")
_DAYS: Final = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}


def differ_in(kind: re.Pattern[str], before: str, after: str) -> bool:
    """Return whether two statements differ in the words that match a pattern; endings, spelling and word order are ignored.

    Parameters
    ----------
    kind : compiled pattern
        `WEIGHTY` (words that may change the meaning) or `TURNING` (negations, limits and exceptions).
    before, after : str
        Plain words.
    """
    return any(map(kind.fullmatch, chain(*different_words(before, after))))


def same_in_substance(before: str, after: str) -> bool:
    """Return whether two statements say the same, apart from a few words that do not change the meaning.

    They do if only case, spaces and punctuation differ, or if each has at most three words that the other does not have, together
    at most a tenth of all. These words must not be Chinese or able to change the meaning (`WEIGHTY`). Words that name people or
    material to which a statement may be limited, and words that open or close a list, must be in both. Numbers, percentages
    and currencies must be equal. A number or letter of an item at the beginning does not count.

    Parameters
    ----------
    before, after : str
        Plain words.

    Examples
    --------
    >>> same_in_substance("B.3.b. We share your personal information.", "We share your personal data.")
    True
    >>> same_in_substance("We share your data.", "We never share your data.")
    False
    """
    first, second = (_MARK.sub("", words.casefold()) for words in (before, after))
    if _FIGURE.findall(first) != _FIGURE.findall(second):
        return False
    if [*filter(str.isalpha, first)] == [*filter(str.isalpha, second)]:
        return True
    gone, new = different_words(first, second)
    either, whole = gone + new, WORD.findall(f"{first} {second}")
    if max(gone.total(), new.total()) > _FEW or either.total() > 0.1 * len(whole):
        return False
    shared = stems(first) & stems(second)
    return not any(
        WEIGHTY.fullmatch(word) or not word.isascii() or (word not in shared and _LIMITING.fullmatch(word))
        for word in either
    )


def same_clause(before: tuple[str, str], after: tuple[str, str]) -> bool:
    """Return whether two clauses, each a lead-in and a quote, say the same.

    Lead-in and quote together have the same substance; or the quotes have it and are sentences of ten words or more, and only one
    has a lead-in, which names no condition, negation, limit or exception.

    Parameters
    ----------
    before, after : tuple of (str, str)
        Plain words of the lead-in (empty without one) and of the quote.
    """
    (lead, quote), (later_lead, later) = before, after
    if same_in_substance(f"{lead} {quote}", f"{later_lead} {later}"):
        return True
    sentence = quote[:1].isupper() and len(WORD.findall(quote.casefold())) >= _SENTENCE and not (lead and later_lead)
    return sentence and same_in_substance(quote, later) and not differ_in(_GOVERNING, lead, later_lead)


def leaning(before: str, after: str, *, protective: bool) -> int:
    """Return how the words that differ between two statements affect the risk: 1 raises it, -1 lowers it, 0 does neither.

    Parameters
    ----------
    before, after : str
        Plain words of two statements whose findings have the same `effect` on the risk.
    protective : bool
        Whether the statements lower the risk. If so, a new exception raises the risk.
    """
    signs = {_RAISING: 1, _PROTECTING: -1, _EXCEPTING: 1 if protective else -1}
    gone, new = (
        sum(sign * words[word] for word in words for kind, sign in signs.items() if re.fullmatch(kind, word))
        for words in different_words(before, after)
    )
    return (new > gone) - (new < gone)


def excepted_more(before: str, after: str) -> int:
    """Return 1 if the exception ("unless ...") in a statement grew by six words or more, -1 if it shrank by as many; else 0."""
    parts = (_EXCEPTION.split(words.casefold(), maxsplit=1)[1:] for words in (before, after))
    first, second = (len(WORD.findall("".join(part))) for part in parts)
    return (second - first >= _GROWN) - (first - second >= _GROWN)


def longer(before: str, after: str) -> int:
    """Return 1 if the longest period in a statement grew, -1 if it shrank; else 0, also if one of the texts names no period."""
    first, second = (max(periods(words.casefold()), default=0.0) for words in (before, after))
    return (second > first) - (second < first) if first and second else 0


def periods(words: str) -> list[float]:
    """Return the periods in plain, lower-case words (such as "30 days"), as numbers of days, in the order of the text."""
    return [
        (SPELLED_OUT.get(count) or int(count)) * _DAYS[_UNITS.get(unit, unit)]
        for count, unit in _PERIOD.findall(words)
        if count.isascii()
    ]


def different_words(before: str, after: str) -> tuple[Counter[str], Counter[str]]:
    """Return the words that only the earlier statement has, and those that only the later one has."""
    old, new = (stems(words) for words in (before, after))
    return old - new, new - old


@lru_cache(8_192)
def stems(statement: str) -> Counter[str]:
    """Count the words of a statement without their endings, so that tense, plural and spelling make no difference."""
    folded = _SPELLED.sub("iz", _CONTRACTED.sub(" not", _IDLE.sub(" ", statement.casefold())))
    words = WORD.findall(_PERIOD.sub(lambda found: f" {found[1]}{_UNITS.get(found[2], found[2])} ", folded))
    return Counter(_ENDING.sub("", word) if len(word) > 4 else word for word in words)
