"""Pulls made: everything that a client may read, kept in a folder of the reader's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from riskanalytics import frames, sources
from riskanalytics.asked import DayLike, as_day
from riskanalytics.client import Client
from riskanalytics.errors import (
    NotAuthorised,
    ParameterError,
    PullError,
    RateLimited,
    ServiceError,
    SettingsError,
    TierRequired,
    Unreachable,
)
from riskanalytics.frames.plain import check_parquet
from riskanalytics.pulls import (
    CHANGES,
    OLDER,
    Answers,
    Manifest,
    Pulls,
    Spool,
    Storage,
    day_of,
    is_intact,
    open_storage,
    reaches_back,
    read_manifest,
    snapshot_file,
    workplace,
    write_pull,
)
from riskanalytics.settings import load_settings

Progress = Callable[[str, int, int | None], None]

_NOT_SHOWN: Final = (401, 402, 403, 404)
_NEWEST: Final = 50
"""Changes that the state of a service is known by."""
_ENOUGH: Final = 12
"""Failures that hold for all platforms, after which a service is given up."""
_BLIND: Final = 3_600.0
"""Seconds after which unfinished work is read anew where no changes are shown: within a day nothing else tells that data moved."""
_ROUNDS: Final = 3
_WITHOUT_CHANGES: Final = (
    "the changes are not shown to this key, so 'riskanalytics monthly' will not work from this pull: set a key of the Pro tier "
    "in RISKANALYTICS_API_KEY, or keep a second pull of the day before the month (riskanalytics pull --as-of YYYY-MM-DD)"
)


def pull(
    archive: str | Path = "pulls",
    client: Client | None = None,
    *,
    as_of: DayLike | None = None,
    snapshots: bool = False,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
) -> Manifest:
    """Write a dated copy of everything that a service shows into a folder of pulls.

    Nothing that is there is changed, but that damaged files are written anew; tables and policy texts that did not change are
    not written again. An interrupted pull leaves the folder as it was, and the next run goes on where it ended, if the data are
    still the same.

    Parameters
    ----------
    archive : str or Path
        Folder of pulls of this one source, made where it is missing; or an address that fsspec knows, such as
        `s3://bucket/pulls`.
    client : Client, optional
        As `connect` gives it; as of `load` where None.
    as_of : date or str, optional
        Keep the state at the end of a past day, where the service tells it.
    snapshots : bool
        Keep the policy texts too, so that quotes are checked from the pull alone.
    progress : callable, optional
        Called with a phase, how much is done, and how much there is.
    warn : callable, optional
        Called with a line, before anything is written, where reports will not work from this pull: what to do is told.

    Returns
    -------
    Manifest
        `name` (its folder), `day` that the data speak of, `tables` with file, hash and rows, `not_shown`, `problems`.

    Raises
    ------
    ParameterError
        If the day is none, or lies after the data.
    PullError
        If the service lists no platform, another pull is at work, the folder cannot be written, or the data moved three
        times while they were read.
    SettingsError
        If the folder holds pulls of another source, or its address holds credentials.
    ServiceError
        If the service refuses; what was read so far is kept for the next run.
    MissingExtraError
        If pyarrow, or what fsspec needs for the address, is not installed.

    Examples
    --------
    >>> kept = ra.pull(folder / "pulls", client)
    >>> str(kept.day), kept.tables["platforms"].rows
    ('2026-10-31', 320)
    >>> with ra.connect(folder / "pulls") as pulled:
    ...     ra.load(pulled).platforms["rating"].value_counts()["HIGH"].item()
    88
    """
    check_parquet()
    with nullcontext(client) if client is not None else sources.connect_to() as opened:
        puller = _Puller(opened, as_of, progress)
        if warn is not None and not puller.shows_changes():
            warn(_WITHOUT_CHANGES)
        return puller.pull(open_storage(archive), snapshots=snapshots)


class _Puller:
    """Reads everything that a client may, and writes it as a pull; see `pull`."""

    def __init__(self, client: Client, as_of: DayLike | None, progress: Progress | None) -> None:
        self._client, self._as_of = client, as_day(as_of)
        self._clean, self._cache = client.without_key, load_settings().cache
        self._progress: Progress = progress or (lambda *_: None)
        self._not_shown: dict[str, int] = {}
        self._problems: list[str] = []

    def shows_changes(self) -> bool:
        """Say whether the key may read the changes; a past day is pulled without them."""
        if self._as_of is not None or self._client.embedded:
            return True
        return self._client.has_key and self._shown("changes", lambda: list(self._client.changes(limit=1))) is not None

    def pull(self, storage: Storage, *, snapshots: bool) -> Manifest:
        """Write one pull; parameters as `pull` takes them."""
        source, newest = self._client.source, self._newest()
        with workplace(storage, self._cache) as work:
            storage.sweep({file for name in storage.pulls() for file in read_manifest(storage, name).files})
            for name in storage.pulls()[-1:]:
                other = Pulls(f"{storage.shown}/{name}").newest.source
                if other != source:
                    raise SettingsError(f"{storage.shown} holds pulls of {other}: choose another folder for {source}")
            for _ in range(_ROUNDS):
                began = datetime.now(UTC)
                self._not_shown, self._problems = {}, []
                answers = self._head()
                told = _told(answers)
                seen = self._as_of is not None or "changes" not in self._not_shown
                spool = Spool(work, f"{source} {self._as_of} {told}", None if seen else _BLIND)
                try:
                    self._read(answers, spool, storage)
                finally:
                    spool.close()
                texts = dict(self._snapshots(answers, storage)) if snapshots else {}
                if _told(self._head()) == told:
                    self._problems += [f"{met.where}: {self._clean(met.what)}" for met in self._client.problems]
                    break
            else:
                raise PullError("the data of the service moved while they were read, three times: pull again later")
            self._progress("writing the pull", 0, None)
            day = self._as_of or day_of(answers, began)
            manifest = write_pull(
                storage, answers, source=source, access=self._access(answers), day=day, newest=newest or day, began=began,
                snapshots=texts, not_shown=self._not_shown, problems=self._problems,
            )  # fmt: skip
            spool.remove()
            return manifest

    def _newest(self) -> date | None:
        """Return the newest day that the service has data of, where a day is asked for; later ones are refused."""
        if self._as_of is None:
            return None
        newest = sources.data_day(self._client)
        if self._as_of > newest:
            raise ParameterError(f"{self._as_of} lies after the data, which end on {newest}")
        return newest

    def _access(self, answers: Answers) -> str:
        """Return what the key was shown."""
        if self._client.embedded:
            return "embedded"
        if not self._client.has_key:
            return "open"
        return "starter" if answers.changes is None else "pro"

    def _head(self) -> Answers:
        """Read the coverage, the list of platforms and the newest changes: what the state of a service is known by."""
        answers = Answers(coverage=self._clean(self._client.coverage(self._as_of)))
        if self._client.has_key:
            asked: dict[str, str | int] = {"limit": 1, **({"as_of": str(self._as_of)} if self._as_of else {})}
            envelope = self._client.answer("/api/v1/platforms", asked, keyed=True)
            rows = list(self._client.platforms(self._as_of))
            page = {"total": len(rows), "limit": 500, "offset": 0}
            answers.listed = self._clean({**envelope, **page, "data": rows})
        if self._client.has_key and self._as_of is None:
            newest = self._shown("changes", lambda: list(self._client.changes(limit=_NEWEST)))
            answers.changes = self._clean(newest)
        elif not self._client.has_key:
            self._not_shown["changes"] = 401
        return answers

    def _read(self, answers: Answers, spool: Spool, storage: Storage) -> None:
        """Read every platform that the unfinished work does not have yet, then the changes and the index."""
        slugs = sources.listed_slugs(self._client, self._as_of)
        if not slugs:
            raise PullError(
                f"{self._client.source} lists no platform{f' on {self._as_of}' if self._as_of else ''}: nothing is kept"
            )
        left = [slug for slug in slugs if slug not in spool.records]
        read = self._client.machine_platforms(left, self._as_of)
        stopped: list[ServiceError] = []
        for done, (slug, got) in enumerate(read, 1 + len(slugs) - len(left)):
            if not isinstance(got, ServiceError):
                spool.keep(slug, self._clean(got))
            elif self._stops(got):
                stopped.append(got)
            else:
                answers.failed[slug] = str(self._clean(str(got)))
            if len(stopped) >= _ENOUGH:
                break
            self._progress("reading the platforms", done, len(slugs))
        if stopped:
            raise stopped[0]  # what was read so far is kept, and the next run goes on
        self._problems += [f"{slug} could not be read: {why}" for slug, why in sorted(answers.failed.items())]
        answers.records = {slug: spool.records[slug] for slug in slugs if slug in spool.records}
        if slugs and not answers.records:
            raise PullError(f"no platform could be read: {answers.failed[slugs[0]]}")
        self._progress("reading the changes", 0, None)
        self._read_changes(answers, storage)
        index = self._shown("index", self._client.index)
        answers.index = None if index is None else self._clean(index)

    def _read_changes(self, answers: Answers, storage: Storage) -> None:
        """Read the changes, where they are shown, and name what of them is missing."""
        answers.changes = None
        if self._not_shown.get("changes"):
            return
        feed = self._shown("changes", lambda: self._client.change_feed(until=self._as_of))
        if feed is not None:
            answers.changes = self._clean(list(feed.rows.values()))
            said = list(feed.sentences)
            if feed.claimed_more:
                claimed = f"{feed.claims[-1]:,} changes and gave {len(feed.rows):,} different ones"
                said.append(f"the feed claims {claimed}: some may be missing")
            elif feed.capped and not reaches_back(answers.changes, storage):
                ends = f"the feed ends with a full page of {len(feed.rows):,} changes, all newer than the last pull's"
                said.append(f"{ends}: {OLDER}")
            self._problems += [f"{CHANGES}: {self._clean(sentence)}" for sentence in said]

    def _stops(self, error: ServiceError) -> bool:
        """Say whether a failure is not one platform's alone."""
        past = self._as_of is not None and error.status in (200, 400, 422)
        return past or isinstance(error, NotAuthorised | RateLimited | TierRequired | Unreachable)

    def _shown(self, what: str, read: Callable[[], Any]) -> Any:
        """Read what the key may not show; None then, and the status is told."""
        try:
            return read()
        except ServiceError as error:
            if error.status not in _NOT_SHOWN:
                raise
            self._not_shown[what] = error.status
            return None

    def _snapshots(self, answers: Answers, storage: Storage) -> Iterator[tuple[str, bytes]]:
        """Read the policy texts that are not kept yet; those that are not what their hash says are told."""
        kept = storage.snapshots()
        wanted = [
            name for name in answers.snapshots if name not in kept or not is_intact(storage, snapshot_file(name), name)
        ]
        for done, (name, got) in enumerate(self._client.snapshots(wanted), 1):
            if isinstance(got, RateLimited | Unreachable):
                raise got  # the next run goes on
            if isinstance(got, bytes) and sha256(got).hexdigest() == name and not self._holds_key(got):
                yield name, got
            else:
                why = "is not the text of its hash" if isinstance(got, bytes) else "is not to be had"
                self._problems.append(f"the policy text {name} {why}")
            self._progress("reading the policy texts", done, len(wanted))

    def _holds_key(self, body: bytes) -> bool:
        """Say whether a text holds the key of the client."""
        text = body.decode("utf-8", "replace")
        return bool(self._clean(text) != text)


def _told(answers: Answers) -> str:
    """Return what the state of a service is known by: its counts, the list of its platforms, and when the newest changes came."""
    coverage = frames.coverage_frame(answers.coverage).to_json(date_format="iso")
    listed = frames.platforms_frame(answers.platforms).to_json(date_format="iso")
    changes = frames.changes_frame(answers.changes or [])[["slug", "document", "reviewed_at"]].to_json(
        date_format="iso"
    )
    return sha256(f"{coverage}{listed}{changes}".encode("utf-8", "replace")).hexdigest()
