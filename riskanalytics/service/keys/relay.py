"""Mail through an SMTP server (RFC 5321), never in clear to another machine."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Final, Self
from urllib.parse import parse_qs, unquote, urlsplit

from riskanalytics.errors import DeliveryError, SettingsError

_SECONDS: Final = 20
_FORM: Final = "RISKANALYTICS_SMTP is smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// for TLS from the start"
_HERE: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Relay:
    """An SMTP server that takes our mail.

    Parameters
    ----------
    host : str
    port : int
    sender : str
        Address that mail comes from.
    user, password : str, optional
        Neither has a text form.
    encrypted : bool
        TLS from the first byte (RFC 8314).
    """

    host: str
    port: int
    sender: str
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    encrypted: bool = False

    @classmethod
    def of(cls, url: str) -> Self:
        """Read the address of a server.

        Raises
        ------
        SettingsError
            If it is none; the address, which may hold a password, is not repeated.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or (465 if parts.scheme == "smtps" else 587)
        except ValueError:
            raise SettingsError(_FORM) from None
        senders = parse_qs(parts.query).get("from", [])
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname or len(senders) != 1 or "@" not in senders[0]:
            raise SettingsError(_FORM)
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        return cls(parts.hostname, port, senders[0], user, password, parts.scheme == "smtps")

    def send(self, mail: EmailMessage) -> None:
        """Hand a mail over.

        Parameters
        ----------
        mail : EmailMessage
            `From`, `Date` and `Message-ID` are added.

        Raises
        ------
        DeliveryError
            If the server did not take it.
        """
        mail["From"] = self.sender
        mail["Date"] = formatdate(usegmt=True)
        mail["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2])
        try:
            with self._connected() as server:
                if self.user is not None:
                    server.login(self.user, self.password or "")
                server.send_message(mail)
        except (smtplib.SMTPException, OSError) as error:
            # the reason may repeat what was sent, key included: only its kind is told
            raise DeliveryError(
                f"the mail server {self.host} port {self.port} did not take the mail ({type(error).__name__}); "
                "no subscription was started"
            ) from None

    def _connected(self) -> smtplib.SMTP:
        """Connect, in TLS unless the server is on this machine and asks for no password."""
        context = ssl.create_default_context()
        if self.encrypted:
            return smtplib.SMTP_SSL(self.host, self.port, timeout=_SECONDS, context=context)
        server = smtplib.SMTP(self.host, self.port, timeout=_SECONDS)
        try:
            server.ehlo()
            if self.host not in _HERE or server.has_extn("starttls"):
                server.starttls(context=context)
        except BaseException:
            server.close()
            raise
        return server
