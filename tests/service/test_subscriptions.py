"""A subscription: its mail and its key start and end together, through an outbox or a real SMTP server on loopback."""

from __future__ import annotations

import contextlib
import email
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from riskanalytics.errors import DatabaseError, DeliveryError, SettingsError
from riskanalytics.service import Access, subscriptions
from riskanalytics.settings.databases import Place, written_out

KEY = re.compile(r"^(?:svc_|apc_live_)[A-Za-z0-9_-]{43}$", re.M)


def mailed_key(mail: Path) -> str:
    """The key that a mail carries, alone on its line."""
    text = email.message_from_bytes(mail.read_bytes()).get_payload()
    (key,) = KEY.findall(text)
    return key


STARTED = """
import os, sys
from riskanalytics.settings.databases import place_of
from riskanalytics.service import subscriptions
where, database = sys.argv[1], place_of(sys.argv[2])
setattr(subscriptions, where, lambda *values: os._exit(9))
subscriptions.start(database, "ann@company.example", "pro")
"""


@pytest.mark.parametrize(("tier", "prefix"), [("starter", "svc_"), ("pro", "apc_live_"), ("enterprise", "apc_live_")])
def test_a_subscription_mails_a_working_key_that_is_not_stored(tmp_path: Path, tier: str, prefix: str) -> None:
    database = tmp_path / "a.sqlite"
    mail = subscriptions.start(database, "ann@company.example", tier)
    key = mailed_key(mail)
    assert key.startswith(prefix)
    assert Access.of(database).holder_of(key)[1] == tier
    assert mail.read_bytes().isascii()
    parsed = email.message_from_bytes(mail.read_bytes())
    assert (parsed["To"], parsed["Subject"]) == ("ann@company.example", "Your key for the risk-rating data service")
    assert f"\nTier: {tier}\n" in parsed.get_payload()
    assert stat.S_IMODE(mail.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(mail.stat().st_mode) == 0o600
    for path in tmp_path.glob("*.sqlite*"):
        assert key.encode() not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_ended_subscription_stops_at_once_even_in_a_running_service(
    copied_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    running = Access.of(copied_place)
    key = mailed_key(subscriptions.start(copied_place, "ann@company.example", "pro"))
    assert running.holder_of(key) == (1, "pro")
    assert subscriptions.end(copied_place, "ann@company.example") == 1
    assert running.holder_of(key) is None
    running.close()
    assert [row[3] != "active" for row in subscriptions.listed(copied_place)] == [True]


def test_only_the_subscriptions_of_one_address_end_and_all_are_listed_oldest_first(tmp_path: Path) -> None:
    database, began = tmp_path / "a.sqlite", subscriptions.now()
    with contextlib.closing(Access.of(database)) as access:
        sold = [("zoe@b.example", "pro"), ("ann@b.example", "starter"), ("zoe@b.example", "enterprise")]
        keys = [access.issue(address, tier) for address, tier in sold]
        assert subscriptions.end(database, "zoe@b.example") == 2
        assert subscriptions.end(database, "zoe@b.example") == 0
        assert [access.holder_of(key) for key in keys] == [None, (2, "starter"), None]
    rows, ended = subscriptions.listed(database), subscriptions.now()
    assert [row[:2] for row in rows] == sold
    assert all(began <= row[2] <= ended for row in rows)
    assert [began <= row[3] <= ended for row in rows] == [True, False, True]
    assert rows[1][3] == "active"


def test_an_outbox_is_used_instead_of_a_mail_server(tmp_path: Path) -> None:
    dead = "smtp://127.0.0.1:9?from=a@b.example"
    mail = subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", outbox=tmp_path / "box", smtp=dead)
    assert mail is not None and mail.parent == tmp_path / "box"


@pytest.mark.parametrize(
    ("address", "tier"),
    [("no address", "pro"), ("a@b.example\nBcc: c@d.example", "pro"), ("a@b.example", "gold"), ("a@localhost", "pro"),
     ("a@b..example", "pro"), ("Ann <a@b.example>", "pro"), ("a" * 65 + "@b.example", "pro"), ("a@b.example", "PRO")],
)  # fmt: skip
def test_a_bad_address_or_tier_is_refused_and_leaves_no_mail(tmp_path: Path, address: str, tier: str) -> None:
    with pytest.raises(SettingsError):
        subscriptions.start(tmp_path / "a.sqlite", address, tier)
    assert list((tmp_path / "outbox").glob("*")) == []


def test_an_outbox_that_cannot_be_written_leaves_no_active_key(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DatabaseError):
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", outbox=tmp_path / "file" / "x")
    assert subscriptions.listed(tmp_path / "a.sqlite") == []


@pytest.mark.slow
@pytest.mark.parametrize("where", ["_mail", "deliver"])
def test_an_interrupted_start_leaves_no_mail_and_its_subscription_can_be_ended(
    copied_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    cut_off = [sys.executable, "-c", STARTED, where, written_out(copied_place)]
    assert subprocess.run(cut_off, check=False).returncode == 9
    assert not (tmp_path / "outbox").exists()
    assert [row[3] for row in subscriptions.listed(copied_place)] == ["active"]
    assert subscriptions.end(copied_place, "ann@company.example") == 1


def test_simultaneous_starts_write_separate_mails(
    copied_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        mails = list(pool.map(lambda n: subscriptions.start(copied_place, f"a{n}@b.example", "pro"), range(24)))
    assert sorted(mail.resolve() for mail in mails) == sorted((tmp_path / "outbox").iterdir())
    access = Access.of(copied_place)
    assert all(access.holder_of(mailed_key(mail)) for mail in mails)
    access.close()


class Mailbox:
    """Takes mail, or refuses it."""

    def __init__(self, answer: str = "250 OK") -> None:
        self.answer = answer
        self.mails: list[Any] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append(envelope)
        return self.answer


@contextlib.contextmanager
def mail_server(mailbox: Mailbox, host: str = "127.0.0.1", login: str = "", **options: Any) -> Iterator[str]:
    with socket.create_server((host, 0)) as taken:  # the controller cannot choose a port itself
        port = taken.getsockname()[1]
    controller = Controller(mailbox, hostname=host, port=port, **options)
    controller.start()
    try:
        yield f"smtp://{login}{host}:{port}?from=keys@service.example"
    finally:
        controller.stop()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_key_is_sent_by_smtp_on_a_separate_line(tmp_path: Path, host: str) -> None:
    mailbox = Mailbox()
    with mail_server(mailbox, host) as url:
        assert subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url) is None
    (mail,) = mailbox.mails
    assert (mail.mail_from, mail.rcpt_tos) == ("keys@service.example", ["ann@company.example"])
    (key,) = KEY.findall(mail.content.decode("ascii").replace("\r\n", "\n"))
    parsed = email.message_from_bytes(mail.content)
    assert (parsed["From"], parsed["To"]) == ("keys@service.example", "ann@company.example")
    assert parsed["Message-ID"].endswith("@service.example>")
    with contextlib.closing(Access.of(tmp_path / "a.sqlite")) as access:
        assert access.holder_of(key) == (1, "pro")
    assert not (tmp_path / "outbox").exists()


def test_a_mail_server_gets_the_name_and_password_of_its_address(tmp_path: Path) -> None:
    mailbox, seen = Mailbox(), []

    def known(server: Any, session: Any, envelope: Any, mechanism: str, login: LoginPassword) -> AuthResult:
        seen.append((login.login, login.password))
        return AuthResult(success=True)

    login = "ann%40b.example:p%3A%2F@"
    with mail_server(mailbox, login=login, authenticator=known, auth_require_tls=False) as url:
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    assert (seen, len(mailbox.mails)) == ([(b"ann@b.example", b"p:/")], 1)


def test_refused_mail_starts_no_subscription_and_the_error_repeats_nothing(tmp_path: Path) -> None:
    mailbox = Mailbox("554 no thanks apc_live_")
    with mail_server(mailbox) as url, pytest.raises(DeliveryError) as refused:
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    assert "apc_live_" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert subscriptions.listed(tmp_path / "a.sqlite") == []


def test_the_key_in_refused_mail_does_not_work(tmp_path: Path) -> None:
    mailbox = Mailbox("451 later")
    with mail_server(mailbox) as url, pytest.raises(DeliveryError, match="no subscription was started"):
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    (key,) = KEY.findall(mailbox.mails[0].content.decode("ascii").replace("\r\n", "\n"))
    with contextlib.closing(Access.of(tmp_path / "a.sqlite")) as access:
        assert access.holder_of(key) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux answers at all of 127.0.0.0/8")
def test_mail_is_never_sent_unencrypted_to_another_machine(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with mail_server(mailbox, "127.0.0.2") as url, pytest.raises(DeliveryError, match="SMTPNotSupportedError"):
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    assert mailbox.mails == []


@pytest.mark.parametrize(
    ("server", "port"), [("smtp://127.0.0.1:9", 9), ("smtp://127.0.0.1", 587), ("smtps://127.0.0.1", 465)]
)
def test_a_missing_mail_server_gives_a_one_line_error_with_its_port(tmp_path: Path, server: str, port: int) -> None:
    reason = rf"^mail server 127\.0\.0\.1 port {port} did not accept the email \(\w+\); no subscription was started; "
    with pytest.raises(DeliveryError, match=reason):
        subscriptions.start(tmp_path / "a.sqlite", "a@b.example", "pro", smtp=f"{server}?from=a@b.example")


@pytest.mark.parametrize(
    "url",
    [
        "http://x",
        "smtp://",
        "smtp://host:99999?from=a@b.example",
        "smtp://host:0?from=a@b.example",
        "smtp://[host?from=a@b.example",
        "smtp://u:canary@host",
        "smtp://u:canary@host?from=nobody",
    ],
)
def test_an_ill_formed_address_is_refused_without_repeating_it(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    assert "canary" not in str(refused.value)
    assert subscriptions.listed(tmp_path / "a.sqlite") == []
