"""The commands, called as a person would, in a process of their own."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from riskanalytics.reporting.parameters import NOTEBOOKS
from tests.accuracy.given import CAFE, DOCUMENTS, write_labels
from tests.cli.calling import refused, run
from tests.reporting.notebooks_given import SHOWN, written
from tests.service.given import FILES, PRIVACY_LATER, build_database


def test_help_names_every_command(tmp_path: Path) -> None:
    result = run("--help", cwd=tmp_path, cold=True)
    assert result.returncode == 0
    for command in (
        "monthly",
        "report",
        "platforms",
        "ingest",
        "serve",
        "mcp",
        "subscriptions",
        "ask",
        "verify",
        "evidence",
        "backup",
        "score",
        "lab",
    ):
        assert command in result.stdout


def test_the_version_is_shown(tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path, cold=True).stdout == f"riskanalytics {version('riskanalytics')}\n"


def test_words_come_before_what_a_command_will_use_is_imported(tmp_path: Path) -> None:
    asked = (
        "import sys, riskanalytics.cli.commands, riskanalytics.cli.data, riskanalytics.cli.service\n"
        "print({'numpy', 'pandas', 'fastapi', 'plotly', 'papermill', 'pydantic', 'typst'} & {*sys.modules})"
    )
    output = subprocess.run([sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert output.stdout == "set()\n"


def test_an_interruption_while_the_commands_are_imported_is_one_line(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'riskanalytics.cli.commands': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from riskanalytics.cli import main\n"
        "main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        130,
        "interrupted: finished work is kept; run the same command again to continue\n",
    )


def test_no_message_repeats_the_password_of_an_address(tmp_path: Path) -> None:
    for command, code in (("verify", 2), ("report", 2), ("serve", 2)):
        output = refused(run(command, "http://ann:secret@h.example/x", cwd=tmp_path), code)
        assert "h.example" in output
        assert "secret" not in output


def test_the_help_of_report_lists_our_notebooks_in_a_line_each(tmp_path: Path) -> None:
    lines = run("report", "--help", cwd=tmp_path).stdout.splitlines()
    for name, output in NOTEBOOKS.items():
        assert f"  {name:17} {output}" in lines


def test_tracked_platforms_are_listed_and_an_unknown_slug_is_refused_with_the_nearest(tmp_path: Path) -> None:
    build_database(tmp_path).rename(tmp_path / "d.sqlite")
    listed = run("platforms", "CHAT", "--database", "d.sqlite", "--json", "list.json", cwd=tmp_path)
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["slug", "aurelia-chat"], listed.stderr
    assert [row["slug"] for row in json.loads((tmp_path / "list.json").read_text())] == ["aurelia-chat"]
    assert "aurelia-chat" in refused(run("platforms", "AURELIA-CAT", "--database", "d.sqlite", cwd=tmp_path), 1)
    words = ("report", "platform_dossier", "-p", "platform=aurelia-cat", "--database", "d.sqlite")
    result = run(*words, cwd=tmp_path)
    assert "did you mean aurelia-chat" in refused(result, 2)
    assert not (tmp_path / "reports").exists()


def test_an_unknown_command_is_wrong_usage(tmp_path: Path) -> None:
    line = refused(run("monthy", cwd=tmp_path), 2)
    assert line == "riskanalytics: No such command 'monthy'. Did you mean 'monthly'? See 'riskanalytics --help'."


def test_a_dead_address_is_named_without_its_login(tmp_path: Path) -> None:
    line = refused(run("platforms", "--base-url", "http://127.0.0.1:9", cwd=tmp_path), 1)
    assert line.startswith("riskanalytics: http://127.0.0.1:9 cannot be reached (")


def test_an_address_and_a_database_at_once_are_wrong_usage(tmp_path: Path) -> None:
    line = refused(run("monthly", "--base-url", "http://127.0.0.1:1", "--database", "x", cwd=tmp_path), 2)
    assert "both a database and the address" in line


def test_a_database_that_is_not_there_is_said_with_the_command_that_makes_it(tmp_path: Path) -> None:
    line = refused(run("monthly", "--database", "none.sqlite", cwd=tmp_path), 2)
    assert "riskanalytics ingest" in line
    assert list(tmp_path.iterdir()) == []


def test_a_tool_server_needs_a_database_and_ends_without_an_error_when_its_input_does(tmp_path: Path) -> None:
    result = run("mcp", "--database", "no.sqlite", cwd=tmp_path)
    assert (result.stdout, "no.sqlite" in refused(result, 2)) == ("", True)
    result = run("mcp", "--database", str(build_database(tmp_path)), cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_an_invalid_proxy_address_is_refused_before_serving(tmp_path: Path) -> None:
    database = str(build_database(tmp_path))
    result = run("serve", "--port", "0", "--database", database, "--trusted-proxy", "nonsense", cwd=tmp_path)
    assert refused(result, 2).startswith("riskanalytics: a trusted proxy must be an IP address or a network")
    assert result.stdout == ""


def test_a_folder_that_is_not_a_collection_leaves_no_database(tmp_path: Path) -> None:
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "photo.txt").write_text("sea")
    refused(run("ingest", "holiday", "--database", "new.sqlite", cwd=tmp_path), 1)
    assert not (tmp_path / "new.sqlite").exists()


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"this is not a database of ours" * 100)
    before = other.read_bytes()
    refused(run("monthly", "--database", "other.sqlite", cwd=tmp_path), 1)
    assert other.read_bytes() == before


def test_a_misspelt_parameter_is_refused_before_anything_runs(tmp_path: Path) -> None:
    line = refused(run("report", "monthly_report", "-p", "mont=2026=10", cwd=tmp_path), 2)
    assert line == "riskanalytics: the notebook has no parameter 'mont'; did you mean 'month'?"
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("pair", ["month", "=x", "a=1 -p a=2"])
def test_a_parameter_without_name_or_value_is_wrong_usage(tmp_path: Path, pair: str) -> None:
    assert "NAME=VALUE" in refused(run("report", "monthly_report", "-p", *pair.split(), cwd=tmp_path), 2)


@pytest.mark.slow
def test_a_pdf_is_named_on_the_line_before_its_page(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()  # a page of another source is there: it is replaced as the command says
    facts = '<script type="application/json" id="report-facts">{"title": "T", "origin": "1 other"}</script>'
    (tmp_path / "out" / "small.html").write_text(facts)
    words = ("report", str(written(tmp_path / "small.ipynb", SHOWN)), "--pdf", "--out", "out", "--replace")
    result = run(*words, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["out/small.pdf", "out/small.html"]
    assert (tmp_path / "out" / "small.pdf").read_bytes().startswith(b"%PDF-1.7")


def test_an_ill_formed_month_is_wrong_usage(tmp_path: Path) -> None:
    assert "YYYY-MM" in refused(run("monthly", "--month", "July", cwd=tmp_path), 2)
    assert "YYYY-MM-DD" in refused(run("monthly", "--since", "July", cwd=tmp_path), 2)
    assert "or month, not both" in refused(run("monthly", "--since", "last", "--month", "2026-07", cwd=tmp_path), 2)
    assert "no earlier complete report" in refused(run("monthly", "--since", "last", cwd=tmp_path), 2)
    assert not (tmp_path / "reports").exists()


def test_a_key_that_cannot_be_a_header_is_refused_without_being_repeated(tmp_path: Path) -> None:
    result = run("monthly", cwd=tmp_path, RISKANALYTICS_API_KEY="svc_canary with space")
    assert "canary" not in refused(result, 2)


def test_the_traceback_of_an_error_is_shown_on_demand(tmp_path: Path) -> None:
    result = run("--debug", "monthly", "--database", "none.sqlite", cwd=tmp_path)
    assert "Traceback" in result.stderr
    assert result.returncode == 2


def test_a_question_is_answered_with_the_place_of_each_quote(tmp_path: Path) -> None:
    database = build_database(tmp_path)
    result = run("ask", "Does Aurelia Chat train on my prompts?", "--database", str(database), cwd=tmp_path, cold=True)
    assert result.returncode == 0, result.stderr
    answer, _, citation = result.stdout.partition("\n\n")
    assert answer.splitlines() == [
        "Aurelia Chat, recorded stance on training use: does not train on user content [1].",
        'Aurelia Chat\'s Privacy Policy (2026-03-05) says: "We do not use your prompts to train our models." [1].',
    ]
    start = PRIVACY_LATER.index("We do not use your prompts")
    sha256 = hashlib.sha256(PRIVACY_LATER.encode()).hexdigest()
    assert citation.startswith("[1] Aurelia Chat, Privacy Policy, 2026-03-05, training_use\n")
    assert citation.endswith(
        f"sha256 {sha256}, characters {start} to {start + 47}\n"
    )  # no address outside of this process


def test_no_quote_writes_to_the_terminal_what_its_reader_does_not_see(tmp_path: Path) -> None:
    folder = tmp_path / "dataset" / "Aurelia Chat" / "Privacy Policy"
    folder.mkdir(parents=True)
    hostile = PRIVACY_LATER.replace("your prompts", "your \x1b[2J\u202eprompts")
    (folder / "2026-01-10.md").write_text(hostile, encoding="utf-8")
    run("ingest", "dataset", "--database", "hostile.sqlite", cwd=tmp_path)
    result = run("ask", "Does Aurelia Chat train on my prompts?", "--database", "hostile.sqlite", cwd=tmp_path)
    assert "\x1b" not in result.stdout
    assert "your \\u{001B}[2J\\u{202E}prompts" in result.stdout


def test_a_question_without_evidence_is_refused_with_its_reason_and_exit_code_3(tmp_path: Path) -> None:
    database = build_database(tmp_path)
    words = ("ask", "Does it store data in Iceland?", "--platform", "aurelia-chat", "--database", str(database))
    result = run(*words, cwd=tmp_path)
    assert result.returncode == 3
    assert "refused (no_evidence)" in result.stderr.splitlines()
    assert "Documents searched: Aurelia Chat: Privacy Policy (2026-03-05)" in result.stdout


@pytest.mark.parametrize("question", ["", "  "])
def test_an_empty_question_is_wrong_usage(tmp_path: Path, question: str) -> None:
    assert "empty" in refused(run("ask", question, cwd=tmp_path), 2)


def test_a_question_that_is_too_long_is_one_line_of_error(tmp_path: Path) -> None:
    database = build_database(tmp_path)
    assert "422" in refused(run("ask", "x" * 1001, "--database", str(database), cwd=tmp_path), 1)


def test_a_score_is_a_table_and_a_record_for_machines(tmp_path: Path) -> None:
    files = FILES | {"Café Lumière/Privacy Policy/2026-02-01.md": CAFE}
    database, labels = build_database(tmp_path, files), write_labels(tmp_path / "labels")
    result = run(
        "score",
        str(labels),
        "--database",
        str(database),
        "--json",
        "score.json",
        "--faults",
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert "right of all shown" in result.stdout
    assert "stance of cafe-lumiere: trains_by_default, labelled silent" in result.stdout
    assert "expected calibration error: all 0." in result.stdout
    record = json.loads((tmp_path / "score.json").read_text())
    assert record["groups"]["all"]["recall"]["part"] == 4
    assert record["families"] == 2


def test_labels_that_cannot_be_scored_are_named_and_the_score_is_incomplete(tmp_path: Path) -> None:
    database = build_database(tmp_path)
    moved = DOCUMENTS[0] | {"labels": [[0, *DOCUMENTS[0]["labels"][0][1:]]]}
    labels = write_labels(tmp_path / "labels", whole=[moved, DOCUMENTS[1] | {"blob_sha256": "0" * 64}])
    result = run("score", str(labels), "--database", str(database), cwd=tmp_path)
    assert result.returncode == 3
    output = [line for line in result.stderr.splitlines() if line.startswith("not scored: ")]
    assert len(output) == 2
    assert "whole.jsonl line 1" in output[0]
    assert "1 labels refused, 1 texts or platforms missing" in result.stdout


def test_labels_of_another_form_are_wrong_usage_with_file_and_line(tmp_path: Path) -> None:
    database = build_database(tmp_path)
    assert "riskanalytics ingest" in refused(run("score", "none", "--database", "none.sqlite", cwd=tmp_path), 2)
    assert run("score", "none", cwd=tmp_path).returncode == 2
    assert "contains no labels" in refused(run("score", "none", "--database", str(database), cwd=tmp_path), 2)
    labels = write_labels(tmp_path / "labels", whole="{}\n")
    assert "whole.jsonl line 1" in refused(run("score", str(labels), "--database", str(database), cwd=tmp_path), 2)


def test_a_wrong_day_and_a_missing_place_have_their_own_messages(embedded_demo: Path, tmp_path: Path) -> None:
    line = refused(run("diff", "2026-13-01", "--database", str(embedded_demo), cwd=tmp_path), 2)
    assert "2026-13-01" in line
    assert "no database" not in line
    nowhere = refused(
        run("platforms", "--database", str(embedded_demo), "--json", str(tmp_path / "none" / "a.json"), cwd=tmp_path), 1
    )
    assert nowhere.endswith("a.json cannot be written: No such folder")


@pytest.mark.skipif(find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_without_pyarrow_a_pull_is_refused_before_anything_is_read(embedded_demo: Path, tmp_path: Path) -> None:
    line = refused(run("pull", "--database", str(embedded_demo), cwd=tmp_path), 1)
    assert 'pip install "riskanalytics[parquet]"' in line
    assert list(tmp_path.iterdir()) == []


def test_a_question_is_asked_once_for_each_platform_of_a_portfolio(tmp_path: Path) -> None:
    database = str(build_database(tmp_path))
    (tmp_path / "ours.csv").write_text("Tool\nAurelia Chat\nNorthwind Draft\nAureliaa\n")
    words = ("ask", "Does it train on my prompts?", "--database", database, "--portfolio", "ours.csv")
    result = run(*words, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "aurelia-chat: " in result.stdout
    assert "northwind-draft: " in result.stdout
    assert "[1] Aurelia Chat, " in result.stdout
    assert result.stderr.startswith("not matched: row 3, Aureliaa: did you mean Aurelia Chat")
    assert "northwind-draft: refused (" in result.stderr
    assert "give --platform or --portfolio, not both" in refused(
        run(*words, "--platform", "aurelia-chat", cwd=tmp_path), 2
    )
