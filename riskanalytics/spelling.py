"""British and American spellings of one word, so that a search for either finds both."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PAIRS: Final = (
    ("isation", "ization"), ("ise", "ize"), ("isi", "izi"), ("isa", "iza"), ("alyse", "alyze"), ("alysi", "alyzi"),
    ("ence", "ense"), ("enci", "ensi"), ("practis", "practic"),
    ("bour", "bor"), ("viour", "vior"), ("lour", "lor"), ("nour", "nor"), ("vour", "vor"), ("entre", "enter"),
    ("logue", "log"), ("ellation", "elation"), ("elled", "eled"), ("elling", "eling"),
    ("alment", "allment"), ("ilment", "illment"), ("olment", "ollment"), ("dgement", "dgment"), ("programme", "program"),
)  # fmt: skip
"""Parts of words, British and American; a form that is no word stands in no text, and finds nothing."""
AMERICAN: Final = {american: british for british, american in _PAIRS}
"""Parts of words as they are written in America -> in Britain; for the scripts of pages, which search as we do."""
_OTHER: Final = {
    part: other for british, american in _PAIRS for part, other in ((british, american), (american, british))
}
_PART: Final = re.compile("|".join(sorted(_OTHER, key=len, reverse=True)))


@lru_cache(maxsize=65_536)
def spellings(word: str) -> tuple[str, ...]:
    """Return a word, folded in case, and the same word as it is spelled on the other side of the Atlantic.

    Parameters
    ----------
    word : str
        One word.

    Returns
    -------
    tuple of str
        The word first; alone where it has no such part. The same words for each of them.

    Examples
    --------
    >>> spellings("License"), spellings("behaviour"), spellings("cookie")
    (('license', 'licence'), ('behaviour', 'behavior'), ('cookie',))
    """
    own = word.casefold()
    other = _PART.sub(lambda match: _OTHER[match[0]], own)
    return (own,) if other == own else (own, other)
