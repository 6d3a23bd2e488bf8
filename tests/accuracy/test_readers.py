"""The measured precision of readers decides which verdicts are shown."""

from __future__ import annotations

from riskanalytics.accuracy.readers import _shown
from riskanalytics.extraction.verdicts import LEAD


def test_a_basis_is_shown_if_all_that_is_shown_on_its_surface_is_precise_enough() -> None:
    shown = _shown({"agreed": (45, 50), "agreed_known": (198, 200), "disputed": (12, 30), "disputed_known": (44, 50)})
    assert shown == {"agreed_known": 0.99, "agreed": 0.9, "disputed_known": 0.88, "disputed": 0.4}


def test_a_basis_is_a_lead_if_it_would_make_its_surface_too_imprecise() -> None:
    assert _shown({"agreed_known": (95, 100), "agreed": (86, 100)}) == {"agreed_known": 0.95, "agreed": round(LEAD, 3)}


def test_an_imprecise_basis_is_never_carried_by_precise_ones() -> None:
    assert _shown({"agreed_known": (1000, 1000), "agreed": (845, 1000)}) == {
        "agreed_known": 1.0,
        "agreed": round(LEAD, 3),
    }
