"""Subscriptions of a database: their keys go out by mail and are shown nowhere else (specification section 3)."""

from __future__ import annotations

import contextlib
import os
import secrets
from email.message import EmailMessage
from pathlib import Path

from riskanalytics.errors import DatabaseError
from riskanalytics.service.access import Access

_TEXT = """Your subscription to the risk-rating data service has started.

Tier: {tier}

Your key stands alone on the next line:

{key}

Send it as "Authorization: Bearer KEY" or "x-api-key: KEY". Keep it on your servers, never in a page.
It is shown in this mail only, and stops working when the subscription ends.
"""


def start(database: Path, email: str, tier: str, *, outbox: Path | None = None) -> Path:
    """Start a subscription and write its mail.

    Parameters
    ----------
    database : Path
    email : str
    tier : str
        `starter`, `pro` or `enterprise`.
    outbox : Path, optional
        Folder for the mail; `outbox` beside the database where None.

    Returns
    -------
    Path
        The mail, `.eml`, readable by its owner only.

    Raises
    ------
    SettingsError
        If the address or the tier is not one.
    DatabaseError
        If the mail or the key cannot be stored; no key is active then.
    """
    folder = outbox or database.parent / "outbox"
    access = Access.beside(database)
    key = access.issue(email, tier)
    path = folder / f"{secrets.token_hex(8)}.eml"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(_mail(email, tier, key))
    except OSError as error:
        access.withdraw(key)
        with contextlib.suppress(OSError):
            path.unlink()
        raise DatabaseError(f"the outbox {folder} cannot be written: {error.strerror}") from error
    return path


def _mail(email: str, tier: str, key: str) -> bytes:
    """Return the mail: plain ASCII, the key alone on its line."""
    message = EmailMessage()
    message["To"] = email
    message["Subject"] = "Your key for the risk-rating data service"
    message.set_content(_TEXT.format(tier=tier, key=key), cte="7bit")
    return bytes(message)


def end(database: Path, email: str) -> int:
    """End all subscriptions of an address; give how many were active."""
    return Access.beside(database).end(email)


def listed(database: Path) -> list[tuple[str, str, str, str]]:
    """Return (email, tier, started, ended or "active") of all subscriptions, oldest first."""
    rows = Access.beside(database).listed()
    return [(row.email, row.tier, row.started_at, row.ended_at or "active") for row in rows]
