"""The gate before all routes: who asks, and whether the pace allows it (specification sections 5 and 8)."""

from __future__ import annotations

from typing import Final

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from riskanalytics.service.door.limits import Limiter, Pace, Verdict, subject_of
from riskanalytics.service.door.problems import Problem
from riskanalytics.service.keys.access import Access

KEYED: Final = "/api/v1"
VARY: Final = "Authorization, X-Api-Key"
"""What answers to keyed requests depend on."""
_UNPACED: Final = ("/health",)
_THREADS: Final = 4
"""Threads that look keys and windows up: a file that somebody holds must not keep other requests waiting."""
_LONGEST_PATH: Final = 2048
_LONGEST_QUERY: Final = 8192
_LONGEST_HEADERS: Final = 16 * 1024
_QUOTA_EXCEEDED: Final = "https://iana.org/assignments/http-problem-types#quota-exceeded"


def is_keyed(path: str) -> bool:
    """Say whether an address needs a key.

    Parameters
    ----------
    path : str
    """
    return path == KEYED or path.startswith(KEYED + "/")


class Gate:
    """Lets a request through with its tier in `scope["state"]["tier"]`, or raises what is answered: 401 or 429.

    Parameters
    ----------
    app : ASGI application
    access : Access
    pace : Pace
    limiter : Limiter
    """

    def __init__(self, app: ASGIApp, access: Access, pace: Pace, limiter: Limiter) -> None:
        self.app = app
        self._access = access
        self._pace = pace
        self._limiter = limiter
        self._threads = CapacityLimiter(_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        _check_form(scope)
        verdict = None
        if is_keyed(scope["path"]) or self._window(scope)[2] is not None:  # else there is nothing to judge
            verdict = await to_thread.run_sync(self._judged, scope, limiter=self._threads)
        if verdict is not None:
            _let(verdict)
            send = _with_headers(send, verdict.headers())
        await self.app(scope, receive, send)

    def _judged(self, scope: Scope) -> Verdict | None:
        """Return what the limits say; raise where a key is missing."""
        key = _sent_key(scope) if is_keyed(scope["path"]) else None
        if key and (holder := self._access.holder_of(key)):
            number, tier = holder
            scope.setdefault("state", {})["tier"] = tier
            return self._limiter.take(f"key:{number}", tier, self._pace.tiers.get(tier))
        verdict = self._limiter.take(*self._window(scope))
        if key is not None and (verdict is None or verdict.accepted):
            challenge = {"WWW-Authenticate": 'Bearer realm="riskanalytics"', "Vary": VARY}
            raise Problem(401, "Send an active key as Authorization: Bearer KEY or x-api-key: KEY.", challenge)
        return verdict

    def _window(self, scope: Scope) -> tuple[str, str, int | None]:
        """Return whose window an open request counts in, its limit's name, and its quota."""
        subject = _asker(scope)
        if scope["path"] in _UNPACED:
            return subject, "reads", None
        if scope["method"] == "POST":
            return subject + ":posts", "posts", self._pace.posts
        return subject, "reads", self._pace.reads


def _sent_key(scope: Scope) -> str:
    """Return the key that a request carries, empty where there is none; 400 with two different keys."""
    headers = Headers(scope=scope)
    keys = {value for value in headers.getlist("x-api-key") if value}
    for header in headers.getlist("authorization"):
        scheme, _, bearer = header.partition(" ")
        if scheme.lower() == "bearer" and bearer.strip():
            keys.add(bearer.strip())
    if len(keys) > 1:
        raise Problem(400, "Two different keys were sent: send one.")
    return keys.pop() if keys else ""


def _let(verdict: Verdict) -> None:
    """Raise 429 where a verdict refuses."""
    if not verdict.accepted:
        detail = f"More than {verdict.quota} requests a minute: wait {verdict.seconds} s."
        extra = {"violated-policies": [verdict.name]}
        raise Problem(429, detail, verdict.headers(), type_uri=_QUOTA_EXCEEDED, extra=extra)


def _check_form(scope: Scope) -> None:
    """Refuse what is too long."""
    if len(scope["path"]) > _LONGEST_PATH or len(scope["query_string"]) > _LONGEST_QUERY:
        raise Problem(414, "The address is too long.")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > _LONGEST_HEADERS:
        raise Problem(431, "The headers are too long.", {"Connection": "close"})


def _asker(scope: Scope) -> str:
    """Return whose address asks."""
    client = scope.get("client")
    return subject_of(client[0] if client else None)


def _with_headers(send: Send, headers: dict[str, str]) -> Send:
    """Return a sender that adds headers to the answer."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(headers)
        await send(message)

    return sent
