"""Clauses with the words of a rule that mean something else are not taken by it."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.rules import surface_rules

MISSES = {
    "training_use.unless_opt_out": "Ask us about it: unless you opt out, we train our models on your content.",
    "training_use.opt_in": "By using it you hereby explicitly agree that we train our models on your files.",
    "training_use.no_training_except": "We do not train on your data without notice, except when you use the free plan.",
    "training_use.not_used": "If you do not object, we do not use your prompts to train our models.",
    "training_use.affiliates_train": "We never share your content with affiliates so that they can train their own models.",
    "training_use.deidentified": "We may de-identify your conversations and do not use them to train our models.",
    "training_use.used": "We never use the content that you submit to train our models.",
    "training_use.improves_models": "We may use your inputs to improve our pricing models.",
    "training_use.purpose": "Our legitimate interest lies in not using your data when we train our models.",
    "training_use.not_opted_out": "If you have not opted out, we will not use your content for training and may ask you.",
    "content_license.broad": "You do not grant us a worldwide, perpetual, irrevocable, sublicensable licence to use your content.",
    "content_license.strictly_service": "You grant us a limited licence to process content solely to provide and improve it.",
    "content_license.ends": "This licence ends when you delete the content, but survives for copies of others.",
    "content_license.of_feedback": "You grant us a perpetual licence to use your feedback and your content in any way.",
    "content_license.wide": "You grant us a transferable licence to modify and distribute your content only to run the service.",
    "content_license.only_to_serve": "You grant us a non-transferable, perpetual licence to host content only to provide it.",
    "content_license.within_limits": "You grant us a perpetual licence to publish content solely for the purpose for which it is.",
    "content_license.moral_rights": "You waive all moral rights in your feedback.",
    "output_rights.user_owns": "You own the output that the assistant generates for you only if you have a paid plan.",
    "output_rights.commercial_allowed": "You may not use generated images for commercial use.",
    "output_rights.provider_owns": "We do not own the rights in the voices and avatars generated with the service.",
    "output_rights.yours": "As between the parties, you own the output that is generated for you on a paid plan.",
    "ip_liability.you_indemnify": "You agree to indemnify us, as each party does, against all claims from your content.",
    "ip_liability.mutual": "Each party shall promptly defend and indemnify the other against claims that its material infringes.",
    "data_retention.zero": "We do not store prompts or outputs after the answer has been returned, except for audits.",
    "data_retention.after_deletion": "We may retain your content for 30 days after you close your account.",
    "data_retention.long_fixed": "We never keep conversation logs for seven years.",
    "data_retention.fixed_short": "Conversations are deleted from our systems within 30 days of notice.",
    "data_retention.deleted_on_end": "When you close your account, we will not delete your content.",
    "data_retention.indefinite": "We may retain aggregated content indefinitely.",
    "data_retention.deleted_in_time": "Voice recordings are deleted automatically after 30 days unless a longer time is necessary.",
    "data_retention.short_period": "Search queries are stored for 30 days or longer.",
    "data_retention.at_its_end": "On the expiry of the retention period we will erase your files unless a court asks for them.",
    "third_party_sharing.not_shared": "Your recordings are never shared with third parties other than those who are responsible.",
    "third_party_sharing.marketers": "We never share your information with advertisers and data partners.",
    "third_party_sharing.to_anybody": "We share your data with advertising networks and data brokers with your consent.",
    "third_party_sharing.on_a_sale": "If our company is acquired by another one, we will not transfer your files to it.",
    "ads_tracking.no_sale": "We do not sell personal data or use it for targeted advertising if you opt out.",
    "ads_tracking.sale_or_targeting": "We never share identifiers with advertising partners who show you targeted ads.",
    "ads_tracking.own_analytics": "We do not use cookies and analytics providers to understand how visitors use the service.",
    "ads_tracking.after_way_out": "If you opt out, we will no longer share your data with advertising partners but continue ours.",
    "ads_tracking.targeted": "We do not use what you read to show you advertisements that may be of interest to you.",
    "ads_tracking.others_track": "Advertising networks may place cookies on your device to collect data with your permission.",
    "ads_tracking.given_to_advertisers": "Device identifiers may not be disclosed to advertising partners.",
    "ads_tracking.but_advertises": "We do not show ads of others, but we may advertise our services on other sites with consent.",
    "human_review.product_work": "Human reviewers never read conversations to improve the quality of our models.",
    "human_review.to_teach": "Trained reviewers read some conversations to improve our models with your permission.",
    "cross_border_transfer.stays": "All customer data is stored exclusively within the European Union unless you agree.",
    "cross_border_transfer.third_country": "Your data is not transferred to and processed in the United States.",
    "cross_border_transfer.anywhere": "Your data may be stored in any country in which we operate, with safeguards.",
    "cross_border_transfer.kept_there": "All personal data is stored in the European Union and the United States.",
    "sensitive_data.not_collected": "We do not collect biometric data without your explicit consent.",
    "sensitive_data.biometric_collected": "We never collect and store voiceprints to create your synthetic voice.",
    "terms_changes.advance_notice": "We change these terms at least 30 days before they take effect without notice by email.",
    "terms_changes.right_to_leave": "If you do not accept a change to these terms, you may terminate and we may delete it.",
    "terms_changes.use_is_acceptance": "Your continued use after a change of these terms, which we post, means that you accept it.",
    "terms_changes.any_time": "We may change these terms at any time in our sole discretion and will notify you.",
    "terms_changes.no_notice": "We may change these terms at any time and without notice, and prices with 30 days.",
    "terms_changes.days": "We try to notify you of material changes at least 30 days before they take effect.",
    "terms_changes.told": "If we make larger changes to this policy, we will not tell you.",
}


@pytest.mark.parametrize("rule", MISSES)
def test_one_more_word_in_a_clause_means_something_else(rule: str) -> None:
    words, rules = plain(MISSES[rule]).lower(), surface_rules()[rule.partition(".")[0]]
    (found,) = (one for one in (*rules.rules, *rules.effects) if one.table.id == rule)
    assert found._replace(none=()).holds(words, words)
    assert not found.holds(words, words)
