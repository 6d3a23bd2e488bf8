"""Each of the words that the pattern files list is recognised."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Roles, Scope
from riskanalytics.extraction.align import particulars
from riskanalytics.extraction.capture import check_capture
from riskanalytics.extraction.evidence import CLEAR, grade_of, is_duty
from riskanalytics.extraction.segment import segment
from riskanalytics.extraction.sense import (
    POLARITIES,
    before_quote,
    effects_of,
    is_fragment,
    roles_of,
    says_something,
    scope_of,
    seldom_raises,
    without_idioms,
)
from tests.extraction.given import finding

GOOD = (
    "These terms govern your use of the service. You keep your rights. We process personal data as our policy says. "
    * 2
)
BREAD = "We bake bread all day and night for you. " * 5
AUDIENCES = {
    "business": (
        "enterprise data, business users, business tier, teams plan, commercial customers, an organization's data, "
        "organisations plan, workspace, 企业"
    ),
    "developer": "the api, a developer, our sdk, 开放平台",
    "consumer": (
        "consumers, individual users, individual licences, services for individuals, free tier, free accounts, "
        "personal plan, personal accounts, 个人版"
    ),
}  # fmt: skip
REGIONS = {
    "EU": "the eea, european union, european economic area, eu residents, eu users, gdpr",
    "UK": "the united kingdom, uk users, uk residents",
    "US": "california, ccpa, u.s. residents, u.s. states",
    "CN": "中华人民共和国, 中国境内, mainland china",
}
PRODUCTS = {
    "feedback": "you send us feedback, users submit more feedback, what you write as feedback, 反馈",
    "temporary": "temporary chats, private mode, incognito sessions, ghost-mode",
}
SCOPES = [
    *((words, Scope(audience)) for audience, listed in AUDIENCES.items() for words in listed.split(", ")),
    *((words, Scope(region=region)) for region, listed in REGIONS.items() for words in listed.split(", ")),
    *((words, Scope(product=product)) for product, listed in PRODUCTS.items() for words in listed.split(", ")),
]


@pytest.mark.parametrize(("words", "scope"), SCOPES)
def test_words_that_limit_a_clause(words: str, scope: Scope) -> None:
    assert scope_of(words, "") == scope


@pytest.mark.parametrize(
    "condition",
    [
        "provided that you agree", "until you leave", "at any time", "as required by law", "to the extent permitted",
        "in our sole discretion", "as long as you stay", "for up to 30 days", "after two years", "subject to your prior consent",
        "only after review", "where permitted", "except logs", "for at least six months", "within sixty days",
        "based on your explicit permission", "without your approval", "as permitted by contract", "if a court asks",
    ],
)  # fmt: skip
def test_words_of_a_condition(condition: str) -> None:
    roles = roles_of(f"We share it {condition}.")
    assert (roles.actor, roles.action, roles.condition) == ("vendor", "share", condition)


@pytest.mark.parametrize(
    ("words", "alone", "led"),
    [
        ("If so, we sell it.", False, True),
        ("In that case, we keep it.", False, True),
        ("Which we sell to partners.", False, True),
        ("whose data we share.", False, True),
        ("that any partner may use.", False, True),
        ("...and we share it", False, True),
        ("Please check this page often.", False, False),
        ("You should review this page regularly.", False, False),
        ("It is your responsibility to check these terms.", False, False),
        ("We encourage you to read them.", False, False),
        ("You can find more in our notice.", False, False),
        ("See our cookie notice for a list.", False, False),
        ("Learn more about how we share it.", False, False),
        ("Further details are in our notice.", False, False),
        ("To learn how we share data, read this.", False, False),
        ("The CCPA gives you the right to know.", False, False),
        ("Cookies are small files that your browser keeps.", False, False),
        ("Your consent where the law asks for it.", False, False),
        ("They may assume that you like cars.", False, False),
        ("We share it with those listed in the table below", False, False),
    ],
)
def test_words_of_a_clause_that_says_nothing_alone_or_at_all(words: str, alone: bool, led: bool) -> None:
    assert [says_something(words, "sentence", led=one) for one in (False, True)] == [alone, led]
    assert not led or is_fragment(words, "sentence") or words.startswith(("If so", "In that case"))


PROTECTS = """\
not never don't no nor neither cannot only solely strictly without unless opt-out consent permission deleted erase remove within
days hours anonymous de-identified deidentified pseudonyms limits own retain keep assigned belongs title rights defend indemnity
warranty safeguards contractual clauses adequate framework bound confidential notice advance prior object withdraw revoke choose
choice control disable turn switch settings sets request prevent block reject decline terminate cancel ends exclude age years under
stop cease robots respect protect refrain free commercial 不 未 无 仅 除 删除 同意 归 通知 拒绝 关闭 撤回 注销 匿名 去标识 选择
境内 权"""


@pytest.mark.parametrize("word", PROTECTS.split())
def test_words_that_may_protect(word: str) -> None:
    assert effects_of(f"x {word} y", "") == POLARITIES
    assert effects_of("x y", "") == POLARITIES - {"mitigates_risk"}


@pytest.mark.parametrize("word", ["not", "never", "don't", "no", "不会", "不得", "不将"])
def test_words_that_negate_a_lead_in_and_except_from_it(word: str) -> None:
    assert effects_of("sell it", f"we {word} do:") == POLARITIES - {"raises_risk"}
    for exception in ("except", "unless", "other than", "除"):
        assert effects_of(f"sell it {exception} x", f"we {word} do:") == POLARITIES


@pytest.mark.parametrize(
    "idiom",
    [
        "not only", "whether or not", "no matter", "for the avoidance of doubt", "including without limitation",
        "but not limited to", "is not limited to",
    ],
)  # fmt: skip
def test_idioms_that_negate_nothing(idiom: str) -> None:
    words = without_idioms(f"we sell it {idiom} all", f"we do {idiom} this:")
    assert [" ".join(part.split()) for part in words] == ["we sell it all", "we do this: we sell it all"]


SELDOM = """\
only, solely, exclusively, strictly, sole purpose, shortest, delete, erased, destroy, purge, anonymised, aggregate, de-identified,
deidentified, statistics, try to limit, seek to restrict, strive to minimise, aim to reduce, designed to limit"""


@pytest.mark.parametrize("words", SELDOM.replace("\n", " ").split(", "))
def test_words_that_seldom_raise_the_risk(words: str) -> None:
    assert seldom_raises(f"we {words} it")
    assert not seldom_raises("if you delete it, we sell it")


ERRORS = """\
page is not available|page was not found|page could not be loaded|page can't be found|404|502 bad gateway|500 error|503 service
unexpected error|something went wrong|access is denied|access denied|forbidden|temporarily unavailable|under maintenance
try again later|bad gateway|this content isn't available|页面不存在|访问出错|系统繁忙|无法访问|网页无法"""
WALLS = """\
enable javascript|requires javascript|turn on javascript|javascript is required|javascript disabled|verify you are human
verify that you are a human|are you a robot|are you a human|captcha|checking your browser|unusual traffic
accept cookies to continue|accept all cookies to view|安全验证|人机验证"""
SIGN_IN = """\
login|log in|sign in|signin|sign up|forgot password|forgot your password|create an account|remember me|continue with"""
POLICY = """\
privacy terms agreement agreements policy policies license licence licenses liability liable right rights shall cookie cookies
processor processing service services data prohibited comply subprocessors sub-processor vulnerability datenschutzerklärung
nutzungsbedingungen confidentialité conditions données privacidad términos 隐私 协议 条款 个人信息 用户 服务 政策"""


