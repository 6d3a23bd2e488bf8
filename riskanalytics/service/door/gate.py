"""Keys and rate limits, checked before all routes (specification sections 5 and 8).

Limits are sliding windows per key or address, shared by all server processes. For each key or address, the table `pace`
counts the accepted requests of the current and of the previous minute. Of the previous minute's count, a limit
includes only a share: a third, if a third of that minute lies in the last 60 seconds. Simultaneous requests may slightly
exceed a limit.
"""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, select, text
from starlette.datastructures import Headers
from starlette.types import Scope

from riskanalytics.errors import DatabaseError
from riskanalytics.settings.databases import Place

from ..store.engine import WRITES, engine_of, lent
from ..store.schema import PACE
from .problems import Problem

VARY: Final = "Authorization, X-Api-Key"
"""Value of the Vary header on paths that need a key: the request headers that may contain the key."""
WINDOW: Final = 60
"""Length of the rate limit window, in seconds."""
_EXCEEDED: Final = "https://iana.org/assignments/http-problem-types#quota-exceeded"
_SWEPT_EVERY: Final = 3600
_TAKE: Final = text(
    "INSERT INTO pace (subject, began, taken, before) VALUES (:subject, :began, 1, :before) ON CONFLICT (subject) DO "
    "UPDATE SET taken = CASE WHEN pace.began = excluded.began THEN pace.taken + 1 ELSE 1 END, "
    "began = excluded.began, before = excluded.before"
)


@dataclass(frozen=True, slots=True)
class Pace:
    """Rate limits in requests per minute; None means unlimited.

    Parameters
    ----------
    tiers : dict of str to int or None
        Tier -> limit of each key of this tier (specification section 8).
    reads, posts : int or None
        Limits of each client address on endpoints that need no key: `posts` for POST requests, `reads` for all others.
    """

    tiers: dict[str, int | None] = field(default_factory=lambda: {"starter": 60, "pro": 300, "enterprise": None})
    reads: int | None = 1200
    posts: int | None = 120


UNLIMITED: Final = Pace(tiers={}, reads=None, posts=None)
"""No limits: for a service that runs inside the process that uses it."""


class Verdict(NamedTuple):
    """Decision of a rate limit on one request.

    Parameters
    ----------
    name : str
        Name of the limit: a tier, `reads` or `posts`.
    quota : int
        Requests allowed per minute.
    remaining : int
        Number of further requests that the limit allows at once after this one.
    seconds : int
        For a refused request, seconds until the next one is accepted; else seconds until the current minute of counting ends.
    accepted : bool
        Whether the request is accepted.
    """

    name: str
    quota: int
    remaining: int = 0
    seconds: int = 0
    accepted: bool = False

    def headers(self) -> dict[str, str]:
        """Return the RateLimit fields (IETF draft ratelimit-headers-10), and Retry-After for a refused request."""
        fields = {
            "RateLimit-Policy": f'"{self.name}";q={self.quota};w={WINDOW}',
            "RateLimit": f'"{self.name}";r={self.remaining};t={self.seconds}',
        }
        return fields if self.accepted else fields | {"Retry-After": str(self.seconds)}

    def refusal(self) -> Problem:
        """Return the exception that answers a request above the limit with status 429."""
        detail = f"More than {self.quota} requests per minute: wait {self.seconds} s."
        return Problem(429, detail, extra={"type": _EXCEEDED, "violated-policies": [self.name]})


