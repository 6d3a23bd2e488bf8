"""Keys: looked up by their hash, whatever they look like, and on the disk at once."""

from __future__ import annotations

from pathlib import Path

from riskanalytics.service import Access
from riskanalytics.settings.databases import Place


def test_the_tier_is_looked_up_and_not_read_from_the_prefix(copied_place: Place) -> None:
    access = Access.of(copied_place)
    key = access.issue("ann@company.example", "starter")
    assert access.holder_of("apc_live_" + key.removeprefix("svc_")) is None
    assert access.holder_of(key + "x") is None
    assert access.holder_of("") is None
    assert access.holder_of("svc_" + "x" * 100_000) is None
    assert access.holder_of(key) == (1, "starter")
    access.close()


def test_keys_are_on_disk_before_the_call_returns(tmp_path: Path) -> None:
    access = Access.of(tmp_path / "a.sqlite")
    with access.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    access.close()
