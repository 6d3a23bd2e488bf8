"""A report runs a notebook on a real kernel and publishes its page complete or not at all."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path

import pytest

from riskanalytics.errors import IncompleteReportError, ReportError
from riskanalytics.reporting import run_report
from tests.reporting.notebooks_given import SHOWN, written

KEY = "apc_live_0123456789abcdef"


def test_a_notebook_becomes_a_page_with_its_parameter_and_the_same_bytes_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "small.ipynb", SHOWN)
    own = tmp_path / "ipython" / "profile_default" / "startup" / "a.py"  # not for a report
    own.parent.mkdir(parents=True)
    own.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    result: list[str] = []
    page = run_report(
        path, {"name": "Lumen"}, tmp_path / "out", progress=lambda phase, done, total: result.append(phase)
    )
    first = page.read_bytes()
    assert page == tmp_path / "out" / "small.html"
    assert b"How is Lumen rated?" in first
    assert str(tmp_path).encode() not in first
    assert result[-1] == "writing the page"
    assert not (tmp_path / "ran").exists()
    assert run_report(path, {"name": "Lumen"}, tmp_path / "out").read_bytes() == first
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["feed.json", "index.html", "small.html"]


@pytest.mark.slow
def test_shortened_names_stay_unique(tmp_path: Path) -> None:
    cell = (
        "from riskanalytics.pages.section import Section\nfrom riskanalytics.pages.values import Paragraph\n"
        "Section((Paragraph('Words'),), 'words', {'title': 'Title', 'name': name})"
    )
    path = written(tmp_path / "small.ipynb", cell)
    names = ["2026-07-A&B", "2026-07-a b", "2026-07-日本", "2026-07", "x" * 90 + "1", "x" * 90 + "2"]
    pages = [run_report(path, {"name": name}, tmp_path / "out") for name in names]
    assert len(set(pages)) == len(names)
    assert all(len(page.name) < 100 for page in pages)
    assert pages[3].name == "small-2026-07.html"


def test_a_failing_cell_publishes_nothing_and_the_last_good_page_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    path = written(
        tmp_path / "small.ipynb", "import os\nraise OSError('no answer to ' + os.environ['RISKANALYTICS_API_KEY'])"
    )
    (tmp_path / "small.html").write_text("last month")
    with pytest.raises(ReportError, match=r"OSError: no answer to \*\*\*") as failure:
        run_report(path, {}, tmp_path)
    assert "\n" not in str(failure.value)
    assert (tmp_path / "small.html").read_text() == "last month"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["small.html", "small.ipynb"]


def test_the_key_is_not_on_a_page_in_any_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    cell = "import os, base64\nkey = os.environ['RISKANALYTICS_API_KEY']\nkey + key[::-1] + base64.b64encode(key.encode()).decode()"
    page = run_report(written(tmp_path / "small.ipynb", cell), {}, tmp_path / "out").read_text()
    for form in (KEY, KEY[::-1], base64.b64encode(KEY.encode()).decode()):
        assert form not in page
    assert "***" in page


def test_the_key_is_not_in_the_error_of_an_output_that_no_page_can_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    shown = "{'text/html': {'a': os.environ['RISKANALYTICS_API_KEY']}}"
    cell = f"import os\nfrom IPython.display import display\ndisplay({shown}, raw=True)"
    with pytest.raises(ReportError, match="ValidationError") as failure:
        run_report(written(tmp_path / "small.ipynb", cell), {}, tmp_path / "out")
    assert (KEY in str(failure.value), "\n" in str(failure.value)) == (False, False)


def test_our_errors_keep_their_class(tmp_path: Path) -> None:
    cell = "from riskanalytics.errors import IncompleteReportError\nraise IncompleteReportError('the data end in May')"
    with pytest.raises(IncompleteReportError, match=r"^the data end in May$"):
        run_report(written(tmp_path / "small.ipynb", cell), {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_dead_kernel_is_a_one_line_error(tmp_path: Path) -> None:
    with pytest.raises(ReportError):
        run_report(written(tmp_path / "small.ipynb", "import os\nos._exit(9)"), {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_reported_before_anything_runs(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (tmp_path / "out").write_text("a file")
    with pytest.raises(ReportError, match="cannot be written"):
        run_report(written(tmp_path / "small.ipynb", f"open({str(ran)!r}, 'w')"), {}, tmp_path / "out")
    assert not ran.exists()


@pytest.mark.parametrize("module", ["runner", "batches"])
def test_heavy_libraries_are_imported_after_the_parameters_are_checked(module: str) -> None:
    heavy = ("pandas", "plotly", "papermill", "nbconvert")
    code = f"import sys, riskanalytics.reporting.{module}; print([name for name in {heavy} if name in sys.modules])"
    words = [sys.executable, "-c", code]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "[]\n"
