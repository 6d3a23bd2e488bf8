"""Words of a page: marks of Markdown are left out, words never; a text fragment names a quote by them."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from riskanalytics.page_words import live_url, text_fragment, without_marks
from riskanalytics.pages.rows import quote, quoted


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("**Bold** words and ***more***.", "Bold words and more."),
        ("See [our terms](https://a.example/terms_(new)#x) and [privacy](/p).", "See our terms and privacy."),
        (r"our [partners\[4\] and [5]](https://a.example/x) too", "our partners[4] and [5] too"),
        ("words](https://a.example/terms) cut out of a link", "words cut out of a link"),
        ("## Training\nWe train.", "Training\nWe train."),
        ("(_see Analytics below_); **_Content_** and __all__", "(see Analytics below); Content and all"),
        (r"not\-for\-profit \[sic\]", "not-for-profit [sic]"),
        (r"\*Required fields\*, \_x y\_ and \[text\](a)", "*Required fields*, _x y_ and [text](a)"),
        ("our [partners](and/or) us, data](and/or) more, [12](12.5%)", None),
        (
            "a [file](terms.html#a), [site](a.example/b), [mail](mailto:a@b.example), [up](../x) and [part](#p)",
            "a file, site, mail, up and part",
        ),
        ("Acme Inc. [Acme](hereinafter) may use snake_case_names and 2 * 3 * 4 #1.", None),
        ("your data* and theirs* | `_id` | _naiuid <b>a</b>", None),
    ],
)
def test_marks_go_and_words_stay(raw: str, shown: str | None) -> None:
    assert without_marks(raw) == (raw if shown is None else shown)


def test_a_quote_on_a_page_has_no_marks_and_its_row_keeps_them() -> None:
    row = {"quote": "**We train**<br>on [all](https://a.example/x).", "finding_id": "f1"}
    assert quoted(row["quote"]) == "We train\non all."
    assert quote(row).words == "We train\non all."
    assert row["quote"].startswith("**We")


PAGE = """# Terms

## What we do

We train on data. We may [share](https://a.example/c_d) **your data** & more.

*   We keep it; we never-ever sell it, to anyone at all, whoever they may be, for money or for favours.

| Kind | Use |
| --- | --- |
| Photos | We may keep it for a year |

For ever. We may keep it for a year
"""


def _fragment(quote: str, page: str = PAGE) -> str:
    start = page.index(quote)
    return unquote(text_fragment(page, start, start + len(quote)).removeprefix("text="))


def test_a_short_quote_is_named_by_the_words_that_its_page_shows() -> None:
    assert _fragment("We may [share](https://a.example/c_d) **your data** & more.") == "We may share your data & more"


def test_a_long_quote_is_named_by_its_first_and_its_last_words() -> None:
    assert _fragment(PAGE[PAGE.index("We keep it;") : PAGE.index("\n\n| Kind")]) == "We keep it,or for favours"


def test_a_quote_of_several_blocks_is_named_by_words_of_the_first_and_the_last() -> None:
    assert _fragment(PAGE[PAGE.index("What we do") : PAGE.index(" We may [")]) == "What we do,train on data"


def test_words_that_stand_twice_are_told_apart_by_those_around_them_in_one_block() -> None:
    last = PAGE.rindex("We may keep")
    assert unquote(text_fragment(PAGE, last, len(PAGE))) == "text=ever.-,We may keep it for a year"
    assert _fragment("We may keep it for a year |") == "Photos-,We may keep it for a year"
    twice = "A. We share it. Never sold.\n\nA. We share it. Always sold."
    assert unquote(text_fragment(twice, 32, 44)) == "text=A.-,We share it,-. Always"
    lists = "# One\n\nA.\n\nWe share it.\n\n# Two\n\nA.\n\nWe share it.\n\n# Three"
    last = lists.rindex("We share it")
    assert unquote(text_fragment(lists, last, last + 12)) == "text=A.-,We share it.,-Three"


def test_a_copy_in_the_same_surroundings_is_named_as_the_first() -> None:
    copies = "A. We share it.\n\n" * 3
    assert unquote(text_fragment(copies, 20, 32)) == "text=We share it"


def test_a_quote_of_several_blocks_that_nothing_tells_from_another_leads_to_its_page_only() -> None:
    page = "Terms.\n\nWe keep it.\n\nNever sold.\n\nTerms.\n\nWe keep it.\n\nFor ever."
    start = page.rindex("We keep it")
    assert text_fragment(page, start, len(page)) == ""


def test_what_has_a_meaning_in_a_text_directive_is_encoded() -> None:
    page = "Never-ever, you & we: 100% \u201cours\u201d"
    assert text_fragment(page, 0, len(page)) == ("text=Never%2Dever%2C%20you%20%26%20we%3A%20100%25%20%E2%80%9Cours")


@pytest.mark.parametrize("span", [(0, 0), (5, 3), (-4, 0), (900, 950), (0, 1)])
def test_what_holds_no_words_has_no_fragment(span: tuple[int, int]) -> None:
    assert text_fragment(PAGE, *span) == ""


def test_chinese_without_blanks_is_named_by_its_clauses() -> None:
    page = "\u6211\u4eec\u4f7f\u7528\u6570\u636e\uff0c\u7528\u4e8e\u8bad\u7ec3\u3002\u5176\u4ed6\u3002"
    assert unquote(text_fragment(page, 0, 12)) == f"text={page[:11]}"


@pytest.mark.parametrize(
    ("document", "archive", "address"),
    [
        ("https://a.example/terms", None, "https://a.example/terms#:~:text=We%20train%20on%20data"),
        ("https://a.example/t?x=1#s2", None, "https://a.example/t?x=1#s2:~:text=We%20train%20on%20data"),
        ("https://a.example/t#s:~:text=other", None, "https://a.example/t#s:~:text=We%20train%20on%20data"),
        (
            None,
            "https://archive.example/web/20260101000000/https://a.example/t",
            "https://a.example/t#:~:text=We%20train%20on%20data",
        ),
        (None, "https://archive.example/web/2026/http:/a.example", "http://a.example#:~:text=We%20train%20on%20data"),
        (None, "https://code.example/blob/0123456789/terms.md", None),
        (None, None, None),
        ("", "", None),
        ("javascript:alert(1)", None, None),
        ("https://user:word@a.example/", None, None),
        ("https://a.example/ x", None, None),
        ("https://[::1", None, None),
        ("//a.example/x", None, None),
        (None, "https://archive.example/web/20260101/javascript:alert(1)", None),
    ],
)
def test_a_quote_leads_to_its_page_only_where_an_address_of_the_web_is_told(
    document: str | None, archive: str | None, address: str | None
) -> None:
    start = PAGE.index("We train on data.")
    assert live_url(document, archive, PAGE, start, start + 17) == address


def test_a_document_without_words_is_led_to_without_a_fragment() -> None:
    assert live_url("https://a.example/terms#part", None) == "https://a.example/terms#part"


@pytest.mark.slow
def test_a_text_of_many_brackets_and_marks_is_read_in_bounded_time() -> None:
    for hostile in (
        "[" * 200_000,
        "[a](" * 100_000,
        "**_" * 100_000,
        "<a " * 100_000,
        "- " * 150_000,
        "\\" * 200_000,
        " " * 200_000,
    ):
        assert text_fragment(f"We train. {hostile}", 0, 9).startswith("text=We%20train")
