"""One text to its findings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.extraction import ClauseFinding, extract

POLICY = """Privacy Policy
==============

We use what you send to:

*   answer your questions;
*   Train and fine-tune our models.

We do not sell personal data. We delete conversations within 30 days.

**Business customers**

We do not use enterprise data to train our models unless you opt in.
"""


def only(text: str, surface: str) -> list[ClauseFinding]:
    return [finding for finding in extract(text).findings if finding.surface == surface]


def test_every_quote_stands_at_its_offsets() -> None:
    reading = extract(POLICY)
    assert reading.findings
    assert all(POLICY[finding.start : finding.end] == finding.quote for finding in reading.findings)


def test_reading_twice_gives_the_same() -> None:
    assert extract(POLICY) == extract(POLICY)


def test_an_item_is_read_with_its_lead_in() -> None:
    finding = only(POLICY, "training_use")[0]
    assert finding.quote == "Train and fine-tune our models."
    assert finding.stance == "trains_by_default"


def test_the_audience_of_a_clause_is_told() -> None:
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
def test_lookalikes_are_no_training_findings(words: str) -> None:
    assert only(words, "training_use") == []


@pytest.mark.parametrize(
    ("words", "stance"),
    [
        ("We train our models on your conversations.", "trains_by_default"),
        (
            "We may use your prompts to train our models unless you opt out in the settings.",
            "trains_with_opt_out",
        ),
        (
            "We will not use your prompts to train our models unless you expressly agree.",
            "trains_with_opt_in",
        ),
        ("We never use your prompts to train our models.", "does_not_train"),
        ("您可以在设置中关闭数据用于模型训练的功能。", "trains_with_opt_out"),
        ("我们会使用您输入的内容训练我们的模型。", "trains_by_default"),
        ("Including without limitation, we use your content to train our models.", "trains_by_default"),
    ],
)
def test_negation_and_exceptions_decide_the_stance(words: str, stance: str) -> None:
    assert [finding.stance for finding in only(words, "training_use")] == [stance]


def test_training_without_a_way_out_is_high_and_with_one_is_not() -> None:
    use = "We use the content that you submit to train our models."
    assert only(use, "training_use")[0].risk == "HIGH"
    assert only(f"{use}\n\nYou can opt out of model training in the settings.", "training_use")[0].risk == "MED"


def test_joined_words_of_a_bad_extraction_are_read() -> None:
    assert only("We use customer content for trainingalgorithms of our models.", "training_use")


@pytest.mark.parametrize("odd", ["\u00a0", "\u200b ", "\u00ad ", " \u2060"])
def test_odd_spaces_neither_hide_a_clause_nor_move_its_offsets(odd: str) -> None:
    text = f"Preface.\n\nWe{odd}do not{odd}sell{odd}personal data to anybody."
    finding = only(text, "ads_tracking")[0]
    assert text[finding.start : finding.end] == finding.quote
    assert odd.strip(" ") in finding.quote


def test_a_link_inside_a_clause_stays_in_the_quote() -> None:
    text = "We [do not](https://example.org/no) use your content to [train](https://example.org) our models."
    finding = only(text, "training_use")[0]
    assert finding.quote == text
    assert finding.stance == "does_not_train"


def test_a_feedback_licence_is_neutral_and_says_so() -> None:
    finding = only("If you send us feedback, you grant us a perpetual licence to use it.", "content_license")[0]
    assert (finding.polarity, finding.scope.product) == ("neutral", "feedback")


def test_a_promise_for_one_connector_is_marked() -> None:
    text = "Data accessed from your connected mail account is never used to train our models."
    assert only(text, "training_use")[0].scope.product == "connector"


def test_headings_and_tables_of_contents_say_nothing() -> None:
    text = "**We may train on content**\n\n[How we train our models on your content](#training)\n"
    assert extract(text).findings == ()


def test_a_consent_dialogue_is_not_the_policy() -> None:
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


def test_confidence_lies_in_its_interval() -> None:
    for finding in extract(POLICY).findings:
        low, high = finding.confidence_interval
        assert 0 <= low <= finding.confidence <= high <= 1


@pytest.mark.parametrize(
    ("text", "language"),
    [("", "und"), (POLICY * 3, "en"), ("我们会收集您的信息并按照本政策使用。" * 9, "zh")],
)
def test_the_language_is_told_where_it_is_sure(text: str, language: str) -> None:
    assert extract(text).language == language


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    assert all(text[finding.start : finding.end] == finding.quote for finding in extract(text).findings)


def test_blocks_are_read_alike_wherever_they_stand() -> None:
    filler = "".join(f"Paragraph number {number} says little.\n\n" for number in range(300))
    moved = extract(filler + POLICY).findings
    still = extract(POLICY).findings
    assert [(item.rule, item.quote) for item in moved] == [(item.rule, item.quote) for item in still]
