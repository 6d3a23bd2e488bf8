"""Words of a page: marks of Markdown are left out, words never; a text fragment names a quote by them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from riskanalytics.cli import first_words
from riskanalytics.evidence.sources import is_shown
from riskanalytics.pages.rows import quote, quoted
from riskanalytics.text.page_words import live_url, live_words, text_fragment, without_marks


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


def test_joiners_and_marks_of_tables_are_not_shown_and_the_record_of_the_quote_keeps_them() -> None:
    raw = "We \u200bmay use[it\u2060](https://a.example/b),\ufeff soft\u00adly.<br>"
    raw += "| Kind | Kept |\n| --- | --- |\n| Logs | 30 days |"
    row = {"quote": raw, "snapshot_sha256": "ab" * 32, "start": 0, "end": len(raw)}
    shown = quote(row)
    assert " ".join(str(shown.words).split()) == "We may useit, softly. Kind Kept Logs 30 days"
    assert shown.evidence is not None
    assert shown.evidence.quote == raw
    assert is_shown(str(shown.words), raw) == "whole"
    assert first_words(raw, 200) == "We may use[it](https://a.example/b), softly. Kind Kept Logs 30 days"


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


def test_a_heading_ends_a_block() -> None:
    assert text_fragment("## What we do\nWe train on data.", 3, 33) == "text=What%20we%20do,train%20on%20data"


def test_a_long_quote_is_named_by_its_first_and_its_last_words() -> None:
    assert _fragment(PAGE[PAGE.index("We keep it;") : PAGE.index("\n\n| Kind")]) == "We keep it,or for favours"
    words = [f"We keep it for {'a' * letters} year" for letters in (60, 61)]  # 80 and 81 letters
    assert [_fragment(quote, quote) for quote in words] == [words[0], f"We keep it,for {'a' * 61} year"]


def test_a_quote_of_several_blocks_is_named_by_words_of_the_first_and_the_last() -> None:
    assert _fragment(PAGE[PAGE.index("What we do") : PAGE.index(" We may [")]) == "What we do,train on data"
    for page in ("What we do<br>We train on data.", "What we do\n# We train on data."):
        assert _fragment(page.lstrip("# "), page) == "What we do,train on data", page


def test_repeated_words_are_distinguished_by_the_words_around_them_in_one_block() -> None:
    last = PAGE.rindex("We may keep")
    assert unquote(text_fragment(PAGE, last, len(PAGE))) == "text=ever.-,We may keep it for a year"
    assert _fragment("We may keep it for a year |") == "Photos-,We may keep it for a year"
    twice = "A. We share it. Never sold.\n\nA. We share it. Always sold."
    assert unquote(text_fragment(twice, 32, 44)) == "text=A.-,We share it,-. Always"
    lists = "# One\n\nA.\n\nWe share it.\n\n# Two\n\nA.\n\nWe share it.\n\n# Three"
    last = lists.rindex("We share it")
    assert unquote(text_fragment(lists, last, last + 12)) == "text=A.-,We share it.,-Three"


def test_a_later_copy_in_the_same_surroundings_leads_to_its_page_only_and_the_first_to_its_words() -> None:
    copies = "A. We share it.\n\n" * 4
    assert text_fragment(copies, 20, 32) == ""
    assert text_fragment(copies, 3, 15) == "text=We%20share%20it"
    copies = "B. We share it.\n\nNever.\n\n" * 3
    assert text_fragment(copies, 29, len(copies) - 1) == ""


def test_several_blocks_with_the_same_beginning_have_their_own_links() -> None:
    page = "Terms.\n\nWe keep it.\n\nNever sold.\n\nTerms.\n\nWe keep it.\n\nFor ever."
    start = page.rindex("We keep it")
    assert unquote(text_fragment(page, start, len(page))) == "text=Terms.-,We keep it.,-For&text=For ever"
    table = "| A | b | 1 |\n| --- | --- | --- |\n| A | c | 1 |\n| A | d | 1 |"
    assert unquote(text_fragment(table, table.index("A | c"), table.index("1 |\n| A | d") + 1)) == "text=A,-c&text=c,1"


def test_a_link_has_at_most_12_directives_and_a_quote_that_needs_more_leads_to_its_page_only() -> None:
    pages = ["\n\n".join(f"k{n}\n\nz" for n in range(pairs)) for pairs in (7, 8)]
    directives = [f"text=k{n}{end}" for n in range(6) for end in ("", "-,z")]
    assert [unquote(text_fragment(page, 0, len(page))) for page in pages] == ["&".join(directives) + ",z", ""]


def test_up_to_12_words_name_an_end_of_a_quote_and_up_to_24_stand_around_it() -> None:
    same = " ".join(f"w{n}" for n in range(11))
    end = " ".join(f"v{n}" for n in range(20))
    page = f"{same} x {end}.\n\n{same} y {end}."
    start = page.rindex("w0")
    assert unquote(text_fragment(page, start, len(page))) == f"text={same} y,v17 v18 v19"
    around = " ".join(f"w{n}" for n in range(23))
    before = f"One {around} we keep it.\n\nTwo {around} we keep it."
    place = before.rindex("we keep it")
    assert unquote(text_fragment(before, place, place + 10)) == f"text=Two {around}-,we keep it"
    after = f"A.\n\nWe keep it {around} one.\n\nA.\n\nWe keep it {around} two."
    place = after.rindex("We keep it")
    assert unquote(text_fragment(after, place, place + 10)) == f"text=A.-,We keep it,-{around} two"


def test_words_that_a_browser_takes_for_the_same_are_distinguished_by_the_words_around_them() -> None:
    for copy in ("We use café data.", "we USE cafe data."):
        page = f"One. {copy}\n\nTwo. We use café data."
        assert unquote(text_fragment(page, page.rindex("We use"), len(page))) == "text=Two.-,We use café data"
    page = 'One. It is \u201cours\u201d.\n\nTwo. It is "ours".'
    assert unquote(text_fragment(page, page.rindex("It is"), len(page))).startswith("text=Two.-,It is")
    page = "\n\n".join(f"{word}. We keep it." for word in ("All A B C D", "No A B C D", "Other"))
    start = page.index("We keep it", 30)
    assert unquote(text_fragment(page, start, start + 11)) == "text=No A B C D.-,We keep it"


def test_repeated_last_words_of_a_quote_are_distinguished_by_the_words_after_them() -> None:
    page = "Here is what we do with it.\n\nIt is kept.\n\nIt is sold.\n\nNever is it lent."
    start, end = page.index("what"), page.rindex("is sold") + 2
    assert unquote(text_fragment(page, start, end)) == "text=what we do,It is,-sold"


def test_words_do_not_end_before_a_word_joiner() -> None:
    page = "Read [our instructions\u2060](https://a.example/x) on how you can opt out of all that we do with your data, now."
    assert unquote(text_fragment(page, 0, len(page))) == "text=Read our instructions\u2060 on,your data, now"


def test_characters_with_a_meaning_in_a_text_directive_are_encoded() -> None:
    page = "Never-ever, you & we: 100% \u201cours\u201d"
    assert text_fragment(page, 0, len(page)) == ("text=Never%2Dever%2C%20you%20%26%20we%3A%20100%25%20%E2%80%9Cours")


@pytest.mark.parametrize("span", [(0, 0), (5, 3), (-4, 0), (900, 950), (0, 1)])
def test_text_without_words_has_no_fragment(span: tuple[int, int]) -> None:
    assert text_fragment(PAGE, *span) == ""


def test_chinese_without_blanks_is_named_by_its_clauses() -> None:
    page = "\u6211\u4eec\u4f7f\u7528\u6570\u636e\uff0c\u7528\u4e8e\u8bad\u7ec3\u3002\u5176\u4ed6\u3002"
    assert unquote(text_fragment(page, 0, 12)) == f"text={page[:11]}"


THAI = "\u0e40\u0e23\u0e32\u0e43\u0e0a\u0e49\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25\u0e02\u0e2d\u0e07\u0e04\u0e38\u0e13"
CHINESE = "\u6211\u4eec\u4f7f\u7528\u60a8\u7684\u5185\u5bb9\u8bad\u7ec3\u6a21\u578b"


@pytest.mark.parametrize(
    "run", [THAI * 6, CHINESE * 8, f"https://a.example/{'a' * 80}"], ids=["Thai", "Chinese", "address"]
)
def test_a_long_run_without_blanks_is_named_whole(run: str) -> None:
    assert _fragment(run, f"# Terms\n\n{run}\n\nEnd.\n") == run
    assert _fragment(run, f"# Terms\n\n{run}.\n\nEnd. {run}\n") == f"Terms-,{run}"


def test_a_run_too_long_for_an_address_leads_to_its_page_only() -> None:
    assert text_fragment(THAI * 100, 0, len(THAI) * 100) == ""
    assert text_fragment("a" * 8000, 0, 8000) == ""


RUNS = st.sampled_from(
    [THAI, THAI * 6, CHINESE, CHINESE * 8, "a" * 90, "we", "train", "\u00e9t\u00e9", "\u2060", "\ud800", "\ue000"]
)
BLANKS = st.sampled_from(["", " ", " ", "\n\n", ". ", "\u3002", "\xa0", ", ", "\n"])
WORDS = st.lists(st.tuples(RUNS, BLANKS).map("".join), max_size=24).map("".join)
MARKS = st.sampled_from(["**", "_", "|", "[", "](/a)", "![", "\n# ", "\n- ", "<br>", "\\", "*", "`", "\ue001"])
ANY = st.one_of(st.text(st.characters()), st.lists(st.one_of(RUNS, BLANKS, MARKS), max_size=40).map("".join))
PLACES = st.integers(-5, 2500)


@given(ANY, PLACES, PLACES)
@example("a\ud800b", 0, 3)
def test_no_text_and_no_quote_is_an_error(text: str, start: int, end: int) -> None:
    for places in ((start, end), (0, len(text)), (start % (len(text) + 1), end % (len(text) + 1))):
        address = live_url("https://a.example/t", None, text, *places)
        assert address == "https://a.example/t" or address.startswith("https://a.example/t#:~:text=")
        assert address.isascii()
    without_marks(text)


@given(WORDS, PLACES, PLACES)
@example(THAI * 6, 0, 2500)
def test_the_words_of_a_fragment_are_in_the_text_and_in_the_quote(text: str, start: int, end: int) -> None:
    start, end = sorted((start % (len(text) + 1), end % (len(text) + 1)))
    for words, of_quote in _named(text_fragment(text, start, end)):
        assert words in re.sub(r"[ \n]+", " ", text)
        assert not of_quote or words.rstrip(" .,\xa0\u3002") in re.sub(r"[ \n]+", " ", text[start:end])


@pytest.mark.parametrize(
    "word", ["\u00e9 ", "_\u00e9 ", "<\u00e9 ", "\u00e9 " * 60 + "\n\n"], ids=["word", "mark", "tag", "block"]
)
def test_the_search_for_a_frequent_quote_is_bounded_by_the_text(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, read, normalize = word * (30_000 // len(word)), [0], unicodedata.normalize

    def counted(form: Any, words: str) -> str:
        read[0] += len(words)
        return normalize(form, words)

    monkeypatch.setattr(unicodedata, "normalize", counted)
    assert text_fragment(text, len(text) // 2, len(text) // 2 + 3000) == ""
    assert read[0] < 20 * len(text)


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
        (
            "https://a.example/new",
            "https://archive.example/web/20260101000000/https://a.example/old",
            "https://a.example/new#:~:text=We%20train%20on%20data",
        ),
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
def test_a_quote_links_to_its_page_only_if_its_web_address_is_known(
    document: str | None, archive: str | None, address: str | None
) -> None:
    start = PAGE.index("We train on data.")
    assert live_url(document, archive, PAGE, start, start + 17) == address


def test_a_document_without_words_is_linked_without_a_fragment_and_the_link_says_so() -> None:
    address = live_url("https://a.example/terms#part", None)
    assert address == "https://a.example/terms#part"
    assert live_words(address) == "live page from its top, if unchanged"
    assert live_words(f"{address}:~:text=We") == "live page, if unchanged"


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


def _named(fragment: str) -> Iterator[tuple[str, bool]]:
    """Give the words that directives name, and whether they are those of the quote, not those around it."""
    for directive in filter(None, fragment.split("&")):
        for words in directive.removeprefix("text=").split(","):
            yield unquote(words.strip("-"), errors="strict"), "-" not in (words[0], words[-1])
