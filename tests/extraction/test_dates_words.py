"""Each of the words that the patterns of stated dates list is recognised, and another word in its place is not."""

from __future__ import annotations

import pytest

from tests.extraction.test_dates import found

DAY = "2 May 2026"
NUMBERS = {
    1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 10: "ten", 12: "twelve", 14: "fourteen",
    15: "fifteen", 20: "twenty", 21: "twenty-one", 30: "thirty", 45: "forty-five", 60: "sixty", 90: "ninety",
}  # fmt: skip
MONTHS = """\
january januar janvier enero jan,february februar février febrero feb,march märz mars marzo mar,april avril abril apr,may mai mayo
june juni juin junio jun,july juli juillet julio jul,august août agosto aug,september septembre septiembre sept sep
october oktober octobre octubre oct,november novembre noviembre nov,december dezember décembre diciembre dec"""
OURS = (
    "This policy|These policies|The terms|Our agreement|Such notice|Any statement|Our addendum|The revised DPA|"
    "The updated conditions|An amended change|New updates|The following update|Our modification|Our modifications|"
    "Our revision|Our revisions|Our amendment|Our amendments|This version|Our guidelines|This information|The changes|"
    "Revised conditions|Updated conditions|Amended conditions|Following conditions"
)
UPDATED: list[tuple[str, str, str | None]] = [
    ("Last updated: {} May 2026", "2|2nd|2er|2th|2st|2rd", None),
    ("Last updated: {} 2026", "2 of May|2nd day of May|2 de May of|2 May de|2 May del|2 May,|May 2,|May 2 ,|May 2", None),
    ("Last updated{} 2 May 2026",
     "| date| on| as of| as at| of| from| since| starting| beginning| and| is| was|: 16:09,| Saturday,", " green"),
    ("{} 2 May 2026",
     "Last updated|Latest update|Most recently modified|Most recent modification|Last revised|Last revision|Last amended",
     "Last green"),
    ("Here is: last {} 2 May 2026",
     "update|updated|modified|modification|revised|revision|amended|updated and effective|updated & effective", None),
    ("{} 2 May 2026",
     "Date of update:|Date last modified:|Update|Modified|Revised|Revision|Updated and effective|Updated & effective",
     "Date of green:"),
    ("We keep it{}updated 2 May 2026", " - | and |, |; |; (| (|: | • | · | – |, 2025 ", " or "),
    ("Our company {} updated 2 May 2026", "policy|terms|service|use|conditions|agreement|notice", "green"),
    ("{} was revised on 2 May 2026.", OURS, "We"),
    ("Our policy {} on 2 May 2026.",
     "was updated|were modified|has been revised|have been amended|was last updated", "is green"),
    ("{} 2 May 2026",
     "Stand|Stand vom|Stand der|zuletzt aktualisiert|Letzte Aktualisierung|Zuletzt geändert|Letzte Änderung vom|"
     "Letzte Änderung am", "Stand zum"),
    ("{}: 2 May 2026", "Mise à jour|Mis à jour le|Dernière modification du|Última actualización el|Actualizado", "Dernier"),
    ("更新日期：{}", "2026年5月2日|2026年5月2|2026年05月02日", None),
    ("{}：2026年5月2日", "更新日期|修订日期|改定日|改訂|更新时间|更新于", "日期"),
]  # fmt: skip
EFFECTIVE: list[tuple[str, str, str | None]] = [
    ("{}effective 2 May 2026",
     "Version |Policy |Terms |Updated and |Modified and |Revised: ||Words; |Words - |Words, |See 2025. ", "Green "),
    ("{} 2 May 2026", "Date of entry into force:|Entry into force", "Date of entry:"),
    ("{} is effective on 2 May 2026.", OURS, "Their house"),
    ("Our policy {} 2 May 2026.",
     "is effective on|takes effect on|will take effect on|taking effect|comes into force|will come into effect|"
     "enters into force|will enter into effect|entering into force|goes into force|will go into effect|going into effect|"
     "effective as of", "is good on"),
    ("Our policy {} 2 May 2026.",
     "applies from|apply as of|applies to all users starting|applies beginning|applies on or after", "applies to"),
    ("{} our policy on 2 May 2026", "We are updating|We're updating|We are changing|We're changing", "We are greening"),
    ("Regeln: {} 2 May 2026", "gültig ab|wirksam seit|gelten am|gilt zum|in Kraft seit dem|gültig ist ab|gilt ab", "gut ab"),
    ("Texte : {} 2 May 2026",
     "en vigueur|vigente desde|vigentes el|en vigor|en vigueur à compter du|en vigueur à partir du|en vigueur depuis|"
     "vigente le", "en v"),
    ("{}：2026年5月2日", "生效日期|施行日|発効|生效时间|生效于", "日期"),
]  # fmt: skip
NOT_DAYS = [
    ("The {}, effective 2 May 2026, holds.",
     "act|acts|directive|regulation|ordinance|statute|decision|law|GDPR|CCPA|CPRA|FADP|clauses|SCCs|framework"),
    ("Effective: 2 May 2026 {}", "- 3 June|– 3 June 2027|to 3|until June 3|through present|- today|to present"),
    ("{} Effective: 2 May 2026",
     "Previous version:|Previously to this:|Prior terms:|Earlier policy:|Archive versions:|Archived versions:|Older terms:"),
    ("Last updated: {}",
     "02/03/2026|2026-5-2-1|12 2026-05-02/1|2 May 20261|2 May 2026-06|12026/05/02|1.2 May 2026|1/2 May 2026|"
     "1-2026-05-02|12026年5月2日|1.25.12.2026|1/25/12/2026|2026/05/021|1.2.5.2026|99 May 2026"),
]  # fmt: skip
OBJECT = (
    "opt out|opt-out|optout|object|reject|decline to join|opting out of it|objecting|objection to it|objections to it|"
    "rejecting|objected to it|objects to it|rejects it|rejected it|does not consent|do not agree|do not wish to be bound"
)
WINDOWS = [
    (f"{{}} before {DAY}, or stay.", OBJECT, "x", "2026-05-02"),
    (f"You may opt out {{}} {DAY}.", "before|by|until|no later than", "on", "2026-05-02"),
    (f"{{}} {DAY} you may opt out.", "Before|By|Until|No later than", "On", "2026-05-02"),
    ("{} within 30 days of it.", OBJECT, "x", "P30D"),
    ("You may opt out {}.",
     "within 30 days of it|no later than 30 days after it|within a period of 30 days from it|"
     "within the first 30 days following it|within 30 days since it|within 30 days", "for 30 days", "P30D"),
    ("{} it, you may reject it.",
     "Within 30 days of|Within 30 days after|Within 30 days from|Within 30 days following|Within a period of 30 days of|"
     "Within the first 30 days of", "For 30 days of", "P30D"),
    ("{} to opt out.",
     "You have 30 days|One has 30 days|A period of 30 days|A window of 30 days|Given 30 days|You have a 30-day term|"
     "You have at least 30 days", "Use 30 days", "P30D"),
    ("There is a 30-day {}.",
     "opt-out period|opt out window|objection right|objection deadline|optout window", "objection", "P30D"),
]  # fmt: skip
ANSWERS: list[tuple[str, str, str | None]] = [
    ("You {} opt out within 30 days.", "may not|cannot|can not|can't|are unable to|are not able to|may not ever", "may"),
    ("You cannot {} within 30 days of it.", "opt out|object|reject it", None),
    ("If you opt out, {} it within 30 days.",
     "they respond to|she responds to|it is resolved|resolution of|they act on|they act upon|opt-out request by|"
     "optout requests by|they comply with|he complied with|they complete|they honor|they honour|they acknowledge|"
     "they reinstate|processed your|process the|processes such|process any|we will read|we'll read|we shall read", "do"),
    ("You opt out, within 30 days of {}.",
     "receipt of it|receiving your request|receiving such objection|receiving the opt|received an objection|"
     "receiving a request", "it"),
]  # fmt: skip
NOTICE = [
    ("30 days' {} is due.",
     "notice|prior notice|advance notice|advanced notice|written notice|reasonable notice|of notice|e-mail or email notice|"
     "of a prior notice|prior and written notice|electronic notice|prior, written notice", "rest"),
    ("We {} you 30 days before it.",
     "notify|inform|give notice to|announce to|communicate to|email|e-mail|let you know and tell", "green"),
    ("Whoever {} us 30 days before it.", "notifies|notified|is notifying|sends a notification to", "greens"),
    ("We inform you 30 days {} it.", "before|prior to|in advance of|ahead of|beforehand about", "after"),
    ("The notice {} 30 days.", "period of|period is|of|is", "in"),
    ("It {} 30 days after we post it.", "is effective|takes effect|is in force|will apply", "is good"),
    ("It is effective 30 days {} posting it.", "after|following|from|of|upon", "before"),
    ("It is effective 30 days after we {} it.", "post|publish|notify|send|sent|email|e-mail|inform of", "green"),
]  # fmt: skip
NO_NOTICE = [
    ("We notify you {} 30 days before it.", "within|up to|more than|in the|in the last|in the past"),
    ("You give, {} 30 days' notice.", "within|up to"),
    ("It is effective {} 30 days after we post it.", "within|~"),
    ("We give {} days' notice.", "1.30|1,30|$30|10-30|10/30|1.5|a30"),
]  # fmt: skip


