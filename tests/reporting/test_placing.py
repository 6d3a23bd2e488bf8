"""What decides whether a page is replaced, up to date, kept secret and listed right; no kernel is needed for it."""

from __future__ import annotations

import base64
import json
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest
from papermill.exceptions import PapermillExecutionError

from riskanalytics.errors import IncompleteReportError, ReportError, RiskAnalyticsError
from riskanalytics.pages.print import plain
from riskanalytics.pages.values import Link, Text
from riskanalytics.reporting.execution import _failure, _feed, _index, _row, contents_of, said, without_key
from riskanalytics.reporting.placing import (
    Contents,
    Job,
    facts_of,
    hash_of,
    list_of,
    made_from,
    manifests_in,
    marks_of,
    named,
    pages_of,
    parts_of_names,
    place,
    unknown,
    unverified,
    up_to_date,
    write_manifest,
)
from riskanalytics.settings import Settings, package_hash
from tests.reporting.notebooks_given import executed

SECRET = 'k&y/"1"'


def page(**facts: object) -> str:
    """A page with a record of itself."""
    return f'<script type="application/json" id="report-facts">{json.dumps({"title": "T", **facts})}</script>'


def contents(pdf: bytes | None = None, **facts: object) -> Contents:
    return Contents("", page(**facts), pdf, "")


@pytest.mark.parametrize(
    ("old", "new", "replace", "said"),
    [
        ({"origin": "1 a"}, {"origin": "2 b"}, False, "belongs to another source, a, not to b: .* with --replace"),
        ({"origin": "1 a"}, {"origin": "2 a"}, False, "belongs to another source, a in another folder: "),
        ({"origin": "1 a"}, {"origin": "2 b"}, True, ""),
        ({"origin": "1 a"}, {"origin": "1 b"}, False, ""),
        ({"origin": "1 a"}, {}, False, ""),
        ({}, {"origin": "2 b"}, False, ""),
        ({"list": "1 a"}, {"list": "2 a"}, True, "another portfolio, a in another folder: .* rename one of the files"),
        ({"list": "1 a"}, {"list": "2 b"}, False, ""),
    ],
)
def test_a_page_of_another_source_or_of_a_portfolio_of_equal_name_is_not_replaced(
    tmp_path: Path, old: dict[str, str], new: dict[str, str], replace: bool, said: str
) -> None:
    file = tmp_path / "a.html"
    file.write_text(page(**old))
    if said:
        with pytest.raises(ReportError, match=said):
            place(contents(b"pdf", **new), file, replace=replace)
        assert facts_of(file) == {"title": "T", **old, "file": "a.html"}
    else:
        place(contents(b"pdf", **new), file, replace=replace)
        assert facts_of(file) == {"title": "T", **new, "file": "a.html", "pdf": "a.pdf"}


def test_the_pdf_of_a_replaced_page_leaves_with_it_and_files_of_others_stay(tmp_path: Path) -> None:
    file, printed = tmp_path / "a.html", tmp_path / "a.pdf"
    place(contents(b"first"), file)
    place(contents(), file)
    assert printed.read_bytes() == b"first"
    place(contents(n=2), file)
    assert not printed.exists()
    for own in ("<p>mine</p>", page(deep=1)[:60]):
        file.write_text(own)
        with pytest.raises(ReportError, match="would be replaced, but riskanalytics did not make it"):
            place(contents(), file, replace=True)
    file.write_text("")
    printed.write_bytes(b"mine")
    place(contents(), file)
    assert facts_of(file)
    assert printed.read_bytes() == b"mine"


def test_pages_are_listed_with_the_newest_data_first_and_equal_days_by_name(tmp_path: Path) -> None:
    for name, day in (
        ("b", "2026-06-30"),
        ("a", "2026-06-30"),
        ("c", "2026-07-31"),
        ("d", ""),
        ("index", "2027-01-01"),
    ):
        (tmp_path / f"{name}.html").write_text(page(as_of=day))
    assert [one["file"] for one in pages_of(tmp_path)] == ["c.html", "a.html", "b.html", "d.html"]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (
            {"quotes_failed": 1200, "quotes_checked": 3000},
            "1,200 of 3,000 clauses did not verify: each is marked on the page",
        ),
        ({"quotes_failed": 1, "quotes_checked": 1}, "1 of 1 clause did not verify: each is marked on the page"),
        ({"quotes_failed": 1}, "1 did not verify: each is marked on the page"),
        ({"quotes_failed": 0, "quotes_checked": 3}, ""),
        ({"quotes_failed": "2"}, ""),
    ],
)
def test_clauses_that_did_not_verify_are_counted(facts: dict[str, object], said: str) -> None:
    assert unverified(facts) == said


