"""`riskanalytics decisions`: files of reviewers merged, checked, exported, and used by `check`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.accuracy.labels import read_whole
from riskanalytics.dataset import connect, load
from riskanalytics.topics.decisions.records import Decision, write_decisions
from tests.cli.calling import refused, run
from tests.evidence.test_decisions import of_row
from tests.reader.test_server import Model
from tests.service.given import build_database
from tests.topics.decisions.given import entry, saved

RULES = '[[rule]]\nid = "licence"\nsurface = "content_license"\nlevel = "LOW"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database: the privacy policy of Aurelia Chat changed in March."""
    folder = tmp_path_factory.mktemp("decisions")
    build_database(folder)
    (folder / "rules.toml").write_text(RULES)
    return folder


@pytest.fixture(scope="module")
def clauses(folder: Path) -> dict[str, dict[str, Any]]:
    """Surface -> a clause as a page of February shows it."""
    with connect(folder / "given.sqlite") as client:
        rows = load(client, "2026-02-01", platforms="aurelia-chat").findings.to_dict("records")
    return {row["surface"]: of_row(row) for row in rows}


def decisions(folder: Path, *words: str) -> tuple[int, list[str], list[str]]:
    """Run a command; return its exit code and the lines on stdout and stderr."""
    done = run("decisions", *words, cwd=folder)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def test_files_of_reviewers_are_merged_and_a_conflict_is_shown(folder: Path, clauses: dict[str, Any]) -> None:
    licence = clauses["content_license"]
    saved(folder / "ann.json", entry(licence), entry(clauses["training_use"]))
    saved(folder / "bo.json", entry(licence, name="Bo", decision="dispute", decided_at="2026-11-03T09:00:00Z"))
    code, lines, said = decisions(folder, "merge", "ann.json", "bo.json", "--into", "both.json")
    place = "aurelia-chat, Terms of Service"
    assert (code, lines) == (0, ["both.json"])
    assert said == [
        f"conflict: accept by Ann on {place}; dispute by Bo on {place}: {licence['quote'][:100]}…",
        "3 decisions, 3 new",
    ]
    before = (folder / "both.json").read_bytes()
    assert decisions(folder, "merge", "bo.json", "ann.json", "--into", "both.json")[2][-1] == "3 decisions, 0 new"
    assert (folder / "both.json").read_bytes() == before


def test_a_decision_reopens_when_its_clause_changed_and_the_new_one_is_shown(
    folder: Path, clauses: dict[str, Any]
) -> None:
    saved(folder / "two.json", entry(clauses["training_use"]), entry(clauses["data_retention"], name="Bo"))
    code, lines, _ = decisions(folder, "check", "two.json", "--database", "given.sqlite", "--json", "states.json")
    assert code == 1
    assert lines[0] == (
        "reopened  accept by Ann on aurelia-chat, Privacy Policy: We use the prompts you enter to train our models."
    )
    assert lines[1].startswith("    now ")
    assert lines[1].endswith(": We do not use your prompts to train our models.")
    assert lines[2].startswith(
        "holds     accept by Bo on aurelia-chat, Privacy Policy: We retain personal data for as long"
    )
    assert lines[3:] == ["2 decisions: 1 holds, 1 reopened, 0 unknown, 0 in conflict"]
    record = json.loads((folder / "states.json").read_text("utf-8"))
    assert [(row["reviewer"], row["state"]) for row in record] == [("Ann", "reopened"), ("Bo", "holds")]


def answers(path: Path, requests: Path, *states: str) -> str:
    """Write the results of a batch file: for each request, a state, and its first unit of the current text."""
    lines = []
    for line, state in zip(requests.read_text("utf-8").splitlines(), states, strict=True):
        content = json.dumps({"state": state, "units": [2]})
        body = {"choices": [{"message": {"content": content}}]}
        lines.append(json.dumps({"custom_id": json.loads(line)["custom_id"], "response": {"body": body}}))
    path.write_text("\n".join([*lines, "no JSON"]), "utf-8")
    return path.name


@pytest.fixture
def reopened(folder: Path, clauses: dict[str, Any]) -> tuple[str, ...]:
    """The command that checks two decisions, one of which reopens."""
    saved(folder / "two.json", entry(clauses["training_use"]), entry(clauses["data_retention"], name="Bo"))
    return "check", "two.json", "--database", "given.sqlite"


