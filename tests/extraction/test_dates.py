"""The dates and periods that documents state, and edits under an unmoved date. All texts are written here."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from riskanalytics.extraction.dates import silent_edit, stated_dates

LONG = "word " * 400


def found(text: str) -> list[tuple[str, str | None]]:
    """Return kind and day or period of what a text states."""
    return [(one.kind, one.date or one.period) for one in stated_dates(text)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Last updated: 2 May 2026", "2026-05-02"),
        ("**Last Updated:** **May 2nd, 2026**", "2026-05-02"),
        ("UpdatedMay 2, 2026", "2026-05-02"),
        ("LAST MODIFIED ON SEPT. 12, 2025", "2025-09-12"),
        ("Latest update 2026-05-02", "2026-05-02"),
        ("Date of last revision: Saturday, May 2, 2026", "2026-05-02"),
        ("Revised 2026/05/02 (version 3)", "2026-05-02"),
        ("These terms were last amended on the 2nd day of May 2026.", None),
        ("This policy was revised on 2 May 2026.", "2026-05-02"),
        ("Most recently updated: 25/12/2025", "2025-12-25"),
        ("Updated: 12/25/2025", "2025-12-25"),
        ("Updated: 12/13/2025", "2025-12-13"),
        ("Updated: 13/12/2025", "2025-12-13"),
        ("Updated: 12/12/2025", "2025-12-12"),
        ("Updated: 03.03.2026", "2026-03-03"),
        ("Indigo Terms of Service updated: 16:09, 2 May 2026", "2026-05-02"),
        ("Last Updated & Effective Date: May 2 , 2026", "2026-05-02"),
        ("Date modified: 2 May 2026", "2026-05-02"),
        ("Stand: 2. Mai 2026", "2026-05-02"),
        ("Zuletzt aktualisiert am 2. März 2026", "2026-03-02"),
        ("Dernière mise à jour le 1er août 2026", "2026-08-01"),
        ("Última actualización: 2 de mayo de 2026", "2026-05-02"),
        ("更新日期：2026年5月2日", "2026-05-02"),
        ("最終改定日 2026年 5月 2日", "2026-05-02"),
    ],
)
def test_the_day_of_the_last_update(text: str, day: str | None) -> None:
    assert found(text) == ([("updated", day)] if day else [])


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Effective: March 1, 2026 ([previous version](https://a.example/2025-01-01))", "2026-03-01"),
        ("_Effective Date\\*:_ _**March 1, 2026**_", "2026-03-01"),
        ("Version Effective Date: March 1, 2026[Previous version](https://a.example)", "2026-03-01"),
        ("Effective as of 1 March 2026", "2026-03-01"),
        ("This policy was published on 1 February 2026 with an effective date of 1 March 2026.", "2026-03-01"),
        ("These terms apply to all customers from 1 March 2026.", "2026-03-01"),
        ("The changes will take effect on March 1, 2026.", "2026-03-01"),
        ("Our new terms come into force on 1 March 2026 for everybody.", "2026-03-01"),
        ("We're updating our terms of service on 1 March 2026 to make them clearer.", "2026-03-01"),
        ("Date of entry into force: 13.03.2026", "2026-03-13"),
        (
            "For users who agreed to a prior version of our agreement, this agreement is effective as of March 1, 2026.",
            "2026-03-01",
        ),
        ("Gültig ab 1. März 2026", "2026-03-01"),
        ("Entrée en vigueur : en vigueur à compter du 1 mars 2026", "2026-03-01"),
        ("Vigente desde el 1 de marzo de 2026", "2026-03-01"),
        ("生效日期：2026年3月1日", "2026-03-01"),
    ],
)
def test_the_day_of_effect(text: str, day: str) -> None:
    assert found(text) == [("effective", day)]


def test_one_line_may_state_both_days_and_each_is_returned_once_with_its_first_clause() -> None:
    text = "Last updated: 2 May 2026 | Effective: 1 June 2026\n\nWords.\n\nEffective 1 June 2026\n\nUpdated 2 May 2026"
    both = stated_dates(text)
    assert [(one.kind, one.date, one.start) for one in both] == [
        ("updated", "2026-05-02", 0),
        ("effective", "2026-06-01", 0),
    ]
    assert found("Last updated and effective: 2 May 2026") == [("updated", "2026-05-02"), ("effective", "2026-05-02")]


@pytest.mark.parametrize(
    "text",
    [
        "Last updated: 03/04/2026",  # two days are possible
        "Last updated: 11/12/2026",
        "Last updated: 12/11/2026",
        "Last updated: 03.04.2026",
        "Last updated: May 2026",
        "Last updated: 31 June 2026",
        "You may opt out before 15 June.",
        "Effective January 1, 2020, the California Consumer Privacy Act gives you rights.",
        "The Directive, last amended on 2 May 2021, applies.",
        "Effective: May 1, 2024 - June 3, 2025",
        "Effective until March 1, 2026",
        "Previous versions: effective May 1, 2024",
        "Terms - Effective May 1, 2019 - Terms - Effective May 1, 2021 - Terms - Effective May 1, 2023",
        "As of April 1, 2024, we are certified.",
        "We were founded on 1 March 2016 and have been updated by nobody.",
        "See https://a.example/revisions/2025-04-29/ and version 11.2.16 of 2026.",
        f"Last updated {LONG} 2 May 2026",
    ],
)
def test_a_day_that_the_words_do_not_give_is_not_given(text: str) -> None:
    assert found(text) == []


def test_a_german_text_writes_the_day_first() -> None:
    german = (
        "Diese Bedingungen gelten für alle Kunden, die unsere Dienste nutzen und mit uns einen Vertrag schließen.\n\n"
    )
    assert found(f"{german}Stand: 03.04.2026") == [("updated", "2026-04-03")]
    assert found(f"{german}Stand: 03/04/2026") == []


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("We will give you at least 30 days' notice of changes.", "P30D"),
        ("We provide thirty (30) days’ prior written notice.", "P30D"),
        ("We provide reasonable (at least 30 days) prior written notice.", "P30D"),
        ("We will inform you at least 30 (thirty) days before the change.", "P30D"),
        ("WE PROVIDE THIRTY DAYS' NOTICE.", "P30D"),
        ("Customer must notify us two weeks in advance.", "P2W"),
        ("A minimum notice period of six (6) months applies.", "P6M"),
        ("The notice period is twenty (20) days.", "P20D"),
        ("Audits need written notice of at least ninety (90) calendar days.", "P90D"),
        ("Material changes will be effective 15 days after we post them.", "P15D"),
        ("We will notify you no later than thirty days prior to the effective date.", "P30D"),
    ],
)
def test_a_period_of_notice(text: str, period: str) -> None:
    assert found(text) == [("notice", period)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("You may opt out of arbitration within 30 days of first accepting these terms.", "P30D"),
        ("Customer may object to a sub-processor within 10 (ten) days after such notice.", "P10D"),
        ("If, within 14 days of the notice, you object in writing, we look for another way.", "P14D"),
        ("You have 30 days to opt out of the change.", "P30D"),
        ("There is a 30-day opt-out period.", "P30D"),
        ("The opt-out notice must be postmarked no later than 30 days after you accept these terms.", "P30D"),
        ("You may also opt out within 30 days.", "P30D"),
        ("A change binds a customer who has not objected within one month of its receipt.", "P1M"),
        ("You may decline to arbitrate by a letter within 30 days of your first use.", "P30D"),
        ("If you do not agree to the change, you must tell us within one month after the notice.", "P1M"),
        ("You may object to the change until 15 June 2026.", "2026-06-15"),
        ("By 15 June 2026 at the latest you can opt out in your settings.", "2026-06-15"),
    ],
)
def test_the_time_to_object_or_opt_out(text: str, value: str) -> None:
    assert found(text) == [("objection", value)]


@pytest.mark.parametrize(
    "text",
    [
        "We will comply with your opt-out request within 30 days of receiving it.",
        "If the objection has not been resolved within 30 days of receipt, either party may terminate.",
        "We delete items that stay in the folder for up to 30 days before final deletion, as we inform you here.",
        "Either party may terminate if a breach is not cured within 30 days after notice.",
        "Customer may object within ten business days of the notice.",
        "We keep logs for 30 days.",
        "We give notice of 10-14 days.",
        "We must act upon your opt-out request within 15 days.",
        "We notify third parties to whom we sold your data in the ninety (90) days prior to your request.",
        "The change is effective ~ 2 weeks from publication.",
    ],
)
def test_other_periods_are_not_given(text: str) -> None:
    assert found(text) == []


def test_two_clauses_may_give_the_same_period() -> None:
    text = "You may opt out within 30 days of accepting.\n\nYou may reject a change within 30 days of the change."
    assert found(text) == [("objection", "P30D")] * 2


def test_a_quote_is_the_whole_clause_at_its_offsets() -> None:
    text = "Title\n=====\n\nÜber uns 😀\n\n*   First. **Last updated:** 2 May 2026.  \n"
    (one,) = stated_dates(text)
    assert one.quote == text[one.start : one.end] == "**Last updated:** 2 May 2026."
    assert (one.date, one.period) == ("2026-05-02", None)


def test_days_can_be_read_without_periods() -> None:
    text = "Updated 2 May 2026\n\nWe give 30 days' notice."
    assert [one.kind for one in stated_dates(text, periods=False)] == ["updated"]
    assert [one.kind for one in stated_dates(text)] == ["updated", "notice"]


HEAD = "Policy\n======\n\nLast updated: 2 May 2026\n\n"
BODY = "We keep logs for a week.\n\nMore words."
NEW = "We keep logs for a year.\n\nMore words."


@pytest.mark.parametrize(
    ("before", "after", "silent"),
    [
        (HEAD + BODY, HEAD + NEW, True),
        (BODY + f"\n\n{HEAD}", NEW + f"\n\n{HEAD}", True),
        (HEAD + BODY, HEAD.replace("2 May", "3 May") + NEW, False),
        (HEAD + BODY, f"{HEAD}Effective: 1 June 2026\n\n{NEW}", False),
        (BODY, NEW, None),
        (BODY, HEAD + NEW, None),
        (HEAD + BODY, NEW, None),
        # a part has its own date
        (f"{HEAD}{BODY}\n\nUpdated 4 March 2025", f"{HEAD}{NEW}\n\nUpdated 4 March 2025", None),
        # the date is that of a part in the middle
        (f"{LONG}\n\n{HEAD}{LONG}{BODY}", f"{LONG}{LONG}\n\n{HEAD}{LONG}{NEW}", None),
        # the text states the edit elsewhere
        (f"{HEAD}Revised: April 2026\n\n{BODY}", f"{HEAD}Revised: May 2026\n\n{NEW}", None),
        (HEAD + BODY, f"{HEAD}2026-05-09: We keep logs for longer.\n\n{NEW}", None),
        (HEAD + BODY, f"{HEAD}{NEW} {LONG}Since 9 May 2026 we do so.", None),
        (HEAD + BODY, f"{HEAD}{NEW} {LONG}Since 9 May 2016 we do so.", True),
        (HEAD + BODY, HEAD.replace("Last updated", "**LAST UPDATED**") + NEW, True),
        (HEAD + BODY, f"{HEAD}{NEW} {LONG}Since 2 May 2026 we do so.", True),
        (f"{HEAD}Effective: 1 March 2026\n\n{BODY}", f"{HEAD}Effective: 1 March 2026\n\n{NEW}", True),
        (HEAD + BODY, f"{HEAD}{NEW} We give 60 days' notice.", True),
        # a window to object is no date of the document
        (HEAD + BODY, f"{HEAD}{NEW} {LONG}\n\nTo be heard, {'you ' * 40}may object until 15 April 2026.", True),
    ],
)  # fmt: skip
def test_an_edit_is_silent_only_if_the_one_stated_date_did_not_move(
    before: str, after: str, silent: bool | None
) -> None:
    assert silent_edit(before, after, "2027-01-01") is silent


@pytest.mark.parametrize(
    ("part", "last"),
    [
        (lambda size: f"{'x' * (size - 1)}\n{HEAD.strip()}\n{'y' * 2_000}", 2_999 - len(HEAD.partition("Last")[0])),  # a beginning
        (lambda size: f"{'x' * 4_000}\n{HEAD.strip()}\n{'y' * (size - 1)}", 1_499),  # an end
    ],
)  # fmt: skip
def test_the_date_of_a_document_is_near_its_beginning_or_its_end(part: Callable[[int], str], last: int) -> None:
    for size, silent in ((last, True), (last + 1, None)):
        assert silent_edit(part(size), part(size).replace("xxx", "zxx", 1), "2027-01-01") is silent


def test_how_far_words_reach() -> None:
    day = [("updated", "2026-05-02")]
    for far, stated in ((1_481, day), (1_482, [])):  # a clause of at most 1,500 characters
        assert found(f"Updated 2 May 2026 {'x' * far}") == stated
    for far, stated in ((232, []), (233, day)):  # the law is at most 250 characters before the day
        assert found(f"Law {'x' * far} last updated 2 May 2026") == stated
    for far, stated in ((195, []), (196, day)):  # and at most 200 after it
        assert found(f"Last updated 2 May 2026 {'x' * far} law") == stated
    for far, silent in ((115, None), (116, True)):  # a year near the beginning of a line may be that of an edit
        assert silent_edit(HEAD + BODY, f"{HEAD}{NEW}\n{'x' * far} 2016", "2027-01-01") is silent


@pytest.mark.parametrize(
    "unit", ["last updated ", "within 30 days of ", "opt out ", "effective 2026 ", "1 May 2026 ", "¤", "this new "]
)
def test_the_time_does_not_grow_faster_than_the_text(unit: str) -> None:
    begin = time.perf_counter()
    stated_dates("\n".join([unit * 8_000, *[unit * 90] * 8]))
    assert time.perf_counter() - begin < 2


def test_an_edit_on_the_stated_date_or_before_it_is_not_known_to_be_silent() -> None:
    head = "Last updated: 2 May 2026\n\n"
    before, after = f"{head}We keep logs for a week.", f"{head}We keep logs for a year."
    for since, silent in (
        ("2026-05-03T00:00:00Z", True),
        ("2026-05-02T09:00:00Z", None),
        ("2026-04-20T00:00:00Z", None),
    ):
        assert silent_edit(before, after, since) is silent, since


def test_a_clause_that_denies_a_way_out_states_no_window() -> None:
    assert stated_dates("You may not opt out within 30 days of acceptance.") == ()
    assert [one.kind for one in stated_dates("You may opt out within 30 days of acceptance.")] == ["objection"]
