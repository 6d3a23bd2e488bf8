"""One run of a correction: it puts right what is stored wrong, or leaves the platform as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service.corrections.run import rerun
from tests.service.corrections.given import content
from tests.service.given import by_hand


def damage(database: Path, statement: str) -> None:
    with by_hand(database) as connection:
        connection.execute(statement)


def test_a_run_on_sound_data_keeps_every_finding_and_changes_nothing(database: Path) -> None:
    before = content(database)
    assert rerun(database, "aurelia-chat") == {
        "findings": {"added": 0, "removed": 0, "kept": 5},
        "rating_before": "MED",
        "rating_after": "MED",
        "reread": 0,
    }
    assert content(database) == before


def test_a_run_puts_right_what_is_stored_wrong(database: Path) -> None:
    before = content(database)
    damage(database, "UPDATE finding SET start = start + 1 WHERE surface = 'content_license'")
    found = rerun(database, "aurelia-chat")
    assert found["findings"] == {"added": 1, "removed": 1, "kept": 4}
    assert found["reread"] == 1
    assert content(database) == before


def test_a_damaged_snapshot_is_told_and_the_platform_stays_as_it_was(database: Path) -> None:
    before = content(database)
    damage(database, "UPDATE snapshot SET sha256 = replace(sha256, substr(sha256, 1, 4), 'ffff')")
    with pytest.raises(DatabaseError, match="is damaged"):
        rerun(database, "aurelia-chat")
    assert [state["rating"] for state, _ in content(database)] == [state["rating"] for state, _ in before]
