"""How explicitly a sentence says that users' material trains models."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.extraction import ClauseFinding, Roles, Scope
from riskanalytics.extraction.evidence import CLEAR, EXPLICIT, NONE, VAGUE, Evidence, grade, may_speak
from riskanalytics.extraction.reading import FINDING_FROM
from tests.extraction.given import finding

ACCUSES = """\
We use your prompts and outputs to train our models.
We may use your inputs to improve our models.
We use your content to train our models where permitted by law.
Unless otherwise agreed, we may use your content to train our models.
This does not limit our right to use your content to train our models.
Without notice to you we may use your inputs to train our models.
We do not sell your conversations, and we use your conversations to train our models.
You retain ownership of your content and we may train our models on it.
We use de-identified conversations to improve our AI models.
We use your inputs to train our models on the basis of our legitimate interests or with your consent.
When you use our service, we may use your content to train our models.
我们会使用您输入的内容训练我们的模型。""".splitlines()
ACQUITS = """\
We do not use your prompts to train our models.
We, and the companies that serve us, do not use your personal data to train AI models.
Your conversations are not used to train our models.
Nothing in these terms lets us train models on your content.
We will not use your content to train models, or let any third party train theirs.
We do not use your chats to train our models, and you control whether others see them.
Only free users see ads, and we never use your data to train our models.
If you are on a paid plan, we do not use your data to train our models.
我们不会将您的对话内容用于训练模型。""".splitlines()
ASKS = """\
We will not train our models on your files unless you explicitly agree.
We ask for your consent before we use your content to train our models.
With your consent, we use your conversations to train our models.
We do not train our models on your content; only if you opt in do we use it.
未经您的同意，我们不会使用您的内容训练模型。""".splitlines()
OFFERS_A_WAY_OUT = """\
You can turn off the use of your chats for model training in the settings.
Unless you opt out, we train our language models on your conversations.
You can ask us not to use your content for model training.
If you do not want us to train on your content, write to us.
您可以在设置中关闭「用于模型优化」，我们将不再使用您的对话训练模型。""".splitlines()
SAYS_NOTHING = """\
"Training Set" means the data that you upload and that we use to train models.
You may not use the output to train a model.
You must not use our models or your outputs to train other models.
您不得使用输出内容训练与我们竞争的模型。
Machine learning systems help us run the service and process your data.
We use machine learning models to process your messages and to improve the service.
We use pre-trained models to process your prompts.
We use your content to improve our services.
Improve and develop our service and conduct research.
You grant us a licence to use your files to train your custom models.
We use your files to fine-tune your own models for you.
All employees who read your messages are trained every year.
We do not use data from connected mail accounts to train our models.
We do not use your organisation's identity provider data to train models.
We never allow third parties to train their models on your content.
Our vendors do not use your prompts to train their models.
Our vendors may use your prompts to train their models.
Unless we allow it, use the service or any data of users shown in it to create, train or test a machine-learning model.
Our personnel may review your content for some purposes, such as improving model performance.
We use publicly available data to train our models.
We use feedback that you send to train our models.
An indemnity of ours does not hold where you disabled the filters of our models or fine-tuned them with your content.
We use personal data to deliver training, consulting or support.
Our fine-tuning API allows you to fine-tune our models with your data.
You may use the outputs for research and for training other models.
You own the outputs, subject to the rights of others in models and training data.
How your data trains our models
Even if you opt out, we use your flagged chats to train our models.
Your opt-out does not apply to chats that we use to train our models.
Will you use my prompts to train your models?
You may ask: "Do we use your prompts to train our models?"
We have opted out of any use of your prompts to train models.
You can opt out of cookies; settings on marketing are under Privacy.""".splitlines()
FALLS_SHORT = """\
If you are not signed in, we may use your conversations to train our models.
When doing so, you let us use your data for model training.
Our models, which are trained on licensed text, process your prompts.
Developing and improving AI at Acme
To train our models
We use Usage Data to develop AI models.
We will tell you before we use your content to train our models.
We will not use your data to train models without telling you.
With the private mode enabled, your inputs are not used to train our models.
We share your prompts with partners who train their models.
Some models may learn from your inputs to improve their own models and may allow you to opt out of model training.
We improve our algorithms.""".splitlines()


def graded(quote: str, roles: Roles | None = None, product: str | None = None) -> Evidence:
    span = (0, len(quote), quote)
    return grade(
        ClauseFinding(
            "training_use", *span, "MED", "raises_risk", "hand", 0.95, (0.9, 1.0), Scope(product=product),
            roles=roles or Roles(),
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentences", "effect"),
    [(ACCUSES, "used"), (ACQUITS, "never"), (ASKS, "opt_in"), (OFFERS_A_WAY_OUT, "opt_out")],
)
def test_a_plain_sentence_may_decide(sentences: list[str], effect: str) -> None:
    result = {sentence: graded(sentence) for sentence in sentences}
    assert {sentence: one.effect for sentence, one in result.items()} == dict.fromkeys(sentences, effect)
    assert not [sentence for sentence, one in result.items() if one.grade < CLEAR]


@pytest.mark.parametrize("sentence", SAYS_NOTHING)
def test_a_sentence_that_only_sounds_similar_is_not_evidence(sentence: str) -> None:
    assert graded(sentence).grade < VAGUE or graded(sentence).effect == "opt_out"
    assert graded(sentence).grade < CLEAR


@pytest.mark.parametrize("sentence", FALLS_SHORT)
def test_a_sentence_without_the_deciding_word_is_vague(sentence: str) -> None:
    assert graded(sentence).grade == VAGUE


def test_a_sentence_is_more_explicit_the_more_it_names() -> None:
    whole = "We use your prompts to train our models."
    understood = "Prompts may be used for training."
    assert [graded(one).grade for one in (whole, understood, "To train our models.", "Hello.")] == [
        EXPLICIT, CLEAR, VAGUE, NONE,
    ]  # fmt: skip


def test_the_lead_in_counts_through_the_roles() -> None:
    item = "Train and fine-tune models."
    assert graded(item).grade == VAGUE
    result = graded(item, Roles("vendor", "use", "the information you provide"))
    assert (result.effect, result.grade >= CLEAR) == ("used", True)
    assert graded("Prompts may be used for training.", Roles("third_party", "may use", "prompts")).grade == NONE


def test_data_for_customers_own_models_is_not_used_by_the_vendor() -> None:
    item = 'Any training data that you upload to our service to train models (together, "Training Data").'
    assert graded(item, Roles("vendor", "collect", "the following kinds of personal data")).grade < CLEAR


def test_a_way_out_for_paying_users_only_has_its_own_effect() -> None:
    for sentence in (
        "Only paid plans may opt out of model training.",
        "Users of the free plan cannot opt out of training.",
        "You can opt out of training on the Team plan only.",
    ):
        assert graded(sentence).effect == "paid_opt_out"
    assert graded("We do not use your data to train models, except on the free plan.").effect == "free_only"
    assert graded("You can opt out of training, whatever your plan.").effect == "opt_out"
    excepted = "We do not train on your data except if you use a free plan and have not opted out."
    depends = "Depending on your plan, you may opt out of training."
    assert graded(excepted).effect == graded(depends).effect == "by_plan"


def test_a_switch_is_a_choice_without_a_known_default() -> None:
    for sentence in (
        "When signed in, you can choose whether your chats are used to train our models.",
        "When asked whether we may train models on your chats, you decide.",
        "Your choices regarding the training of our models on your content are in the settings.",
        "You have the ability to control the training of our models on your chats.",
    ):
        assert (graded(sentence).effect, graded(sentence).grade) == ("choice", EXPLICIT)


def test_special_material_differs_from_material_in_general() -> None:
    assert graded("Only if you opt in do we use your recordings to improve our speech models.").special
    assert not graded("Only if you opt in do we use your content to improve our speech models.").special


def test_a_clause_limited_to_a_product_is_not_evidence() -> None:
    assert graded("We never use your prompts to train our models.", product="connector").grade == NONE
    both = "We never use your prompts or any data from connected third-party services to train our models."
    assert graded(both, product="connector").grade == EXPLICIT


def test_a_question_does_not_count_as_its_answer() -> None:
    result = graded("Are your stories used to train AI? We do not use your stories to train our AI models.")
    assert (result.effect, result.grade) == ("never", EXPLICIT)


@pytest.mark.parametrize(
    ("clause", "speaks"),
    [
        ("We may use Customer Content to evaluate and improve or train the functions of the product.", True),
        ("You give us a licence to improve the algorithms underlying the service.", True),
        ("We use it for further development and training of our service.", True),
        ("You may use the service to develop, train or host models.", False),
        ("Our staff have undertaken appropriate training in data protection.", False),
        ("We do not control how third-party models train on your inputs.", False),
        ("The data obtained through your identity provider is not used to train models.", False),
        ("We send you a receipt.", False),
        ("We send you a receipt. We may use your content to train models.", True),
        ("We do not use data from connected mail accounts to train our models.", False),
        ("We train our models on data obtained from connected apps.", False),
        ("We train our models on your prompts and on data obtained from connected apps.", True),
        ("Our vendors may not train on it, but we may train our models on your content.", True),
        ("训练模型。", True),
        ("训练数据是指您上传的文件。", False),
    ],
)
def test_only_a_clause_that_could_speak_of_training_breaks_silence(clause: str, speaks: bool) -> None:
    assert may_speak(clause) is speaks


def test_the_lead_in_says_whether_an_item_could_speak_of_training() -> None:
    words = "Train models on it."
    lead_ins = {"": False, "We may:": True, "You may not:": False, "We bar competing uses:": False}
    assert {lead_in: may_speak(words, lead_in) for lead_in in lead_ins} == lead_ins


@pytest.mark.parametrize(
    ("rule", "stance", "more", "evidence"),
    [
        ("read", "trains_by_default", {}, (EXPLICIT, "used")),
        ("read", "does_not_train", {}, (EXPLICIT, "never")),
        ("read", "trains_with_opt_out", {}, (EXPLICIT, "opt_out")),
        ("read", "trains_with_opt_in", {}, (EXPLICIT, "opt_in")),
        ("read", "depends_on_plan", {}, (EXPLICIT, "by_plan")),
        ("read_if", "trains_by_default", {}, (VAGUE, "used")),
        ("read_if", "does_not_train", {}, (VAGUE, "never")),
        ("read_if", "trains_with_opt_out", {}, (EXPLICIT, "opt_out")),
        ("read", None, {}, (NONE, "")),
        ("read", "does_not_train", {"confidence": FINDING_FROM}, (EXPLICIT, "never")),
        ("read", "does_not_train", {"confidence": FINDING_FROM - 0.001}, (NONE, "")),
        ("read", "does_not_train", {"scope": Scope(product="feedback")}, (NONE, "")),
    ],
)
def test_a_verdict_is_graded_by_its_stance_and_not_by_its_words(
    rule: str, stance: str | None, more: dict[str, Any], evidence: tuple[int, str]
) -> None:
    words = "We use your prompts to train our models."
    found = finding(f"training_use.{rule}", words, "MED", stance=stance, scope=Scope("consumer"))
    found = found._replace(**more)
    assert grade(found)[:2] == evidence
    assert grade(found).audience == ("consumer" if evidence[0] else None)


@pytest.mark.parametrize(
    ("quote", "roles", "grade_and_effect"),
    [
        (
            "We use your prompts to train our models.",
            Roles(condition="unless you opt out of training"),
            (EXPLICIT, "opt_out"),
        ),
        (
            "We use your prompts to train our models.",
            Roles(condition="if you choose whether we train"),
            (EXPLICIT, "used"),
        ),
        ("We never use your prompts to train our models.", Roles(condition="unless you opt out"), (EXPLICIT, "never")),
        ("We never use your prompts to train our models.", Roles("user"), (EXPLICIT, "never")),
        ("Prompts may be used for training.", Roles("user"), (NONE, "")),
        ("Train our models.", Roles("vendor", "do not use", "the information you provide"), (EXPLICIT, "never")),
        ("Train our models.", Roles("vendor", None, "the information you provide"), (EXPLICIT, "used")),
        ("Train our models.", Roles(None, "use", "the information you provide"), (VAGUE, "used")),
        ("We use your prompts for training.", Roles(), (CLEAR, "used")),
        ("Your prompts are used to train models.", Roles(), (CLEAR, "used")),
        (f"We use your prompts to train our models, {'x' * 1158}.", Roles(), (EXPLICIT, "used")),
        (f"We use your prompts to train our models, {'x' * 1159}.", Roles(), (NONE, "")),
    ],
)
def test_roles_complete_the_words_of_a_clause(quote: str, roles: Roles, grade_and_effect: tuple[int, str]) -> None:
    assert graded(quote, roles)[:2] == grade_and_effect


@pytest.mark.parametrize(
    ("sentence", "audience"),
    [
        ("We use the prompts of free users to train our models.", "consumer"),
        ("We do not use the prompts of paid plans to train our models.", "business"),
        ("We use your prompts to train our models.", None),
        ("On the free plan, you can opt out of training on your prompts.", "consumer"),
        ("Only paid plans may opt out of model training.", None),
    ],
)
def test_free_and_paid_plans_name_the_audience(sentence: str, audience: str | None) -> None:
    assert graded(sentence).audience == audience
