"""A page names its source and does not replace a page of another source unless requested."""

from __future__ import annotations

import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

import riskanalytics as ra
from riskanalytics.dataset.embedded import checksum_of
from riskanalytics.errors import ReportError, SettingsError
from riskanalytics.reporting.placing import facts_of
from riskanalytics.text.wording import aged
from tests.reporting.notebooks_given import SHOWN, written
from tests.service.fixtures import build_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("source"))


@pytest.mark.slow
def test_a_page_names_its_database_at_head_foot_and_in_its_command(database: Path, tmp_path: Path) -> None:
    page = ra.report("coverage", source=database, out=tmp_path)
    facts, html = facts_of(page) or {}, page.read_text()
    named = f"Database {database.name}, data {checksum_of(database)[:12]}"
    assert facts["source"] == named
    assert html.count(f'<p class="meta">{named}</p>') == 1
    assert named in html.partition("<footer>")[2]
    assert str(facts["command"]).endswith(f" --database {database.name}")
    assert f"Run the command in the folder of {database.name}, or give the path." in html
    assert str(database.parent) not in html
    assert facts["as_of"] == "2026-03-05"
    assert "data_end" not in facts


@pytest.mark.slow
def test_a_demo_page_says_that_its_platforms_are_invented_and_shows_no_age(tmp_path: Path) -> None:
    page = ra.report("training_use", out=tmp_path)
    facts, html = facts_of(page) or {}, page.read_text()
    assert html.count('<p class="demo">Demo: invented platforms</p>') == 1
    assert "Demo: invented platforms" in html.partition("<footer>")[2]
    assert "--database" not in str(facts["command"])
    assert "data_end" not in facts


@pytest.mark.slow
def test_a_page_of_another_source_is_replaced_only_on_request(database: Path, tmp_path: Path) -> None:
    notebook, out = written(tmp_path / "small.ipynb", SHOWN), tmp_path / "out"
    first = ra.report(notebook, source=database, out=out).read_bytes()
    other = tmp_path / "other" / database.name
    other.parent.mkdir()
    shutil.copy(database, other)
    for source, said in (
        (other, rf"another source, database {database.name}"),
        ("https://a.example", "service https://a"),
    ):
        with pytest.raises(
            ReportError, match=rf"small.html belongs to .*{said}.*--out, or overwrite it with --replace"
        ):
            ra.report(notebook, source=source, out=out)
    with pytest.raises(ReportError, match=r"not to embedded demo"):
        ra.report(notebook, out=out)
    assert (out / "small.html").read_bytes() == first
    assert ra.report(notebook, out=out, replace=True).read_bytes() != first


@pytest.mark.slow
def test_a_batch_replaces_pages_of_another_source_only_on_request(database: Path, tmp_path: Path) -> None:
    notebook, out = written(tmp_path / "small.ipynb", SHOWN), tmp_path / "out"
    table = tmp_path / "ours.csv"
    table.write_text("name\nAurelia\n")
    ra.batch(notebook, table, source=database, out=out)
    assert "--replace" in next(iter(ra.batch(notebook, table, out=out).failed.values()))
    assert not ra.batch(notebook, table, out=out, replace=True).failed


@pytest.mark.slow
@pytest.mark.browser
def test_a_page_shows_the_age_of_its_data_by_the_readers_clock(database: Path, tmp_path: Path) -> None:
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("needs Chromium")
    page = ra.report("coverage", source=database, out=tmp_path)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [chromium, *flags, "--virtual-time-budget=5000", "--dump-dom", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "The data of this page end 2026-03-05, " in shown
    assert 'id="data-age">' not in page.read_text()


@pytest.mark.slow
def test_without_a_source_the_last_connected_source_is_used(database: Path, tmp_path: Path) -> None:
    with ra.connect(database) as client:
        assert ra.load().platforms["slug"].tolist() == ra.load(client).platforms["slug"].tolist()
        named = (facts_of(ra.report("coverage", out=tmp_path, source=client)) or {})["source"]
    page = ra.report("coverage", out=tmp_path)
    assert (facts_of(page) or {})["source"] == named
    done = ra.batch("coverage", _table(tmp_path), out=tmp_path)
    assert done.fresh + done.made == [page]
    with ra.connect():
        assert ra.load().tracked.shape[0] == 320


def test_a_client_that_was_not_connected_is_refused_for_a_report(tmp_path: Path) -> None:
    with (
        ra.Client("https://a.example") as client,
        pytest.raises(SettingsError, match="give the address of its service"),
    ):
        ra.report("coverage", source=client, out=tmp_path)


@pytest.mark.parametrize(
    ("end", "said"),
    [("2026-11-24", ""), ("2026-11-23", "data end 2026-11-23, 1 day ago"), ("", ""), ("2026-12-01", "")],
)
def test_the_age_of_data_that_end_before_today_is_shown(end: str, said: str) -> None:
    assert aged(end, date(2026, 11, 24)) == said


def _table(folder: Path) -> Path:
    """Return a table with one row."""
    path = folder / "table.csv"
    path.write_text("unchanged_days\n365\n")
    return path
