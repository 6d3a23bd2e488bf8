"""The one door to HTTP: key, retry, pacing by the server's headers, limits of size and time.

The key goes only to the configured origin: redirects are re-issued by hand, on the same origin, three at
most. A GET is tried again after 408, 425, 429, 5xx and broken connections, six times and 120 seconds in all
at most, with jittered back-off (RFC 9110 section 10.2.3 for Retry-After). Bodies are inflated with bounded
output, so that a small answer cannot fill the memory. A POST is sent again only where a server that is busy
(429, 503) says when: it has not done what was asked.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, NoReturn

import httpx

from riskanalytics._http.answer import Answer, retry_after
from riskanalytics.errors import (
    InvalidAnswer,
    NotAuthorised,
    RateLimited,
    ServiceError,
    SettingsError,
    TierRequired,
    UnknownPlatform,
    Unreachable,
)

TOTAL_SECONDS: Final = 60.0
"""For one request, from connecting to the last byte."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of one decoded body."""
ATTEMPTS: Final = 6
PATIENCE: Final = 120.0
"""Seconds for one request with all its repetitions; also the longest wait that a server may ask for."""
_HOPS: Final = 3
_CHUNK: Final = 256 * 1024
_REPEATED: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 599})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_REDIRECTS_OF_POST: Final = frozenset({307, 308})
"""Those that keep method and body (RFC 9110 section 15.4)."""
_BUSY: Final = frozenset({429, 503})
_CONTROL: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_REMAINING: Final = re.compile(r";\s*r=(\d{1,9})\b")
_RESET: Final = re.compile(r";\s*t=(\d{1,6})\b")
_LOOPBACK: Final = frozenset({"localhost", "ip6-localhost"})


@dataclass(frozen=True, slots=True)
class _Asked:
    """One request: where to, how, and the path that errors name."""

    url: httpx.URL
    headers: dict[str, str]
    path: str
    body: bytes | None = None

    @property
    def method(self) -> str:
        """POST where there is a body."""
        return "GET" if self.body is None else "POST"

    @property
    def redirects(self) -> frozenset[int]:
        """Status of redirects that may be followed."""
        return _REDIRECTS if self.body is None else _REDIRECTS_OF_POST

    def wait(self, error: ServiceError, attempt: int) -> float | None:
        """Return the seconds before the next attempt; None where there is none to be."""
        if self.body is not None:
            return error.told_to_wait if error.status in _BUSY else None
        if not isinstance(error, Unreachable) and error.status not in _REPEATED:
            return None
        told = error.retry_after if isinstance(error, RateLimited) else error.told_to_wait or 0.0
        return max(told, _back_off(attempt))


