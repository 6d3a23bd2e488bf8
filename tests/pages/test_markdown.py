"""Marks of Markdown are left out of quotes, words never."""

from __future__ import annotations

import pytest

from riskanalytics.pages.markdown import without_marks
from riskanalytics.pages.rows import quote, quoted


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("**Bold** words and ***more***.", "Bold words and more."),
        ("See [our terms](https://a.example/terms_(new)#x) and [privacy](/p).", "See our terms and privacy."),
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
