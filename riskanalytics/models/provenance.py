"""The evidence chain: the hash of a snapshot, a quote at its offsets, and the verification of both."""

import hashlib


def sha256_of(body: bytes) -> str:
    """Return the identifier of a snapshot: the SHA-256 of its bytes in lower-case hexadecimal (FIPS 180-4).

    Parameters
    ----------
    body : bytes
        The unchanged snapshot.

    Returns
    -------
    str
        64 characters.
    """
    return hashlib.sha256(body).hexdigest()


def around(text: str, start: int, end: int, most: int = 220) -> tuple[str, str]:
    """Return the words before and after a quote in its paragraph.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    start, end : int
        Offsets of the quote in Unicode code points.
    most : int
        Maximum number of characters on each side; longer text is cut at a space and marked with an ellipsis.

    Returns
    -------
    tuple of str
        Verbatim, except for the ellipsis and for empty lines at the ends of the paragraph.
    """
    head, tail = text[max(0, start - most) : start], text[end : end + most]
    before, after = head.rpartition("\n\n")[2], tail.partition("\n\n")[0]
    if before == head and start > most:
        before = "… " + before.partition(" ")[2]
    if after == tail and len(text) > end + most:
        after = after.rpartition(" ")[0] + " …"
    return before.lstrip("\n"), after.rstrip("\n")


def verify(quote: str, start: int | None, end: int | None, sha256: str | None, body: bytes | None) -> str:
    """Verify one quote against the snapshot of its provenance.

    Parameters
    ----------
    quote : str
        The published words.
    start, end : int or None
        Offsets in Unicode code points.
    sha256 : str or None
        SHA-256 of the snapshot according to the provenance of the quote.
    body : bytes or None
        The fetched bytes of the snapshot; None if they are not available.

    Returns
    -------
    str
        `verified`: the hash matches and the quote is at its offsets; `moved`: the quote is elsewhere in the snapshot; `altered`:
        the text at the offsets differs but shares at least half of the quote's words; `missing`: the snapshot does not
        contain the quote, or there are no offsets; `hash_mismatch`: the bytes do not match the hash; `unavailable`: there are
        no bytes or no hash.
    """
    if body is None or sha256 is None:
        return "unavailable"
    if sha256_of(body) != sha256.lower():
        return "hash_mismatch"
    text = body.decode("utf-8", errors="replace")
    if not quote or start is None or end is None:
        return "missing"
    if 0 <= start < end <= len(text) and text[start:end] == quote:
        return "verified"
    if quote in text:
        return "moved"
    words, other = (set(part.casefold().split()) for part in (quote, text[max(0, start) : max(0, end)]))
    return "altered" if words and 2 * len(words & other) >= len(words) else "missing"
