"""Stance, levels and rating of a platform."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskanalytics.extraction import Assessment, ClauseFinding, DocumentReading, Reading, Scope, assess, extract
from riskanalytics.extraction.records import SurfaceAssessment
from riskanalytics.surfaces import SURFACES
from tests.extraction.given import document, finding

TRAIN = "We use your conversations to train our models."
OPT_OUT = "You can opt out of model training in the settings."
OPT_IN = "We will not use your prompts to train our models unless you expressly agree."
NEVER = "We never use your prompts to train our models."
OWN = finding("data_retention.fixed", "We delete chats after 30 days.", "LOW")


def rated(**documents: str) -> Assessment:
    return assess([
        DocumentReading(name.replace("_", " "), f"{number:064x}", "2026-01-01T00:00:00+00:00", extract(text))
        for number, (name, text) in enumerate(documents.items())
    ])  # fmt: skip


def test_a_platform_without_findings_is_unrated() -> None:
    for result, stance in ((assess([]), "unread"), (rated(Terms="Welcome to the service."), "silent")):
        assert (result.rating, result.risk_reason) == ("UNRATED", "UNRATED: 0 citations extracted")
        assert result.stance == stance
        assert all(level.risk is None for level in result.surfaces)


def test_all_surfaces_are_listed_in_order_even_without_findings() -> None:
    result = rated(Terms=TRAIN)
    assert tuple(level.surface for level in result.surfaces) == SURFACES
    assert [level.surface for level in result.surfaces if level.risk] == ["training_use"]


@pytest.mark.parametrize(
    ("text", "stance", "level"),
    [
        (TRAIN, "trains_by_default", "HIGH"),
        (f"{TRAIN} {OPT_OUT}", "trains_with_opt_out", "MED"),
        (OPT_IN, "trains_with_opt_in", "LOW"),
        (NEVER, "does_not_train", "LOW"),
        ("We do not sell the personal data of our users, and we keep it secure for you.", "silent", None),
        ("We do not sell personal data.", "silent", None),
    ],
)
def test_the_clauses_add_up_to_a_stance(text: str, stance: str, level: str | None) -> None:
    result = rated(Privacy_Policy=text)
    assert result.stance == stance
    assert result.surfaces[0].risk == level


def test_different_plans_get_separate_stances() -> None:
    result = rated(
        Privacy_Policy=f"{TRAIN} {OPT_OUT}", Business_Terms="We do not use business data to train our models."
    )
    assert result.stance == "depends_on_plan"
    assert (result.consumer_stance, result.business_stance) == ("trains_with_opt_out", "does_not_train")
    assert len(result.stance_decided_by) >= 2


def test_a_promise_about_one_connector_is_not_a_stance() -> None:
    result = rated(Privacy_Policy="Data accessed from your connected mail account is never used to train our models.")
    assert result.stance == "silent"


def test_the_reason_begins_with_rating_and_citations() -> None:
    result = rated(Terms=TRAIN)
    assert result.risk_reason == "HIGH: 1 citation extracted; trains by default (Training use), high on Training use"
    assert result.rating == "HIGH"


def test_silence_on_training_never_leads_to_low() -> None:
    kind = "We do not sell personal data. We delete conversations within 30 days. We never share your content."
    assert rated(Terms=kind).rating == "MED"
    assert rated(Terms=f"{kind} {NEVER}").rating == "LOW"


def test_copies_count_once() -> None:
    assert rated(Terms=TRAIN, Privacy_Policy=TRAIN).citation_count == 1


def test_the_same_documents_give_the_same_assessment() -> None:
    assert rated(Terms=f"{TRAIN} {OPT_OUT}") == rated(Terms=f"{TRAIN} {OPT_OUT}")


def test_a_surface_is_high_only_if_strong_clauses_are_not_outweighed() -> None:
    strong = finding("terms_changes.any_time", "We may change these terms at any time.", "HIGH")
    notice = finding("terms_changes.advance_notice", "We tell you of changes 30 days before.", "LOW", 100)
    more = finding("terms_changes.advance_notice", "This policy changes 60 days after we wrote to you.", "LOW", 200)
    given = [(strong,), (strong, notice), (strong, notice, more), (notice, more)]
    ratings = [{level.surface: level.risk for level in assess([document(0, *some)]).surfaces} for some in given]
    assert [levels["terms_changes"] for levels in ratings] == ["HIGH", "HIGH", "MED", "LOW"]


def test_leads_are_never_counted() -> None:
    lead = finding("training_use.used", TRAIN, "HIGH", stance="trains_by_default")
    quiet = document(0)
    changed = replace(quiet, reading=replace(quiet.reading, leads=(lead,)))
    open_to_read = assess([changed])  # neither silent nor decided
    assert open_to_read.stance == "undetermined"
    assert [row.risk for row in open_to_read.surfaces] == [row.risk for row in assess([quiet]).surfaces]
    assert [row.state for row in open_to_read.surfaces][:2] == ["to_read", "quiet"]
    assert open_to_read.surfaces[0].to_read == 1
    assert (open_to_read.rating, open_to_read.citation_count) == ("UNRATED", 0)
    assert assess([document(0, lead)]).rating == "HIGH"


def test_deciding_findings_and_rules_are_named() -> None:
    result = rated(Terms=f"{TRAIN}\n\nWe do not sell personal data.")
    for level in result.surfaces:
        assert bool(level.decided_by) == (level.risk is not None)
        assert level.explanation
    assert result.rules


def test_a_document_in_an_unread_language_prevents_quiet_surfaces_and_ratings() -> None:
    english, chinese = document(0), replace(document(1), reading=Reading((), "zh"))
    both, alone = assess([english, chinese]), assess([chinese])
    assert {row.state for row in both.surfaces} == {row.state for row in alone.surfaces} == {"unread"}
    assert {row.explanation for row in both.surfaces} == {"not read: a document is in a language that is not read"}
    assert both.stance == alone.stance == "unread"
    high = finding("terms_changes.any_time", "We change it.", "HIGH")
    mixed = assess([document(0, high), chinese])
    assert mixed.risk_reason == "HIGH: 1 citation extracted; not read on training, high on Terms changes"
    explicit = replace(chinese, reading=Reading((finding("terms_changes.any_time", "可随时变更。", "HIGH"),), "zh"))
    assert (assess([explicit]).rating, assess([explicit]).rules) == ("UNRATED", ("rating.not_read",))
    assert assess([explicit]).risk_reason == "UNRATED: 1 citation extracted; no document is in a language that is read"


def test_a_document_that_language_models_read_is_read_in_any_language() -> None:
    row = finding("terms_changes.any_time", "可随时变更。", "HIGH")
    read = replace(document(0), reading=Reading((row,), "zh", read_by=("reader@1",)))
    result = assess([read])
    assert (result.rating, result.stance) == ("HIGH", "silent")
    assert [one.state for one in result.surfaces if not one.count] == ["quiet"] * (len(SURFACES) - 1)


def test_a_surface_with_a_lead_is_not_quiet() -> None:
    lead = finding("data_retention.fixed", "We keep your files for 30 days.", "LOW")
    changed = replace(document(0), reading=Reading((), "en", leads=(lead,)))
    states = {row.surface: (row.state, row.to_read) for row in assess([changed]).surfaces}
    assert states["data_retention"] == ("to_read", 1)
    assert states["terms_changes"] == ("quiet", 0)
    other = finding("data_retention.fixed", "Logs are kept for a year.", "LOW", 100)
    again = replace(document(1), reading=Reading((), "en", leads=(lead, other)))  # the same words count once
    row = next(row for row in assess([changed, again]).surfaces if row.surface == "data_retention")
    assert (row.state, row.to_read, row.explanation) == ("to_read", 2, "no finding; 2 clauses to read")
    assert {one.explanation for one in assess([changed]).surfaces if one.state == "quiet"} == {"read, no clause found"}
    both = assess([replace(document(0), reading=Reading((lead,), "en", leads=(other,)))])
    row = next(row for row in both.surfaces if row.surface == "data_retention")
    assert (row.state, row.to_read, row.explanation) == ("found", 0, "data_retention.fixed")
    unread = replace(document(2), reading=Reading((), "zh"))
    assert {row.state for row in assess([changed, unread]).surfaces} == {"unread"}


def test_a_lead_of_a_text_that_two_documents_have_is_still_to_be_read() -> None:
    lead = finding(
        "data_retention.fixed", "We keep all of the files that you upload for 30 days after you close it.", "LOW"
    )
    changed = replace(document(0), reading=Reading((), "en", leads=(lead,)))
    cell = next(
        one for one in assess([changed, replace(changed, document="Copy")]).surfaces if one.surface == lead.surface
    )
    assert (cell.state, cell.to_read) == ("to_read", 1)


def test_clauses_for_business_customers_set_the_level_only_of_a_surface_without_others() -> None:
    own = finding("data_retention.fixed", "We delete chats after 30 days.", "LOW")
    business = [
        finding(
            "data_retention.forever",
            f"We keep the data of company {number}.",
            "HIGH",
            100 * number,
            scope=Scope("business"),
        )
        for number in (1, 2, 3)
    ]
    levels = [
        next(one.risk for one in assess([document(1, *found)]).surfaces if one.surface == "data_retention")
        for found in ((own, *business), tuple(business))
    ]
    assert levels == ["LOW", "HIGH"]


def level_of(*found: ClauseFinding, name: str = "Terms") -> SurfaceAssessment:
    """The assessment of the surface of all these findings."""
    rows = assess([replace(document(1, *found), document=name)]).surfaces
    return next(row for row in rows if row.surface == found[0].surface)


@pytest.mark.parametrize("scope", [Scope(product="feedback"), Scope(product="connector"), Scope("business")])
def test_clauses_limited_to_feedback_a_connector_or_business_count_only_alone(scope: Scope) -> None:
    limited = finding("data_retention.forever", "We keep it.", "HIGH", 100, scope=scope)
    assert (level_of(OWN, limited).risk, level_of(limited).risk) == ("LOW", "HIGH")


@pytest.mark.parametrize(
    "scope", [Scope(product="temporary"), Scope("consumer"), Scope("developer"), Scope(region="EU")]
)
def test_clauses_with_any_other_limit_count(scope: Scope) -> None:
    assert level_of(OWN, finding("data_retention.forever", "We keep it.", "HIGH", 100, scope=scope)).risk == "HIGH"


def test_the_clauses_of_the_level_decide_it_the_surest_first_and_at_most_three() -> None:
    words = ("Logs stay.", "Files stay.", "Chats stay.", "Names stay.")
    high = [finding(f"data_retention.h{n}", one, "HIGH", 100 + 20 * n) for n, one in enumerate(words)]
    high[:2] = high[0]._replace(confidence=0.89), high[1]._replace(confidence=0.9)
    med = finding("data_retention.med", "We keep some.", "MED", 300)
    row = level_of(OWN, med, *high)
    assert (row.risk, [start for _, start, _ in row.decided_by]) == ("HIGH", [120, 140, 160])
    assert row.explanation == "data_retention.h0, data_retention.h1, data_retention.h2"
    row = level_of(OWN, med)
    assert (row.risk, row.decided_by, row.explanation) == ("MED", ((f"{1:064x}", 300, 313),), "data_retention.med")
    row = level_of(high[0])  # a HIGH clause that is not sure enough
    assert (row.risk, row.decided_by, row.explanation) == ("MED", ((f"{1:064x}", 100, 110),), "data_retention.h0")


def test_neutral_clauses_give_no_level_and_protective_ones_of_a_middle_level_are_not_low() -> None:
    neutral = finding("data_retention.neutral", "Logs exist.", "MED")._replace(polarity="neutral")
    level = level_of(neutral)
    assert (level.risk, level.explanation, level.state, level.count) == (None, "neutral clauses only", "found", 1)
    assert assess([document(1, neutral)]).rating == "UNRATED"
    assert level_of(neutral._replace(polarity="mitigates_risk")).risk == "MED"


def test_the_reason_counts_citations_and_says_what_is_high() -> None:
    med = finding("data_retention.med", "We keep some.", "MED")
    high = finding("terms_changes.any_time", "We change it.", "HIGH", 100)
    reasons = [assess([document(1, *found)]).risk_reason for found in ((med,), (med, high))]
    assert reasons == [
        "MED: 1 citation extracted; silent on training, no surface is high",
        "HIGH: 2 citations extracted; silent on training, high on Terms changes",
    ]
