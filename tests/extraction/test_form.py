"""How a clause is built."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.sense import COLUMNS, form_of


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
def test_the_end_of_a_clause_is_told_behind_quotes_and_stars(words: str, end: str, column: str | None) -> None:
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
def test_who_or_what_stands_at_the_head_is_told(words: str, head: str) -> None:
    assert f"A{head}" in form_of(words, "sentence").features
    assert numbers(words)[f"head_{head}"] == 1


def test_nobody_stands_at_the_head_of_a_bare_purpose() -> None:
    assert not any(name.startswith("A") for name in form_of("to train our models", "item").features)


def test_a_lead_in_tells_who_speaks_and_what_is_denied() -> None:
    told = numbers("share the content of others", "item", "you may not:")
    assert (told["continues"], told["item"], told["lead_user"], told["lead_negated"]) == (1, 1, 1, 1)
    assert (told["lead_vendor"], told["head_user"]) == (0, 0)
    told = numbers("to answer you", "item", "we use your data:")
    assert (told["lead_vendor"], told["lead_negated"]) == (1, 0)
    assert "noL" in form_of("to answer you", "item").features
    assert "noL" not in form_of("to answer you", "item", "we use your data:").features


def test_a_title_has_no_verb_and_a_sentence_has() -> None:
    assert (numbers("privacy and security")["verb"], numbers("we keep it")["verb"]) == (0, 1)
    assert numbers("我们保存您的信息")["verb"] == 1


def test_a_row_is_no_item() -> None:
    told = numbers("name, address", "row")
    assert (told["row"], told["item"]) == (1, 0)


def test_length_is_told_in_steps_and_never_without_bound() -> None:
    assert [next(name for name in form_of("word " * count, "item").features if name[0] == "n") for count in (3, 4, 41)] == [
        "n0", "n1", "n5",
    ]  # fmt: skip
    assert numbers("word " * 5000)["words"] == 300