class Connection:
    """Requests to one origin, with its key.

    Parameters
    ----------
    base_url : str
        Address of the service.
    api_key : str, optional
        Sent as `Authorization: Bearer`, to this origin only.
    transport : httpx transport, optional
        Used instead of the network.
    sleep, clock : callable, optional
        Waiting and monotonic time, in seconds.

    Raises
    ------
    SettingsError
        If the address is none, or a key would travel in clear to another machine.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._base = _checked_base(base_url, api_key)
        self._key = api_key
        self._sleep, self._clock = sleep, clock
        self._not_before = 0.0
        self._client = httpx.Client(
            transport=transport,
            follow_redirects=False,
            timeout=httpx.Timeout(20.0),
            trust_env=transport is None,
            # nothing travels to a service in this process, so nothing is packed
            headers={
                "Accept-Encoding": "identity" if transport else "gzip, deflate",
                "User-Agent": "riskanalytics-python",
            },
        )

    @property
    def base_url(self) -> str:
        """Address of the service, without a trailing slash."""
        return str(self._base).rstrip("/")

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(
        self,
        path: str,
        parameters: Mapping[str, str | int] | None = None,
        *,
        keyed: bool = False,
        accept: str = "application/json",
    ) -> Answer:
        """Get one resource.

        Parameters
        ----------
        path : str
            Below the base address, begins with `/`, its segments quoted.
        parameters : mapping, optional
        keyed : bool
            Whether the key is sent.
        accept : str

        Returns
        -------
        Answer

        Raises
        ------
        ServiceError
            Of the class of the failure; see `riskanalytics.errors`.
        """
        if keyed and self._key is None:
            raise NotAuthorised(f"{path} needs a key: set RISKANALYTICS_API_KEY", status=401, path=path)
        url = self._address(path)
        if parameters:
            url = url.copy_merge_params({name: str(value) for name, value in parameters.items()})
        headers = {"Accept": accept}
        if keyed and self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        return self._tried(_Asked(url, headers, path))

    def post(self, path: str, record: Mapping[str, object]) -> Answer:
        """Send one JSON object to an open endpoint; the key is not sent.

        Parameters
        ----------
        path : str
            Below the base address, begins with `/`.
        record : mapping

        Returns
        -------
        Answer

        Raises
        ------
        ServiceError
            Of the class of the failure; see `riskanalytics.errors`.
        """
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        return self._tried(_Asked(self._address(path), headers, path, json.dumps(record).encode()))

    def _address(self, path: str) -> httpx.URL:
        """Return the address of a path."""
        return self._base.copy_with(path=self._base.path.rstrip("/") + "/").join("." + path)

    def _tried(self, asked: _Asked) -> Answer:
        """Try until an answer is final, within attempts and patience."""
        began = self._clock()
        for attempt in range(1, ATTEMPTS + 1):
            self._pace()
            try:
                return self._once(asked)
            except ServiceError as error:
                wait = asked.wait(error, attempt)
                if wait is None or attempt == ATTEMPTS or self._clock() - began + wait > PATIENCE:
                    raise
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _pace(self) -> None:
        """Wait while the server's own headers say that nothing is left."""
        wait = self._not_before - self._clock()
        if wait > 0:
            self._sleep(min(wait, PATIENCE))

    def _once(self, asked: _Asked) -> Answer:
        """Send one request, following redirects on the same origin."""
        deadline = self._clock() + TOTAL_SECONDS
        url, path = asked.url, asked.path
        try:
            for _ in range(_HOPS + 1):
                sent = self._client.stream(asked.method, url, headers=asked.headers, content=asked.body)
                with sent as response:
                    if response.status_code in asked.redirects:
                        url = self._redirected(url, response, path)
                        continue
                    self._note_pace(response)
                    if response.status_code != 200:
                        self._fail(response, path, deadline)
                    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                    return Answer(b"".join(self._inflated(response, path, deadline)), kind, path)
        except httpx.HTTPError as error:
            raise Unreachable(f"{path} gave no answer: {_cleaned(str(error), self._key)}", path=path) from error
        raise InvalidAnswer(f"{path} redirects without end", path=path)

    def _redirected(self, url: httpx.URL, response: httpx.Response, path: str) -> httpx.URL:
        """Return where a redirect on the same origin leads; refuse any other."""
        try:
            target = url.join(response.headers.get("location", ""))
        except (httpx.InvalidURL, ValueError) as error:
            raise InvalidAnswer(f"{path} redirects to what is no address", path=path) from error
        if (target.scheme, target.host, target.port) != (self._base.scheme, self._base.host, self._base.port):
            raise InvalidAnswer(f"{path} redirects to another origin: not followed", path=path)
        return target.copy_with(userinfo=b"")

    def _note_pace(self, response: httpx.Response) -> None:
        """Read the RateLimit field (draft-ietf-httpapi-ratelimit-headers): nothing left means wait."""
        field = response.headers.get("ratelimit", "")
        left, reset = _REMAINING.search(field), _RESET.search(field)
        if left and reset and int(left[1]) == 0:
            self._not_before = self._clock() + min(int(reset[1]), PATIENCE)

    def _inflated(self, response: httpx.Response, path: str, deadline: float) -> Iterator[bytes]:
        """Give the decoded body in pieces, within its size and its time."""
        coding = response.headers.get("content-encoding", "").strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise InvalidAnswer(f"{path} answered in an encoding that was not asked for", path=path)
        inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if coding not in ("", "identity") else None
        size = 0
        for raw in response.iter_raw():
            for piece in _pieces(inflate, raw, path):
                size += len(piece)
                if size > MOST_BYTES:
                    raise InvalidAnswer(f"{path} answered more than {MOST_BYTES >> 20} MiB", path=path)
                yield piece
            if self._clock() > deadline:
                raise Unreachable(f"{path} took longer than {TOTAL_SECONDS:.0f} s", path=path)
        if inflate is not None and not inflate.eof:
            raise Unreachable(f"{path} was cut off", path=path)

    def _fail(self, response: httpx.Response, path: str, deadline: float) -> NoReturn:
        """Raise the error of a status."""
        status, detail = response.status_code, _cleaned(self._explained(response, path, deadline), self._key)
        told = retry_after(response.headers) if "retry-after" in response.headers else None
        kind, said = ServiceError, f"{path} answered status {status}"
        if status == 401:
            kind, said = NotAuthorised, "the key was not accepted"
        elif status in (402, 403):
            kind, said = TierRequired, f"{path} is not in the key's tier"
        elif status == 404 and "/platform" in path:
            kind, said = UnknownPlatform, f"{path}: no such platform"
        elif status == 429:
            asked = f"; the server asks to wait {told:,.0f} s" if told and told > PATIENCE else ""
            kind, said = RateLimited, f"{path}: too many requests{asked}"
        raise kind(f"{said}: {detail}" if detail else said, status=status, path=path, detail=detail, told_to_wait=told)

    def _explained(self, response: httpx.Response, path: str, deadline: float) -> str:
        """Return the beginning of a failure's own words."""
        body = b""
        with contextlib.suppress(ServiceError, httpx.HTTPError):
            for piece in self._inflated(response, path, deadline):
                body += piece
                if len(body) > 4096:
                    break
        text = body[:4096].decode("utf-8", errors="replace")
        with contextlib.suppress(ValueError, RecursionError):
            record = json.loads(text)
            if isinstance(record, dict):
                text = str(record.get("detail") or record.get("error") or record.get("message") or text)
        return "" if text.lstrip().startswith("<") else text


