"""Plan and way out that the paragraph around a training clause adds to it."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import ClauseFinding, DocumentReading, Reading, assess, extract
from riskanalytics.extraction.features import by_patterns
from riskanalytics.extraction.learned import load_reader
from riskanalytics.extraction.reading import decide, in_its_paragraph

USE = "We may use your content to train our models."
NEVER = "We do not use your content to train our models."


def read(text: str, quote: str, surface: str = "training_use") -> ClauseFinding:
    start = text.index(quote)
    return in_its_paragraph(
        text, ClauseFinding(surface, start, start + len(quote), quote, "HIGH", "raises_risk", "r", 0.95, (0.9, 1.0))
    )


@pytest.mark.parametrize(
    ("before", "audience"),
    [
        ("**Free services.** ", "consumer"),
        ("3.2 Paid plans: ", "business"),
        ("If you use the service under a paid subscription, we only serve you. For clarity: ", "business"),
        ("If you use the service without a paid subscription, we serve you as well. Besides, ", "consumer"),
        ("Our service is fast. ", None),
        ("**Free services.** It is slow.\n\n", None),
    ],
)
def test_title_and_opening_of_the_paragraph_name_the_plan(before: str, audience: str | None) -> None:
    assert read(before + USE, USE).scope.audience == audience


def test_a_way_out_in_the_next_sentence_is_the_condition() -> None:
    way_out = "You may opt out of this use in your settings."
    assert read(f"{USE} {way_out}", USE).roles.condition == way_out.rstrip(".")
    assert read(f"{USE} You may opt out of our newsletter.", USE).roles.condition is None
    assert read(f"{USE} You cannot opt out of this use.", USE).roles.condition is None
    assert read(f"{USE}\n\n{way_out}", USE).roles.condition is None


def test_clauses_on_other_surfaces_are_unchanged() -> None:
    assert read(f"**Free services.** {USE}", USE, "content_license").scope.audience is None


def stance(*paragraphs: str) -> tuple[str, str | None, str | None]:
    text = "\n\n".join(["# Terms of Service", *paragraphs])
    result = assess([DocumentReading("Terms of Service", "a", "2026-01-01T00:00:00+00:00", extract(text))])
    return result.stance, result.consumer_stance, result.business_stance


def test_paragraphs_on_free_and_paid_services_give_a_stance_by_plan() -> None:
    result = stance(
        f"**Free services.** {USE}", f"**Paid services.** We serve you. For clarity, {NEVER[0].lower()}{NEVER[1:]}"
    )
    assert result == ("depends_on_plan", "trains_by_default", "does_not_train")


def test_a_way_out_for_paying_users_in_the_next_sentence_gives_a_stance_by_plan() -> None:
    assert stance(f"{USE} If you subscribe to a paid tier, you may opt out of this use.")[0] == "depends_on_plan"
    assert stance(f"{USE} You may opt out of this use at any time.")[0] == "trains_with_opt_out"


def test_a_text_without_training_clauses_is_read() -> None:
    assert extract("# Terms\n\nWe keep your data for 30 days.") != Reading(())


WORDS = "we use your prompts to train our models."


@pytest.mark.parametrize(("words", "clear"), [("we keep your logs", True), ("we keep aggregated logs only", False)])
def test_words_that_seldom_raise_the_risk_require_a_larger_margin(words: str, clear: bool) -> None:
    reader = load_reader()
    scores = [0] * len(reader.bias)
    scores[reader.columns("data_retention")] = [
        700 * (kind[:2] == ("MED", "raises_risk")) for kind in reader.kinds["data_retention"]
    ]
    _, kind, is_clear = decide(reader, "data_retention", words, "", tuple(scores), None, 0.9)
    assert (kind.polarity, is_clear) == ("raises_risk", clear)


def test_the_rule_decides_on_a_surface_that_the_model_does_not_know() -> None:
    rule = by_patterns(WORDS).rules["training_use"]
    name, kind, _ = decide(load_reader(), "voice_cloning", WORDS, "", (), rule, 0.9)
    assert (name, kind[:]) == (rule.id, (rule.risk, rule.polarity, rule.stance))
