"""The fictional platforms and their dated history."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from typing import Final, TypeVar

from riskanalytics.surfaces.declared import declared

FIRST_DAY: Final = datetime(2024, 8, 1, 6, tzinfo=UTC)
LAST_DAY: Final = datetime(2026, 10, 31, 22, tzinfo=UTC)
"""Time of the newest capture, which is the present time of the demo."""
PLATFORMS: Final = 320

_HEADS: Final = (
    "Al", "Bra", "Cor", "Dru", "El", "Fen", "Gar", "Hol", "Is", "Jor", "Kel", "Lum", "Mer", "Nor", "Or", "Pel",
    "Quor", "Ras", "Sil", "Tar", "Ul", "Vel", "Wyn", "Xan", "Yor", "Zel",
)  # fmt: skip
_MIDDLES: Final = ("a", "bri", "do", "fi", "lo", "mi", "ra", "ve", "ti", "zo")
_TAILS: Final = (
    "dale", "lix", "mont", "quill", "sen", "thorn", "wick", "nor", "low", "grove", "brook", "vane", "holt", "spire",
)  # fmt: skip
KINDS: Final = (
    "Chat", "Voice", "Image", "Code", "Search", "Notes", "Music", "Video", "Translate", "Agent", "Studio", "Draft",
    "Health", "Office",
)  # fmt: skip
_FORMS: Final = ("{stem} {kind}",) * 7 + ("{stem}{kind}", "{kind} by {stem}", "{stem} {kind}.ai")
_ODD: Final = (
    "Ærlig·Tolvane", "Ovélin Écriture", "Zelbriquon.ai", "Zelbriquon AI", "O'Tarlow Draft", "9Brivane Code",
    "雾岚砚助手", "榆湖栈问答", "石澜桥对话", "Yskvo", "YskvoAI",
)  # fmt: skip
_CHINESE: Final = frozenset({"雾岚砚助手", "榆湖栈问答", "石澜桥对话"})
_CHINESE_STANCES: Final = ("trains_by_default", "trains_with_opt_out", "does_not_train")

_TEMPERS: Final = ("greedy",) * 4 + ("usual",) * 11 + ("careful",) * 5
LEVELS: Final = ("HIGH", "MED", "LOW")
_BOUNDS: Final = {"greedy": (0.58, 0.9), "usual": (0.22, 0.77), "careful": (0.0, 0.22)}
"""Kind of platform -> share of surfaces with level HIGH, and share with HIGH or MED; the rest have LOW."""
_STANCES: Final = {
    "greedy": ("trains_by_default",) * 6 + ("trains_with_opt_out",) * 3 + ("silent",),
    "usual": ("trains_with_opt_out",) * 9 + ("trains_by_default", "depends_on_plan", "depends_on_plan")
    + ("undetermined",) + ("silent",) * 2 + ("trains_with_opt_in",) * 2,
    "careful": ("does_not_train",) * 6 + ("trains_with_opt_in",) * 3 + ("depends_on_plan",),
}  # fmt: skip
PARTS: Final = {surface.id: surface.demo for surface in declared() if surface.demo is not None}
"""Surface -> the possible clauses of policies on it."""
_MOVING: Final = tuple(sorted((name for name in PARTS if PARTS[name].drawn), key=lambda name: PARTS[name].drawn or 0))
"""Surfaces on which platforms may change, in the order of drawing."""
_FURTHER: Final = {
    "Acceptable Use Policy": 0.35, "Data Processing Agreement": 0.22, "Developer Terms": 0.14,
    "Commercial Terms": 0.12, "Imprint": 0.03,
}  # fmt: skip
"""Document -> share of the platforms that have it besides policy and terms."""

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Profile:
    """What the policies of a fictional platform are written to say at one time.

    Parameters
    ----------
    stance : str
        Stance on training use.
    levels : dict
        Surface -> HIGH, MED or LOW; the policies say nothing on other surfaces.
    marks : dict
        Variations of the text that do not affect its meaning, such as `spelling` or `menu`, and their values;
        `riskanalytics.demo.policies` applies them.
    """

    stance: str
    levels: dict[str, str]
    marks: dict[str, str] = field(default_factory=dict)

    def marked(self, mark: str, value: str) -> Profile:
        """Return a copy with one more variation of the text: `mark`, such as `spelling`, with its value."""
        return replace(self, marks=self.marks | {mark: value})


@dataclass(frozen=True)
class Event:
    """A change of a platform's documents.

    Parameters
    ----------
    at : datetime
        Time of the change, UTC.
    kind : str
        `material`, `wording`, `format`, `technical` (an upgrade of the archive), `failure` (captures fail from then on)
        or `repair` (captures succeed again).
    profile : Profile
        What the platform's policies are written to say from then on.
    document : str or None
        Document that fails or is repaired; None for all documents whose text changes.
    """

    at: datetime
    kind: str
    profile: Profile
    document: str | None = None


@dataclass(frozen=True)
class Platform:
    """One fictional platform with its history.

    Parameters
    ----------
    name, company, website : str
        The website is on a reserved domain.
    kind : str
        Its purpose: one of `KINDS`.
    chinese : bool
        Whether its documents are in Chinese.
    documents : tuple of str
        Names of its documents.
    first : datetime
        Time of the first capture, UTC.
    profile : Profile
        What its policies are written to say at that time.
    events : tuple of Event
        The later changes of its documents, in the order of time.
    """

    name: str
    company: str
    website: str
    kind: str
    chinese: bool
    documents: tuple[str, ...]
    first: datetime
    profile: Profile
    events: tuple[Event, ...] = ()

    @property
    def intended(self) -> Profile:
        """What the platform's policies are written to say after the last change of its documents (the last of its `events`)."""
        return self.events[-1].profile if self.events else self.profile


