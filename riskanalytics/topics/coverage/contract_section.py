"""Coverage of the interface on a page: where a service's answers differ from the form in which they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages.composing import below, table
from riskanalytics.pages.rows import grouped, name, number, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Listing, Paragraph, Part, Text, Words
from riskanalytics.wording import plural

__all__ = ["contract_drift"]

_DRIFT: Final = {
    "failed": "failed",
    "missing": "missing",
    "retyped": "another type",
    "unknown": "not known",
    "unseen": "new value",
    "more": "more",
}
_ENDPOINTS: Final = {
    "no key": "not asked: needs a key",
    "not shown": "not shown to this key",
}


@of_data(drift="contract_drift")
def contract_drift(drift: pd.DataFrame, endpoints: pd.DataFrame, *, most: int = 100) -> Section:
    """Show where the service's answers differ from their description: fields not described, missing, of another type.

    Parameters
    ----------
    drift : pandas.DataFrame
        As `analysis.contract_drift` gives it.
    endpoints : pandas.DataFrame
        `frames.ENDPOINTS_COLUMNS`: the endpoints whose answers were compared.
    most : int
        Differences shown.

    Examples
    --------
    >>> contract = data.of(["orvewick-voice"]).contract()
    >>> drift = analysis.contract_drift(contract.differences, contract.endpoints)
    >>> sections.contract_drift(drift, contract.endpoints).text
    '0 differences in the interface'
    """
    found = rows_of(drift[drift["drift"]])
    counted = plural(len(found), "difference")
    said: list[Part] = [
        Paragraph(
            "No drift: every answer is of the form that the interface specification and its documented additions give it."
        )
    ]
    if found:
        titles = ("Field", "What", "roomy:Read as", "n roomy whole:Times", "roomy:First seen in")
        said = [
            Paragraph(
                f"{counted} between the answers and what they are read as. Reading is tolerant: what is missing or of another "
                "type here is missing from every page."
            ),
            table("Differences, the gravest first", map(_difference, found[:most]), *titles),
            Paragraph(
                f"{plural(len(found) - most, 'more difference')} not shown." if len(found) > most else "", "note"
            ),
        ]
    compared = (
        (Text(text(row["endpoint"]), "code"), f"{int(number(row['answers'])):,}", _state(row))
        for row in rows_of(endpoints)
    )
    answers = table("Answers that were compared", compared, "Endpoint", "n:Answers", "State")
    return section("Interface", *said, *_additions(drift), answers, text=f"{counted} in the interface")


def _difference(row: Mapping[str, object]) -> tuple[Words, ...]:
    """Return the cells of one difference."""
    endpoint = Text(text(row["endpoint"]), "meta")
    field = text(row["field"])
    return (
        (Text(field, "code"), below(text(row["endpoint"]))) if field else endpoint,
        (
            _DRIFT.get(str(row["kind"]), text(row["kind"])),
            *((": ", name(row["told"])) if row["told"] != "absent" else ()),
        ),
        text(row["expected"]),
        f"{int(number(row['count'])):,} of {int(number(row['of'])):,}",
        name(row["example"]),
    )


def _additions(drift: pd.DataFrame) -> list[Part]:
    """Return the documented additions that are missing, and those that are there, folded by endpoint."""
    kinds = {"lacking": "documented additions that this service lacks", "addition": "documented additions"}
    parts: list[Part] = []
    for kind, words in kinds.items():
        rows = rows_of(drift[drift["kind"] == kind])
        items = (
            (Text(endpoint, "code"), ": ", ", ".join(text(row["field"]) for row in group))
            for endpoint, group in grouped(rows, "endpoint").items()
        )
        parts += [Fold(f"{len(rows):,} {words}", (Listing(tuple(items)),))] if rows else []
    return parts


def _state(row: Mapping[str, object]) -> Words:
    """Return whether the answers of an endpoint were compared, and why not."""
    state = text(row["state"])
    if state == "compared":
        return state
    status = "" if is_missing(row["status"]) or not row["status"] else f" (HTTP {int(number(row['status']))})"
    shown = Text(Text(state, "strong"), "bad") if state == "failed" else _ENDPOINTS.get(state, state)
    return (shown, status)
