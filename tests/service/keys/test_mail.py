"""Mail through a real SMTP server on loopback: where it is not taken, the key ends and nothing of it is repeated."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from riskanalytics.errors import DeliveryError, SettingsError
from riskanalytics.service import Access, subscriptions
from tests.service.keys.test_subscriptions import KEY


class Mailbox:
    """Takes mail, or refuses it."""

    def __init__(self, answer: str = "250 OK") -> None:
        self.answer = answer
        self.mails: list[Any] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append(envelope)
        return self.answer


@contextlib.contextmanager
def mail_server(mailbox: Mailbox, host: str = "127.0.0.1") -> Iterator[str]:
    with socket.create_server((host, 0)) as taken:  # the controller cannot choose a port itself
        port = taken.getsockname()[1]
    controller = Controller(mailbox, hostname=host, port=port)
    controller.start()
    try:
        yield f"smtp://{host}:{port}?from=keys@service.example"
    finally:
        controller.stop()


def test_a_key_goes_out_by_smtp_and_stands_alone_on_its_line(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with mail_server(mailbox) as url:
        assert subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url) is None
    (mail,) = mailbox.mails
    assert (mail.mail_from, mail.rcpt_tos) == ("keys@service.example", ["ann@company.example"])
    (key,) = KEY.findall(mail.content.decode("ascii").replace("\r\n", "\n"))
    with contextlib.closing(Access.beside(tmp_path / "a.sqlite")) as access:
        assert access.holder_of(key) == (1, "pro")
    assert not (tmp_path / "outbox").exists()


def test_mail_that_is_not_taken_starts_no_subscription_and_repeats_nothing(tmp_path: Path) -> None:
    mailbox = Mailbox("554 no thanks apc_live_")
    with mail_server(mailbox) as url, pytest.raises(DeliveryError) as refused:
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    assert "apc_live_" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert subscriptions.listed(tmp_path / "a.sqlite") == []


def test_the_key_of_mail_that_was_not_taken_does_not_work(tmp_path: Path) -> None:
    mailbox = Mailbox("451 later")
    with mail_server(mailbox) as url, pytest.raises(DeliveryError, match="no subscription was started"):
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    (key,) = KEY.findall(mailbox.mails[0].content.decode("ascii").replace("\r\n", "\n"))
    with contextlib.closing(Access.beside(tmp_path / "a.sqlite")) as access:
        assert access.holder_of(key) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux answers at all of 127.0.0.0/8")
def test_no_mail_goes_in_clear_to_a_server_that_is_not_at_an_address_of_this_machine(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with mail_server(mailbox, "127.0.0.2") as url, pytest.raises(DeliveryError, match="SMTPNotSupportedError"):
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", smtp=url)
    assert mailbox.mails == []


def test_a_server_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="did not take the mail"):
        subscriptions.start(tmp_path / "a.sqlite", "a@b.example", "pro", smtp="smtp://127.0.0.1:9?from=a@b.example")


@pytest.mark.parametrize(
    "url",
    [
        "http://x",
        "smtp://",
        "smtp://host:99999?from=a@b.example",
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
