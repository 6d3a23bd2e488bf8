"""Fetching an address that somebody else has written, such as an archive's: nothing of this network is reached by it.

Only http and https; the name is looked up once, every address that it has must be a public one, and the connection goes
to that very address, so that no second look-up leads elsewhere. Redirects are followed by hand, three at most, each
checked the same; from https never to http. No key, cookie or proxy is used. Size and time are limited.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

import httpx

from riskanalytics._http.answer import Answer
from riskanalytics.addresses import is_public_address
from riskanalytics.errors import InvalidAnswer, ServiceError, Unreachable

MOST_BYTES: Final = 32 * 1024 * 1024
SECONDS: Final = 30.0
"""For one address, with its redirects."""
_HOPS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


def fetch(
    url: str,
    *,
    private: bool = False,
    body: tuple[bytes, str] | None = None,
    seconds: float = SECONDS,
    most_bytes: int = MOST_BYTES,
) -> Answer:
    """Get what an address gives; post to it where there is a body.

    Parameters
    ----------
    url : str
    private : bool
        Whether addresses of this machine and of private networks may be reached.
    body : tuple of bytes and str, optional
        What is posted, and its media type; redirects are refused then.
    seconds : float
        In all.
    most_bytes : int
        Of the answer.

    Returns
    -------
    Answer

    Raises
    ------
    ServiceError
        If the address may not be reached, or gives no whole answer of status 200 within size and time.
    """
    found: list[Answer | BaseException] = []
    until = time.monotonic() + seconds

    def run() -> None:
        try:
            found.append(_followed(url, private, body, until, most_bytes))
        except BaseException as error:  # noqa: BLE001 (handed to the caller, who raises it)
            found.append(error)

    # a look-up or a server that drips its headers has no limit of its own: whoever waits leaves in time
    thread = threading.Thread(target=run, name="riskanalytics-fetch", daemon=True)
    thread.start()
    thread.join(seconds)
    if not found:
        raise Unreachable(f"{_named(url)} gave no whole answer within {seconds:.0f} s")
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def _followed(url: str, private: bool, body: tuple[bytes, str] | None, until: float, most: int) -> Answer:
    """Follow an address and its redirects."""
    told = _named(url)
    try:
        target = httpx.URL(url)
        for _ in range(_HOPS + 1):
            answer = _once(target, told, private, body, until, most)
            if isinstance(answer, Answer):
                return answer
            if answer.scheme == "http" and target.scheme == "https":
                raise InvalidAnswer(f"{told} redirects from https to http: not followed")
            target = answer
    except (httpx.HTTPError, OSError) as error:
        raise Unreachable(f"{told} gave no answer ({type(error).__name__})") from error
    except (httpx.InvalidURL, ValueError) as error:
        raise InvalidAnswer(f"{told} is, or redirects to, what is no address") from error
    raise InvalidAnswer(f"{told} redirects without end")


def _once(
    url: httpx.URL, told: str, private: bool, body: tuple[bytes, str] | None, until: float, most: int
) -> Answer | httpx.URL:
    """Send one request to a checked address; return its answer, or where it redirects to."""
    if url.scheme not in ("http", "https") or not url.host or url.userinfo:
        raise InvalidAnswer(f"{told}: only http and https addresses without a user's name are fetched")
    address = _address(url, told, private)
    headers = {"Host": url.netloc.decode("ascii"), "Accept": "*/*", "Accept-Encoding": "identity"}
    if body is not None:
        headers["Content-Type"] = body[1]
    limit = httpx.Timeout(max(0.1, until - time.monotonic()))
    with (
        httpx.Client(trust_env=False, follow_redirects=False, timeout=limit) as client,
        client.stream(
            "GET" if body is None else "POST",
            url.copy_with(host=str(address), fragment=None),
            headers=headers,
            content=None if body is None else body[0],
            extensions={"sni_hostname": url.host},
        ) as response,
    ):
        if body is None and response.status_code in _REDIRECTS:
            return url.join(response.headers.get("location", ""))
        if response.status_code != 200:
            raise ServiceError(f"{told} answered status {response.status_code}", status=response.status_code)
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise InvalidAnswer(f"{told} answered in an encoding that was not asked for")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        return Answer(_whole(response, told, until, most), kind, told)


def _whole(response: httpx.Response, told: str, until: float, most: int) -> bytes:
    """Return the body, within its size and its time."""
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) > most:
            raise InvalidAnswer(f"{told} answered more than {most:,} bytes")
        if time.monotonic() > until:
            raise Unreachable(f"{told} took too long")
    return bytes(body)


Resolver = Callable[[str, int], list[IPv4Address | IPv6Address]]


def _resolved(host: str, port: int) -> list[IPv4Address | IPv6Address]:
    """Look a name up."""
    return [
        ip_address(str(row[4][0]).partition("%")[0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    ]


def _address(url: httpx.URL, told: str, private: bool, resolved: Resolver = _resolved) -> IPv4Address | IPv6Address:
    """Return the address to connect to; refuse a name of which any address is not public."""
    addresses = resolved(url.host, url.port or (443 if url.scheme == "https" else 80))
    if not addresses:
        raise Unreachable(f"{told}: its name is not known")
    if not private and not all(is_public_address(address) for address in addresses):
        raise InvalidAnswer(f"{told} leads into a private network: not fetched")
    return addresses[0]


def _named(url: str) -> str:
    """Return an address fit for one line of an error: no query, no user, not long."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in url.partition("?")[0].partition("#")[0])
    scheme, sign, rest = shown.partition("://")
    return (f"{scheme}{sign}{rest.rpartition('@')[2]}" if sign else shown)[:150]
