"""Names that never change: slugs of platforms and identifiers of findings and changes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from riskanalytics.models.provenance import sha256_of

_NOT_ASCII_WORD: Final = re.compile(r"[^a-z0-9]+")
_SPELT: Final = str.maketrans({
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ð": "d", "þ": "th", "ı": "i"
})  # fmt: skip


def slug_of(name: str) -> str:
    """Return the slug of a name: lower-case ASCII words joined by `-`.

    Parameters
    ----------
    name : str
        A platform's display name.

    Returns
    -------
    str
        `Claude.ai` gives `claude-ai`, `DALL·E` gives `dall-e`, `Café` gives `cafe`; a name without a Latin
        letter or digit gives `x-` and eight hexadecimal digits of its hash.
    """
    folded = unicodedata.normalize("NFKD", name).casefold().translate(_SPELT)
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    words = _NOT_ASCII_WORD.sub("-", plain).strip("-")[:80].strip("-")
    return words or "x-" + _digest(unicodedata.normalize("NFC", name))[:8]


def free_slug(name: str, taken: Callable[[str], bool]) -> str:
    """Return a slug that nobody has: the plain one, else with digits of the name's own hash behind it.

    Parameters
    ----------
    name : str
        A platform's display name.
    taken : callable
        Says whether a slug is given away.

    Returns
    -------
    str
        Stable: it depends on the name and on who came before, never on chance.
    """
    slug = slug_of(name)
    digest = _digest(name)
    candidates = (slug, *(f"{slug}-{digest[:length]}" for length in range(4, len(digest) + 1, 4)))
    return next(candidate for candidate in candidates if not taken(candidate))


def finding_id(slug: str, document: str, surface: str, sha256: str, span: tuple[int, int]) -> str:
    """Return the public identifier of a finding: twenty hexadecimal digits of where it stands and of what it speaks.

    Parameters
    ----------
    slug, document, surface, sha256 : str
        Platform, name of the document, surface, hash of the snapshot.
    span : tuple of int
        Offsets in code points.
    """
    return _digest("\0".join((slug, document, surface, sha256, str(span[0]), str(span[1]))))[:20]


def change_id(slug: str, document: str, revision: str) -> str:
    """Return the public identifier of a change: twenty hexadecimal digits of the capture that showed it."""
    return _digest("\0".join(("change", slug, document, revision)))[:20]


def _digest(text: str) -> str:
    """SHA-256 in hexadecimal."""
    return sha256_of(text.encode("utf-8", errors="surrogatepass"))
