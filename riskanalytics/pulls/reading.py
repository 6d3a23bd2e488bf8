"""Pulls read again: what the service said on a day, from the pull of that day, or rebuilt where that is exact."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from threading import RLock
from typing import Final

from riskanalytics import frames
from riskanalytics.errors import PullError
from riskanalytics.frames.building import mapping_of, records_of
from riskanalytics.pulls.manifest import Manifest, read_file, read_manifest, snapshot_file
from riskanalytics.pulls.storage import MANIFEST, PULL, LocalFolder, Storage, open_storage
from riskanalytics.pulls.tables import Answers, Json, read_answers, read_changes

_STATES: Final = ("verified", "partial", "stale", "unverified")


class NotKnown(PullError):  # noqa: N818 (it says what is not known, as errors of the client do)
    """The pulls do not tell the state of a day."""


class Pulls:
    """A folder of pulls of one source, read.

    Parameters
    ----------
    folder : str or Path
        The folder, its address, or the folder of one pull in it, which is then read alone.

    Raises
    ------
    PullError
        If there is no pull, a manifest is damaged, or the pulls are of several sources.
    """

    def __init__(self, folder: object) -> None:
        self.storage, only = _found(folder)
        manifests = [read_manifest(self.storage, name) for name in self.storage.pulls() if only in ("", name)]
        if not manifests:
            raise PullError(
                f"there is no pull in {self.storage.shown}: make one with 'riskanalytics pull --archive {self.storage.shown}'"
            )
        sources = sorted({manifest.source for manifest in manifests})
        if len(sources) > 1:
            raise PullError(
                f"{self.storage.shown} holds pulls of {' and of '.join(sources)}: keep each in its own folder"
            )
        self.manifests = sorted(manifests, key=lambda manifest: (manifest.day, manifest.name))
        self._lock = RLock()
        self._answers = lru_cache(3)(self._read_answers)
        self._changes = lru_cache(2)(self._read_changes)
        self._rebuilt = lru_cache(16)(self._rebuild)

    @property
    def newest(self) -> Manifest:
        """The pull of the newest day."""
        return self.manifests[-1]

    def changes(self, manifest: Manifest | None = None) -> list[Json] | None:
        """Return the changes that a pull holds, the newest of all where none is named; None where they were not shown."""
        with self._lock:
            return self._changes((manifest or self.newest).name)

    def at(self, day: date | None = None) -> Answers:
        """Return what the service said at the end of a day.

        Parameters
        ----------
        day : date, optional
            The newest where None.

        Raises
        ------
        NotKnown
            If no pull tells it, and it cannot be rebuilt exactly.
        """
        with self._lock:
            if day is None:
                return self._answers(self.newest.name)
            held = [manifest for manifest in self.manifests if manifest.day == day]
            return self._answers(held[-1].name) if held else self._rebuilt(day)

    def snapshot(self, sha256: str) -> bytes | None:
        """Return a policy text byte for byte; None where it is not kept."""
        if any(sha256 in manifest.snapshots for manifest in self.manifests):
            return read_file(self.storage, snapshot_file(sha256), sha256)
        return None

    def _manifest(self, name: str) -> Manifest:
        """Return a pull by its name."""
        return next(manifest for manifest in self.manifests if manifest.name == name)

    def _read_answers(self, name: str) -> Answers:
        """Read what a pull holds, but for its changes."""
        table = self._manifest(name).tables.get("answers")
        if table is None:
            raise PullError(f"{self.storage.shown}/{name}/{MANIFEST} is damaged: it names no answers")
        answers = read_answers(read_file(self.storage, table.file, table.sha256), table.file)
        if frames.coverage_frame(answers.coverage)["as_of"].isna().all():
            answers.coverage["as_of"] = self._manifest(name).day.isoformat()  # else a reader takes today for its day
        return answers

    def _read_changes(self, name: str) -> list[Json] | None:
        """Read the changes that a pull holds."""
        table = self._manifest(name).tables.get("changes")
        return None if table is None else read_changes(read_file(self.storage, table.file, table.sha256), table.file)

    def _rebuild(self, day: date) -> Answers:
        """Return the state of a day between pulls: records in which nothing moved since, or until, that day."""
        before = next((one for one in reversed(self.manifests) if one.day < day), None)
        after = next((one for one in self.manifests if one.day > day), None)
        if after is None:
            raise self._unknown("")
        feed = self._changes(after.name)
        if feed is None:
            raise self._unknown(", which hold no changes")
        if before is not None and before.versions.get("rules") != after.versions.get("rules"):
            raise self._unknown(", whose texts were read by other rules")
        sides = self._answers(before.name) if before else Answers(), self._answers(after.name)
        first = before.day if before else date.min
        listed = [{str(row.get("id", row.get("slug"))): row for row in side.platforms} for side in sides]
        moved, state, rows = _Moves(feed), Answers(), []
        for slug in sorted({slug for side in sides for slug in (*side.records, *side.failed)}):
            side = _side(slug, first, day, sides, moved)
            if side is None:
                raise self._unknown(f"; what {slug[:60]} said on {day} cannot be told from them")
            state.records[slug] = sides[side].records[slug]
            rows.append(listed[side][slug])
        state.listed = {**_envelope(sides[1]), "data": rows}
        state.coverage = _counted(state, sides[1])
        return state

    def _unknown(self, why: str) -> NotKnown:
        """Return what is said of a day that cannot be known."""
        days = ", ".join(dict.fromkeys(str(manifest.day) for manifest in self.manifests[-6:]))
        return NotKnown(
            f"the pulls in {self.storage.shown} speak of {days}{why}: ask for one of these days, or pull another with --as-of"
        )


class _Moves:
    """On which days platforms changed, as far back as a change feed reaches."""

    def __init__(self, feed: list[Json]) -> None:
        self._days: dict[str, list[date]] = {}
        days = []
        self.whole = bool(feed)
        for change in feed:
            day = _day(change.get("reviewed_at", change.get("date")))
            slug = change.get("platform", change.get("slug"))
            if day is None or not isinstance(slug, str):
                self.whole = False  # a change that cannot be placed may be of any platform and day
                continue
            days.append(day)
            self._days.setdefault(slug, []).append(day)
        self._reaches = min(days, default=date.max)

    def none(self, slug: str, after: date, until: date = date.max) -> bool:
        """Say whether it is known that a platform did not change after a day, up to another one."""
        return (
            self.whole and self._reaches <= after and not any(after < day <= until for day in self._days.get(slug, []))
        )


def _side(slug: str, first: date, day: date, sides: tuple[Answers, Answers], moved: _Moves) -> int | None:
    """Return which side tells a platform's state of a day exactly: the pull before, or the one after; None: neither."""
    before, after = (answers.records.get(slug) for answers in sides)
    if after is not None and moved.none(slug, day):
        seen = list(_seen(after))
        if seen and all(at is not None and at <= day for at in seen):
            return 1
    return 0 if before is not None and after is not None and moved.none(slug, first, day) else None