class Limiter:
    """Counter of accepted requests, which decides whether a rate limit is reached; the counts are in the key database.

    Parameters
    ----------
    place : Path or Server, optional
        The key database: a SQLite file or a PostgreSQL server. If None, requests are counted in memory.
    clock : callable
        Returns the current time in seconds since the epoch, which is the same in all server processes.

    Raises
    ------
    DatabaseError
        If the key database cannot be read.
    """

    def __init__(self, place: Place | None = None, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine_of(place, durable=False).execution_options(**WRITES)
        self._clock = clock
        self._swept = clock()
        self.trouble = False
        """Whether counting the last request failed, so that it was accepted uncounted."""
        with self._engine.begin() as connection:
            PACE.create(connection, checkfirst=True)

    def take(self, subject: str, name: str, quota: int | None) -> Verdict | None:
        """Count a request unless its limit is reached, and return the decision on it.

        Parameters
        ----------
        subject : str
            Subscription or address that sent the request.
        name : str
            Name of the limit: a tier, `reads` or `posts`.
        quota : int or None
            Requests allowed per minute; None if unlimited.

        Returns
        -------
        Verdict or None
            None if there is no limit or the request cannot be counted; the request is accepted then.
        """
        if quota is None:
            return None
        now, verdict = self._clock(), None
        with suppress(DatabaseError), lent(self._engine) as connection:
            counted = _counted(connection, subject, Verdict(name, quota), now)
            if now - self._swept > _SWEPT_EVERY:
                self._swept = now
                connection.execute(delete(PACE).where(PACE.c.began < now - _SWEPT_EVERY))
            connection.commit()
            verdict = counted
        self.trouble = verdict is None
        return verdict

    def close(self) -> None:
        """Close all connections to the key database."""
        self._engine.dispose()


def _counted(connection: Connection, subject: str, limit: Verdict, now: float) -> Verdict:
    """Count a request in its subject's row unless the limit is reached."""
    row = select(PACE.c.began, PACE.c.taken, PACE.c.before).where(PACE.c.subject == subject)
    began, taken, before = connection.execute(row).one_or_none() or (0, 0, 0)
    if not began <= now < began + 2 * WINDOW:
        began, taken, before = now, 0, 0
    elif now >= began + WINDOW:
        began, taken, before = began + WINDOW, 0, taken
    left = began + WINDOW - now
    remaining = limit.quota - taken - max(0, math.ceil(before * left / WINDOW) - 1) - 1
    if remaining >= 0:
        connection.execute(_TAKE, {"subject": subject, "began": began, "before": before})
        return limit._replace(remaining=remaining, seconds=math.ceil(left), accepted=True)
    wait = left - WINDOW * (limit.quota - taken) / before if taken < limit.quota else left
    return limit._replace(seconds=max(1, math.ceil(wait)))


def subject_of(address: str | None) -> str:
    """Return the name under which requests without a key are counted: an IPv4 address, a /64 IPv6 network, or `unknown`.

    Parameters
    ----------
    address : str or None
        IP address of the client; behind a trusted proxy, the client address that the proxy names. None or a
        malformed address gives `unknown`.
    """
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or ip_network((parsed, 64), strict=False))
    return str(parsed)


def is_keyed(path: str) -> bool:
    """Return whether requests for a URL path need a key: those under `/api/v1` do."""
    return f"{path}/".startswith("/api/v1/")


def judged(scope: Scope) -> Verdict | None:
    """Check the key of a request, store its tier in `scope["state"]["tier"]`, and return the rate limit's decision.

    Parameters
    ----------
    scope : dict
        ASGI scope of the request. The state of its application holds the keys (`access`), the rate limits (`pace`) and the
        counter of requests (`limiter`).

    Returns
    -------
    Verdict or None
        None if no limit applies or the request could not be counted; the request is accepted then.

    Raises
    ------
    Problem
        401 if a required key is missing or not active, 400 if two different keys are sent.
    """
    state = scope["app"].state
    limiter: Limiter = state.limiter
    key = _sent_key(scope) if is_keyed(scope["path"]) else None
    if key and (holder := state.access.holder_of(key)):
        number, tier = holder
        scope.setdefault("state", {})["tier"] = tier
        return limiter.take(f"key:{number}", tier, state.pace.tiers.get(tier))
    verdict = limiter.take(*_window(scope, state.pace))
    if key is not None and (not verdict or verdict.accepted):
        challenge = {"WWW-Authenticate": 'Bearer realm="riskanalytics"', "Vary": VARY}
        raise Problem(401, "Send an active key as Authorization: Bearer KEY or x-api-key: KEY.", challenge)
    return verdict


def _window(scope: Scope, pace: Pace) -> tuple[str, str, int | None]:
    """Return the subject that an open request counts for, the name of its limit, and its quota."""
    subject = subject_of((scope["client"] or (None,))[0])
    if scope["method"] == "POST":
        return subject + ":posts", "posts", pace.posts
    return subject, "reads", None if scope["path"] == "/health" else pace.reads


def _sent_key(scope: Scope) -> str:
    """Return the key sent with a request, empty otherwise; refuse two different keys with 400."""
    headers = Headers(scope=scope)
    bearers = [header[7:] for header in headers.getlist("authorization") if header[:7].lower() == "bearer "]
    keys = set(filter(None, map(str.strip, headers.getlist("x-api-key") + bearers)))
    if len(keys) > 1:
        raise Problem(400, "Two different keys were sent; send one.")
    return keys.pop() if keys else ""
