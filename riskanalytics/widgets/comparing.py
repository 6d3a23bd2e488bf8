"""A clause as a widget shows it: the words in their paragraph, where they stand, and what a check of them found.

Some platforms beside each other on one surface.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import ipywidgets
import pandas as pd

from riskanalytics.addresses import is_public
from riskanalytics.dataset import Dataset
from riskanalytics.errors import ReportError
from riskanalytics.frames import findings_frame, is_missing
from riskanalytics.page_words import plain_words
from riskanalytics.pages.rows import (
    confidence,
    day,
    in_paragraph,
    level,
    limits,
    name,
    quote,
    source,
    span,
    text,
    verification,
)
from riskanalytics.pages.section import Section
from riskanalytics.pages.values import BREAK, Link, Listing, Paragraph, Parts, Quote, Text, Words
from riskanalytics.surfaces import SURFACES, surface_name
from riskanalytics.topics.matrix import section
from riskanalytics.topics.matrix.surface import surface_clauses, surface_matrix
from riskanalytics.widgets.exploring import Live, Source, loaded, verified
from riskanalytics.widgets.parts import choice, note, plain, root, row

_STEPS: Final = ("the snapshot could be fetched", "its bytes have the SHA-256 named", "the quote stands at its offsets")
_REACHED: Final = {"unavailable": 0, "hash_mismatch": 1, "missing": 2, "altered": 2, "moved": 2, "verified": 3}
"""How many of the steps held, by status."""
_WHY: Final = {
    "unavailable": "no bytes could be had under this hash",
    "hash_mismatch": "the bytes fetched are not the ones named",
    "missing": "the words do not stand in the text",
    "altered": "other words stand there",
    "moved": "the words stand elsewhere in the text",
}


def findings_of(records: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Return clauses as a search or an answer gives them as a frame of findings."""
    return findings_frame({**record, "slug": record.get("slug", record.get("platform"))} for record in records)


def clause_card(row: Mapping[str, object]) -> Parts:
    """Return one clause with its platform, surface, level and source."""
    return Paragraph(_whose(row)), quote(row, mark=level(row["level"]), alone=True)


def _whose(row: Mapping[str, object]) -> Words:
    """Return the platform and the surface of a clause."""
    platform = name(row["slug"] if is_missing(row["name"]) else row["name"])
    return Text(platform, "strong"), " · ", surface_name(str(row["surface"]))


def source_line(row: Mapping[str, object], answer: str, mark: str = "") -> Words:
    """Return where a clause stands, its mark, and the clause where the answer that cites it does not hold its words."""
    where = (level(row["level"]), " ", source(row, alone=True), mark)
    if plain_words(str(row["quote"])) not in answer:
        return _whose(row), BREAK, Text(in_paragraph(row), "quote"), BREAK, where
    return Text(name(row["name"]), "strong"), " ", where


def quote_card(row: Mapping[str, object]) -> Parts:
    """Return one clause in its paragraph, with its platform, surface and level."""
    kind = " · protective" if row.get("polarity") == "mitigates_risk" else ""
    head = (Text(name(row["name"]), "strong"), f" · {surface_name(str(row['surface']))}{kind} ", level(row["level"]))
    return Paragraph(head), Quote(in_paragraph(row))


def facts_of(row: Mapping[str, object]) -> tuple[tuple[str, Words], ...]:
    """Return everything that is known of where a clause stands and what decided it, each fact with its name."""
    offsets = span(row)
    facts: dict[str, Words] = {
        "Document": text(row.get("document")),
        "Captured": day(row.get("captured_at")),
        "SHA-256": Text(text(row.get("snapshot_sha256")), "code"),
        "Characters": f"{offsets}, Unicode code points" if offsets else "",
        "Archive": _archive(text(row.get("archive_url"))),
        "Live page": _live(text(row.get("live_url"))),
        "Confidence": confidence(row).removeprefix("confidence "),
        "Limits itself to": ", ".join(limits(row)),
        "Same words as": "" if is_missing(row.get("duplicate_of")) else "another clause of this platform",
        "Decided by": text(row.get("rule")),
        "State": verification(row.get("verification_status")),
    }
    return tuple((key, value) for key, value in facts.items() if value)


def _archive(url: str) -> Words:
    """Return a link to the public archive that names its host; that none is known, where it is no public address."""
    if not is_public(url):
        return "no public address is known"
    return Link(f"open at {url.partition('://')[2].partition('/')[0]}", url, apart=True)


def _live(url: str) -> Words:
    """Return a link to the quote on the vendor's page; nothing where no public address is known."""
    return (Link("open at the quote", url, apart=True), ", if the page is unchanged") if is_public(url) else ""


def check_told(row: Mapping[str, object], moment: datetime) -> Parts:
    """Return what a check of a quote found, step by step.

    Parameters
    ----------
    row : mapping
        A finding, `verification_status` as the check found it.
    moment : datetime
        When, UTC.
    """
    status = "unavailable" if is_missing(row["verification_status"]) else str(row["verification_status"])
    reached = _REACHED.get(status, 0)
    marks = ["✓"] * reached + ["✗"] + ["–"] * len(_STEPS)
    why = f" ({_WHY[status]})" if status in _WHY else ""
    steps = tuple(f"{mark} {step}" for mark, step in zip(marks, _STEPS, strict=False))
    return Paragraph((verification(status), f"{why}, checked {moment:%Y-%m-%d %H:%M:%S} UTC")), Listing(steps)


MOST: Final = 8
"""Platforms compared at most."""
_EACH: Final = 3
"""Clauses shown of one platform; how many more it has is said."""
_PURPOSE: Final = f"Add two to {MOST} platforms and read what each says on one surface."