def draw(*seed: object) -> float:
    """Return a pseudo-random number in [0, 1); the same `seed` values always give the same number."""
    digest = hashlib.sha256("|".join(map(str, seed)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def choose(options: Sequence[Choice], *seed: object) -> Choice:
    """Return one of several options, pseudo-randomly; the same `seed` values always choose the same option."""
    return options[int(draw(*seed) * len(options))]


@cache
def all_platforms() -> tuple[Platform, ...]:
    """Return all fictional platforms with their history, the same on every call."""
    platforms = [_platform(name, kind, company) for name, kind, company in _names()]
    return tuple(replace(one, events=_events(one, closes=one is platforms[-1])) for one in platforms)


def _names() -> list[tuple[str, str, str]]:
    """Return names, kinds and companies, special cases first; no two names share a stem."""
    names = {name: (name, choose(KINDS, "odd", name), f"{name.split()[0].split('.')[0]} Works") for name in _ODD}
    for number in count():
        if len(names) == PLATFORMS:
            break
        stem = "".join(choose(part, "stem", turn, number) for turn, part in enumerate((_HEADS, _MIDDLES, _TAILS)))
        kind, form = choose(KINDS, "kind", stem), choose(_FORMS, "form", stem)
        company = f"{stem} {choose(('Works', 'Laboratories', 'Software', 'Systems'), 'company', stem)}"
        names.setdefault(stem, (form.format(stem=stem, kind=kind), kind, company))
    return list(names.values())


def _platform(name: str, kind: str, company: str) -> Platform:
    """Make one platform."""
    chinese = name in _CHINESE
    documents = ["Privacy Policy", "Terms of Service"]
    documents += [further for further, share in _FURTHER.items() if not chinese and draw(further, name) < share]
    if draw("unread", name) < 0.012:
        documents = ["Imprint"]
    days = int(draw("first", name) * (500 if draw("late", name) < 0.3 else 40))
    stem = "".join(character for character in name.lower() if character.isascii() and character.isalnum())
    website = f"https://{stem or f'wulan{int(draw(name) * 900)}'}.example"
    first = FIRST_DAY + timedelta(days=days, minutes=int(draw("minute", name) * 900))
    temper = choose(_TEMPERS, "temper", name)
    levels = {
        surface: LEVELS[bisect(_BOUNDS[temper], draw("level", name, surface))]
        for surface, part in PARTS.items()
        if surface != "training_use" and not (part.optional and draw("silent", name, surface) < 0.4)
    }
    said = Profile(choose(_CHINESE_STANCES if chinese else _STANCES[temper], "stance", name), levels)
    return Platform(name, company, website, kind, chinese, tuple(documents), first, said)


QUIET_MONTH: Final = (2026, 7)
"""A month without material changes."""
_LATER: Final = ("trains_by_default", "trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan")
"""Stances to which a platform may change; platforms with Chinese documents change only to the first two and the fourth."""
_HAPPENINGS: Final = (
    ("material",) * 7 + ("revert",) * 3 + ("wording",) * 8 + ("format",) * 8 + ("technical",) * 6 + ("failure",) * 6
)  # fmt: skip
_MARKS: Final = {
    "wording": ("contact", "edition", "edition", "company", "spelling"),
    "format": ("link", "bullets", "menu", "spaces"),
    "technical": ("menu", "bullets"),
}


def _events(platform: Platform, *, closes: bool) -> tuple[Event, ...]:
    """Draw the events of a platform; one of them ends the archive on its last day."""
    name, events = platform.name, tuple(_happenings(platform))
    if closes:
        last = replace(platform, events=events).intended.marked("edition", LAST_DAY.date().isoformat())
        return (*events, Event(LAST_DAY, "wording", last))
    if draw("broken", name) >= 0.05:
        return events
    at = LAST_DAY - timedelta(days=int(draw("broke", name) * 60), minutes=7)
    events = tuple(event for event in events if event.at < at)
    last = replace(platform, events=events).intended
    return (*events, Event(at, "failure", last, choose(platform.documents[:2], "breaks", name)))


def _happenings(platform: Platform) -> Iterator[Event]:
    """Yield the events of a platform in the order of time, up to the archive's last day."""
    name, profile, free = platform.name, platform.profile, platform.first
    days = max(2, (LAST_DAY - free).days)
    times = sorted(
        free + timedelta(days=1 + int(draw("on", name, turn) * (days - 2)), seconds=turn)
        for turn in range(choose((1, 2, 3, 4), "count", name))
    )
    for turn, at in enumerate(times):
        kind = choose(_HAPPENINGS, "what", name, turn)
        if at <= free or (kind in ("material", "revert") and (at.year, at.month) == QUIET_MONTH):
            kind = "wording"
        for event in _happened(platform, kind, turn, max(at, free + timedelta(hours=1)), profile):
            if event.at < LAST_DAY:
                yield event
                profile, free = event.profile, event.at


def _happened(platform: Platform, kind: str, turn: int, at: datetime, profile: Profile) -> list[Event]:
    """Return the one or two events that a change of this kind causes."""
    name = platform.name
    soon = at + timedelta(days=3 + int(draw("back", name, turn) * 9))
    if kind == "failure":
        document = choose(platform.documents[:2], "which", name, turn)
        return [Event(at, kind, profile, document), Event(soon, "repair", profile, document)]
    if kind in ("material", "revert"):
        back = [Event(soon, "material", profile)] if kind == "revert" else []
        return [Event(at, "material", _moved(platform, turn, profile)), *back]
    mark = choose(_MARKS[kind], "mark", name, turn)
    return [Event(at, kind, profile.marked(mark, at.date().isoformat() if mark == "edition" else str(turn + 1)))]


def _moved(platform: Platform, turn: int, profile: Profile) -> Profile:
    """Return the profile after a drawn change of its statements: of the stance, or of one or two levels, up or down."""
    name = platform.name
    if draw("train", name, turn) < 0.35:
        stances = (*_LATER[:2], _LATER[3]) if platform.chinese else _LATER
        options = [stance for stance in stances if stance != profile.stance]
        return replace(profile, stance=choose(options, "to", name, turn))
    levels = dict(profile.levels)
    for step in range(1 + (draw("two", name, turn) < 0.3)):
        surface = choose(_MOVING, "surface", name, turn, step)
        options = [level for level in LEVELS if level != levels.get(surface)]
        levels[surface] = choose(options, "level", name, turn, step)
    return replace(profile, levels=levels)
