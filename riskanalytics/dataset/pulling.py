"""Make pulls: dated copies of everything that a client may read, in a folder of the user."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import CHANGES, COVERAGE, LIST, MACHINE, Client
from riskanalytics.errors import ParameterError, PullError, ServiceError, SettingsError
from riskanalytics.frames.building import as_parquet, check_parquet, mapping_of, plain_frame
from riskanalytics.text.arguments import DayLike, as_day
from riskanalytics.work import OnProgress, silent

from . import pulls
from .connecting import connect_to
from .data import FRAMES, Dataset
from .loading import NOT_SHOWN, data_day, listed_slugs, read_each, read_feed
from .pulls import Answers, Json
from .storage import MANIFEST, Manifest, Storage, StoredTable, snapshot_file

_WITHOUT_CHANGES: Final = (
    "the service shows changes only with a key of the Pro tier, so 'riskanalytics monthly' will not work with this pull: "
    "set a key of the Pro tier in RISKANALYTICS_API_KEY, or also pull the day before the month "
    "(riskanalytics pull --as-of YYYY-MM-DD)"
)


def pull(
    archive: str | Path = "pulls",
    client: Client | None = None,
    *,
    as_of: DayLike | None = None,
    snapshots: bool = False,
    progress: OnProgress | None = None,
    warn: Callable[[str], None] | None = None,
) -> Manifest:
    """Write a dated copy of everything that a service shows into a folder of pulls.

    Earlier pulls are not changed, except that damaged files are repaired. Unchanged tables and policy texts are not written again.
    An interrupted pull leaves the folder unchanged; the next run sends conditional requests for answers already read.

    Parameters
    ----------
    archive : str or Path
        Folder of pulls of this one source, created if missing; or an address for fsspec, such as `s3://bucket/pulls`.
    client : Client, optional
        A client from `connect`; by default as for `load`.
    as_of : date or str, optional
        Day whose data are kept, if the service supports past days.
    snapshots : bool
        Whether to keep the policy texts, so that quotes can be verified from the pull alone.
    progress : callable, optional
        Called with a phase, the amount done, and the total.
    warn : callable, optional
        Called with one line of advice, before anything is written, if reports will not work with this pull.

    Returns
    -------
    Manifest
        The description of the pull: `name` (its folder), `day` of the data, `tables` with file, hash and number of rows,
        `not_shown` (what the service refuses with this key), and `problems` (what could not be read).

    Raises
    ------
    ParameterError
        If the day is invalid, or after the newest data.
    PullError
        If no platform could be read, another pull is running, or the folder cannot be written.
    SettingsError
        If the folder contains pulls of another source, or its address contains credentials.
    ServiceError
        If the service refuses the list of platforms, or another request without which there is no pull.
    MissingExtraError
        If pyarrow, or the package that fsspec needs for the address, is not installed.

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
        puller = _Puller(opened, as_day(as_of), progress or silent)
        if not puller.shows_changes() and puller.as_of is None and warn is not None:
            warn(_WITHOUT_CHANGES)
        return puller.pull(Storage(archive), snapshots=snapshots)


