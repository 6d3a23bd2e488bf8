"""Send mail through an SMTP server, or put it into a folder (the outbox)."""

import functools
import re
import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from riskanalytics.errors import DatabaseError, DeliveryError, SettingsError
from riskanalytics.files import write_file

_EMAIL: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_FORM: Final = (
    "RISKANALYTICS_SMTP must be smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// for TLS from the start"
)
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
        `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`, or `smtps://` for TLS from the first byte.

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
    raise SettingsError(_FORM)


def put(folder: Path, mail: EmailMessage, name: str) -> Path:
    """Write an email into an outbox, completely or not at all, and return its path.

    Parameters
    ----------
    folder : Path
        The outbox. It is made if it is missing.
    mail : EmailMessage
    name : str
        Name of the file without its ending, `.eml`. A file of this name is replaced.

    Raises
    ------
    DatabaseError
        If the outbox cannot be written.
    """
    path = folder / f"{name}.eml"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(path, bytes(mail), mode=0o600)
    except OSError as error:
        raise DatabaseError(f"the outbox {folder} cannot be written: {error.strerror}") from error
    return path


def send(server: Server, mail: EmailMessage, otherwise: str) -> None:
    """Send an email through a server (RFC 5321), never unencrypted to another machine.

    Parameters
    ----------
    server : Server
        Result of `mail_server`. `smtp` requires STARTTLS (RFC 3207), except for a server on this machine.
    mail : EmailMessage
        Its sender, date and, unless it has one, message id are set here.
    otherwise : str
        What an error says about the consequence of a failure.

    Raises
    ------
    DeliveryError
        If the mail server did not accept the email. The message contains nothing of the email or the password.
    """
    parts, sender = server
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    context = ssl.create_default_context()
    connect = functools.partial(smtplib.SMTP_SSL, context=context) if parts.scheme == "smtps" else smtplib.SMTP
    mail["From"], mail["Date"] = sender, formatdate(usegmt=True)
    if "Message-ID" not in mail:
        mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    try:
        with connect(host, port, timeout=20) as smtp:
            if parts.scheme == "smtp" and host not in ("localhost", "127.0.0.1", "::1"):
                smtp.starttls(context=context)
            if parts.username:
                smtp.login(unquote(parts.username), unquote(parts.password or ""))
            smtp.send_message(mail)
    except (smtplib.SMTPException, OSError, ValueError) as error:
        # the reason may repeat what was sent, including a key: name only the type of error
        kind = type(error).__name__
        raise DeliveryError(
            f"mail server {host} port {port} did not accept the email ({kind}); {otherwise}; check RISKANALYTICS_SMTP"
        ) from None
