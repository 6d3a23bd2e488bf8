"""Batches: one report for each row; failed rows are reported and the others still run."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.dataset import embedded as held
from riskanalytics.errors import ExecutorError, ParameterError, ReportError
from riskanalytics.reporting import batch, run_report
from riskanalytics.reporting.batches import _workers
from riskanalytics.reporting.loading import Order, Reading, hold, load_for
from riskanalytics.settings import Settings, load_settings
from tests.reporting.batches_given import ROOT, command, late, names
from tests.reporting.notebooks_given import WORDS, table, written

ONE_PAGE = (
    "from riskanalytics.pages.section import Section\nfrom riskanalytics.pages.values import Paragraph\n"
    "Section((Paragraph('Words'),), 'words', {'title': 'One', 'name': 'one'})"
)


def test_each_row_makes_the_same_page_as_a_single_report(tmp_path: Path) -> None:
    path, out = written(tmp_path / "small.ipynb", WORDS), tmp_path / "out"
    done = batch(path, table(tmp_path, "name,limit\nLumen,1\nAurelia,2\nLumen,1\n"), out)
    assert [page.name for page in done.pages] == ["small-aurelia-2.html", "small-lumen-1.html"]
    alone = run_report(path, {"name": "Lumen", "limit": "1"}, tmp_path / "alone")
    assert (out / "small-lumen-1.html").read_bytes() == alone.read_bytes()
    result = json.loads((out / "small-lumen-1.manifest.json").read_text())
    assert result["made_from"]["parameters"] == {"name": "Lumen", "limit": 1, "share": 0.5, "wide": False, "slugs": []}
    assert done.index == out / "index.html"


def test_only_changed_pages_are_made_again(tmp_path: Path) -> None:
    cell = (
        "from riskanalytics.pages.section import Section\n"
        "Section((), name, {'title': name, 'name': name, 'unmatched': {'said': '1 row'} if name == 'Aurelia' else {}})"
    )
    path, out = written(tmp_path / "small.ipynb", cell), tmp_path / "out"
    rows = table(tmp_path, "name\nLumen\nAurelia\n")
    batch(path, rows, out)
    first = (out / "small-lumen.html").read_bytes()
    (out / "small-lumen.html").write_bytes(first[:-1])
    again = batch(path, rows, out)
    assert [page.name for page in again.made] == ["small-lumen.html"]
    assert again.lacking == dict.fromkeys(again.fresh, "1 row")
    assert again.pages == [out / "small-aurelia.html", out / "small-lumen.html"]
    assert (out / "small-lumen.html").read_bytes() == first
    written(path, cell + " # other")
    assert len(batch(path, rows, out).made) == 2


@pytest.mark.slow
def test_a_failed_row_is_reported_with_its_cell_and_the_others_still_run(tmp_path: Path) -> None:
    dies = f"if name == {str(tmp_path)!r}: os._exit(9)"
    cell = f"import os\n{dies}\nif name == 'fails': raise ValueError('no such thing')\nname"
    path = written(tmp_path / "small.ipynb", cell)
    result: list[str] = []
    done = batch(
        path,
        table(tmp_path, f"name,limit\n{tmp_path},1\nfails,1\nLumen,1\nAurelia,many\nfails,01\n"),
        tmp_path / "out",
        failed=lambda row, why: result.append(f"{row.number}: {why}"),
    )
    assert names(tmp_path / "out") == ["small-lumen-1.html"]
    assert sorted(line[:2] for line in result) == ["1:", "2:", "4:"]
    assert done.anew == f"files may have changed in the folder {tmp_path}"
    why = {row.number: reason for row, reason in done.failed.items()}
    assert why[2] == "cell 2: the notebook failed: ValueError: no such thing"
    assert "ended early" in why[1]
    assert why[4] == "the parameter 'limit' must be of the type int, such as 3"


@pytest.mark.slow
def test_equal_rows_are_one_report_and_names_that_differ_in_case_are_two_files(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", "name")
    done = batch(path, table(tmp_path, "name,limit\nLumen,5\nLumen,05\nLUMEN,5\n"), tmp_path / "out")
    assert (len(done.pages), done.failed) == (2, {})


def test_all_platforms_need_a_notebook_with_a_platform_parameter(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no parameter 'platform'"):
        batch(written(tmp_path / "small.ipynb", WORDS), "all", tmp_path / "out")


@pytest.mark.slow
def test_two_rows_with_the_same_page_name_do_not_replace_each_other(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", ONE_PAGE)
    done = batch(path, table(tmp_path, "name\nLumen\nAurelia\n"), tmp_path / "out", jobs=1)
    assert ([page.name for page in done.pages], len(done.failed)) == (["small-one.html"], 1)
    assert "another row of this batch already made" in next(iter(done.failed.values()))


@pytest.mark.slow
def test_an_unnamed_page_is_replaced_by_the_page_of_another_portfolio(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "small.ipynb", WORDS, given='portfolio: str = ""\nname: str = ""\nlimit: int = 1')
    for file in ("a.csv", "b.csv"):
        (tmp_path / file).write_text("name\nAurelia\n")
        assert run_report(path, {"portfolio": str(tmp_path / file)}, tmp_path / "out").name == "small.html"
    assert run_report(path, {}, tmp_path / "out").name == "small.html"


@pytest.mark.slow
def test_a_portfolio_file_of_the_same_name_elsewhere_does_not_replace_a_page(tmp_path: Path) -> None:
    lists = [tmp_path / folder / "list.csv" for folder in ("a", "b")]
    for place in lists:
        place.parent.mkdir()
        place.write_text("slug\nlumen\n")
    path, out = written(tmp_path / "small.ipynb", "portfolio[-10:-9]", given='portfolio: str = ""'), tmp_path / "out"
    page = run_report(path, {"portfolio": str(lists[0])}, out)
    first = page.read_bytes()
    with pytest.raises(
        ReportError,
        match=r"small.html belongs to another portfolio, list.csv in another folder: give another .*rename one",
    ):
        run_report(path, {"portfolio": str(lists[1])}, out)
    assert page.read_bytes() == first
    named = written(tmp_path / "small.ipynb", ONE_PAGE, given='portfolio: str = ""')
    for place, failed in zip(lists, (0, 1), strict=True):
        done = batch(named, table(tmp_path, f"portfolio\n{place}\n"), out)
        assert (len(done.made), len(done.failed)) == (1 - failed, failed)
    assert "belongs to another portfolio" in next(iter(done.failed.values()))


@pytest.mark.slow
@pytest.mark.parametrize("batched", [False, True])
def test_a_page_with_unverified_quotes_is_made_and_exits_3(tmp_path: Path, batched: bool) -> None:
    cell = (
        "from riskanalytics.pages.section import Section\n"
        "Section((), name, {'title': name, 'name': name, 'quotes_checked': 7, 'quotes_failed': 2})"
    )
    path, out = written(tmp_path / "small.ipynb", cell), tmp_path / "out"
    report = [sys.executable, "-m", "riskanalytics.cli", "report", str(path), "--out", str(out)]
    words = command(path, table(tmp_path, "name\nAurelia\n"), out) if batched else report
    ran = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 3
    assert "2 of 7 clauses did not verify: each is marked on the page" in ran.stderr
    assert names(out) == ["small-aurelia.html"]


@pytest.mark.slow
def test_dossiers_of_a_batch_equal_single_reports(tmp_path: Path, embedded_demo: Path) -> None:
    rows = table(tmp_path, "platform\norvewick-voice\nalalix-chat\nno-such-platform\n")
    done = batch("platform_dossier", rows, tmp_path / "out")
    alone = run_report("platform_dossier", {"platform": "alalix-chat"}, tmp_path / "alone")
    assert (tmp_path / "out" / alone.name).read_bytes() == alone.read_bytes()
    assert len(done.pages) == 2
    assert next(iter(done.failed.values())).startswith("no platform 'no-such-platform' is tracked")


@pytest.mark.slow
def test_a_monthly_report_of_a_batch_equals_the_single_report(tmp_path: Path, embedded_demo: Path) -> None:
    (tmp_path / "ours.csv").write_text("slug\nalalix-chat\norvewick-voice\n")
    given = {"month": "2026-09", "portfolio": str(tmp_path / "ours.csv")}
    done = batch(
        "monthly_report", table(tmp_path, f"{','.join(given)}\n{','.join(given.values())}\n"), tmp_path / "out"
    )
    alone = run_report("monthly_report", given, tmp_path / "alone")
    assert not done.failed
    assert (tmp_path / "out" / alone.name).read_bytes() == alone.read_bytes()


def test_the_exit_code_says_that_some_pages_were_not_made(tmp_path: Path) -> None:
    path, out = written(tmp_path / "small.ipynb", "assert name == 'a'\nname"), tmp_path / "out"
    words = command(path, table(tmp_path, "name\nbad\ndocs\na\n"), out)
    ran = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (3, str(out / "index.html"))
    assert "no page for row 1 (name=bad): cell 2: the notebook failed: AssertionError" in ran.stderr
    assert "every run makes all pages again: files may have changed in the folder docs\n" in ran.stderr


@pytest.mark.slow
def test_the_exit_code_is_the_same_if_the_other_pages_are_up_to_date(tmp_path: Path) -> None:
    path, out = written(tmp_path / "small.ipynb", "assert name == 'a'\nname"), tmp_path / "out"
    rows = table(tmp_path, "name\nbad\na\n")
    assert len(batch(path, rows, out).made) == 1
    ran = subprocess.run(command(path, rows, out), capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 3
    assert "0 made, 1 up to date, 1 failed" in ran.stderr


def test_a_batch_prints_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "rk-0123456789abcdef"
    monkeypatch.setenv("RISKANALYTICS_API_KEY", key)
    cell = (
        "import os, sys\nkey = os.environ['RISKANALYTICS_API_KEY']\nos.write(2, key.encode())\n"
        "print(key, file=sys.__stderr__, flush=True)\nos.system('echo $RISKANALYTICS_API_KEY >&2')\n"
        "raise type('X' + key, (Exception,), {})(key)"
    )
    path = written(tmp_path / "small.ipynb", cell)
    words = command(path, table(tmp_path, "name\na\n"), tmp_path / "out")
    ran = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 1  # no page was made
    assert "the notebook failed: X***: ***" in ran.stderr
    assert key not in ran.stdout + ran.stderr


@pytest.mark.slow
def test_the_key_of_a_batch_is_not_written_to_its_data(
    tmp_path: Path, embedded_demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "rk-0123456789abcdef"
    monkeypatch.setattr(held, "_HERE", [])
    monkeypatch.setenv("RISKANALYTICS_API_KEY", key)
    _, _, file, _ = load_for(load_settings(), "coverage", [{}], tmp_path / "held", lambda *_: None)
    assert key.encode() not in Path(file).read_bytes()
    held._HERE.clear()
    hold(file)
    assert held.held_for(load_settings())
    assert not held.held_for(replace(load_settings(), api_key="rk-another"))


@pytest.mark.slow
def test_a_page_that_cannot_be_published_fails_its_row_in_one_line(tmp_path: Path) -> None:
    cell = "from IPython.display import display\nif name == 'bad': display({'text/html': 5}, raw=True)\nname"
    path = written(tmp_path / "small.ipynb", cell)
    done = batch(path, table(tmp_path, "name\nbad\nLumen\n"), tmp_path / "out")
    assert names(tmp_path / "out") == ["small-lumen.html"]
    (why,) = done.failed.values()
    assert "ValidationError" in why
    assert "\n" not in why
    with pytest.raises(ReportError, match="ValidationError"):
        run_report(path, {"name": "bad"}, tmp_path / "out")


@pytest.mark.slow
def test_a_foreign_error_with_the_name_of_one_of_ours_is_reported_with_its_cell(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", "class ParameterError(Exception): pass\nraise ParameterError('mine')")
    done = batch(path, table(tmp_path, "name\na\n"), tmp_path / "out")
    assert list(done.failed.values()) == ["cell 2: mine"]


def test_a_notebook_named_index_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "index.ipynb", "1")
    with pytest.raises(ReportError, match="rename the notebook"):
        run_report(path, {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_foreign_file_and_its_pdf_are_not_replaced(tmp_path: Path) -> None:
    path, rows, out = written(tmp_path / "small.ipynb", ONE_PAGE), table(tmp_path, "name\nLumen\n"), tmp_path / "out"
    out.mkdir()
    for name in ("small-one.html", "small-one.pdf"):
        (out / name).write_text("my own")
    done = batch(path, rows, out, jobs=1)
    assert "riskanalytics did not make it" in next(iter(done.failed.values()))
    assert {(out / name).read_text() for name in ("small-one.html", "small-one.pdf")} == {"my own"}
    (out / "small-one.html").unlink()
    assert batch(path, rows, out, jobs=1).pages == [out / "small-one.html"]
    assert (out / "small-one.pdf").read_text() == "my own"


@pytest.mark.slow
def test_any_executor_makes_the_same_pages(tmp_path: Path) -> None:
    path, rows = written(tmp_path / "small.ipynb", WORDS), table(tmp_path, "name\nLumen\nAurelia\n")
    here = batch(path, rows, tmp_path / "here")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        there = batch(path, rows, tmp_path / "there", executor=executor)
    assert not there.failed
    assert [page.read_bytes() for page in there.pages] == [page.read_bytes() for page in here.pages]


class KilledWorker(Exception):
    allowed_failures = 3


class Elsewhere(Executor):
    """Works at once in this process; a report on `bad` ends its workers."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future = Future[Any]()
        if isinstance(arguments[1], Order) and arguments[1].job.values["name"] == "bad":
            future.set_exception(KilledWorker())
        else:
            future.set_result(function(*arguments, **named))
        return future


