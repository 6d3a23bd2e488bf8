"""Reading the findings and leads of one text."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.extraction import ClauseFinding, extract
from riskanalytics.extraction.learned import Sigmoid, load_reader
from riskanalytics.extraction.reading import FINDING_FROM
from riskanalytics.extraction.rules import surface_rules

POLICY = """Privacy Policy
==============

We use what you send to:

*   answer your questions;
*   Train and improve our machine learning models on your content.

We do not sell personal data. We delete conversations within 30 days.

**Business customers**

We do not use enterprise data to train our models unless you opt in.
"""


def only(text: str, surface: str) -> list[ClauseFinding]:
    return [finding for finding in extract(text).findings if finding.surface == surface]


def test_every_quote_is_at_its_offsets() -> None:
    reading = extract(POLICY)
    assert reading.findings
    assert all(POLICY[finding.start : finding.end] == finding.quote for finding in reading.findings)


def test_reading_twice_gives_the_same_result() -> None:
    assert extract(POLICY) == extract(POLICY)


def test_an_item_is_read_with_its_lead_in() -> None:
    finding = only(POLICY, "training_use")[0]
    assert finding.quote == "Train and improve our machine learning models on your content."
    assert finding.stance == "trains_by_default"


def test_a_clause_has_its_audience() -> None:
    finding = only(POLICY, "training_use")[-1]
    assert (finding.stance, finding.scope.audience, finding.risk) == ("trains_with_opt_in", "business", "LOW")


@pytest.mark.parametrize(
    "words",
    [
        "You may not use the output to train models that compete with ours.",
        "All employees receive yearly security training on how to handle personal data.",
        "Can I opt out of model training?",
        "“Model” means any machine learning model trained by us on your content.",
        "You can fine-tune your own model on the content that you upload.",
        "You are solely responsible for the data that you use to train a custom model.",
    ],
)
def test_lookalikes_are_not_training_findings(words: str) -> None:
    assert only(words, "training_use") == []


@pytest.mark.parametrize(
    ("words", "stance"),
    [
        ("We use your conversations to train our models.", "trains_by_default"),
        (
            "We may use your prompts to train our models unless you opt out in the settings.",
            "trains_with_opt_out",
        ),
        (
            "We will not use your prompts to train our models unless you expressly agree.",
            "trains_with_opt_in",
        ),
        ("We never use your prompts to train our models.", "does_not_train"),
        ("Including without limitation, we use your content to train our models.", "trains_by_default"),
    ],
)
def test_negation_and_exceptions_decide_the_stance(words: str, stance: str) -> None:
    assert [finding.stance for finding in only(words, "training_use")] == [stance]


@pytest.mark.parametrize(
    ("words", "stance"),
    [
        ("您可以在设置中关闭数据用于模型训练的功能。", "trains_with_opt_out"),
        ("我们会使用您输入的内容训练我们的模型。", "trains_by_default"),
    ],
)
def test_explicit_chinese_clauses_are_findings(words: str, stance: str) -> None:
    assert [(finding.stance, finding.confidence) for finding in extract(words).findings] == [
        (stance, load_reader().explicit)
    ]


def test_training_is_high_only_without_a_way_out() -> None:
    use = "We use the content that you submit to train our models."
    assert only(use, "training_use")[0].risk == "HIGH"
    assert only(f"{use}\n\nYou can opt out of model training in the settings.", "training_use")[0].risk == "MED"


def test_words_joined_by_mistake_are_read() -> None:
    reading = extract("We use customer content for trainingalgorithms of our models.")
    assert [one.surface for one in (*reading.findings, *reading.leads)] == ["training_use"]


@pytest.mark.parametrize("odd", ["\u00a0", "\u200b ", "\u00ad ", " \u2060"])
def test_unusual_spaces_neither_hide_a_clause_nor_shift_its_offsets(odd: str) -> None:
    text = f"Preface.\n\nWe{odd}do not{odd}sell{odd}personal data to anybody."
    finding = only(text, "ads_tracking")[0]
    assert text[finding.start : finding.end] == finding.quote
    assert odd.strip(" ") in finding.quote


def test_a_link_inside_a_clause_stays_in_the_quote() -> None:
    text = "We [do not](https://example.org/no) use your content to [train](https://example.org) our models."
    finding = only(text, "training_use")[0]
    assert finding.quote == text
    assert finding.stance == "does_not_train"


def test_a_feedback_licence_is_neutral() -> None:
    finding = only("If you send us feedback, you grant us a perpetual licence to use it.", "content_license")[0]
    assert (finding.polarity, finding.scope.product) == ("neutral", "feedback")


def test_a_promise_about_one_connector_is_marked() -> None:
    text = "Data accessed from your connected mail account is never used to train our models."
    assert only(text, "training_use")[0].scope.product == "connector"


def test_headings_and_tables_of_contents_are_not_findings() -> None:
    text = "**We may train on content**\n\n[How we train our models on your content](#training)\n"
    assert extract(text).findings == ()


def test_a_consent_dialogue_is_not_read() -> None:
    banner = (
        "We value your privacy\n\nWe and our 900 partners use cookies to show targeted advertising on "
        "our site.\n\n"
        "Reject All Accept All\n\nWe share your data with advertising partners.\n\nReject All Save My "
        "Preferences\n\n"
    )
    policy = "We share personal data with advertising partners.\n"
    found = extract(banner + policy).findings
    assert found
    assert all(finding.start >= len(banner) for finding in found)
    begun = "We use cookies to show you targeted advertising.\n\nReject All Accept All\n\nSave My Preferences\n"
    assert [finding.start for finding in extract(begun.replace("Save", "See")).findings] == [0]
    assert extract(begun).findings == extract(begun).leads == ()


def test_confidence_lies_in_its_interval() -> None:
    for finding in extract(POLICY).findings:
        low, high = finding.confidence_interval
        assert 0 <= low <= finding.confidence <= high <= 1


@pytest.mark.parametrize(
    ("text", "language"),
    [("", "und"), (POLICY * 3, "en"), ("我们会收集您的信息并按照本政策使用。" * 9, "zh")],
)
def test_the_language_of_a_text_is_identified(text: str, language: str) -> None:
    assert extract(text).language == language


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    assert all(text[finding.start : finding.end] == finding.quote for finding in extract(text).findings)


def test_a_block_is_read_the_same_in_any_place() -> None:
    filler = "".join(f"Paragraph number {number} says little.\n\n" for number in range(300))
    moved = extract(filler + POLICY).findings
    still = extract(POLICY).findings
    assert [(item.rule, item.quote) for item in moved] == [(item.rule, item.quote) for item in still]


HEDGED = """Privacy Policy
==============

