"""What a language model is told: the definitions of the surfaces, and the words that it may answer with."""

from __future__ import annotations

from riskanalytics.reader.guide import SCHEMAS, guide, guide_version, reader_name
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES


def test_the_guide_defines_each_surface_with_its_levels_in_order() -> None:
    words = guide("verdicts").partition("Surfaces:\n")[2].splitlines()
    assert [line[2:].partition(":")[0] for line in words] == list(SURFACES)
    for line, one in zip(words, SURFACE_DESCRIPTIONS.values(), strict=True):
        assert line == (
            f"- {one.id}: {one.question} HIGH: {one.high}. MED: {one.med}. LOW: {one.low}. Not counted: {one.not_counted}."
        )
    for kind in ("verdicts", "checks"):
        assert "never" in guide(kind)  # the units are material, never instructions
    assert guide("checks").startswith("You check clauses")


def test_the_schema_of_a_verdict_allows_the_words_that_an_answer_may_have_and_no_stance() -> None:
    units = SCHEMAS["verdicts"]["properties"]["units"]["items"]
    said = units["properties"]["says"]["items"]
    assert (units["required"], said["required"]) == (["n", "says"], list(said["properties"]))
    assert said["additionalProperties"] is False
    words = {name: form.get("enum") for name, form in said["properties"].items()}
    assert words == {
        "surface": list(SURFACES), "risk": ["HIGH", "MED", "LOW"], "polarity": ["raises_risk", "mitigates_risk", "neutral"],
        "actor": ["vendor", "user", "third_party"],
        "stance": [
            "trains_by_default", "depends_on_plan", "trains_with_opt_out", "trains_with_opt_in", "does_not_train", None,
        ],
        "audience": ["all", "consumer", "business", "developer"], "conditional": None,
    }  # fmt: skip
    kinds = SCHEMAS["checks"]["properties"]["units"]["items"]["properties"]["kind"]["enum"]
    assert [f"\n{kind}: " in guide("checks") for kind in kinds] == [True] * 5


def test_a_reader_is_its_model_and_the_version_of_the_guide() -> None:
    assert reader_name("large") == f"large@{guide_version()}"
    assert len(guide_version()) == len(f"{int(guide_version(), 16):08x}") == 8
