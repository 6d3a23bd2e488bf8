"""Sense, form, effects, roles and scope of a clause."""

from __future__ import annotations

import time
from time import process_time

import pytest

from riskanalytics.extraction import Scope
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.reading import extract
from riskanalytics.extraction.records import Roles
from riskanalytics.extraction.segment import segment
from riskanalytics.extraction.sense import (
    COLUMNS,
    POLARITIES,
    before_quote,
    effects_of,
    form_of,
    is_fragment,
    roles_of,
    says_something,
    scope_of,
    shortened,
)

LIST = "We share your personal information with:\n\n*   advertising networks;\n*   courts, where the law asks for it.\n"


def before(text: str, words: str) -> str | None:
    """Return the words that are quoted before the clause with the given words."""
    [clause] = [one for one in segment(text) if words in text[one.start : one.end]]
    span = before_quote(clause, plain(text[clause.start : clause.end]))
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    "words",
    [
        "We share personal data with vendors.",
        "To run the service, we store your files in the European Union.",
        "If you close your account we will delete your files.",
        "You can opt out of training at any time; learn more in the settings.",
        f"We share your names, {'numbers, pictures, voices, ' * 11}and photos with all of our partners in these ways:",
        "TO THE FULLEST EXTENT PERMITTED BY LAW, THE COMPANY DISCLAIMS ALL WARRANTIES OF NON-INFRINGEMENT.",
    ],
)
def test_a_whole_sentence_is_a_statement(words: str) -> None:
    assert says_something(words, "sentence", led=False)


@pytest.mark.parametrize(
    "words",
    [
        "Do you share my data with other companies?",
        "We may share your personal information in the following circumstances:",
        "We share information with the following categories of third parties.",
        f"You will indemnify {'our officers, our partners, ' * 9}against any loss that arises from or is related to:",
        "For more information about how we share your data, please read our privacy notice.",
        "By sale, we mean the exchange of personal data for money.",
        "This Counter is a web analytics service that reports how often pages are read.",
        "We recommend that you visit this page from time to time.",
        "If not, a shorter time is used.",
        "How and why we share your personal data with others",
        "Information we keep until you delete it",
        "An example of tailored advertising is when a company shows you ads for cooking.",
        "Please click here to read what may remain in our archives.",
        "If you feel that we keep your files for too long, it is worth checking your contract first.",
        "Advertisers may assume that people who click on an ad are of a certain age.",
        "We will disclose your data where we believe that it is necessary to",
        "you grant us a licence to host your content; and",
    ],
)
def test_questions_lead_ins_pointers_definitions_and_explanations_are_not_statements(words: str) -> None:
    assert not says_something(words, "sentence", led=False)


def test_an_item_is_a_statement_only_after_its_lead_in() -> None:
    assert is_fragment("advertising networks;", "item")
    assert not says_something("advertising networks;", "item", led=False)
    assert says_something("advertising networks;", "item", led=True)
    assert [is_fragment(f"For {'names, ' * number}places.", "sentence") for number in (14, 15)] == [True, False]


@pytest.mark.parametrize(
    ("row", "says"),
    [("We may share it | courts", True), ("Sent by you | may be seen", False), ("names | courts", False)],
)
def test_a_row_is_a_statement_if_one_of_its_cells_is(row: str, says: bool) -> None:
    assert says_something(row, "row", led=False) is says


def test_an_item_is_quoted_after_its_lead_in() -> None:
    assert before(LIST, "advertising") == before(LIST, "courts") == "We share your personal information with:"


def test_an_item_without_a_colon_above_is_quoted_after_the_sentence_above_its_list() -> None:
    text = "We keep logs. We may also disclose data if\n\n*   a court orders it;\n*   We sell our business to others.\n"
    assert before(text, "a court") == "We may also disclose data if"
    assert before(text, "sell our business") is None


def test_nested_items_are_quoted_after_both_lead_ins_if_these_are_adjacent() -> None:
    text = "You grant us a licence to:\n\n*   use your content for:\n    *   promotion;\n"
    assert before(text, "promotion") == "You grant us a licence to:\n\n*   use your content for:"


