"""The course of a platform tells each day, and never today's state for another."""

from __future__ import annotations

import json
from datetime import date

from riskanalytics.client import Client
from riskanalytics.dataset.history import load_course
from tests.http_server import reply, serving


def test_a_history_has_each_day_including_days_before_tracking_began(client: Client) -> None:
    days = [date(2025, 12, 31), date(2026, 1, 31), date(2026, 3, 31)]
    course = load_course(client, "aurelia-chat", days)
    assert course.states["state"].tolist() == ["untracked", "known", "known"]
    assert course.states["stance"].tolist()[1:] == ["trains_by_default", "does_not_train"]
    assert course.surfaces.groupby("date").size().tolist() == [12, 12]
    none = load_course(client, "aurelia-chat", [])
    assert none.states.dtypes.to_dict() == course.states.dtypes.to_dict()
    assert none.surfaces.dtypes.to_dict() == course.surfaces.dtypes.to_dict()


def test_a_server_without_a_past_gives_days_that_are_not_known_and_never_today_s() -> None:
    record = {"slug": "aurelia-chat", "rating": "HIGH", "findings": []}
    with serving(reply("200 OK", json.dumps(record).encode())) as server, Client(server.url) as client:
        course = load_course(client, "aurelia-chat", [date(2026, 1, 31)])
    assert course.states["state"].tolist() == ["not known"]
    assert course.states["rating"].isna().all()
    assert course.surfaces.empty