def test_a_clause_that_all_models_find_in_other_words_is_reworded(folder: Path, reopened: tuple[str, ...]) -> None:
    sent, words = folder / "out.jsonl", ("--requests-to", "out.jsonl", "--model", "large")
    assert decisions(folder, *reopened, *words)[1] == ["1 request written to out.jsonl"]
    one, two = (answers(folder / f"{n}.jsonl", sent, state) for n, state in enumerate(("same", "changed")))
    for files, code, state in (([one], 0, "1 reworded, 0 reopened"), ([one, two], 1, "0 reworded, 1 reopened")):
        done = decisions(folder, *reopened, *(word for file in files for word in ("--answers-from", file)))
        assert (done[0], done[1][-1]) == (code, f"2 decisions: 1 holds, {state}, 0 unknown, 0 in conflict")
        assert "1 of 1 clause answered" in done[2]


def test_a_model_on_a_server_is_asked_about_decisions_that_reopen_only(folder: Path, reopened: tuple[str, ...]) -> None:
    model = Model()
    content = json.dumps({"state": "same", "units": [2]})
    model.replies = [(200, {}, {"choices": [{"message": {"content": content}}]})]
    done = decisions(folder, *reopened, "--reader", model.address, "--model", "large", "--json", "states.json")
    model.server.shutdown()
    model.server.server_close()
    assert done[0] == 0
    assert done[1][0].startswith("reworded  accept by Ann on aurelia-chat, Privacy Policy")
    (asked,) = (sent["messages"][1]["content"] for _, _, sent in model.received)
    assert "1. [then: Does the provider use content" in asked
    assert "] We use the prompts you enter to train our models." in asked
    assert [row["state"] for row in json.loads((folder / "states.json").read_text("utf-8"))] == ["reworded", "holds"]


def test_a_reader_needs_the_name_of_its_model(folder: Path, reopened: tuple[str, ...]) -> None:
    words = ("--reader", "http://127.0.0.1:9")
    assert "name the model" in refused(run("decisions", *reopened, *words, cwd=folder), 2)
    assert "name the model" in refused(run("decisions", *reopened, "--requests-to", "x.jsonl", cwd=folder), 2)
    assert not (folder / "x.jsonl").exists()


AGAIN = {"note": "Again.", "decided_at": "2026-11-04T09:00:00Z"}
HOLDS = "holds     accept by Ann on aurelia-chat, Terms of Service"


