"""Sections of a page, and the names, anchors and JSON of its figures."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from riskanalytics.pages.section import DETAILS, Figures, Section, html_of, of_data, script_json, sentence
from riskanalytics.pages.values import PAGE_TYPE, Figure, Link, Paragraph
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_TEXT, figure_template


def test_each_figure_has_a_name_and_an_anchor_of_its_own() -> None:
    figures = Figures()
    assert [figures.name(Figure("Risk Mix", "", "")) for _ in range(3)] == ["risk-mix", "risk-mix-2", "risk-mix-3"]
    assert [figures.key(), figures.key(), figures.once("a"), figures.once("a")] == ["chart-1", "chart-2", True, False]


def test_json_in_a_script_element_cannot_end_it_or_turn_its_text() -> None:
    value = {"b": "</script>&\u2028\u202e\u2066\u200f\u061c\ud800\U000e0041", "a": "é"}
    text = script_json(value)
    assert text == (
        '{"a":"é","b":"\\u003c/script\\u003e\\u0026\\u2028\\u202e\\u2066\\u200f\\u061c\\ud800\\udb40\\udc41"}'
    )
    assert json.loads(text) == value


def test_a_live_notebook_gets_the_colours_of_the_levels_and_hides_names_kept_for_saved_tables() -> None:
    html = sentence("a").html
    for level, letter in (("UNKNOWN", "U"), ("LOW", "L"), ("MED", "M"), ("HIGH", "H")):
        fill, ink = LEVEL_COLOURS["light"][level], LEVEL_TEXT["light"][level]
        assert f".ra-page .{letter}{{background:{fill};color:{ink}!important}}" in html
    assert ".ra-page .rest{display:none}" in html
    assert html.endswith('<div class="ra-page"><p>a</p></div>')


def test_only_the_template_of_the_package_is_left_out_of_a_figure() -> None:
    for template, kept in ((figure_template(), False), ({"layout": {"width": 3}}, True)):
        html = html_of((Figure("a", "A", "", plot={"data": [], "layout": {"template": template, "height": 300}}),))
        assert ('"template"' in html, "min-height:300px" in html) == (kept, True)


@pytest.mark.parametrize(
    ("to", "inside"),
    [
        ("#a b", True),
        ("page-1.html", True),
        ("a/b.html", False),
        ("mailto:a", False),
        ("http://a.example/", False),
        ("", False),
    ],
)
def test_links_lead_to_the_page_or_its_folder(to: str, inside: bool) -> None:
    assert (f'<a href="{to}">' in html_of((Paragraph(Link("words", to)),))) is inside


def test_a_section_carries_its_facts_to_the_exporter() -> None:
    bundle, details = Section((Paragraph("a"),), "b", {"title": "T"})._repr_mimebundle_()
    assert (bundle[PAGE_TYPE], bundle["text/plain"]) == ([{"kind": "paragraph", "words": "a"}], "b")
    assert details == {DETAILS: {"report": {"title": "T"}}}
    assert sentence("a", "lead") == Section((Paragraph("a", "lead"),), "a")


@of_data(second="other", extra="more")
def shown(first: str, second: str, extra: str = "none", plain: str = "default") -> Section:
    return sentence(f"{first} {second} {extra} {plain}")


class Data:
    views = SimpleNamespace(first="1", second="wrong", other="2", more="3", plain="wrong")


def test_a_data_set_stands_for_the_frames_that_are_not_given() -> None:
    data = Data()
    assert [one.text for one in (shown(data), shown(data, second="s"), shown("a", "b"), shown(data, "b"))] == [
        "1 2 3 default", "1 s 3 default", "a b none default", f"{data} b none default",
    ]  # fmt: skip
