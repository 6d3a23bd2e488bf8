"""A data set tells what is in it, loads nothing for that, and its frames join, filter and save as pandas users expect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.errors import ParameterError
from riskanalytics.frames import LEVEL_DTYPE, findings_frame
from tests.service.fixtures import build_database


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with ra.connect(build_database(tmp_path_factory.mktemp("contents"))) as client:
        yield client


def test_a_display_lists_the_frames_and_loads_none(client: Client) -> None:
    loaded = ra.load(client)
    before = set(vars(loaded))
    assert "not loaded yet" in repr(loaded)
    assert loaded.day.isoformat() in repr(loaded)
    assert "embedded service" in loaded._repr_html_()
    assert set(vars(loaded)) == before
    assert len(loaded.findings) > 0
    assert repr(loaded).splitlines()[3].split()[:2] == ["findings", str(len(loaded.findings))]
    assert loaded.replaced(coverage=None)._repr_html_().count("not known") == 1
    assert [line.split()[0] for line in repr(loaded).splitlines() if "on each call" in line] == ["changes", "history"]


def test_a_data_set_of_given_frames_is_shown_too() -> None:
    shown = Dataset(None).replaced(findings=findings_frame([{"slug": "<b>"}]))
    assert "given frames" in repr(shown)
    assert "<b>" not in shown._repr_html_()


@pytest.mark.parametrize(
    "name", ["platforms", "findings", "leads", "surfaces", "training_use", "documents", "coverage"]
)
def test_every_column_of_a_frame_has_a_meaning(client: Client, name: str) -> None:
    result = Dataset.columns(name)
    assert result["column"].tolist() == list(getattr(ra.load(client), name).columns)
    assert result["meaning"].str.len().min() > 3


def test_an_unknown_frame_is_refused_with_the_known_frames() -> None:
    with pytest.raises(
        ParameterError, match=r"no frame 'clauses'; its frames are platforms, findings, .*changes, history"
    ):
        Dataset.columns("clauses")


def test_a_filter_by_level_keeps_higher_levels_in_every_level_column(client: Client) -> None:
    findings = findings_frame([{"slug": risk, "risk": risk} for risk in ("LOW", "MED", "HIGH", "SEVERE")])
    for name in ("risk", "level"):
        assert findings[findings[name] >= "MED"]["risk"].tolist() == ["MED", "HIGH"]
    for name in ("platforms", "findings", "surfaces", "training_use", "history"):
        result = Dataset.columns(name).set_index("column")["meaning"]
        assert "UNKNOWN" in result["level"], name
        assert ">= 'MED'" in result["risk" if "risk" in result else "rating"], name
    assert all(ra.load(client).platforms.dtypes[["level"]] == LEVEL_DTYPE)


def test_platforms_and_findings_join_without_columns_of_two_names(client: Client) -> None:
    loaded = ra.load(client)
    joined = loaded.findings.merge(loaded.platforms[["slug", "rating", "website"]], on="slug")
    assert not [name for name in joined.columns if name.endswith(("_x", "_y"))]
    assert len(joined) == len(loaded.findings)
    assert joined["rating"].notna().all()


def test_frames_of_a_data_set_are_saved_with_their_times(client: Client, tmp_path: Path) -> None:
    findings = ra.load(client).findings
    read = pd.read_excel(ra.save(findings, tmp_path / "findings.xlsx"))
    assert read["quote"].tolist() == findings["quote"].tolist()
    assert read["captured_at (UTC)"].tolist() == findings["captured_at"].dt.tz_localize(None).tolist()


def test_the_lines_of_the_readme_filter_join_and_save(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    [lines] = [block for block in readme.split("```python\n")[1:] if block.startswith("serious = ")]
    names = {"ra": ra, "data": ra.load(client)}
    exec(lines.partition("```")[0], names)
    saved = pd.read_excel("serious.xlsx")
    assert "mitigates_risk" not in set(saved["polarity"])
    assert set(saved["level"]) <= {"MED", "HIGH"}
    assert "HIGH" in set(saved["level"])
    assert not [name for name in saved.columns if name.endswith(("_x", "_y"))]
