"""What a widget starts from."""

from __future__ import annotations

from pathlib import Path

import riskanalytics as ra
from riskanalytics import widgets
from tests.http_server import served
from tests.service.given import Caller
from tests.widgets.given import TRAINING


def test_every_widget_works_without_a_key(database: Path) -> None:
    caller = Caller(database)
    with served(caller.app) as address, ra.connect(address) as client:
        panel = widgets.explorer(client).panel
        panel.platform.value = "aurelia-chat"
        panel.check.click()
        assert panel.status.value.count("✓") == 3
        assert TRAINING in widgets.comparison(client).panel.sides.value
        assert "irrevocable" in widgets.clause_search(client, "irrevocable").panel.answer.value
        assert "Privacy Policy" in widgets.ask(client, "Does Aurelia Chat train on my prompts?").panel.answer.value
    caller.close()
