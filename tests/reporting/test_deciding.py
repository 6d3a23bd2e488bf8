"""What decides how reports are made, without making one: notebooks, parameters, shared data, and the pages of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from riskanalytics.client import Client
from riskanalytics.dataset import embedded as held
from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.reporting.batches import Batch, _Run, _whole
from riskanalytics.reporting.loading import (
    Reading,
    digest_of,
    hold,
    load_for,
    order_of,
    page_elsewhere,
    quietly,
    state_of,
)
from riskanalytics.reporting.parameters import Row, parameters_of
from riskanalytics.reporting.placing import Contents, Job, marks_of
from riskanalytics.reporting.runner import (
    check_folder,
    checked_values,
    found_notebook,
    is_ours,
    make_demo,
    notebooks_folder,
)
from riskanalytics.settings import Settings, load_settings
from riskanalytics.settings.databases import Server
from tests.reporting.notebooks_given import written
from tests.reporting.test_layout import data
from tests.service.given import build_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("deciding"))


@pytest.fixture(autouse=True)
def _nothing_held(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(held, "_HERE", [])
    yield


def run_of(folder: Path, **settings: Any) -> tuple[_Run, Row, dict[str, Any]]:
    """A run of one row of a small notebook."""
    path = written(folder / "small.ipynb", "name")
    run = _Run(path, parameters_of(path), Settings(**settings), folder, False, False, None)
    row, marks = Row(1, {"name": "Lumen"}), marks_of({}, run.settings, folder)
    origin = run._origin(row.given, "data", marks)
    run.jobs[row] = Job(path, row.given, run.settings, marks=marks), origin
    return run, row, origin


def page(name: str = "", lacks: str = "") -> Contents:
    facts = '<script type="application/json" id="report-facts">{"title": "T"}</script>'
    return Contents(name, facts, None, lacks, end="2026-07-31")


def test_a_page_is_written_with_its_manifest_unless_its_notebook_or_database_changed_meanwhile(tmp_path: Path) -> None:
    run, row, origin = run_of(tmp_path)
    assert origin["parameters"] == {"name": "Lumen", "limit": 3, "share": 0.5, "wide": False, "slugs": []}
    assert origin["origin"] == run.jobs[row][0].marks["origin"] != ""
    run._write(row, page("one", "1 row"))
    made = tmp_path / "small-one.html"
    assert run.batch == Batch(made=[made], lacking={made: "1 row"}, end="2026-07-31")
    assert made.with_name("small-one.manifest.json").is_file()
    with pytest.raises(ReportError, match=r"another row of this batch already made the page small-one\.html"):
        run._write(row, page("one"))
    run.batch.fresh.append(tmp_path / "small-kept.html")
    with pytest.raises(ReportError, match=r"another row of this batch already made the page small-kept\.html"):
        run._write(row, page("kept"))
    run.batch.fresh.clear()
    run.stamps = [1]
    run._write(row, page("two"))
    run.stamps = run._stamps()
    run.path.write_text(run.path.read_text() + " ")
    run._write(row, page("three"))
    assert [path.name for path in tmp_path.glob("*.manifest.json")] == ["small-one.manifest.json"]
    assert run.batch.pages == sorted(run.batch.made)
    assert list(run.batch.lacking) == [made]


def test_a_write_to_the_database_or_its_log_is_noticed(tmp_path: Path) -> None:
    database, log = tmp_path / "d.sqlite", tmp_path / "d.sqlite-wal"
    run, _, _ = run_of(tmp_path, database=database)
    for file, content, count in ((database, "x", 1), (log, "", 1), (log, "x", 2)):
        file.write_text(content)
        assert len(run._stamps()) == count
    assert run._stamps() == [file.stat().st_mtime_ns for file in (database, log)]


def test_a_failed_row_names_its_cell_and_is_told_at_once(tmp_path: Path) -> None:
    run, row, _ = run_of(tmp_path)
    told: list[str] = []
    run.on_failure = lambda row, why: told.append(f"{row}: {why}")
    error = ReportError("no such thing")
    run._fail(row, error)
    error.cell = 3
    run._fail(row, error)
    assert told == ["row 1 (name=Lumen): no such thing", "row 1 (name=Lumen): cell 3: no such thing"]
    assert run.batch.failed == {row: "cell 3: no such thing"}
    assert str(Row(2, {})) == "row 2"
    with ThreadPoolExecutor(1) as workers, pytest.raises(ReportError, match="no such thing"):
        _whole(workers.submit(lambda: error))


def test_a_notebook_is_a_file_or_a_built_in_name_and_never_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ours = notebooks_folder() / "coverage.ipynb"
    assert [found_notebook(name) for name in ("coverage", "coverage.ipynb", ours)] == [ours] * 3
    for name, said in (
        ("sub/coverage", "there is no"),
        ("coverag", "there is no"),
        ("Index.ipynb", "rename the notebook"),
    ):
        with pytest.raises(ParameterError, match=said):
            found_notebook(name)
    mine = Path("coverage.ipynb")
    mine.write_text("{}")
    assert found_notebook("coverage.ipynb") == mine
    assert [is_ours(path) for path in (ours, mine)] == [True, False]


def test_a_month_and_the_last_report_are_read_for_built_in_notebooks(tmp_path: Path) -> None:
    def read(notebook: Path, **given: object) -> dict[str, object]:
        return checked_values(notebook, parameters_of(notebook), given, tmp_path, lambda: date(2026, 7, 31))

    ours = found_notebook("monthly_report")
    assert read(ours, month="2026-07-01", since="last")["since"] == "last"
    with pytest.raises(ParameterError, match="no earlier complete report of monthly_report"):
        read(ours, since="last")
    mine = written(tmp_path / "monthly.ipynb", "1", given='month: str = ""')
    assert read(mine, month="2026-07-01") == {"month": "2026-07-01"}


def test_a_folder_is_checked_before_it_is_made_and_a_demo_is_not_made_for_other_data(tmp_path: Path) -> None:
    check_folder(tmp_path / "new" / "deep")
    make_demo(Settings("https://a.example", cache=tmp_path / "cache"), None)
    make_demo(Settings(database=tmp_path / "d.sqlite", cache=tmp_path / "cache"), None)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/a", "file/a/b"):
        with pytest.raises(ReportError, match=f"the folder .*{folder} cannot be written: give another one"):
            check_folder(tmp_path / folder)
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(ReportError, match=r"index\.html would be replaced"):
        check_folder(tmp_path)


def test_a_hash_of_data_covers_all_that_reports_read() -> None:
    given = {"extraction": {"version": "7"}, "records": [], "unfinished": False, "coverage": pd.DataFrame()}
    whole = data(**given)
    others = {
        "extraction": {"version": "8"}, "records": [{"slug": "opal"}], "unfinished": True,
        "coverage": pd.DataFrame({"n": [1]}), "tracked": pd.DataFrame({"slug": ["a"]}),
    }  # fmt: skip
    digests = [digest_of(whole.replaced(**{name: value}), []) for name, value in others.items()]
    digests += [digest_of(whole, [read]) for read in ("changes", pd.DataFrame({"n": [2]}))]
    assert len({digest_of(whole, []), digest_of(data(**given), []), *digests}) == 8
    with Client("http://127.0.0.1:9") as client:
        client.problems.add("a part is missing", "/x")
        partial = data(**given)
        partial.client = client
        assert digest_of(partial, []) not in {digest_of(whole, []), *digests}


@pytest.mark.parametrize(
    ("notebook", "days", "shared"),
    [
        ("platform_dossier", None, "WWW"),
        ("coverage", ["2026-02-28"], "W"),
        ("training_use", ["2026-02-28", "", "2026-02-28"], "AWA"),
    ],
)
def test_reports_on_a_day_share_its_data_and_others_depend_on_the_whole_database(
    notebook: str, days: list[str] | None, shared: str, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W: the checksum of the whole database; A: that of a day."""
    asked = None if days is None else [{"as_of": day} for day in days]
    values, state, file, digests = load_for(
        Settings(database=database), notebook, asked, tmp_path / "held", print, most_days=1
    )
    slugs = [{"platform": slug} for slug in ("aurelia-chat", "cafe-lumiere", "northwind-draft")]
    assert values == (slugs if asked is None else asked)
    assert Path(file).stat().st_size > 0
    assert "".join("W" if digest == state else "A" for digest in digests) == shared
    assert len(set(digests)) == len(set(shared))
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(database))
    held._HERE.clear()
    hold(file)
    assert held.held_for(load_settings())
    assert not held.held_for(replace(load_settings(), api_key="another"))