def read(template: str, words: str, *kinds: str) -> dict[str, list[tuple[str, str | None]]]:
    """What the template states with each of the words, of some kinds only."""
    return {
        word: [one for one in found(template.format(word)) if one[0] in kinds or not kinds] for word in words.split("|")
    }


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("updated", UPDATED),
        ("effective", EFFECTIVE),
    ],
)
def test_words_of_a_day(kind: str, rows: list[tuple[str, str, str | None]]) -> None:
    for template, words, otherwise in rows:
        states = read(template, words, kind)
        assert [word for word, stated in states.items() if stated != [(kind, "2026-05-02")]] == []
        assert otherwise is None or found(template.format(otherwise)) == []


@pytest.mark.parametrize("number", range(12))
def test_words_of_a_month(number: int) -> None:
    for name in MONTHS.replace("\n", ",").split(",")[number].split():
        for text in (
            f"Updated 2 {name} 2026",
            f"Updated {name.title()} 2, 2026",
            f"Updated 2. {name.upper()} 2026",
            f"Updated 12. {name.title()} 2026",
        ):
            assert (text, found(text)) == (text, [("updated", f"2026-{number + 1:02}-{12 if '12' in text else 2:02}")])


def test_words_for_numbers_and_units() -> None:
    for number, word in NUMBERS.items():
        assert (word, found(f"You may opt out within {word} ({number}) days.")) == (
            word,
            [("objection", f"P{number}D")],
        )
        assert found(f"You may opt out within {number} ({word}) consecutive weeks.") == [("objection", f"P{number}W")]
    assert found("You may opt out within 30 calendar-day.") == [("objection", "P30D")]
    assert found("You may opt out within 2 months.") == [("objection", "P2M")]
    assert found("Updated 2 May 1999") == [("updated", "1999-05-02")]


