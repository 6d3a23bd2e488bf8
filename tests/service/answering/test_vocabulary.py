"""Words of the vocabulary in all their forms: spellings, synonyms, numbers, and words that are one slip away."""

from __future__ import annotations

import pytest

from riskanalytics.service.answering.question import Term
from riskanalytics.service.answering.retrieval import holds
from riskanalytics.service.answering.vocabulary import digits, fold, matching, respelled, stem, units, vocabulary


@pytest.mark.parametrize("written", ["retenton", "retentiion", "retemtion", "retnetion"])
def test_a_missing_doubled_changed_or_swapped_letter_is_corrected(written: str) -> None:
    assert respelled(f"What is the {written} period?", set()) == "What is the retention period?"


@pytest.mark.parametrize("written", ["eretntion", "tetention", "retentnoi", "retentions", "rettenion"])
def test_wrong_first_letters_two_errors_and_other_word_forms_are_not_corrected(written: str) -> None:
    assert respelled(written, set()) == written


def test_a_word_of_a_name_is_not_corrected() -> None:
    assert respelled("Does Retenton keep chats?", {"retenton"}) == "Does Retenton keep chats?"
    assert respelled("Does Retenton keep chats?", set()) == "Does retention keep chats?"


def test_number_words_are_read_as_digits() -> None:
    words = ("one", "fifteen", "eighteen", "twenty", "ninety", "hundred", "30", "dozen")
    assert [digits(word) for word in words] == ["1", "15", "18", "20", "90", "100", "30", None]


SPELLINGS = {
    "EU": "the EU|the EEA|Europe|European countries|欧盟|欧洲",
    "United States": "the U.S. and others|the U.S.A.|the United States|the USA|in the US|to the US|America|美国",
    "California": "California|Californian users|the CCPA|the CPRA",
    "United Kingdom": "the UK|the United Kingdom|Britain|英国",
    "China": "China|the PRC|中国",
    "images": "image|images|photos|pictures|photographs|图片|照片|图像",
    "audio": "voice|audio|recordings|speech|语音|音频|录音",
    "code": "code|source code|repository|repositories|代码",
    "anonymous": "de-identified|deidentified|anonymised|aggregated|pseudonymous|匿名",
    "revocation": "revocable|revoked|revoke|撤销",
    "sublicence": "sublicense|sub-licence|再许可|转授权",
    "forever": "forever|indefinite|indefinitely|perpetual|perpetually|permanently|永久",
    "free of charge": "for free|pays you|free of any charge|without compensation|royalty-free|no payment|owes you any money",
    "e-mail": "e-mail|email|emails|gmail|邮件|邮箱",
    "paid": "paid|paying|premium|if you pay|付费",
    "unsent": "temporary|incognito|private mode|private chats|ephemeral",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_term_is_known_in_each_of_its_spellings_and_a_quote_holds_it_in_any(name: str) -> None:
    for words in SPELLINGS[name].split("|"):
        folded = fold(words)
        assert [one for one, pattern in vocabulary().same.items() if pattern.search(folded)] == [name], words
        assert holds(Term(name, is_name=True), folded), words
    assert not holds(Term(name, is_name=True), "we keep what you write")


@pytest.mark.parametrize(
    ("kind", "name", "phrases"),
    [
        ("levels", "HIGH", "rated high|the highest"), ("levels", "MED", "med|medium|moderate"),
        ("levels", "LOW", "low|the lowest"), ("levels", "UNRATED", "unrated|not rated|not be rated|without a rating"),
        ("audiences", "business", "enterprise customers|business users|team plan|commercial customers|workspaces"),
        ("audiences", "developer", "API customers|developers|the SDK|开发者"),
        ("audiences", "consumer", "consumers|free users|free plan|individual accounts|personal plan|个人版"),
    ],
)  # fmt: skip
def test_levels_and_audiences_are_known_by_each_of_their_words(kind: str, name: str, phrases: str) -> None:
    for words in phrases.split("|"):
        assert matching(getattr(vocabulary(), kind), fold(words)) == [name], words


def test_clauses_on_children_are_limited_whatever_they_are_called() -> None:
    for words in ("minors", "children", "a child", "residents under 18", "under the age of 13", "14 years", "儿童"):
        assert vocabulary().limited.search(words), words
    assert not vocabulary().limited.search("adults, for 30 years")


def test_how_long_is_asked_in_many_ways_but_not_of_how_long_a_deletion_takes() -> None:
    (how_long,) = (one for one in vocabulary().modifiers if one.id == "how_long")
    asked = ("how long", "how soon", "for what period", "how many days", "expiry date", "notice period", "retention period",
             "time limits", "how much notice", "forever", "多久", "期限")  # fmt: skip
    assert [words for words in asked if not how_long.asks.search(words)] == []
    assert not how_long.asks.search("how long does it take to delete my data")
    for quote in (
        "for 30 days",
        "for two years",
        "ten (10) business days",
        "as long as we like",
        "until you ask",
        "30天",
    ):
        assert how_long.shows.search(quote), quote
    assert not how_long.shows.search("we keep it")


def test_near_synonyms_share_a_meaning_unless_the_word_is_a_name() -> None:
    pairs = ("retention store", "erase delete", "disclose share", "sell rent", "staff personnel", "monitor inspect", "train tune",
             "police court", "cancel terminate", "amend revise", "notify announce", "belong own", "licence grant",
             "advertising marketing", "children teen", "result output", "prompt input", "trademark logo", "vendor supplier",
             "facial biometric", "copyright patent", "consent approval", "scrape web", "perpetual irrevocable", "affiliate partner",
             "object refuse", "copyright 版权", "保存 keep", "未成 minor")  # fmt: skip
    for pair in pairs:
        one, other = pair.split()
        assert holds(Term(one, is_name=False), f"we {other} it"), pair
        assert not holds(Term(one, is_name=True), f"we {other} it") or not one.isascii(), pair
    # a word of two groups has the meaning of the first
    assert vocabulary().alike[stem("permission")] == vocabulary().alike[stem("licence")]


def test_numbers_and_marks_are_compared_in_one_form() -> None:
    assert units("thirty days") == ("30", "day")
    assert units("数据存储 a") == ("数据", "据存", "存储", "a")
    assert fold("ʼ‘’“”–—‑É") == "'''\"\"---e"
    assert holds(Term("冰岛共", is_name=False), "数据存储在冰岛共和国")