def test_a_row_is_quoted_after_the_heads_of_its_columns() -> None:
    text = "| What | With whom |\n| --- | --- |\n| e-mail address | advertisers |\n| name | courts |\n"
    assert before(text, "courts") == "What | With whom"
    whole = "| What | With whom |\n| --- | --- |\n| We share your e-mail address. | advertisers |\n"
    assert before(whole, "We share") == "What | With whom"
    blank = "|  |  |\n| --- | --- |\n| **What** | **With whom** |\n| name | courts |\n"
    assert before(blank, "courts") == "**What** | **With whom**"


def test_a_sentence_that_refers_to_another_is_quoted_after_it() -> None:
    text = "Trainers may offer courses to you. We will not share your data with these third parties.\n"
    assert before(text, "these third") == "Trainers may offer courses to you."
    assert before(text, "Trainers") is None
    text = "We keep your files for a year. After this, they are erased. But our advertisers keep their own.\n"
    assert before(text, "After this") == "We keep your files for a year."
    assert before(text, "But our") == "After this, they are erased."
    text = "You can cancel the newsletter. Your address is consequently deleted within a day.\n"
    assert before(text, "Your address") == "You can cancel the newsletter."


def test_a_finding_quotes_its_lead_in_at_its_offsets() -> None:
    for space in ("", "Welcome.\n\n" * 3):
        text = space + LIST
        result = [one.lead_in for one in (*extract(text).findings, *extract(text).leads) if one.lead_in]
        assert result
        assert all(
            text[one.start : one.end] == one.quote == "We share your personal information with:" for one in result
        )


def test_a_clause_that_is_not_a_statement_is_a_lead_at_most() -> None:
    assert extract("Do we share your personal information with advertising partners?\n").findings == ()


@pytest.mark.parametrize("part", ["if you, ", "(", "the following ", "by the term ", "a, b may ", "you can "])
def test_hostile_words_take_linear_time(part: str) -> None:
    is_fragment.cache_clear() if hasattr(is_fragment, "cache_clear") else None
    started = process_time()
    for kind in ("sentence", "item", "row"):
        says_something(part * 20_000, kind, led=False)
    assert process_time() - started < 2


@pytest.mark.parametrize(
    ("words", "lead_in", "effects"),
    [
        ("we sell it", "", {"raises_risk", "neutral"}),
        ("we delete it", "", POLARITIES),
        ("sell it", "we will never:", {"mitigates_risk", "neutral"}),
        ("sell it, except to partners", "we will never:", POLARITIES),
        ("to sell it", "we will never share it except:", POLARITIES),
    ],
)
def test_a_clause_protects_only_if_it_contains_a_protective_word(words: str, lead_in: str, effects: set[str]) -> None:
    assert effects_of(words, lead_in) == effects


def numbers(words: str, kind: str = "sentence", lead_in: str = "") -> dict[str, int]:
    return dict(zip(COLUMNS, form_of(words, kind, lead_in).numbers, strict=True))


@pytest.mark.parametrize(
    ("words", "end", "column"),
    [
        ("we keep it.", "E.", "stop"),
        ("we use your data to:", "E:", "colon"),
        ("do we sell your data?", "E?", "question"),
        ("to train our models;", "E;", None),
        ("to train our models", "En", None),
        ('we call this "the service."', "E.", "stop"),
        ("**what do we collect?**", "E?", "question"),
    ],
)
def test_the_end_of_a_clause_is_found_before_quotes_and_stars(words: str, end: str, column: str | None) -> None:
    assert end in form_of(words, "sentence").features
    ends = {name: numbers(words)[name] for name in ("colon", "question", "stop")}
    assert ends == {name: int(name == column) for name in ends}


@pytest.mark.parametrize(
    ("words", "head"),
    [
        ("we may share your data.", "vendor"),
        ("in addition, we may share your data.", "vendor"),
        ("when you leave, we delete your data.", "vendor"),
        ("the company may share your data.", "vendor"),
        ("you may not share your account.", "user"),
        ("customers own what they write.", "user"),
        ("our service providers may see it.", "third"),
        ("third-party partners set cookies.", "third"),
        ("“content” means what you send.".replace("“", '"').replace("”", '"'), "defines"),
        ("the word content here means any text that you send.", "defines"),
        ("for more information, see our cookie page.", "points"),
        ("if you would like to know more, write to us.", "points"),
        ("for example, a name.", "example"),
    ],
)
def test_the_head_of_a_clause_is_recognised(words: str, head: str) -> None:
    assert f"A{head}" in form_of(words, "sentence").features
    assert numbers(words)[f"head_{head}"] == 1


