"""Send mail through an SMTP server, or put it into a folder (the outbox)."""

import functools
import re
import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from riskanalytics.errors import DatabaseError, DeliveryError, SettingsError
from riskanalytics.files import reported_as, write_file

_EMAIL: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_PORTS: Final = {"smtp": 587, "smtps": 465}

Server = tuple[SplitResult, str]
"""Address of a mail server, and the sender of mail through it."""


def check_address(email: str) -> None:
    """Refuse a text that is not an email address.

    Parameters
    ----------
    email : str
        One address, without a name.

    Raises
    ------
    SettingsError
        If the text is not an email address.
    """
    if not _EMAIL.fullmatch(email):
        raise SettingsError(f"{email[:80]!r} is not an email address")


def mail_server(url: str) -> Server:
    """Parse the address of a mail server; errors do not repeat it, because it may contain a password.

    Parameters
    ----------
    url : str
        `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`, or `smtps://` for TLS from the first byte. `smtp` requires STARTTLS
        (RFC 3207), except for a server on this machine.

    Raises
    ------
    SettingsError
        If the address is invalid, or names no sender.
    """
    # raised for a bad port or IPv6 address
    with suppress(ValueError):
        parts = urlsplit(url)
        sender = parse_qs(parts.query).get("from", [""])[0]
        if parts.scheme in _PORTS and parts.hostname and parts.port != 0 and "@" in sender:
            return parts, sender
    raise SettingsError(
        "RISKANALYTICS_SMTP must be smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// for TLS from the start"
    )


def deliver(mail: EmailMessage, to: Server | Path, name: str, otherwise: str) -> Path | None:
    """Send an email through a server, or write it into an outbox.

    Parameters
    ----------
    mail : EmailMessage
        Sender, date and message id are set here, if it is sent.
    to : Server or Path
        Result of `mail_server`, or the folder of the outbox, which is made if it is missing.
    name : str
        Name of the file without its ending, `.eml`, and first part of the message id. A file of this name is replaced.
    otherwise : str
        Consequence of a failure, for the error's message, such as "no subscription was started".

    Returns
    -------
    Path or None
        Path of the email in the outbox (readable by its owner only); None if it was sent.

    Raises
    ------
    DatabaseError
        If the outbox cannot be written.
    DeliveryError
        If the mail server did not accept the email. The message contains nothing of the email or the password.
    """
    if not isinstance(to, Path):
        _send(*to, mail, name, otherwise)
        return None
    path = to / f"{name}.eml"
    with reported_as(DatabaseError, f"the outbox {to} cannot be written"):
        to.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(path, bytes(mail), mode=0o600)
    return path


def _send(server: SplitResult, sender: str, mail: EmailMessage, name: str, otherwise: str) -> None:
    """Send an email through a server (RFC 5321), never unencrypted to another machine."""
    host, port = server.hostname or "", server.port or _PORTS[server.scheme]
    context = ssl.create_default_context()
    connect = functools.partial(smtplib.SMTP_SSL, context=context) if server.scheme == "smtps" else smtplib.SMTP
    mail["From"], mail["Date"] = sender, formatdate(usegmt=True)
    mail["Message-ID"] = f"<{name}@{sender.rpartition('@')[2]}>"
    try:
        with connect(host, port, timeout=20) as smtp:
            if server.scheme == "smtp" and host not in ("localhost", "127.0.0.1", "::1"):
                smtp.starttls(context=context)
            if server.username:
                smtp.login(unquote(server.username), unquote(server.password or ""))
            smtp.send_message(mail)
    except (smtplib.SMTPException, OSError, ValueError) as error:
        # the reason may repeat what was sent, including a key: name only the type of error
        kind = type(error).__name__
        raise DeliveryError(
            f"mail server {host} port {port} did not accept the email ({kind}); {otherwise}; check RISKANALYTICS_SMTP"
        ) from None