@pytest.mark.parametrize(
    ("facts", "lacks", "again"),
    [
        ({"incomplete": "Incomplete", "unmatched": {"said": "1 row"}}, "Incomplete", True),
        ({"quotes_failed": 1, "unmatched": {"said": "1 row"}}, "1 row", True),
        ({"quotes_failed": 1}, "1 did not verify: each is marked on the page", True),
        ({"unmatched": {"said": "1 row"}}, "1 row", False),
        ({"quotes_checked": 3, "quotes_failed": 0}, "", False),
    ],
)
def test_a_page_says_what_it_lacks_and_whether_a_later_batch_makes_it_again(
    facts: dict[str, object], lacks: str, again: bool
) -> None:
    notebook = executed({"application/vnd.riskanalytics.page+json": []})
    notebook.cells[1].outputs[0].metadata["riskanalytics"] = {
        "report": {"name": "n", "data_end": "2026-07-31", **facts}
    }
    made = contents_of(notebook, "small", part="row")
    assert (made.name, made.lacks, made.again, made.end, made.pdf) == ("n", lacks, again, "2026-07-31", None)
    assert contents_of(executed(), "small", part="row").name == "row"


def test_a_page_is_up_to_date_only_if_it_and_its_pdf_are_unchanged_and_complete(tmp_path: Path) -> None:
    notebook, file = tmp_path / "n.ipynb", tmp_path / "a.html"
    notebook.write_text("{}")
    origin = made_from(notebook, {"name": "x", "slugs": [f"a {SECRET}"]}, "data", [SECRET])
    assert origin == {
        "notebook": "n", "notebook_sha256": hash_of(notebook), "parameters": {"name": "x", "slugs": ["(not shown)"]},
        "files_sha256": {}, "data_sha256": "data", "riskanalytics": package_hash(),
    }  # fmt: skip
    place(contents(b"pdf"), file)
    write_manifest(file, origin, contents(b"pdf"))
    ((manifest),) = manifests_in(tmp_path)
    assert manifest["files"] == {"a.html": hash_of(file), "a.pdf": hash_of(tmp_path / "a.pdf")}
    assert [up_to_date(tmp_path, manifest, pdf=pdf) for pdf in (False, True)] == [True, True]
    assert not up_to_date(tmp_path, manifest | {"again": True}, pdf=False)
    assert not up_to_date(tmp_path, manifest | {"made_from": origin | {"data_sha256": ""}}, pdf=False)
    write_manifest(file, origin, contents()._replace(lacks="1 row"))
    (lacking,) = manifests_in(tmp_path)
    assert (lacking["page"], lacking["lacks"], lacking["again"]) == ("a.html", "1 row", False)
    assert up_to_date(tmp_path, lacking, pdf=True)
    bare = manifest | {"files": {"a.html": hash_of(file)}}
    assert [up_to_date(tmp_path, bare, pdf=pdf) for pdf in (False, True)] == [True, False]
    (tmp_path / "a.pdf").write_bytes(b"other")
    assert not up_to_date(tmp_path, manifest, pdf=False)
    (tmp_path / "a.pdf").unlink()
    assert not up_to_date(tmp_path, manifest, pdf=False)
    assert unknown(origin) == ""
    for folder in (tmp_path, tmp_path / "empty"):
        folder.mkdir(exist_ok=True)
        for value in (str(folder), [["x"], [str(folder)]]):
            assert unknown(origin | {"parameters": {"name": value}}) == f"files may have changed in the folder {folder}"


def test_names_of_pages_stay_apart_and_equal_ones_get_a_hash() -> None:
    assert [named("s", name) for name in ("", "2026-07", "x" * 80)] == [
        "s.html",
        "s-2026-07.html",
        f"s-{'x' * 80}.html",
    ]
    assert len({named("s", name) for name in ("A b", "a b", "a-b", "x" * 81, "x" * 80)}) == 5
    assert len({named("s", part) for part in parts_of_names([{"a": "Lumen"}, {"a": "LUMEN"}])}) == 2
    assert parts_of_names([{"a": "Lumen"}, {"a": "Mira"}]) == ["Lumen", "Mira"]
    parts = parts_of_names([{"a": "x", "b": 1}, {"a": "x-1"}, {"a": "y"}, {}, {}])
    assert parts[2:] == ["y", "", ""]
    assert len(set(parts[:2])) == 2
    assert all(part.startswith("x-1-") and len(part) == 12 for part in parts[:2])