@pytest.mark.parametrize(("listed", "check"), [(ERRORS, "error_page"), (WALLS, "script_wall")])
def test_words_of_error_pages_and_walls(listed: str, check: str) -> None:
    found = {words: check_capture(f"{GOOD}{words}").check for words in listed.replace("\n", "|").split("|")}
    assert found == dict.fromkeys(found, check)
    assert check_capture(GOOD).check == "passed"


@pytest.mark.parametrize("words", SIGN_IN.split("|"))
def test_words_of_a_form_to_sign_in(words: str) -> None:
    assert check_capture(GOOD + f"{words}. " * 20).check == "login_page"


@pytest.mark.parametrize("word", POLICY.split())
def test_words_of_a_policy(word: str) -> None:
    assert check_capture(f"{word} {word} {BREAD}").state == "good"
    assert check_capture(f"{word} {BREAD}").state == "not_a_policy"


@pytest.mark.parametrize(
    "words",
    [
        "Sorry, this page isn't available", "Oops! The page was not found", "404: page not found",
        "That page could not be found", "page is not available",
    ],
)  # fmt: skip
def test_words_with_which_an_error_page_begins(words: str) -> None:
    assert check_capture(f"{words}\n\n{GOOD * 30}").check == "error_page"


RECIPIENTS = {
    "authorities": (
        "law enforcement, authorities, courts, subpoena, legal process, legal request, legal obligation, government, comply with, "
        "regulators, emergencies, protect, 法律, 司法, 政府"
    ),
    "processors": "vendors, processors, suppliers, contractors, providers, hosting, 服务商, 供应商",
    "affiliates": "affiliates, subsidiaries, parent company, corporate group, 关联",
    "buyers": (
        "merger, acquisition, sale of it, bankruptcy, transfer of all assets, reorganisation, successors, corporate transaction, "
        "business transfer, 合并, 收购"
    ),
    "advertisers": "advertisers, marketing partners, ad networks, retargeting, 广告",
    "analysts": "analytics, measurement",
    "other users": "other users, public, communities, visible",
    "employers": "employers, administrators, organisations, workspace, school",
    "partners": "partners, resellers, distributors, 合作",
    "third parties": "third parties, others, 第三方",
    "sale": "sell, sale, sold, 出售",
    "aggregated": "aggregate, de-identified, anonymous, 匿名",
    "consent": "consent, permission, direct us, your direction, authorised, 同意, 授权",
    "children": "children, minors, under 13, parents, 儿童, 未成年",
    "payment": "payment, financial, banks, credit, 支付",
    "research": "research, academics",
    "brokers": "data brokers, data partners",
    "advisers": "advisers, auditors, insurers",
}


