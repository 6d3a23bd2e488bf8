"""One request, and whether it is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

import httpx

from riskanalytics.errors import RateLimited, ServiceError, Unreachable

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one decoded body."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_REDIRECTS_OF_POST: Final = frozenset({307, 308})
"""Those that keep method and body (RFC 9110 section 15.4)."""
_REPEATED: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 599})
BUSY: Final = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: where to, how, and the path that errors name."""

    url: httpx.URL
    headers: dict[str, str]
    path: str
    body: bytes | None = None
    keyed: bool = False
    most: int = MOST_BYTES

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
            return error.told_to_wait if error.status in BUSY else None
        if not isinstance(error, Unreachable) and error.status not in _REPEATED:
            return None
        told = error.retry_after if isinstance(error, RateLimited) else error.told_to_wait or 0.0
        return max(told, _back_off(attempt))


def _back_off(attempt: int) -> float:
    """Return the seconds before the next attempt: doubling from half a second to eight, jittered."""
    return min(8.0, 0.5 * 2.0 ** (attempt - 1)) * random.uniform(0.75, 1.0)  # noqa: S311 (no secret)
