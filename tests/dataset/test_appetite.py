"""Data sets checked against rules, in Python."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset, load
from riskanalytics.dataset.appetite import check, past_platforms
from riskanalytics.errors import ParameterError
from riskanalytics.topics.appetite.rules import Appetite, Exemption, Rule
from tests.http_server import reply, serving
from tests.service.given import build_database

EXCEPTION = Exemption(rule="r", platform="aurelia-chat", owner="Ann", reason="Trial.", expires=date(2026, 3, 1))
RULES = Appetite(rule=(Rule(id="r", rating="LOW"),), exception=(EXCEPTION,))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("appetite"))


def test_exceptions_must_hold_today_or_on_the_past_day_of_the_data(database: Path) -> None:
    for data, day, excepted in (
        (load(database), None, False),
        (load(database), date(2026, 3, 1), True),
        (load(database, as_of="2026-03-01"), None, True),
        (load(database, as_of="2026-03-02"), None, False),
    ):
        rows = check(RULES, data, day).query("slug == 'aurelia-chat'")
        assert rows["excepted"].tolist() == [excepted], (data.day, day)
    # the platform of an exception need not be among those that are checked
    assert check(RULES, load(database).of("cafe-lumiere"))["slug"].tolist() == ["cafe-lumiere"]
    wrong = RULES.model_copy(update={"exception": (EXCEPTION.model_copy(update={"platform": "aurelia-chad"}),)})
    with pytest.raises(ParameterError, match=r"did you mean aurelia-chat\?"):
        check(wrong, load(database))


def test_days_of_approval_without_data_are_left_out() -> None:
    uses = pd.DataFrame({"approved_on": ["2026-01-31", "soon", None]})
    with serving(reply("404 x")) as server, Client(server.url, "svc_x") as client:
        data = Dataset(None).replaced(newest=date(2026, 3, 31))
        data.client = client
        assert past_platforms(data, uses) == {}
    assert past_platforms(data, None) == past_platforms(data, uses[[]]) == {}


def test_each_row_of_a_portfolio_is_judged_with_its_plan(database: Path, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(
        "name,plan,owner\nAurelia Chat,Free,Ann\nNobody,Free,Bo\nAurelia-Chat Inc.,Team,Cy\n"
    )
    (tmp_path / "rules.toml").write_text('[[rule]]\nid = "r"\nrating = "MED"\nplans = ["team"]\n')
    data = load(database, portfolio=tmp_path / "ours.csv")
    rows = check(tmp_path / "rules.toml", data)
    assert rows[["row", "slug", "owner", "plan"]].values.tolist() == [[3, "aurelia-chat", "Cy", "Team"]]
