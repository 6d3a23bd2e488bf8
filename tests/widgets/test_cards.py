"""A clause as a widget shows it."""

from __future__ import annotations

import pandas as pd

from riskanalytics import widgets
from tests.frames_given import Market
from tests.widgets.given import given, labels


def test_a_near_copy_stands_last_and_a_public_archive_is_named() -> None:
    market = Market(1)
    two = pd.concat(
        [market.findings.assign(duplicate_of="f1"), market.findings.assign(finding_id="f1")], ignore_index=True
    )
    two["archive_url"] = "https://archive.example.org/a/b?c=1"
    panel = widgets.explorer(given(market, findings=two)).panel
    assert [line[3:10] for line in labels(panel.clause)] == ["We may ", "(again)"]
    assert "target=_blank>open at archive.example.org</a>" in panel.facts.value
    panel.clause.value = "1"
    assert "another clause of this platform" in panel.facts.value
