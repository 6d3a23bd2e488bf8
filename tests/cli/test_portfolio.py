"""A portfolio on the command line: what it does not name for certain is told, and a file that is none is refused."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.calling import refused, run
from tests.service.given import build_database


def test_rows_without_a_match_are_listed_with_candidates_and_the_page_is_made(tmp_path: Path) -> None:
    database = str(build_database(tmp_path))
    (tmp_path / "ours.csv").write_text(
        "Tool;Owner\nAURELIA CHAT;Ann\nAurelia-Chat Inc.;Ann\nAureliaa;Bo\nNone\x9b;Cy\n"
    )
    words = ("monthly", "--portfolio", "ours.csv", "--database", database, "--out", "out")
    made = run(*words, cwd=tmp_path)
    assert refused(made, 3) == (
        "riskanalytics: the page was made, but 2 portfolio rows matched no tracked platform: "
        "add a column slug; 'riskanalytics platforms' lists the slugs"
    )
    page = tmp_path / made.stdout.strip()
    assert "did you mean Aurelia Chat (aurelia-chat, " in page.read_text(encoding="utf-8")
    result = [line for line in made.stderr.splitlines() if line.startswith("not matched: ")]
    assert result[0].startswith("not matched: row 3, Aureliaa: did you mean Aurelia Chat (aurelia-chat, ")
    assert result[1].startswith("not matched: row 4, None\\u{009B}")
    (tmp_path / "ours.csv").write_text("Tool\nAurelia-Chat Inc.\n", encoding="utf-8")
    page.write_text(re.sub('"origin": ?"', r"\g<0>1", page.read_text(encoding="utf-8")), encoding="utf-8")
    assert "belongs to another source" in refused(run(*words, cwd=tmp_path), 1)
    whole = run(*words, "--replace", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert "1 portfolio row matched by another spelling or name" in page.read_text(encoding="utf-8")


def test_a_file_that_is_not_a_portfolio_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_bytes(bytes(range(256)))
    words = ("monthly", "--portfolio", "ours.csv", "--base-url", "http://127.0.0.1:9", "--out", "out")
    assert "ours.csv cannot be read: the file is neither text nor a workbook" in refused(run(*words, cwd=tmp_path), 2)
    assert not (tmp_path / "out").exists()