## How we use information

We use the prompts and conversations that you submit to:

*   train our models;
*   answer your questions.

We may look at conversations to find abuse. We train our models on your conversations.

We do not sell personal data. We may disclose information where we think it is needed.
"""


@pytest.mark.parametrize("text", [POLICY, HEDGED])
def test_only_findings_reach_the_bound_and_no_clause_is_finding_and_lead(text: str) -> None:
    reading = extract(text)
    assert reading.findings
    assert reading.leads or text is POLICY
    assert all(finding.confidence >= FINDING_FROM for finding in reading.findings)
    assert all(0.3 <= lead.confidence < FINDING_FROM for lead in reading.leads)
    places = [(one.start, one.surface) for one in (*reading.findings, *reading.leads)]
    assert len(places) == len(set(places))


def test_leads_are_quoted_verbatim_at_their_offsets() -> None:
    text = HEDGED.replace("We may look", "We\u00a0may look").replace(
        "to find abuse", "[to](https://a.example) find abuse"
    )
    leads = extract(text).leads
    assert any("\u00a0" in lead.quote for lead in leads)
    assert all(text[lead.start : lead.end] == lead.quote for lead in leads)


def test_a_paragraph_below_a_denial_is_read_and_quoted_after_it() -> None:
    text = "# Privacy Policy\n\n**The company does not:**\n\nSell your personal data to third parties.\n\nWe use cookies.\n"
    (found,) = (one for one in extract(text).leads if one.quote.startswith("Sell"))
    assert found.polarity == "mitigates_risk"
    assert found.lead_in is not None
    assert found.lead_in.quote == "**The company does not:**"


def test_a_fragment_whose_beginning_is_too_far_away_is_not_a_lead() -> None:
    item = "prevent wrongdoing in connection with the service, or share personal data with the police;"
    for times, shown in ((1, True), (8, False)):
        between = "We may share your information with service providers for the same purposes. " * times
        text = (
            "# Privacy Policy\n\nWe may share your personal information in the following situations:\n\n"
            f"* {between}\n* With other parties in order to:\n    * {item}\n"
        )
        reading = extract(text)
        assert any(one.quote == item and one.lead_in for one in (*reading.findings, *reading.leads)) == shown
        assert not any(one.quote == item and one.lead_in is None for one in (*reading.findings, *reading.leads))
        part = "train models in connection with the service, or improve models with personal data for the police;"
        training = extract(text.replace(item, part))  # so that the text is not silent
        assert "training_use" in [one.surface for one in (*training.findings, *training.leads) if one.quote == part]


def test_a_clause_whose_level_or_effect_is_not_clear_is_a_lead_except_on_training() -> None:
    reader = load_reader()
    count, weights = len(reader.surfaces), reader.weights.copy()
    weights[:, count:] = 0
    even = (*reader.bias[:count], *[0] * (len(reader.bias) - count))
    unclear = extract(POLICY, replace(reader, bias=even, weights=weights))
    clear = extract(POLICY)
    assert {one.surface for one in clear.findings} - {one.surface for one in unclear.findings} == {"ads_tracking"}
    [sold] = [one for one in unclear.leads if one.surface == "ads_tracking"]
    assert reader.lead_from < sold.confidence < reader.shown


def test_an_explicit_training_clause_is_a_finding_even_if_the_model_is_unsure() -> None:
    unsure = replace(load_reader(), calibration=(Sigmoid(0.0, 0.0),) * 12)
    reading = extract("We use your prompts to train our models. You may not train models on our data.", unsure)
    assert [(one.quote, one.surface, one.confidence) for one in reading.findings] == [
        ("We use your prompts to train our models.", "training_use", unsure.explicit)
    ]
    limited = extract("In temporary chats, we use your prompts to train our models.", unsure)
    assert [one.confidence for one in limited.leads if one.surface == "training_use"] == [0.5]


def test_a_reading_does_not_depend_on_earlier_readings() -> None:
    script = "import sys; from riskanalytics.extraction import extract; [print(extract(t)) for t in sys.argv[1:]]"
    result = [
        subprocess.run([sys.executable, "-c", script, *texts], capture_output=True, text=True, check=True).stdout
        for texts in ((POLICY, HEDGED), (HEDGED, POLICY))
    ]
    assert result[0].splitlines() == result[1].splitlines()[::-1]


def test_cached_and_new_readings_are_equal() -> None:
    assert extract(HEDGED) == extract(HEDGED, replace(load_reader()))


@pytest.mark.parametrize("title", ["Acceptable Use Policy", "Terms of Service"])
def test_a_ban_on_users_is_not_a_finding(title: str) -> None:
    text = f"""{title}
