"""The rules as data: their examples are tests, and the files are checked when they are loaded."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from riskanalytics import extraction
from riskanalytics.errors import ExtractionError, SurfaceError
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.reading import RULES_VERSION
from riskanalytics.extraction.rules import (
    _READ_BY,
    OPPOSED,
    VERSION,
    NamedPatterns,
    SurfaceRules,
    rules_of,
    surface_rules,
)
from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES
from riskanalytics.surfaces.declared import Declared, RuleTable, declared, declared_in

ROOT = Path(extraction.__file__).parent


def decide(surface: SurfaceRules, lead: str, words: str) -> RuleTable | None:
    words = plain(words).lower()
    return surface.look(words, f"{lead} {words}".strip().lower()).rule


def test_rules_match_their_examples() -> None:
    missed = []
    for rules, surface in zip(surface_rules().values(), declared(), strict=True):
        for rule in surface.rule:
            decided = [(words, decide(rules, lead, words)) for lead, words in rule.taken]
            missed += [(rule.id, words) for words, found in decided if found is None or found.id != rule.id]
    assert not missed


def test_rules_do_not_match_their_counterexamples() -> None:
    taken = []
    for rules, surface in zip(surface_rules().values(), declared(), strict=True):
        for rule in surface.rule:
            decided = [(words, decide(rules, "", words)) for words in rule.counter]
            taken += [(rule.id, words) for words, found in decided if found is not None and found.id == rule.id]
    assert not taken


def test_questions_and_duties_with_the_words_of_an_example_are_lookalikes() -> None:
    duties = {"human_review", "ip_liability", "output_rights", "data_retention"}
    missed = []
    for rules, surface in zip(surface_rules().values(), declared(), strict=True):
        for words in (plain(words).lower() for rule in surface.rule for words in rule.examples):
            likes = [f"{words.rstrip('.')}?", *([] if surface.id in duties else [f"you may not {words}"])]
            missed += [like for like in likes if not (look := rules.look(like, like)).excluded or look.rule]
    assert not missed


def test_effects_match_their_examples_only() -> None:
    wrong = []
    for surface in declared():
        rules = surface_rules()[surface.id]
        for effect in surface.effect:
            for words in (*effect.examples, *effect.counter):
                read = plain(words).lower()
                if (rules.effect(read, read) == effect) != (words in effect.examples):
                    wrong.append((effect.id, words))
    assert not wrong


def test_every_surface_has_rules_in_page_order() -> None:
    assert tuple(surface_rules()) == SURFACES
    assert all(surface.rules for surface in surface_rules().values())


def test_ids_belong_to_their_surface_and_opposed_rules_exist() -> None:
    ids = {rule.id for surface in declared() for rule in surface.rule}
    for surface in declared():
        for rule in surface.rule:
            assert rule.id.startswith(surface.id + ".")
            assert set(rule.opposes) <= ids
            assert rule.stance is None or (surface.id == "training_use" and rule.stance in STANCES)


def test_opposed_rules_know_each_other() -> None:
    assert "training_use.used" in OPPOSED["training_use.not_used"]
    assert all(one in OPPOSED[other] for one, others in list(OPPOSED.items()) for other in others)
    assert OPPOSED["terms_changes.any_time"] == {"terms_changes.advance_notice"}


def test_the_version_of_the_extraction_contains_the_version_of_the_rules() -> None:
    assert RULES_VERSION.startswith(VERSION)


def test_the_version_of_the_rules_depends_on_all_parts_of_a_surface_but_those_for_pages_questions_and_the_demo() -> (
    None
):
    assert set(Declared.model_fields) - _READ_BY == {
        "name", "order", "question", "high", "med", "low", "not_counted", "about_some", "collected_is_kept", "topic", "modifier",
        "stance", "controls", "demo",
    }  # fmt: skip
    assert set(Declared.model_fields) >= _READ_BY


WRITTEN = dedent(
    """
    name = "Voice cloning"
    order = 1
    weight = 1
    question = "Are voices copied?"
    high = "always"
    med = "at times"
    low = "never"
    not_counted = "singing"

    [reading]
    keywords = ["voice"]
    trigger = ["voice"]
    exclude = ["never this"]

    [[rule]]
    id = "voice_cloning.x"
    own = ["voice"]
    risk = "MED"
    polarity = "neutral"
    examples = ["We copy your voice."]

    [[topic]]
    id = "cloning"
    asks = ["voice"]
    """
)


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ('"MED"', '"SEVERE"', "voice_cloning.x: risk: Input should be 'HIGH', 'MED' or 'LOW'"),
        ('"neutral"', '"bad"', "voice_cloning.x: polarity: Input should be 'raises_risk'"),
        (
            'own = ["voice"]',
            'own = ["(open"]',
            "voice_cloning.x: the pattern '(open' is not usable: it is not a valid regular expression (",
        ),
        (
            'own = ["voice"]',
            'own = ["{nothing}"]',
            "voice_cloning.x: the pattern '{nothing}' is not usable: words.toml does not define 'nothing', which the pattern names",
        ),
        ('trigger = ["voice"]', 'trigger = ["(open"]', "voice_cloning.toml: the pattern '(open' is not usable"),
        ('trigger = ["voice"]', "trigger = []", "reading: trigger: Tuple should have at least 1 item"),
        ("weight = 1", "weight = 1\nconfidence = 1.1", "confidence: Input should be less than or equal to 1"),
        ("weight = 1", "weight = 1\nconfidence = -0.1", "confidence: Input should be greater than or equal to 0"),
        ("weight = 1", "weight = 1\nlonger_is = 2", "longer_is: Input should be -1, 0 or 1"),
        ('[[topic]]\nid = "cloning"\nasks = ["voice"]', "", "voice_cloning.toml: topic: Field required"),
        ('examples = ["We copy your voice."]', "", "voice_cloning.x: a rule needs at least one example"),
        ("examples =", "exampels =", "voice_cloning.x: exampels: Extra inputs are not permitted"),
        ('"voice_cloning.x"', '"elsewhere.rule"', "begin with the name of its surface"),
        ('"voice_cloning.x"', '"voice_cloning_x.y"', "begin with the name of its surface"),
        ('risk = "MED"', 'risk = "MED"\nstance = "trains_sometimes"', "stance 'trains_sometimes' is not known"),
        ('own = ["voice"]', 'own = "voice"', "voice_cloning.x: own: Input should be a valid tuple"),
        ("weight = 1\n", "", "weight: Field required"),
        ("weight = 1", "weight = 0", "weight: Input should be greater than 0"),
        ('["never this"]', "[]", "reading: exclude: Tuple should have at least 1 item"),
        ('asks = ["voice"]', "", "cloning: asks: Field required"),
        ('id = "cloning"', 'id = "cloning"\nalso = ["singing"]', "cloning: also: the surface 'singing' is not known"),
        ("order = 1", "order =", "is not valid TOML: Invalid value"),
    ],
)
def test_a_malformed_surface_is_refused_in_one_line(old: str, new: str, result: str) -> None:
    assert rules_of(declared_in("voice_cloning", WRITTEN), {}).rules[0].table.risk == "MED"
    with pytest.raises((ExtractionError, SurfaceError)) as refused:
        rules_of(declared_in("voice_cloning", WRITTEN.replace(old, new)), {})
    assert result in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("voice_cloning.toml: ")


def test_every_clause_with_a_trigger_has_a_keyword() -> None:
    for surface, result in zip(surface_rules().values(), declared(), strict=True):
        for rule in result.rule:
            for lead, words in (*rule.taken, *(("", example) for example in rule.counter)):
                text = f"{lead} {plain(words)}".strip().lower()
                if surface.trigger.search(text):
                    assert any(word in text for word in surface.keywords)


FILES = sorted(
    path.name for path in (ROOT / "rules").glob("*.toml") if path.name not in ("words.toml", "measured.toml")
)


COMPOSED = {
    "dates.toml": "(updated|effective|objection|notice)_(day|period)",
    "posture.toml": r"[a-z_]+(\.[a-z_]+)+",
}
"""Patterns whose names the module puts together."""


@pytest.mark.parametrize("file", FILES)
def test_every_pattern_of_a_file_is_used_by_the_module_that_reads_it(file: str) -> None:
    modules = [path.read_text(encoding="utf-8") for path in ROOT.glob("*.py")]
    using = "".join(text for text in modules if f'NamedPatterns("{file}")' in text)
    patterns = NamedPatterns(file).table.patterns
    assert patterns
    named = (name for name in patterns if not re.fullmatch(COMPOSED.get(file, ""), name))
    assert [name for name in named if f'"{name}"' not in using] == []


def test_words_may_name_earlier_words_and_case_counts_by_default() -> None:
    assert NamedPatterns("evidence.toml")["trains"].search("to TRAIN") is None
    assert NamedPatterns("evidence.toml")["trains"].search("is fine-tuned")
    assert NamedPatterns("roles.toml")["vendor"].search("WE MAY NEVER SELL it")


LOOKED = (
    WRITTEN.replace('exclude = ["never this"]', 'exclude = ["never this"]\nignore = ["voice mail"]\ncontext = ["\\\\bwe\\\\b"]')
    .replace('own = ["voice"]', 'own = ["copy", "it|voice"]\ncontext = ["voice"]\nnone = ["ask"]')
    .replace("[[topic]]", """[[rule]]