def _pieces(inflate: zlib._Decompress | None, raw: bytes, path: str) -> Iterator[bytes]:
    """Inflate with bounded output."""
    if inflate is None:
        yield raw
        return
    try:
        while raw:
            yield inflate.decompress(raw, _CHUNK)
            raw = inflate.unconsumed_tail
    except zlib.error as error:
        raise InvalidAnswer(f"{path} answered a damaged body", path=path) from error


def _checked_base(base_url: str, api_key: str | None) -> httpx.URL:
    """Refuse an address that is none, or that a key would travel to in clear."""
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError("the base address is no URL: give one like https://service.example")
    if api_key and url.scheme == "http" and not _is_loopback(url.host):
        raise SettingsError("a key would travel in clear: use https, or a service on this machine")
    return url.copy_with(userinfo=b"", query=None, fragment=None)


def _is_loopback(host: str) -> bool:
    """Say whether a host is this machine."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in _LOOPBACK


def _back_off(attempt: int) -> float:
    """Return the seconds before the next attempt: doubling from half a second to eight, jittered."""
    return min(8.0, 0.5 * 2.0 ** (attempt - 1)) * random.uniform(0.75, 1.0)  # noqa: S311 (no secret)


def _cleaned(text: str, key: str | None) -> str:
    """Return somebody else's words fit for one line: no key, no control characters, not long."""
    if key:
        text = text.replace(key, "***")
    return " ".join(_CONTROL.sub(" ", text).split())[:200]
