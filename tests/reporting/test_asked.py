"""A month, day, platform or surface that the data do not have is refused before a notebook reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.reporting.asked import check_asked
from riskanalytics.settings import Settings, load_settings
from tests.service.given import build_database


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(database=build_database(tmp_path_factory.mktemp("asked")))


@pytest.mark.parametrize(
    ("notebook", "values", "said"),
    [
        ("platform_dossier", {"platform": "aurelia-chatt"}, "did you mean aurelia-chat"),
        ("training_use", {"platforms": ["aurelia-chat", "x"]}, "no platform 'x' is tracked"),
        ("comparison", {"platforms": ["aurelia-chat"]}, "2 to 8 slugs, not 1"),
        ("explore", {"surface": "trainig_use"}, "did you mean training_use"),
        ("monthly_report", {"month": "July"}, "YYYY-MM"),
    ],
)
def test_what_is_not_in_the_data_is_refused_with_the_nearest(
    settings: Settings, notebook: str, values: dict[str, object], said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        check_asked(notebook, values, settings)


@pytest.mark.parametrize("values", [{"month": "2099-01"}, {"as_of": "2099-01-01"}, {"since": "2099-01-01"}])
def test_what_lies_after_the_data_is_incomplete(settings: Settings, values: dict[str, object]) -> None:
    with pytest.raises(IncompleteReportError, match="lies after the data"):
        check_asked("monthly_report", values, settings)


def test_what_is_in_the_data_passes(settings: Settings, tmp_path: Path) -> None:
    check_asked("training_use", {"platforms": ["aurelia-chat"], "as_of": ""}, settings)
    check_asked("platform_dossier", {"platform": "aurelia-chat"}, settings)
    check_asked("explore", {"surface": "training_use"}, settings)
    check_asked("monthly_report", {"since": "2026-02-01"}, settings)
