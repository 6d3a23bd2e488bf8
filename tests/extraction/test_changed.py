"""The clauses that differ between two texts, and the directions in which readers (language models) agree."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import changed
from riskanalytics.extraction.changed import Changed, agreed, change_key, changed_units, views
from riskanalytics.extraction.compare import Walk
from riskanalytics.extraction.records import COURSES, Comparison, Course, Reading
from riskanalytics.extraction.verdicts import Readers
from tests.extraction.given import stated
from tests.service.given import PRIVACY, PRIVACY_LATER

BEFORE = "# Privacy\n\nWe keep your files for 30 days.\n\nWe never sell your data.\n\nYou can write to us."
AFTER = "# Policy\n\nWe never sell your data!\n\nYou can write to us.\n\nWe keep your files for two years."


def test_a_unit_differs_if_its_words_do_whatever_its_heading_place_and_punctuation() -> None:
    found = changed_units(BEFORE, AFTER)
    assert [unit.words for unit in found.gone] == ["We keep your files for 30 days."]
    assert [unit.words for unit in found.new] == ["We keep your files for two years."]
    assert changed_units(BEFORE, BEFORE) == ((), ())
    assert changed_units("We keep 3 logs.\n", "WE KEEP 3 (LOGS)\n") == ((), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("15.9 _Notices._ We send notices by mail.", "15.10 _Notices._ We send notices by mail."),
        ("(a) We keep files for a year.", "* (b) We keep files for a year."),
        ("3.2你可以随时删除你的文件。", "3.4 你可以随时删除你的文件。"),
        ("（9） 你可以删除文件。", "（10）你可以删除文件。"),
        (
            "We keep your files for 30 days. We never sell them to anybody.",
            "We keep your files for 30 days; we never sell them to anybody.",
        ),
        ("We keep your files for a year.\n\nWrite to us.", "## We keep your files for a year\n\nWrite to us."),
    ],
)
def test_a_clause_with_another_number_or_other_borders_does_not_differ(before: str, after: str) -> None:
    assert changed_units(before, after) == changed_units(after, before) == ((), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We keep files for 3.5 years.", "We keep files for 4.5 years."),
        ("We share what you write with others.", "We never share what you write with others."),
        ("We sell it.", "We say who may sell it."),
        (
            "We use what you write to train our models.",
            "Unless you opt out, we use what you write to train our models.",
        ),
    ],
)
def test_a_clause_with_another_word_or_figure_differs(before: str, after: str) -> None:
    found = changed_units(before, after)
    assert ([unit.words for unit in found.gone], [unit.words for unit in found.new]) == ([before], [after])


def test_the_key_of_a_change_depends_on_its_units_and_their_sides() -> None:
    found = changed_units(BEFORE, AFTER)
    (gone,), (new,) = found
    assert found.key == change_key([gone.key], [new.key]) != change_key([new.key], [gone.key])
    assert changed_units(AFTER, BEFORE).key != found.key
    assert change_key(["a", "b"], []) != change_key(["a"], ["b"]) != change_key([], ["a", "b"])


def test_readers_of_whom_one_does_not_name_a_surface_are_of_two_minds() -> None:
    courses = [Course("up", (("data_retention", "up"),)), Course("up")]
    assert agreed(courses, "none", {"data_retention": "up"}) == ("up", {"data_retention": "unclear"})
    assert agreed([*courses, courses[0]], "none", {"data_retention": "down"}) == ("up", {"data_retention": "up"})


OPT = "If you opt in, we use the prompts you enter to train our models."
BARE = "We use the prompts you enter to train our models."


@pytest.mark.parametrize(
    ("before", "after", "gone", "new"),
    [
        (OPT, f"{OPT}\n\n{BARE}", [], [BARE]),
        (f"{OPT}\n\n{BARE}", OPT, [BARE], []),
        (BARE, OPT, [BARE], [OPT]),
        (
            "We do not share your personal data with advertisers.",
            "We do not share your personal data with advertisers.\n\nWe do this:\n\n* share your personal data with advertisers",
            [], ["We do this:", "share your personal data with advertisers"],
        ),
        ("我们不会出售您的个人信息。", "我们不会出售您的个人信息。\n\n* 出售您的个人信息", [], ["出售您的个人信息"]),
        (OPT, f"Unless you object, {OPT.lower()}\n\n{BARE}", [OPT], [f"Unless you object, {OPT.lower()}", BARE]),
        ("We delete files within (30) days.", "We delete files within (90) days.", ["We delete files within (30) days."],
         ["We delete files within (90) days."]),
        ("* 3.5 Years for files", "* 9.5 Years for files", ["3.5 Years for files"], ["9.5 Years for files"]),
        ("* 3.5年内保存您的个人信息", "* 9.5年内保存您的个人信息", ["3.5年内保存您的个人信息"], ["9.5年内保存您的个人信息"]),
        ("We sell it. We keep files for long.\n\n* We keep files for long.", "We sell it. We keep files for long.", [], []),
        (OPT, f"{OPT}\n\n{OPT}", [], []),
        ("(1) We keep files (a) here.", "(2) We keep files (b) here.", [], []),
    ],
)  # fmt: skip
def test_a_clause_is_new_or_gone_although_a_longer_clause_has_its_words_and_numbers_of_clauses_do_not_count(
    before: str, after: str, gone: list[str], new: list[str]
) -> None:
    found = changed_units(before, after)
    assert ([unit.words for unit in found.gone], [unit.words for unit in found.new]) == (gone, new)


def test_a_material_change_may_also_be_judged_by_its_clauses_with_a_finding_or_lead() -> None:
    more = f"{AFTER}\n\nThe office has a garden with trees, and a pond with fish in it."
    whole, part = views(BEFORE, more, "material")
    assert whole == changed_units(BEFORE, more)
    assert [unit.words for unit in part.new] == ["We keep your files for two years."]
    lead = Reading(leads=(stated(more, "The office has a garden with trees, and a pond with fish in it."),))
    _, found = views(BEFORE, more, "material", (Reading(), lead))
    assert ([unit.words for unit in found.new], found.gone) == ([lead.leads[0].quote], ())
    assert [*views(BEFORE, more, "wording")] == [whole]


@pytest.mark.parametrize(("most", "judged"), [(95, 1), (94, 0)])
def test_a_long_change_of_wording_has_no_form(monkeypatch: pytest.MonkeyPatch, most: int, judged: int) -> None:
    monkeypatch.setattr(changed, "_LONGEST_WORDING", most)
    before = "We share it with all of these:\n\n* the old offices.\n"
    after = before.replace("old offices", "new offices in")  # 46 and 49 characters with the lead-in
    assert len([*views(before, after, "wording")]) == judged
    assert len([*views(before, after, "material")]) == 2


@pytest.mark.parametrize(
    ("said", "direction"),
    [
        ("up up", "up"),
        ("down down", "down"),
        ("both both", "mixed"),
        ("both up", "mixed"),
        ("down both", "mixed"),
        ("up down", "unclear"),
        ("up none", "unclear"),
        ("both none", "unclear"),
        ("none none", "unclear"),
        ("up down up", "up"),
        ("none up none", "unclear"),
        ("up down both", "unclear"),
        ("up none both", "unclear"),
    ],
)
def test_the_direction_is_that_of_most_readers_or_open(said: str, direction: str) -> None:
    courses = [Course(way, (("data_retention", way), ("training_use", "up"))) for way in said.split()]
    own = {"data_retention": "down", "content_license": "up", "training_use": "down"}
    whole, directions = agreed(courses, "down", own)
    assert whole == ("none" if said == "none none" else direction)
    assert directions == {"data_retention": direction, "content_license": "unclear", "training_use": "up"}


def test_one_reader_alone_changes_no_direction() -> None:
    assert agreed([Course("up")], "down", {"data_retention": "down"}) == ("down", {"data_retention": "down"})
    assert agreed([], "up", {}) == ("up", {})


@pytest.mark.parametrize("way", COURSES)
def test_a_walk_gives_a_change_the_direction_of_its_readers(way: str) -> None:
    key = changed_units(PRIVACY, PRIVACY_LATER).key
    courses = {name: {key: Course(way, (("training_use", way),))} for name in "ab"}
    walk = Walk((Readers(("a", "b"), {}, {}, courses=courses),))
    walk.step("2026-01-01", "1", PRIVACY)
    found = walk.step("2026-02-01", "2", PRIVACY_LATER).comparison
    assert found
    whole, surface = {"both": "mixed"}.get(way, way), {"both": "mixed", "none": "unclear"}.get(way, way)
    assert (found.change_class, found.direction, found.directions["training_use"]) == ("material", whole, surface)
    assert found.courses == tuple(of[key] for of in courses.values())
    assert found.summary.endswith("removed. Language models judged the direction.")
    alone = Walk((Readers(("a",), {}, {}, courses={"a": courses["a"]}),))
    alone.step("2026-01-01", "1", PRIVACY)
    one = alone.step("2026-02-01", "2", PRIVACY_LATER).comparison
    assert one
    assert one.summary.endswith("removed.")


def walked(text: str, courses: dict[str, dict[str, Course]]) -> Comparison:
    """The change from the first text, as two readers judge it."""
    walk = Walk((Readers(("a", "b"), {}, {}, courses=courses),))
    walk.step("2026-01-01", "1", PRIVACY)
    found = walk.step("2026-02-01", "2", text).comparison
    assert found
    return found


def test_readers_who_saw_the_whole_change_decide_before_readers_who_saw_a_part() -> None:
    later = f"{PRIVACY_LATER}\n\nThe office has a garden with trees, and a pond with fish in it.\n"
    whole, part = views(PRIVACY, later, "material")
    assert whole.key != part.key
    of_part = {part.key: Course("down")}
    assert walked(later, {"a": of_part, "b": of_part}).direction == "down"
    both = of_part | {whole.key: Course("up")}
    assert walked(later, {"a": both, "b": of_part}).direction == "down"
    assert walked(later, {"a": both, "b": both}).direction == "up"


def test_a_change_of_wording_is_judged_only_by_readers_who_saw_it_whole() -> None:
    later = f"{PRIVACY}\n\nThe office has a garden with trees, and a pond with fish in it.\n"
    part = {Changed((), ()).key: Course("up")}
    assert walked(later, {"a": part, "b": part}).change_class == "wording"
    whole = {changed_units(PRIVACY, later).key: Course("up")}
    found = walked(later, {"a": whole, "b": whole})
    assert (found.change_class, found.direction) == ("material", "up")


MOVED = (
    "We will not:\n\n* use your content to train our models\n* call you at night\n\nWe will:\n\n* send you mail\n",
    "We will not:\n\n* call you at night\n\nWe will:\n\n* use your content to train our models\n* send you mail\n",
)


def test_readers_do_not_overrule_a_promise_that_became_a_practice_with_the_same_words() -> None:
    before, after = (
        f"{PRIVACY}\n\n{text}\n\nWrite to our office in {city}."
        for text, city in zip(MOVED, ("Berlin", "Paris"), strict=True)
    )
    none = {changed_units(before, after).key: Course("none")}
    walk = Walk((Readers(("a", "b"), {}, {}, courses={"a": none, "b": none}),))
    walk.step("2026-01-01", "1", before)
    found = walk.step("2026-02-01", "2", after).comparison
    assert found
    assert (found.change_class, found.direction, found.courses) == ("material", "up", ())


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("for 1.5 years", "for 15 years", "wording"), ("for 3-6 months", "for 36 months", "wording"),
        ("for $100", "for €100", "wording"), ("if aged <13", "if aged >13", "wording"),
        ("on 5 shares", "on 5% shares", "wording"),
        ("since 3 May 2026", "since 4 June 2026", "format"), ("(see 1.5)", "(see 2.5)", "wording"),
        ("for you", "**for** you", "format"),
    ],
)  # fmt: skip
def test_figures_with_a_sign_or_unit_are_no_matter_of_form(before: str, after: str, kind: str) -> None:
    walk = Walk(())
    walk.step("2026-01-01", "1", f"{PRIVACY}\n\nWe hold such things of our users {before} and no more.\n")
    found = walk.step(
        "2026-02-01", "2", f"{PRIVACY}\n\nWe hold such things of our users {after} and no more.\n"
    ).comparison
    assert found
    assert found.change_class == kind


def test_sentences_that_are_paired_anew_are_compared_in_a_moment() -> None:
    words = [f"Sentence number w{at} has words about matter m{at}." for at in range(2000)]
    before = "\n\n".join(f"{one} {two}" for one, two in zip(words[::2], words[1::2], strict=True))
    after = "\n\n".join(
        [f"{words[0]} Indeed.", *(f"{one} {two}" for one, two in zip(words[1::2], words[2::2], strict=False))]
    )
    assert len(changed_units(before, after).new) < 20