@pytest.mark.parametrize(("template", "words"), NOT_DAYS)
def test_words_of_other_days(template: str, words: str) -> None:
    states = read(template, words)
    assert [word for word, stated in states.items() if stated != []] == []


@pytest.mark.parametrize(("template", "words", "otherwise", "value"), WINDOWS)
def test_words_of_a_window_to_object(template: str, words: str, otherwise: str, value: str) -> None:
    states = read(template, words)
    assert [word for word, stated in states.items() if stated != [("objection", value)]] == []
    assert found(template.format(otherwise)) == []


@pytest.mark.parametrize(("template", "words", "otherwise"), ANSWERS)
def test_words_of_an_answer_to_an_objection(template: str, words: str, otherwise: str | None) -> None:
    states = read(template, words)
    assert [word for word, stated in states.items() if stated != []] == []
    assert otherwise is None or found(template.format(otherwise)) == [("objection", "P30D")]


@pytest.mark.parametrize(("template", "words", "otherwise"), NOTICE)
def test_words_of_a_period_of_notice(template: str, words: str, otherwise: str) -> None:
    states = read(template, words)
    assert [word for word, stated in states.items() if stated != [("notice", "P30D")]] == []
    assert found(template.format(otherwise)) == []


@pytest.mark.parametrize(("template", "words"), NO_NOTICE)
def test_words_of_other_periods(template: str, words: str) -> None:
    states = read(template, words)
    assert [word for word, stated in states.items() if stated != []] == []
