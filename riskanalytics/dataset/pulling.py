"""Pulls made: everything that a client may read, kept in a folder of the reader's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final, TypeVar

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.dataset.connecting import connect_to
from riskanalytics.dataset.data import FRAMES, Dataset
from riskanalytics.dataset.loading import NOT_SHOWN, data_day, listed_slugs, read_each, read_feed
from riskanalytics.dataset.pulls import CHANGES, Answers, Json, changes_of
from riskanalytics.dataset.storage import MANIFEST, Manifest, Storage, StoredTable, snapshot_file
from riskanalytics.errors import ParameterError, PullError, ServiceError, SettingsError
from riskanalytics.frames.building import as_parquet, check_parquet, mapping_of, plain_frame
from riskanalytics.text.arguments import DayLike, as_day
from riskanalytics.work import Told

T = TypeVar("T")
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
    not written again. An interrupted pull leaves the folder as it was; answers that it had read need only be confirmed by the
    service in the next run.

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
        `name` (its folder), `day` of the data, `tables` with file, hash and rows, `not_shown`, and `problems`: what could
        not be read.

    Raises
    ------
    ParameterError
        If the day is not valid, or lies after the data.
    PullError
        If no platform could be read, another pull is at work, or the folder cannot be written.
    SettingsError
        If the folder holds pulls of another source, or its address holds credentials.
    ServiceError
        If the service refuses.
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
        with storage.locked():
            earlier = [storage.manifest(name) for name in storage.pulls()]
            storage.sweep({file for manifest in earlier for file in manifest.files})
            if earlier and earlier[-1].source != self._client.source:
                held = f"{storage.shown} holds pulls of {earlier[-1].source}"
                raise SettingsError(f"{held}: choose another folder for {self._client.source}")
            began = datetime.now(UTC)
            answers = self._platforms()
            self._progress("reading the changes", 0, None)
            answers.changes = self._changes(storage, earlier)
            texts = dict(self._snapshots(answers, storage)) if snapshots else {}
            self._problems += [f"{met.where}: {met.what}" for met in self._client.problems]
            self._progress("writing the pull", 0, None)
            return self._write(storage, answers, earlier, began, texts)

    def _platforms(self) -> Answers:
        """Read the coverage, the list of platforms and every platform, and note what of them is missing or moved."""
        answers = Answers(coverage=self._client.coverage(self._as_of))
        if self._client.has_key:
            answers.listed = list(self._client.platforms(self._as_of))
        ratings = {row["id"]: row.get("rating") for row in answers.platforms}
        slugs = sorted(ratings) if self._client.has_key else listed_slugs(self._client, self._as_of)
        for slug, got in sorted(read_each(self._client, self._as_of, slugs, self._progress).items()):
            if isinstance(got, ServiceError):
                answers.failed[slug] = str(got)
                self._problems.append(f"{slug} could not be read: {got}")
                continue
            answers.records[slug] = got
            if slug in ratings and got.get("rating", ratings[slug]) != ratings[slug]:
                self._problems.append(f"the rating of {slug} moved while the data were read")
        if not slugs:
            self._problems.append(f"the service lists no platform{f' on {self._as_of}' if self._as_of else ''}")
        elif not answers.records:
            raise PullError(f"no platform could be read: {answers.failed[slugs[0]]}")
        return answers

    def _changes(self, storage: Storage, earlier: Sequence[Manifest]) -> list[Json] | None:
        """Read the changes, where they are shown, and note what of them is missing."""
        if not self._client.has_key:
            self._not_shown["changes"] = 401
        if "changes" in self._not_shown:
            return None
        read = self._shown("changes", lambda: read_feed(self._client, last=self._as_of))
        if read is None:
            return None
        feed, changes = read
        if feed.capped and not feed.claimed_more and not _reaches_back(changes, storage, earlier):
            ends = f"the feed ends with a full page of {len(changes):,} changes, all newer than the last pull's"
            self._client.problems.add(f"{ends}: older ones are not known", CHANGES)
        return list(feed.rows.values())

    def _shown(self, what: str, read: Callable[[], T]) -> T | None:
        """Read what the key may not show; None then, and the status is noted."""
        try:
            return read()
        except ServiceError as error:
            if error.status not in NOT_SHOWN:
                raise
            self._not_shown[what] = error.status
            return None

    def _snapshots(self, answers: Answers, storage: Storage) -> Iterator[tuple[str, bytes]]:
        """Read the policy texts that are not kept yet; what is not the text of its hash is noted."""
        kept = storage.snapshots()
        wanted = [
            name for name in answers.snapshots if name not in kept or not storage.holds(snapshot_file(name), name)
        ]
        for done, (name, got) in enumerate(self._client.snapshots(wanted), 1):
            self._progress("reading the policy texts", done, len(wanted))
            if isinstance(got, bytes) and sha256(got).hexdigest() == name:
                yield name, got
            else:
                why = "is not the text of its hash" if isinstance(got, bytes) else "cannot be read"
                self._problems.append(f"the policy text {name} {why}")

    def _access(self, answers: Answers) -> str:
        """Return what the key was shown."""
        if self._client.embedded or not self._client.has_key:
            return "embedded" if self._client.embedded else "open"
        return "starter" if answers.changes is None else "pro"

    def _write(
        self, storage: Storage, answers: Answers, earlier: Sequence[Manifest], began: datetime, texts: dict[str, bytes]
    ) -> Manifest:
        """Write the tables, then the texts, then the manifest, which makes it a pull."""
        name = f"{began:%Y%m%dT%H%M%SZ}-{began.microsecond // 16:04x}"
        tables = _written(storage, answers, earlier, name)
        for digest, body in texts.items():
            storage.write(snapshot_file(digest), body)
        kept = storage.snapshots()
        rules = mapping_of(answers.coverage.get("extraction")).get("version")
        covered = frames.coverage_frame(answers.coverage)["as_of"].iloc[0]
        manifest = Manifest(
            name=name,
            source=self._client.source,
            day=self._as_of or (began.date() if frames.is_missing(covered) else covered.date()),
            pulled_at=began.replace(microsecond=0),
            finished_at=datetime.now(UTC).replace(microsecond=0),
            access=self._access(answers),
            versions={"riskanalytics": version("riskanalytics")} | ({} if rules is None else {"rules": str(rules)}),
            tables=tables,
            snapshots=tuple(digest for digest in answers.snapshots if digest in kept),
            not_shown=self._not_shown,
            problems=tuple(dict.fromkeys(self._problems)),
        )
        storage.write(f"{name}/{MANIFEST}", manifest.model_dump_json(indent=1).encode())
        return manifest


def _written(storage: Storage, answers: Answers, earlier: Sequence[Manifest], name: str) -> dict[str, StoredTable]:
    """Write the tables that no earlier pull has, or that are damaged there, and return all."""
    stored = {(table, file.sha256): file for one in earlier for table, file in one.tables.items()}
    tables: dict[str, StoredTable] = {}
    for table, frame in _tables(answers).items():
        content = as_parquet(plain_frame(frame))
        digest = sha256(content).hexdigest()
        new = StoredTable(file=f"{name}/{table}.parquet", sha256=digest, bytes=len(content), rows=len(frame))
        tables[table] = known = stored.get((table, digest), new)
        if known is new or not storage.holds(known.file, digest):
            storage.write(known.file, content)
    return tables


def _tables(answers: Answers) -> dict[str, pd.DataFrame]:
    """Return the tables of a pull: `answers`, and each frame that was shown."""
    data = Dataset(None)
    known = {"tracked": frames.platforms_frame(answers.platforms), "records": list(answers.records.values())}
    vars(data).update(known, _counted=answers.coverage, platforms=known["tracked"])
    tables = {"answers": answers.table} | {name: getattr(data, name) for name in (*FRAMES, "coverage")}
    if answers.changes is not None:
        raw = pd.Series([json.dumps(change, ensure_ascii=False) for change in answers.changes], dtype="str")
        tables["changes"] = frames.changes_frame(answers.changes).assign(record=raw)
    return tables


def _reaches_back(changes: pd.DataFrame, storage: Storage, earlier: Sequence[Manifest]) -> bool:
    """Return whether a feed, which gives only the newest changes, reaches back to those that the last pull holds."""
    last = next((one for one in reversed(earlier) if "changes" in one.tables), None)
    known: list[Json] = []
    with suppress(PullError):
        known = (changes_of(storage, last) if last else None) or []
    return last is None or bool(changes["reviewed_at"].min() <= frames.changes_frame(known)["reviewed_at"].max())
