"""Pages of other sites may not post."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from riskanalytics.service.door.origins import refuse_cross_site
from riskanalytics.service.door.problems import Problem


def sent(origin: str, server: tuple[str, int]) -> Request:
    """A request with an origin that a socket accepted."""
    return Request({"type": "http", "headers": [(b"origin", origin.encode())], "server": server})


@pytest.mark.parametrize(
    ("origin", "server"),
    [
        ("https://ratings.example", ("203.0.113.7", 8000)),
        ("http://203.0.113.7:8000", ("203.0.113.7", 8000)),
        ("http://localhost:8000", ("127.0.0.1", 8000)),
        ("http://[::1]:8000", ("::1", 8000)),
        ("http://[2001:db8::1]:80", ("2001:db8::1", 80)),
    ],
)
def test_pages_of_the_service_may_post(origin: str, server: tuple[str, int]) -> None:
    refuse_cross_site(sent(origin, server), "https://Ratings.Example")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://ratings.example", ""])
def test_pages_of_other_sites_may_not_post(origin: str) -> None:
    with pytest.raises(Problem) as refused:
        refuse_cross_site(sent(origin, ("127.0.0.1", 8000)), "https://ratings.example")
    assert refused.value.status_code == 403
