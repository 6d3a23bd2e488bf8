"""The command `read` and what it needs of `score`, called as a person would."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.reader.guide import SCHEMAS, guide
from riskanalytics.text.wording import plural
from tests.accuracy.given import write_labels
from tests.cli.calling import refused, run
from tests.reader.given import ORACLE, answered
from tests.reader.test_server import Model
from tests.service.given import PRIVACY, build_database

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(build_database(tmp_path))


def answer_to(asked: dict[str, Any], oracle: Mapping[str, object] = ORACLE) -> dict[str, Any]:
    """The answer to the body of a request, of a reader that knows the verdicts on clauses with certain words."""
    units = [text.split(". ", 1) for text in asked["messages"][1]["content"].splitlines() if text[:1].isdigit()]
    entries = [
        {"n": int(n), "says": next((said for words, said in oracle.items() if words in text), [])} for n, text in units
    ]
    if asked["response_format"]["json_schema"]["schema"] == SCHEMAS["checks"]:
        entries = [{"n": int(n), "kind": "practice"} for n, _ in units]
    return {"choices": [{"message": {"content": answered(entries)}}]}


def results(requests: str) -> str:
    """What a provider's batch gives for requests: the answers of a reader that is always right."""
    lines = []
    for line in requests.splitlines():
        row = json.loads(line)
        response = {"status_code": 200, "body": answer_to(row["body"])}
        lines.append(json.dumps({"custom_id": row["custom_id"], "response": response}))
    return "\n".join(lines)


def test_an_estimate_sends_nothing(database: str, tmp_path: Path) -> None:
    result = run("read", "--database", database, "--model", "large", "--dry-run", "--prices", "2000", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("5 requests")  # three of clauses, one of a change, one of a stance
    said = re.match(r"\d+ requests, about ([\d,]+) tokens, about ([\d,.]+) at 2000 a million; ", result.stdout)
    assert said is not None, result.stdout
    assert said[2] == f"{int(said[1].replace(',', '')) / 500:,.2f}"


def test_documents_are_read_through_batch_files(database: str, tmp_path: Path) -> None:
    common = ("read", "--database", database, "--model", "large")
    for estimated, sent in ((5, 3), (2, 2)):  # verdicts, then a change and a stance
        assert run(*common, "--dry-run", cwd=tmp_path).stdout.startswith(f"{estimated} requests, ")
        result = run(*common, "--requests-to", "out.jsonl", cwd=tmp_path)
        assert result.stdout == f"{plural(sent, 'request')} written to out.jsonl\n"
        (tmp_path / "back.jsonl").write_text(results((tmp_path / "out.jsonl").read_text()))
        result = run(*common, "--answers-from", "back.jsonl", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    assert "all units read" in result.stdout
    assert "all units read" in run(*common, "--dry-run", cwd=tmp_path).stdout
    labels = str(write_labels(tmp_path / "labels"))
    measured = ("score", labels, "--database", database, "--reader", "large", "--json", "card.json")
    card = run(*measured, "--prices", "2", cwd=tmp_path)
    assert re.search(
        r"reads these documents once uses about [1-9][\d,]+ tokens, about 0\.\d\d at 2 a million", card.stdout
    )
    tokens = json.loads((tmp_path / "card.json").read_text("utf-8"))["tokens"]
    assert tokens >= 2 * (len(guide("verdicts")) // 4)  # the guide goes out with each of the two documents
    (tmp_path / "foreign.jsonl").write_text('{"custom_id": "other"}\n')
    assert "line 1: not the result of a request" in run(*common, "--answers-from", "foreign.jsonl", cwd=tmp_path).stderr


def test_a_server_that_is_unfit_is_refused_and_its_key_is_never_printed(database: str, tmp_path: Path) -> None:
    model = Model()
    model.replies = [(200, {}, {"choices": [{"message": {"content": "Of course!"}}]})]
    result = run(
        "read", "--database", database, "--reader", model.address, "--model", "large", cwd=tmp_path,
        RISKANALYTICS_READER_KEY=KEY,
    )  # fmt: skip
    assert "does not follow the JSON schema" in refused(result, 1)
    assert model.received[0][1]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in result.stdout + result.stderr
    model.server.shutdown()
    model.server.server_close()


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("--model", "large"), 2, "name the address of the model"),
        (("--reader", "http://127.0.0.1:1"), 2, "name the model"),
        (("--reader", "nowhere", "--model", "large"), 1, "must be an http address"),
        (("--platform", "no-such", "--model", "large", "--dry-run"), 1, "no platform 'no-such'"),
        (("--answers-from", "no-such.jsonl", "--model", "large"), 2, "no-such.jsonl"),
    ],
)
def test_missing_fields_are_named_in_one_line(
    words: tuple[str, ...], code: int, why: str, database: str, tmp_path: Path
) -> None:
    assert why in refused(run("read", "--database", database, *words, cwd=tmp_path), code)


