"""The evidence chain: the hash of a snapshot, a quote at its offsets, and the check of both."""

import hashlib


def sha256_of(body: bytes) -> str:
    """Return the name of a snapshot: the SHA-256 of its bytes in lower-case hexadecimal (FIPS 180-4).

    Parameters
    ----------
    body : bytes
        The snapshot, byte for byte.

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
        Characters on each side at most; what is cut is cut at a blank and marked with an ellipsis.

    Returns
    -------
    tuple of str
        Verbatim but for that mark and for empty lines at the paragraph's ends.
    """
    head, tail = text[max(0, start - most) : start], text[end : end + most]
    before, after = head.rpartition("\n\n")[2], tail.partition("\n\n")[0]
    if before == head and start > most:
        before = "… " + before.partition(" ")[2]
    if after == tail and len(text) > end + most:
        after = after.rpartition(" ")[0] + " …"
    return before.lstrip("\n"), after.rstrip("\n")


def verify(quote: str, start: int | None, end: int | None, sha256: str | None, body: bytes | None) -> str:
    """Check one quote against the snapshot that its provenance names.

    Parameters
    ----------
    quote : str
        The words as they were published.
    start, end : int or None
        Offsets in Unicode code points.
    sha256 : str or None
        Hash that the provenance names.
    body : bytes or None
        The snapshot's bytes as fetched; None where none could be had.

    Returns
    -------
    str
        `verified`: hash right and the quote is at its offsets; `moved`: the quote is elsewhere in
        the snapshot; `altered`: other words are at the offsets, half of the quote's among them; `missing`:
        the quote is not there; `hash_mismatch`: these are not the bytes named; `unavailable`: no bytes.
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