def test_a_page_names_its_source_and_portfolio_without_a_folder_or_a_login(tmp_path: Path) -> None:
    def shown(settings: Settings, **values: str) -> list[str]:
        return [mark.partition(" ")[2] for mark in marks_of(values, settings, tmp_path / "out").values()]

    assert shown(Settings(), portfolio=str(tmp_path / "ours.csv")) == ["ours.csv", "embedded demo"]
    assert shown(Settings("https://me:pw@a.example")) == ["service https://a.example"]
    assert shown(Settings(database=tmp_path / "d.sqlite")) == ["database d.sqlite"]
    (tmp_path / "pulls").mkdir()
    assert shown(Settings(database=tmp_path / "pulls")) == ["folder of pulls pulls"]
    assert list_of({}, tmp_path) == ""


def test_a_kernel_gets_the_settings_of_its_report_and_the_fixed_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("RISKANALYTICS_BASE_URL", "https://other.example")
    given = Job(Path("n.ipynb"), {}, Settings("https://a.example", "key")).environment
    assert (given["TZ"], given["RISKANALYTICS_BASE_URL"], given["RISKANALYTICS_API_KEY"]) == (
        "UTC",
        "https://a.example",
        "key",
    )
    assert given["PYTHONHASHSEED"] == "0"


def test_no_form_of_a_secret_is_left_in_a_text() -> None:
    packed = base64.b64encode(SECRET.encode()).decode()
    forms = [SECRET, SECRET[::-1], packed, quote(SECRET, safe=""), json.dumps(SECRET)[1:-1], escape(SECRET)]
    assert without_key(" ".join([*forms, "other"]), ["other", SECRET]) == " ".join(["***"] * 7)
    assert said(f"a\n \x1b[31m{SECRET}\x1b[0m", [SECRET]) == "a ***"
    assert len(said("x" * 3_000, [])) < 1_100


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("IncompleteReportError", IncompleteReportError, "no ***"),
        ("KeyError", ReportError, "the notebook failed: KeyError: no ***"),
        ("annotations", ReportError, "the notebook failed: annotations: no ***"),
    ],
)
def test_a_failed_cell_is_an_error_of_this_package_or_is_named(
    name: str, kind: type[RiskAnalyticsError], words: str
) -> None:
    error = _failure(PapermillExecutionError(1, 1, "", name, "no key1", []), ["key1"])
    assert (type(error), str(error)) == (kind, words)


def test_a_page_in_the_list_has_its_links_day_numbers_and_check() -> None:
    facts = {"file": "a b.html", "pdf": "a b.pdf", "title": "T", "lead": "L", "as_of": "2026-07-31T10", "scope": "all",
             "counts": {"clauses": "3", "rose": "2"}, "quotes_checked": 1200, "quotes_failed": 0,
             "provenance": {"parameter portfolio": "ours.csv"}}  # fmt: skip
    cells = _row(facts).cells
    assert [plain(cell) for cell in cells] == [
        "T · PDF\nL\nclauses: 3 · rose: 2", "2026-07-31", "all\nportfolio ours.csv", "all 1,200 clauses verified",
    ]  # fmt: skip
    heading = cells[0]
    assert isinstance(heading, tuple)
    assert heading[0] == Link(Text("T", "name"), "a%20b.html")
    assert heading[1] == (" · ", Link("PDF", "a%20b.pdf"))
    failed = _row(facts | {"quotes_failed": 1}).cells[3]
    assert failed == Text(Text("1 of 1,200 clauses not verified", "strong"), "bad")
    assert _row({"file": "a", "quotes_checked": 0, "quotes_failed": 0}).cells[3] == "no clauses verified"
    for pages, count in (([], "0 reports"), ([facts, {"file": "a"}], "2 reports; the newest data end on 2026-07-31")):
        assert f'<p class="meta">{count}</p>' in _index(pages)
    (item,) = json.loads(_feed([facts]))["items"]
    assert (item["url"], item["content_text"], item["date_published"]) == ("a%20b.html", "T", "2026-07-31T00:00:00Z")
    assert item["attachments"] == [{"url": "a%20b.pdf", "mime_type": "application/pdf"}]
    assert set(item["_riskanalytics"]) == set(facts) - {"title", "file", "pdf"}
