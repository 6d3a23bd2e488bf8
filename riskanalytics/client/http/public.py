"""Fetching an address that somebody else has written, such as an archive's: nothing of this network is reached by it.

Only http and https; the name is looked up once for each hop, every address that it has must be public, and the connection
goes to that very address, so that no second look-up leads elsewhere. Three redirects are followed at most, from https never
to http. No key, cookie or proxy is used. Size and time are limited.
"""

from __future__ import annotations

import asyncio
import socket
import zlib
from functools import partial
from ipaddress import ip_address
from typing import Final

import httpx

from riskanalytics.client.http.answer import Answer, exchange, run
from riskanalytics.errors import InvalidAnswer, ServiceError, Unreachable
from riskanalytics.text.untrusted import is_public_address

MOST_BYTES: Final = 32 * 1024 * 1024
SECONDS: Final = 30.0
"""For one address, with its redirects."""


class _CheckedTransport(httpx.AsyncHTTPTransport):
    """Connects to the address that was checked."""

    def __init__(self, named: str, *, private: bool) -> None:
        super().__init__(trust_env=False)
        self._named, self._private = named, private

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        url = request.url
        if url.scheme not in ("http", "https") or not url.host or url.userinfo:
            raise InvalidAnswer(f"{self._named}: only http and https addresses without a user's name are fetched")
        rows = await asyncio.get_running_loop().getaddrinfo(
            url.host, url.port or (443 if url.scheme == "https" else 80), type=socket.SOCK_STREAM
        )
        addresses = [ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
        if not self._private and not all(is_public_address(address) for address in addresses):
            raise InvalidAnswer(f"{self._named} leads into a private network: not fetched")
        return await super().handle_async_request(
            httpx.Request(
                request.method,
                url.copy_with(host=str(addresses[0])),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": url.host},
            )
        )


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
    return run(_fetched(url, private, body, seconds, most_bytes))


async def _fetched(url: str, private: bool, body: tuple[bytes, str] | None, seconds: float, most: int) -> Answer:
    """Follow an address and its redirects."""
    named = _named(url)
    headers = {"Accept": "*/*", "Accept-Encoding": "identity", **({} if body is None else {"Content-Type": body[1]})}
    transport = _CheckedTransport(named, private=private)
    try:
        async with (
            asyncio.timeout(seconds),
            httpx.AsyncClient(transport=transport, trust_env=False, timeout=seconds) as client,
        ):
            request = client.build_request(
                "GET" if body is None else "POST", url, headers=headers, content=body and body[0]
            )
            response, content = await exchange(client, request, named, most, partial(_stays_safe, named))
    except TimeoutError as error:
        raise Unreachable(f"{named} gave no whole answer within {seconds:.0f} s") from error
    except (httpx.HTTPError, zlib.error, OSError) as error:
        raise Unreachable(f"{named} gave no answer ({type(error).__name__})") from error
    except (httpx.InvalidURL, ValueError) as error:
        raise InvalidAnswer(f"{named} is not an address, or redirects to what is not") from error
    if response.status_code != 200:
        raise ServiceError(f"{named} answered status {response.status_code}", status=response.status_code)
    return Answer(content, response.headers.get("content-type", "").partition(";")[0].strip().lower(), named)


def _stays_safe(named: str, before: httpx.URL, after: httpx.URL) -> None:
    """Refuse a redirect from https to http."""
    if (before.scheme, after.scheme) == ("https", "http"):
        raise InvalidAnswer(f"{named} redirects from https to http: not followed")


def _named(url: str) -> str:
    """Return an address fit for one line of an error: no query, no user, not long."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in url.partition("?")[0].partition("#")[0])
    scheme, sign, rest = shown.partition("://")
    return (f"{scheme}{sign}{rest.rpartition('@')[2]}" if sign else shown)[:150]
