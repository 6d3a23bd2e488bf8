"""A clause as a widget shows it."""

from __future__ import annotations

import re

import pandas as pd

from riskanalytics import widgets
from tests.frames_given import Market
from tests.widgets.given import given, labels


def test_a_near_copy_comes_last_and_a_public_archive_is_linked() -> None:
    market = Market(1)
    two = pd.concat(
        [market.findings.assign(duplicate_of="f1"), market.findings.assign(finding_id="f1")], ignore_index=True
    )
    two["archive_url"] = "https://archive.example.org/a/b?c=1"
    panel = widgets.explorer(given(market, findings=two)).panel
    assert [line[3:10] for line in labels(panel.clause)] == ["We may ", "(again)"]
    assert re.search('href="https://archive.example.org/a/b[?]c=1"[^>]*>archive</a>', panel.card.value)
