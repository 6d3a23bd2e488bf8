"""Read a database's current documents: send a language model each unit (clause) not read yet, and store the verdicts.

Verdicts are stored after each answer, so that the next run continues an interrupted run. A unit without a valid entry in the answer
is sent a second time. If that fails, too, the unit stays unread; it never counts as a unit that speaks to no surface.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from riskanalytics.extraction import extract, unpacked
from riskanalytics.extraction.changed import views
from riskanalytics.extraction.records import DocumentReading
from riskanalytics.extraction.shipped import readers_with, shipped
from riskanalytics.extraction.training import asked, read_whole, stances_key
from riskanalytics.extraction.units import Unit, units_of
from riskanalytics.extraction.verdicts import Verdicts
from riskanalytics.service.review import platforms_to_review, review_platform
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.read import FROM_STATE, end_of
from riskanalytics.service.store.records import CAPTURES
from riskanalytics.service.store.verdicts import (
    choose_readers,
    courses_of,
    keep_courses,
    keep_stances,
    keep_verdicts,
    readers_of,
    stances_of,
    verdicts_of,
)
from riskanalytics.service.store.write import Writer
from riskanalytics.text.wording import plural
from riskanalytics.work import OnProgress, silent

from .exchange import CONTEXT, Answer, Request, answer_of, change_request, requests_of, second_looks

Ask = Callable[[Request], tuple[str, int]]
"""Sends a request; returns the text of the answer and the number of tokens used, as `Server.ask` does."""
_NEWEST: Final = (
    "SELECT p.slug, d.name, s.body, row_number() OVER "
    f"(PARTITION BY d.id ORDER BY k.sequence DESC, k.id DESC) AS place {CAPTURES}WHERE k.state = 'good'"
)
_TEXTS: Final = f"SELECT slug, name, body FROM ({_NEWEST}) newest WHERE place = 1 ORDER BY slug, name"  # noqa: S608 (our words)
"""SELECT statement of slug, name of the document and packed text of each document's newest good capture."""
_SNAPSHOTS: Final = "SELECT sha256, '', body FROM snapshot ORDER BY sha256"

_CHANGES: Final = (
    "SELECT p.slug, c.class, b.body, a.body FROM change c JOIN platform p ON p.id = c.platform_id "
    "JOIN capture cb ON cb.id = c.capture_before JOIN snapshot b ON b.id = cb.snapshot_id "
    "JOIN capture ca ON ca.id = c.capture_after JOIN snapshot a ON a.id = ca.snapshot_id "
    "WHERE c.class IN ('material', 'wording') AND c.reviewed_at >= :since ORDER BY p.slug, c.reviewed_at"
)


_UNDETERMINED: Final = f"SELECT p.slug {FROM_STATE}WHERE s.stance = 'undetermined' ORDER BY p.slug"


@dataclass
class ReadSummary:
    """The result of one run in which a language model read documents.

    Parameters
    ----------
    units : int
        Number of different units (clauses) in the documents.
    read : int
        Number of these units that are read: by the model in this or an earlier run, or because the package ships their verdicts.
    tokens : int
        Tokens of this run, counted by the server or, if it does not count them, estimated.
    waiting : int
        Number of requests that were not sent, because the budget of tokens did not suffice.
    unjudged : int
        Number of changes without a valid answer, for example because they are too long for the model.
    reviewed : list of str
        Platforms that were rated again.
    """

    units: int = 0
    read: int = 0
    tokens: int = 0
    waiting: int = 0
    unjudged: int = 0
    reviewed: list[str] = field(default_factory=list)

    @property
    def unread(self) -> int:
        """Number of units that have not been read."""
        return self.units - self.read

    def __str__(self) -> str:
        """Return one line for a person."""
        left = f"{plural(self.unread, 'unit')} not read" if self.unread else "all units read"
        left += f", {plural(self.unjudged, 'change')} not judged" if self.unjudged else ""
        left += f", {plural(self.waiting, 'request')} left by the budget" if self.waiting else ""
        done = f"; {self.tokens:,} tokens; {plural(len(self.reviewed), 'platform')} rated again"
        return f"{self.read:,} of {plural(self.units, 'unit')} read ({left}){done * bool(self.tokens or self.reviewed)}"


