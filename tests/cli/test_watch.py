"""`riskanalytics watch`: what became true since the last run, delivered once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.cli.calling import refused, run
from tests.http_server import Server, reply, served
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS, Caller, build_database

RULES = '[[rule]]\nid = "no-high"\ntitle = "Nothing high"\nrating = "MED"\n'
FILES = {
    "Aurelia Chat/Privacy Policy/2026-01-10.md": PRIVACY_LATER,
    "Aurelia Chat/Privacy Policy/2026-03-05.md": PRIVACY,
    "Aurelia Chat/Terms of Service/2026-01-10.md": TERMS,
}
LINES = [
    "Aurelia Chat breaks your rule “Nothing high”: rated HIGH; allowed: rating at most MED. "
    "Replace the platform, agree an exception, or end the use.",
    "Aurelia Chat changed its Privacy Policy on 5 March 2026: risk up on Training use; rating HIGH (was MED). "
    "Compare the clauses before and after the change, and decide whether your use may go on.",
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("watch"), FILES)


@pytest.fixture
def words(database: Path, tmp_path: Path) -> tuple[str, ...]:
    """Return the words of a call in a folder with rules."""
    (tmp_path / "rules.toml").write_text(RULES)
    return "watch", "--database", str(database), "--rules", "rules.toml"


def test_alerts_are_delivered_once_and_recorded(words: tuple[str, ...], tmp_path: Path) -> None:
    hook = Server([reply("200 OK")])
    to = ("--mail", "ann@a.example", "--webhook", hook.url, "--atom", "feed.xml")
    done = [run(*words, *to, cwd=tmp_path, RISKANALYTICS_WEBHOOK_SECRET="canary") for _ in range(2)]
    assert [(one.returncode, one.stdout.splitlines()) for one in done] == [
        (0, [*LINES, "2026-03-05: 2 new alerts"]), (0, ["2026-03-05: 0 new alerts"]),
    ]  # fmt: skip
    (mail,) = (tmp_path / "outbox").iterdir()
    assert b"To: ann@a.example" in mail.read_bytes()
    assert len(hook.asked) == 2
    state = json.loads((tmp_path / "watch.json").read_text())
    assert (state["begin"], state["day"]) == ("2026-02-03", "2026-03-05")
    assert [one["pending"] for one in state["alerts"]] == [[], []]
    entries = ET.parse(tmp_path / "feed.xml").findall("{http://www.w3.org/2005/Atom}entry")
    assert len(entries) == 2
    assert all("canary" not in file.read_text() for file in tmp_path.glob("*.*"))
    hook.close()


def test_a_dry_run_prints_and_leaves_nothing_behind(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*words, "--mail", "ann@a.example", "--atom", "a.xml", "--since", "2026-03-04", "--calendar", "c.ics",
               "--dry-run", cwd=tmp_path)  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()) == (0, [*LINES, "2026-03-05: 2 new alerts"])
    done = run(*words, "--as-of", "2026-03-04", "--dry-run", cwd=tmp_path)
    assert done.stdout == "2026-03-04: 0 new alerts\n"
    assert [file.name for file in tmp_path.iterdir()] == ["rules.toml"]


def test_stated_dates_ahead_are_announced_once_and_are_in_a_calendar(tmp_path: Path) -> None:
    dated = PRIVACY.replace("\n\nThis policy", "\n\nThis policy is effective as of 1 February 2026.\n\nThis policy", 1)
    database = build_database(tmp_path, {**FILES, "Aurelia Chat/Privacy Policy/2026-01-10.md": dated})
    call = ("watch", "--database", str(database), "--calendar", "dates.ics", "--as-of", "2026-01-31")
    done = [run(*call, cwd=tmp_path) for _ in range(2)]
    assert [one.stdout.splitlines() for one in done] == [
        ["Aurelia Chat: the Privacy Policy will be effective from 1 February 2026. Decide by then whether your use may go on.",
         "2026-01-31: 1 new alert"],
        ["2026-01-31: 0 new alerts"],
    ]  # fmt: skip
    calendar = (tmp_path / "dates.ics").read_bytes()
    assert calendar.startswith(b"BEGIN:VCALENDAR\r\n")
    assert b"DTSTART;VALUE=DATE:20260201\r\n" in calendar


def test_a_row_of_the_portfolio_that_is_not_watched_ends_with_3(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("name\nAurelia Chat\nNobody\n")
    done = run(*words, "--portfolio", "ours.csv", cwd=tmp_path)
    assert refused(done, 3) == "riskanalytics: not all platforms were watched: Nobody was not matched"
    assert done.stdout.splitlines()[-1] == "2026-03-05: 2 new alerts"
    assert (tmp_path / "watch.json").exists()


def test_without_a_pro_key_rules_are_watched_and_unknown_changes_and_lost_platforms_end_with_3(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(RULES)
    caller = Caller(build_database(tmp_path, {**FILES, "Borea/Terms of Service/2026-01-10.md": TERMS}))

    async def losing(scope: Any, receive: Any, send: Any) -> None:
        if scope.get("path", "").endswith("/platform/borea"):
            await send({"type": "http.response.start", "status": 501, "headers": []})
            await send({"type": "http.response.body"})
        else:
            await caller.app(scope, receive, send)

    with served(losing) as url:
        key = caller.keys["starter"]
        done = run("watch", "--base-url", url, "--rules", "rules.toml", cwd=tmp_path, RISKANALYTICS_API_KEY=key)
    caller.close()
    lost = "borea was not read; changes are not known without a Pro key"
    assert refused(done, 3).endswith(f"not all platforms were watched: {lost}")
    assert json.loads((tmp_path / "watch.json").read_text())["day"] is None  # the next run looks at the same days
    assert done.stdout.splitlines() == [LINES[0], "2026-03-05: 1 new alert"]


@pytest.mark.parametrize(
    ("more", "code", "why"),
    [(("--mail", "ann"), 2, "'ann' is not an email address"),
     (("--mail", "a@b.example"), 2, "RISKANALYTICS_SMTP must be smtp://"),
     (("--webhook", "https://a.example/canary"), 2, "a webhook needs https (or an address of this machine) and RISK"),
     (("--state", "rules.toml"), 2, "rules.toml is not a state of `riskanalytics watch`"),
     (("--since", "soon"), 2, "a day is YYYY-MM-DD"),
     (("--since", "2026-03-05"), 2, "the data are of 2026-03-05, which is not after 2026-03-05: give an earlier day"),
     (("--as-of", "2027-01-01"), 3, "2027-01-01 is after the data"),
     (("--state", "no/folder.json"), 1, "no: No such folder")],
)  # fmt: skip
def test_wrong_usage_is_refused_in_one_line_and_sends_nothing(
    words: tuple[str, ...], tmp_path: Path, more: tuple[str, ...], code: int, why: str
) -> None:
    done = run(*words, *more, cwd=tmp_path, RISKANALYTICS_SMTP="http://canary" if more[1] == "a@b.example" else "")
    assert why in refused(done, code)
    assert "canary" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["rules.toml"]


KILLED = """
import os, random, signal, sys, time
from riskanalytics import cli
import riskanalytics.cli.commands, riskanalytics.dataset.watching, riskanalytics.service