def test_a_missing_database_is_refused_and_not_created(tmp_path: Path) -> None:
    result = run("read", "--database", "none.sqlite", "--model", "large", "--dry-run", cwd=tmp_path)
    assert "none.sqlite" in refused(result, result.returncode)
    assert result.returncode
    assert not (tmp_path / "none.sqlite").exists()


def test_a_reader_that_read_nothing_cannot_be_measured(database: str, tmp_path: Path) -> None:
    labels = write_labels(tmp_path / "labels")
    result = run("score", str(labels), "--database", database, "--reader", "large", "--fit", cwd=tmp_path)
    assert "has no verdicts of 'large'" in refused(result, 2)


def test_an_ingest_lets_a_reader_read_the_new_texts(tmp_path: Path) -> None:
    folder = tmp_path / "texts" / "Aurelia" / "Privacy Policy"
    folder.mkdir(parents=True)
    (folder / "2026-01-01.md").write_text(PRIVACY)
    asked = ("ingest", "texts", "--database", "new.sqlite", "--reader")
    assert "name the model" in refused(run(*asked, "http://127.0.0.1:9", cwd=tmp_path), 2)
    assert not (tmp_path / "new.sqlite").exists()
    model = Model()
    model.replies = [(200, {}, {"choices": [{"message": {"content": "Of course!"}}]})]
    result = run(*asked, model.address, "--model", "large", cwd=tmp_path)
    assert "1 platform, 1 document, 1 capture" in result.stdout
    assert "does not follow the JSON schema" in refused(result, 1)
    model.server.shutdown()
    model.server.server_close()


def test_the_shipped_readings_and_a_reader_are_not_scored_together(database: str, tmp_path: Path) -> None:
    result = run("score", "labels", "--database", database, "--shipped", "--reader", "large", cwd=tmp_path)
    assert "--shipped and --reader exclude each other" in refused(result, 2)


def test_a_model_on_a_server_chooses_the_quotes_of_an_answer(database: str, tmp_path: Path) -> None:
    model = Model()
    model.replies = [(200, {}, {"choices": [{"message": {"content": json.dumps({"units": [2]})}}]})]
    words = ("--platform", "aurelia-chat", "--reader", model.address)
    question = ("ask", "Can it sell my personal data?")
    asked = run(
        *question, *words, "--model", "large", "--database", database, cwd=tmp_path, RISKANALYTICS_READER_KEY=KEY
    )
    model.server.shutdown()
    model.server.server_close()
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.splitlines()[1:4] == [
        "A language model chose the clauses.", "", "[1] Aurelia Chat, Privacy Policy, 2026-03-05, ads_tracking",
    ]  # fmt: skip
    ((_, headers, _),) = model.received
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in asked.stdout + asked.stderr
    assert "name the model" in refused(run(*question, *words, "--database", database, cwd=tmp_path), 2)
    long = run("ask", "x" * 1001, *words, "--model", "large", "--database", database, cwd=tmp_path)
    assert "the question has more than 1,000 characters" in refused(long, 2)
    for source in (("--base-url", "http://127.0.0.1:9"), ("--database", str(tmp_path))):
        assert "give --database FILE" in refused(run(*question, *words, "--model", "large", *source, cwd=tmp_path), 2)


def test_a_price_needs_a_reader(database: str, tmp_path: Path) -> None:
    assert "--prices needs --reader" in refused(
        run("score", "labels", "--database", database, "--prices", "2", cwd=tmp_path), 2
    )
