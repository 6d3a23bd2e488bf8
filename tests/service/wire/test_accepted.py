"""Headers of acceptance, as readers send them."""

from __future__ import annotations

import pytest

from riskanalytics.service.wire.accepted import weights


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("", {}),
        (" , ,", {}),
        ("gzip, br", {"gzip": 1.0, "br": 1.0}),
        ("GZIP;Q=0.5 , *;q=0", {"gzip": 0.5, "*": 0.0}),
        ("gzip; q=0.000", {"gzip": 0.0}),
        ("text/html;level=1;q=0.4", {"text/html": 0.4}),
        ("gzip;q=2, br;q=-1, zstd;q=x", {"gzip": 1.0, "br": 1.0, "zstd": 1.0}),
        ("gzip;q=0, gzip", {"gzip": 0.0}),
    ],
)
def test_what_is_named_has_its_weight_and_the_first_mention_counts(header: str, told: dict[str, float]) -> None:
    assert weights(header) == told
    assert list(weights(header)) == list(told)


def test_a_header_without_end_is_read_only_so_far() -> None:
    assert len(weights(",".join(f"a/{number}" for number in range(10_000)))) == 50
