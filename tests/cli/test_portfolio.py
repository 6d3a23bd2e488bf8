"""A portfolio on the command line: what it does not name for certain is told, and a file that is none is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.calling import refused, run
from tests.service.given import build_database


@pytest.mark.slow
def test_rows_without_a_match_are_listed_with_candidates_and_the_page_is_made(tmp_path: Path) -> None:
    database = str(build_database(tmp_path))
    (tmp_path / "ours.csv").write_text(
        "Tool;Owner\nAURELIA CHAT;Ann\nAurelia-Chat Inc.;Ann\nAureliaa;Bo\nNone\x9b;Cy\n"
    )
    words = ("monthly", "--portfolio", "ours.csv", "--database", database, "--out", "out")
    made = run(*words, cwd=tmp_path)
    assert refused(made, 3) == (
        "riskanalytics: the page was made, but 2 portfolio rows matched no tracked platform: "
        f"confirm what they mean with 'riskanalytics portfolio ours.csv --database {database}'"
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


def test_a_confirmed_match_is_kept_beside_the_portfolio_and_holds_in_later_runs(tmp_path: Path) -> None:
    database = str(build_database(tmp_path))
    (tmp_path / "ours.csv").write_text('Anbieter;Nutzer\nAURELIA CHAT;3\nAureliaa;1\nOwn tool;2\n"=Aureliaa";9\n')
    words = ("portfolio", "ours.csv", "--database", database)
    first = run(*words, cwd=tmp_path)
    assert [line.split() for line in first.stdout.splitlines()][:3] == [
        ["row", "given", "slug", "matched", "by", "platform"],
        ["1", "AURELIA", "CHAT", "aurelia-chat", "name", "Aurelia", "Chat"],
        [
            "2",
            "Aureliaa",
            "to",
            "confirm",
            "did",
            "you",
            "mean",
            "Aurelia",
            "Chat",
            "(aurelia-chat,",
            "confidence",
            "0.70)?",
        ],
    ]
    assert first.stdout.splitlines()[-1] == "4 rows: 1 matched, 2 to confirm, 1 not tracked"
    assert refused(first, 3) == (
        "riskanalytics: 3 rows match no platform for certain: confirm each with --confirm Aureliaa=SLUG, "
        "or Aureliaa=none if it is not tracked"
    )
    assert not (tmp_path / "ours.matches.csv").exists()
    pairs = ("--confirm", " aureliaa = aurelia-chat", "--confirm", "Own tool=none")
    assert run(*words, *pairs, cwd=tmp_path).returncode == 3
    offered = run(*words, "--write", "--json", "p.json", cwd=tmp_path)
    assert offered.stderr.splitlines()[0] == "written: ours.matches.csv"
    assert (tmp_path / "ours.matches.csv").read_text("utf-8-sig").splitlines() == [
        "given,slug,candidates", "Aureliaa,aurelia-chat,", "Own tool,none,", "'=Aureliaa,,aurelia-chat",
    ]  # fmt: skip
    rows = json.loads((tmp_path / "p.json").read_text("utf-8"))
    assert [(row["slug"], row["matched by"], row["platform"]) for row in rows[:3]] == [
        ("aurelia-chat", "name", "Aurelia Chat"),
        ("aurelia-chat", "confirmed", "Aurelia Chat"),
        ("", "confirmed", "not tracked"),
    ]
    (tmp_path / "ours.matches.csv").write_text(
        (tmp_path / "ours.matches.csv").read_text("utf-8-sig").replace("'=Aureliaa,,", "'=Aureliaa,aurelia-chat,")
    )
    whole = run(*words, cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert whole.stdout.splitlines()[-1] == "4 rows: 3 matched, 1 not tracked"
    (tmp_path / "rules.toml").write_text('[[rule]]\nid = "r"\nmean = 2\n[weights]\ntraining_use = 1\n')
    judged = run("check", "rules.toml", "--portfolio", "ours.csv", "--database", database, cwd=tmp_path)
    assert (judged.returncode, "not matched" in judged.stderr) == (0, False), judged.stderr


@pytest.mark.slow
def test_a_wrong_confirmation_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    database = str(build_database(tmp_path))
    (tmp_path / "ours.csv").write_text("Aureliaa\n")
    for pair, said in {
        "Aurelia=aurelia-chat": "--confirm takes GIVEN=SLUG, but no row of ours.csv gives 'Aurelia'",
        "Aureliaa": "no row of ours.csv gives ''",
        "Aureliaa=aurelia-cat": "no platform 'aurelia-cat' is tracked on 2026-03-05; did you mean aurelia-chat?",
    }.items():
        done = run("portfolio", "ours.csv", "--confirm", pair, "--database", database, cwd=tmp_path)
        assert said in refused(done, 2), pair
    assert [path.name for path in tmp_path.glob("ours*")] == ["ours.csv"]
    done = run("portfolio", "none.csv", "--base-url", "http://127.0.0.1:9", cwd=tmp_path)
    assert refused(done, 2) == "riskanalytics: there is no portfolio none.csv"
