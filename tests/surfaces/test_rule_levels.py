"""Each rule of a surface has its level, effect, answer and product."""

from __future__ import annotations

import pytest

from riskanalytics.surfaces.declared import Declared, RuleTable, declared

RULES = {
    "training_use": {
        "HIGH raises": "partial_opt_out",
        "MED raises trains_with_opt_out": "unless_opt_out with_opt_out",
        "LOW mitigates trains_with_opt_out": "opt_out.exists",
        "LOW mitigates": "preferences third_party_barred not_used_to_improve plan_scope",
        "LOW mitigates trains_with_opt_in": "opt_in",
        "MED raises depends_on_plan": "no_training_except",
        "MED raises": "third_party_unbound rights_limited not_opted_out",
        "LOW mitigates on connector": "connector_excluded",
        "LOW mitigates does_not_train": "not_used",
        "HIGH raises trains_by_default": "licence_names_training affiliates_train",
        "MED neutral": "pointer",
        "MED raises trains_by_default": "deidentified improves_models",
        "MED neutral on feedback": "feedback",
        "MED raises trains_by_default alone HIGH": "used purpose",
    },
    "web_data_training": {
        "LOW mitigates": "limits_honoured",
        "HIGH raises": "public_personal_data",
        "MED raises": "sources_named",
    },
    "content_license": {
        "MED neutral on feedback": "feedback",
        "MED raises": "name_and_logo operate_and_improve lasts purpose within_limits",
        "HIGH raises": "other_users names_training broad wide moral_rights",
        "LOW mitigates": "strictly_service ends none_taken only_to_serve",
        "MED neutral": "of_feedback",
    },
    "output_rights": {
        "LOW mitigates": "user_owns commercial_allowed yours",
        "MED raises": "plan_bound licensed_to_user third_party_terms",
        "HIGH raises": "non_commercial provider_owns restricted",
        "MED neutral": "not_unique",
        "MED mitigates": "yours_within_limits",
    },
    "ip_liability": {
        "LOW mitigates": "provider_defends",
        "MED raises": "mutual_or_limited",
        "HIGH raises": "user_indemnifies non_infringement_disclaimed no_warranty_of_rights you_indemnify",
        "MED neutral": "mutual",
    },
    "data_retention": {
        "LOW mitigates": "zero fixed_short deleted_on_end deleted_in_time short_period",
        "HIGH raises": "after_deletion long_fixed provider_decides indefinite",
        "MED raises": "exceptions as_long_as_necessary lasting_copies",
        "MED mitigates": "at_its_end",
    },
    "third_party_sharing": {
        "LOW mitigates": "not_sold consent_only not_shared bound_processors at_your_word bound",
        "HIGH raises": "marketers to_anybody",
        "MED raises": "merger authorities vendors on_a_sale",
        "MED mitigates": "said_before",
    },
    "ads_tracking": {
        "LOW mitigates": "no_sale",
        "HIGH raises": "sale_or_targeting conceded_sale targeted others_track given_to_advertisers across_sites",
        "MED mitigates": "opt_out way_out limits_use after_way_out only_with_consent off_by_default",
        "MED raises": "own_analytics limit_of_way_out for_us_only but_advertises",
    },
    "human_review": {
        "LOW mitigates": "no_access restricted_access",
        "HIGH raises": "product_work to_teach",
        "MED raises": "safety_moderation",
    },
    "cross_border_transfer": {
        "MED mitigates": "safeguards safeguarded by_principles",
        "LOW mitigates": "stays kept_there",
        "HIGH raises": "consent_by_use stored_in_country by_use anywhere",
        "MED raises": "third_country not_adequate",
    },
    "sensitive_data": {
        "LOW mitigates": "children_not_collected not_collected",
        "MED mitigates": "momentary",
        "HIGH raises": "biometric_collected",
        "MED raises": "on_consent",
    },
    "terms_changes": {
        "LOW mitigates": "advance_notice right_to_leave days",
        "HIGH raises": "use_is_acceptance any_time no_notice",
        "MED raises": "posting",
        "MED mitigates": "tries told",
    },
}
"""Surface -> level, effect and, if any, stance, product and level without a way out -> the rules that say so, in their order."""


def said(rule: RuleTable) -> str:
    """Return what a clause of the rule says."""
    limits = rule.stance, rule.product and f"on {rule.product}", rule.alone and f"alone {rule.alone}"
    return " ".join(filter(None, (rule.risk, rule.polarity.removesuffix("_risk"), *limits)))


@pytest.mark.parametrize("surface", [one for one in declared() if one.id in RULES], ids=lambda one: one.id)
def test_each_rule_says_what_its_clauses_mean(surface: Declared) -> None:
    found: dict[str, list[str]] = {}
    for rule in (*surface.rule, *surface.effect):
        found.setdefault(said(rule), []).append(rule.id.removeprefix(f"{surface.id}."))
    assert {kind: " ".join(names) for kind, names in found.items()} == RULES[surface.id]


def test_opposite_rules_raise_and_lower_the_risk() -> None:
    rules = {rule.id: rule for surface in declared() for rule in surface.rule}
    same = [
        (rule.id, other)
        for rule in rules.values()
        for other in rule.opposes
        if rule.polarity == rules[other].polarity or rule.id.partition(".")[0] != other.partition(".")[0]
    ]
    assert same == []
