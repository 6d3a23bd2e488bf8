"""A platform's answers on training use, from explicit clauses only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from riskanalytics.extraction import Assessment, ClauseFinding, DocumentReading, Reading, Scope, assess
from riskanalytics.extraction.stance import Located

TRAIN = "We use your conversations to train our models."
OPT_OUT = "You can opt out of the training of our models in the settings."
OPT_IN = "We will not use your prompts to train our models unless you expressly agree."
NEVER = "We never use your prompts to train our models."
VAGUE = "To train our models."
PAID = "Only paid plans may opt out of model training."
EXCEPTED = (
    "We do not use your content to train our models except when you use a free subscription "
    "and have not opted out of training."
)
OPEN = "Depending on your plan you may be able to opt out of the use of your content to train our models."
CHOICE = "When signed in, you can choose whether your chats are used to train our models."
MORE = "We train our AI on your files.", "We train our AI on your chats."
NEITHER = "We never train our AI on your files.", "We never train our AI on your chats."
RECORDED_IN = "Only if you opt in do we use your recordings to improve our speech models."
RECORDED_OUT = "You can opt out of the use of your recordings to train our speech models."
HINTS = tuple(f"Your {kind}, subject to your opt-out." for kind in ("content", "chats", "files"))


def clause(words: str, start: int = 0, *, confidence: float = 0.95, level: str = "MED", **scope: Any) -> ClauseFinding:
    return ClauseFinding(
        "training_use", start, start + len(words), words, level, "raises_risk", f"training_use.{start}", confidence,
        (0.0, 1.0), Scope(**scope),
    )  # fmt: skip


def assessed(
    *clauses: ClauseFinding | str, name: str = "Privacy Policy", at: str = "2026-01-01", **others: Any
) -> Assessment:
    return assess(
        [document(name, at, *clauses), *(document(key.replace("_", " "), at, *one) for key, one in others.items())]
    )


def document(name: str, at: str, *clauses: ClauseFinding | str, leads: tuple[str, ...] = ()) -> DocumentReading:
    findings = [clause(one, 1000 * n) if isinstance(one, str) else one for n, one in enumerate(clauses)]
    unsure = tuple(clause(one, 500 + 1000 * n, confidence=0.6) for n, one in enumerate(leads))
    reading = Reading(tuple(findings), "en", len(findings), unsure)
    return DocumentReading(name, f"{name} {at}", f"{at}T00:00:00+00:00", reading)


def test_explicit_clauses_add_up() -> None:
    assert assessed(TRAIN).stance == "trains_by_default"
    assert assessed(TRAIN, OPT_OUT).stance == "trains_with_opt_out"
    assert assessed(OPT_OUT).stance == "trains_with_opt_out"
    assert assessed(OPT_IN).stance == "trains_with_opt_in"
    assert assessed(NEVER).stance == "does_not_train"
    assert assessed(NEVER, OPT_IN).stance == "trains_with_opt_in"


def test_contradicting_clauses_are_undetermined_and_both_are_named() -> None:
    result = assessed(TRAIN, NEVER)
    assert result.stance == "undetermined"
    assert {start for _, start, _ in result.stance_decided_by} == {0, 1000}
    assert assessed(OPT_OUT, NEVER).stance == "undetermined"


def test_vague_clauses_are_undetermined_and_at_most_four_are_named() -> None:
    many = tuple(f"{VAGUE[:-1]} number {n} of the year." for n in "abcdefg")
    staff = tuple(f"We train our staff on your {kind}." for kind in ("data", "files", "chats", "notes", "logs"))
    switches = tuple(CHOICE.replace("chats", kind) for kind in ("data", "files", "chats", "notes", "logs"))
    for result in (assessed(*many), assessed(*staff), assessed(*switches), assessed(Business_Terms=many)):
        assert (result.stance, len(result.stance_decided_by)) == ("undetermined", 4)
    assert assessed(*many).consumer_stance == "undetermined"
    assert len(assessed(PAID, *many).stance_decided_by) == 4


def test_an_undetermined_stance_has_no_level_and_the_rating_is_not_low() -> None:
    level = assessed(TRAIN, NEVER).surfaces[0]
    assert (level.risk, level.count, level.explanation) == (None, 2, "undetermined: to be read")
    assert assessed(TRAIN, NEVER).rating == "UNRATED"


def test_clauses_that_only_sound_like_training_are_undetermined() -> None:
    result = assessed("You may not use the output to train a model.", "We train our staff on your data.")
    assert (result.stance, result.surfaces[0].risk, result.surfaces[0].to_read) == ("undetermined", None, 2)
    sorting = "We use manual review of your content to train our algorithms to detect abuse."
    assert assessed(sorting).stance == "undetermined"


def test_the_most_explicit_clause_decides_in_any_order() -> None:
    result = assessed("Prompts may be used for training.", TRAIN)
    assert result.stance_decided_by[0][1] == 1000


def test_among_equal_clauses_the_newest_document_comes_first() -> None:
    older, newer = (
        document("Terms", "2024-01-01", TRAIN),
        document("Policy", "2026-01-01", "We train our AI on your files."),
    )
    for documents in ([older, newer], [newer, older]):
        assert assess(documents).stance_decided_by[0][0] == "Policy 2026-01-01"


def test_a_single_clause_of_low_confidence_decides_nothing() -> None:
    for words in (TRAIN, NEVER, OPT_IN, OPT_OUT):
        unsure = assessed(clause(words, confidence=0.89))
        assert (unsure.stance, [key[1:] for key in unsure.stance_decided_by]) == ("undetermined", [(0, len(words))])
        assert assessed(clause(words, confidence=0.9)).stance != "undetermined"
    assert assessed(
        clause(TRAIN, confidence=0.8), clause("We train our AI on your files.", 99, confidence=0.8)
    ).stance == ("trains_by_default")


def test_a_hint_at_a_way_out_prevents_training_by_default() -> None:
    assert assessed(TRAIN, "Your content, subject to your opt-out.").stance == "undetermined"


def test_a_clear_lead_can_prevent_an_answer_but_not_give_one() -> None:
    def answer(*clauses: str, leads: tuple[str, ...]) -> str:
        return assess([document("Terms", "2026-01-01", *clauses, leads=leads)]).stance

    assert answer(leads=(TRAIN,)) == answer(leads=(NEVER,)) == answer(leads=(TRAIN, OPT_OUT)) == "undetermined"
    assert answer(leads=(VAGUE,)) == "undetermined"  # not silent
    assert answer(leads=()) == "silent"
    assert (
        answer(TRAIN, leads=(OPT_OUT,))
        == answer(NEVER, leads=(TRAIN,))
        == answer(OPT_OUT, leads=(NEVER,))
        == "undetermined"
    )
    assert answer(TRAIN, leads=("We use your files to train our AI.",)) == "trains_by_default"
    assert answer(TRAIN, OPT_OUT, leads=(VAGUE,)) == "trains_with_opt_out"


def test_a_lead_that_leaves_the_stance_open_is_named_but_not_counted() -> None:
    result = assess([document("Terms", "2026-01-01", leads=(TRAIN,))])
    assert result.stance_decided_by == (("Terms 2026-01-01", 500, 500 + len(TRAIN)),)
    assert (result.rating, result.citation_count, result.surfaces[0].count) == ("UNRATED", 0, 0)
    assert result.surfaces[0].explanation == "undetermined: to be read"


def test_a_clause_for_one_region_does_not_decide() -> None:
    only_there = clause(OPT_OUT, 1000, region="EU")
    assert assessed(TRAIN, only_there).stance == "trains_by_default"
    assert assessed(only_there).stance == "undetermined"
    assert assessed(clause(NEVER, region="EU")).stance == "undetermined"


def test_a_choice_for_signed_in_users_is_their_way_out() -> None:
    choice = "When signed in, you can choose whether your chats are used to train our models."
    others = "If you are not signed in, we may use your chats to train our models."
    assert assessed(TRAIN, choice, others).stance == "trains_with_opt_out"
    assert assessed(choice).stance == "undetermined"  # the default is not known


def test_a_way_out_for_paying_users_leaves_the_free_plan_without_one() -> None:
    result = assessed(TRAIN, "Only paid plans may opt out of model training.")
    assert (result.stance, result.consumer_stance, result.business_stance) == (
        "depends_on_plan", "trains_by_default", "trains_with_opt_out",
    )  # fmt: skip
    assert (result.surfaces[0].risk, result.rating) == ("HIGH", "HIGH")


def test_consent_for_recordings_does_not_cover_other_material() -> None:
    asked = "Only if you opt in do we use your voice recordings to train our speech models."
    assert assessed(asked).stance == "trains_with_opt_in"
    assert assessed(asked, TRAIN).stance == "trains_by_default"
    assert assessed(OPT_IN, TRAIN).stance == assessed(asked, OPT_IN, TRAIN).stance == "trains_with_opt_in"


def test_consent_for_recordings_does_not_contradict_a_way_out_of_other_training() -> None:
    asked = "With your permission, we use your voice data and audio recordings to train our speech models."
    assert assessed(asked).stance == "trains_with_opt_in"
    assert assessed(asked, TRAIN, OPT_OUT).stance == assessed(TRAIN, OPT_OUT).stance == "trains_with_opt_out"
    assert (
        assessed(asked, "You can opt out of the training of our models with your voice data.").stance == "undetermined"
    )
    assert assessed(OPT_IN, TRAIN, OPT_OUT).stance == "undetermined"


def test_special_material_of_a_verdict_is_read_from_its_words() -> None:
    out, asked = (
        clause(words, start)._replace(rule="training_use.read", stance=stance)
        for start, words, stance in (
            (0, "Unless you opt out, we train models with your chats.", "trains_with_opt_out"),
            (100, "With your permission we listen to your voice clips to improve our models.", "trains_with_opt_in"),
        )
    )
    assert assessed(out, asked).stance == "trains_with_opt_out"
    assert (
        assessed(out, asked._replace(quote="With your permission we train with your content.")).stance == "undetermined"
    )


def test_a_promise_to_business_users_does_not_hold_for_others() -> None:
    promise = "We never use the content of enterprise customers to train our models."
    assert (assessed(promise).stance, assessed(promise).business_stance) == ("undetermined", "does_not_train")
    assert assessed(NEVER, name="Business Terms").stance == "does_not_train"
    result = assessed(TRAIN, Business_Terms=(NEVER,))
    assert (result.stance, result.consumer_stance, result.business_stance) == (
        "depends_on_plan", "trains_by_default", "does_not_train",
    )  # fmt: skip


def test_the_reason_names_a_surface_as_high_only_with_a_cited_high_clause() -> None:
    result = assessed(clause(TRAIN), clause("We may change this at any time.", 1000))
    assert (
        result.risk_reason == "HIGH: 2 citations extracted; trains by default (Training use), no other surface is high"
    )
    licence = ClauseFinding(
        "content_license", 0, 9, "perpetual", "HIGH", "raises_risk", "content_license.x", 0.95, (0.9, 1.0)
    )
    result = assessed(licence, TRAIN)
    assert result.risk_reason.endswith("; trains by default (Training use), high on Content licence")
    result = assessed(licence, clause(TRAIN, 99, level="HIGH"))
    assert result.risk_reason.endswith("; trains by default (Training use), high on Training use, Content licence")
    both = assessed(clause(TRAIN, level="HIGH"), clause(MORE[0], 99)).risk_reason
    assert both.endswith("; trains by default (Training use), high on Training use")
    assert next(row for row in result.surfaces if row.surface == "content_license").decided_by == ((
        "Privacy Policy 2026-01-01", 0, 9,
    ),)  # fmt: skip
    assert "undetermined, to be read (Training use)" in assessed(TRAIN, NEVER, licence).risk_reason


def test_a_switch_and_a_stated_purpose_are_a_way_out() -> None:
    switch = "When logged in you can choose whether we may use your content to train our models."
    assert assessed(switch, VAGUE).stance == "trains_with_opt_out"
    assert assessed(switch).stance == "undetermined"


def test_excepted_plans_give_the_answers_by_plan() -> None:
    result = assessed(EXCEPTED)
    assert (result.stance, result.consumer_stance) == ("depends_on_plan", "trains_with_opt_out")
    assert (assessed(OPEN).stance, assessed(OPEN).consumer_stance) == ("depends_on_plan", None)


def test_an_unread_document_prevents_training_by_default() -> None:
    chinese = DocumentReading("Terms", "other", "2026-01-01T00:00:00+00:00", Reading((), "zh"))
    result = assess([document("Privacy Policy", "2026-01-01", TRAIN), chinese])
    assert (result.stance, result.consumer_stance, result.business_stance) == ("undetermined", "undetermined", None)
    assert result.stance_decided_by == (("Privacy Policy 2026-01-01", 0, len(TRAIN)),)
    assert assess([document("Privacy Policy", "2026-01-01", OPT_OUT), chinese]).stance == "trains_with_opt_out"


POLICY, TERMS, API, BUSINESS = "Privacy Policy", "Terms", "API Terms", "Business Terms"
Documents = dict[str, tuple[ClauseFinding | str, ...]]


@pytest.mark.parametrize(
    ("documents", "platform", "consumer", "business"),
    [
        ({API: (TRAIN,)}, "trains_by_default", "trains_by_default", None),
        ({POLICY: (NEVER,), API: (TRAIN,)}, "depends_on_plan", "does_not_train", "trains_by_default"),
        ({API: (TRAIN,), BUSINESS: (NEVER,)}, "depends_on_plan", "trains_by_default", "does_not_train"),
        ({BUSINESS: (NEVER,), POLICY: ()}, "undetermined", None, "does_not_train"),
        ({BUSINESS: (NEVER,), API: ()}, "does_not_train", None, "does_not_train"),
        ({POLICY: (OPT_OUT,), BUSINESS: (TRAIN,)}, "trains_with_opt_out", "trains_with_opt_out", "trains_by_default"),
        ({POLICY: (TRAIN,), BUSINESS: (OPT_OUT,)}, "trains_by_default", "trains_by_default", "trains_with_opt_out"),
        ({POLICY: (OPT_IN,), BUSINESS: (NEVER,)}, "trains_with_opt_in", "trains_with_opt_in", "does_not_train"),
        ({POLICY: (TRAIN, NEVER), BUSINESS: (NEVER,)}, "undetermined", "undetermined", "does_not_train"),
        ({POLICY: (TRAIN,), BUSINESS: (VAGUE,)}, "trains_by_default", "trains_by_default", "undetermined"),
        ({POLICY: (clause(PAID, confidence=0.9),)}, "depends_on_plan", "trains_by_default", "trains_with_opt_out"),
        ({POLICY: (clause(PAID, confidence=0.89),)}, "undetermined", "undetermined", None),
        ({POLICY: (PAID, NEVER)}, "undetermined", "undetermined", None),
        ({POLICY: (PAID, OPT_IN)}, "undetermined", "undetermined", None),
        ({POLICY: (TRAIN, clause(PAID, 1000, region="EU"))}, "trains_by_default", "trains_by_default", None),
        (
            {POLICY: ("We do not use your data to train models, except on the free plan.",)},
            "depends_on_plan", "trains_by_default", "does_not_train",
        ),
        ({POLICY: (EXCEPTED,), BUSINESS: (NEVER,)}, "depends_on_plan", "trains_with_opt_out", "does_not_train"),
        ({POLICY: (EXCEPTED,), BUSINESS: (OPT_IN,)}, "depends_on_plan", "trains_with_opt_out", "trains_with_opt_in"),
        ({POLICY: (EXCEPTED,), BUSINESS: (OPT_OUT,)}, "depends_on_plan", "trains_with_opt_out", "trains_with_opt_out"),
        ({POLICY: (EXCEPTED,), BUSINESS: (TRAIN,)}, "depends_on_plan", "trains_with_opt_out", "trains_by_default"),
        ({POLICY: (EXCEPTED,), BUSINESS: (VAGUE,)}, "depends_on_plan", "trains_with_opt_out", None),
        ({POLICY: (OPEN,), BUSINESS: (NEVER,)}, "depends_on_plan", None, None),
        (
            {POLICY: (TRAIN, clause("We do not use the prompts of paid plans to train our models.", 1000, audience="consumer"))},
            "depends_on_plan", "trains_by_default", "does_not_train",
        ),
        ({API: (clause(TRAIN, audience="business"), NEVER)}, "depends_on_plan", "does_not_train", "trains_by_default"),
        ({POLICY: (clause(NEVER, audience="developer"), TRAIN)}, "depends_on_plan", "trains_by_default", "does_not_train"),
        ({POLICY: (OPT_IN, OPT_OUT)}, "undetermined", "undetermined", None),
        ({POLICY: (NEVER, CHOICE)}, "does_not_train", "does_not_train", None),
        ({POLICY: (NEVER, CHOICE, VAGUE)}, "does_not_train", "does_not_train", None),
        ({POLICY: (OPT_IN, CHOICE)}, "trains_with_opt_in", "trains_with_opt_in", None),
        ({POLICY: (clause(NEVER, product="feedback"),)}, "silent", "silent", None),
        ({POLICY: HINTS[:1]}, "undetermined", "undetermined", None),
        ({POLICY: HINTS[:1], BUSINESS: (NEVER,)}, "undetermined", None, "does_not_train"),
        ({POLICY: (clause(OPT_OUT, region="EU"),), BUSINESS: (NEVER,)}, "undetermined", "undetermined", "does_not_train"),
        ({POLICY: (TRAIN, VAGUE)}, "trains_by_default", "trains_by_default", None),
        ({POLICY: (TRAIN, clause(HINTS[0], 1000, product="temporary"))}, "trains_by_default", "trains_by_default", None),
        ({POLICY: (OPT_OUT, RECORDED_OUT, RECORDED_IN)}, "undetermined", "undetermined", None),
        ({POLICY: (OPT_OUT, RECORDED_IN)}, "trains_with_opt_out", "trains_with_opt_out", None),
    ],
)  # fmt: skip
def test_documents_give_answers_for_everybody_consumers_and_business(
    documents: Documents, platform: str, consumer: str | None, business: str | None
) -> None:
    result = assess([document(name, "2026-01-01", *clauses) for name, clauses in documents.items()])
    assert (result.stance, result.consumer_stance, result.business_stance) == (platform, consumer, business)


@pytest.mark.parametrize(
    ("clauses", "leads", "starts"),
    [
        ((TRAIN, OPT_OUT, OPT_OUT.replace("settings", "menu")), (), [1000, 0]),
        ((NEVER, *NEITHER), (), [0, 1000]),
        ((TRAIN, NEVER), (), [1000, 0]),
        ((OPT_IN, OPT_OUT), (), [0, 1000]),
        ((TRAIN, *MORE, *HINTS), (), [0, 1000, 3000, 4000]),
        ((TRAIN, *MORE), (NEVER, *NEITHER), [0, 1000, 500, 1500]),
        ((TRAIN, PAID), (), [1000, 0]),
        ((CHOICE, VAGUE), (), [0, 1000]),
        ((TRAIN,), (PAID,), [0]),
        ((OPT_OUT, OPT_OUT.replace("settings", "menu")), (), [0, 1000]),
        (HINTS[:1], (), [0]),
        ((TRAIN, *MORE, *HINTS), (NEVER, NEITHER[0]), [0, 1000, 500, 1500]),
        ((TRAIN, MORE[0], NEVER, NEITHER[0], VAGUE), (), [2000, 0]),
        ((OPT_OUT, OPT_OUT.replace("settings", "menu"), TRAIN, MORE[0], NEVER), (), [4000, 0, 2000]),
        ((CHOICE, HINTS[0]), (), [0, 1000]),
    ],
)
def test_the_clauses_that_decide_or_must_be_read_are_named_in_order(
    clauses: tuple[str, ...], leads: tuple[str, ...], starts: list[int]
) -> None:
    result = assess([document(TERMS, "2026-01-01", *clauses, leads=leads)])
    assert [start for _, start, _ in result.stance_decided_by] == starts


def test_two_clauses_for_each_audience_are_named() -> None:
    named = assessed(TRAIN, *MORE, Business_Terms=(NEVER, *NEITHER)).stance_decided_by
    assert [(name.partition(" 2026")[0], start) for name, start, _ in named] == [
        (POLICY, 0), (POLICY, 1000), (BUSINESS, 0), (BUSINESS, 1000),
    ]  # fmt: skip
    named = assessed(TRAIN, *MORE, *HINTS, Business_Terms=(NEVER, *NEITHER)).stance_decided_by
    assert [start for _, start, _ in named] == [0, 1000, 0, 1000]


def test_among_clauses_of_one_day_those_for_everybody_come_first() -> None:
    for hour in ("00", "09"):
        consumers = replace(
            document(TERMS, "2026-01-01", clause(TRAIN, audience="consumer")), captured_at=f"2026-01-01T{hour}"
        )
        everybody = document(POLICY, "2026-01-01", MORE[0])
        assert assess([consumers, everybody]).stance_decided_by[0][0] == "Privacy Policy 2026-01-01"


@pytest.mark.parametrize(
    ("name", "audience"),
    [
        ("Enterprise Agreement", "business"),
        ("Data Processing Addendum", "business"),
        ("Customer agreement", "business"),
        ("Commercial Terms", "business"),
        ("Business Terms", "business"),
        ("Business Notice", None),
        ("Agreement", None),
    ],
)
def test_the_name_of_a_document_may_say_that_it_is_for_business(name: str, audience: str | None) -> None:
    assert Located(name, "a", clause(TRAIN)).audience == audience
    assert Located(name, "a", clause(TRAIN, audience="consumer")).audience == "consumer"


UNDECIDED = {
    "training is undetermined, to be read": "undetermined: to be read",
    "silent on training": "no clause says whether users' content trains models",
}


@pytest.mark.parametrize(
    ("documents", "level", "words"),
    [
        ({POLICY: (TRAIN,)}, "HIGH", "trains by default"),
        ({POLICY: (OPT_OUT,)}, "MED", "trains unless opted out"),
        ({POLICY: (OPT_IN,)}, "LOW", "trains only after opt-in"),
        ({POLICY: (NEVER,)}, "LOW", "says that it does not train"),
        ({POLICY: (OPT_OUT,), BUSINESS: (NEVER,)}, "MED", "training depends on the plan"),
        ({POLICY: (TRAIN,), BUSINESS: (NEVER,)}, "HIGH", "training depends on the plan"),
        ({POLICY: (NEVER,), BUSINESS: (TRAIN,)}, "MED", "training depends on the plan"),
        ({POLICY: (TRAIN, NEVER)}, None, "training is undetermined, to be read"),
        ({POLICY: (clause(NEVER, product="feedback"),)}, None, "silent on training"),
    ],
)
def test_each_stance_has_its_level_and_words(documents: Documents, level: str | None, words: str) -> None:
    other = ClauseFinding("terms_changes", 0, 4, "Soon", "MED", "raises_risk", "terms_changes.x", 0.95, (0.9, 1.0))
    result = assess(
        [
            document(POLICY, "2026-01-02", other),
            *(document(name, "2026-01-01", *said) for name, said in documents.items()),
        ]
    )
    row = result.surfaces[0]
    on = "" if words.startswith("silent") else " (Training use)"
    assert f"extracted; {words}{on}, " in result.risk_reason
    assert (row.risk, row.explanation) == (level, UNDECIDED.get(words, words))
