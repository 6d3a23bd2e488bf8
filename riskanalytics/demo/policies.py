"""The written policies of fictional platforms: clauses by what is to be said, assembled always the same way."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final

from riskanalytics.demo.platforms import FictionalPlatform, Profile, choose, draw

_PRIVACY: Final = (
    ("What this policy covers", ()),
    ("How we use information", ("training_use", "human_review")),
    ("Where our training data come from", ("web_data_training",)),
    ("Whom we share information with", ("third_party_sharing",)),
    ("Advertising and analytics", ("ads_tracking",)),
    ("How long we keep information", ("data_retention",)),
    ("Where information is stored", ("cross_border_transfer",)),
    ("Sensitive information and children", ("sensitive_data",)),
)
_TERMS: Final = (
    ("This agreement", ()),
    ("Your content", ("content_license",)),
    ("Output", ("output_rights",)),
    ("Liability", ("ip_liability",)),
    ("Changes to these terms", ("terms_changes",)),
)
_BULLETS: Final = (
    "provide the service and keep your account safe;",
    "answer your questions to our support team;",
    "send you notices about your subscription.",
)
BROKEN: Final = (
    "This page isn't available right now. An unexpected error happened, try again later.",
    "404 - page not found",
    "Checking your browser before you go on. Please enable JavaScript and cookies.",
)
"""What a failed capture shows."""


@cache
def clauses() -> dict[str, Any]:
    """Return the written clauses: surface -> what it says -> ways to say it."""
    text = resources.files(__package__).joinpath("clauses.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def policy(platform: FictionalPlatform, document: str, profile: Profile) -> str:
    """Return the text of one document of a platform.

    Parameters
    ----------
    platform : FictionalPlatform
    document : str
        Its name.
    profile : Profile
        What the platform is meant to say.

    Returns
    -------
    str
        Markdown, as archives keep it.
    """
    if document == "Imprint":
        return f"{platform.name}\n==========\n\nSign in or create an account. Forgot your password?"
    lines = [f"{platform.name} {document}", "=" * (len(platform.name) + len(document) + 1), ""]
    if "menu" in profile.marks:
        lines += [f"[Home](https://{platform.website[8:]}/) Menu {profile.marks['menu']}", ""]
    lines += [f"Edition {profile.marks.get('edition', '0')}", ""]
    if platform.chinese:
        lines += _chinese(platform, document, profile)
    elif document == "Acceptable Use Policy":
        lines += [part for line in clauses()["boilerplate"]["use"] for part in (line, "")]
    else:
        sections = _PRIVACY if document == "Privacy Policy" else _TERMS
        for number, (title, surfaces) in enumerate(sections, start=1):
            lines += _section(platform, profile, f"{number}. {title}", surfaces, document)
        lines += _closing(platform, document)
    lines += ["", _contact(platform, profile)]
    return "\n".join(lines).format(name=platform.name, company=platform.company)


def _section(
    platform: FictionalPlatform, profile: Profile, title: str, surfaces: tuple[str, ...], document: str
) -> list[str]:
    """Return one section; none where nothing is to be said in it."""
    said = [line for surface in surfaces for line in _said(platform, profile, surface)]
    if not surfaces:
        said = _paragraphs(platform, "privacy" if document == "Privacy Policy" else "terms", 1)
    if not said:
        return []
    lines = [title, "-" * len(title), ""]
    if "training_use" in surfaces:
        lines += ["We use the information we hold to:", "", *(f"*   {bullet}" for bullet in _BULLETS), ""]
    if len(said) > 1 and draw("list", platform.name, title) < 0.4:
        return [*lines, *(f"*   {line}" for line in said), ""]
    return [*lines, *(part for line in said for part in (line, ""))]


def _said(platform: FictionalPlatform, profile: Profile, surface: str) -> list[str]:
    """Return what is said on one surface; the same words while the profile says the same."""
    says = profile.stance if surface == "training_use" else profile.levels.get(surface)
    variants = clauses()[surface].get(says or "", ())
    if not variants:
        return []
    first = choose(variants, "variant", platform.name, surface, says)
    if surface in ("training_use", "content_license") or draw("more", platform.name, surface, says) < 0.6:
        return [first]
    second = choose(variants, "second", platform.name, surface, says)
    return list(dict.fromkeys((first, second)))


def _paragraphs(platform: FictionalPlatform, kind: str, count: int) -> list[str]:
    """Return paragraphs that say nothing of any surface."""
    written = clauses()["boilerplate"][kind]
    start = int(draw("start", platform.name, kind) * len(written))
    return [part for n in range(count) for part in (written[(start + n) % len(written)], "")]


def _closing(platform: FictionalPlatform, document: str) -> list[str]:
    """Return the sections at the end."""
    kind = "privacy" if document == "Privacy Policy" else "terms"
    title = "Further information" if kind == "privacy" else "General terms"
    return [title, "-" * len(title), "", *_paragraphs(platform, kind, 4 if kind == "privacy" else 8)]


def _chinese(platform: FictionalPlatform, document: str, profile: Profile) -> list[str]:
    """Return a document in Chinese."""
    written = clauses()["chinese"]
    lines = list(_paragraphs(platform, "chinese", 2))
    if document == "Privacy Policy":
        variants = written[profile.stance]
        lines += [
            choose(variants, "variant", platform.name),
            "",
            *(part for line in written["other"][:3] for part in (line, "")),
        ]
    else:
        lines += [part for line in written["other"][3:] for part in (line, "")]
    return lines


def _contact(platform: FictionalPlatform, profile: Profile) -> str:
    """Return the line with the contact and a link."""
    street = 10 + int(profile.marks.get("contact", "0")) * 7
    token = profile.marks.get("link", "0")
    return f"Contact: {platform.company}, {street} Harbour Lane. [Help]({platform.website}/help?ref={token})"
