"""What the verdicts of readers make of a text: findings, leads, or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.extraction.reading import FINDING_FROM
from riskanalytics.extraction.records import ClauseFinding, LeadIn, Reading, Roles, Scope
from riskanalytics.extraction.units import units_of
from riskanalytics.extraction.verdicts import (
    ACTORS,
    ANSWERS,
    AUDIENCES,
    BASES,
    HARDLY,
    LEAD,
    LEVELS,
    POLARITIES,
    Readers,
    Verdict,
    Verdicts,
    basis_of,
    chosen,
    read_by,
)
from riskanalytics.surfaces import SURFACES
from tests.extraction.given import stated

MEASURED = {surface: {str(basis): 0.97 for basis in BASES} for surface in SURFACES}
KEPT = Verdict("data_retention", "MED", "raises_risk")
SOLD = Verdict("ads_tracking", "HIGH", "raises_risk")
TRAINED = Verdict("training_use", "HIGH", "raises_risk", stance="trains_by_default")
FIRST, SECOND = "We keep your files for as long as we like.", "Partners may see them as well."
TEXT = f"{FIRST}\n\n{SECOND}\n"


def readers(*said: tuple[Verdict, ...] | None, text: str = TEXT, shown: Any = MEASURED, **more: Any) -> Readers:
    """A reader with its verdicts on the units of a text in order; None for a unit that it did not read."""
    pairs = zip(units_of(text), said, strict=True)
    verdicts = {unit.key: Verdicts(one) for unit, one in pairs if one is not None}
    return Readers(("reader@1",), {"reader@1": verdicts}, shown, **more)


def rows(reading: Reading) -> tuple[list[tuple[str, str, float]], list[tuple[str, str, float]]]:
    """Surface, quote and confidence of the findings and of the leads."""
    findings, leads = (
        [(row.surface, row.quote, row.confidence) for row in part] for part in (reading.findings, reading.leads)
    )
    return findings, leads


def test_the_values_that_a_verdict_may_have() -> None:
    assert LEVELS == ("HIGH", "MED", "LOW")
    assert POLARITIES == ("raises_risk", "mitigates_risk", "neutral")
    assert ACTORS == ("vendor", "user", "third_party")
    assert AUDIENCES == ("all", "consumer", "business", "developer")
    assert set(ANSWERS) == {
        "trains_by_default", "trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan",
    }  # fmt: skip
    assert HARDLY == 0.4 < LEAD < FINDING_FROM


def test_a_text_that_readers_decided_has_their_findings_in_order_and_nothing_of_the_package_alone() -> None:
    alone = Reading(
        (stated(TEXT, FIRST, surface="human_review"),), "fr", 7, (stated(TEXT, SECOND)._replace(confidence=0.5),)
    )
    both = readers((SOLD, TRAINED, KEPT), (KEPT,), label="the readers")
    reading = read_by(TEXT, alone, (both,))
    assert rows(reading) == (
        [(name, FIRST, 0.97) for name in ("training_use", "data_retention", "ads_tracking")]
        + [("data_retention", SECOND, 0.97)],
        [("human_review", FIRST, LEAD)],  # no verdict names it; a lead of the package on a decided text is gone
    )
    assert (reading.language, reading.clauses, reading.read_by) == ("fr", 7, ("the readers",))
    assert {row.read_by for row in reading.findings} == {"the readers"}
    assert [row.read_by for row in reading.leads] == [None]


def test_a_unit_that_nobody_read_keeps_what_the_package_found() -> None:
    found = stated(TEXT, FIRST, surface="human_review")
    first, second = (stated(TEXT, words)._replace(confidence=0.5) for words in (FIRST, SECOND))
    reading = read_by(TEXT, Reading((found,), "en", 2, (first, second)), (readers(None, (KEPT,)),))
    assert rows(reading) == (
        [("human_review", FIRST, 0.9), ("data_retention", SECOND, 0.97)],
        [("sensitive_data", FIRST, 0.5)],  # of the second unit, which readers decided without it, the lead is gone
    )
    assert reading.read_by == ()


def test_readers_that_were_not_measured_add_only_leads_that_the_package_does_not_have() -> None:
    found = stated(TEXT, FIRST, surface="data_retention")
    reading = read_by(TEXT, Reading((found,), "en", 2), (readers((KEPT, SOLD), (), shown={}),))
    assert reading.findings == (found,)
    (lead,) = reading.leads
    assert (lead.surface, lead.confidence, lead.confidence_interval) == ("ads_tracking", 0.0, (0.0, 1.0))
    known = found._replace(confidence=0.5)
    reading = read_by(TEXT, Reading(leads=(known,)), (readers((SOLD,), (), shown={}),))
    assert reading.leads == (known, lead)  # of one clause, in the order of the surfaces


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        (KEPT, 0.97),
        (KEPT._replace(own=True), 0.97),
        (KEPT._replace(own=False), HARDLY),
        (KEPT._replace(actor="user"), HARDLY),
        (TRAINED, 0.97),
        (TRAINED._replace(stance=None), LEAD),
        (Verdict("output_rights", "LOW", "mitigates_risk", "user"), 0.97),
        (Verdict("ip_liability", "HIGH", "raises_risk", "user"), 0.97),
        (Verdict("terms_changes", "MED", "raises_risk", "user"), 0.97),
        (Verdict("content_license", "HIGH", "raises_risk", "user"), 0.97),
        (Verdict("ads_tracking", "HIGH", "raises_risk", "third_party"), 0.97),
        *(
            (Verdict(surface, "MED", "raises_risk", actor), HARDLY)
            for surface in (
                "third_party_sharing",
                "human_review",
                "sensitive_data",
                "web_data_training",
                "cross_border_transfer",
            )
            for actor in ("user", "third_party")
        ),
        (TRAINED._replace(actor="third_party"), HARDLY),
    ],
)
def test_a_verdict_that_is_not_surely_the_vendors_own_practice_is_a_lead(said: Verdict, confidence: float) -> None:
    findings, leads = rows(read_by(FIRST, Reading(), (readers((said,), text=FIRST),)))
    assert [row[2] for row in (*findings, *leads)] == [confidence]


def test_a_surface_or_agreement_that_was_not_measured_gives_leads_of_no_confidence() -> None:
    for shown in ({"ads_tracking": {"agreed": 0.97}}, {"data_retention": {"agreed_known": 0.97}}):
        assert rows(read_by(FIRST, Reading(), (readers((KEPT,), text=FIRST, shown=shown),))) == (
            [], [("data_retention", FIRST, 0.0)],
        )  # fmt: skip


def test_a_group_that_may_decide_goes_before_one_that_may_not() -> None:
    unmeasured = readers((SOLD,), text=FIRST, shown={}, label="unmeasured")
    decides = readers((KEPT,), text=FIRST, label="decides")
    reading = read_by(FIRST, Reading(), (unmeasured, decides, readers((SOLD,), text=FIRST, label="later")))
    assert rows(reading) == ([("data_retention", FIRST, 0.97)], [])
    assert reading.read_by == ("decides",)
    assert rows(read_by(FIRST, Reading(), (unmeasured, readers((KEPT,), text=FIRST, shown={})))) == (
        [], [("ads_tracking", FIRST, 0.0)],
    )  # fmt: skip


@pytest.mark.parametrize("misled", ["a", "b", "ab"])
def test_one_reader_whose_request_addressed_a_model_makes_leads_of_all_verdicts(misled: str) -> None:
    (unit,) = units_of(FIRST)
    found = stated(FIRST, FIRST, surface="human_review")
    votes = {name: {unit.key: Verdicts((KEPT,), trusted=name not in misled)} for name in "ab"}
    reading = read_by(FIRST, Reading((found,)), (Readers(("a", "b"), votes, MEASURED),))
    assert (reading.findings, reading.read_by) == ((found,), ())
    assert [(row.surface, row.confidence, row.confidence_interval) for row in reading.leads] == [
        ("data_retention", 0.0, (0.0, 1.0))
    ]


@pytest.mark.parametrize(
    ("own", "confidence"),
    [
        ({"polarity": "mitigates_risk"}, LEAD),
        ({"polarity": "neutral"}, LEAD),
        ({"stance": "trains_with_opt_out"}, 0.97),
        ({"stance": None, "risk": "LOW"}, 0.97),
    ],
)
def test_a_verdict_on_training_that_contradicts_the_packages_effect_makes_a_lead_of_it(
    own: dict[str, Any], confidence: float
) -> None:
    alone = stated(FIRST, FIRST, surface="training_use")._replace(**own)
    reading = read_by(FIRST, Reading((alone,)), (readers((TRAINED,), text=FIRST),))
    assert (*reading.findings, *reading.leads) == (
        alone._replace(confidence=confidence, confidence_interval=(confidence, confidence), read_by="reader@1"),
    )


def test_the_least_confidence_of_a_finding_suffices() -> None:
    least = {surface: dict.fromkeys(BASES, FINDING_FROM) for surface in SURFACES}
    assert rows(read_by(FIRST, Reading(), (readers((KEPT,), text=FIRST, shown=least),))) == (
        [("data_retention", FIRST, FINDING_FROM)], [],
    )  # fmt: skip
    alone = stated(FIRST, FIRST, surface="human_review")._replace(confidence=FINDING_FROM)
    reading = read_by(FIRST, Reading((alone,)), (readers((KEPT,), text=FIRST),))
    assert [row.surface for row in reading.leads] == ["human_review"]


def test_each_group_that_decided_a_unit_is_named_once_in_order() -> None:
    later, first = readers(None, (KEPT,), label="a"), readers((KEPT,), None, label="b")
    assert read_by(TEXT, Reading(), (first, later)).read_by == ("a", "b")
    assert read_by(TEXT, Reading(), (first, readers((SOLD,), (), label="b"))).read_by == ("b",)
    text = "\n\n".join(f"{FIRST[:-1]} {number}." for number in "1234")
    votes = [[(KEPT,) if at == number else None for at in range(4)] for number in range(4)]
    groups = [readers(*said, text=text, label=label) for said, label in zip(votes, "dcba", strict=True)]
    assert read_by(text, Reading(), groups).read_by == ("a", "b", "c", "d")
    assert read_by("", Reading(), (readers(text=""),)).read_by == ()


def test_a_reader_without_any_verdicts_is_no_vote() -> None:
    (unit,) = units_of(FIRST)
    group = Readers(("a", "b"), {"a": {unit.key: Verdicts((KEPT,))}}, {"data_retention": {"agreed": 0.97}})
    assert rows(read_by(FIRST, Reading(), (group,))) == ([("data_retention", FIRST, 0.97)], [])


@pytest.mark.parametrize("doubtful", [KEPT._replace(own=False), KEPT._replace(actor="user")])
def test_one_reader_who_sees_no_practice_of_the_vendor_suffices_for_a_lead(doubtful: Verdict) -> None:
    (unit,) = units_of(FIRST)
    votes = {"a": {unit.key: Verdicts((KEPT,))}, "b": {unit.key: Verdicts((doubtful,))}}
    assert rows(read_by(FIRST, Reading(), (Readers(("a", "b"), votes, MEASURED),)))[1] == [
        ("data_retention", FIRST, HARDLY)
    ]


def test_readers_that_disagree_on_training_make_a_lead_of_the_packages_reading() -> None:
    (unit,) = units_of(FIRST)
    alone = stated(FIRST, FIRST, surface="training_use", stance="trains_by_default")
    votes = {"a": {unit.key: Verdicts((TRAINED,))}, "b": {unit.key: Verdicts((TRAINED._replace(risk="MED"),))}}
    (lead,) = read_by(FIRST, Reading((alone,)), (Readers(("a", "b"), votes, MEASURED),)).leads
    assert lead == alone._replace(confidence=LEAD, confidence_interval=(LEAD, LEAD), read_by="a + b")


def test_readers_that_disagree_on_the_level_make_a_lead_of_the_first_verdict() -> None:
    (unit,) = units_of(FIRST)
    votes = {name: {unit.key: Verdicts((KEPT._replace(risk=risk),))} for name, risk in (("a", "MED"), ("b", "HIGH"))}
    reading = read_by(FIRST, Reading(), (Readers(("a", "b"), votes, MEASURED),))
    assert [(row.risk, row.confidence, row.read_by) for row in reading.leads] == [("MED", LEAD, "a + b")]
    assert reading.findings == ()
    votes |= {"c": votes["b"]}
    (found,) = read_by(FIRST, Reading(), (Readers(("a", "b", "c"), votes, MEASURED),)).findings
    assert found.risk == "HIGH"


@pytest.mark.parametrize(
    ("votes", "of", "basis"),
    [
        (3, 3, "agreed"),
        (2, 3, "majority"),
        (1, 3, "disputed"),
        (2, 4, "disputed"),
        (3, 4, "majority"),
        (1, 1, "agreed"),
    ],
)
def test_more_than_half_of_the_readers_are_a_majority(votes: int, of: int, basis: str) -> None:
    assert basis_of([KEPT] * votes, of, known=False) == basis
    assert basis_of([KEPT] * votes, of, known=True) == f"{basis}_known"


def test_the_most_frequent_combination_of_level_effect_and_stance_is_chosen() -> None:
    low, other = KEPT._replace(risk="LOW", audience="consumer"), KEPT._replace(audience="business")
    assert chosen([low, KEPT, other]) == KEPT
    assert chosen([KEPT, low]) is chosen([KEPT, low, KEPT._replace(risk="HIGH")]) is None
    assert chosen([TRAINED, TRAINED._replace(stance="depends_on_plan")]) is None
    assert chosen([KEPT, KEPT._replace(polarity="neutral")]) is chosen([KEPT, low, KEPT, low]) is None


def test_a_finding_has_the_verdicts_values_and_the_words_region_and_product_of_the_package() -> None:
    text = "We share it with:\n\n* partners that sell it.\n"
    _, unit = units_of(text)
    said = Verdict("ads_tracking", "HIGH", "raises_risk", "third_party", None, "consumer", conditional=True)
    scope = Scope("business", "EU", "temporary")
    alone = stated(text, "partners that sell it.", surface="ads_tracking", scope=scope)
    (found,) = read_by(text, Reading((alone,)), (readers((), (said,), text=text),)).findings
    assert found == ClauseFinding(
        "ads_tracking", unit.clause.start, unit.clause.end, "partners that sell it.", "HIGH", "raises_risk",
        "ads_tracking.read_if", 0.97, (0.97, 0.97), Scope("consumer", "EU", "temporary"), None, found.roles,
        LeadIn("We share it with:", 0, 17), "reader@1",
    )  # fmt: skip
    assert found.roles == Roles("third_party", "share", "it", None)
    again = said._replace(audience=None, conditional=False)
    (found,) = read_by(text, Reading((alone,)), (readers((), (again,), text=text),)).findings
    assert (found.scope, found.rule) == (scope, "ads_tracking.read")


def test_a_confirmed_training_clause_keeps_the_packages_own_reading() -> None:
    text = "We use your prompts to train our models."
    alone = stated(text, text, surface="training_use", risk="MED", stance="trains_by_default", rule="training_use.used")
    (found,) = read_by(text, Reading((alone,)), (readers((TRAINED,), text=text),)).findings
    assert found == alone._replace(confidence=0.97, confidence_interval=(0.97, 0.97), read_by="reader@1")
