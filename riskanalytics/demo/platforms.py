"""Who the fictional platforms are and what they are meant to say: names, profiles, events. Nothing real."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final, TypeVar

FIRST_DAY: Final = datetime(2024, 8, 1, 6, tzinfo=UTC)
LAST_DAY: Final = datetime(2026, 10, 31, 22, tzinfo=UTC)
PLATFORMS: Final = 320
QUIET_MONTH: Final = (2026, 7)
"""A month without material changes."""

_HEADS: Final = (
    "Al", "Bra", "Cor", "Dru", "El", "Fen", "Gar", "Hol", "Is", "Jor", "Kel", "Lum", "Mer", "Nor", "Or", "Pel",
    "Quor", "Ras", "Sil", "Tar", "Ul", "Vel", "Wyn", "Xan", "Yor", "Zel",
)  # fmt: skip
_MIDDLES: Final = ("a", "bri", "do", "fi", "lo", "mi", "ra", "ve", "ti", "zo")
_TAILS: Final = ("dale", "lix", "mont", "quill", "sen", "thorn", "via", "wick", "nor", "low")
_KINDS: Final = (
    "Chat", "Voice", "Image", "Code", "Search", "Notes", "Music", "Video", "Translate", "Agent", "Studio", "Draft",
)  # fmt: skip
_ODD: Final = (
    "Ærlig·Tale", "Café Lumière", "Zelbri.ai", "Zelbri AI", "O'Tarlow Draft", "云墨助手", "晨曦写作", "石桥对话", "Yor", "YorAI",
)  # fmt: skip
_CHINESE: Final = frozenset({"云墨助手", "晨曦写作", "石桥对话"})

_LEVELS: Final = {
    "greedy": (0.62, 0.30, 0.08),
    "usual": (0.26, 0.54, 0.20),
    "careful": (0.03, 0.27, 0.70),
}
"""Temper -> shares of HIGH, MED, LOW."""
_STANCES: Final = {
    "greedy": ("trains_by_default",) * 6 + ("trains_with_opt_out",) * 3 + ("silent",),
    "usual": ("trains_with_opt_out",) * 4
    + ("trains_by_default",) * 2
    + ("depends_on_plan",) * 2
    + ("silent", "trains_with_opt_in"),
    "careful": ("does_not_train",) * 5 + ("trains_with_opt_in",) * 3 + ("silent", "depends_on_plan"),
}
_OPTIONAL: Final = ("web_data_training", "human_review", "sensitive_data", "ads_tracking", "output_rights")
"""Surfaces on which a policy may say nothing."""
LEVELLED: Final = (
    "content_license", "output_rights", "ip_liability", "data_retention", "third_party_sharing", "ads_tracking",
    "human_review", "cross_border_transfer", "sensitive_data", "web_data_training", "terms_changes",
)  # fmt: skip

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Profile:
    """What a platform is meant to say.

    Parameters
    ----------
    stance : str
        On training use.
    levels : dict
        Surface -> HIGH, MED or LOW; a surface that is not named is silent.
    marks : dict
        Words that change without changing what is said: `contact`, `link`, `menu`, `edition`.
    """

    stance: str
    levels: dict[str, str]
    marks: dict[str, str] = field(default_factory=dict)


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
class FictionalPlatform:
    """One invented platform.

    Parameters
    ----------
    name, company, website : str
    chinese : bool
    documents : tuple of str
    first : datetime
        When it was first recorded, UTC.
    profile : Profile
        What it was meant to say then.
    events : tuple of Event
        In the order of time.
    """

    name: str
    company: str
    website: str
    chinese: bool
    documents: tuple[str, ...]
    first: datetime
    profile: Profile
    events: tuple[Event, ...]

    @property
    def intended(self) -> Profile:
        """What it is meant to say at the end."""
        return self.events[-1].profile if self.events else self.profile


def draw(*seed: object) -> float:
    """Return a number in [0, 1) that depends on the words given and on nothing else."""
    digest = hashlib.sha256("|".join(map(str, seed)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def choose(options: Sequence[Choice], *seed: object) -> Choice:
    """Return one of some options, by the words given."""
    return options[int(draw(*seed) * len(options))]


@cache
def all_platforms() -> tuple[FictionalPlatform, ...]:
    """Return all fictional platforms, the same at every call."""
    return tuple(_platform(name) for name in _names())


def _names() -> list[str]:
    """Return the names, odd ones first."""
    names = list(_ODD)
    number = 0
    while len(names) < PLATFORMS:
        stem = (
            choose(_HEADS, "head", number)
            + choose(_MIDDLES, "middle", number)
            + choose(_TAILS, "tail", number)
        )
        kind = choose(_KINDS, "kind", number)
        number += 1
        if not any(name.startswith(stem) for name in names):
            names.append(f"{stem} {kind}")
    return names


def _platform(name: str) -> FictionalPlatform:
    """Invent one platform."""
    temper = choose(("greedy",) * 3 + ("usual",) * 4 + ("careful",) * 3, "temper", name)
    profile = _profile(name, temper)
    documents = ["Privacy Policy", "Terms of Service"]
    if draw("use", name) < 0.35:
        documents.append("Acceptable Use Policy")
    if draw("void", name) < 0.03:
        documents.append("Imprint")
    if draw("unread", name) < 0.012:
        documents = ["Imprint"]
    late = draw("late", name) < 0.3
    first = FIRST_DAY + timedelta(
        days=int(draw("first", name) * (500 if late else 40)), minutes=int(draw("minute", name) * 900)
    )
    stem = "".join(character for character in name.lower() if character.isascii() and character.isalnum())
    return FictionalPlatform(
        name=name,
        company=f"{name.split(maxsplit=1)[0].removesuffix('.ai')} Works",
        website=f"https://{stem or 'yunmo' + str(int(draw(name) * 900))}.example",
        chinese=name in _CHINESE,
        documents=tuple(documents),
        first=first,
        profile=profile,
        events=tuple(_events(name, first, profile)),
    )


def _profile(name: str, temper: str) -> Profile:
    """Draw what a platform is meant to say at first."""
    high, middle, _ = _LEVELS[temper]
    levels = {}
    for surface in LEVELLED:
        if surface in _OPTIONAL and draw("silent", name, surface) < 0.45:
            continue
        share = draw("level", name, surface)
        levels[surface] = "HIGH" if share < high else "MED" if share < high + middle else "LOW"
    return Profile(choose(_STANCES[temper], "stance", name), levels)


def _events(name: str, first: datetime, profile: Profile) -> list[Event]:
    """Draw what happens to a platform, in the order of time."""
    events: list[Event] = []
    days = max(1, (LAST_DAY - first).days)
    count = 2 + int(draw("count", name) * 5)
    times = sorted(
        first + timedelta(days=1 + int(draw("day", name, n) * (days - 2)), seconds=n) for n in range(count)
    )
    for number, at in enumerate(times):
        kind = choose(
            ("material", "material", "wording", "format", "technical", "failure", "revert"),
            "what",
            name,
            number,
        )
        if kind in ("material", "revert") and (at.year, at.month) == QUIET_MONTH:
            kind = "wording"
        fresh = _happened(name, kind, number, at, profile)
        events += fresh
        profile = fresh[-1].profile
    if draw("broken", name) < 0.05:
        at = LAST_DAY - timedelta(days=int(draw("broke", name) * 60), minutes=7)
        events = [event for event in events if event.at < at]
        events.append(Event(at, "failure", events[-1].profile if events else profile, "Privacy Policy"))
    return [event for event in events if event.at <= LAST_DAY]


def _happened(name: str, kind: str, number: int, at: datetime, profile: Profile) -> list[Event]:
    """Draw what one event of a kind does."""
    soon = at + timedelta(days=3 + int(draw("back", name, number) * 9))
    if kind == "material":
        return [Event(at, kind, _moved(name, number, profile))]
    if kind == "revert":
        other = _moved(name, number, profile)
        return [Event(at, "material", other), Event(soon, "material", replace(profile, marks=other.marks))]
    if kind == "failure":
        document = choose(("Privacy Policy", "Terms of Service"), "which", name, number)
        return [Event(at, kind, profile, document), Event(soon, "repair", profile, document)]
    mark = {
        "wording": choose(("contact", "edition"), "mark", name, number),
        "format": "link",
        "technical": "menu",
    }[kind]
    return [Event(at, kind, replace(profile, marks={**profile.marks, mark: str(number + 1)}))]


def _moved(name: str, number: int, profile: Profile) -> Profile:
    """Draw a change of what is said: the stance, or one or two surfaces, up or down."""
    if draw("train", name, number) < 0.35:
        options = [
            stance
            for stance in (
                "trains_by_default",
                "trains_with_opt_out",
                "trains_with_opt_in",
                "does_not_train",
                "depends_on_plan",
            )
            if stance != profile.stance
        ]
        return replace(profile, stance=choose(options, "to", name, number))
    levels = dict(profile.levels)
    for turn in range(1 + (draw("two", name, number) < 0.3)):
        surface = choose(LEVELLED, "surface", name, number, turn)
        options = [level for level in ("HIGH", "HIGH", "MED", "LOW") if level != levels.get(surface)]
        levels[surface] = choose(options, "level", name, number, turn)
    return replace(profile, levels=levels)
