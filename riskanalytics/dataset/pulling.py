"""Pulls made: everything that a client may read, kept in a folder of the reader's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.dataset.connecting import connect_to
from riskanalytics.dataset.loading import data_day, listed_slugs
from riskanalytics.dataset.pulls.manifest import (
    CHANGES,
    Answers,
    Json,
    Manifest,
    is_intact,
    read_changes,
    read_file,
    read_manifest,
    snapshot_file,
)
from riskanalytics.dataset.pulls.storage import Storage
from riskanalytics.dataset.pulls.writing import Spool, write_pull
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
from riskanalytics.settings import load_settings
from riskanalytics.text.arguments import DayLike, as_day
from riskanalytics.work.progress import Told

_NOT_SHOWN: Final = (401, 402, 403, 404)
_NEWEST: Final = 50
"""Changes that the state of a service is known by."""
_ENOUGH: Final = 12
"""Failures that hold for all platforms, after which a service is given up."""
_BLIND: Final = 3_600.0
"""Seconds after which unfinished work is read anew where no changes are shown: within a day nothing else shows that data moved."""
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
    progress: Told | None = None,
    warn: Callable[[str], None] | None = None,
) -> Manifest:
    """Write a dated copy of everything that a service shows into a folder of pulls.

    Earlier pulls are not changed, except that damaged files are written anew; tables and policy texts that did not change are
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
        Keep the state at the end of a past day, where the service gives it.
    snapshots : bool
        Keep the policy texts too, so that quotes are checked from the pull alone.
    progress : callable, optional
        Called with a phase, how much is done, and how much there is.
    warn : callable, optional
        Called with one line, before anything is written, if reports will not work from this pull: what to do.

    Returns
    -------
    Manifest
        `name` (its folder), `day` of the data, `tables` with file, hash and rows, `not_shown`, `problems`.

    Raises
    ------
    ParameterError
        If the day is not valid, or lies after the data.
    PullError
        If no platform could be read, another pull is at work, or the folder cannot be written.
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
    89
    """
    check_parquet()
    with nullcontext(client) if client is not None else connect_to() as opened:
        puller = _Puller(opened, as_of, progress)
        if warn is not None and not puller.shows_changes():
            warn(_WITHOUT_CHANGES)
        return puller.pull(Storage(archive), snapshots=snapshots)


class _Puller:
    """Reads everything that a client may, and writes it as a pull; see `pull`."""

    def __init__(self, client: Client, as_of: DayLike | None, progress: Told | None) -> None:
        self._client, self._as_of = client, as_day(as_of)
        self._clean = client.without_key
        self._progress: Told = progress or (lambda *_: None)
        self._not_shown: dict[str, int] = {}
        self._problems: list[str] = []

    def shows_changes(self) -> bool:
        """Say whether the key may read the changes; a past day is pulled without them."""
        if self._as_of is not None or self._client.embedded:
            return True
        return self._client.has_key and self._shown("changes", lambda: list(self._client.changes(limit=1))) is not None

    def pull(self, storage: Storage, *, snapshots: bool) -> Manifest:
        """Write one pull; parameters as `pull` takes them."""
        if self._as_of is not None and self._as_of > (newest := data_day(self._client)):
            raise ParameterError(f"{self._as_of} lies after the data, which end on {newest}")
        source = self._client.source
        with storage.workplace(load_settings().cache) as work:
            earlier = [read_manifest(storage, name) for name in storage.pulls()]
            storage.sweep({file for manifest in earlier for file in manifest.files})
            if earlier and earlier[-1].source != source:
                raise SettingsError(
                    f"{storage.shown} holds pulls of {earlier[-1].source}: choose another folder for {source}"
                )
            began = datetime.now(UTC)
            answers = self._head()
            state = _state(answers)
            lasts = self._as_of is not None or "changes" not in self._not_shown
            spool = Spool(work, f"{source} {self._as_of} {state}", None if lasts else _BLIND)
            try:
                self._read(answers, spool, lambda: self._known(storage, earlier))
            finally:
                spool.close()
            texts = dict(self._snapshots(answers, storage)) if snapshots else {}
            if _state(self._head()) != state:
                self._problems.append(
                    "the data of the service moved while they were read: some may be of another state"
                )
            self._problems += [f"{met.where}: {self._clean(met.what)}" for met in self._client.problems]
            self._progress("writing the pull", 0, None)
            manifest = write_pull(
                storage, answers, earlier, source=source, access=self._access(answers), day=self._as_of, began=began,
                snapshots=texts, not_shown=self._not_shown, problems=tuple(dict.fromkeys(self._problems)),
            )  # fmt: skip
            spool.remove()
            return manifest

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
        if not self._client.has_key:
            self._not_shown["changes"] = 401
            return answers
        asked: dict[str, str | int] = {"limit": 1, **({"as_of": str(self._as_of)} if self._as_of else {})}
        envelope = self._client.answer("/api/v1/platforms", asked, keyed=True)
        rows = list(self._client.platforms(self._as_of))
        answers.listed = self._clean({**envelope, "total": len(rows), "limit": 500, "offset": 0, "data": rows})
        if self._as_of is None:
            newest = self._shown("changes", lambda: list(self._client.changes(limit=_NEWEST)))
            answers.changes = self._clean(newest)
        return answers

    def _read(self, answers: Answers, spool: Spool, known: Callable[[], list[Json] | None]) -> None:
        """Read every platform that the unfinished work does not have yet, then the changes and the index."""
        slugs = listed_slugs(self._client, self._as_of)
        left = [slug for slug in slugs if slug not in spool.records]
        stopped: list[ServiceError] = []
        for done, (slug, got) in enumerate(
            self._client.machine_platforms(left, self._as_of), 1 + len(slugs) - len(left)
        ):
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
        answers.records = {slug: spool.records[slug] for slug in slugs if slug in spool.records}
        if not slugs:
            self._problems.append(f"the service lists no platform{f' on {self._as_of}' if self._as_of else ''}")
        elif not answers.records:
            raise PullError(f"no platform could be read: {answers.failed[slugs[0]]}")
        self._problems += [f"{slug} could not be read: {why}" for slug, why in sorted(answers.failed.items())]
        self._progress("reading the changes", 0, None)
        self._read_changes(answers, known)
        index = self._shown("index", self._client.index)
        answers.index = None if index is None else self._clean(index)

    def _read_changes(self, answers: Answers, known: Callable[[], list[Json] | None]) -> None:
        """Read the changes, where they are shown, and note what of them is missing; the last pull's are `known`."""
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
            elif feed.capped and not _reaches_back(answers.changes, known()):
                ends = f"the feed ends with a full page of {len(feed.rows):,} changes, all newer than the last pull's"
                said.append(f"{ends}: older ones are not known")
            self._problems += [f"{CHANGES}: {self._clean(sentence)}" for sentence in said]

    @staticmethod
    def _known(storage: Storage, pulls: Sequence[Manifest]) -> list[Json] | None:
        """Return the changes of the last pull that holds some; nothing of damaged ones; None where no pull holds any."""
        table = next((one.tables["changes"] for one in reversed(pulls) if "changes" in one.tables), None)
        if table is None:
            return None
        try:
            return read_changes(read_file(storage, table.file, table.sha256), table.file)
        except PullError:
            return []

    def _stops(self, error: ServiceError) -> bool:
        """Say whether a failure is not one platform's alone."""
        past = self._as_of is not None and error.status in (200, 400, 422)
        return past or isinstance(error, NotAuthorised | RateLimited | TierRequired | Unreachable)

    def _shown(self, what: str, read: Callable[[], Any]) -> Any:
        """Read what the key may not show; None then, and the status is noted."""
        try:
            return read()
        except ServiceError as error:
            if error.status not in _NOT_SHOWN:
                raise
            self._not_shown[what] = error.status
            return None

    def _snapshots(self, answers: Answers, storage: Storage) -> Iterator[tuple[str, bytes]]:
        """Read the policy texts that are not kept yet; what is not the text of its hash is noted."""
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


def _reaches_back(changes: list[Json], known: list[Json] | None) -> bool:
    """Return whether a feed, which gives only the newest changes, reaches back to those that the last pull holds."""
    times, held = (frames.changes_frame(rows)["reviewed_at"] for rows in (changes, known or []))
    return known is None or bool(times.min() <= held.max())


def _state(answers: Answers) -> str:
    """Return what the state of a service is known by: its counts, the list of its platforms, and when the newest changes came."""
    coverage = frames.coverage_frame(answers.coverage).to_json(date_format="iso")
    listed = frames.platforms_frame(answers.platforms).to_json(date_format="iso")
    changes = frames.changes_frame(answers.changes or [])[["slug", "document", "reviewed_at"]].to_json(
        date_format="iso"
    )
    return sha256(f"{coverage}{listed}{changes}".encode("utf-8", "replace")).hexdigest()