@pytest.mark.slow
def test_a_report_that_ends_its_workers_fails_alone(tmp_path: Path) -> None:
    path, rows = written(tmp_path / "small.ipynb", WORDS), table(tmp_path, "name\nbad\nLumen\n")
    done = batch(path, rows, tmp_path / "out", executor=Elsewhere())
    assert [page.name for page in done.made] == ["small-lumen.html"]
    assert {str(row): why for row, why in done.failed.items()} == {
        "row 1 (name=bad)": "each of its 4 workers ended: killed, or out of memory; their logs say more"
    }


def test_a_worker_without_the_database_file_reports_it(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"has no file /.*none.sqlite; copy the file to the same path there"):
        Reading.of(Settings(database=tmp_path / "none.sqlite")).here()


def test_an_interrupted_batch_ends_processes_that_are_just_starting() -> None:
    with pytest.raises(KeyboardInterrupt), _workers(None, None, 1) as workers:
        begun = workers.executor.submit(late, 20)
        while not begun.running():
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert isinstance(begun.exception(), ExecutorError)


@pytest.mark.slow
def test_platforms_of_a_portfolio_are_rows_of_a_batch(tmp_path: Path) -> None:
    cell = (
        "from riskanalytics.pages.section import Section\nSection((), platform, {'title': platform, 'name': platform})"
    )
    path = written(tmp_path / "small.ipynb", cell, given='platform: str = ""')
    done = batch(path, platforms=["lumen", "aurelia"], out=tmp_path / "out")
    assert [page.name for page in done.pages] == ["small-aurelia.html", "small-lumen.html"]


def test_a_table_and_a_portfolio_are_not_given_together(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", "platform", given='platform: str = ""')
    with pytest.raises(ParameterError, match="leave out the portfolio"):
        batch(path, table(tmp_path, "platform\nlumen\n"), tmp_path / "out", platforms=["lumen"])
    assert not (tmp_path / "out").exists()