def run(most=60.0):
    pid, begun = os.fork(), time.monotonic()
    if not pid:
        cli.main(sys.argv[1:])
    while time.monotonic() - begun < most:
        ended, code = os.waitpid(pid, os.WNOHANG)
        if ended:
            assert code == 0
            return time.monotonic() - begun
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return 0.0

moments, whole, kills = random.Random(29), run(), 0
os.unlink("watch.json")
while kills < 4:
    took = run(moments.uniform(0.3, 1.0) * whole)
    kills, whole = kills + (not took), min(whole, took or whole)
run()
"""


@pytest.mark.slow
def test_killed_runs_lose_no_alert_and_send_none_under_another_identifier(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    hook = Server([reply("200 OK")])
    command = [sys.executable, "-c", KILLED, *words, "--webhook", hook.url, "--mail", "ann@a.example"]
    surroundings = {
        **os.environ,
        "RISKANALYTICS_WEBHOOK_SECRET": "s",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=True)
    # the first run is whole, and the others find everything again
    ids = [request.partition(b"webhook-id: ")[2][:36] for request in hook.asked]
    assert set(ids) == set(ids[:2])
    assert 4 <= len(ids) <= 4 + 6
    assert len(list((tmp_path / "outbox").glob("*.eml"))) == 1
    assert [one["pending"] for one in json.loads((tmp_path / "watch.json").read_text())["alerts"]] == [[], []]
    hook.close()