def test_a_bare_purpose_has_no_head() -> None:
    assert not any(name.startswith("A") for name in form_of("to train our models", "item").features)


def test_a_lead_in_has_a_head_and_may_be_negated() -> None:
    result = numbers("share the content of others", "item", "you may not:")
    assert (result["continues"], result["item"], result["lead_user"], result["lead_negated"]) == (1, 1, 1, 1)
    assert (result["lead_vendor"], result["head_user"]) == (0, 0)
    result = numbers("to answer you", "item", "we use your data:")
    assert (result["lead_vendor"], result["lead_negated"]) == (1, 0)
    assert "noL" in form_of("to answer you", "item").features
    assert "noL" not in form_of("to answer you", "item", "we use your data:").features


def test_a_title_has_no_verb_and_a_sentence_has() -> None:
    assert (numbers("privacy and security")["verb"], numbers("we keep it")["verb"]) == (0, 1)
    assert numbers("我们保存您的信息")["verb"] == 1


def test_a_row_is_not_an_item() -> None:
    result = numbers("name, address", "row")
    assert (result["row"], result["item"]) == (1, 0)


def test_length_is_counted_in_steps_and_bounded() -> None:
    borders = (3, 4, 6, 7, 10, 11, 20, 21, 40, 41)
    lengths = [next(name for name in form_of("word " * count, "item").features if name[0] == "n") for count in borders]
    assert lengths == ["n0", "n1", "n1", "n2", "n2", "n3", "n3", "n4", "n4", "n5"]
    assert numbers("word " * 5000)["words"] == 300


@pytest.mark.parametrize(
    ("words", "roles"),
    [
        (
            "We may share your data with partners unless you opt out.",
            Roles("vendor", "may share", "your data", "unless you opt out"),
        ),
        ("You may not sell the output to others.", Roles("user", "may not sell", "the output", None)),
        (
            "Our service providers will process your payments.",
            Roles("third_party", "will process", "your payments", None),
        ),
        (
            "Third-party vendors collect device identifiers.",
            Roles("third_party", "collect", "device identifiers", None),
        ),
        (
            "If you opt out, we will not use your chats for training.",
            Roles("vendor", "will not use", "your chats", "If you opt out"),
        ),
        (
            "We delete your conversations within 30 days.",
            Roles("vendor", "delete", "your conversations", "within 30 days"),
        ),
        (
            "Your content may be used to train models with your consent.",
            Roles(None, "may be used", "Your content", "with your consent"),
        ),
        ("Your chats are kept for 30 days.", Roles(None, "are kept", "Your chats", "for 30 days")),
        (
            "We tell partners at any time that your data are shared.",
            Roles("vendor", "tell", "partners", "at any time that your data are shared"),
        ),
        ("We say that your data may be shared.", Roles("vendor", "say", "that your data may be shared", None)),
        (
            "Your data may be shared if we sell the service.",
            Roles(None, "may be shared", "Your data", "if we sell the service"),
        ),
        ("Your content will not be reviewed by people.", Roles(None, "will not be reviewed", "Your content", None)),
    ],
)
def test_roles_are_found(words: str, roles: Roles) -> None:
    assert roles_of(words) == roles


def test_a_party_called_by_its_own_name_has_no_known_role() -> None:
    assert roles_of("Wrenna may share your data.") == Roles(None, "may share", "your data", None)


def test_roles_of_an_item_are_read_with_its_lead_in() -> None:
    roles = roles_of("share the content of others;", "You may not:")
    assert (roles.actor, roles.action, roles.object) == ("user", "may not share", "the content of others")
    assert roles_of("share the content of others;").actor is None


@pytest.mark.parametrize(
    "words", ["", "我们会使用您输入的内容训练我们的模型。", "names, addresses and the like", "… — !"]
)
def test_missing_roles_are_empty(words: str) -> None:
    assert roles_of(words) == Roles()