class Comparison(Live):
    """Clauses side by side; see `comparison`.

    Parameters
    ----------
    data : Dataset
    matrix : pandas.DataFrame
        As `analysis.risk_matrix` gives it.
    slugs : sequence of str
    surface : str
    """

    def __init__(self, data: Dataset, matrix: pd.DataFrame, slugs: Sequence[str], surface: str) -> None:
        self.data, self.matrix = data, matrix
        self.slugs, self.surface = list(slugs), surface

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.slugs)}, {self.surface}>"

    def twin(self) -> Sequence[Section]:
        """Return the platforms beside each other."""
        return [self.side_by_side(self.slugs, self.surface)]

    def side_by_side(self, slugs: Sequence[str], surface: str) -> Section:
        """Return some platforms beside each other on a surface, their quotes checked where a service is at hand."""
        chosen = surface_matrix(self.matrix[self.matrix["slug"].isin(slugs)], surface)
        clauses = surface_clauses(self.data.findings, chosen, surface)
        clauses = clauses[clauses["place"] <= _EACH].reset_index(drop=True)
        return section.side_by_side(chosen, verified(self.data, clauses))

    def _made(self) -> ComparisonPanel:
        return ComparisonPanel(self)


class ComparisonPanel:
    """The controls of `Comparison`.

    Parameters
    ----------
    compared : Comparison
    """

    def __init__(self, compared: Comparison) -> None:
        self._compared = compared
        self.slugs = list(compared.slugs)
        matrix = compared.matrix
        heads = matrix.drop_duplicates("slug").sort_values(
            "name", key=lambda names: names.str.casefold(), kind="stable"
        )
        self._names = {slug: plain(name, 40) for slug, name in zip(heads["slug"], heads["name"], strict=True)}
        options = [(f"{name} ({plain(slug, 40)})", slug) for slug, name in self._names.items()]
        surfaces = [(plain(surface_name(one), 40), one) for one in dict.fromkeys((*SURFACES, *matrix["surface"]))]
        self.platform = choice("Platform", options, options[0][1] if options else None, "18rem")
        self.add = ipywidgets.Button(description="Add", button_style="primary")
        self.surface = choice("Surface", surfaces, compared.surface, "12rem")
        self.taken = row()
        self.told, self.sides = ipywidgets.HTML(), ipywidgets.HTML()
        self.add.on_click(lambda _: self._added())
        self.surface.observe(lambda _: self.show(), "value")
        controls = row(self.platform, self.add, self.surface)
        self.root = root("Compare", _PURPOSE, controls, self.taken, self.told, self.sides)
        self.show()

    def _added(self) -> None:
        """Add the platform chosen."""
        slug = self.platform.value
        if slug is None or slug in self.slugs:
            self.told.value = note("It stands there already.")
        elif len(self.slugs) >= MOST:
            self.told.value = note(f"{MOST} platforms are the most; take one away first.")
        else:
            self.slugs.append(slug)
            self.show()

    def _taken_away(self, slug: str) -> None:
        """Take a platform away."""
        self.slugs.remove(slug)
        self.show()

    def show(self) -> None:
        """Show the platforms beside each other."""
        self.taken.children = [self._button(slug) for slug in self.slugs]
        self.told.value = note("Working…")
        if len(self.slugs) < 2:
            self.sides.value = ""
            self.told.value = note("Add at least two platforms.")
            return
        self.sides.value = self._compared.side_by_side(self.slugs, self.surface.value).html
        self.told.value = ""

    def _button(self, slug: str) -> ipywidgets.Button:
        """Return the button that takes a platform away."""
        layout = ipywidgets.Layout(width="auto")
        button = ipywidgets.Button(
            description=f"Remove {self._names.get(slug, plain(slug))}", icon="times", layout=layout
        )
        button.on_click(lambda _: self._taken_away(slug))
        return button


def comparison(data: Source = None, surface: str = "training_use", slugs: Sequence[str] = ()) -> Comparison:
    """Make a widget that compares what some platforms say on one surface, clause beside clause.

    Parameters
    ----------
    data : Dataset or Client, optional
        What `ra.load` gives; or a client, for its newest data; or nothing, for the service that the settings name. Quotes
        are checked by its service, and marked as not checked where it has none.
    surface : str
    slugs : sequence of str
        Two to eight platforms to begin with; empty: the two worst on the surface.

    Returns
    -------
    Comparison
        Last in a cell, or given to `display`.

    Raises
    ------
    ReportError
        If the platforms are too few, too many or not there.
    ParameterError
        If there is no surface of that name.

    Examples
    --------
    >>> widgets.comparison(data, "data_retention", ["alfisen-music", "orvewick-voice"])
    <Comparison of alfisen-music, orvewick-voice, data_retention>
    """
    dataset, matrix, chosen = loaded(data, surface)
    ranked = list(dict.fromkeys(surface_matrix(matrix, chosen)["slug"]))
    wanted = list(dict.fromkeys(slugs)) or _worst(matrix, ranked, chosen)
    unknown = [slug for slug in wanted if slug not in ranked]
    if unknown:
        raise ReportError(f"no platform {unknown[0][:60]!r} is among those loaded")
    if slugs and not 2 <= len(wanted) <= MOST:
        raise ReportError(f"comparison takes 2 to {MOST} platforms, not {len(wanted)}")
    return Comparison(dataset, matrix, wanted, chosen)


def _worst(matrix: pd.DataFrame, ranked: Sequence[str], surface: str) -> list[str]:
    """Return the two platforms worst on a surface; those of which something was found before all others."""
    found = set(matrix.loc[(matrix["surface"] == surface) & (matrix["state"] == "found"), "slug"])
    return sorted(ranked, key=lambda slug: slug not in found)[:2]