=====================

You may not:

*   use the output to train models that compete with ours;
*   sell the personal data of other users;
*   share the content of others with advertising partners;
*   track other users across websites.
"""
    reading = extract(text)
    assert reading.clauses == 6
    assert [one for one in (*reading.findings, *reading.leads) if one.risk == "HIGH"] == []
    assert reading.findings == ()


@pytest.mark.parametrize(
    "words",
    [
        "**We use your prompts to train our models**",
        "## We use your prompts to train our models",
        "Do you use your prompts to train our models?",
        "“Training” means that we use your prompts to train our models.",
    ],
)
def test_headings_questions_and_definitions_are_not_findings(words: str) -> None:
    around = "Privacy Policy\n==============\n\nThis policy tells what we do.\n\n{}\n\nWrite to us at any time.\n"
    assert only(around.format("We use your prompts to train our models."), "training_use")
    assert only(around.format(words), "training_use") == []


def test_a_lead_in_is_not_a_finding() -> None:
    assert [finding.quote for finding in only(POLICY, "training_use")][:1] != ["We use what you send to:"]
    assert all(not finding.quote.endswith(":") for finding in extract(POLICY).findings)


def test_findings_and_leads_have_roles() -> None:
    reading = extract(HEDGED)
    sold = next(finding for finding in reading.findings if finding.surface == "ads_tracking")
    assert (sold.roles.actor, sold.roles.action, sold.roles.object) == ("vendor", "do not sell", "personal data")
    assert any(lead.roles.actor == "vendor" for lead in reading.leads)


def test_the_name_of_a_vendor_does_not_change_findings() -> None:
    words = (
        "{0} Privacy Policy\n==============\n\nThis policy tells how {0} handles what you write.\n\n"
        "We use your conversations with {0} to train our models.\n\nWe do not sell your personal data to anybody.\n"
    )
    whole = Path(__file__).parents[1] / "accuracy" / "labels" / "whole" / "learn.jsonl"
    families = {json.loads(line)["family"] for line in whole.read_text("utf-8").splitlines()}
    names = ["wrenna", *sorted(name for name in families if name.isalpha())]
    assert len(names) > 30
    result = {
        name: [(one.rule, one.risk, one.stance) for one in extract(words.format(name.title())).findings]
        for name in names
    }
    assert len(result["wrenna"]) == 2
    assert [name for name in names if result[name] != result["wrenna"]] == []


@pytest.mark.parametrize(
    "words",
    [
        "What you write is used to train our models.",
        "We use what you write to train our models, which makes answers better.",
    ],
)
def test_a_clause_without_a_negation_is_not_a_promise(words: str) -> None:
    reading = extract(words)
    assert [one for one in (*reading.findings, *reading.leads) if one.stance == "does_not_train"] == []


@pytest.mark.parametrize(
    ("words", "surface"),
    [
        ("We may use your content to promote and advertise the platform.", "ads_tracking"),
        ("Opting out does not mean that you will no longer receive our ads.", "ads_tracking"),
        ("If you opt out, we may still send you messages about your account.", "ads_tracking"),
        ("We may receive data about you from third parties, for instance advertising networks.", "ads_tracking"),
        ("When you subscribe to our marketing emails;", "ads_tracking"),
        ("As a subscriber, you may share information with third parties.", "third_party_sharing"),
        ("We receive information about you from our service providers.", "third_party_sharing"),
        ("You can see when this policy was last updated at its end.", "terms_changes"),
        ("We use the data you provide for research (but excluding model training).", "training_use"),
    ],
)
def test_a_clause_on_a_related_subject_is_not_a_finding(words: str, surface: str) -> None:
    assert surface_rules()[surface].hides.search(words.lower())
    assert all(finding.surface != surface for finding in extract(f"{words}\n").findings)


def test_an_idiom_in_a_lead_in_does_not_negate_its_items() -> None:
    text = "We use your data for purposes including, but not limited to:\n\n*   sending you advertisements.\n"
    found = [one for one in (*extract(text).findings, *extract(text).leads) if one.surface == "ads_tracking"]
    assert {one.polarity for one in found} <= {"raises_risk"}
