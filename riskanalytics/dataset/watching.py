"""List what became true in a data set since an earlier day, as alerts, and deliver each alert once to each recipient."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import pandas as pd
from pydantic import BaseModel, ValidationError

from riskanalytics import analysis as a
from riskanalytics import mail
from riskanalytics.client.exchange import fetch
from riskanalytics.errors import DatabaseError, DeliveryError, ParameterError, ServiceError, SettingsError
from riskanalytics.files import clear_unfinished, write_file
from riskanalytics.frames import rows_of
from riskanalytics.text.arguments import DayLike, as_day
from riskanalytics.topics.alerts import ALERT_COLUMNS, as_atom, as_mail
from riskanalytics.topics.appetite.rules import Appetite, read_appetite

from .appetite import check
from .data import Dataset

Alert = dict[str, Any]
"""A row of `ra.watch` as JSON. In a `State` also with `found` (day of the data) and `pending` (recipients still to get it)."""
Recipient = Callable[[list[Alert]], Iterator[list[Alert]]]
"""Function that delivers the alerts that it is given to a recipient, and yields alerts as soon as the recipient accepts them."""
_DAY: Final = timedelta(days=1)
_LATE: Final = 30 * _DAY
"""A change that is recorded this long after its day still becomes an alert. By default, the first run goes back as far."""
_KEPT: Final = 400 * _DAY
"""How long a state keeps alerts that were delivered, and a feed shows them."""
_LOCAL: Final = re.compile(r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])([:/?].*)?")
_AGAIN: Final = "its alerts are sent again at the next run"
_SUBJECT: Final = itemgetter("kind", "slug", "about")
"""What an alert is about, whatever its day."""


def watch(data: Dataset, before: DayLike, rules: Appetite | str | Path = "") -> pd.DataFrame:
    """List what became true after an earlier day: changes, rules newly broken, exceptions that expire soon, and dates ahead.

    Parameters
    ----------
    data : Dataset
        Result of `ra.load`. If it was loaded with a portfolio, only platforms of the portfolio are watched, and the rules are
        checked for each of its rows.
    before : date or str
        The earlier day. Changes after it are listed, and rules that are broken but were not broken, or were excepted, at its end.
        Exceptions that expire soon and dates ahead (future dates that documents state) are listed even if known before.
    rules : Appetite, str or Path
        The rules of the organisation, or their TOML file (see `ra.check`). Without them, there are no alerts on rules.

    Returns
    -------
    pandas.DataFrame
        The result of `analysis.alerts`: one row for each alert. There are no alerts on changes if the service does not show changes
        with this key (`data.changes()` returns None), and no alerts on rules for platforms that could not be read (`data.problems`
        names them).

    Raises
    ------
    ParameterError
        If `before` is empty, invalid or not before the day of the data, or the rules are invalid.

    Examples
    --------
    >>> found = ra.watch(data, "2026-10-26")
    >>> found[["kind", "slug"]].values.tolist()
    [['material_change', 'kellothornmusic'], ['material_change', 'yorranor-video-ai'], ['material_change', 'quorfilixmusic']]
    """
    day = as_day(before)
    if day is None:
        raise ParameterError("give before, the earlier day to compare with, as YYYY-MM-DD")
    if day >= data.day:
        raise ParameterError(
            f"the data are of {data.day}, which is not after {day}: give an earlier day to compare with, or newer data"
        )
    changes = data.changes(day + _DAY, change_class="material")
    material = None if changes is None else a.material_changes(changes)
    clauses, today = a.changed_clauses(material), datetime.now(UTC).date() if data.past is None else data.day
    ahead = data.verify(a.dates_ahead(data.dates, today))
    if not rules:
        return a.alerts(material, data.verify(clauses), today, ahead=ahead)
    appetite = rules if isinstance(rules, Appetite) else read_appetite(rules)
    results, then = check(appetite, data, today), data.at(day)
    earlier = a.rule_results(appetite, then.platforms, then.surfaces, then.training_use, day, data.views.uses)
    results = results[~results["slug"].isin(data.problems["slug"])]
    deciding = data.findings[data.findings["finding_id"].isin(results["decided_by"].explode())]
    return a.alerts(material, data.verify(pd.concat([clauses, deciding])), today, results, earlier, ahead)


class State(BaseModel):
    """What earlier runs found and delivered.

    Attributes
    ----------
    begin, day : date or None
        The day after which the first run looked for changes, and the day of the data of the last complete run. Both are None before
        the first run.
    alerts : list of dict
        The alerts (`Alert`) of the last 400 days, and older alerts that a recipient has not accepted yet.
    worded : list of str
        Documents with a change of wording that no mail has listed yet, each with its platform.
    worded_until : date or None
        Day of the newest data whose changes of wording were added to `worded`.
    """

    begin: date | None = None
    day: date | None = None
    alerts: list[Alert] = []
    worded: list[str] = []
    worded_until: date | None = None

    @classmethod
    def read(cls, file: Path) -> State:
        """Read the state from a file, or return an empty one if there is no file.

        Raises
        ------
        ParameterError
            If the file is not a state.
        """
        try:
            return cls.model_validate_json(file.read_bytes()) if file.exists() else cls()
        except ValidationError as error:
            raise ParameterError(f"{file} is not a state of `riskanalytics watch`: give another --state") from error

    def new(self, data: Dataset, rules: Appetite | str | Path = "", since: DayLike = "") -> list[Alert]:
        """Return alerts on what became true since the last run, without alerts that this state already has.

        Changes of wording since then are no alerts: they are added to `worded`.

        Changes are found up to 30 days after their day, because archives record some of them late. The results of rules are
        compared with those of an earlier day: on the first run `since`; later the day before the first new change, but at the
        latest the day before the day of the data of the last run.

        Parameters
        ----------
        data : Dataset
        rules : Appetite, str or Path
            Rules of the organisation, as for `watch`.
        since : date or str, optional
            Day after which the first run looks for changes. By default 30 days before the day of the data.

        Raises
        ------
        ParameterError
            If the data end before the day of the last run.
        """
        self.begin = begin = self.begin or as_day(since) or data.day - _LATE
        self._add_wording(data, self.worded_until or begin)
        if self.day:
            changes = data.changes(max(begin + _DAY, self.day - _LATE), change_class="material")
            alerted = {one["about"] for one in self.alerts}
            late = () if changes is None else changes.loc[~changes["change_id"].isin(alerted), "reviewed_at"].dt.date
            begin = max(begin, min([self.day, *late]) - _DAY)
        # a rule may be broken again
        known = {_SUBJECT(one) for one in self.alerts if one["kind"] != "rule_broken" or one["found"] > str(begin)}
        found = json.loads(watch(data, begin, rules).to_json(orient="records", date_format="iso", date_unit="s"))
        return [{**one, "found": str(data.day)} for one in found if _SUBJECT(one) not in known]

    def _add_wording(self, data: Dataset, after: date) -> None:
        """Add the documents with a change of wording after a day to `worded`."""
        changes = data.changes(after + _DAY, change_class="wording") if after < data.day else None
        if changes is not None:
            lines = dict.fromkeys(f"{row['name']}: {row['document']}" for row in rows_of(changes))
            self.worded += [line for line in lines if line not in self.worded]
            self.worded_until = data.day

    def deliver(
        self, new: list[Alert], to: Mapping[str, Recipient], file: Path, day: date | None, atom: Path | None = None
    ) -> None:
        """Record new alerts, then send each recipient all alerts that it has not accepted yet, and record each delivery.

        Parameters
        ----------
        new : list of dict
            Result of `new`.
        to : mapping
            Name of a recipient -> function that delivers to it. An alert is sent to the recipients of the run that found it.
        file : Path
            File of the state. It is written whole, before anything is sent and after each delivery.
        day : date or None
            Day of the data; None if they are incomplete, so that the next run looks at the same days again.
        atom : Path, optional
            File for an Atom feed of the alerts, also written before anything is sent.

        Raises
        ------
        DeliveryError, DatabaseError
            If a recipient did not accept an alert, or the outbox cannot be written. The other recipients still got their alerts.
        """
        self.day, failed, oldest = day or self.day, None, str(day - _KEPT) if day else ""
        self.alerts = [one for one in self.alerts if one["pending"] or one["day"] > oldest]
        self.alerts += [{**one, "pending": list(to)} for one in new]
        clear_unfinished(file.parent)
        write_file(file, self.model_dump_json(indent=1), mode=0o600)
        if atom:
            write_file(atom, as_atom(self.alerts))
        for name, deliver in to.items():
            try:
                for taken in deliver([one for one in self.alerts if name in one["pending"]]):
                    for one in taken:
                        one["pending"].remove(name)
                    write_file(file, self.model_dump_json(indent=1), mode=0o600)
            except (DatabaseError, DeliveryError) as error:
                failed = error
        if failed:
            raise failed


def mailed(
    pending: list[Alert], address: str, smtp: str | None, outbox: Path, worded: list[str]
) -> Iterator[list[Alert]]:
    """Send alerts in one mail.

    Parameters
    ----------
    pending : list of dict
        The alerts to send; if there are none, nothing is sent.
    address : str
        Email address.
    smtp : str or None
        Mail server, as for `mail.mail_server`. Without one, the mail is put into the outbox.
    outbox : Path
        Folder for the mail.
    worded : list of str
        Documents with a change of wording, which the mail lists apart from the alerts. The list is empty after the delivery.

    Raises
    ------
    SettingsError
        If one of the addresses is invalid.
    DeliveryError, DatabaseError
        If the mail was not accepted, or cannot be put into the outbox.
    """
    mail.check_address(address)
    place = mail.mail_server(smtp) if smtp else outbox
    if pending:
        # the same alerts make the same mail again
        name = hashlib.sha256("".join(one["alert_id"] for one in pending).encode()).hexdigest()[:32]
        mail.deliver(as_mail(pending, address, worded), place, name, _AGAIN)
        worded.clear()
        yield pending


def posted(pending: list[Alert], url: str, secret: str) -> Iterator[list[Alert]]:
    """Post each alert as JSON, signed with HMAC-SHA256 (Standard Webhooks 1.0.0).

    Parameters
    ----------
    pending : list of dict
        The alerts to send.
    url : str
        An https address, or an address of this machine. An address in a private network is refused.
    secret : str
        Key of the signature.

    Raises
    ------
    SettingsError
        If the secret is empty, or the address is neither an https address nor one of this machine. The message contains neither
        the secret nor the address.
    DeliveryError
        If an alert was not accepted with a status 2xx.
    """
    local = _LOCAL.fullmatch(url) is not None
    if not secret or not (local or url.startswith("https://")):
        raise SettingsError("a webhook needs https (or an address of this machine) and RISKANALYTICS_WEBHOOK_SECRET")
    for one in pending:
        data, stamp = {name: one[name] for name in ALERT_COLUMNS}, str(int(time.time()))
        body = json.dumps({"type": f"alert.{one['kind']}", "timestamp": one["day"], "data": data}).encode()
        key = hmac.digest(secret.encode(), f"{one['alert_id']}.{stamp}.".encode() + body, "sha256")
        signed = f"v1,{base64.b64encode(key).decode()}"
        headers = {"webhook-id": one["alert_id"], "webhook-timestamp": stamp, "webhook-signature": signed}
        try:
            fetch(url, private=local, body=(body, {"Content-Type": "application/json", **headers}))
        except ServiceError as error:
            # the address may contain a secret
            why = f"status {error.status}" if error.status else "no answer, or a private address"
            raise DeliveryError(f"the webhook did not accept an alert ({why}); {_AGAIN}") from None
        yield [one]