@pytest.mark.parametrize("recipient", RECIPIENTS)
def test_words_for_recipients(recipient: str) -> None:
    for words in RECIPIENTS[recipient].split(", "):
        assert recipient in particulars(finding("third_party_sharing.x", f"x {words} y", "MED"))
    assert recipient not in particulars(finding("third_party_sharing.x", "x y", "MED"))


@pytest.mark.parametrize(
    ("effect", "sentences"),
    [
        (
            "never",
            "We are prohibited from using your content to train our models.\n"
            "We refrain from training our models on your content.\nWe will cease to train our models on your content.\n"
            "We neither use nor share your prompts to train our models.\nNo content of yours is used to train our models.",
        ),
        (
            "opt_out",
            "You have the right to object to the training of our models.\nYou may object to the training of our models.\n"
            "Switch off model training in the settings.\nIf you prefer that we not train on your files, write to us.\n"
            "Tell us to stop training models on your content.\nDisabling the switch ends model training on your chats.\n"
            "Ask us to no longer train models on your content.",
        ),
    ],
)
def test_words_that_deny_training_or_offer_a_way_out(effect: str, sentences: str) -> None:
    for sentence in sentences.splitlines():
        evidence = grade_of(sentence, Roles())
        assert (sentence, evidence.effect, evidence.grade >= CLEAR) == (sentence, effect, True)


@pytest.mark.parametrize(
    "user",
    ["you", "users", "customer", "subscribers", "developers", "advertisers", "affiliates", "members", "creators"],
)
@pytest.mark.parametrize(
    "bound", ["must", "shall", "cannot", "agree to", "may not", "are responsible to", "will never"]
)
def test_words_of_a_duty(user: str, bound: str) -> None:
    words = f"{user} {bound} sell the data"
    assert is_duty(finding("ads_tracking.x", words, "HIGH"), words, "")


BACK = """\
In that case we sell it
In such situations we sell it|If not, we sell it|If there is, we sell it|After this, we sell it|Until that date we sell it
During these periods we sell it|But we sell it|However, we sell it|Instead we sell it|Otherwise we sell it|Therefore we sell it
Thus we sell it|This is sold|That is sold|They may sell it|Both are sold|Doing so ends it|The same is sold|The foregoing is sold
The latter is sold|As a result, we sell it|In turn, we sell it|Similarly, we sell it|Likewise we sell it|Additionally, we sell it
For instance, we sell it|We accordingly sell it|We will subsequently sell it|We sell the above-mentioned files|We sell those files
We sell such files|We sell this data|We end this sharing"""
ALONE = """\
This privacy policy holds|These terms hold|This website is ours|We sell such services|We sell those that you want|We sell this house
We sell it for example|We sell all of it"""


@pytest.mark.parametrize(("listed", "quoted"), [(BACK, True), (ALONE, False)])
def test_words_that_refer_to_the_sentence_before(listed: str, quoted: bool) -> None:
    for words in listed.replace("\n", "|").split("|"):
        (_, clause) = segment(f"We keep your files. {words}.")
        assert (words, before_quote(clause, words) is not None) == (words, quoted)
