"""What happens to the fictional platforms in the course of time: material changes, noise, failures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from riskanalytics.demo.platforms import LAST_DAY, MOVING, FictionalPlatform, Profile, choose, draw, invented

QUIET_MONTH: Final = (2026, 7)
"""A month without material changes."""
MOVABLE: Final = ("trains_by_default", "trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan")
"""Stances that a platform may change to."""
_COUNTS: Final = (1, 2, 3, 4)
_HAPPENINGS: Final = (
    ("material",) * 7 + ("revert",) * 3 + ("wording",) * 8 + ("format",) * 8 + ("technical",) * 6 + ("failure",) * 6
)  # fmt: skip
_MARKS: Final = {
    "wording": ("contact", "edition", "edition", "company", "spelling"),
    "format": ("link", "bullets", "menu", "spaces"),
    "technical": ("menu", "bullets"),
}


@dataclass(frozen=True)
class Event:
    """Something that happens to a platform's documents.

    Parameters
    ----------
    at : datetime
        UTC.
    kind : str
        `material`, `wording`, `format`, `technical`, `failure` or `repair`.
    profile : Profile
        What the platform is meant to say from then on.
    document : str or None
        The document that fails or is repaired; None for those whose text changes.
    """

    at: datetime
    kind: str
    profile: Profile
    document: str | None = None


@dataclass(frozen=True)
class Course:
    """One platform and all that happens to it.

    Parameters
    ----------
    platform : FictionalPlatform
    events : tuple of Event
        In the order of time.
    """

    platform: FictionalPlatform
    events: tuple[Event, ...]

    @property
    def intended(self) -> Profile:
        """What the platform is meant to say at the end."""
        return self.events[-1].profile if self.events else self.platform.profile


@cache
def all_courses() -> tuple[Course, ...]:
    """Return all fictional platforms with their history, the same at every call."""
    platforms = invented()
    newest = platforms[-1].name
    return tuple(Course(platform, _events(platform, closes=platform.name == newest)) for platform in platforms)


def _events(platform: FictionalPlatform, *, closes: bool) -> tuple[Event, ...]:
    """Draw what happens to a platform; one of them closes the archive on its last day."""
    events = list(_happenings(platform))
    profile = events[-1].profile if events else platform.profile
    if closes:
        marks = {**profile.marks, "edition": LAST_DAY.date().isoformat()}
        return (*events, Event(LAST_DAY, "wording", replace(profile, marks=marks)))
    if draw("broken", platform.name) < 0.05:
        at = LAST_DAY - timedelta(days=int(draw("broke", platform.name) * 60), minutes=7)
        events = [event for event in events if event.at < at]
        last = events[-1].profile if events else platform.profile
        document = choose(platform.documents[:2], "breaks", platform.name)
        events.append(Event(at, "failure", last, document))
    return tuple(events)


def _happenings(platform: FictionalPlatform) -> Iterator[Event]:
    """Give the events of a platform in the order of time, none after the archive's last day."""
    name, profile, free = platform.name, platform.profile, platform.first
    days = max(2, (LAST_DAY - platform.first).days)
    count = choose(_COUNTS, "count", name)
    times = sorted(
        platform.first + timedelta(days=1 + int(draw("on", name, turn) * (days - 2)), seconds=turn)
        for turn in range(count)
    )
    for turn, at in enumerate(times):
        kind = choose(_HAPPENINGS, "what", name, turn)
        if at <= free or (kind in ("material", "revert") and (at.year, at.month) == QUIET_MONTH):
            kind = "wording"
        for event in _happened(platform, kind, turn, max(at, free + timedelta(hours=1)), profile):
            if event.at < LAST_DAY:
                yield event
                profile, free = event.profile, event.at


def _happened(platform: FictionalPlatform, kind: str, turn: int, at: datetime, profile: Profile) -> list[Event]:
    """Draw what one event of a kind does."""
    name = platform.name
    soon = at + timedelta(days=3 + int(draw("back", name, turn) * 9))
    if kind == "material":
        return [Event(at, kind, _moved(platform, turn, profile))]
    if kind == "revert":
        return [Event(at, "material", _moved(platform, turn, profile)), Event(soon, "material", profile)]
    if kind == "failure":
        document = choose(platform.documents[:2], "which", name, turn)
        return [Event(at, kind, profile, document), Event(soon, "repair", profile, document)]
    mark = choose(_MARKS[kind], "mark", name, turn)
    value = at.date().isoformat() if mark == "edition" else str(turn + 1)
    return [Event(at, kind, replace(profile, marks={**profile.marks, mark: value}))]


def _moved(platform: FictionalPlatform, turn: int, profile: Profile) -> Profile:
    """Draw a change of what is said: the stance, or one or two surfaces, up or down."""
    name = platform.name
    if draw("train", name, turn) < 0.35:
        stances = MOVABLE[:2] + MOVABLE[3:4] if platform.chinese else MOVABLE
        options = [stance for stance in stances if stance != profile.stance]
        return replace(profile, stance=choose(options, "to", name, turn))
    levels = dict(profile.levels)
    for step in range(1 + (draw("two", name, turn) < 0.3)):
        surface = choose(MOVING, "surface", name, turn, step)
        levels[surface] = choose(
            [level for level in ("HIGH", "MED", "LOW") if level != levels.get(surface)],
            "level", name, turn, step,
        )  # fmt: skip
    return replace(profile, levels=levels)
