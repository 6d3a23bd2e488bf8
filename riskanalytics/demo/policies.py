"""The written policies of fictional platforms, assembled deterministically from clauses."""

import tomllib
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache
from importlib import resources
from operator import itemgetter
from typing import Any, Final

from riskanalytics.text.wording import dated

from .history import PARTS, Platform, Profile, choose, draw

_LEFT_OUT: Final = frozenset({"links", "support", "material", "definitions", "basis"})
"""Sections that a third of the documents leave out."""
BROKEN: Final = (
    "This page isn't available right now. An unexpected error happened, try again later.",
    "404 - page not found",
    "Checking your browser before you go on. Please enable JavaScript and cookies.",
    "Policies\n========",
)
"""Possible texts of a failed capture."""


@cache
def written(part: str) -> dict[str, Any]:
    """Return texts for the policies, parsed from a TOML file of the package.

    `part` names the file: `form` (English texts around the clauses, such as headings) or `chinese` (Chinese clauses).
    """
    text = resources.files(__package__).joinpath("written", f"{part}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def policy(platform: Platform, document: str, profile: Profile) -> str:
    """Return the text of one document of a platform.

    Parameters
    ----------
    platform : Platform
    document : str
        Name of the document, such as `Privacy Policy`.
    profile : Profile
        What the platform's policies are written to say at the time of the document.

    Returns
    -------
    str
        The text as Markdown, in the form that archives store.
    """
    name, site, marks = platform.name, platform.website, profile.marks
    if document == "Imprint":
        return f"{name}\n==========\n\nSign in or create an account. Forgot your password?"
    lines = [f"[Home]({site}/) [Plans]({site}/plans?m={marks['menu']}) Menu", ""] if "menu" in marks else []
    title = f"{name} {document}"
    lines += [title, "=" * len(title), "", f"Last updated: {_edition(platform, marks)}", ""]
    if platform.chinese:
        lines += _chinese(platform, document, profile)
    elif document in ("Privacy Policy", "Terms of Service"):
        lines += _body(platform, document, profile)
    else:
        lines += _further(document, profile)
    street = 10 + int(marks.get("contact", "0")) * 7
    contact = f"Contact: {platform.company}, {street} Harbour Lane. [Help]({site}/help?ref={marks.get('link', '0')})"
    words = {
        "name": name,
        "company": platform.company + (" Group" if "company" in marks else ""),
        "days": choose((7, 14, 30, 30), "days", name),
        "years": choose(("five", "seven", "ten"), "years", name),
        "notice": choose((30, 30, 45, 60), "notice", name),
    }
    return _dressed("\n".join([*lines, contact]).format(**words), marks)


def _edition(platform: Platform, marks: dict[str, str]) -> str:
    """Return the date in the document: some weeks before the first capture, or the date in the marks."""
    before = timedelta(days=5 + int(draw("before", platform.name) * 200))
    at = date.fromisoformat(marks["edition"]) if "edition" in marks else (platform.first - before).date()
    return dated(at)


def _dressed(text: str, marks: dict[str, str]) -> str:
    """Return a text with the marks that do not affect its meaning."""
    if "spelling" in marks:
        text = text.replace("applications", "aplications").replace("agreement", "agrement", 1)
    text = text.replace("\n*   ", "\n-   ") if "bullets" in marks else text
    return text.replace("\n\n", "\n\n\n") if "spaces" in marks else text


def _body(platform: Platform, document: str, profile: Profile) -> list[str]:
    """Return the sections of a policy or of terms."""
    private = document == "Privacy Policy"
    kind = "privacy" if private else "terms"
    form = written("form")
    plan = choose(form["plans"][kind], "plan", platform.name, kind)
    placed = {entry for plans in form["plans"].values() for each in plans for entry in each}
    plan = [*plan, *(name for name, part in PARTS.items() if part.document == kind and name not in placed)]
    style = choose(("numbered", "plain", "hashed", "clauses"), "style", platform.name)
    lines = [choose(form[kind]["opening"], "opening", platform.name, kind), "", form["about"][platform.kind], ""]
    sections = [_section(platform, profile, kind, entry) for entry in plan]
    for number, (title, said) in enumerate(filter(itemgetter(1), sections), start=1):
        lines += _headed(style, number, title) + _laid(platform, style, number, said)
    if private:
        lines += [choose(form["privacy"]["ending"], "ending", platform.name), ""]
    return lines


def _section(platform: Platform, profile: Profile, kind: str, entry: str) -> tuple[str, list[str]]:
    """Return title and paragraphs of one section; no paragraphs if it says nothing."""
    form, name = written("form"), platform.name
    if entry in PARTS:
        said = _said(platform, profile, entry)
        if entry == "training_use":
            said = [choose(form["purposes"]["texts"], "purposes", name), *said]
        return choose(PARTS[entry].titles, "title", name, entry), said
    if entry in _LEFT_OUT and draw("leave", name, entry) < 0.35:
        return "", []
    return form["titles"][entry], [choose(form[kind][entry], "form", name, kind, entry)]


def _headed(style: str, number: int, title: str) -> list[str]:
    """Return a heading in the style of a platform."""
    if style == "hashed":
        return [f"## {title}", ""]
    words = title if style == "plain" else f"{number}. {title}"
    return [words, "-" * len(words), ""]


def _laid(platform: Platform, style: str, number: int, said: list[str]) -> list[str]:
    """Return paragraphs in the style of a platform: one below the other, numbered, or as a list."""
    simple = not any("\n" in paragraph for paragraph in said)
    if style == "clauses" and simple:
        said = [f"{number}.{turn} {paragraph}" for turn, paragraph in enumerate(said, start=1)]
    elif len(said) > 1 and simple and draw("list", platform.name, number) < 0.3:
        return [*(f"*   {paragraph}" for paragraph in said), ""]
    return _apart(said)


def _said(platform: Platform, profile: Profile, surface: str) -> list[str]:
    """Return the clauses on one surface; the same words as long as the profile is the same."""
    says = profile.stance if surface == "training_use" else profile.levels.get(surface)
    variants = PARTS[surface].says.get(says or "", ())
    if not variants:
        return []
    once = PARTS[surface].once or draw("more", platform.name, surface, says) < 0.5
    turns = ("variant",) if once else ("variant", "second")
    return list(dict.fromkeys(choose(variants, turn, platform.name, surface, says) for turn in turns))


def _further(document: str, profile: Profile) -> list[str]:
    """Return a document other than policy and terms; those for business customers state their terms."""
    part = written("form")[document.split(maxsplit=1)[0].lower()]
    said = list(part["sections"])
    if document == "Data Processing Agreement":
        said += [part["transfer"], part["returned"]]
        if profile.stance in ("depends_on_plan", "does_not_train"):
            said.append(part["never"])
    return _apart(f"{number}. {paragraph}" for number, paragraph in enumerate(said, start=1))


def _chinese(platform: Platform, document: str, profile: Profile) -> list[str]:
    """Return a document in Chinese."""
    part = written("chinese")
    form, last = part["form"], 5 + int(draw("start", platform.name) * 2)
    if document == "Privacy Policy":
        return _apart([form[0], choose(part[profile.stance], "variant", platform.name), *part["privacy"], form[4]])
    return _apart([*form[1:3], *part["terms"], *form[3:last]])


def _apart(paragraphs: Iterable[str]) -> list[str]:
    """Return paragraphs as lines, each followed by an empty line."""
    return [line for paragraph in paragraphs for line in (paragraph, "")]