class Readings:
    """The units (clauses) of a database that one reader (a language model) has read, and those that it must still read.

    Parameters
    ----------
    writer : Writer
        Write access to the database.
    name : str
        Name of the reader (`guide.reader_name`).
    slugs : collection of str
        Platforms to read; empty for all.
    snapshots : collection of str, optional
        SHA-256 of the snapshots to read, such as those of labelled documents. By default, the current text of each document is
        read, and units for which the package ships verdicts count as read.
    """

    def __init__(
        self, writer: Writer, name: str, slugs: Collection[str] = (), snapshots: Collection[str] | None = None
    ) -> None:
        self.writer, self.name = writer, name
        self.verdicts = verdicts_of(writer.connection, name)
        self.slugs, self.labelled, self.unanswered = slugs, snapshots is not None, 0
        self.known = {*self.verdicts}.union(*() if self.labelled else shipped().verdicts.values())
        chosen, rows = (slugs, _TEXTS) if snapshots is None else (snapshots, _SNAPSHOTS)
        found = [row for row in run(writer.connection, rows) if row[0] in chosen or not (chosen or self.labelled)]
        self.documents = [(of, name, unpacked(body)) for of, name, body in found]
        self.texts = [text for *_, text in self.documents]
        self.units = {unit.key: unit for text in self.texts for unit in units_of(text)}

    def unread(self) -> Iterator[Request]:
        """Yield requests for the units that have not been read, document by document."""
        asked: set[str] = set()
        for text in self.texts:
            new = [unit for unit in units_of(text) if unit.key not in self.known and unit.key not in asked]
            asked.update(unit.key for unit in new)
            for trusted in (True, False):  # a clause that addresses a model must not make others leads
                yield from requests_of(unit for unit in new if Request("verdicts", (unit,)).trusted is trusted)

    def unchecked(self) -> Iterator[Request]:
        """Yield requests that ask the reader to check those of its verdicts for which the package alone has no finding.

        Verdicts that were checked before are left out.
        """
        rows: list[tuple[Unit, str]] = []
        for text in self.texts:
            found = {(row.start, row.end, row.surface) for row in extract(text).findings}
            for unit in units_of(text):
                said = self.verdicts.get(unit.key, Verdicts()).said
                place = unit.clause.start, unit.clause.end
                rows += [(unit, one.surface) for one in said if one.own is None and (*place, one.surface) not in found]
        yield from second_looks(rows)

    def unjudged(self) -> Iterator[Request]:
        """Yield requests that ask, for each material change and change of wording of the last year, how it affects the risk.

        Changes that were judged before are left out. There are no requests if `snapshots` was given, because such a run only
        measures verdicts on clauses.
        """
        if self.labelled:
            return
        known = {*courses_of(self.writer.connection, self.name)}.union(*shipped().courses.values())
        newest = run(self.writer.connection, "SELECT MAX(reviewed_at) FROM change").scalar() or "0001"
        since = f"{int(newest[:4]) - 1:04}{newest[4:]}"
        for slug, kind, *bodies in run(self.writer.connection, _CHANGES, since=since).all():
            if self.slugs and slug not in self.slugs:
                continue
            before, after = map(unpacked, bodies)
            unsent = False
            for changed in views(before, after, kind):
                if changed.key in known:
                    break
                if request := change_request(before, after, changed):
                    known.add(changed.key)
                    yield request
                    break
                unsent = unsent or any(changed)
            else:
                self.unanswered += unsent

    def undecided(self) -> Iterator[Request]:
        """Yield requests for the stances of each platform whose stance is `undetermined`, unless they were answered before.

        A platform gets no request if the clauses that speak of training are too long for one request, or if a clause addresses a
        language model. There are no requests at all if `snapshots` was given, because such a run only measures verdicts on clauses.
        """
        connection = self.writer.connection
        known = {*stances_of(connection, self.name)}.union(*shipped().stances.values())
        groups = readers_with(readers_of(connection))
        for slug in run(connection, _UNDETERMINED, end=end_of(None)).scalars().all():
            texts = sorted((name, text) for of, name, text in self.documents if of == slug)
            documents = [DocumentReading(name, "", "", read_whole(text, extract(text), groups)) for name, text in texts]
            seen = asked(documents)
            named = tuple(f"{of.document}{'' if bears else CONTEXT}" for of, _, bears in seen)
            request = Request("stances", tuple(unit for _, unit, _ in seen), named)
            if seen and request.trusted and stances_key(unit.key for _, unit, bears in seen if bears) not in known:
                yield request

    def take(self, answer: Answer) -> None:
        """Store what a model's answer contains, in one transaction: verdicts, checks, judgements of changes, or stances."""
        changed = dict(answer.verdicts)
        for (key, surface), own in answer.checks.items():
            one = changed.get(key) or self.verdicts.get(key)
            if one is not None:
                said = tuple(row._replace(own=own) if row.surface == surface else row for row in one.said)
                changed[key] = one._replace(said=said)
        self.verdicts.update(changed)
        self.known.update(changed)
        with self.writer.transaction() as connection:
            keep_verdicts(connection, self.name, changed)
            keep_courses(connection, self.name, answer.courses)
            keep_stances(connection, self.name, answer.stances)

    def summary(self, tokens: int = 0, waiting: int = 0) -> ReadSummary:
        """Return a summary of a run: the number of all units, the number of units read by now, `tokens` and `waiting`.

        Parameters
        ----------
        tokens : int
            Number of tokens that the run used.
        waiting : int
            Number of requests that were not sent.
        """
        return ReadSummary(len(self.units), len(self.units.keys() & self.known), tokens, waiting, self.unanswered)


