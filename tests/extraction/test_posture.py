"""What a clause states on the facts of the posture feed, and to which routes it applies."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import ClauseFinding, LeadIn, Roles, Scope
from riskanalytics.extraction.posture import (
    SURFACES_READ,
    in_region,
    is_by_plan,
    is_exception,
    routes_of,
    stated_by,
    uses_with_feedback,
)


def clause(
    quote: str,
    surface: str = "training_use",
    *,
    lead_in: str = "",
    audience: str | None = None,
    product: str | None = None,
    region: str | None = None,
    start: int = 0,
) -> ClauseFinding:
    """A clause as a finding, as the extraction gives it."""
    return ClauseFinding(
        surface, start, start + len(quote), quote, "MED", "neutral", f"{surface}.test", 0.95, (0.9, 1.0), roles=Roles(),
        scope=Scope(audience, region, product), lead_in=LeadIn(lead_in, 0, len(lead_in)) if lead_in else None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("quote", "stated"),
    [
        ("We use your prompts to train our models.", {"trains": "yes"}),
        ("We use your prompts to train our models, unless you opt out.", {"trains": "yes", "opt_out": "yes"}),
        ("You can opt out of the use of your prompts to train our models.", {"trains": "yes", "opt_out": "yes"}),
        ("You can choose whether your prompts are used to train our models.", {"trains": "yes", "opt_out": "yes"}),
        ("Your content may help improve our AI.", {}),
        ("Only paid plans may opt out of model training.", {"opt_out": "partly"}),
        ("Depending on your plan, you may opt out of training.", {"opt_out": "partly"}),
        ("We do not use your prompts to train our models.", {"trains": "no"}),
        ("By default, we do not use your prompts to train our models.", {"trains": "not_by_default"}),
        ("We train our models on your prompts only if you opt in.", {"trains": "not_by_default"}),
        # the promise is limited
        ("Acme Editor does not use your prompts to train our models.", {}),
        ("Acme Labs does not use your prompts to train our models.", {"trains": "no"}),
        ("We do not use Acme AI prompts or your inputs to train our models.", {}),
        ("We do not use your prompts to train our foundation models.", {}),
        ("We do not use your account information or inputs to train our models.", {}),
        ("We do not use your personal information to train our models.", {}),
        ("We do not use your prompts or your personal information to train our models.", {"trains": "no"}),
        ("Subject to the order form, we do not use your prompts to train our models.", {}),
        # the way out is limited, or denied
        ("You can opt out of the use of your prompts and feedback to train our models.", {"trains": "yes"}),
        ("You cannot opt out of the training of our models on your prompts.", {"opt_out": "no"}),
        ("We improve the service.", {}),
        # promises on one kind of model
        ("We do not use your prompts to train generative AI models.", {}),
        ("We do not use your prompts to train generative AI models without your consent.", {}),
        ("We do not use your prompts to train algorithms or generative AI models.", {"trains": "no"}),
    ],
)
def test_facts_on_training_are_read_from_explicit_words(quote: str, stated: dict[str, str]) -> None:
    assert stated_by(clause(quote)) == stated


@pytest.mark.parametrize(
    ("quote", "trains", "opt_out"),
    [
        ("Prompts in public apps may be used by us to train our models.", "partly", ""),
        ("In certain markets, we use your prompts to train our models, unless you opt out.", "partly", "partly"),
        ("Depending on your plan, we may use your prompts to train our models.", "partly", ""),
        ("We train our models on prompts of the free version.", "partly", ""),
        ("We train our models on prompts of the free version and of paid plans.", "yes", ""),
        ("We use your information to improve our machine learning models.", "partly", ""),
        ("When you are logged in, you can opt out of the use of your prompts to train our models.", "yes", "partly"),
        ("Users on a paid plan can opt out of the use of their prompts to train our models.", "yes", "partly"),
        ("Users in the European Union can opt out of the use of their prompts to train our models.", "yes", "partly"),
        ("Following an opt-out, your prompts will not be used to train our models.", "yes", ""),
        ("You can select whether or not you want us to use your prompts to train our models.", "", "yes"),
        ("We use your prompts, once anonymised, to train our models.", "partly", ""),
        ("We use your prompts to train our models, solely in the cases above.", "partly", ""),
        ("If you opt out, your prompts will not be used to train our models.", "yes", "partly"),
        ("Even if you opt out, we use reported prompts to train our models.", "", "partly"),
        ("To opt out of training our models on your prompts, write to us or upgrade to a business plan.", "yes", "yes"),
        ("如果您不希望您提供的语音信息用于模型训练，可以关闭此设置。", "yes", "partly"),
    ],
)
def test_a_clause_that_holds_for_some_users_content_or_models_states_a_fact_in_part(
    quote: str, trains: str, opt_out: str
) -> None:
    stated = {fact: value for fact, value in (("trains", trains), ("opt_out", opt_out)) if value}
    assert stated_by(clause(quote)) == stated


@pytest.mark.parametrize("quote", ["Prompts flagged for review", "Feedback on prompts"])
def test_a_clause_that_readers_judged_is_limited_too(quote: str) -> None:
    found = clause(quote, lead_in="We train our models on:")
    assert stated_by(found._replace(rule="training_use.read", stance="trains_by_default")) == {"trains": "partly"}


def test_a_way_out_that_only_the_next_sentence_names_is_not_stated_by_the_clause() -> None:
    found = clause("We use your prompts to train our models.")
    found = found._replace(roles=Roles(condition="You can opt out in your settings."))
    assert stated_by(found) == {"trains": "yes"}


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("We do not allow our vendors to use your prompts to train their models.", "no"),
        ("Our AI providers are prohibited from using your prompts for training.", "no"),
        ("We shall not use (or authorize third parties to use) customer content to train any model.", "no"),
        ("We do not permit third parties to train on your prompts without your consent.", "not_by_default"),
        ("Our affiliates may use your content to train their own models.", "yes"),
        ("You grant us the right to use your content for training models of our affiliates.", "yes"),
        # nothing certain
        ("Where possible, our vendors are prohibited from using your prompts for training.", ""),
        ("Unless the vendor's terms say otherwise, vendors may not use your prompts for training.", ""),
        ("We do not transfer IDP data to third parties for training.", ""),
        ("We never sell or license your content to third parties for training.", ""),
        ("We never sell, license or share your content with third parties for training.", "no"),
        ("We do not allow our vendors to use your prompts to train generative AI models.", ""),
        ("We do not allow our vendors to use prompts of certain features to train their models.", ""),
        ("We, as a \"service provider\", do not use your prompts to train models.", ""),
        ("Do you allow vendors to use my prompts for training? We do not allow vendors to train.", ""),
    ],
)  # fmt: skip
def test_training_by_other_companies_is_stated_on_either_surface(quote: str, value: str) -> None:
    for surface in ("training_use", "third_party_sharing"):
        assert stated_by(clause(quote, surface)).get("subprocessor_training", "") == value, surface


@pytest.mark.parametrize(
    ("quote", "period"),
    [
        ("Prompts and outputs are deleted after 30 days.", "P30D"),
        ("We keep prompts for no longer than 30 days.", "P30D"),
        ("We keep prompts for 30 or 60 days.", ""),
        ("We keep prompts for between 30 and 60 days.", ""),
        ("We retain customer data for a period of thirty (30) rolling days.", "P30D"),
        ("Your conversations are stored for up to 72 hours.", "PT72H"),
        ("We keep your files for 2 weeks.", "P2W"),
        ("Conversations are stored for a maximum of 18 months, unless the law requires longer.", "P18M"),
        ("We keep prompts for 5 years.", "P5Y"),
        ("User content is automatically deleted no later than 30 days after the end of the session.", "P30D"),
        # another period, or no single one
        ("Prompts are kept for 30 days and outputs are kept for 60 days.", ""),
        ("Deleted conversations are removed from our systems within 30 days.", ""),
        ("When you close your account, we delete your content within 30 days.", ""),
        ("Backups of your content are kept for 90 days.", ""),
        ("Search queries are stored for 30 days.", ""),
        ("Our model providers keep your prompts for 30 days.", ""),
        ("Your input is stored for 15 days and then deleted from Acme Pictures' systems.", ""),
        ("We keep prompts for 30 days to monitor abuse.", ""),
        ("For Bloom, conversations are stored for 6 months.", ""),
        ("Account data are kept for 30 days.", ""),
        ("Prompts are kept for 30 days, after which they are deleted or isolated.", ""),
        ("Prompts are anonymised or deleted after 30 days.", ""),
        ("Prompts are deleted after 30 days; copies that the law requires are isolated.", "P30D"),
        ("Prompts of certain models are kept for 30 days.", ""),
        ("Prompts are deleted within 30 days, unless it is necessary to keep them longer for safety.", "P30D"),
        ("Prompts are deleted within 30 days (except where a law requires more).", "P30D"),
        ("Prompts are deleted within 30 days, unless you share them.", ""),
        ("We keep prompts for as long as necessary.", ""),
        ("Are prompts deleted after 30 days?", ""),
    ],
)
def test_a_period_counts_only_if_it_is_that_of_content(quote: str, period: str) -> None:
    assert stated_by(clause(quote, "data_retention")) == ({"retention": period} if period else {})


def test_a_condition_in_the_lead_in_counts() -> None:
    quote = "your conversations are deleted within 30 days."
    assert stated_by(clause(quote, "data_retention", lead_in="Automatic deletion:")) == {"retention": "P30D"}
    assert stated_by(clause(quote, "data_retention", lead_in="If you delete your account:")) == {}

    assert stated_by(clause(quote, "data_retention", lead_in="BACKUPS:")) == {}


def test_a_clause_states_only_facts_of_its_own_surface() -> None:
    for surface in ("human_review", "third_party_sharing"):
        assert stated_by(clause("We use your prompts to train our models.", surface)) == {}
    assert stated_by(clause("Prompts are deleted after 30 days.", "human_review")) == {}


def test_sentences_of_a_clause_that_differ_state_nothing() -> None:
    assert (
        stated_by(clause("Prompts are deleted after 30 days. Files are deleted after 60 days.", "data_retention")) == {}
    )
    said = "Prompts are deleted after 30 days. Files are deleted after 30 days."
    assert stated_by(clause(said, "data_retention")) == {"retention": "P30D"}


def test_a_sentence_of_more_than_700_characters_is_not_read() -> None:
    words = "Prompts are deleted after 30 days."
    for padding, stated in ((699 - len(words), {"retention": "P30D"}), (700 - len(words), {})):
        assert stated_by(clause(f"{'x' * padding} {words}", "data_retention")) == stated


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("We never store prompts or outputs.", "yes"),
        ("Prompts are not stored.", "yes"),
        ("We do not store prompts once the answer has been returned.", "yes"),
        ("We do not log prompts without your explicit opt-in.", "yes"),
        ("Customers can request zero data retention.", "on_request"),
        ("Under an enterprise agreement, zero retention is available.", "on_request"),
        ("We do not store prompts of any open models.", "partly"),
        ("Zero data retention can be requested for specific models.", "partly"),
        ("We keep prompts for 30 days, unless zero data retention is activated.", "partly"),
        ("When using zero retention, you can request no copies.", ""),
        ("Customers with legitimate reasons can request zero data retention.", "partly"),
        ("When using our ZDR-enabled API, nothing is kept.", "on_request"),
        ("We do not store prompts after you delete them.", ""),
        ("We do not store prompts longer than necessary.", ""),
        ("We do not store prompts unless they are flagged.", ""),
        ("You can change your settings so that we do not store prompts.", ""),
        ("Our vendors offer zero data retention on request.", ""),
        ("We use a classifier which does not store inputs.", ""),
    ],
)
def test_zero_retention_has_no_condition_but_consent(quote: str, value: str) -> None:
    assert stated_by(clause(quote, "data_retention")).get("zero_retention", "") == value


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("Human reviewers read conversations.", "yes"),
        ("Our staff may access your content to investigate abuse.", "yes"),
        ("Reported messages are reviewed by our moderators.", "yes"),
        ("We use human review to find content that breaks our rules.", "yes"),
        ("Employees access your conversations with your permission or where required by law.", "yes"),
        ("With your permission, our employees review snippets of your content.", "not_by_default"),
        ("Our staff do not read your content without your permission.", "not_by_default"),
        ("No human reads your conversations.", "no"),
        ("Our staff never access your files.", "no"),
        ("Our staff do not access your files without your consent except in the following cases:", ""),
        ("Our staff do not read your content, except to investigate abuse.", ""),
        ("As a rule, our staff do not read your content.", ""),
        ("Our staff may listen to audio samples of your voice.", "partly"),
        ("Our staff may listen to recordings and read prompts.", "yes"),
        ("With your permission, our employees review snippets of your voice.", ""),
        ("We manually review outputs produced by our automated methods, which our staff access.", ""),
        ("Your administrator may read your messages.", ""),
        ("If you request proofreading, our proofreaders read your content.", ""),
        ("Our systems scan content.", ""),
    ],
)
def test_people_who_may_read_content(quote: str, value: str) -> None:
    assert stated_by(clause(quote, "human_review")) == ({"human_review": value} if value else {})


def test_each_surface_that_is_read_has_an_example_here() -> None:
    assert SURFACES_READ == ["data_retention", "human_review", "training_use", "third_party_sharing"]


@pytest.mark.parametrize(
    ("quote", "document", "audience", "routes"),
    [
        ("We train on prompts.", "Privacy Policy", None, {"consumer"}),
        ("We train on prompts.", "Privacy Policy", "business", {"business"}),
        ("We train on prompts.", "Commercial Terms", None, {"business", "api"}),
        ("We train on prompts.", "Commercial Terms", "consumer", {"consumer"}),
        ("We train on prompts.", "Developer Terms", None, {"api"}),
        ("Data of enterprise customers and the API are not used.", "Privacy Policy", None, {"business", "api"}),
        ("We keep inputs of our APIs.", "Data Processing Agreement", "business", {"api"}),
        ("We train on prompts of individual users.", "Commercial Terms", "business", {"consumer"}),
        ("We train on prompts, except for enterprise customers.", "Privacy Policy", None, {"consumer"}),
        ("We keep inputs of our APIs for enterprise customers.", "Privacy Policy", None, {"business"}),
        ("We use data of third-party APIs.", "Privacy Policy", None, {"consumer"}),
        ("Write to us or upgrade to a business plan to opt out.", "Privacy Policy", "business", {"consumer"}),
        ("This policy does not apply to business customers; we train.", "Privacy Policy", "business", {"consumer"}),
        ("We do not use business data accessed through integrations.", "Privacy Policy", "business", {"consumer"}),
        ("Enterprise admins see chats through the Compliance API.", "Privacy Policy", "business", {"business"}),
    ],
)
def test_a_clause_applies_to_the_routes_that_it_names_or_its_heading_or_document(
    quote: str, document: str, audience: str | None, routes: set[str]
) -> None:
    assert routes_of(clause(quote, audience=audience), document) == routes


def test_a_lead_in_names_routes_too() -> None:
    assert routes_of(clause("We keep inputs.", lead_in="For enterprise customers:"), "Privacy Policy") == {"business"}


def test_terms_that_are_not_for_consumers_apply_to_businesses() -> None:
    text = "The service is not fit or intended for use by consumers.\n\nWe train on prompts."
    assert routes_of(clause("We train on prompts."), "Terms of Service", text) == {"business", "api"}
    assert routes_of(clause("We train on prompts."), "Terms of Service", "We train on prompts.") == {"consumer"}


OUT = "You can opt out of the use of your prompts to train our models."
TRAINS = "We use your prompts to train our models."


@pytest.mark.parametrize(
    ("text", "quote", "stated"),
    [
        (
            "# Policy\n\n## Additional information for people in Europe\n\n### Rights\n\n{}",
            TRAINS,
            {"trains": "partly"},
        ),
        ("# Policy\n\nCalifornia residents\n----------\n\n{}", TRAINS, {"trains": "partly"}),
        ("# Policy\n\n## Rights in the EU\n\n{}", OUT, {"trains": "yes", "opt_out": "partly"}),
        ("# Policy\n\n## Rights in the EU\n\n{}", "We do not use your prompts to train our models.", {"trains": ""}),
        # another part, or the whole document
        ("# Policy\n\n## Rights in the EU\n\nYou have rights.\n\n## Training\n\n{}", TRAINS, {}),
        ("# Policy\n\n## Training\n\n{}\n\n## Rights in the EU\n\nYou have rights.", TRAINS, {}),
        ("# Europe privacy policy\n\n## Training\n\n{}", TRAINS, {}),
    ],
)
def test_a_part_for_one_region_limits_what_its_clauses_state(text: str, quote: str, stated: dict[str, str]) -> None:
    whole = text.format(quote)
    assert in_region(clause(quote, start=whole.index(quote)), whole) == stated


def test_a_clause_on_one_region_is_limited_by_its_own_words() -> None:
    assert in_region(clause(TRAINS, region="EU"), TRAINS) == {"trains": "partly"}


def test_a_promise_on_one_product_is_no_promise_on_training() -> None:
    assert stated_by(clause("We do not use your prompts to train our models.", product="temporary")) == {}


def test_training_despite_an_opt_out_is_recognised() -> None:
    assert is_exception(clause("Even if you opt out, we use reported prompts to train our models."))
    assert not is_exception(clause("If you opt out, we do not use prompts to train our models."))
    assert not is_exception(clause("Even if you opt out of our newsletter, we write to you."))


def test_clauses_on_plans_are_recognised() -> None:
    assert is_by_plan(clause("We train on prompts of the free version."))
    assert is_by_plan(clause("Content of Unpaid Services is used."))
    assert not is_by_plan(clause("You are free to train."))


def test_content_that_comes_with_feedback_is_used_despite_an_opt_out() -> None:
    for quote, uses in (
        ("If you provide feedback, we use the conversation to train our models.", True),
        ("By submitting Feedback, you agree that we train our models on the associated inputs.", True),
        ("We train our models on your prompts. Feedback is welcome.", False),
        ("Your prompts, subject to your opt-out. Your feedback.", False),
        ("Your prompts, subject to your opt-out, and your feedback.", True),
        ("Your feedback | To train our models", True),
        ("在你未反馈时，我们可能会将内容用于模型训练。", True),
    ):
        assert uses_with_feedback(clause(quote)) is uses, quote
    sharing = clause("If you provide feedback, we use it.")._replace(surface="third_party_sharing")
    assert uses_with_feedback(sharing) is False


@pytest.mark.parametrize(
    ("surface", "quote"),
    [
        ("human_review", "Our staff do not routinely read your messages."),
        ("human_review", "Our staff typically do not access your conversations."),
        ("data_retention", "We do not keep your prompts in plain text."),
        ("data_retention", "We do not keep your conversations on your device."),
        ("data_retention", "Prompts are stored for 30 minutes, conversations for up to 90 days."),
    ],
)
def test_a_promise_that_leaves_a_way_open_states_nothing(surface: str, quote: str) -> None:
    assert stated_by(clause(quote)._replace(surface=surface)) == {}
