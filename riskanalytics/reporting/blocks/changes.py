"""What changed, with the words that differ marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, Final

import pandas as pd

from riskanalytics.reporting.blocks.words import day, is_missing, level, link, name, plural, text
from riskanalytics.reporting.display import Block
from riskanalytics.theme import stance_name, surface_name

_WORD: Final = re.compile(r"\s+|[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+")
_MOST_WORDS: Final = 600
_DIRECTIONS: Final = {"up": "risk up", "down": "risk down", "mixed": "up and down", "none": "no direction"}
_CLASSES: Final = {
    "wording": "wording only",
    "format": "format only",
    "revert": "back to earlier words",
    "capture_failure": "failed captures",
    "technical": "changes of the archive itself",
}


def changed_platforms(material: pd.DataFrame, noise: pd.DataFrame, *, most: int = 25) -> Block:
    """Show the material changes of a period, worst first; the noise folded below.

    Parameters
    ----------
    material : pandas.DataFrame
        As `analysis.material_changes` gives it.
    noise : pandas.DataFrame
        As `analysis.change_noise` gives it.
    most : int
        Changes shown in full; the others are listed.
    """
    rows = material.to_dict("records")
    shown = "".join(_card(row) for row in rows[:most])
    if not rows:
        shown = "<p>No material change was found in this month: it was quiet.</p>"
    rest = ""
    if len(rows) > most:
        items = "".join(f"<li>{name(row['name'])}: {text(row['summary'])}</li>" for row in rows[most:])
        rest = f"<details><summary>{plural(len(rows) - most, 'more material change')}</summary><ul>{items}</ul></details>"
    html = f"<section aria-label='Material changes'>{shown}{rest}{_noise(noise)}</section>"
    return Block(html, "\n".join(f"{row['name']}: {row['summary']}" for row in rows[:most]) or "no material change")


def _card(row: Mapping[str, Any]) -> str:
    """Return one change."""
    surfaces = ", ".join(surface_name(surface) for surface in row["surfaces"]) or "no surface named"
    moves = [_DIRECTIONS.get(str(row["direction"]), "direction not known")]
    if not is_missing(row["rating_before"]) and row["rating_before"] != row["rating_after"]:
        moves.append(f"rating {level(row['rating_before'])} → {level(row['rating_after'])}")
    if not is_missing(row["stance_before"]) and row["stance_before"] != row["stance_after"]:
        moves.append(f"{text(stance_name(row['stance_before']))} → {text(stance_name(row['stance_after']))}")
    return (
        f"<article><h3>{name(row['name'])} · {text(row['document'])}</h3><p class=meta>{day(row['reviewed_at'])} · "
        f"{text(surfaces)} · {' · '.join(moves)}</p><p>{text(row['summary'])}</p>{_pair(row)}</article>"
    )


def _pair(row: Mapping[str, Any]) -> str:
    """Return before and after, side by side, the words that differ marked."""
    before, after = row["before_text"], row["after_text"]
    left, right = marked("" if is_missing(before) else str(before), "" if is_missing(after) else str(after))
    return (
        f"<div class=pair><div><h4>Before {_snapshot(row, 'before')}</h4><blockquote>{left or _NOTHING}</blockquote></div>"
        f"<div><h4>After {_snapshot(row, 'after')}</h4><blockquote>{right or _NOTHING}</blockquote></div></div>"
    )


_NOTHING: Final = "<em>nothing on this</em>"


def _snapshot(row: Mapping[str, Any], side: str) -> str:
    """Return the snapshot of one side: its hash, and its public link where a finding tells it."""
    sha256 = row[f"snapshot_{side}"]
    if is_missing(sha256):
        return ""
    findings = row["removed" if side == "before" else "added"]
    urls = [finding.get("provenance", {}).get("archive_url") for finding in findings if isinstance(finding, dict)]
    code = f'<code title="SHA-256 {text(sha256)}">{text(str(sha256)[:12])}</code>'
    return link(next((url for url in urls if url), None), code)


def marked(before: str, after: str) -> tuple[str, str]:
    """Return two texts as HTML with the words that differ marked as deleted and inserted.

    Parameters
    ----------
    before, after : str

    Returns
    -------
    tuple of str
        Escaped HTML; texts of more than 600 words, and texts of which one is missing, are not marked.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not old or not new or max(len(old), len(new)) > _MOST_WORDS:
        return text(before), text(after)
    codes = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    left = "".join(_run("del", old[a:b], kind) for kind, a, b, _, _ in codes)
    right = "".join(_run("ins", new[c:d], kind) for kind, _, _, c, d in codes)
    return left, right


def _run(tag: str, words: list[str], kind: str) -> str:
    """Return a run of words, marked where it differs."""
    joined = text("".join(words))
    return joined if kind == "equal" or not joined.strip() else f"<{tag}>{joined}</{tag}>"


def _noise(noise: pd.DataFrame) -> str:
    """Return what was recorded and means nothing, folded."""
    rows = noise[noise["change_class"] != "material"]
    total = int(noise["changes"].sum()) if len(noise) else 0
    count = int(rows["changes"].sum()) if len(rows) else 0
    if not count:
        return ""
    items = "".join(_noise_rows(rows))
    return (
        f"<details><summary>{count:,} of {total:,} recorded differences were noise</summary><div class=wide><table>"
        f"<thead><tr><th scope=col>Kind</th><th scope=col class=n>Count</th><th scope=col class=n>Share</th></tr></thead>"
        f"<tbody>{items}</tbody></table></div></details>"
    )


def _noise_rows(rows: pd.DataFrame) -> Iterator[str]:
    """Return the rows of the noise."""
    for row in rows.to_dict("records"):
        if row["changes"]:
            kind = _CLASSES.get(str(row["change_class"]), str(row["change_class"]).replace("_", " "))
            yield f"<tr><td>{text(kind)}</td><td class=n>{row['changes']:,}</td><td class=n>{100 * row['share']:.0f} %</td></tr>"


def rating_moves(moves: pd.DataFrame, material: pd.DataFrame) -> Block:
    """Show the ratings that moved, each with the clause that caused it.

    Parameters
    ----------
    moves : pandas.DataFrame
        As `analysis.rating_moves` gives it.
    material : pandas.DataFrame
        As `analysis.material_changes` gives it; tells the causes.
    """
    moved = moves[moves["direction"].isin(["up", "down", "unclear"])]
    causes = {row["slug"]: _cause(row) for row in reversed(material.to_dict("records"))}
    rows = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th><td>{level(row['rating_before'])} → {level(row['rating_after'])}</td>"
        f"<td>{causes.get(row['slug'], 'several small changes')}</td></tr>"
        for row in moved.to_dict("records")
    )
    if not rows:
        return Block("<p>No rating moved in this month.</p>", "no rating moved")
    html = (
        "<div class=wide><table><caption>Ratings that moved in the month</caption><thead><tr><th scope=col>Platform</th>"
        f"<th scope=col>Rating</th><th scope=col>Because of</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
    return Block(html, f"{len(moved)} ratings moved")


def _cause(row: Mapping[str, Any]) -> str:
    """Return what moved a rating: the clause that came or went."""
    came, went = row["after_text"], row["before_text"]
    words, what = (came, "now says") if not is_missing(came) else (went, "no longer says")
    if is_missing(words):
        return text(row["summary"])
    short = str(words) if len(str(words)) <= 240 else str(words)[:240].rsplit(" ", 1)[0] + " […]"
    return f"{what}: <q>{text(short)}</q>"