id = "voice_cloning.y"
own = ["copy|hear"]
none = ["ask"]
risk = "LOW"
polarity = "neutral"
examples = ["We hear your voice."]

[[topic]]""")
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "lead_in", "look"),
    [
        ("we copy your voice", "", (True, False, "x")),
        ("we hear your voice", "", (True, False, "y")),
        ("we copy your face", "", (False, False, None)),
        ("copy it", "with your voice we:", (True, False, "x")),
        ("your voice", "we copy:", (True, False, None)),
        ("we copy your voice", "if you ask:", (True, False, None)),
        ("we copy your voice, never this", "", (True, True, None)),
        ("we copy your voice", "never this:", (True, False, "x")),
        ("we copy your voice mail", "", (False, False, None)),
        ("we copy your voice mail, not your voice", "", (True, False, "x")),
        ("they copy your voice", "", (True, False, None)),
        ("they copy your voice", "we say:", (True, False, "x")),
    ],
)
def test_what_must_match_in_the_clause_and_what_may_stand_in_its_lead_in(
    words: str, lead_in: str, look: tuple[bool, bool, str | None]
) -> None:
    found = rules_of(declared_in("voice_cloning", LOOKED), {}).look(words, f"{lead_in} {words}".strip())
    assert (found.triggered, found.excluded, found.rule and found.rule.id[-1]) == look