class _Puller:
    """Reads everything that a client may read, and writes it as a pull; see `pull`."""

    def __init__(self, client: Client, as_of: date | None, progress: OnProgress) -> None:
        self.client, self.as_of, self.progress = client, as_of, progress
        self.not_shown: dict[str, int] = {} if client.has_key else {"changes": 401}
        self.problems: list[str] = []

    def shows_changes(self) -> bool:
        """Return whether the key may read the changes; record the status if not."""
        if not self.not_shown:
            try:
                list(self.client.changes(limit=1))
            except ServiceError as error:
                if error.status not in NOT_SHOWN:
                    raise
                self.not_shown["changes"] = error.status
        return not self.not_shown

    def pull(self, storage: Storage, *, snapshots: bool) -> Manifest:
        """Write one pull; parameters as for `pull`."""
        if self.as_of is not None and self.as_of > (newest := data_day(self.client)):
            raise ParameterError(
                f"{self.as_of} is after the data, which end on {newest}; give an earlier day, or no day for the newest data"
            )
        with storage.locked():
            earlier = [storage.manifest(name) for name in storage.pulls(new=True)]
            storage.sweep(earlier)
            if earlier and earlier[-1].source != self.client.source:
                held = f"{storage.shown} contains pulls of {earlier[-1].source}"
                raise SettingsError(f"{held}: choose another folder for {self.client.source}")
            began, answers = datetime.now(UTC), self._answers()
            self.progress("reading the changes", 0, None)
            changes = None if self.not_shown else self._changes(storage, earlier)
            wanted = pulls.snapshots_in([*pulls.machines_in(answers).values(), *(changes or [])])
            texts = dict(self._texts(wanted, storage)) if snapshots else {}
            self.problems += [f"{met.where}: {met.what}" for met in self.client.problems]
            self.progress("writing the pull", 0, None)
            name = f"{began:%Y%m%dT%H%M%SZ}-{began.microsecond // 16:04x}"
            tables = _written(storage, _tables(answers, changes), earlier, name)
            for digest, body in texts.items():
                storage.write(snapshot_file(digest), body)
            manifest = Manifest(
                name=name,
                source=self.client.source,
                day=self.as_of or frames.covered_day(answers[COVERAGE]) or began.date(),
                pulled_at=began.replace(microsecond=0),
                finished_at=datetime.now(UTC).replace(microsecond=0),
                access=self._access(),
                versions=_versions(answers[COVERAGE]),
                tables=tables,
                snapshots=tuple(filter(storage.snapshots().__contains__, wanted)),
                not_shown=self.not_shown,
                problems=tuple(dict.fromkeys(self.problems)),
            )
            # written last: the manifest makes it a pull
            storage.write(f"{name}/{MANIFEST}", manifest.model_dump_json(indent=1).encode())
            return manifest

    def _access(self) -> str:
        """Return what the key may read."""
        if self.client.embedded or not self.client.has_key:
            return "embedded" if self.client.embedded else "open"
        return "starter" if self.not_shown else "pro"

    def _answers(self) -> Answers:
        """Read the coverage, the list of platforms and every platform, and record what is missing or moved."""
        answers: Answers = {COVERAGE: self.client.coverage(self.as_of)}
        if self.client.has_key:
            answers[LIST] = {"data": list(self.client.platforms(self.as_of))}
        ratings = {row["id"]: row.get("rating") for row in pulls.platforms_in(answers)}
        slugs = sorted(ratings) if self.client.has_key else listed_slugs(self.client, self.as_of)
        for slug, got in sorted(read_each(self.client, self.as_of, slugs, self.progress).items()):
            answers[MACHINE + slug] = str(got) if isinstance(got, ServiceError) else got
            if isinstance(got, ServiceError):
                self.problems.append(f"{slug} could not be read: {got}")
            elif slug in ratings and got.get("rating", ratings[slug]) != ratings[slug]:
                self.problems.append(f"the rating of {slug} moved while the data were read")
        if not slugs:
            self.problems.append(f"the service lists no platform{f' on {self.as_of}' if self.as_of else ''}")
        elif not pulls.machines_in(answers):
            raise PullError(f"no platform could be read; the first error: {answers[MACHINE + slugs[0]]}")
        return answers

    def _changes(self, storage: Storage, earlier: Sequence[Manifest]) -> list[Json]:
        """Read the changes. Record a problem if their list does not reach back to the last pull."""
        feed, changes = read_feed(self.client, last=self.as_of)
        last, known = next((one for one in reversed(earlier) if "changes" in one.tables), None), list[Json]()
        if last and feed.capped and not feed.claimed_more:
            # a damaged table is written again
            with suppress(PullError):
                known = pulls.changes_of(storage, last) or []
            if not changes["reviewed_at"].min() <= frames.changes_frame(known)["reviewed_at"].max():
                ends = (
                    f"the list of changes may be cut off after {len(changes):,} changes, all newer than the last pull's"
                )
                self.client.problems.add(f"{ends}: older ones are not known", CHANGES)
        return list(feed.rows.values())

    def _texts(self, names: Sequence[str], storage: Storage) -> Iterator[tuple[str, bytes]]:
        """Read the missing policy texts; a text that does not match its hash is recorded."""
        kept = storage.snapshots()
        wanted = [name for name in names if name not in kept or not storage.holds(snapshot_file(name), name)]
        for done, (name, got) in enumerate(self.client.snapshots(wanted), 1):
            self.progress("reading the policy texts", done, len(wanted))
            if isinstance(got, bytes) and sha256(got).hexdigest() == name:
                yield name, got
            else:
                why = "does not match its hash" if isinstance(got, bytes) else "cannot be read"
                self.problems.append(f"the policy text {name} {why}")


def _versions(coverage: Json) -> dict[str, str]:
    """Return the versions of this package and, if known, of the extraction."""
    rules = mapping_of(coverage.get("extraction")).get("version")
    return {"riskanalytics": version("riskanalytics"), **({} if rules is None else {"rules": str(rules)})}


def _written(
    storage: Storage, tables: dict[str, pd.DataFrame], earlier: Sequence[Manifest], name: str
) -> dict[str, StoredTable]:
    """Write the tables that no earlier pull has, or that are damaged there, and return all."""
    stored = {(table, file.sha256): file for one in earlier for table, file in one.tables.items()}
    written: dict[str, StoredTable] = {}
    for table, frame in tables.items():
        content = as_parquet(plain_frame(frame))
        digest, file = sha256(content).hexdigest(), f"{name}/{table}.parquet"
        new = StoredTable(file=file, sha256=digest, bytes=len(content), rows=len(frame))
        written[table] = known = stored.get((table, digest), new)
        if known is new or not storage.holds(known.file, digest):
            storage.write(known.file, content)
    return written


def _tables(answers: Answers, changes: list[Json] | None) -> dict[str, pd.DataFrame]:
    """Return the tables of a pull: `answers`, and each frame that was shown."""
    data, platforms = Dataset(None), frames.platforms_frame(pulls.platforms_in(answers))
    records = list(pulls.machines_in(answers).values())
    vars(data).update(tracked=platforms, platforms=platforms, records=records, _counted=answers[COVERAGE])
    tables = {"answers": pulls.answers_frame(answers)} | {name: getattr(data, name) for name in (*FRAMES, "coverage")}
    if changes is not None:
        raw = pd.Series([json.dumps(change, ensure_ascii=False) for change in changes], dtype="str")
        tables["changes"] = frames.changes_frame(changes).assign(record=raw)
    return tables
