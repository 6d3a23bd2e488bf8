"""Plan and way out that the paragraph around a training clause adds to it."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import ClauseFinding, DocumentReading, Reading, Scope, assess, extract
from riskanalytics.extraction.features import by_patterns
from riskanalytics.extraction.learned import Kind, load_reader
from riskanalytics.extraction.reading import _pieces, decide, in_its_paragraph
from riskanalytics.extraction.rules import surface_rules
from riskanalytics.extraction.segment import parts_of
from riskanalytics.surfaces.declared import RuleTable

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
        ("**Free services.** If you have a paid plan, we say more. Else ", "business"),
        (f"**Free services.** {'a ' * 380}", "consumer"),
        (f"**Free services.** {'a ' * 410}", None),
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
    assert read(f"{USE} We tell you. {way_out}", USE).roles.condition is None
    for words in (
        "You may object to such processing.",
        "Turn off this setting to end that.",
        "You can disable the training.",
    ):
        assert read(f"{USE} {words}", USE).roles.condition == words.rstrip(".")


@pytest.mark.parametrize(
    ("own", "audience"),
    [(None, "consumer"), ("developer", "consumer"), ("business", "business"), ("consumer", "consumer")],
)
def test_an_audience_that_the_clause_names_stays(own: str | None, audience: str) -> None:
    text = f"**Free services.** {USE}"
    found = read(text, USE)
    assert in_its_paragraph(text, found._replace(scope=Scope(own))).scope.audience == audience


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


def decided(words: str, score: int, rule: RuleTable | None = None) -> tuple[str, Kind, bool]:
    """What a clause says on retention if the model gives this score to MED that raises the risk, and 0 to all other kinds."""
    reader = load_reader()
    scores = [0] * len(reader.bias)
    scores[reader.columns("data_retention")] = [
        score * (kind[:2] == ("MED", "raises_risk")) for kind in reader.kinds["data_retention"]
    ]
    return decide(reader, "data_retention", words, "", scores, rule, 0.9)


@pytest.mark.parametrize(
    ("words", "least"),
    [("we keep your logs", 300), ("we keep aggregated logs only", 1000), ("we aim to limit logs", 1000)],
)
def test_words_that_seldom_raise_the_risk_require_a_larger_margin(words: str, least: int) -> None:
    assert [decided(words, score)[1:] for score in (least, least - 1)] == [
        (Kind("MED", "raises_risk"), True),
        (Kind("MED", "raises_risk"), False),
    ]


def test_a_rule_that_agrees_names_the_clause_and_one_of_another_effect_requires_a_larger_margin() -> None:
    rules = {(rule.table.risk, rule.table.polarity): rule.table for rule in surface_rules()["data_retention"].rules}
    agrees, opposes = rules["MED", "raises_risk"], rules["LOW", "mitigates_risk"]
    assert decided("we keep your logs", 700) == ("data_retention.learned.med", Kind("MED", "raises_risk"), True)
    assert decided("we keep your logs", 700, agrees) == (agrees.id, Kind("MED", "raises_risk"), True)
    assert decided("we keep your logs", 700, opposes) == (
        "data_retention.learned.med",
        Kind("MED", "raises_risk"),
        False,
    )


def test_an_effect_overrides_the_model_and_is_clear_at_any_margin() -> None:
    indefinite, copies = (
        "we may retain your content indefinitely.",
        "deleted messages may remain in our backups for up to 60 days.",
    )
    assert decided(indefinite, 1) == ("data_retention.indefinite", Kind("HIGH", "raises_risk"), True)
    assert decided(copies, 1) == ("data_retention.learned.med", Kind("MED", "raises_risk"), True)


def test_an_effect_without_a_stance_keeps_that_of_the_model() -> None:
    reader = load_reader()
    scores = [0] * len(reader.bias)
    kinds = reader.kinds["training_use"]
    scores[reader.columns("training_use")] = [
        9000 * (kind == ("HIGH", "raises_risk", "trains_by_default")) for kind in kinds
    ]
    words = "if you have not opted out in your account, you authorise us to use your content for training our models."
    assert decide(reader, "training_use", words, "", scores, None, 0.99) == (
        "training_use.not_opted_out", Kind("MED", "raises_risk", "trains_by_default"), True,
    )  # fmt: skip


def test_the_rule_decides_on_a_surface_that_the_model_does_not_know() -> None:
    rule = by_patterns(WORDS).rules["training_use"]
    name, kind, _ = decide(load_reader(), "voice_cloning", WORDS, "", [], rule, 0.9)
    assert (name, kind[:]) == (rule.id, (rule.risk, rule.polarity, rule.stance))


@pytest.mark.parametrize(
    ("way_out", "risk"),
    [
        ("We never use enterprise data to train our models.", "MED"),
        ("We will not use your prompts to train our models unless you expressly agree.", "MED"),
        ("Users in the United Kingdom can opt out of model training in the settings.", "HIGH"),
        ("You can choose not to take part in the training of models.", "MED"),
        ("Training on your data is off.", "MED"),  # a lead
        ("To opt out, write to us.", "HIGH"),
    ],
)
def test_any_way_out_but_one_for_a_region_lowers_the_level_of_training(way_out: str, risk: str) -> None:
    assert extract(f"{USE}\n\n{way_out}").findings[0].risk == risk


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("We sell data", True),
        ("We sell dat", False),
        ("卖数据给人", True),
        ("卖数据给", False),
        (f"We sell your personal data to brokers, {'x' * 3959}.".ljust(4000, "x"), True),
        (f"We sell your personal data to brokers, {'x' * 3961}.", False),
        ("[We sell your personal data](https://a.example) [to brokers](https://b.example)", False),
        ("[We sell your personal data](https://a.example) to brokers", True),
    ],
)
def test_menus_and_very_short_or_long_clauses_are_not_read(words: str, read: bool) -> None:
    ((_, part),) = parts_of(words)
    assert bool(_pieces(load_reader(), part)) is read


LICENCE = "You give us a licence to improve the algorithms underlying the service."


@pytest.mark.parametrize(
    ("before", "leads"),
    [
        ("", [(0, 0.1)]),
        (f"{USE}\n\n", []),
        (
            "Learn more about how we train our models on your content here.\n\n",
            [(0, 0.1), (64, 0.1)],
        ),  # it says nothing itself
        ("We share your data with brokers for money.\n\n", [(44, 0.1)]),
        ("We use it for further development and training of our service.\n\n", [(0, 0.605), (64, 0.1)]),
    ],
)
def test_without_a_finding_on_training_each_clause_that_could_speak_of_it_is_a_lead(
    before: str, leads: list[tuple[int, float]]
) -> None:
    found = extract(before + LICENCE).leads
    assert [(one.start, one.confidence) for one in found if one.surface == "training_use"] == leads


def test_a_training_clause_that_the_model_is_surer_of_keeps_its_confidence() -> None:
    found = extract(
        "We use the content that you submit to train our models.\n\nYou can opt out of model training."
    ).findings[0]
    assert found.confidence > load_reader().explicit


def test_a_promise_with_such_words_requires_no_larger_margin() -> None:
    reader = load_reader()
    scores = [0] * len(reader.bias)
    scores[reader.columns("data_retention")] = [700 * (kind.risk == "LOW") for kind in reader.kinds["data_retention"]]
    _, kind, clear = decide(reader, "data_retention", "we delete your logs", "", scores, None, 0.9)
    assert (kind.polarity, clear) == ("mitigates_risk", True)


def test_findings_of_one_clause_are_in_the_order_of_the_surfaces() -> None:
    reading = extract("We share your personal data with advertising partners and transfer it to other countries.")
    assert [one.surface for one in reading.findings] == ["third_party_sharing", "ads_tracking"]
