"""Names that are ours: of the public address, and of the socket that took the request."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from riskanalytics.service.door.origins import own_names


def taken_by(host: str, port: int) -> Request:
    """A request that a socket took."""
    return Request({"type": "http", "headers": [], "server": (host, port)})


@pytest.mark.parametrize(
    ("server", "names"),
    [
        (("203.0.113.7", 8000), {"203.0.113.7:8000"}),
        (("203.0.113.7", 80), {"203.0.113.7:80", "203.0.113.7"}),
        (("127.0.0.1", 8000), {"127.0.0.1:8000", "localhost:8000", "[::1]:8000"}),
        (("::1", 8000), {"127.0.0.1:8000", "localhost:8000", "[::1]:8000"}),
        (("evil.example", 80), set()),
    ],
)
def test_the_service_has_its_public_name_and_that_of_its_socket(server: tuple[str, int], names: set[str]) -> None:
    ours = {"ratings.example", "ratings.example:443"}
    assert own_names(taken_by(*server), "https://Ratings.Example") == ours | names
