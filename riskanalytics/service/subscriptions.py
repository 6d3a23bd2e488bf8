"""Subscriptions and their keys, in the key file `<database>.access.sqlite` next to the database, or in tables on its server.

A key is shown only in the email that delivers it (specification section 3). The key file stores its HMAC-SHA256
(RFC 2104) under a random secret. The tier is read from the key file, never from the key's prefix (section 5). The file
also holds the queue of corrections (new reviews that users requested) and the request counts, so that only reviews change
the database itself. Each write is on disk before the call returns.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Final, Self

from sqlalchemy import Connection, delete, func, insert, select, text, update

from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.files import reported_as
from riskanalytics.mail import check_address, deliver, mail_server
from riskanalytics.settings.databases import Place, Server, folder_of

from .store.engine import WRITES, engine_of, lent
from .store.files import access_file, make_private
from .store.schema import KEYS, SECRET, SUBSCRIPTION, make_tables

PREFIXES: Final = {"starter": "svc_", "pro": "apc_live_", "enterprise": "apc_live_"}
"""Tier -> prefix of its keys (specification section 5)."""
_SECRET: Final = text("INSERT INTO secret (id, pepper) VALUES (1, :pepper) ON CONFLICT DO NOTHING")
_OF, _ENDED = SUBSCRIPTION.c, SUBSCRIPTION.c.ended_at
_TEXT = """Your subscription to the risk-rating data service has started.

Tier: {tier}

Your key:

{key}

Send it as "Authorization: Bearer KEY" or "x-api-key: KEY". Keep it on your servers; never put it in a web page.
This email is the only place that shows it. It stops working when the subscription ends.
"""


class Access:
    """Subscription keys of one database.

    Parameters
    ----------
    place : Path or Server, optional
        Key file, or server that holds the database. If None, keys are kept in memory.

    Raises
    ------
    DatabaseError
        If the key file or server cannot be read or written.
    """

    def __init__(self, place: Place | None) -> None:
        self.place = place
        self.trouble = False
        """Whether the last write failed."""
        self.embedded_key = ""
        """The key created by `embedded`."""
        if isinstance(place, Path):
            with reported_as(DatabaseError, f"the key file {place} cannot be created"):
                make_private(place)
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
        """Return the `Access` to the subscription keys of a database."""
        return cls(database if isinstance(database, Server) else access_file(database))

    @classmethod
    def embedded(cls) -> Self:
        """Return an in-memory `Access` with one random Enterprise key, for a service that runs inside this process."""
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
            The key. It works as soon as this returns, and cannot be retrieved again.

        Raises
        ------
        SettingsError
            If the email address or the tier is invalid.
        """
        if tier not in PREFIXES:
            raise SettingsError(f"tier must be starter, pro or enterprise, not {tier[:40]!r}")
        check_address(email)
        key = PREFIXES[tier] + secrets.token_urlsafe(32)
        row = {"email": email, "tier": tier, "digest": self.digest(key), "started_at": now()}
        with self.transaction() as connection:
            connection.execute(insert(SUBSCRIPTION), row)
        return key

    def holder_of(self, key: str) -> tuple[int, str] | None:
        """Return the subscription number and tier of an active key; None for any other key."""
        wanted = select(_OF.id, _OF.tier).where(_OF.digest == self.digest(key), _ENDED.is_(None))
        with self.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return row and (row.id, row.tier)

    def digest(self, text: str) -> bytes:
        """Return the HMAC-SHA256 of a secret text, such as a key; it is stored instead of the text."""
        return hmac.new(self._pepper, text.encode("utf-8", errors="surrogatepass"), hashlib.sha256).digest()

    def reading(self) -> AbstractContextManager[Connection]:
        """Lend a connection to the key database for reading in a `with` block; it sees writes of other processes at once."""
        return lent(self._reading)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Lend a connection to the key database for a `with` block: one transaction, committed if the block succeeds.

        Raises
        ------
        DatabaseError
            If the key file or server cannot be read or written.
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
        """Close all connections and discard in-memory keys."""
        self._reading.dispose()


def now(before: timedelta = timedelta()) -> str:
    """Return the current time, or the time `before` ago, as ISO 8601 UTC."""
    return (datetime.now(UTC) - before).strftime("%Y-%m-%dT%H:%M:%SZ")


def start(
    database: Place, email: str, tier: str, *, outbox: Path | None = None, smtp: str | None = None
) -> Path | None:
    """Start a subscription and email its key, through SMTP or into the outbox folder.

    Parameters
    ----------
    database : Path or Server
    email : str
    tier : str
        `starter`, `pro` or `enterprise`.
    outbox : Path, optional
        Folder for the email; takes precedence over `smtp`. Without both, the folder `outbox` next to the database
        file, or in the current folder if a server holds the database.
    smtp : str, optional
        `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`, or `smtps://` for TLS from the first byte. `smtp` requires
        STARTTLS (RFC 3207), except for a server on this machine.

    Returns
    -------
    Path or None
        Path of the email (`.eml`, readable by its owner only). None if it was sent through SMTP.

    Raises
    ------
    SettingsError
        If the email address, the tier or the mail server address is invalid.
    DatabaseError
        If the key or the email cannot be stored; no key is active then.
    DeliveryError
        If the mail server did not accept the email; no key is active then.

    Notes
    -----
    The key is on disk before its email is sent, so the key in an email always works. A process killed between the
    two leaves a key that nobody received; `end` ends it.
    """
    place = mail_server(smtp) if smtp and outbox is None else outbox or folder_of(database) / "outbox"
    with closing(Access.of(database)) as access:
        key = access.issue(email, tier)
        try:
            return deliver(_mail(email, tier, key), place, secrets.token_hex(8), "no subscription was started")
        except BaseException:
            with access.transaction() as connection:
                connection.execute(delete(SUBSCRIPTION).where(_OF.digest == access.digest(key)))
            raise


def _mail(email: str, tier: str, key: str) -> EmailMessage:
    """Return the email: plain ASCII, the key on a separate line."""
    mail = EmailMessage()
    mail["To"], mail["Subject"] = email, "Your key for the risk-rating data service"
    mail.set_content(_TEXT.format(tier=tier, key=key), cte="7bit")
    return mail


def end(database: Place, email: str) -> int:
    """End all subscriptions of an email address and return how many were active; their keys stop working at once."""
    ended = update(SUBSCRIPTION).where(_OF.email == email, _ENDED.is_(None)).values(ended_at=now())
    with closing(Access.of(database)) as access, access.transaction() as connection:
        return connection.execute(ended).rowcount


def listed(database: Place) -> list[tuple[str, str, str, str]]:
    """Return (email, tier, started, ended or "active") of all subscriptions, oldest first."""
    wanted = select(_OF.email, _OF.tier, _OF.started_at, func.coalesce(_ENDED, "active")).order_by(_OF.id)
    with closing(Access.of(database)) as access, access.reading() as connection:
        return [tuple(row) for row in connection.execute(wanted)]
