"""Which pages of a batch are up to date: those that were made from the same, as far as that is known."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.dataset import embedded as held
from riskanalytics.dataset import load
from riskanalytics.dataset.connecting import connect
from riskanalytics.reporting import batch
from riskanalytics.reporting.loading import digest_of, load_for
from riskanalytics.reporting.placing import made_from, unknown
from riskanalytics.service import Store
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.write import Writer
from riskanalytics.settings import Settings, load_settings
from tests.http_server import served
from tests.reporting.notebooks_given import table, written
from tests.service.given import Caller, build_database


def made_anew(path: Path, rows: Path, out: Path, settings: Settings | None = None) -> tuple[int, str]:
    """How many pages are made anew by the second run of a batch, and why."""
    done = batch(path, rows, out, jobs=1, source=settings)
    return len(done.made), done.anew


@pytest.mark.slow
def test_another_state_of_the_database_makes_pages_anew_whatever_a_notebook_reads_of_it(
    tmp_path: Path, embedded_demo: Path
) -> None:
    database = tmp_path / "demo.sqlite"
    shutil.copy(embedded_demo, database)
    path, rows, out = written(tmp_path / "small.ipynb", "name"), table(tmp_path, "name\nLumen\n"), tmp_path / "out"
    settings = load_settings(database=database)
    assert [made_anew(path, rows, out, settings) for _ in range(2)] == [(1, ""), (0, "")]
    moved = shutil.copy(database, tmp_path / "other.sqlite")
    assert made_anew(path, rows, out, load_settings(database=moved)) == (0, "")
    with Writer(database) as writer, writer.transaction() as connection:
        run(connection, "UPDATE finding SET condition = 'other words'")
    assert made_anew(path, rows, out, settings) == (1, "")


@pytest.mark.slow
def test_a_day_beyond_those_that_are_loaded_has_the_checksum_of_the_whole_database(
    tmp_path: Path, embedded_demo: Path
) -> None:
    days = [{"as_of": f"2026-{month:02}-20"} for month in range(1, 3)]
    _, state, _, (first, second) = load_for(
        load_settings(), "training_use", days, tmp_path / "held", print, most_days=1
    )
    assert first != state
    with closing(Store(embedded_demo)) as store:
        assert second == state == store.version()


def test_a_page_of_data_without_a_known_hash_or_of_a_folder_is_made_anew_and_that_is_said(tmp_path: Path) -> None:
    path, out = written(tmp_path / "small.ipynb", "name"), tmp_path / "out"
    (tmp_path / "texts").mkdir()
    rows = table(tmp_path, f"name\n{tmp_path / 'texts'}\n")
    for _ in range(2):
        made, why = made_anew(path, rows, out)
        assert (made, "may have changed in the folder" in why) == (1, True)
    assert "no checksum is known" in unknown(made_from(path, {}, ""))


def test_a_manifest_tells_no_key_that_a_notebook_begins_with(tmp_path: Path) -> None:
    key = "apc_live_0123456789abcdef"
    result = made_from(written(tmp_path / "small.ipynb", "name"), {"name": key, "slugs": [f"a {key}"]}, "", [key])
    assert result["parameters"] == {"name": "(not shown)", "slugs": ["(not shown)"]}


@pytest.mark.parametrize("lack", ["'incomplete': 'not all could be read'", "'quotes_failed': 1"])
def test_a_page_that_was_made_while_the_service_was_ill_is_made_again(tmp_path: Path, lack: str) -> None:
    ill, out = tmp_path / "ill", tmp_path / "out"
    cell = (
        "import os\nfrom riskanalytics.pages.section import Section\n"
        f"Section((), name, {{'title': name, 'name': name, **({{{lack}}} if os.path.exists({str(ill)!r}) else {{}})}})"
    )
    path, rows = written(tmp_path / "small.ipynb", cell), table(tmp_path, "name\nLumen\n")
    ill.touch()
    assert [made_anew(path, rows, out) for _ in range(2)] == [(1, ""), (1, "")]
    ill.unlink()
    assert [made_anew(path, rows, out) for _ in range(2)] == [(1, ""), (0, "")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("notebook", "values"),
    [("monthly_report", {"month": "2026-03"}), ("platform_dossier", {"platform": "aurelia-chat"}), ("coverage", {})],
)
def test_a_service_that_tells_its_past_otherwise_makes_a_report_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notebook: str, values: dict[str, object]
) -> None:
    caller, past = Caller(build_database(tmp_path)), [b""]

    async def service(scope: Any, receive: Any, send: Any) -> None:
        """Tells of past days what stands in `past` instead of MED."""

        async def result(message: Any) -> None:
            if message["type"] == "http.response.body" and b"as_of" in scope["query_string"] and past[0]:
                message["body"] = message["body"].replace(b'"MED"', past[0]).replace(b'"partial":0', b'"partial":1')
            await send(message)

        headers = [pair for pair in scope.get("headers", ()) if pair[0] not in (b"accept-encoding", b"if-none-match")]
        await caller.app({**scope, "headers": headers}, receive, result if scope["type"] == "http" else send)

    def digest() -> str:
        monkeypatch.setattr(held, "_HERE", [])
        return load_for(load_settings(), notebook, [values], tmp_path / "held", print)[3][0]

    with served(service) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys["pro"])
        before = digest()
        assert before == digest() != ""
        past[0] = b'"LOW"'
        assert digest() != before
    caller.close()


@pytest.mark.slow
def test_data_that_are_incomplete_have_another_digest_than_whole_ones(embedded_demo: Path) -> None:
    with connect() as client:
        data = load(client)
        whole = digest_of(data, [])
        assert digest_of(data.replaced(unfinished=True), []) != whole
        client.problems.add("the past cannot be read", "/api/v1/platforms")
        assert digest_of(data, []) != whole


def test_a_file_in_a_list_counts_with_its_content(tmp_path: Path) -> None:
    path, file = written(tmp_path / "small.ipynb", "name"), tmp_path / "one.txt"
    file.write_text("first")
    first = made_from(path, {"slugs": [str(file)]}, "data")
    file.write_text("other")
    assert made_from(path, {"slugs": [str(file)]}, "data") != first


def test_a_file_that_a_default_of_the_notebook_names_counts_with_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, rows, file = written(tmp_path / "small.ipynb", "name"), table(tmp_path, "limit\n1\n"), tmp_path / "Aurelia"
    file.write_text("first")
    assert [made_anew(path, rows, tmp_path / "out") for _ in range(2)] == [(1, ""), (0, "")]
    file.write_text("other")
    assert made_anew(path, rows, tmp_path / "out") == (1, "")


def test_a_notebook_that_is_edited_while_it_runs_leaves_no_manifest(tmp_path: Path) -> None:
    path, out = tmp_path / "small.ipynb", tmp_path / "out"
    written(path, f"open({str(path)!r}, 'a').write(' ')\nname")
    rows = table(tmp_path, "name\nLumen\n")
    assert made_anew(path, rows, out)[0] == 1
    assert not list(out.glob("*.manifest.json"))


@pytest.mark.parametrize(
    "default", ["('a.txt', 'b.txt')", "{'one': ['a.txt']}", "Path('a.txt')", "'./?.txt'", "[['a.txt']]"]
)
def test_a_file_that_a_default_names_in_any_form_counts_with_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, default: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("one")
    given = f"from pathlib import Path\nname: str = 'x'\nfiles = {default}"
    path, rows = written(tmp_path / "small.ipynb", "name", given=given), table(tmp_path, "name\nLumen\n")
    assert [made_anew(path, rows, tmp_path / "out") for _ in range(2)] == [(1, ""), (0, "")]
    (tmp_path / "a.txt").write_text("two")
    assert made_anew(path, rows, tmp_path / "out") == (1, "")


def test_a_manifest_that_nobody_can_read_costs_its_page_only(tmp_path: Path) -> None:
    path, rows, out = written(tmp_path / "small.ipynb", "name"), table(tmp_path, "name\nLumen\n"), tmp_path / "out"
    assert made_anew(path, rows, out) == (1, "")
    (out / "deep.manifest.json").write_text("[" * 200_000)
    assert made_anew(path, rows, out) == (0, "")


def test_a_password_that_a_notebook_holds_as_its_default_stands_in_no_manifest(tmp_path: Path) -> None:
    given = "name: str = 'x'\nplace: str = 'postgresql://ann:MARKER@db.example/archive'\nmany = ['password=MARKER']"
    path = written(tmp_path / "small.ipynb", "name", given=given)
    rows, out = table(tmp_path, "name\nLumen\n"), tmp_path / "out"
    assert [made_anew(path, rows, out) for _ in range(2)] == [(1, ""), (0, "")]
    (manifest,) = out.glob("*.manifest.json")
    assert "MARKER" not in manifest.read_text()
