"""Whatever comes from data is text in every widget."""

from __future__ import annotations

import re

from riskanalytics import widgets
from tests.frames_given import Market
from tests.topics.given import HOSTILE
from tests.widgets.given import every_option, given, result


def test_names_quotes_and_answers_are_text_in_every_widget() -> None:
    market = Market(3)
    for frame in (market.platforms, market.cells, market.findings, market.answers):
        frame["name"] = HOSTILE
    market.platforms["rating"] = market.platforms["verification"] = market.answers["stance"] = HOSTILE
    for column in ("quote", "document", "archive_url", "snapshot_sha256", "polarity"):
        market.findings[column] = HOSTILE
    market.cells["surface"] = market.cells["surface"].replace("human_review", HOSTILE)
    panels = [widgets.explorer(given(market)).panel, widgets.comparison(given(market)).panel]
    shown = "".join(result(panel.root) for panel in panels)
    assert "&lt;script&gt;" in shown
    for bad in ("<script", "<img", "\u202e", "\x1b"):
        assert bad not in shown
    options = [label for panel in panels for label in every_option(panel.root)]
    assert any("alert(1)" in label for label in options)
    assert not re.search("[\u202a-\u202e\x00-\x1f]", "".join(options))