def test_a_long_object_is_cut_at_a_word_with_a_mark() -> None:
    result = roles_of(f"We collect {'names and addresses ' * 40}").object
    assert result is not None
    assert result.endswith(" […]")
    assert len(result) < 100


@pytest.mark.parametrize(
    "word", ["we may ", "your ", "if you ", "our third party ", "you may not also ", "Aa Bb ", "unless, ", "( ", "is "]
)
def test_a_hostile_clause_is_read_only_at_its_beginning(word: str) -> None:
    started = time.process_time()
    roles_of(word * 600, word * 600)
    assert time.process_time() - started < 0.1


@pytest.mark.parametrize(
    ("words", "heading", "scope"),
    [
        ("we train on it", "", Scope()),
        ("enterprise data are not used", "", Scope("business")),
        ("data sent by the api are kept", "", Scope("developer")),
        ("content of free users is used", "", Scope("consumer")),
        ("we train on the content of non-enterprise users", "", Scope("consumer")),
        ("we train on the content of non-enterprise users", "enterprise customers", Scope("consumer")),
        ("we train on content unless it is of enterprise users", "", Scope("business")),
        ("it is used", "business customers", Scope("business")),
        ("free users may object", "business customers", Scope("consumer")),
        ("users in the united kingdom may object", "", Scope(region="UK")),
        ("under the gdpr you may object", "", Scope(region="EU")),
        ("if you send us feedback we may use it", "", Scope(product="feedback")),
        ("if you send us feedback you have opted out", "", Scope()),
        ("temporary chats are not used", "", Scope(product="temporary")),
        ("residents of california may object", "", Scope(region="US")),
        ("data stay in mainland china", "", Scope(region="CN")),
        ("users in the eea, the united kingdom and california may object", "", Scope(region="EU")),
        ("the api for enterprise and free users", "", Scope("business")),
        ("the api for free users", "", Scope("developer")),
        (
            "we give feedback in temporary chats",
            "in the united kingdom, for developers",
            Scope("developer", None, "feedback"),
        ),
    ],
)
def test_scope_comes_from_the_words_and_the_audience_also_from_the_heading(
    words: str, heading: str, scope: Scope
) -> None:
    assert scope_of(words, heading) == scope


def test_the_product_of_a_rule_comes_first() -> None:
    assert scope_of("temporary chats are not used", "", "connector").product == "connector"


@pytest.mark.parametrize(("length", "quoted"), [(700, True), (701, False)])
def test_a_previous_sentence_that_is_too_long_is_not_quoted(length: int, quoted: bool) -> None:
    previous = f"We offer {'x' * (length - 10)}."
    assert (
        before(f"{previous} We will not share your data with these third parties.", "these third") == previous
    ) is quoted


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (' "your data", ', "your data"),
        (" -, ", None),
        ("x" * 90, "x" * 90),
        (f"{'x' * 80} {'y' * 8} zz", f"{'x' * 80} {'y' * 8} […]"),
        (f"{'x' * 80} {'y' * 10} z", f"{'x' * 80} […]"),
    ],
)
def test_words_beside_a_quote_are_at_most_90_characters_in_whole_words(words: str, result: str | None) -> None:
    assert shortened(words) == result


def test_all_features_and_numbers_of_the_form() -> None:
    form = form_of("we sell it to you.", "item", "you must not:")
    assert form.features == ("E.", "n1", "E.i1", "V1", "V1i.", "Avendor", "LAuser", "Lnot")
    named = {name: number for name, number in zip(COLUMNS, form.numbers, strict=True) if number}
    assert named == {
        "words": 5, "stop": 1, "item": 1, "continues": 1, "verb": 1, "head_vendor": 1, "lead_user": 1, "lead_negated": 1,
    }  # fmt: skip


def test_an_item_that_only_depends_on_its_lead_in_is_quoted_after_it() -> None:
    text = "We may share the following\n\n*   your name with partners;\n*   We sell your data to brokers.\n"
    assert [before(text, words) for words in ("your name", "We sell")] == ["We may share the following", None]
