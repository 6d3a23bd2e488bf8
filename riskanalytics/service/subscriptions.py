"""Subscriptions and their keys, in a second file beside the database, `<database>.access.sqlite`; on a server in tables.

A key goes out by mail and is shown nowhere else (specification section 3). It is kept only as HMAC-SHA256 (RFC 2104)
under a random secret of that file. The tier is looked up, never read from the key's prefix (section 5). The same file
holds the queue of corrections and the pace, so that the database itself changes by reviews only. What is written is on
the disk before the call returns.
"""

import functools
import hashlib
import hmac
import re
import secrets
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path
from typing import Final, Self
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from sqlalchemy import Connection, delete, func, insert, select, text, update

from riskanalytics.errors import DatabaseError, DeliveryError, SettingsError
from riskanalytics.files import write_file
from riskanalytics.settings.databases import Place, Server, folder_of

from .store.engine import WRITES, engine_of, lent
from .store.files import access_file, make_private
from .store.schema import KEYS, SECRET, SUBSCRIPTION, make_tables

PREFIXES: Final = {"starter": "svc_", "pro": "apc_live_", "enterprise": "apc_live_"}
"""Tier -> beginning of its keys (specification section 5)."""
_EMAIL: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_SECRET: Final = text("INSERT INTO secret (id, pepper) VALUES (1, :pepper) ON CONFLICT DO NOTHING")
_OF, _ENDED = SUBSCRIPTION.c, SUBSCRIPTION.c.ended_at
_FORM: Final = "RISKANALYTICS_SMTP is smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// for TLS from the start"
_PORTS: Final = {"smtp": 587, "smtps": 465}
_TEXT = """Your subscription to the risk-rating data service has started.

Tier: {tier}

Your key is on the next line:

{key}

Send it as "Authorization: Bearer KEY" or "x-api-key: KEY". Keep it on your servers, never in a page.
It is shown in this mail only, and stops working when the subscription ends.
"""


