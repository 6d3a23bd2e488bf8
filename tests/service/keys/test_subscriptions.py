"""A subscription: its mail and its key start and end together."""

from __future__ import annotations

import email
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError, SettingsError
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
from riskanalytics.service.keys import subscriptions
where, database = sys.argv[1], place_of(sys.argv[2])
setattr(subscriptions, where, lambda *values: os._exit(9))
subscriptions.start(database, "ann@company.example", "pro")
"""


@pytest.mark.parametrize(("tier", "prefix"), [("starter", "svc_"), ("pro", "apc_live_"), ("enterprise", "apc_live_")])
def test_a_subscription_mails_a_key_that_works_and_is_kept_nowhere(tmp_path: Path, tier: str, prefix: str) -> None:
    database = tmp_path / "a.sqlite"
    mail = subscriptions.start(database, "ann@company.example", tier)
    key = mailed_key(mail)
    assert key.startswith(prefix)
    assert Access.beside(database).holder_of(key)[1] == tier
    assert mail.read_bytes().isascii()
    assert stat.S_IMODE(mail.stat().st_mode) == 0o600
    for path in tmp_path.glob("*.sqlite*"):
        assert key.encode() not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_ended_subscription_stops_at_once_also_in_a_running_service(
    copied_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    running = Access.beside(copied_place)
    key = mailed_key(subscriptions.start(copied_place, "ann@company.example", "pro"))
    assert running.holder_of(key) == (1, "pro")
    assert subscriptions.end(copied_place, "ann@company.example") == 1
    assert running.holder_of(key) is None
    running.close()
    assert [row[3] != "active" for row in subscriptions.listed(copied_place)] == [True]


@pytest.mark.parametrize(
    ("address", "tier"),
    [("no address", "pro"), ("a@b.example\nBcc: c@d.example", "pro"), ("a@b.example", "gold")],
)
def test_a_bad_address_or_tier_is_refused_and_leaves_no_mail(tmp_path: Path, address: str, tier: str) -> None:
    with pytest.raises(SettingsError):
        subscriptions.start(tmp_path / "a.sqlite", address, tier)
    assert list((tmp_path / "outbox").glob("*")) == []


def test_an_outbox_that_cannot_be_written_leaves_no_active_key(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DatabaseError):
        subscriptions.start(tmp_path / "a.sqlite", "ann@company.example", "pro", outbox=tmp_path / "file" / "x")
    assert subscriptions.listed(tmp_path / "a.sqlite") == []


@pytest.mark.parametrize("where", ["_mail", "_put"])
def test_a_start_that_is_cut_off_leaves_no_mail_and_what_it_left_can_be_ended(
    copied_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    cut_off = [sys.executable, "-c", STARTED, where, written_out(copied_place)]
    assert subprocess.run(cut_off, check=False).returncode == 9
    assert not (tmp_path / "outbox").exists()
    assert [row[3] for row in subscriptions.listed(copied_place)] == ["active"]
    assert subscriptions.end(copied_place, "ann@company.example") == 1


def test_starts_at_the_same_time_take_no_mail_from_each_other(
    copied_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        mails = list(pool.map(lambda n: subscriptions.start(copied_place, f"a{n}@b.example", "pro"), range(24)))
    assert sorted(mail.resolve() for mail in mails) == sorted((tmp_path / "outbox").iterdir())
    access = Access.beside(copied_place)
    assert all(access.holder_of(mailed_key(mail)) for mail in mails)
    access.close()
