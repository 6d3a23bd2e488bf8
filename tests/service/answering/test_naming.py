"""Which platform a question names: whole names first, parts where they are clear, never a common word."""

from __future__ import annotations

import pytest

from riskanalytics.service.answering.question import mentions, normalised

NAMES = [
    ("alalix-chat", "Alalix Chat"),
    ("alalix-chat-pro", "Alalix Chat Pro"),
    ("cafe-lumiere", "Café Lumière"),
    ("chat-by-orvane", "Chat by Orvane"),
    ("code-by-orvane", "Code by Orvane"),
    ("marvellous", "Marvellous"),
    ("mirna-desk", "Mirna Desk"),
    ("mirnadesk", "MirnaDesk"),
    ("o-tarlow-draft", "O'Tarlow Draft"),
    ("wulan", "雾岚砚助手"),
    ("zel-ai", "Zelbriquon.ai"),
    ("zel-ai-2", "Zelbriquon AI"),
]


def named(question: str) -> list[tuple[str, ...]]:
    """The slugs that each mention fits."""
    return [mention.slugs for mention in mentions(normalised(question), NAMES)]


@pytest.mark.parametrize(
    ("question", "slugs"),
    [
        ("Does Alalix Chat train on my data?", [("alalix-chat",)]),
        ("does alalix chat train on my data?", [("alalix-chat",)]),
        ("Does Alalix Chat Pro train on my data?", [("alalix-chat-pro",)]),
        ("Does alalix-chat train?", [("alalix-chat",)]),
        ("Does CAFE LUMIERE train?", [("cafe-lumiere",)]),
        ("Does Café Lumière’s policy allow it?", [("cafe-lumiere",)]),
        ("Does O’Tarlow Draft train?", [("o-tarlow-draft",)]),
        ("雾岚砚助手会用我的对话训练模型吗？", [("wulan",)]),
        ("Café Lumière会训练吗", [("cafe-lumiere",)]),
        ("Does Zelbriquon.ai train?", [("zel-ai",)]),
        ("Does Zelbriquon AI train?", [("zel-ai-2",)]),
        ("Does zelbriquon-ai train?", [("zel-ai", "zel-ai-2")]),
        ("Does Orvane train?", [("chat-by-orvane", "code-by-orvane")]),
        ("Does Lumière train?", [("cafe-lumiere",)]),
        ("Do Alalix Chat and Lumière train?", [("alalix-chat",), ("cafe-lumiere",)]),
        ("Compare Café Lumière and Marvellous", [("cafe-lumiere",), ("marvellous",)]),
        ("Does Orvane's Code by Orvane train?", [("code-by-orvane",)]),
        ("Can Marvellous staff read what I type into Alalix Chat?", [("alalix-chat",)]),
        ("Does MirnaDesk train?", [("mirnadesk",)]),
        ("Does Mirna Desk train?", [("mirna-desk",)]),
    ],
)
def test_a_name_is_found_in_the_forms_people_write(question: str, slugs: list[tuple[str, ...]]) -> None:
    assert named(question) == slugs


@pytest.mark.parametrize(
    "question",
    [
        "Is it marvellous that they train on my data?",
        "What a marvellous chat",
        "Is a marvellous api trained on my data?",
        "Does the chat keep my code in a draft?",
        "Does Alalixx Chatter train?",
        "Does Lumiereville train?",
        "Does Chat train?",
    ],
)
def test_a_common_word_or_a_similar_name_is_not_a_platform(question: str) -> None:
    assert named(question) == []


def test_a_word_that_more_than_five_names_share_names_none_of_them() -> None:
    names = [(f"orvane-{number}", f"Orvane Desk{number}") for number in range(6)]
    assert [one.slugs for one in mentions("Does Orvane train?", names[:5])] == [tuple(slug for slug, _ in names[:5])]
    assert mentions("Does Orvane train?", names) == []


def test_a_word_of_three_letters_is_enough_of_a_name_and_one_of_two_is_not() -> None:
    names = [("yun-desk", "Yun Desk"), ("wo-draw", "Wo Draw")]
    assert [one.slugs for one in mentions("Do Yun and Wo train?", names)] == [("yun-desk",)]


def test_a_name_in_chinese_letters_is_that_of_the_platform_with_the_latin_one() -> None:
    latin = {
        "豆包": "Doubao", "文心一言": "WenxinYiyan", "文心": "WenxinYiyan", "通义千问": "Qwen", "千问": "Qwen",
        "深度求索": "DeepSeek", "混元": "Hunyuan", "元宝": "Yuanbao", "智谱清言": "ChatGLM", "讯飞星火": "Spark",
        "海螺": "Hailuo", "可灵": "Kling", "即梦": "Jimeng",
    }  # fmt: skip
    known = [(name.lower(), name) for name in dict.fromkeys(latin.values())]
    for written, name in latin.items():
        assert [one.slugs for one in mentions(f"{written}会训练吗", known)] == [(name.lower(),)], written


def test_a_common_word_in_the_position_of_a_name_is_a_name() -> None:
    assert named("does marvellous train on my data") == [("marvellous",)]
    assert named("what is in marvellous's policy") == [("marvellous",)]
    assert named("must I agree before marvellous trains on my data") == [("marvellous",)]
    assert named("does lumière own the songs I make") == [("cafe-lumiere",)]
    assert named("does the marvellous api train on my data") == [("marvellous",)]
