"""A batch skips the pages that are up to date: made from the same notebook, parameters, files and data."""

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
from riskanalytics.reporting.parameters import declared_in
from riskanalytics.reporting.placing import made_from, manifests_in, named_paths, unknown
from riskanalytics.service import Store
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.write import Writer
from riskanalytics.settings import Settings, load_settings
from tests.http_server import served
from tests.reporting.notebooks_given import table, written
from tests.service.given import Caller, build_database


def run_batch(path: Path, rows: Path, out: Path, settings: Settings | None = None) -> tuple[int, str]:
    """Run a batch; return how many pages it made and why it cannot tell whether pages are up to date."""
    done = batch(path, rows, out, jobs=1, source=settings)
    return len(done.made), done.anew


@pytest.mark.slow
def test_a_changed_database_makes_all_pages_out_of_date(tmp_path: Path, embedded_demo: Path) -> None:
    database = tmp_path / "demo.sqlite"
    shutil.copy(embedded_demo, database)
    path, rows, out = written(tmp_path / "small.ipynb", "name"), table(tmp_path, "name\nLumen\n"), tmp_path / "out"
    settings = load_settings(database=database)
    assert [run_batch(path, rows, out, settings) for _ in range(2)] == [(1, ""), (0, "")]
    moved = shutil.copy(database, tmp_path / "other.sqlite")
    assert run_batch(path, rows, out, load_settings(database=moved)) == (0, "")
    with Writer(database) as writer, writer.transaction() as connection:
        run(connection, "UPDATE finding SET condition = 'other words'")
    assert run_batch(path, rows, out, settings) == (1, "")


@pytest.mark.slow
def test_a_day_that_is_not_loaded_has_the_checksum_of_the_whole_database(tmp_path: Path, embedded_demo: Path) -> None:
    days = [{"as_of": f"2026-{month:02}-20"} for month in range(1, 3)]
    _, state, _, (first, second) = load_for(
        load_settings(), "training_use", days, tmp_path / "held", print, most_days=1
    )
    assert first != state
    with closing(Store(embedded_demo)) as store:
        assert second == state == store.version()


@pytest.mark.slow
def test_a_page_of_a_folder_or_of_data_without_a_hash_is_made_each_time(tmp_path: Path) -> None:
    path, out = written(tmp_path / "small.ipynb", "name"), tmp_path / "out"
    (tmp_path / "texts").mkdir()
    rows = table(tmp_path, f"name\n{tmp_path / 'texts'}\n")
    for _ in range(2):
        made, why = run_batch(path, rows, out)
        assert (made, "may have changed in the folder" in why) == (1, True)
    assert "no known checksum" in unknown(made_from(path, {}, ""))


def test_a_manifest_omits_keys(tmp_path: Path) -> None:
    key = "apc_live_0123456789abcdef"
    result = made_from(written(tmp_path / "small.ipynb", "name"), {"name": key, "slugs": [f"a {key}"]}, "", [key])
    assert result["parameters"] == {"name": "(not shown)", "slugs": ["(not shown)"]}


@pytest.mark.slow
def test_pages_made_during_an_outage_are_made_again(tmp_path: Path) -> None:
    outage, out = tmp_path / "outage", tmp_path / "out"
    cell = (
        "import os\nfrom riskanalytics.pages.section import Section\n"
        "problem = {'Lumen': {'incomplete': 'not all could be read'}, 'Aurelia': {'quotes_failed': 1}}.get(name, {})\n"
        f"Section((), name, {{'title': name, 'name': name, **(problem if os.path.exists({str(outage)!r}) else {{}})}})"
    )
    path, rows = written(tmp_path / "small.ipynb", cell), table(tmp_path, "name\nLumen\nAurelia\nMira\n")
    outage.touch()
    assert run_batch(path, rows, out) == (3, "")
    outage.unlink()
    assert [run_batch(path, rows, out) for _ in range(2)] == [(2, ""), (0, "")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("notebook", "values"),
    [("monthly_report", {"month": "2026-03"}), ("platform_dossier", {"platform": "aurelia-chat"}), ("coverage", {})],
)
def test_a_service_that_changes_its_past_makes_a_report_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notebook: str, values: dict[str, object]
) -> None:
    caller, past = Caller(build_database(tmp_path)), [b""]

    async def service(scope: Any, receive: Any, send: Any) -> None:
        """Report `past` in place of MED for past days."""

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
def test_incomplete_data_have_another_digest(embedded_demo: Path) -> None:
    with connect() as client:
        data = load(client)
        whole = digest_of(data, [])
        assert digest_of(data.replaced(unfinished=True), []) != whole
        client.problems.add("the past cannot be read", "/api/v1/platforms")
        assert digest_of(data, []) != whole


