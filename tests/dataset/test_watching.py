"""What became true since an earlier day, and the delivery of each alert, once, to mailboxes and webhooks."""

from __future__ import annotations

import base64
import email
import email.policy
import hashlib
import hmac
import json
import os
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import time_machine

from riskanalytics.client import Client
from riskanalytics.dataset import connect, load
from riskanalytics.dataset.watching import Alert, State, mailed, posted, watch
from riskanalytics.errors import DatabaseError, DeliveryError, ParameterError, SettingsError
from riskanalytics.topics.appetite.rules import Appetite, Exemption, Rule
from tests.http_server import reply, serving
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS, build_database, fill_database
from tests.service.test_subscriptions import Mailbox, mail_server

RULES = Appetite(rule=(Rule(id="no-high", rating="MED"),))
FAR = "We may transfer your personal data to countries outside your own."
AGAIN = PRIVACY.replace("We do not sell", "We never sell")
POLICY = "Aurelia Chat/Privacy Policy"
FILES = {
    f"{POLICY}/2026-01-10.md": PRIVACY_LATER,
    f"{POLICY}/2026-03-05.md": PRIVACY,
    f"{POLICY}/2026-03-20.md": f"{PRIVACY_LATER}\n{FAR}\n",
    f"{POLICY}/2026-04-02.md": f"{AGAIN}\n{FAR}\n",
    "Aurelia Chat/Terms of Service/2026-01-10.md": TERMS,
    "Borea/Terms of Service/2026-04-10.md": TERMS.replace("Aurelia Chat", "Borea"),
}
"""A platform that trains, stops, and trains again, and another one that is tracked late."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with connect(build_database(tmp_path_factory.mktemp("watched"), FILES)) as client:
        yield client


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def kinds(alerts: list[Alert]) -> list[tuple[str, str]]:
    return [(one["kind"], one["day"][:10]) for one in alerts]


def new(
    state: State, database: Client | Path, day: str = "", rules: Appetite | str = "", since: str = ""
) -> list[Alert]:
    """Make a run that delivers to nobody, and return its alerts."""
    data = load(database, day)
    found = state.new(data, rules, since)
    state.deliver(found, {}, Path("watch.json"), data.day)
    return found


def test_what_became_true_after_a_day_is_listed_with_verified_quotes(database: Client | Path) -> None:
    found = watch(load(database, "2026-03-06"), "2026-03-04", RULES)
    assert found[["kind", "slug"]].values.tolist() == [
        ["rule_broken", "aurelia-chat"],
        ["material_change", "aurelia-chat"],
    ]
    assert (
        found["title"][0]
        == "Aurelia Chat breaks your rule “Rating at most MED”: rated HIGH; allowed: rating at most MED."
    )
    quotes = [one for row in found["quotes"] for one in row]
    assert {one["verification_status"] for one in quotes} == {"verified"}
    assert "We use the prompts you enter to train our models." in {one["quote"] for one in quotes}
    assert watch(load(database, "2026-03-06"), "2026-03-05", RULES).empty
    assert watch(load(database, "2026-03-06"), "2026-03-04")["kind"].tolist() == ["material_change"]


def test_rules_on_levels_and_stances_are_newly_broken_but_not_of_platforms_that_could_not_be_read(
    database: Client,
) -> None:
    level, stance = Rule(id="a", surface="training_use", level="LOW"), Rule(id="b", stances=("trains_by_default",))
    data, rules = load(database, "2026-03-06"), Appetite(rule=(level, stance))
    assert watch(data, "2026-03-04", rules)["kind"].tolist() == ["rule_broken", "rule_broken", "material_change"]
    database.problems.add("it could not be read", "here", "aurelia-chat")
    assert watch(data, "2026-03-04", rules)["kind"].tolist() == ["material_change"]
    database.problems.begin("here")


@pytest.mark.parametrize("rules", ["", RULES])
def test_dates_after_the_data_are_announced_not_those_since_the_earlier_day(
    database: Client, rules: Appetite | str
) -> None:
    data = load(database, "2026-03-20")
    stated = data.findings.head(3).assign(
        kind="effective", date=pd.to_datetime(["2026-03-18", "2026-03-20", "2026-03-21"])
    )
    found = watch(data.replaced(dates=stated.assign(date=stated["date"].dt.tz_localize("UTC"))), "2026-03-06", rules)
    assert found["kind"].tolist() == ["material_change", "date_ahead"]
    assert found["title"].iloc[-1].endswith("will be effective from 21 March 2026.")
    assert [one["verification_status"] for one in found["quotes"].iloc[-1]] == ["verified"]


@pytest.mark.parametrize("before", ["2026-03-06", "2026-03-07", "", "soon"])
def test_a_day_that_is_not_before_the_data_is_refused(database: Client | Path, before: str) -> None:
    with pytest.raises(ParameterError, match=r"which is not after|give before, the earlier day|a day is YYYY-MM-DD"):
        watch(load(database, "2026-03-06"), before)


def test_each_use_of_a_portfolio_is_compared_with_itself(database: Client | Path, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("name,plan\nAurelia Chat,Free\nAurelia Chat,Team\n")
    rules = Appetite(rule=(Rule(id="no-high", rating="MED", plans=("team",)),))
    found = watch(load(database, "2026-03-06", portfolio=tmp_path / "ours.csv"), "2026-03-04", rules)
    assert found["title"][0].startswith("Aurelia Chat (Team) breaks")
    assert len(found) == 2


def test_an_exception_is_judged_by_today_if_the_data_are_the_newest(database: Client | Path) -> None:
    exception = Exemption(rule="r", platform="aurelia-chat", owner="Ann", reason="Trial.", expires=date(2026, 6, 1))
    rules = Appetite(rule=(Rule(id="r", rating="LOW"),), exception=(exception,))
    with time_machine.travel("2026-05-10", tick=False):
        for day, announced in (("", ["exception_expires"]), ("2026-04-09", [])):
            found = watch(load(database, day, platforms="aurelia-chat"), "2026-04-03", rules)
            assert found["kind"].tolist() == announced
    with time_machine.travel("2026-06-02", tick=False):
        found = watch(load(database, platforms="aurelia-chat"), "2026-04-03", rules)
    assert found["advice"].tolist() == ["Its exception has expired: renew it, or end the use."]


def test_runs_report_each_change_once_and_a_rule_whenever_it_is_broken_again(database: Client | Path) -> None:
    state, found = State(), {}
    days = ("03-04", "03-05", "03-05", "03-06", "03-20", "04-01", "04-02", "04-10")
    with time_machine.travel("2026-04-10", tick=False):
        for day in days:
            found[day] = found.get(day, []) + new(state, database, f"2026-{day}", RULES)
    assert {day: kinds(alerts) for day, alerts in found.items() if alerts} == {
        "03-05": [("rule_broken", "2026-03-05"), ("material_change", "2026-03-05")],
        "03-20": [("material_change", "2026-03-20")],
        "04-02": [("rule_broken", "2026-04-02"), ("material_change", "2026-04-02")],
        "04-10": [("rule_broken", "2026-04-10")],
    }
    assert len({one["alert_id"] for one in state.alerts}) == len(state.alerts) == 6
    assert found["04-10"][0]["title"].startswith("Borea, newly tracked, breaks your rule")
    assert [one["verification_status"] for one in found["04-10"][0]["quotes"]] == ["verified"] * 2
    with pytest.raises(ParameterError, match="2026-04-01, which is not after"):
        state.new(load(database, "2026-04-01"))


def test_the_first_run_looks_thirty_days_back_or_to_a_given_day(database: Client | Path) -> None:
    assert kinds(new(State(), database, "2026-04-04")) == [
        ("material_change", day) for day in ("2026-04-02", "2026-03-20")
    ]
    assert [one["found"] for one in new(State(), database, "2026-04-03")] == ["2026-04-03"] * 3
    state = State()
    assert len(new(state, database, "", since="2026-03-25")) == 1
    # later runs do not look before the first one
    assert new(state, database, "", since="2026-01-01") == []
    assert (state.begin, state.day) == (date(2026, 3, 25), date(2026, 4, 10))


@pytest.mark.parametrize(
    ("day", "changes"),
    [
        ("2026-04-19", 2),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (("2026-04-03", 3), ("2026-04-20", 1))),
    ],
)
def test_captures_that_are_added_late_are_reported_up_to_thirty_days_back(
    tmp_path: Path, day: str, changes: int
) -> None:
    late = {name: FILES[name] for name in (f"{POLICY}/2026-03-05.md", f"{POLICY}/2026-03-20.md")}
    early = {name: FILES[name] for name in (f"{POLICY}/2026-01-10.md", "Aurelia Chat/Terms of Service/2026-01-10.md")}
    database, state = build_database(tmp_path, {**early, f"Borea/Privacy Policy/{day}.md": PRIVACY_LATER}), State()
    new(state, database, rules=RULES, since="2026-01-15")
    # on the last day of the first run, too
    fill_database(database, tmp_path, {**late, f"{POLICY}/{day}.md": f"{AGAIN}\n{FAR}\n"})
    found = [*new(state, database, rules=RULES), *new(state, database, rules=RULES)]
    assert [one["kind"] for one in found].count("material_change") == changes
    assert [one["kind"] for one in found].count("rule_broken") == 1
    assert new(state, database, rules=RULES) == []


@pytest.mark.parametrize(("found", "again"), [("2026-03-31", ["rule_broken"]), ("2026-04-01", []), ("None", [])])
def test_the_day_of_the_data_decides_whether_a_rule_is_broken_again_not_the_day_of_the_alert(
    database: Client, found: str, again: list[str]
) -> None:
    known = {"kind": "rule_broken", "slug": "aurelia-chat", "about": "no-high", "day": "2026-11-27T00:00:00Z"}
    state = State(begin=date(2026, 3, 20), day=date(2026, 4, 1), alerts=[{**known, "found": found}])
    alerts = state.new(load(database, "2026-04-02"), RULES)
    assert [one["kind"] for one in alerts] == [*again, "material_change"]


def test_an_incomplete_run_keeps_its_alerts_but_the_next_one_looks_at_the_same_days(database: Client | Path) -> None:
    state = State()
    data = load(database, "2026-03-06")
    state.deliver(state.new(data, RULES), {}, Path("part.json"), None)
    assert (state.day, len(state.alerts)) == (None, 2)
    assert new(state, database, "2026-03-07", RULES) == []
    state.deliver([], {}, Path("part.json"), None)
    assert state.day == date(2026, 3, 7)


def test_a_state_is_private_and_survives_its_file_and_forgets_delivered_alerts_after_a_year(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    old = [{"alert_id": str(n), "kind": "rule_broken", "slug": "a", "about": "r", "day": day, "found": day, "pending": pending}
           for n, (day, pending) in enumerate([("2025-02-10T00:00:00Z", []), ("2025-02-10T00:00:00Z", ["mail"]),
                                               ("2025-03-19T00:00:00Z", [])])]  # fmt: skip
    state = State(begin=date(2025, 1, 1), day=date(2026, 4, 21), alerts=old)
    (tmp_path / ".riskanalytics-abcdefgh.xml").write_text("<feed")
    os.utime(tmp_path / ".riskanalytics-abcdefgh.xml", (0, 0))
    state.deliver([], {}, file, date(2026, 4, 22))
    assert [one["alert_id"] for one in state.alerts] == ["1", "2"]
    assert State.read(file) == state
    assert [one.name for one in tmp_path.iterdir()] == ["s.json"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert State.read(tmp_path / "none.json") == State()
    for damaged in ('{"day": "2026', '{"alerts": 3}', "[]", ""):
        file.write_text(damaged)
        with pytest.raises(
            ParameterError, match=r"s\.json is not a state of `riskanalytics watch`: give another --state"
        ):
            State.read(file)


def given_alerts(count: int) -> list[Alert]:
    """Return alerts as a state has them."""
    one = {"kind": "rule_broken", "slug": "a", "name": "A", "day": "2026-03-05T00:00:00Z", "title": "A breaks it.",
           "advice": "End it.", "quotes": [], "about": "r"}  # fmt: skip
    return [{**one, "alert_id": str(n)} for n in range(count)]


def test_each_recipient_gets_an_alert_once_whatever_happens_to_the_others(tmp_path: Path) -> None:
    file, state, got = tmp_path / "s.json", State(), []

    def taking(pending: list[Alert], name: str, most: int) -> Iterator[list[Alert]]:
        for one in pending[:most]:
            got.append((name, one["alert_id"]))
            yield [one]
            assert name not in State.read(file).alerts[int(one["alert_id"])]["pending"]
        if len(pending) > most:
            raise DeliveryError(f"{name} took {most}")

    to = {name: partial(taking, name=name, most=most) for name, most in (("mail", 1), ("webhook", 9))}
    with pytest.raises(DeliveryError, match="mail took 1"):
        state.deliver(given_alerts(3), to, file, date(2026, 3, 6), tmp_path / "feed.xml")
    assert got == [("mail", "0"), *(("webhook", str(n)) for n in range(3))]
    assert [one["pending"] for one in State.read(file).alerts] == [[], ["mail"], ["mail"]]
    assert (tmp_path / "feed.xml").read_text().count("<entry>") == 3
    assert file.stat().st_mode & 0o777 == 0o600
    got.clear()
    State.read(file).deliver([], {"mail": partial(taking, name="mail", most=9)}, file, date(2026, 3, 7))
    assert got == [("mail", "1"), ("mail", "2")]
    # a recipient that is named later does not get what was found before
    State.read(file).deliver([], {"webhook": partial(taking, name="webhook", most=0)}, file, date(2026, 3, 8))


def test_an_outbox_that_cannot_be_written_does_not_keep_alerts_from_the_others(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("a file")
    got: list[str] = []

    def taking(pending: list[Alert]) -> Iterator[list[Alert]]:
        got.extend(one["alert_id"] for one in pending)
        yield pending

    to = {
        "mail": partial(mailed, address="ann@a.example", smtp=None, outbox=tmp_path / "outbox", worded=[]),
        "webhook": taking,
    }
    with pytest.raises(DatabaseError, match=r"the outbox .* cannot be written"):
        State().deliver(given_alerts(2), to, tmp_path / "s.json", date(2026, 3, 6))
    assert got == ["0", "1"]
    assert [one["pending"] for one in State.read(tmp_path / "s.json").alerts] == [["mail"], ["mail"]]


def test_a_mail_of_the_same_alerts_is_the_same_file_or_has_the_same_id(tmp_path: Path) -> None:
    alerts = given_alerts(2)
    for part in (alerts, alerts, alerts[:1], alerts[1:], []):
        assert list(mailed(part, "ann@a.example", None, tmp_path / "outbox", [])) == ([part] if part else [])
    names = sorted(file.name for file in (tmp_path / "outbox").iterdir())
    assert len(names) == 3
    mailbox = Mailbox()
    with mail_server(mailbox) as url:
        for part in (alerts, []):
            list(mailed(part, "ann@a.example", url, tmp_path, []))
    (got,) = mailbox.mails
    read = email.message_from_bytes(got.content)
    assert (got.rcpt_tos, read["Subject"]) == (["ann@a.example"], "2 alerts: A breaks it.")
    assert read["Message-ID"].partition("@")[0].strip("<") + ".eml" in names
    mailbox.answer = "451 later"
    with mail_server(mailbox) as url, pytest.raises(DeliveryError, match="its alerts are sent again at the next run"):
        list(mailed(alerts, "ann@a.example", url, tmp_path, []))
    with pytest.raises(SettingsError, match="not an email address"):
        list(mailed([], "ann", None, tmp_path, []))


def test_a_mail_lists_changes_of_wording_once_and_only_beside_alerts(tmp_path: Path) -> None:
    garden, cat = "The office has a garden with trees, and a pond with fish in it.", "The office has a cat."
    clock = "The hall has a piano, and a clock that is never right."
    texts = {"03-01": f"{garden}\n\n{cat}", "03-05": cat, "03-08": f"{cat}\n\n{clock}"}
    files = {f"{POLICY}/2026-{day}.md": f"{PRIVACY}\n{text}\n" for day, text in texts.items()}
    for day, text in (("03-01", garden), ("03-20", clock)):
        files[f"Borea/Privacy Policy/2026-{day}.md"] = f"{PRIVACY}\n{text}\n\n{cat}\n".replace("Aurelia Chat", "Borea")
    state, outbox, seen = State(), tmp_path / "outbox", []
    with connect(build_database(tmp_path, files)) as client:
        for day in ("2026-03-04", "2026-03-10", "2026-03-10", "2026-03-20"):
            assert new(state, client, day) == []
            seen.append([*state.worded])
    lines = ["Aurelia Chat: Privacy Policy", "Borea: Privacy Policy"]
    assert seen == [[], lines[:1], lines[:1], lines]
    assert State.read(Path("watch.json")).worded == lines
    assert list(mailed([], "ann@a.example", None, outbox, state.worded)) == []
    assert state.worded == lines
    list(mailed(given_alerts(1), "ann@a.example", None, outbox, state.worded))
    assert state.worded == []
    state.day = date(2026, 3, 4)  # a run without all data does not move the day, and the next one lists nothing twice
    with connect(tmp_path / "given.sqlite") as client:
        new(state, client, "2026-03-20")
    assert (state.worded, state.worded_until) == ([], date(2026, 3, 20))
    (file,) = outbox.iterdir()
    mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    text, page = (mail.get_body((kind,)) for kind in ("plain", "html"))
    assert text and page
    assert "CHANGES OF WORDING ONLY\n\n* {}\n* {}\n".format(*lines) in text.get_content()
    assert "<ul><li>{}</li><li>{}</li></ul>".format(*lines) in page.get_content()


def test_a_webhook_gets_signed_json_and_may_answer_with_any_success(tmp_path: Path) -> None:
    alerts = [{**one, "pending": ["webhook"]} for one in given_alerts(2)]
    with (
        serving(reply("202 Accepted"), reply("204 No Content", b"")) as server,
        time_machine.travel(1000.9, tick=False),
    ):
        url = f"http://127.0.0.1:{server.port}/hook?x=1"
        assert list(posted(alerts, url, "s3cret")) == [[one] for one in alerts]
    head, _, body = server.asked[0].partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "post /hook?x=1 http/1.1"
    assert {"webhook-id: 0", "webhook-timestamp: 1000", "content-type: application/json"} <= set(lines)
    signed = base64.b64encode(hmac.new(b"s3cret", b"0.1000." + body, hashlib.sha256).digest()).decode()
    assert f"webhook-signature: v1,{signed}".encode() in head
    assert json.loads(body) == {
        "type": "alert.rule_broken", "timestamp": "2026-03-05T00:00:00Z", "data": given_alerts(1)[0],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "why"),
    [(reply("500 Oops"), "status 500"), (reply("307 Temporary Redirect", b"", "Location: /other"), "status 307"),
     (b"", "no answer, or a private address")],
)  # fmt: skip
def test_a_webhook_that_refuses_stops_the_run_of_its_alerts_without_naming_the_address(answer: bytes, why: str) -> None:
    taken: list[list[Alert]] = []
    with serving(answer) as server, pytest.raises(DeliveryError) as refused:
        taken.extend(posted(given_alerts(2), f"http://127.0.0.1:{server.port}/canary", "s3cret"))
    assert taken == []
    assert (
        str(refused.value) == f"the webhook did not accept an alert ({why}); its alerts are sent again at the next run"
    )
    assert refused.value.__cause__ is None
    assert len(server.asked) == 1


@pytest.mark.parametrize("url", ["https://10.0.0.1/x", "https://192.168.1.1", "https://u:canary@127.0.0.1.nip/x"])
def test_nothing_is_posted_into_a_private_network(url: str) -> None:
    with pytest.raises(DeliveryError, match=r"\(no answer, or a private address\)"):
        list(posted(given_alerts(1), url, "s3cret"))


@pytest.mark.parametrize(
    ("url", "secret"),
    [("http://a.example/canary", "s"), ("https://a.example/canary", ""), ("http://127.0.0.1@a.example/canary", "s"),
     ("http://localhost.example/canary", "s"), ("http://10.0.0.1/canary", "s"), ("ftp://127.0.0.1/canary", "s"), ("canary", "s")],
)  # fmt: skip
def test_a_webhook_without_a_secret_or_in_plain_http_elsewhere_is_refused(url: str, secret: str) -> None:
    with pytest.raises(SettingsError, match="a webhook needs https") as refused:
        list(posted([], url, secret))
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("url", ["https://a.example", "http://localhost:1/x", "http://127.0.0.1", "http://[::1]:8/x"])
def test_addresses_with_https_and_of_this_machine_are_accepted(url: str) -> None:
    assert list(posted([], url, "s")) == []
