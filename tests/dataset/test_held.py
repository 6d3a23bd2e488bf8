"""Data that were loaded before are given only of the file that they were loaded from."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from riskanalytics.dataset.connecting import connect, connect_held
from riskanalytics.dataset.held import _HERE, held_for, hold
from riskanalytics.errors import ServiceError
from riskanalytics.settings import load_settings
from tests.service.given import build_database


def test_data_that_were_loaded_of_a_file_are_not_given_where_another_took_its_place(tmp_path: Path) -> None:
    database, other = build_database(tmp_path), tmp_path / "other.sqlite"
    shutil.copy(database, other)
    settings, before = load_settings(database=database), len(_HERE)
    with connect_held(settings) as client:
        hold(replace(client.held, source=settings.environment()))
    try:
        assert held_for(settings) is not None
        with connect(settings=settings) as client:
            other.replace(database)
            with pytest.raises(ServiceError, match="connect again"):
                client.coverage()
        assert held_for(settings) is None
        with connect(settings=settings) as client:
            assert client.coverage()["tracked"] > 0
    finally:
        del _HERE[before:]
