"""Loading from the real service in the process, and from servers that tell less."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.dataset.checks import verify_findings
from riskanalytics.dataset.history import load_coverage_history, load_history
from riskanalytics.dataset.loading import coverage_record, load_changes, load_platforms, load_records
from riskanalytics.errors import DatabaseError, IncompleteReportError, SettingsError
from riskanalytics.extraction import Reading
from riskanalytics.settings import Settings
from tests.http_server import reply, serving
from tests.service.given import give_readings, lead_on


def test_all_frames_load_from_an_embedded_database(client: Client) -> None:
    platforms = load_platforms(client)
    assert platforms["slug"].tolist() == ["aurelia-chat", "cafe-lumiere", "northwind-draft"]
    assert platforms["level"].tolist()[2] == "UNKNOWN"
    assert len(load_changes(client)) == 1
    assert ra.load(client).coverage["tracked"].tolist() == [3]


def test_leads_have_the_columns_of_findings_and_are_not_counted(database: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copy(database, tmp_path / "led.sqlite"))
    words = "This policy tells which information the service handles, why, and which rights you have."

    def read(text: str, reading: Reading) -> Reading:
        return replace(reading, leads=(lead_on(text, words, 0.6),) if words in text else ())

    give_readings(copied, "aurelia-chat", read)
    with ra.connect(database=copied) as client:
        leads, findings = ra.load(client, platforms=["aurelia-chat"]).leads, ra.load(client).findings
        assert leads[["slug", "name", "quote", "confidence"]].to_numpy().tolist() == [
            ["aurelia-chat", "Aurelia Chat", words, 0.6]
        ]
        assert words not in set(findings["quote"])
        pd.testing.assert_series_equal(leads.dtypes, findings.dtypes)
        assert verify_findings(client, leads)["verification_status"].tolist() == ["verified"]
        assert len(ra.load(client, date(2026, 1, 31)).leads) == 1
        assert ra.load(client, platforms=["northwind-draft"]).leads.empty


@pytest.mark.parametrize("result", [{}, {"leads": None}, {"leads": {"a": 1}}, {"leads": ["x", 3]}])
def test_a_server_without_leads_gives_an_empty_frame_with_the_same_columns(result: dict[str, object]) -> None:
    record = {"slug": "aurelia-chat", "rating": "HIGH", "findings": [], **result}
    with serving(reply("200 OK", json.dumps(record).encode())) as server, Client(server.url) as client:
        data = ra.Dataset(None).replaced(records=load_records(client, slugs=["aurelia-chat"]))
        leads, findings = data.leads, data.findings
    assert leads.empty
    pd.testing.assert_frame_equal(leads, findings)


def test_a_past_day_is_the_state_of_that_day(client: Client) -> None:
    assert load_platforms(client, date(2026, 1, 31))["slug"].tolist() == ["aurelia-chat"]


def test_the_history_has_each_month_end(client: Client) -> None:
    history = load_history(client, 2, date(2026, 3, 31))
    assert history["known"].all()
    assert history.groupby("date").size().tolist() == [1, 3, 3]
    assert history[history["slug"] == "aurelia-chat"]["rating"].nunique() == 2


def test_changes_are_limited_to_the_requested_days(client: Client) -> None:
    assert len(load_changes(client, date(2026, 3, 5), date(2026, 3, 5))) == 1
    assert len(load_changes(client, date(2026, 3, 6))) == 0


def test_the_embedded_service_works_inside_a_running_loop(database: Path) -> None:
    async def in_a_notebook() -> int:
        with ra.connect(database=database) as client:
            return len(load_platforms(client))

    assert asyncio.run(in_a_notebook()) == 3


def test_closing_leaves_no_thread(database: Path) -> None:
    before = threading.active_count()
    ra.connect(database=database).close()
    assert threading.active_count() <= before


def test_an_address_and_a_database_at_once_are_refused(database: Path) -> None:
    with pytest.raises(SettingsError):
        ra.connect("http://127.0.0.1:9", database=database)


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_text("not a database")
    for path in (tmp_path / "x.sqlite", tmp_path / "missing.sqlite"):
        with pytest.raises(DatabaseError):
            ra.connect(database=path)


def answered(**answers: object) -> object:
    """A server that answers JSON by the beginning of the path."""

    def answer(request: bytes) -> bytes:
        path = request.split(b" ")[1].decode().partition("?")[0]
        for name, value in answers.items():
            if path.endswith(name.replace("_", "-")):
                text = value if isinstance(value, str) else json.dumps(value)
                kind = "text/plain" if isinstance(value, str) else "application/json"
                return reply("200 OK", text.encode(), f"Content-Type: {kind}")
        return reply("404 x")

    return answer


def test_an_answer_of_today_is_not_taken_for_a_past_day() -> None:
    server_of_today = answered(platforms={"total": 1, "data": [{"id": "a", "rating": "HIGH"}]})
    with (
        serving(server_of_today) as server,
        Client(server.url, "svc_x") as client,
        pytest.raises(IncompleteReportError, match=r"no data for|cannot be loaded"),
    ):
        load_platforms(client, date(2026, 1, 31))


def test_history_is_computed_from_the_changes_if_the_server_has_no_past_states() -> None:
    change = {
        "id": "c",
        "platform": "a",
        "reviewed_at": "2026-03-05T00:00:00Z",
        "rating_before": "LOW",
        "rating_after": "HIGH",
    }
    result = answered(
        platforms={"total": 1, "data": [{"id": "a", "rating": "HIGH"}]},
        changes={"data": [change]},
        coverage={"tracked": 1, "as_of": "2026-03-20"},
    )
    with serving(result) as server, Client(server.url, "apc_live_x") as client:
        history = load_history(client, 1, date(2026, 3, 20))
    assert history["rating"].tolist() == ["LOW", "HIGH"]


def test_history_that_cannot_be_known_says_so() -> None:
    result = answered(
        platforms={"total": 1, "data": [{"id": "a", "rating": "HIGH"}]},
        coverage={"tracked": 1, "as_of": "2026-03-20"},
    )
    with serving(result) as server, Client(server.url, "svc_x") as client:
        history = load_history(client, 1, date(2026, 3, 20))
    assert history["known"].tolist() == [False, True]
    assert history["level"].tolist() == ["UNKNOWN", "HIGH"]


def test_without_a_key_platforms_come_from_the_open_index() -> None:
    index = "# Service\n\n- [Aurelia Chat](https://s.example/api/machine/platform/aurelia-chat): verified\n- [About](https://s.example/about)\n"
    result = answered(
        **{
            "llms-full.txt": index,
            "aurelia-chat": {"slug": "aurelia-chat", "name": "Aurelia Chat", "rating": "HIGH"},
        }
    )
    with serving(result) as server, Client(server.url) as client:
        assert load_platforms(client)["level"].tolist() == ["HIGH"]


def test_importing_the_package_is_light() -> None:
    script = "import sys, riskanalytics; assert not {'pandas', 'plotly', 'httpx', 'fastapi'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_settings_show_no_key() -> None:
    assert "canary" not in repr(Settings(api_key="svc_canary"))


def test_records_and_counts_of_today_are_not_taken_for_another_day_s() -> None:
    result = answered(aurelia_chat={"slug": "aurelia-chat", "rating": "HIGH"}, coverage={"tracked": 1})
    with serving(result) as server, Client(server.url) as client:
        for load in (
            lambda day: load_records(client, day, ["aurelia-chat"]),
            lambda day: coverage_record(client, day),
        ):
            with pytest.raises(IncompleteReportError, match="the data of 2026-01-31 cannot be loaded"):
                load(date(2026, 1, 31))
            assert len(load(None)) < 2


def test_a_rating_that_no_change_determines_is_missing_from_the_history() -> None:
    result = answered(
        platforms={"total": 1, "data": [{"id": "a", "rating": "HIGH"}]},
        changes={"data": [{"id": "c", "platform": "a", "reviewed_at": "2026-03-05T00:00:00Z"}]},
        coverage={"tracked": 1, "as_of": "2026-03-20"},
    )
    with serving(result) as server, Client(server.url, "apc_live_x") as client:
        history = load_history(client, 1, date(2026, 3, 20))
    assert history["rating"].isna().tolist() == [True, False]


@pytest.mark.parametrize("months", [0, 2, 14])
def test_months_end_on_their_last_days(client: Client, months: int) -> None:
    coverage = load_coverage_history(client, months, date(2026, 3, 4))
    assert coverage is not None
    days = pd.date_range(end="2026-02-28", periods=months, freq="ME", tz="UTC").tolist()
    assert coverage["as_of"].tolist() == [*days, pd.Timestamp("2026-03-04", tz="UTC")]