def test_a_changed_file_in_a_list_makes_the_page_out_of_date(tmp_path: Path) -> None:
    path, file = written(tmp_path / "small.ipynb", "name"), tmp_path / "one.txt"
    file.write_text("first")
    first = made_from(path, {"slugs": [str(file)]}, "data")
    file.write_text("other")
    assert made_from(path, {"slugs": [str(file)]}, "data") != first


def test_a_file_in_the_home_folder_is_found_by_its_short_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "b.txt").write_text("one")
    (tmp_path / "a.txt").write_text("one")
    assert named_paths({"x": "~/?.txt", "y": ["~/b.txt", 3, "none"]}) == [
        tmp_path / name for name in ("a.txt", "b.txt", "b.txt")
    ]


def test_the_confirmed_matches_of_a_portfolio_are_among_the_files_of_a_page(tmp_path: Path) -> None:
    (tmp_path / "teams").mkdir()
    for name in ("ours.xlsx", "ours.matches.csv", "teams.matches.csv", "bare.csv"):
        (tmp_path / name).touch()
    paths = {name: named_paths({"portfolio": str(tmp_path / name)}) for name in ("ours.xlsx", "bare.csv", "teams")}
    assert {name: [path.name for path in found] for name, found in paths.items()} == {
        "ours.xlsx": ["ours.xlsx", "ours.matches.csv"], "bare.csv": ["bare.csv"], "teams": ["teams"],
    }  # fmt: skip


@pytest.mark.slow
def test_a_changed_file_named_by_a_default_makes_the_page_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, rows, file = written(tmp_path / "small.ipynb", "name"), table(tmp_path, "limit\n1\n"), tmp_path / "Aurelia"
    file.write_text("first")
    assert [run_batch(path, rows, tmp_path / "out") for _ in range(2)] == [(1, ""), (0, "")]
    file.write_text("other")
    assert run_batch(path, rows, tmp_path / "out") == (1, "")


@pytest.mark.slow
def test_a_notebook_edited_while_it_runs_leaves_no_manifest(tmp_path: Path) -> None:
    path, out = tmp_path / "small.ipynb", tmp_path / "out"
    written(path, f"open({str(path)!r}, 'a').write(' ')\nname")
    rows = table(tmp_path, "name\nLumen\n")
    assert run_batch(path, rows, out)[0] == 1
    assert not list(out.glob("*.manifest.json"))


@pytest.mark.parametrize(
    "default", ["('a.txt', 'b.txt')", "{'one': ['a.txt']}", "Path('a.txt')", "'./?.txt'", "[['a.txt']]"]
)
def test_files_named_by_a_default_of_any_form_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, default: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("one")
    declared = declared_in(f"from pathlib import Path\nname: str = 'x'\nfiles = {default}")
    paths = named_paths({name: parameter.default for name, parameter in declared.items()})
    assert "a.txt" in [path.name for path in paths]


@pytest.mark.slow
def test_an_unreadable_manifest_is_ignored(tmp_path: Path) -> None:
    path, rows, out = written(tmp_path / "small.ipynb", "name"), table(tmp_path, "name\nLumen\n"), tmp_path / "out"
    assert run_batch(path, rows, out) == (1, "")
    (out / "deep.manifest.json").write_text("[" * 200_000)
    assert [manifest["page"] for manifest in manifests_in(out)] == ["small-lumen.html"]


def test_a_password_in_a_default_is_not_written_to_the_manifest(tmp_path: Path) -> None:
    given = "name: str = 'x'\nplace: str = 'postgresql://ann:MARKER@db.example/archive'\nmany = ['password=MARKER']"
    path = written(tmp_path / "small.ipynb", "name", given=given)
    rows, out = table(tmp_path, "name\nLumen\n"), tmp_path / "out"
    assert run_batch(path, rows, out) == (1, "")
    (manifest,) = out.glob("*.manifest.json")
    assert "MARKER" not in manifest.read_text()