def _seen(record: Json) -> Iterator[date | None]:
    """Give the days on which the documents of a platform were seen."""
    for document in records_of(record.get("documents")):
        for name in ("captured_at", "newest_capture_at"):
            if name in document:
                yield _day(document[name])


def _day(value: object) -> date | None:
    """Return the day of a time of the wire, UTC."""
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None


def _envelope(answers: Answers) -> Json:
    """Return what a list says beside its rows."""
    return {name: value for name, value in (answers.listed or {}).items() if name != "data"}


def _counted(state: Answers, after: Answers) -> Json:
    """Return the coverage of a state that was rebuilt, counted from its platforms."""
    told = [str(row.get("verification")) for row in state.platforms]
    surfaces: dict[str, int] = {}
    for record in state.records.values():
        for surface in {str(finding.get("surface")) for finding in records_of(record.get("findings"))}:
            surfaces[surface] = surfaces.get(surface, 0) + 1
    known = mapping_of(after.coverage.get("surfaces")) or surfaces
    return {
        "tracked": len(told),
        **{name: told.count(name) for name in _STATES},
        "surfaces": {name: surfaces.get(name, 0) for name in {**known, **surfaces}},
        **{name: after.coverage[name] for name in ("extraction", "disclaimer") if name in after.coverage},
    }


def _found(folder: object) -> tuple[Storage, str]:
    """Return the folder of pulls, and the name of the only pull to read where its own folder was named."""
    text = str(folder).rstrip("/")
    head, _, name = text.rpartition("/")
    if PULL.fullmatch(name or text):
        return open_storage(head or "."), name or text
    storage = open_storage(text if "://" in text else str(folder))
    if isinstance(storage, LocalFolder) and not storage.folder.is_dir():
        raise PullError(
            f"there is no folder {storage.shown}: make one with 'riskanalytics pull --archive {storage.shown}'"
        )
    return storage, ""