class Access:
    """Keys of one database.

    Parameters
    ----------
    place : Path or Server, optional
        The second file, or the server that has the database; None keeps it in memory.

    Raises
    ------
    DatabaseError
        If it cannot be read or written.
    """

    def __init__(self, place: Place | None) -> None:
        self.place = place
        self.trouble = False
        """Whether the last writing failed."""
        self.embedded_key = ""
        """The key that `embedded` made."""
        try:
            if isinstance(place, Path):
                make_private(place)
        except OSError as error:
            raise DatabaseError(f"the keys' file {place} cannot be made: {error.strerror}") from error
        self._reading = engine_of(place)
        self._writing = self._reading.execution_options(**WRITES)
        try:
            with self.transaction() as connection:
                make_tables(connection, KEYS)
                connection.execute(_SECRET, {"pepper": secrets.token_bytes(32)})
                self._pepper = bytes(connection.execute(select(SECRET.c.pepper)).scalar_one())
        except DatabaseError:
            self.close()
            raise

    @classmethod
    def of(cls, database: Place) -> Self:
        """Return the keys of a database."""
        return cls(database if isinstance(database, Server) else access_file(database))

    @classmethod
    def embedded(cls) -> Self:
        """Return keys in memory with one random Enterprise key, for a service in the process."""
        access = cls(None)
        access.embedded_key = access.issue("embedded@localhost.localdomain", "enterprise")
        return access

    def issue(self, email: str, tier: str) -> str:
        """Start a subscription.

        Parameters
        ----------
        email : str
        tier : str
            `starter`, `pro` or `enterprise`.

        Returns
        -------
        str
            The key, which works once this returns; it cannot be had again.

        Raises
        ------
        SettingsError
            If the address or the tier is not one.
        """
        if tier not in PREFIXES:
            raise SettingsError(f"a tier is starter, pro or enterprise, not {tier[:40]!r}")
        if not _EMAIL.fullmatch(email):
            raise SettingsError(f"{email[:80]!r} is no mail address")
        key = PREFIXES[tier] + secrets.token_urlsafe(32)
        row = {"email": email, "tier": tier, "digest": self.digest(key), "started_at": now()}
        with self.transaction() as connection:
            connection.execute(insert(SUBSCRIPTION), row)
        return key

    def holder_of(self, key: str) -> tuple[int, str] | None:
        """Return the number and the tier of an active key's subscription; None for any other key."""
        wanted = select(_OF.id, _OF.tier).where(_OF.digest == self.digest(key), _ENDED.is_(None))
        with self.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return row and (row.id, row.tier)

    def digest(self, text: str) -> bytes:
        """Return what is stored of a key, or of anything else that nobody may read back."""
        return hmac.new(self._pepper, text.encode("utf-8", errors="surrogatepass"), hashlib.sha256).digest()

    def reading(self) -> AbstractContextManager[Connection]:
        """Lend a connection to read; what other processes wrote is seen at once."""
        return lent(self._reading)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Lend a connection to write: all or nothing.

        Raises
        ------
        DatabaseError
            If it cannot be read or written.
        """
        try:
            with lent(self._writing) as connection:
                yield connection
                connection.commit()
        except DatabaseError:
            self.trouble = True
            raise
        self.trouble = False

    def close(self) -> None:
        """Close all connections, and forget what is in memory."""
        self._reading.dispose()


def now(before: timedelta = timedelta()) -> str:
    """Return the time of the wall clock, or some time before, ISO 8601 UTC."""
    return (datetime.now(UTC) - before).strftime("%Y-%m-%dT%H:%M:%SZ")


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
    with closing(Access.of(database)) as access:
        key = access.issue(email, tier)
        try:
            mail = _mail(email, tier, key)
            if server is None:
                return _put(outbox or folder_of(database) / "outbox", mail)
            _send(*server, mail)
        except BaseException:
            with access.transaction() as connection:
                connection.execute(delete(SUBSCRIPTION).where(_OF.digest == access.digest(key)))
            raise
    return None


def _mail(email: str, tier: str, key: str) -> EmailMessage:
    """Return the mail: plain ASCII, the key alone on its line."""
    mail = EmailMessage()
    mail["To"], mail["Subject"] = email, "Your key for the risk-rating data service"
    mail.set_content(_TEXT.format(tier=tier, key=key), cte="7bit")
    return mail


def _put(folder: Path, mail: EmailMessage) -> Path:
    """Write a mail into a folder: on the disk, whole or not at all."""
    path = folder / f"{secrets.token_hex(8)}.eml"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(path, bytes(mail), mode=0o600)
    except OSError as error:
        raise DatabaseError(f"the outbox {folder} cannot be written: {error.strerror}") from error
    return path


def _server(url: str) -> tuple[SplitResult, str]:
    """Read the address of a mail server, and whom mails come from; a wrong address may hold a password, and is not repeated."""
    # of a port or an IPv6 address
    with suppress(ValueError):
        parts = urlsplit(url)
        sender = parse_qs(parts.query).get("from", [""])[0]
        if parts.scheme in _PORTS and parts.hostname and parts.port != 0 and "@" in sender:
            return parts, sender
    raise SettingsError(_FORM)


def _send(server: SplitResult, sender: str, mail: EmailMessage) -> None:
    """Hand a mail to a server (RFC 5321), never in clear to another machine."""
    host, port = server.hostname or "", server.port or _PORTS[server.scheme]
    context = ssl.create_default_context()
    connect = functools.partial(smtplib.SMTP_SSL, context=context) if server.scheme == "smtps" else smtplib.SMTP
    mail["From"], mail["Date"] = sender, formatdate(usegmt=True)
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    try:
        with connect(host, port, timeout=20) as smtp:
            if server.scheme == "smtp" and host not in ("localhost", "127.0.0.1", "::1"):
                smtp.starttls(context=context)
            if server.username:
                smtp.login(unquote(server.username), unquote(server.password or ""))
            smtp.send_message(mail)
    except (smtplib.SMTPException, OSError, ValueError) as error:
        # the reason may repeat what was sent, key included: the message names only its kind
        kind = type(error).__name__
        raise DeliveryError(
            f"the mail server {host} port {port} did not take the mail ({kind}); no subscription was started"
        ) from None


def end(database: Place, email: str) -> int:
    """End all subscriptions of an address, whose keys stop working at once; return how many were active."""
    ended = update(SUBSCRIPTION).where(_OF.email == email, _ENDED.is_(None)).values(ended_at=now())
    with closing(Access.of(database)) as access, access.transaction() as connection:
        return connection.execute(ended).rowcount


def listed(database: Place) -> list[tuple[str, str, str, str]]:
    """Return (email, tier, started, ended or "active") of all subscriptions, oldest first."""
    wanted = select(_OF.email, _OF.tier, _OF.started_at, func.coalesce(_ENDED, "active")).order_by(_OF.id)
    with closing(Access.of(database)) as access, access.reading() as connection:
        return [tuple(row) for row in connection.execute(wanted)]