def test_an_order_is_refused_where_the_database_or_a_file_differs(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("outside.txt").write_text("mine")
    path, source = (
        written(tmp_path / "small.ipynb", "file", given='file: str = ""'),
        Reading.of(Settings(database=database)),
    )
    job = Job(path, {"file": str(tmp_path / "outside.txt")}, Settings(database=database))
    order = order_of(job, source, state_of(Settings(database=database)))
    for other, said in (
        (replace(order, state="other"), "the worker's database has other content than the database of this command"),
        (
            replace(order, files={str(tmp_path / "outside.txt"): "0" * 64}),
            "has no file .*outside.txt, or a different version",
        ),
        (
            replace(order, files={str(tmp_path / "none.txt"): "0" * 64}),
            "has no file .*none.txt, or a different version",
        ),
    ):
        with pytest.raises(ReportError, match=said):
            page_elsewhere(other)
    assert isinstance(quietly(page_elsewhere, replace(order, state="other")), ReportError)


def test_a_worker_gets_files_inside_the_folder_hashes_of_others_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "teams").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    for name in ("default.txt", "teams/ours.txt", "../outside.txt"):
        Path(name).write_text(name)
    given = 'file: str = "default.txt"\nother: str = ""\nslugs: list = []'
    values: dict[str, object] = {"other": "teams", "slugs": ["../outside.txt", "none.txt"]}
    path = written(tmp_path / "small.ipynb", "file", given=given)
    source = Reading.of(Settings("https://a.example", "MARKER", cache=tmp_path, deadline=7))
    order = order_of(Job(path, values, Settings(api_key="MARKER")), source, "state")
    outside = sha256(b"../outside.txt").hexdigest()
    assert order.files == {
        "default.txt": b"default.txt",
        "teams/ours.txt": b"teams/ours.txt",
        "../outside.txt": outside,
    }
    assert (order.job.notebook, order.job.settings.api_key, order.state) == (Path("small.ipynb"), None, "")
    assert order.notebook == path.read_bytes()
    assert (source.settings.base_url, source.settings.deadline, source.key) == (
        "https://a.example", 7, sha256(b"MARKER").hexdigest(),
    )  # fmt: skip
    local = Reading.of(Settings(database=Path("d.sqlite")))
    assert local.settings.database == tmp_path / "here" / "d.sqlite"
    assert order_of(Job(path, {}, Settings()), local, "state").state == "state"
    with pytest.raises(ReportError, match=r"the folder .* cannot be sent to workers"):
        order_of(Job(path, {"other": str(tmp_path)}, Settings()), source, "")


def test_a_worker_uses_only_the_key_and_database_of_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", "mine")
    service = Reading.of(Settings("https://a.example", "mine", deadline=7))
    assert (service.here().base_url, service.here().api_key, service.here().deadline) == (
        "https://a.example",
        "mine",
        7,
    )
    with pytest.raises(ReportError, match="uses a different key from this command"):
        Reading.of(Settings("https://a.example", "other")).here()
    server = Reading.of(Settings(database=Server("postgresql://ann:pw@db.example/ratings")))
    for address in ("", "postgresql://ann:pw@db.example/other"):
        monkeypatch.setenv("RISKANALYTICS_DATABASE", address)
        with pytest.raises(ReportError, match="uses a different database from this command"):
            server.here()
    monkeypatch.setenv("RISKANALYTICS_DATABASE", "postgresql://bob:other@db.example/ratings")
    assert str(server.here().database) == server.server