@pytest.mark.parametrize(
    ("given", "code", "lines", "counts"),
    [
        pytest.param([{}], 0, [HOLDS], "1 decision: 1 holds, 0 reopened, 0 unknown, 0", marks=pytest.mark.slow),
        pytest.param([], 0, [], "0 decisions: 0 holds, 0 reopened, 0 unknown, 0", marks=pytest.mark.slow),
        ([{"platform": "nobody"}, {}], 3, ["unknown   accept by Ann on nobody, Terms of Service", HOLDS],
         "2 decisions: 1 holds, 0 reopened, 1 unknown, 0"),
        ([{}, {"name": "Bo", "decision": "dispute"}, AGAIN], 1,
         [f"{HOLDS} (in conflict)", f"{HOLDS.replace('accept by Ann', 'dispute by Bo')} (in conflict)"],
         "2 decisions: 2 holds, 0 reopened, 0 unknown, 2"),
        pytest.param([{}, AGAIN], 0, [HOLDS], "1 decision: 1 holds, 0 reopened, 0 unknown, 0", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_the_exit_code_says_whether_a_reader_is_needed(
    given: list[dict[str, str]], code: int, lines: list[str], counts: str, folder: Path, clauses: dict[str, Any]
) -> None:
    licence, entries = clauses["content_license"], []
    for one in given:
        of_platform = licence | {name: one[name] for name in ("platform",) if name in one}
        entries.append(entry(of_platform, **{name: one[name] for name in one if name != "platform"}))
    saved(folder / "some.json", *entries)
    done = decisions(folder, "check", "some.json", "--database", "given.sqlite")
    shown = [line.partition(": ")[0] for line in done[1][:-1]]
    assert (done[0], sorted(shown), done[1][-1]) == (code, sorted(lines), f"{counts} in conflict")


def test_accepted_clauses_are_exceptions_of_a_check(folder: Path, clauses: dict[str, Any]) -> None:
    words = ("check", "rules.toml", "--database", "given.sqlite", "--decisions", "d.json", "--sarif", "s.json")
    saved(folder / "d.json", entry(clauses["content_license"], note="Trial until spring."))
    done = run(*words, cwd=folder)
    lines = done.stdout.splitlines()
    assert lines[-1].endswith("1 excepted")
    (line,) = [line for line in lines if "Aurelia Chat" in line]
    assert line.startswith("excepted      licence  Aurelia Chat: HIGH on ")
    assert line.endswith(" at most LOW (Ann: Trial until spring.)")
    result = json.loads((folder / "s.json").read_text("utf-8"))["runs"][0]["results"][0]
    assert (result["kind"], result["suppressions"][0]["justification"]) == ("fail", "Ann: Trial until spring.")


def test_disputed_findings_are_exported_as_labels_that_score_reads(folder: Path, clauses: dict[str, Any]) -> None:
    disputed = entry(clauses["content_license"], decision="dispute")
    saved(folder / "d.json", disputed, entry(clauses["terms_changes"]))
    code, lines, said = decisions(folder, "export", "d.json", "--labels", "l.jsonl", "--database", "given.sqlite")
    assert (code, lines, said[-1]) == (0, ["l.jsonl"], "1 document with a disputed finding")
    (document,) = read_whole(folder / "l.jsonl")
    assert [(label.surface, label.sure) for label in document.labels] == [("terms_changes", True)]


@pytest.mark.slow
def test_score_counts_a_disputed_finding_as_wrong(folder: Path, clauses: dict[str, Any]) -> None:
    saved(folder / "d.json", entry(clauses["content_license"], decision="dispute"))
    decisions(folder, "export", "d.json", "--labels", "l.jsonl", "--database", "given.sqlite")
    done = run("score", "l.jsonl", "--database", "given.sqlite", "--faults", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert clauses["content_license"]["quote"][:40] in done.stdout


def test_a_changed_file_is_refused_and_the_merged_file_stays(folder: Path, clauses: dict[str, Any]) -> None:
    write_decisions(folder / "kept.json", [Decision.model_validate(entry(clauses["content_license"]))])
    kept = (folder / "kept.json").read_text("utf-8")
    (folder / "bad.json").write_text(kept.replace("Known.", "Fine."), "utf-8")
    said = "bad.json, entry 1 (Ann on aurelia-chat, Terms of Service) was changed"
    assert said in refused(run("decisions", "merge", "bad.json", "--into", "kept.json", cwd=folder), 1)
    assert (folder / "kept.json").read_text("utf-8") == kept


@pytest.mark.slow
@pytest.mark.parametrize(("field", "said"), [("note", "was changed"), ("clauses", "is malformed, entry 1, clauses")])
def test_no_command_uses_a_changed_file(field: str, said: str, folder: Path, clauses: dict[str, Any]) -> None:
    write_decisions(folder / "bad.json", [Decision.model_validate(entry(clauses["content_license"]))])
    file = json.loads((folder / "bad.json").read_text("utf-8"))
    file["decisions"][0][field] = [] if field == "clauses" else "Fine."
    (folder / "bad.json").write_text(json.dumps(file), "utf-8")
    code = 2 if field == "clauses" else 1
    assert said in refused(run("decisions", "check", "bad.json", "--database", "given.sqlite", cwd=folder), code)
    words = ("check", "rules.toml", "--decisions", "bad.json", "--database", "given.sqlite")
    assert said in refused(run(*words, cwd=folder), code)


@pytest.mark.slow
def test_files_that_cannot_be_read_or_written_are_reported_in_one_line(folder: Path, clauses: dict[str, Any]) -> None:
    saved(folder / "ann.json", entry(clauses["content_license"]))
    assert "none.json cannot be read" in refused(
        run("decisions", "merge", "none.json", "--into", "x.json", cwd=folder), 2
    )
    assert "none" in refused(run("decisions", "merge", "ann.json", "--into", "none/x.json", cwd=folder), 1)
    words = ("export", "ann.json", "--labels", "none/l.jsonl", "--database", "given.sqlite")
    assert "none" in refused(run("decisions", *words, cwd=folder), 1)
    assert not (folder / "x.json").exists()
