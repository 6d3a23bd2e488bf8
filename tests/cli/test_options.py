"""Every option of a command has its effect: none is lost on the way to what does the work."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from string import ascii_letters
from typing import Any, NamedTuple

import pytest
import uvicorn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from uvicorn.supervisors import Multiprocess

from riskanalytics.cli import main
from riskanalytics.evidence import opened, public_pem
from riskanalytics.evidence.reading import key_line
from riskanalytics.extraction.units import units_of
from riskanalytics.service.store.read import Store
from tests.accuracy.given import DOCUMENTS, document, label, write_labels
from tests.cli.test_read import KEY, answer_to
from tests.http_server import reply, serving
from tests.reader.given import says
from tests.service.given import build_database, overwritten, written

DEAD = "http://127.0.0.1:9"
SLUG = "aurelia-chat"


class Printed(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Printed]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program in this process, in a folder of its own; the source is the database, unless another is named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def called(*words: str) -> Printed:
        with pytest.raises(SystemExit) as end:
            main(words)
        return Printed(int(end.value.code or 0), *capsys.readouterr())

    return called


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(build_database(tmp_path))


@pytest.mark.parametrize(
    "words",
    ["verify opal", "diff 2026-01-01", "evidence opal --out a.zip", "ask Why?", "platforms",
     *(pytest.param(words, marks=pytest.mark.slow)
       for words in ("report coverage", "monthly --month 2026-07", "batch platform_dossier --over all"))],
)  # fmt: skip
def test_each_command_that_reads_data_asks_the_service_of_its_option(words: str, run: Run) -> None:
    done = run(*words.split(), "--base-url", DEAD)
    assert done.code == 1
    assert f"{DEAD} cannot be reached" in done.err.splitlines()[-1]


@pytest.mark.usefixtures("embedded_demo")
def test_a_command_tells_how_old_its_data_are_except_for_the_demo(run: Run, database: str) -> None:
    for words in (("platforms",), ("ask", "Does Aurelia Chat train?"), ("diff", "2026-02-28")):
        assert re.match(r"data end 2026-03-05, \d+ days ago\n", run(*words, "--database", database).err), words
    assert run("platforms", "yskvo").err == ""


@pytest.mark.parametrize(("refused", "code"), [(True, 3), (False, 0)])
def test_a_question_is_asked_of_its_platform_and_a_refusal_with_citations_is_a_refusal(
    refused: bool, code: int, run: Run
) -> None:
    answer = {"answer": "A\x1bB", "refused": refused, "reason": "no_evidence", "citations": [{"name": "Opal"}]}
    with serving(reply("200 OK", json.dumps(answer).encode())) as server:
        done = run("ask", "Does it?", "--platform", "opal", "--base-url", server.url)
    assert json.loads(server.asked[0].partition(b"\r\n\r\n")[2]) == {"question": "Does it?", "platform": "opal"}
    assert (done.code, "refused (no_evidence)" in done.err) == (code, refused)
    assert done.out.startswith("A\\u{001B}B\n\n[1] Opal, ")


def test_a_pack_is_signed_with_the_given_key_stamped_by_the_given_authority_and_shows_one_finding(
    run: Run, database: str, tmp_path: Path
) -> None:
    key, file = Ed25519PrivateKey.generate(), tmp_path / "key.pem"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    file.chmod(0o600)
    words = ("evidence", SLUG, "--out", "pack.zip", "--database", database)
    made = run(*words, "--key", str(file))
    assert made == (0, "pack.zip\n", f"public key: {key_line(public_pem(key))}\n")
    findings = [name[9:-5] for name in opened(tmp_path / "pack.zip").members if name.startswith("findings/")]
    assert len(findings) > 1
    one = run(*words, "--key", str(file), "--finding", findings[1])
    assert one.code == 0
    shown = [name for name in opened(tmp_path / "pack.zip").members if name.startswith("findings/")]
    assert shown == [f"findings/{findings[1]}.json"]
    part = ("evidence", "pack.zip", "--out", "b.zip", "--finding", findings[1])
    assert "leave out --key and --timestamp" in run(*part, "--key", str(file)).err
    late = run(*words, "--timestamp", DEAD)
    assert (late.code, "your signing key was made: " in late.err) == (1, True)
    assert "127.0.0.1:9" in late.err.splitlines()[-1]


def test_a_portfolio_without_rules_gives_an_agent_nothing_to_check(run: Run) -> None:
    for more in ((), ("--database", "none.sqlite")):
        done = run("mcp", "--portfolio", "ours.csv", *more)
        assert (done.code, "--portfolio needs --rules: without rules there is nothing to check" in done.err) == (
            2,
            True,
        )


def test_a_key_that_was_not_made_is_not_announced(run: Run, database: str) -> None:
    done = run("evidence", "no-such", "--out", "a.zip", "--database", database)
    assert done.code == 2
    assert "signing key was made" not in done.err


@pytest.mark.parametrize(
    ("words", "public", "proxies", "workers"),
    [
        ((), r"http://127\.0\.0\.1:\d+", [], 1),
        (("--public-url", "https://a.example", "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1"),
         "https://a.example", ["10.0.0.0/8", "::1/128"], 1),
        (("--workers", "3", "--host", "127.0.0.2"), r"http://127\.0\.0\.2:\d+", [], 3),
    ],
)  # fmt: skip
def test_a_service_is_brought_up_as_its_options_say(
    words: tuple[str, ...], public: str, proxies: list[str], workers: int, run: Run, database: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    given: list[Any] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, **_: given.append(server.config))
    monkeypatch.setattr(Multiprocess, "run", lambda several: given.append(several.config))
    done = run("serve", "--database", database, "--port", "0", *words)
    (config,) = given
    assert isinstance(config.app, partial)
    assert str(config.app.args[0]) == database
    assert re.fullmatch(public, config.app.args[1])
    assert (config.forwarded_allow_ips, config.workers) == (proxies, workers)
    assert f"accepts {512 * workers:,} connections" in done.err


def test_a_damaged_file_is_served_if_no_check_was_asked_for(
    run: Run, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, **_: None)
    Path(database).write_bytes(overwritten(Path(database).read_bytes()))
    assert run("serve", "--database", database, "--port", "0").code == 0
    assert "is damaged" in run("serve", "--database", database, "--port", "0", "--check").err


def test_a_subscription_is_mailed_to_the_named_folder_listed_without_its_key_and_ended(
    run: Run, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("subscriptions", "start", "--email", "ann@a.example", "--tier", "pro", "--database")
    made = run(*asked, database, "--outbox", "mine")
    assert (made.code, made.err) == (0, "only this mail contains the key:\n")
    (mail,) = (tmp_path / "mine").iterdir()
    assert made.out == f"mine/{mail.name}\n"
    (key,) = re.findall(r"^\S{30,}$", mail.read_text(), re.MULTILINE)
    listed = run("subscriptions", "list", "--database", database).out
    assert re.fullmatch(r"ann@a\.example\tpro\t\S+\tactive\n", listed)
    assert key not in listed
    assert run("subscriptions", "end", "--email", "ann@a.example", "--database", database).out == "1 key ended\n"
    assert run("subscriptions", "end", "--email", "ann@a.example", "--database", database).out == "0 keys ended\n"
    monkeypatch.setenv("RISKANALYTICS_SMTP", "smtp://127.0.0.1:9?from=us@a.example")
    failed = run(*asked, database)  # nobody listens
    assert (failed.code, failed.out, "only this mail" in failed.err) == (1, "", False)
    assert run(*asked, database, "--outbox", "mine").out.startswith("mine/")
    listed = run("subscriptions", "list", "--database", database).out
    assert [line.rpartition("\t")[2] for line in listed.splitlines()].count("active") == 1
    assert "there is no database none.sqlite" in run(*asked, "none.sqlite").err
    (tmp_path / "other.sqlite").write_bytes(b"not a database" * 100)
    assert run(*asked, "other.sqlite").code == 1
    assert not [*tmp_path.glob("none*"), *tmp_path.glob("other*-*"), *tmp_path.glob("other*keys*")]


def test_a_backup_holds_the_database_and_a_restore_puts_it_back(run: Run, database: str, tmp_path: Path) -> None:
    def names(file: str) -> int:
        with closing(sqlite3.connect(tmp_path / file)) as connection:
            return int(connection.execute("SELECT count(*) FROM platform").fetchone()[0])

    assert run("backup", "kept.sqlite", "--database", database) == (0, "kept.sqlite\n", "")
    other = build_database(tmp_path / "b", {"Opal/Terms/2026-01-01.md": "x"})
    assert (names("kept.sqlite"), names("b/given.sqlite")) == (3, 1)
    assert run("restore", "kept.sqlite", "--database", str(other)) == (0, f"{other}\n", "")
    assert (names("kept.sqlite"), names("b/given.sqlite")) == (3, 3)


def test_an_ingest_keeps_the_declared_pages_and_names_its_archive(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "set", {"Opal/Terms/2026-01-01.md": "We keep your data."})
    written(tmp_path / "told", {"declarations/Opal.json": '{"terms": {"Terms": {"fetch": "https://o.example/t"}}}'})
    words = ("--declarations", "told", "--collection", "Owner/archive")
    done = run("ingest", "set", "--database", "a.sqlite", *words)
    assert done.out == "1 platform, 1 document, 1 capture (1 new; 1 platform reviewed)\n"
    with closing(Store(tmp_path / "a.sqlite")) as store:
        state = store.platform("opal")
        assert state is not None
        assert state["documents"][0]["document_url"] == "https://o.example/t"
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        assert "Owner/archive" in str(connection.execute("SELECT * FROM platform").fetchall())


def test_a_reader_reads_the_named_platforms_or_labelled_texts_within_its_budget(
    run: Run, database: str, tmp_path: Path
) -> None:
    words = ("read", "--database", database, "--model", "large")
    labels = str(write_labels(tmp_path / "labels", whole=[DOCUMENTS[1]]))
    for more, counts in (
        ((), (5, 10)),  # one decides a stance
        (("--platform", SLUG), (3, 7)),
        (("--labels", labels), (1, 3)),
    ):
        said = run(*words, "--dry-run", *more).out
        found = re.match(r"(\d+) requests?, about [\d,]+ tokens; 0 of (\d+) units read", said)
        assert found is not None, said
        assert (int(found[1]), int(found[2])) == counts


def test_a_reader_has_its_key_and_budget_and_is_measured_to_decide_from_then_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKANALYTICS_READER_KEY", f" {KEY}\n")
    text = "# Privacy Policy\n\nOur services process personal data.\n\n" + "\n\n".join(
        f"Item {place}{place} of the long list is open to a small circle." for place in ascii_letters[:32]
    )
    database = build_database(tmp_path, {"Aurelia Chat/Privacy Policy/2026-01-10.md": text})
    oracle = {"of the long list": [says("human_review", "MED", "raises_risk")]}

    def answer(request: bytes) -> bytes:
        return reply("200 OK", json.dumps(answer_to(json.loads(request.partition(b"\r\n\r\n")[2]), oracle)).encode())

    with serving(answer) as server:
        monkeypatch.setenv("RISKANALYTICS_READER", server.url)
        monkeypatch.setenv("RISKANALYTICS_READER_MODEL", "large")
        words = ("read", "--database", str(database))
        none = run(*words, "--budget", "0")
        assert (none.code, len(server.asked), "33 units not read" in none.out) == (3, 1, True)
        for model in ("small", "large"):  # what was measured of one is not taken for the other
            whole = run(*words, "--model", model)
            assert (whole.code, "all units read" in whole.out) == (0, True), whole.err
        assert all(f"Authorization: Bearer {KEY}".encode() in asked for asked in server.asked)

    items = [unit.words for unit in units_of(text)[1:]]
    labelled = document(text, *(label(text, item, "human_review", "MED") for item in items))
    words = ("score", str(write_labels(tmp_path / "labels", whole=[labelled])), "--database", str(database))
    seen = []
    for more in ("--reader large", "--reader large --fit", "--reader large", "--reader small", ""):
        done = run(*words, *more.split())
        found = re.search(r"human_review .* (\d+)/32 ", done.out)
        with closing(sqlite3.connect(database)) as connection:
            (live,) = connection.execute("SELECT count(*) FROM live_finding").fetchone()
        seen.append((found and int(found[1]), live))
    assert seen == [(0, 0), (32, 32), (32, 32), (0, 32), (0, 32)]


def test_labels_of_texts_that_are_missing_leave_a_score_incomplete_and_a_folder_is_no_database(
    run: Run, database: str, tmp_path: Path
) -> None:
    labels = str(write_labels(tmp_path / "labels", whole=[DOCUMENTS[1], DOCUMENTS[2]]))
    done = run("score", labels, "--database", database)
    assert (done.code, [line[:10] for line in done.err.splitlines()].count("not scored")) == (3, 1), done.err
    assert f"there is no database {tmp_path}: " in run("score", labels, "--database", str(tmp_path)).err


def test_an_archive_is_asked_for_a_text_that_the_source_lacks_in_a_private_network_only_on_request(run: Run) -> None:
    text = b"We keep it."
    sha256 = hashlib.sha256(text).hexdigest()
    with serving(reply("200 OK", text, "Content-Type: text/plain")) as archive:
        source = {
            "snapshot_sha256": sha256,
            "start": 0,
            "end": 11,
            "archive_url": f"{archive.url}/a",
            "document": "Terms",
        }
        finding = {
            "id": "opal-1",
            "quote": text.decode(),
            "surface": "data_retention",
            "level": "HIGH",
            "provenance": source,
        }
        record = {"slug": "opal", "name": "Opal", "rating": "HIGH", "findings": [finding]}

        def answer(request: bytes) -> bytes:
            return (
                reply("200 OK", json.dumps(record).encode()) if b"platform/opal" in request else reply("404 Not Found")
            )

        with serving(answer) as service:
            for more, asked, code, status in (
                ((), 0, 3, "unavailable"),
                (("--private", "--offline"), 0, 3, "unavailable"),
                (("--private",), 1, 0, "verified"),
            ):
                done = run("verify", "opal", "--base-url", service.url, *more)
                assert (done.code, len(archive.asked)) == (code, asked), done
                assert done.out.startswith(f"{status:13}  opal  Terms  {sha256[:12]}  0-11  We keep it.\n")
                assert done.out.endswith(f"\n1 quote: 1 {status}\n")


def test_differences_of_which_some_could_not_be_compared_are_incomplete(run: Run) -> None:
    def answer(request: bytes) -> bytes:
        asked = request.partition(b" HTTP/")[0].decode()
        day = re.search(r"as_of=(\d{4}-\d\d-\d\d)", asked)
        slug = re.search("platform/(birch|zeta)", asked)
        if "/llms-full.txt" in asked:
            return reply(
                "200 OK", b"/api/machine/platform/birch\n/api/machine/platform/zeta\n", "Content-Type: text/plain"
            )
        if "/api/coverage" in asked:
            return reply("200 OK", json.dumps({"tracked": 2, "as_of": day[1] if day else "2026-02-28"}).encode())
        if slug is None or (slug[1] == "birch" and day is None):
            return reply("501 Not Implemented")
        row = {"slug": slug[1], "name": slug[1], "rating": "LOW", "findings": []} | ({"as_of": day[1]} if day else {})
        return reply("200 OK", json.dumps(row).encode())

    with serving(answer) as server:
        done = run("diff", "2026-01-31", "2026-02-28", "--base-url", server.url, "--json", "d.json")
    assert done.code == 3
    assert done.out.startswith("2026-01-31 to 2026-02-28: 1 of 2 platforms compared\n")
    record = json.loads(Path("d.json").read_text())
    assert (record["before"], record["after"], record["platforms"]) == ("2026-01-31", "2026-02-28", 2)
    assert (record["not_compared"], record["ratings"]) == (["birch"], [])


@pytest.mark.parametrize(
    "more", [["--snapshots"], ["--as-of", "2026-01-01"], ["--base-url", DEAD], ["--database", "a"]]
)
def test_a_check_of_pulls_takes_no_other_option(more: list[str], run: Run) -> None:
    done = run("pull", "--check", *more)
    assert (done.code, "--check accepts no other option than --archive" in done.err) == (2, True)
