"""Subscriptions of a database: their keys go out by mail and are shown nowhere else (specification section 3)."""

from __future__ import annotations

import contextlib
import functools
import secrets
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from riskanalytics.errors import DatabaseError, DeliveryError, SettingsError
from riskanalytics.files import write_file
from riskanalytics.service.keys import Access
from riskanalytics.settings.databases import Place, folder_of

_SECONDS: Final = 20
_FORM: Final = "RISKANALYTICS_SMTP is smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// for TLS from the start"
_PORTS: Final = {"smtp": 587, "smtps": 465}
_HERE: Final = ("localhost", "127.0.0.1", "::1")
_TEXT = """Your subscription to the risk-rating data service has started.

Tier: {tier}

Your key is on the next line:

{key}

Send it as "Authorization: Bearer KEY" or "x-api-key: KEY". Keep it on your servers, never in a page.
It is shown in this mail only, and stops working when the subscription ends.
"""


def start(
    database: Place, email: str, tier: str, *, outbox: Path | None = None, smtp: str | None = None
) -> Path | None:
    """Start a subscription and mail its key: through SMTP where it is set, else into the outbox.

    Parameters
    ----------
    database : Path or Server
    email : str
    tier : str
        `starter`, `pro` or `enterprise`.
    outbox : Path, optional
        Folder for the mail; `outbox` beside the database, or in this folder where a server has it, where None. Goes before SMTP.
    smtp : str, optional
        `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`; `smtps` for TLS from the first byte. With `smtp` mail goes to
        another machine after STARTTLS (RFC 3207) only, and to this machine in clear.

    Returns
    -------
    Path or None
        The mail, `.eml`, readable by its owner only; None where SMTP took it.

    Raises
    ------
    SettingsError
        If the address, the tier or the address of the mail server is not one.
    DatabaseError
        If the key or the mail cannot be stored; no key is active then.
    DeliveryError
        If the mail server did not take the mail; no key is active then.

    Notes
    -----
    The key is on the disk before its mail goes out, so each mail has a key that works. A start that is killed between
    the two leaves a key that nobody has: `end` ends it.
    """
    server = _server(smtp) if smtp and outbox is None else None
    with contextlib.closing(Access.beside(database)) as access:
        key = access.issue(email, tier)
        try:
            mail = _mail(email, tier, key)
            if server is None:
                return _put(outbox or folder_of(database) / "outbox", mail)
            _send(server, mail)
        except BaseException:
            access.withdraw(key)
            raise
    return None


def _mail(email: str, tier: str, key: str) -> EmailMessage:
    """Return the mail: plain ASCII, the key alone on its line."""
    message = EmailMessage()
    message["To"], message["Subject"] = email, "Your key for the risk-rating data service"
    message.set_content(_TEXT.format(tier=tier, key=key), cte="7bit")
    return message


def _put(folder: Path, mail: EmailMessage) -> Path:
    """Write a mail into a folder: on the disk, whole or not at all."""
    path = folder / f"{secrets.token_hex(8)}.eml"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(path, bytes(mail), mode=0o600)
    except OSError as error:
        raise DatabaseError(f"the outbox {folder} cannot be written: {error.strerror}") from error
    return path


def _server(url: str) -> SplitResult:
    """Read the address of a mail server; a wrong address may hold a password, and is not repeated."""
    with contextlib.suppress(ValueError):  # of a port or an IPv6 address
        parts = urlsplit(url)
        if parts.scheme in _PORTS and parts.hostname and parts.port != 0 and "@" in _sender(parts):
            return parts
    raise SettingsError(_FORM)


def _sender(server: SplitResult) -> str:
    """Return the address that mails come from."""
    return parse_qs(server.query).get("from", [""])[0]


def _send(server: SplitResult, mail: EmailMessage) -> None:
    """Hand a mail to a server (RFC 5321), never in clear to another machine."""
    host, port = server.hostname or "", server.port or _PORTS[server.scheme]
    context = ssl.create_default_context()
    connect = functools.partial(smtplib.SMTP_SSL, context=context) if server.scheme == "smtps" else smtplib.SMTP
    mail["From"], mail["Date"] = _sender(server), formatdate(usegmt=True)
    mail["Message-ID"] = make_msgid(domain=_sender(server).rpartition("@")[2])
    try:
        with connect(host, port, timeout=_SECONDS) as smtp:
            if server.scheme == "smtp" and host not in _HERE:
                smtp.starttls(context=context)
            if server.username:
                smtp.login(unquote(server.username), unquote(server.password or ""))
            smtp.send_message(mail)
    except (smtplib.SMTPException, OSError, ValueError) as error:
        # the reason may repeat what was sent, key included: the message names only its kind
        raise DeliveryError(
            f"the mail server {host} port {port} did not take the mail ({type(error).__name__}); "
            "no subscription was started"
        ) from None


def end(database: Place, email: str) -> int:
    """End all subscriptions of an address; return how many were active."""
    with contextlib.closing(Access.beside(database)) as access:
        return access.end(email)


def listed(database: Place) -> list[tuple[str, str, str, str]]:
    """Return (email, tier, started, ended or "active") of all subscriptions, oldest first."""
    with contextlib.closing(Access.beside(database)) as access:
        return access.listed()
