"""Cutting texts into clauses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.records import Clause
from riskanalytics.extraction.segment import segment


def quotes(text: str) -> list[str]:
    return [text[clause.start : clause.end] for clause in segment(text)]


def clause(text: str, words: str) -> Clause:
    return next(item for item in segment(text) if words in text[item.start : item.end])


def led(text: str, words: str) -> str | None:
    """Return the words that lead in to the clause with the given words."""
    span = clause(text, words).lead
    return None if span is None else text[slice(*span)]


def test_a_paragraph_is_cut_into_sentences() -> None:
    text = "We keep logs for 30 days. We delete them afterwards! Do you object? Write to us."
    assert quotes(text) == [
        "We keep logs for 30 days.", "We delete them afterwards!", "Do you object?", "Write to us.",
    ]  # fmt: skip


ABBREVIATIONS = """\
corp co no nos art para etc vs mr mrs ms dr st approx incl cf u.k e.u n.v b.v d.c p.o a.m p.m ca
Jan Feb Aug Sept Oct Nov Dec LLC X"""


@pytest.mark.parametrize(
    "sentence",
    [
        "Aurelia Inc. and its affiliates act as one.",
        "See Sec. 4.2 and No. 5 of these terms.",
        "Formats, e.g. Text or images, are stored.",
        "The parties, i.e. You and Northwind Ltd. Both agree.",
        "Data go to the U.S. Department of Records.",
        *(f"We name {word}. Smith here." for word in ABBREVIATIONS.split()),
    ],
)
def test_abbreviations_do_not_end_a_sentence(sentence: str) -> None:
    assert quotes(sentence) == [sentence]


def test_chinese_sentences_end_at_chinese_punctuation() -> None:
    text = "我们会收集您的信息。我们不会出售！您可以反对吗？可以；请联系我们。"
    assert quotes(text) == [
        "我们会收集您的信息。",
        "我们不会出售！",
        "您可以反对吗？",
        "可以；",
        "请联系我们。",
    ]


def test_a_list_item_knows_its_lead_in_and_heading() -> None:
    text = "How we use data\n------\n\nWe use what you send to:\n\n*   answer you;\n*   Train our models.\n"
    found = clause(text, "Train")
    assert text[found.start : found.end] == "Train our models."
    assert found.kind == "item"
    assert found.lead_in == "We use what you send to:"
    assert found.heading == "How we use data"


MARKS = (
    "*",
    "+",
    "-",
    "\u2022",
    "\u25cf",
    "\uf0b7",
    "1.",
    "12\\.",
    "3)",
    "a)",
    "(b)",
    "iv.",
    "(iii)",
    "1.2",
    "1.2.3.",
    "1\\.2",
)


@pytest.mark.parametrize("mark", MARKS)
def test_each_mark_of_a_list_begins_an_item(mark: str) -> None:
    text = f"We may:\n\n{mark} sell it\n  {mark} rent it\n"
    assert [(one.kind, one.lead_in) for one in segment(text)[1:]] == [("item", "We may:")] * 2
    assert quotes(text)[1:] == ["sell it", "rent it"]


@pytest.mark.parametrize(
    ("line", "lead_in"),
    [
        ("We keep it:", "We keep it:"),
        ("We keep **it:** ", "We keep it:"),
        ("We keep it\uff1a", "We keep it:"),
        ("We keep it -", "We keep it -"),
        ("We keep it \u2013", "We keep it -"),
        *((line, "") for line in (
            "We keep it for examples.", "We keep the following.", "It follows.", "We keep it below.", "We keep it such as",
            "We keep these.", "We keep things including logs.", "We include logs.", "It includes logs.", "We keep",
        )),
    ],
)  # fmt: skip
def test_a_line_that_announces_a_list_is_quoted_before_its_items(line: str, lead_in: str) -> None:
    found = clause(f"{line}\n* notes\n", "notes")
    assert (found.lead_in, led(f"{line}\n* notes\n", "notes")) == (lead_in, line.strip())
    assert led("We keep all of it.\n* notes\n", "notes") is None


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('We say "yes." Then we go.', ['We say "yes."', "Then we go."]),
        ("We go.\u201d \u201cThen\u201d we stay.", ["We go.\u201d", "\u201cThen\u201d we stay."]),
        ("We go.)** Then we stay.", ["We go.)**", "Then we stay."]),
        ("We go.<br><br>then we stay.", ["We go.<br><br>", "then we stay."]),
        ("We go.Then we stay here.", ["We go.", "Then we stay here."]),
        ("We go. 30 days later we stay.", ["We go.", "30 days later we stay."]),
        ("Version 2.0 is out.", ["Version 2.0 is out."]),
        ("We go, e.g. there. then we stay.", ["We go, e.g. there. then we stay."]),
    ],
)
def test_the_ends_of_sentences(text: str, cut: list[str]) -> None:
    assert quotes(text) == cut


@pytest.mark.parametrize(("length", "kind"), [(300, "heading"), (301, "sentence")])
def test_a_long_paragraph_is_no_title_and_a_long_title_is_shortened(length: int, kind: str) -> None:
    found = segment(f"{'x' * length}\n===\n\nWe go.\n")
    assert (found[0].kind, found[-1].heading) == (kind, "x" * 200 if kind == "heading" else "")


@pytest.mark.parametrize(("first", "head"), [("a b", "a b | c"), ("a. b", None), ("a; b", None), ("x" * 400, None)])
def test_a_first_row_below_the_rule_of_its_table_names_the_columns_if_it_may(first: str, head: str | None) -> None:
    assert led(f"| --- | --- |\n| {first} | c |\n| notes | e |\n", "notes") == head
    assert led("| a | b |\n| --- | --- |\n| d | e |\nText here.\n| notes | g |\n", "notes") is None


def test_nested_items_have_both_lead_ins() -> None:
    text = "You grant us a licence to:\n\n*   use your content for:\n    *   promotion;\n*   host it.\n"
    assert clause(text, "promotion").lead_in == "You grant us a licence to: use your content for:"
    assert clause(text, "host it").lead_in == "You grant us a licence to:"
    tabs = "We may:\n\n    * use it for:\n\t\t* ads.\n"
    assert clause(tabs, "ads").lead_in == "We may: use it for:"
    long = f"We {'a' * 150} may:\n\n* use {'b' * 100} for:\n  * ads\n"
    assert clause(long, "ads").lead_in == f"We {'a' * 150} may: use {'b' * 100} for:"[-240:]


@pytest.mark.parametrize(
    ("outer", "inner"), [("B.3.", "B.3.a."), ("2.1", "2.1.1"), ("C.1.a.", "C.1.a.i."), ("3\\.1", "3\\.1\\.2")]
)
def test_an_item_has_the_lead_in_of_the_item_whose_number_begins_its_own(outer: str, inner: str) -> None:
    text = f"{outer} We will not:\n\n{inner} sell your data; and\n\n{inner} share your data.\n\nB.4. We keep notes.\n"
    assert [(one.kind, one.lead_in) for one in segment(text)] == [
        ("item", ""), ("item", "We will not:"), ("item", "We will not:"), ("item", ""),
    ]  # fmt: skip
    assert quotes(text)[1] == "sell your data; and"
    assert [segment(line)[0].kind for line in ("2.5m people use it.", "01.ai is a company.")] == ["sentence"] * 2
    other = text.replace(f"\n{inner}", "\nB.30.")
    assert [one.lead_in for one in segment(other)] == [""] * 4


def test_a_new_paragraph_ends_the_lead_in() -> None:
    text = "We use data to:\n\n*   help you.\n\nThis paragraph stands alone.\n\n*   An item alone.\n"
    assert clause(text, "stands alone").lead_in == ""
    assert clause(text, "An item").lead_in == ""


@pytest.mark.parametrize("line", ["**We do not:**", "We will never:", "We don\u2019t:"])
def test_paragraphs_below_a_denying_line_are_its_items(line: str) -> None:
    text = f"{line}\n\nSell your data to others.\n\nallow others to read it.\n\nWe keep it for a year.\n"
    denied = [clause(text, "Sell your data"), clause(text, "allow others")]
    for found in denied:
        assert found.lead_in == plain(line)
        assert found.lead is not None
        assert text[slice(*found.lead)] == line
    assert clause(text, "We keep it").lead is None


def test_a_denying_heading_is_the_lead_in_of_its_items() -> None:
    text = "**We do not:**\n\n* Sell your data to others.\n"
    assert clause(text, "Sell your data").lead_in == "We do not:"
    assert clause(text.replace("do not", "do"), "Sell your data").lead_in == ""


def test_setext_and_hash_and_bold_lines_are_headings() -> None:
    text = "Terms\n=====\n\n## Scope\n\n**Your rights**\n\nWe answer within a month.\n"
    assert [item.kind for item in segment(text)] == ["heading", "heading", "heading", "sentence"]
    assert clause(text, "month").heading == "Your rights"


def test_a_separator_between_documents_is_not_a_clause() -> None:
    text = "One document ends here.\n\n- - -\n\nAnother begins here."
    assert quotes(text) == ["One document ends here.", "Another begins here."]


def test_table_rows_are_clauses_and_rules_are_not() -> None:
    text = "| Purpose | Data |\n| --- | --- |\n| To train models | Inputs<br>Outputs |\n"
    assert quotes(text) == ["Purpose | Data", "To train models | Inputs<br>Outputs"]


def test_each_table_has_its_own_heads_and_a_long_row_is_cut_into_sentences() -> None:
    long = "We keep it. " * 60
    text = (
        "| What | Who |\n| --- | --- |\n| logs | us |\n\n| Which | Whom |\n| --- | --- |\n| mails | them |\n"
        f"| {long}| you |\n"
    )
    assert led(text, "logs") == "What | Who"
    assert led(text, "mails") == "Which | Whom"
    assert len(quotes(text)) == 4 + 61 - 1
    assert led(text, "We keep it.") == "Which | Whom"
    assert [item.kind for item in segment(text)[4:6]] == ["row", "row"]


def test_an_indented_paragraph_and_the_items_after_it_keep_the_lead_in() -> None:
    text = "We share it with:\n\n*   partners.\n\n    They may sell it.\n\n*   courts.\n\nOther words.\n"
    assert [led(text, words) for words in ("partners", "They may", "courts", "Other")] == ["We share it with:"] * 3 + [
        None
    ]


def test_only_the_first_sentence_of_an_item_continues_its_lead_in() -> None:
    text = "We use it to:\n\n*   train models. We delete it later. It is gone.\n"
    assert [led(text, words) for words in ("train", "delete")] == ["We use it to:", None]
    before = clause(text, "It is gone").before
    assert before is not None
    assert text[slice(*before)] == "We delete it later."


def test_the_title_of_an_item_and_the_sentence_after_it_have_the_lead_in() -> None:
    text = "We use it to:\n\n*   **Ads.** Show you offers. It is fun.\n"
    assert [led(text, words) for words in ("Ads", "Show", "fun")] == ["We use it to:", "We use it to:", None]


def test_rows_above_a_rule_or_without_one_have_no_heads() -> None:
    assert [led("| logs | us |\n| mails | them |\n", words) for words in ("logs", "mails")] == [None, None]


def test_a_clause_number_inside_a_line_begins_its_sentence() -> None:
    assert quotes("It ends. 10.12. We keep it. 3. We go.") == ["It ends.", "10.12. We keep it.", "3. We go."]


@pytest.mark.parametrize(("length", "quoted"), [(600, True), (601, False)])
def test_a_lead_in_that_is_too_long_to_quote_is_still_read(length: int, quoted: bool) -> None:
    lead = f"We {'x' * (length - 5)}t:"
    found = clause(f"{lead}\n\n*   sell it.\n", "sell")
    assert found.lead == ((0, length) if quoted else None)
    assert found.lead_in == lead[-240:]
    inner = {"We share it with:": "We share it with:", "With others:": None, "we share it with:": None}
    for words, shown in inner.items():  # of two lead-ins that are too long together, one that makes sense alone
        assert led(f"{lead}\n\n* {words}\n  * courts\n", "courts") == shown


def test_a_part_is_led_by_the_list_of_the_part_before_at_its_place() -> None:
    text = "Hello.\n\n# Use\n\nWe use your data as follows:\n* help you;\n* train models.\n\nThis is new.\n"
    assert [led(text, words) for words in ("help", "train", "This is")] == ["We use your data as follows:"] * 2 + [None]
    assert [clause(text, words).heading for words in ("Hello", "train", "This is")] == ["", "Use", "Use"]


def test_clause_numbers_glued_to_the_previous_sentence_are_cut_off() -> None:
    text = "You may use the API.4.3 Retention. We keep usage data for a year.4.4 Deletion follows."
    assert "4.3 Retention." in quotes(text)
    assert any(words.startswith("4.4 Deletion") for words in quotes(text))


def test_links_stay_inside_the_quote() -> None:
    text = "Read [how we use data](https://example.org/a.b?c=d) before you start. Then start."
    assert quotes(text)[0].endswith("before you start.")


def test_escaped_numbers_are_markers_not_words() -> None:
    text = "1\\. We keep data.\n2\\. We delete data."
    assert quotes(text) == ["We keep data.", "We delete data."]


def test_a_bold_title_inside_a_line_is_a_heading() -> None:
    text = "**(a) No sale for training.** We never sell what you write."
    assert [item.kind for item in segment(text)] == ["heading", "sentence"]


def test_an_empty_text_has_no_clauses() -> None:
    assert segment("") == ()
    assert segment(" \n\u00a0\n\u200b\n") == ()


@given(st.text(alphabet=st.sampled_from("aB1. \n*|-=#:;。！[]()<br>\u00a0\u200b\u00ad"), max_size=300))
def test_clauses_lie_in_order_and_inside_the_text(text: str) -> None:
    last = 0
    for item in segment(text):
        assert last <= item.start < item.end <= len(text)
        assert text[item.start : item.end].strip()
        last = item.end


@given(st.text(max_size=300))
def test_any_text_can_be_cut(text: str) -> None:
    assert all(item.end <= len(text) for item in segment(text))