def read(readings: Readings, ask: Ask, *, budget: int | None = None, progress: OnProgress = silent) -> ReadSummary:
    """Let a language model read all unread units, check its own verdicts, judge changes and decide stances; rate platforms again.

    Stances come last, because the model decides only those that the ratings with all its verdicts leave undetermined.

    Parameters
    ----------
    readings : Readings
        The units to read; this object stores the verdicts in the database.
    ask : callable
        Sends a request to the model, such as `Server.ask`.
    budget : int, optional
        Maximum number of tokens of the run; no request is sent that would exceed it.
    progress : callable
        Called with the phase (reading, reading again, second look, changes or stances), the number of its requests that are
        done, and the number of all its requests.

    Returns
    -------
    ReadSummary
        The numbers of units, tokens and requests left out because of the budget, and the platforms that were rated again.

    Raises
    ------
    ReaderError, DatabaseError
        If the language model or the database fails; verdicts received so far are kept.
    """
    tokens = left = 0
    reviewed: list[str] = []
    for phase, pending in (
        ("reading", readings.unread), ("reading again", readings.unread), ("second look", readings.unchecked),
        ("changes", readings.unjudged), ("stances", readings.undecided),
    ):  # fmt: skip
        if phase == "stances" and tokens:
            reviewed = take_part(readings)
        requests = list(pending())
        for done, request in enumerate(requests):
            progress(f"{phase} ({tokens:,} tokens)", done, len(requests))
            if budget is not None and tokens + request.tokens > budget:
                left += (len(requests) - done) * (phase != "reading")  # the next phase asks for the same units
                break
            content, used = ask(request)
            answer = answer_of(request.sent, content)
            readings.take(answer)
            readings.unanswered += request.kind == "changes" and not answer.courses
            tokens += used or (request.tokens if content else 0)
    result = readings.summary(tokens, left)
    result.reviewed = take_part(readings) if requests or not reviewed else reviewed
    return result


def take_part(readings: Readings) -> list[str]:
    """Let a language model's verdicts influence ratings, together with those of models used before, and rate all platforms again.

    If the model was not used before, the precision of this group of models is not known. Until it is measured, their
    verdicts give leads only, which are listed but never counted.

    Parameters
    ----------
    readings : Readings
        The units that the model has read.

    Returns
    -------
    list of str
        Slugs of the reviewed platforms.
    """
    before = readers_of(readings.writer.connection)
    names = before.names if before else ()
    if readings.name not in names:
        with readings.writer.transaction():
            choose_readers(readings.writer, (*names, readings.name), {})
    return rate_again(readings.writer)


def rate_again(writer: Writer) -> list[str]:
    """Review all platforms again, using the stored verdicts of language models, and return the platforms' slugs."""
    with writer.transaction() as connection:
        run(connection, "UPDATE capture SET state = NULL")
    slugs = platforms_to_review(writer)
    for slug in slugs:
        review_platform(writer, slug)
    return slugs
