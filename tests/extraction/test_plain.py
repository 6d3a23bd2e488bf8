"""Plain words, cookie banners, kinds of documents and table cells."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.plain import (
    KINDS,
    banner_span,
    flip,
    is_chinese,
    kind_of,
    language_of,
    plain,
    question,
    sentence_key,
    spelled,
)
from tests.extraction.given import BASE, PROMISE, compared


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("See [our *list*](https://a.example/b) now", "See our list now"),
        ("![a seal](seal.png) We keep it", "a seal We keep it"),
        ("a<br/>b <strong>c</strong>", "a b c"),
        (r"4\.2 **We** keep_it", "4.2 We keep_it"),
        ("“don’t”\u00a0\u200bgo — ﬁne", '"don\'t" go - fine'),
        ("  two \n lines ", "two lines"),
        ("~~a~~ `b` __c__ ***d*** _e_f_", "a b c d e_f"),
        (r"\[a\] \# \~ \<b\> \\", "[a] # ~ <b> \\"),
        ('![](x.png)a [b](c "t") d', "a b d"),
        ("<p>a</p><B>b</B> c<5", "a b c<5"),
        ("ａｂ１", "ab1"),
        *((f"don{mark}t", "don't") for mark in "\u2018\u2019\u201b"),
        *((f"a{mark}b", "a-b") for mark in "\u2013\u2014\u2011"),
        *((f"a{mark}b", "a b") for mark in "\u00a0\u2028\u2029"),
        *(
            (f"a{mark}b", "ab")
            for mark in "\u2060\u200b\u200c\u200d\u00ad\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
        ),
        *((f"a{mark}b", "ab") for mark in "\u2066\u2067\u2068\u2069"),
    ],
)
def test_plain_words_have_no_markup(markdown: str, words: str) -> None:
    assert plain(markdown) == words


def test_case_punctuation_dates_and_addresses_do_not_change_the_key() -> None:
    first = sentence_key("Updated 3 May 2024: write to us (help@a.example).")
    assert first == sentence_key("UPDATED June 1, 2025 - write to us [mail@b.example]")
    assert first != sentence_key("Updated: never write to us")
    for address in ("https://a.example/b?c=d#e", "HTTP://a.example", "me+you@a-b.example", "[email\u00a0protected]"):
        assert sentence_key(f"Write to {plain(address)} today.") == "write to today"


MONTHS = "January February March April May June July August September October November December"


@pytest.mark.parametrize(
    "date",
    [*(f"{month} 3rd, 2025" for month in MONTHS.split()), "2nd May 2024", "31.12.2025", "2025-12-31", "2025年12月31日"],
)
def test_a_date_in_any_form_does_not_change_the_key(date: str) -> None:
    assert sentence_key(f"Updated {date}") == "updated"


def test_a_number_changes_the_key_unless_it_is_a_date() -> None:
    assert sentence_key("We keep it for 30 days.") != sentence_key("We keep it for 90 days.")


def test_dates_and_punctuation_alone_have_an_empty_key() -> None:
    assert sentence_key("— 2024/05/03 —") == ""


def test_a_fifth_of_han_characters_makes_a_text_chinese() -> None:
    assert is_chinese("我们 use it")
    assert not is_chinese("we use 我们 in this longer sentence")
    assert [is_chinese(words) for words in ("我abcd", "我abcde")] == [True, False]


def test_another_language_is_identified_by_its_code() -> None:
    french = "Nous conservons vos données personnelles aussi longtemps que nécessaire pour fournir nos services. " * 3
    assert language_of(french) == "fr"
    assert language_of("kurz") == "und"
    assert [language_of(f"  {'the and of to you ' * 2}{end}  ") for end in ("dat", "data")] == ["und", "en"]


BANNER = "We value your privacy. We share data with 812 partners.\n\nReject all   Accept all\n\nAdvertising\n\nSave my choices"


def test_a_banner_reaches_from_its_first_words_to_its_last_button() -> None:
    for banner in (BANNER, f"{BANNER}\n\nPartners\n\nConfirm choices"):
        text = f"# Privacy Policy\n\n{banner}\n\nWe keep your data."
        span = banner_span(text)
        assert span is not None
        assert text[slice(*span)] == banner


@pytest.mark.parametrize(
    "left", ["Reject all   Accept all", "Save my choices"], ids=["without its buttons", "without an end"]
)
def test_an_incomplete_banner_is_not_found(left: str) -> None:
    assert banner_span(BANNER.replace(left, "")) is None


BUTTONS = (
    "reject all accept all", "decline all / allow all", "deny all or accept all", "accept all reject all", "allow all, deny all",
    "allow all decline all",
)  # fmt: skip
OPENINGS = (
    "We value your privacy", "We and our 12 partners", "We and our 1,200 trusted partners", "This site uses cookies",
    "This website uses cookies", "We use cookies",
)  # fmt: skip
CLOSINGS = (
    "Save preferences", "Save my choices", "save settings", "confirm choices", "Confirm my selection", "save my settings",
)  # fmt: skip


@pytest.mark.parametrize(
    ("buttons", "opening", "closing"),
    [
        *((one, OPENINGS[0], CLOSINGS[0]) for one in BUTTONS),
        *((BUTTONS[0], one, CLOSINGS[0]) for one in OPENINGS),
        *((BUTTONS[0], OPENINGS[0], one) for one in CLOSINGS),
    ],
)
def test_the_words_of_a_banner(buttons: str, opening: str, closing: str) -> None:
    text = f"Policy.\n\n{opening}. {buttons}\n\nAdvertising\n\n{closing}\n\nWe keep it."
    assert banner_span(text) == (9, text.index(closing) + len(closing))


def test_a_banner_without_opening_words_begins_at_its_buttons() -> None:
    text = "Our policy.\n\nAllow all / Decline all\n\nConfirm my selection"
    span = banner_span(text)
    assert span is not None
    assert text[slice(*span)].startswith("Allow all")


@pytest.mark.parametrize(
    ("opening", "kind"),
    [
        (["acceptable use policy", "this policy is part of our terms of service."], "conduct"),
        (["community guidelines"], "conduct"),
        (["privacy policy", "this policy tells how we handle personal data."], "privacy"),
        (["terms of service", "these terms are an agreement."], "terms"),
        (["cookie notice", "we set cookies. a cookie is a small file."], "cookies"),
        (["developer terms", "these terms hold for the interface."], "developer"),
        (["data processing addendum", "personal data is handled for you."], "processing"),
        (["copyright policy", "how to tell us of a copy."], "copyright"),
        (["隐私政策", "我们保护您的个人信息。"], "privacy"),
        (["用户协议", "本协议的条款适用于您。"], "terms"),
        (["privacy and terms"], "privacy"),
        (["cookies and terms"], "terms"),
        (["api terms"], "developer"),
        (["dmca notice"], "copyright"),
        (["rules of conduct"], "conduct"),
        (["code of conduct"], "conduct"),
        (["prohibited uses"], "conduct"),
        (["content policy"], "conduct"),
        (["conditions"], "terms"),
        (["cookies, cookies, terms"], "cookies"),
        ([], "privacy"),
    ],
)
def test_the_first_words_decide_the_kind(opening: list[str], kind: str) -> None:
    assert kind in KINDS
    assert kind_of(opening) == kind


def test_words_far_below_do_not_decide_the_kind() -> None:
    opening = ["privacy policy", *["we handle personal data with care."] * 20]
    assert kind_of([*opening, *["community guidelines. terms agreement conditions."] * 50]) == "privacy"
    assert kind_of(["privacy policy", "we handle personal data. " * 9, "acceptable use is told elsewhere"]) == "privacy"


def test_only_the_first_clauses_are_taken() -> None:
    taken = []
    kind_of(taken.append(number) or "privacy" for number in range(1000))  # type: ignore[func-returns-value]
    assert len(taken) <= 13


TABLE = "\n\n| Kind of data | Collected | {asked} |\n| --- | --- | --- |\n| Voice recordings | {first} | {second} |\n"


def table(first: str, second: str, asked: str = "Shared with others") -> tuple[str, str]:
    """Return a policy with a table of one row, and the row."""
    return BASE + TABLE.format(asked=asked, first=first, second=second), f"Voice recordings | {first} | {second}"


@pytest.mark.parametrize(
    ("no", "yes"), [("NO", "YES"), ("No", "Yes, with consent"), ("✗", "✓"), ("❌", "✅"), ("off", "on"), ("否", "是")]
)
def test_a_cell_that_flips_to_yes_raises_the_risk_for_any_finding(no: str, yes: str) -> None:
    (before, old), (after, new) = table(no, no), table(yes, no)
    there = compared(before, after, {old: PROMISE}, {new: PROMISE})
    assert (there.change_class, there.direction, [move.step for move in there.moves]) == ("material", "up", [3])
    gone = compared(before, after, {old: {}}, {})
    assert [(move.kind, move.step) for move in gone.moves] == [("removed", 3)]
    back = compared(after, before, {new: PROMISE}, {old: PROMISE})
    assert (back.change_class, back.direction) == ("material", "down")


def test_a_cell_that_flips_to_yes_under_a_protective_header_lowers_the_risk() -> None:
    (before, old), (after, new) = (table("Yes", answer, "Can you opt out?") for answer in ("No", "Yes"))
    assert compared(before, after, {old: PROMISE}, {new: PROMISE}).direction == "down"


def test_opposite_flips_cancel() -> None:
    (before, old), (after, new) = table("Yes", "No"), table("No", "Yes")
    assert compared(before, after, {old: {}}, {new: {}}).direction == "none"


def test_ticks_and_crosses_become_words_in_rows_only() -> None:
    assert spelled("Logs | ✓ | ✗").split() == ["Logs", "|", "yes", "|", "no"]
    assert spelled("Done ✓") == "Done ✓"


def test_rows_that_differ_only_in_answers_have_the_same_question() -> None:
    assert question("| Logs | Yes |") == question("logs | no, never") == ("logs", "?")
    assert question("Logs | kept for a month") == ()


def test_rows_with_different_numbers_of_cells_are_not_compared() -> None:
    assert flip("Logs | No", "Logs | Yes | No") == 0
    assert (flip("Logs | No", "Logs | Yes"), flip("Logs | Yes", "Logs | No")) == (1, -1)


def test_yes_to_a_protection_lowers_the_risk() -> None:
    assert flip("Logs | No", "Logs | Yes", "Data | Can you opt out?") == -1
    assert flip("Deleted on request | No", "Deleted on request | Yes") == -1


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        *zip("✗✘☒❌✕✖", "✓✔☑✅✓✓", strict=True), ("false", "true"), ("disabled", "enabled"), ("not allowed", "allowed"),
        ("not permitted", "permitted"), ("not included", "included"), ("does not", "does"), ("否", "有"), ("无", "是"),
        ("没有", "**Yes**"), ("No.", "(on)"), ("no, never", "yes, at times"),
    ],
)  # fmt: skip
def test_answers_in_any_words_are_recognised(no: str, yes: str) -> None:
    assert (flip(f"Logs | {no}", f"Logs | {yes}"), flip(f"Logs | {yes}", f"Logs | {no}")) == (1, -1)


@pytest.mark.parametrize("other", ["on hold", "no-one", "yesterday", "allowed at times", ""])
def test_other_words_are_no_answer(other: str) -> None:
    assert flip("Logs | No", f"Logs | {other}") == flip("Logs | Yes", f"Logs | {other}") == 0
    assert flip("No", "Yes") == 0


PROTECTIONS = (
    "opt out, choices, choose, limited, controls, consent, encrypted, deleted, erased, anonymous, de-identified, excluded, "
    "exempt, object, refuse, notice, disabling, not shared, never sold, without names, zero retention, "
    "退出, 拒绝, 删除, 加密, 关闭, 不"
)


@pytest.mark.parametrize("word", PROTECTIONS.split(", "))
def test_yes_to_any_kind_of_protection_lowers_the_risk(word: str) -> None:
    assert flip("Logs | No", "Logs | Yes", f"Data | {word}") == flip(f"1. | {word} | No", f"1. | {word} | Yes") == -1
    assert flip("Logs | No", "Logs | Yes", f"Data | Kind | {word}") == 1  # the heads of another table
