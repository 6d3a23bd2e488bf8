"""Subscriptions of a database: their keys go out by mail and are shown nowhere else (specification section 3)."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from riskanalytics.databases import Place, folder_of
from riskanalytics.errors import DatabaseError
from riskanalytics.service.keys.access import PREFIXES, Access
from riskanalytics.service.keys.relay import Relay
from riskanalytics.service.store.files import sync_folder

_KEY: Final = re.compile(rf"^(?:{'|'.join(sorted(set(PREFIXES.values())))})[A-Za-z0-9_-]{{43}}$", re.MULTILINE)
_TEXT = """Your subscription to the risk-rating data service has started.

Tier: {tier}

Your key stands alone on the next line:

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

    Notes
    -----
    The mail is on the disk before its key works, under a name that is not yet a mail's; what a kill or a power cut leaves
    is brought to its end by the next start with the same outbox, or the next end: neither is lost without the other.
    """
    folder = outbox or folder_of(database) / "outbox"
    with contextlib.closing(Access.beside(database)) as access:
        ending = _ending(access, database)
        _finish(access, folder, ending)
        server = Relay.of(smtp) if smtp and outbox is None else None
        key = access.new_key(email, tier)
        mail = _mail(email, tier, key)
        with access.transaction():  # no other command takes the mail for one that was left behind
            pending = _put(folder, mail, ending)
            access.activate(key, email, tier)
        try:
            if server is None:
                return _delivered(pending)
            server.send(mail)
        except BaseException:
            access.withdraw(key)
            pending.unlink(missing_ok=True)
            raise
        pending.unlink(missing_ok=True)
        return None


def _finish(access: Access, folder: Path, ending: str) -> None:
    """Bring to an end what a start left that was cut off: the mail of an active key is delivered, any other is deleted."""
    with access.transaction():
        for pending in sorted(folder.glob(f"*{ending}")):
            try:
                found = _KEY.search(pending.read_text(encoding="ascii", errors="replace"))
            except FileNotFoundError:
                continue  # its own command has delivered it
            if found is not None and access.holder_of(found[0]) is not None:
                _delivered(pending)
            else:
                pending.unlink(missing_ok=True)


def _ending(access: Access, database: Place) -> str:
    """Return what the name of a mail ends in until its key works.

    It is another for each database, as several may share an outbox: a copy of one has the same secret, in another place.
    """
    place = database.resolve() if isinstance(database, Path) else database
    return f".eml.{access.digest(f'outbox of {place}').hex()[:16]}.pending"


def _put(folder: Path, mail: EmailMessage, ending: str) -> Path:
    """Write a mail into a folder under a name that is not yet a mail's: on the disk, whole or not at all."""
    path = folder / f"{secrets.token_hex(8)}{ending}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(bytes(mail))
            file.flush()
            os.fsync(file.fileno())
        sync_folder(folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise DatabaseError(f"the outbox {folder} cannot be written: {error.strerror}") from error
    return path


def _delivered(pending: Path) -> Path:
    """Give a mail its name, on the disk."""
    mail = pending.with_name(pending.name.partition(".")[0] + ".eml")
    with contextlib.suppress(FileNotFoundError):  # another command has done so
        pending.rename(mail)
    sync_folder(mail.parent)
    return mail


def _mail(email: str, tier: str, key: str) -> EmailMessage:
    """Return the mail: plain ASCII, the key alone on its line."""
    message = EmailMessage()
    message["To"] = email
    message["Subject"] = "Your key for the risk-rating data service"
    message.set_content(_TEXT.format(tier=tier, key=key), cte="7bit")
    return message


def end(database: Place, email: str) -> int:
    """End all subscriptions of an address; give how many were active."""
    with contextlib.closing(Access.beside(database)) as access:
        _finish(access, folder_of(database) / "outbox", _ending(access, database))
        return access.end(email)


def listed(database: Place) -> list[tuple[str, str, str, str]]:
    """Return (email, tier, started, ended or "active") of all subscriptions, oldest first."""
    with contextlib.closing(Access.beside(database)) as access:
        rows = access.listed()
    return [(row.email, row.tier, row.started_at, row.ended_at or "active") for row in rows]
