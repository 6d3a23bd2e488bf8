"""Pulls read again: what the service said on a day, from the pull of that day, or rebuilt where that is exact."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from threading import RLock
from typing import Final

from riskanalytics import frames
from riskanalytics.errors import PullError
from riskanalytics.frames.building import mapping_of, records_of
from riskanalytics.pulls.manifest import Manifest, read_file, read_manifest, snapshot_file
from riskanalytics.pulls.moves import Moves, side_of
from riskanalytics.pulls.storage import MANIFEST, PULL, LocalFolder, Storage, open_storage
from riskanalytics.pulls.tables import CHANGES, OLDER, Answers, Json, read_answers, read_changes

_LASTING: Final = ("id", "slug", "name", "website", "url")
"""What a list says of a platform whatever the day."""
_STATES: Final = ("verified", "partial", "stale", "unverified")


class NotKnown(PullError):  # noqa: N818 (it says what is not known, as errors of the client do)
    """The pulls do not tell the state of a day."""


class Pulls:
    """A folder of pulls of one source, read.

    Parameters
    ----------
    folder : str or Path
        The folder, its address, or the folder of one pull in it, which is then read alone.
    heard : callable, optional
        Called with each pull that a state is told from.

    Raises
    ------
    PullError
        If there is no pull, a manifest is damaged, or the pulls are of several sources.
    """

    def __init__(self, folder: object, heard: Callable[[Manifest], None] = lambda _: None) -> None:
        self._heard = heard
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
            held = [manifest for manifest in self.manifests if manifest.day == day and manifest.whole]
            if day is None or day == self.newest.day:
                held = [self.newest]
            for manifest in held[-1:] or self._around(day or self.newest.day):
                if manifest is not None:
                    self._heard(manifest)
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
        """Return the state of a day that no pull tells whole: records in which nothing moved since, or until, its end."""
        before, after = self._around(day)
        if after is None:
            raise self._unknown("")
        feed = self._changes(after.name)
        if before is not None and before.versions.get("rules") != after.versions.get("rules"):
            raise self._unknown(", whose texts were read by other rules")
        sides = self._answers(before.name) if before else Answers(), self._answers(after.name)
        first, held = self._lacking(before)
        listed = [{str(row.get("id", row.get("slug"))): row for row in side.platforms} for side in sides]
        both = [*sides[0].platforms, *sides[1].platforms]
        moves, state, rows = Moves(feed or [], both, held, whole=_was_read(after)), Answers(), []
        for slug in sorted({slug for side in sides for slug in (*side.records, *side.failed)}):
            records = sides[0].records.get(slug), sides[1].records.get(slug)
            side = side_of(slug, first, day, records, moves)
            if side is None:
                state.failed[slug] = f"what it said on {day} cannot be told from the pulls"
                tracked = slug in listed[1] and (slug in listed[0] or moves.began(slug, day))
                rows.append(_lasting(slug, listed) | (moves.rated(slug, day) if tracked else {}))
            else:
                state.records[slug] = sides[side].records[slug]
                rows.append(listed[side][slug])
        if not state.records:
            why = "; they hold no changes" if feed is None else ""
            raise self._unknown(f"{why}; what any platform said at the end of {day} cannot be told from them")
        state.listed = {**_envelope(sides[1]), "data": rows}
        state.coverage = _counted(state, sides[1])
        return state

    def _around(self, day: date) -> tuple[Manifest | None, Manifest | None]:
        """Return the pulls before and after the end of a day."""
        before = next((one for one in reversed(self.manifests) if one.day <= day), None)
        return before, next((one for one in self.manifests if one.day > day), None)

    def _lacking(self, before: Manifest | None) -> tuple[date, list[Json]]:
        """Return the first day of which a pull may lack changes, and the changes that it has for certain."""
        if before is None:
            return date.min, []
        current = before.newest == before.day  # else its feed may be of later days than its records
        held = self._changes(before.name) if current else None
        return before.day + timedelta(days=before.whole), held or []

    def _unknown(self, why: str) -> NotKnown:
        """Return what is said of a day that cannot be known."""
        days = ", ".join(dict.fromkeys(str(manifest.day) for manifest in self.manifests[-6:]))
        return NotKnown(
            f"the pulls in {self.storage.shown} speak of {days}{why}: ask for the newest day, or pull this one with --as-of"
        )


def reaches_back(changes: list[Json], storage: Storage) -> bool:
    """Return whether a feed, which gives only the newest changes, reaches back to those that the last pull holds.

    Parameters
    ----------
    changes : list of dict
        As they came.
    storage : Storage
        Pulls, of which none may hold changes: then there is nothing to reach back to.
    """
    tables = (read_manifest(storage, name).tables.get("changes") for name in reversed(storage.pulls()))
    table = next(filter(None, tables), None)
    if table is None:
        return True
    try:
        held = frames.changes_frame(read_changes(read_file(storage, table.file, table.sha256), table.file))
    except PullError:  # damaged: it cannot show that nothing is missing
        return False
    return bool(frames.changes_frame(changes)["reviewed_at"].min() <= held["reviewed_at"].max())


def _was_read(manifest: Manifest) -> bool:
    """Say whether a pull read all of the feed of changes, but for the oldest."""
    return all(line.endswith(OLDER) for line in manifest.problems if line.startswith(f"{CHANGES}: "))


def _lasting(slug: str, listed: list[dict[str, Json]]) -> Json:
    """Return what lists say of a platform whatever the day."""
    named = listed[1].get(slug) or listed[0].get(slug) or {"id": slug}
    return {name: named[name] for name in _LASTING if name in named}


def _envelope(answers: Answers) -> Json:
    """Return what a list says beside its rows."""
    return {name: value for name, value in (answers.listed or {}).items() if name != "data"}


def _counted(state: Answers, after: Answers) -> Json:
    """Return the coverage of a state that was rebuilt, counted from its platforms; without counts where one is not known."""
    lasting: Json = {name: after.coverage[name] for name in ("extraction", "disclaimer") if name in after.coverage}
    if state.failed:
        return lasting
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
        **lasting,
    }


def _found(folder: object) -> tuple[Storage, str]:
    """Return the folder of pulls, and the name of the only pull to read where its own folder was named."""
    text = str(folder).rstrip("/")
    head, _, name = text.rpartition("/")
    if PULL.fullmatch(name):
        return open_storage(head or "."), name
    storage = open_storage(text if "://" in text else str(folder))
    if isinstance(storage, LocalFolder) and not storage.folder.is_dir():
        raise PullError(
            f"there is no folder {storage.shown}: make one with 'riskanalytics pull --archive {storage.shown}'"
        )
    return storage, ""
