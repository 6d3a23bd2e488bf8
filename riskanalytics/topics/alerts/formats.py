"""Alerts as an Atom feed (RFC 4287) and as mail."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage

from riskanalytics.pages import rows as show
from riskanalytics.pages.section import Figures, rendered
from riskanalytics.text.untrusted import visible_line
from riskanalytics.text.wording import plural

from ..shape import Record
from . import KINDS


def as_atom(alerts: Sequence[Record]) -> str:
    """Return alerts as an Atom feed (RFC 4287), newest first. The id of an entry is that of its alert.

    Parameters
    ----------
    alerts : sequence of mapping
        Rows of `analysis.alerts`, with times as ISO 8601.
    """
    newest = sorted(alerts, key=lambda row: str(row["day"]), reverse=True)
    return rendered("alerts.xml.jinja", Figures(), rows=newest, kinds=KINDS, words=show.quoted)


def as_mail(alerts: Sequence[Record], to: str) -> EmailMessage:
    """Return alerts as one email, with a text and an HTML part that list them by kind.

    Parameters
    ----------
    alerts : sequence of mapping
        Rows of `analysis.alerts`, at least one.
    to : str
        Address of the recipient.
    """
    groups = {title: [row for row in alerts if row["kind"] == kind] for kind, title in KINDS.items()}
    mail, subject = EmailMessage(), f"{plural(len(alerts), 'alert')}: {alerts[0]['title']}"
    mail["To"], mail["Subject"] = to, visible_line(subject)[:200]
    given = {"groups": groups, "words": show.quoted, "subject": subject}
    mail.set_content(rendered("alerts.txt.jinja", Figures(), **given))
    mail.add_alternative(rendered("alerts.html.jinja", Figures(), **given), subtype="html")
    return mail
