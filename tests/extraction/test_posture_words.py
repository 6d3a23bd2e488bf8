"""Each of the words that the patterns of the posture feed list is recognised, and another word in its place is not."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import ClauseFinding
from riskanalytics.extraction.posture import in_region, is_by_plan, routes_of, stated_by, uses_with_feedback
from tests.extraction.test_posture import OUT, TRAINS, clause

Rows = list[tuple[str, str, str, str | None]]
"""Template of a clause, words for its gap, the value with each of them, and the value with another word if it matters."""
CONTENT = "content|inputs|outputs|prompts|conversations|chats|files|an input|an output|a prompt|a conversation|a chat"
SOME = (
    "certain users|some accounts|specific plans|select tiers|selected models|eligible features|particular products|"
    "certain of our services|some of the APIs|certain endpoints|some markets|certain countries|some regions|"
    "certain jurisdictions|certain new customers|specific user|select customer|particular account|specific plan|"
    "selected tier|specific model|particular feature|specific product|certain API|select endpoint"
)
OTHERS = (
    "a vendor|a subprocessor|a supplier|an affiliate|a partner|a contractor|a service provider|third parties|"
    "a third party|vendors|subprocessors|sub-processors|suppliers|affiliates|partners|contractors|"
    "collaborators|service providers|model providers|AI providers|LLM providers|API providers|technology providers"
)
KEPT: Rows = [
    ("We keep {} for 30 days.", f"{CONTENT}|completions|queries|messages|dialogues|transcripts|uploads|documents", "P30D", ""),
    ("We keep {} for 30 days.", "customer data|user data|subscriber data|customer materials|generations", "P30D", ""),
    ("We {} prompts for 30 days.", "retain|retained|store|stored|keep|kept|log|logged", "P30D", ""),
    ("Acme {} prompts for 30 days.", "retains|stores|keeps|logs", "P30D", ""),
    ("Prompts are {} after 30 days.", "deleted|erased|purged|removed", "P30D", ""),
    ("{} within 30 days.", "All content is deleted|Prompts are purged|Prompts will be removed|We delete prompts", "P30D", ""),
    ("What we write deletes prompts {} 30 days.",
     "within|after|no later than|in|within a period of|in a maximum of|within up to", "P30D", ""),
    ("We keep prompts {} 30 days.", "for|a maximum of|up to|not more than", "P30D", ""),
    ("We keep prompts for 30 {}.", "days|rolling days|calendar days|consecutive days", "P30D", ""),
    ("Prompts are deleted within 30 days after the end of the {}.", "interaction|session|conversation", "P30D", ""),
    ("Prompts are deleted after 30 days from {} systems.", "our group's|the group's|its group's|all groups'", "P30D", None),
    ("Prompts are deleted after 30 days from {} systems.", "Acme's|their users'", "", None),
    ("{} deletion, we keep prompts for 30 days.", "If we see|When we see|Once we see|After|Following|Upon|On", "", "P30D"),
    ("We keep prompts for 30 days after {}.",
     "deleting it|closing it|a request|deactivation|removal|suspension|you unsubscribe", "", "P30D"),
    ("We keep {} prompts for 30 days.", "terminated|cancelled|inactive|expired|discontinued|no longer used", "", "P30D"),
    ("We keep prompts for 30 days from {}.", "closure|the end of a contract", "", "P30D"),
    ("We keep {} for 30 days.",
     "deleted content|unsaved files|removed chats|flagged chats|reported chats|inactive chats", "", None),
    ("We keep {} for 30 days.", "deleted or unsaved old chats|deleted posts and chats|chats of deleted accounts", "", None),
    ("{} with prompts are kept for 30 days.",
     "Backups|Log files|Access logs|Server logs|Error logs|Activity logs|Technical logs|Archives|Cookies|Search pages|Calls|"
     "Camera pictures|Support tickets|Complaints|Inquiries|Enquiries|Invoices|Billing records|Transactions", "", "P30D"),
    ("{} keep prompts for 30 days.", OTHERS, "", "P30D"),
    ("Prompts are deleted within 30 days, unless {} asks for more.",
     "the law|a law|a legal duty|safety|security|abuse|compliance|a dispute", "P30D", None),
    ("Prompts are deleted within 30 days, {} more.",
     "unless our business needs|except that you may keep|unless you opt in to|unless a user asks for", "", "P30D"),
    ("Prompts are kept for 30 days {}.",
     ", the page states that|, and recovered|, and restored|, with notice|; delete your page|, not 50 seconds", "", "P30D"),
    ("Prompts are kept for {} 30 days.", "at least|a minimum of", "", "P30D"),
    ("We keep prompts for 30 days to {} abuse.", "monitor|detect|prevent|investigate", "", "P30D"),
    ("Prompts are kept for 30 days, then {} or isolated.", "deleted|erased|removed|destroyed", "", "P30D"),
    ("Prompts are kept for 30 days, then deleted or {}.",
     "isolated|anonymised|de-identified|deidentified|pseudonymized|aggregated", "", "P30D"),
    ("Prompts are kept for 30 days, then isolated or {}.", "deleted|erased|removed|destroyed", "", "P30D"),
    ("Prompts are kept for 30 days, then {} or deleted.", "isolated|anonymised|aggregated", "", "P30D"),
    ("Prompts of {} are kept for 30 days.", SOME, "", "P30D"),
    ("A log {} is kept for 30 days.", "dialogue|transcript|upload|completion|generation|of user material", "P30D", ""),
    ("We keep prompts for {}.", "1.5 days|1,5 days|10-30 days|30 days or a second", "", None),
    ("We keep prompts for 1 {}.", "day", "P1D", ""),
    ("{} with prompts is kept for 30 days.", "A back-up|A log file|An access log|A cookie|A call", "", None),
]  # fmt: skip
NOT_KEPT: Rows = [
    ("Zero data retention is {}.",
     "requested|enabled|activated|available|an option|an upgrade|an agreement|what you choose", "on_request", ""),
    ("You can {} zero retention.", "request|enable|activate|opt for|choose", "on_request", ""),
    ("{} zero retention, nothing is kept.", "By using", "on_request", ""),
    ("Zero retention {} not need an agreement.", "does|do", "", "on_request"),
    ("You can request zero retention of {}.", OTHERS, "", "on_request"),
    ("We do not store prompts {} models.",
     "of any open|of all open|of our open|for open|of open|of open-source|of open weights|of open-weight|of hosted|"
     "of serverless", "partly", "yes"),
    ("{} using ZDR, you can request more.", "When|While|If", "", "on_request"),
    ("You can request zero retention {}.", "for legitimate reasons|for a legitimate need|at our discretion", "partly",
     "on_request"),
    ("We {} store prompts.", "do not|never|cannot|don't", "yes", ""),
    ("{} prompts.", "We neither store nor sell|Nor do we log", "yes", ""),
    ("We keep prompts {} zero retention.", "unless you have", "partly", ""),
    ("{} stored.", "Prompts are not|Content is not", "yes", ""),
    ("We do not store prompts {}.",
     "once the answer is there|after an output|when your response is sent|after processing|once generation ends|"
     "after a request", "yes", None),
    ("We do not store prompts {}.",
     "without opt-in|unless you opted in|unless he opts in|without consent|unless with your permission", "yes", None),
    ("We do not store prompts {} here.",
     "in plain text|in clear text|unencrypted|on your disk|on our own disk|on its own disk|on local disks|once|after|when|"
     "except|if|until|longer|may|only|however|some|certain|all the|private|secret|temporary|deleted|permanent|permanently|"
     "than|where|beyond|children|which|allow|setting|settings|so that|you can|identity|id|ids|cookie|cookies|through 3rd|"
     "through third|unless|without", "", "yes"),
    ("We do not store prompts of {}.", OTHERS, "", "yes"),
]  # fmt: skip
PEOPLE: Rows = [
    ("Our {} read messages.",
     "humans|human team|manual testers|staff|personnel|employees|moderators|annotators|reviewers|contractors|proofreaders|"
     "people|team members|safety team|support team|moderation team|trust and safety team", "yes", ""),
    ("We {} read messages.", "humanly|manually", "yes", ""),
    ("Our staff {} messages.",
     "review|reviewed|are reviewing|read|are reading|listen to|listened to|are listening to|view|viewed|access|accessed|"
     "monitor|monitored|are monitoring|moderate|moderated|are moderating|inspect|inspected|annotate|annotated|"
     "are annotating|check|checked|do moderation of", "yes", ""),
    ("A human {} messages.", "reviews|reads|listens to|views|accesses|monitors|moderates|inspects|annotates|checks", "yes", ""),
    ("Our staff read {}.", "audio|voice|recordings|images|photos", "partly", ""),
    ("Our staff read {}.", f"{CONTENT}|snippets|interactions|communications", "yes", ""),
    ("We {} messages with our staff.", "review|monitor|moderate", "yes", ""),
    ("{} among our staff reads messages.",
     "No one|No person|Nobody|No human|No humans|No people|No employee|No staff|Never anyone", "no", "yes"),
    ("No human reads messages {}.",
     "except one|unless asked|without reason|however|other than ours|only|limited|but|may|need|required|necessary|where|if|"
     "when|as a rule|generally|routinely|typically|usually|normally|regularly|ordinarily|systematically|always|unencrypted|"
     "in the normal course", "", "no"),
    ("Our staff read messages {}.",
     "with your consent|without your consent|with the customer's consent|with the user's consent|with their consent|"
     "with prior consent|with explicit consent|with express consent|with your permission|with your prior written approval|"
     "with your authorization|with your authorisation|unless you object|unless specifically requested|"
     "unless the customer objects", "not_by_default", "yes"),
    ("Our staff read messages with your consent {}.",
     "or where needed|or as needed|or if needed|or when needed|or to help|except one|however|following|where possible",
     "yes", "not_by_default"),
    ("Our staff read messages of {}.",
     "your organization|your organisation|the customer organization|an organization|its organization|an administrator|"
     "an admin|an employer|a workspace|a company|a school|our communications|communications with us|a communication with us|"
     "customer service|a phone|a call|calls|public content|public posts|the workforce|outputs produced by the automated|"
     "outputs generated by our automated", "", "yes"),
    ("Our staff read messages if {}.", "your company has asked for it", "yes", None),
    ("Our staff read messages, {} here.",
     "you can|you may|you should|you must|users can|users may|a user can|infringement|copyright|a dispute|disputes|"
     "community members|community moderators|generate multiple|generates multiple|if you request|when you request|"
     "if you use|if you choose|if you contact|if you ask", "", "yes"),
    ("{} messages of your company.", "No human reads|With your permission, our staff read|Our staff read", "", None),
    ("Our staff read messages {} certain users.", "for|in|on|of|with", "partly", "yes"),
    ("Our staff read messages of {}.", SOME, "partly", "yes"),
]  # fmt: skip
HANDED_ON: Rows = [
    ("We do not allow {} to use your prompts to train models.", OTHERS, "no", ""),
    ("We do not allow vendors to use {} to train models.",
     "your information|your data|your stories|your work|your works|your images|your old code|personal data|"
     "personal information|messages", "no", ""),
    ("Our vendors {} your prompts for training.",
     "will not use|never use|make no use of|are prohibited from using|are barred from using", "no", ""),
    ("We {} your prompts for training.", "do not allow vendors to use|never let vendors use|won't give vendors", "no", ""),
    ("We never {} vendors your prompts for training.",
     "allow|permit|authorize|authorise|let|share with|provide|disclose to|give", "no", ""),
    ("{} to give vendors your prompts for training.", "It is prohibited|We are not allowed", "no", ""),
    ("Our affiliates {} use your content for training their models.", "may|can|will|who|that|to", "yes", ""),
    ("Vendors may use your content to train {}.",
     "their models|its models|models developed by them|models offered by them|models of affiliates", "yes", ""),
    ("You allow training on your content {}.", "of our affiliates|by our vendors", "yes", ""),
    ("We do not allow vendors to use your prompts {}.",
     "to train|that trains|trained|for training|to fine-tune|for fine-tuning|to improve their models|to improve its AI|"
     "to improve any models", "no", ""),
    ("We do not allow vendors to train on your prompts {}.",
     "with your opt-in|where nobody opts in|until you opted in|unless you consent|without your permission|unless agreed|"
     "with consent|by default|that were not actively chosen", "not_by_default", "no"),
    ("{} with your consent.",
     "Vendors may use your content to train their models|Vendors never train on your prompts", "not_by_default", None),
    ("We do not allow vendors to train on your prompts {}.",
     "where possible|where available|whenever possible|that may not help|with reasonable efforts|and cannot guarantee it|"
     "and are not responsible|which we do not control|personally|however|except one|following this|unless we say so|"
     "without reason", "", "no"),
    ("We do not allow vendors by default to train on your prompts {}.",
     "where possible|for generative AI", "", "not_by_default"),
    ("Our affiliates may use your content to train their models {}.", "where available|personally", "", "yes"),
    ("We do not allow vendors to train on prompts of {}.", SOME, "", "no"),
]  # fmt: skip
PART: Rows = [
    ("We use your prompts to train our models, depending on {}.",
     "the plan|your plan|the terms|your license agreement", "partly", "yes"),
    ("Prompts in public {} may be used by us to train our models.",
     "apps|repls|posts|projects|chats|spaces|rooms", "partly", "yes"),
    ("We use prompts of {} to train our models.",
     "free plans|unpaid plans|free tiers|free versions|unpaid services|free accounts|free users", "partly", "yes"),
    ("We use prompts of free users and {} users to train our models.", "paid|pro|premium|plus|all plans and", "yes", "partly"),
    ("We use prompts of {} to train our models.", SOME, "partly", "yes"),
    ("Acme {} does not use your prompts to train our models.", "AI|Inc|Ltd|LLC|Labs|Corp|GmbH|Technologies", "no", None),
    ("Acme Editor {} use your prompts to train our models.", "does not|do not|will not|shall not|will never|may not", "", None),
    ("{} do not use your prompts to train models.", "We and our vendors|We or our vendors|We", "no", None),
    ("{} do not use your prompts to train models.", "Our vendors|Vendors", "", None),
    ("We do not use your prompts to train {}.",
     "generative AI|generative artificial intelligence|generative language models|generalized AI models|"
     "generalised AI models", "", None),
    ("We do not use your prompts to train {}.",
     "discriminative or generative AI models|generative or any other AI models|generative or other AI models|any models",
     "no", None),
    ("We do not use Acme AI {} or your prompts to train our models.",
     "inputs|outputs|prompts|content|conversations|data", "", "no"),
    ("We do not use Acme {} or your prompts to train our models.", "Editor inputs|AI inputs", "", "no"),
    ("We do not use your prompts to train {}.",
     "our foundation models|its foundational models|any large language models|our Large Language Models|"
     "our Foundation models", "", None),
    ("We do not use your prompts to train our foundation models{}.", ", nor others| or others| and others", "no", None),
    ("We do not use your {} or your prompts to train our models.",
     "account information|payment data|contact details|billing data|usage data|technical data|device data|registration data",
     "", "no"),
    ("We do not use your prompts to train our models, {}.", "except one|other than ours|subject to law", "", "no"),
    ("We do not use your personal data or {} to train our models.",
     "content|inputs|outputs|prompts|conversations|chats|files|an input|an output|a prompt|a conversation|documents|"
     "your data|customer data|user data|subscriber data|business data", "no", ""),
    ("We do not use {} to train our models.", "YOUR PERSONAL DATA", "", None),
    ("{} TO TRAIN OUR MODELS.", "WE DO NOT USE YOUR PROMPTS OR PERSONAL DATA", "no", None),
    ("We do not use your prompts to train {}.", "Discriminative or Generative AI models", "no", None),
    ("{} do not use your prompts to train models.", "Our Vendors", "", None),
    ("We do not use your {} to train our models.", "personal data|personal information", "", None),
]  # fmt: skip
OUTS: Rows = [
    ("You can opt out of the use of your prompts and {} to train our models.", "feedback|Feedback|FEEDBACK", "", "yes"),
    ("To opt out of training our models on your prompts, {} to a paid plan.", "upgrade|switch|you can try switching", "yes", None),
    ("You can opt out of the use of your prompts to train our models with {}.",
     "a specific user|a specific account|a select plan|a specific model|a certain feature|a specific product|a certain API",
     "partly", "yes"),
    ("{} opt-out, you can opt out of the use of your prompts to train our models no more.",
     "Following an|After your|Upon the", "", "yes"),
    ("{} opt out of training our models on your prompts.",
     "You cannot|You can not|You can't|You are not able to|You are unable to|There is no way to|You have no option to|"
     "There is no right to|There is no possibility to", "no", None),
    ("You can opt out of the use of your prompts to train our models {}.",
     "in certain markets|in some countries|in selected regions|in certain locations|as a European|in the EEA|in the EU|"
     "in the UK|in the United Kingdom|in California|as residents|if located in Rome|when logged in|if you log in|"
     "when signed in|if you sign in|as only an admin|"
     "on a paid plan|with the pro tier|to our premium subscriptions|for business accounts|under enterprise plans|"
     "if you use teams plans|using your paid plan|on paid plans|for pro users|for premium customers|of paid services",
     "partly", "yes"),
    ("You can opt out of the use of your prompts to train our models with {}.",
     "certain users|some customers|specific accounts|select plans|eligible tiers|selected models|certain features|"
     "certain products|certain services|certain apis", "partly", "yes"),
    ("You can opt out of the use of your prompts to train our models by {} to a business plan.",
     "upgrading|switching", "yes", None),
    ("We do not train our models on your prompts if {} opted out.", "you|you have|the customer|customer has", "partly", None),
    ("{} opt out of training; we do not train our models on your prompts if you opted out.",
     "You can|You may|It is an option to|You are able to|You have a right to|See how to|By a switch you", "yes", None),
    ("Even if you {}, we use reported prompts to train our models.",
     "opt out|opted out|have opted out|opt-out", "partly", None),
    ("Even if you opt out, we use prompts for {} of our models.", "training|improvement|fine-tuning", "partly", ""),
]  # fmt: skip
JUDGED = [
    ("trains_by_default", "We use information and {} to develop our AI.",
     f"{CONTENT}|queries|messages|property|materials|works|your data|user data|customer data|the above|search|training",
     "yes", "partly"),
    ("trains_by_default", "{} on prompts", "Feedback|Learned from: feedback", "partly", "yes"),
    ("does_not_train", "Prompts of {} users", "opted-out|opting-out|opt-out", "", "no"),
]  # fmt: skip
FACTS: dict[str, tuple[Rows, tuple[str, ...]]] = {
    "retention": (KEPT, ("data_retention",)),
    "zero_retention": (NOT_KEPT, ("data_retention",)),
    "human_review": (PEOPLE, ("human_review",)),
    "subprocessor_training": (HANDED_ON, ("training_use", "third_party_sharing")),
    "trains": (PART, ("training_use",)),
    "opt_out": (OUTS, ("training_use",)),
}


def value(found: ClauseFinding, fact: str) -> str:
    """The value of a fact that a clause states."""
    return stated_by(found).get(fact, "")


@pytest.mark.parametrize("fact", FACTS)
def test_words_of_facts(fact: str) -> None:
    rows, surfaces = FACTS[fact]
    for template, words, expected, otherwise in rows:
        values = dict.fromkeys(words.split("|"), expected) | ({} if otherwise is None else {"green": otherwise})
        for surface in surfaces:
            assert {word: value(clause(template.format(word), surface), fact) for word in values} == values, template


@pytest.mark.parametrize(("stance", "template", "words", "expected", "otherwise"), JUDGED)
def test_words_that_limit_what_readers_judged(
    stance: str, template: str, words: str, expected: str, otherwise: str
) -> None:
    judged = clause("x")._replace(rule="training_use.read", stance=stance)
    for word in words.split("|"):
        assert (word, value(judged._replace(quote=template.format(word)), "trains")) == (word, expected)
    assert value(judged._replace(quote=template.format("green")), "trains") == otherwise


APIS = (
    "third-party|3rd-party|external-party|other-party|google|workspace|drive|mail|calendar|google drive|compliance|admin|"
    "administrator|audit|management"
)


ROUTES = [
    ("We keep data of {}.", "our APIs|API customers|API users|API inputs|API services|an API platform", "api", "consumer"),
    ("We keep {} API inputs.", APIS, "consumer", "api"),
    ("We keep {} files.", "Google Workspace", "consumer", "consumer"),
    ("We do not use business data {} it.", "accessed with|obtained with|retrieved with|from|in", "consumer", "business"),
    ("We train on prompts{} enterprise customers.",
     ", except for|, unless they are|, other than those of|, excluding|; this does not apply to|; we do not include|"
     "; it does not cover", "consumer", "business"),
    ("We train on prompts {} enterprise customers.", "of|for", "business", "business"),
    ("We train on prompts; you can {} a business plan.", "upgrade to|do it by upgrading to", "consumer", "business"),
]  # fmt: skip


@pytest.mark.parametrize(("template", "words", "route", "otherwise"), ROUTES)
def test_words_for_routes(template: str, words: str, route: str, otherwise: str) -> None:
    for word in words.split("|"):
        assert (word, routes_of(clause(template.format(word)), "Privacy Policy")) == (word, {route})
    assert routes_of(clause(template.format("green")), "Privacy Policy") == {otherwise}


@pytest.mark.parametrize(
    "words",
    ["intended for use by consumers", "meant for private persons", "offered to consumers", "INTENDED FOR CONSUMERS"],
)
def test_words_for_terms_that_are_not_for_consumers(words: str) -> None:
    for text, routes in (
        (f"The service is {'NOT' if words.isupper() else 'not'} {words}.", {"business", "api"}),
        (f"The service is {words}.", {"consumer"}),
    ):
        assert routes_of(clause(TRAINS), "Terms of Service", text) == routes


REGIONS = (
    "Europe|Switzerland|Swiss users|Brazil|US states|a US state|Nevada|European law|EEA|EU|UK|the United Kingdom|California|"
    "Californians|residents|a resident|users located in Rome"
)


@pytest.mark.parametrize("heading", ["## {}", "**{}**", "{}\n-----"])
def test_words_for_a_region_in_a_heading(heading: str) -> None:
    for region in REGIONS.split("|"):
        whole = f"# Policy\n\n{heading.format(region)}\n\n{OUT}"
        assert in_region(clause(OUT, start=whole.index(OUT)), whole) == {"trains": "yes", "opt_out": "partly"}
        assert in_region(clause(OUT, start=whole.index(OUT)), whole.replace(region, "Rights")) == {}


PLANS = (
    "free plan|unpaid tier|paid version|pro service|premium services|free account|free accounts|paid subscription|free user|"
    "pro users|free API|unpaid cloud APIs|files without a paid plan"
)


def test_words_for_plans_and_for_feedback() -> None:
    for words in PLANS.split("|"):
        assert (words, is_by_plan(clause(f"We train on the {words}."))) == (words, True)
    assert not is_by_plan(clause("We train on the whole."))
    for words in ("If you provide", "When you submit", "By providing", "By submitting"):
        assert uses_with_feedback(clause(f"{words} feedback, we use the chat to train our models.")), words
