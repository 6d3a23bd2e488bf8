"""Subscriptions of a database: their keys go out by mail and are shown nowhere else (specification section 3)."""

from __future__ import annotations

import contextlib
import os
import secrets
from email.message import EmailMessage
from pathlib import Path

from riskanalytics.errors import DatabaseError
from riskanalytics.service.access import Access
from riskanalytics.service.relay import Relay

_TEXT = """Your subscription to the risk-rating data service has started.

Tier: {tier}

Your key stands alone on the next line:

{key}

Send it as "Authorization: Bearer KEY" or "x-api-key: KEY". Keep it on your servers, never in a page.
It is shown in this mail only, and stops working when the subscription ends.
"""


def start(database: Path, email: str, tier: str, *, outbox: Path | None = None, smtp: str | None = None) -> Path | None:
    """Start a subscription and mail its key: through SMTP where it is set, else into the outbox.

    Parameters
    ----------
    database : Path
    email : str
    tier : str
        `starter`, `pro` or `enterprise`.
    outbox : Path, optional
        Folder for the mail; `outbox` beside the database where None. Goes before SMTP.
    smtp : str, optional
        `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`; `smtps` for TLS from the first byte. Without TLS the server must
        offer STARTTLS (RFC 3207) unless it is on this machine.

    Returns
    -------
    Path or None
        The mail, `.eml`, readable by its owner only; None where SMTP took it.

    Raises
    ------
    SettingsError
        If the address or the tier is not one.
    DatabaseError
        If the mail or the key cannot be stored; no key is active then.
    """
    with contextlib.closing(Access.beside(database)) as access:
        server = Relay.of(smtp) if smtp and outbox is None else None
        key = access.issue(email, tier)
        try:
            if server is not None:
                server.send(_mail(email, tier, key))
                return None
            return _put(outbox or database.parent / "outbox", _mail(email, tier, key))
        except BaseException:
            access.withdraw(key)
            raise


def _put(folder: Path, mail: EmailMessage) -> Path:
    """Write a mail into a folder, whole or not at all."""
    path = folder / f"{secrets.token_hex(8)}.eml"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(bytes(mail))
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise DatabaseError(f"the outbox {folder} cannot be written: {error.strerror}") from error
    return path


def _mail(email: str, tier: str, key: str) -> EmailMessage:
    """Return the mail: plain ASCII, the key alone on its line."""
    message = EmailMessage()
    message["To"] = email
    message["Subject"] = "Your key for the risk-rating data service"
    message.set_content(_TEXT.format(tier=tier, key=key), cte="7bit")
    return message


def end(database: Path, email: str) -> int:
    """End all subscriptions of an address; give how many were active."""
    with contextlib.closing(Access.beside(database)) as access:
        return access.end(email)


def listed(database: Path) -> list[tuple[str, str, str, str]]:
    """Return (email, tier, started, ended or "active") of all subscriptions, oldest first."""
    with contextlib.closing(Access.beside(database)) as access:
        rows = access.listed()
    return [(row.email, row.tier, row.started_at, row.ended_at or "active") for row in rows]
