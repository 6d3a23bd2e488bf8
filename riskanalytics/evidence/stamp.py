"""Time stamps (RFC 3161): a request for one, and what an authority answers.

Only the fixed request and the status of the answer are written and read here; the token itself is checked by whoever
trusts the authority, with `openssl ts -verify`.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

from riskanalytics._http import fetch
from riskanalytics.errors import EvidenceError, ServiceError

_SHA256: Final = bytes.fromhex("300d06096086480165030402010500")
"""AlgorithmIdentifier of SHA-256 (RFC 5754), DER."""
_CERTIFICATES: Final = b"\x01\x01\xff"
"""certReq TRUE: the token brings the authority's certificate."""
_MOST: Final = 64 * 1024


def stamped(body: bytes, url: str) -> bytes:
    """Have an authority stamp some bytes.

    Parameters
    ----------
    body : bytes
        Only their SHA-256 is sent.
    url : str
        Of the authority; the reader names it, so that it may be one of this network.

    Returns
    -------
    bytes
        TimeStampResp, DER: as `openssl ts -verify -in` reads it.

    Raises
    ------
    EvidenceError
        If no stamp over these bytes is given.
    """
    digest, nonce = hashlib.sha256(body).digest(), b"\x02\x08" + bytes([1]) + secrets.token_bytes(7)
    imprint = _sequence(_SHA256 + b"\x04\x20" + digest)
    request = _sequence(b"\x02\x01\x01" + imprint + nonce + _CERTIFICATES)
    try:
        answer = fetch(url, private=True, body=(request, "application/timestamp-query"), most_bytes=_MOST).body
    except ServiceError as error:
        raise EvidenceError(f"no time stamp: {error}") from error
    if not is_stamp_of(answer, body) or nonce not in answer:
        raise EvidenceError("no time stamp: the authority refused, or answered something else")
    return answer


def is_stamp_of(answer: bytes, body: bytes) -> bool:
    """Say whether an answer grants a stamp over some bytes; its signature is not checked here.

    Parameters
    ----------
    answer : bytes
        TimeStampResp, DER (RFC 3161, section 2.4.2).
    body : bytes
    """
    whole = _content(answer, 0)
    info = _content(whole, 0)
    granted = info[:2] == b"\x02\x01" and info[2:3] in (b"\0", b"\1")  # PKIStatus granted or grantedWithMods
    return granted and b"\x04\x20" + hashlib.sha256(body).digest() in whole


def _sequence(content: bytes) -> bytes:
    """Return a short DER SEQUENCE."""
    return bytes([0x30, len(content)]) + content


def _content(body: bytes, at: int) -> bytes:
    """Return what the DER SEQUENCE at a place holds; nothing where there is none."""
    if body[at : at + 1] != b"\x30" or len(body) < at + 2:
        return b""
    size, at = body[at + 1], at + 2
    if size & 0x80:
        count = size & 0x7F
        size, at = int.from_bytes(body[at : at + count]), at + count
    return body[at : at + size]
