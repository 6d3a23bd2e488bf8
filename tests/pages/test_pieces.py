"""What the typst template gets of a page: the words, links, levels, order and numbers of its parts."""

from __future__ import annotations

import pytest

from riskanalytics.pages import values as v
from riskanalytics.pages.print import _Printer, _settle_addresses, matrix_of, plain, runs_of, table_of


def test_words_keep_their_styles_and_only_inner_and_public_links() -> None:
    words = (
        "  a ", v.Text("q", "quote"), v.Level("MED"), v.Level("MED", True), v.Level("SEVERE"), v.Link("l", "https://a.example/"),
        v.Link("x", "file:///a"), v.Link("i", "#a"), v.Text("r", "rest"), v.Text(("y", v.Text("z", "code")), "strong"), "  ",
    )  # fmt: skip
    assert [(run["t"], run["s"], run["to"], run.get("l")) for run in runs_of(words)] == [
        ("a ", "", "", None), ("“", " quote", "", None), ("q", " quote", "", None), ("”", " quote", "", None),
        ("MED", "", "", "M"), ("M", "", "", "M"), ("?", "", "", "U"), ("l", "", "https://a.example/", None), ("x", "", "", None),
        ("i", "", "#a", None), ("y", " strong", "", None), ("z", " strong code", "", None),
    ]  # fmt: skip
    assert plain(words[:4]) == "  a “q”MEDM"


def test_a_table_keeps_its_cells_numbers_and_anchors_and_short_ones_stay_whole() -> None:
    table = v.Table(
        (v.Row(("a", "1"), "first"), v.Row(("b",))), (v.Column("A"), v.Column("N", "n whole")), "cap", anchor="t"
    )
    made = table_of(table)
    shown = [
        [(cell["r"][0]["t"] if cell["r"] else "", cell["n"]) for cell in row] for row in [*made["head"], *made["rows"]]
    ]
    assert shown == [[("A", False), ("N", True)], [("a", False), ("1", True)], [("b", False), ("", True)]]
    assert [row[0]["id"] for row in made["rows"]] == ["first", ""]
    assert (made["id"], plain(made["caption"][0]["t"]), made["size"], made["turned"]) == ("t", "cap", 9.0, False)
    whole = [
        table_of(v.Table((v.Row(("x" * long,)),) * rows))["whole"] for rows, long in ((16, 125), (17, 1), (16, 126))
    ]
    assert whole == [True, False, False]
    hashes = [table_of(v.Table((v.Row((v.Text("a" * 40, style),) * 4),))) for style in ("code", "meta")]
    assert [(made["size"], made["turned"]) for made in hashes] == [(9.0, True), (9.0, False)]


def test_a_matrix_keeps_each_level_under_its_surface_and_links_only_cells_with_clauses() -> None:
    rows = (
        v.MatrixRow("opal", "Opal", "HIGH", "verified", "H", "1", (v.Cell("H", "2a"), v.Cell("?")), linked=True),
        v.MatrixRow("q", "Q", "", "stale", "?", "", (v.Cell("L", "1a"), v.Cell())),
    )
    made = matrix_of(v.Matrix((("training_use", "Training"), ("content_licence", "Licence")), rows, 10))
    cells = [[(plain(run["t"]), run["to"], cell["f"]) for cell in row for run in cell["r"]] for row in made["rows"]]
    assert cells == [
        [
            ("Opal", "#platform-opal", ""),
            ("HIGH", "", "H"),
            ("verified", "", ""),
            ("H", "#opal-training_use", "H"),
            ("?", "", "U"),
        ],
        [("Q", "", ""), ("?", "", "U"), ("stale", "", ""), ("L", "", "L")],
    ]
    assert [cell["r"][0]["t"] for cell in made["head"][0]] == ["Platform", "Rating", "Evidence", "Training", "Licence"]
    wide = [matrix_of(v.Matrix(tuple((f"s{n}", f"S{n}") for n in range(size)), (), 1)) for size in (17, 18, 23, 24)]
    assert [(one["size"], one["turned"]) for one in wide] == [(7.5, False), (6.5, False), (6.5, False), (6.5, True)]
    assert (made["id"], made["leads"], made["whole"]) == ("risk-matrix", 3, False)


@pytest.mark.parametrize(
    ("parts", "levels"),
    [
        (
            (v.Heading("t", 1), v.Heading("a", 2), v.Heading("b", 4), v.Heading("c", 3), v.Heading("d", 2)),
            "a1 b2 c2 d1",
        ),
        (
            (v.Heading("a", 2), v.Fold("f", (v.Heading("i", 3),), "keep"), v.Heading("b", 4), v.Heading("c", 2)),
            "a1 f2 i3 b2 c1",
        ),
        (
            (v.Heading("a", 2), v.Fold("f", (v.Heading("i", 3),)), v.Fold("g", (v.Fold("h", (), "keep"),), "keep")),
            "a1 i2 g2 h3",
        ),
    ],
)
def test_headings_never_skip_a_level(parts: v.Parts, levels: str) -> None:
    pieces = [piece for piece in _Printer().of(parts) if piece["k"] == "heading"]
    assert " ".join(f"{piece['r'][0]['t']}{piece['level']}" for piece in pieces) == levels


def test_parts_are_printed_in_order_and_empty_ones_are_left_out() -> None:
    line = v.Paragraph("p")
    parts: v.Parts = (
        v.Quote("", "s"), v.Quote("q", "s", "x"), v.Group((line, line), "row"), v.Pair((v.Group((line,)), v.Group((line,)))),
        v.Listing(("a" * 34,) * 9), v.Listing(("a" * 35,) * 9), v.Listing(("a",) * 8, ordered=True), v.Foreign(text="f"),
        v.Command(""), v.Table(()), v.Group((), anchor="e"), v.Group((line,), anchor="z"), v.Group((line,), "article full"),
        v.Group((line,), "row"),
    )  # fmt: skip
    pieces = _Printer().of(parts)
    kinds = "p quote p row pair list list list pre place p article p"
    assert " ".join(piece["k"] for piece in pieces) == kinds
    assert [(piece["short"], piece["ordered"]) for piece in pieces[5:8]] == [
        (True, False),
        (False, False),
        (False, True),
    ]


def test_a_fold_on_a_platform_stays_together_and_a_long_row_may_be_split() -> None:
    line, long = v.Paragraph("p"), v.Paragraph("w" * 2400)
    parts = (
        v.Fold("f", (line,), "keep platform", anchor="x"),
        v.Fold("g", (line,), anchor="y"),
        v.Fold("h", (line,), "keep"),
    )
    pieces = _Printer().of((*parts, *(v.Group((v.Paragraph("l"), one), "row", anchor="r") for one in (line, long))))
    assert [(piece["k"], piece.get("id")) for piece in pieces] == [
        ("heading", "x"), ("fold", None), ("p", "y"), ("p", ""), ("heading", ""), ("p", ""), ("row", "r"), ("row", "r"),
    ]  # fmt: skip
    assert ([piece["k"] for piece in pieces[1]["parts"]], pieces[2]["style"], pieces[2]["r"][0]["s"]) == (
        ["p"],
        "what",
        " strong",
    )
    assert [piece["long"] for piece in pieces[-2:]] == [False, True]
    assert [[side[0]["r"][0]["t"][:1] for side in (piece["label"], piece["parts"])] for piece in pieces[-2:]] == [
        ["l", "p"],
        ["l", "w"],
    ]


def test_numbers_of_a_chart_follow_it_up_to_16_rows_and_longer_tables_are_at_the_end() -> None:
    tables = [
        v.Table(tuple(v.Row((str(n),)) for n in range(rows)), (v.Column("n"),), left_out=1200) for rows in (16, 17)
    ]
    printer = _Printer()
    first, second, bare = printer.of(
        (v.Figure("m", "Mix?", "a", tables[0]), v.Figure("m", "Mix", "b", tables[1]), v.Figure("n", "No", ""))
    )
    assert len(first["table"]["rows"]) == 16
    assert (second["numbers"], second["count"], "table" in second, "table" in bare) == ("numbers-0", 17, False, False)
    assert [piece["alt"] for piece in (first, second, bare)] == ["Mix? a", "Mix. b", "No."]
    (moved,) = printer.numbers
    assert (moved["id"], moved["note"][0]["t"], len(moved["table"]["rows"])) == (
        "numbers-0",
        "1,200 more rows are not shown.",
        17,
    )


def test_the_source_of_a_quote_is_small_and_words_of_their_own_are_not() -> None:
    words: tuple[v.Words, ...] = (
        v.Text("a", "cite"),
        (v.Level("LOW"), " ", v.Link("b", "#c")),
        ("b", v.Text("a", "cite")),
        "b",
    )
    assert [piece["style"] for word in words for piece in _Printer().of((v.Paragraph(word),))] == [
        "source",
        "source",
        "",
        "",
    ]
    assert _Printer().of((v.Paragraph(v.Text("a", "meta"), "alarm"),))[0]["style"] == "alarm"


def test_the_first_of_equal_anchors_is_kept_and_links_to_none_are_words() -> None:
    data = {"body": [{"id": "a"}, {"id": "a"}, {"r": [{"to": "#a"}, {"to": "#b"}, {"to": "https://a.example/"}]}]}
    _settle_addresses(data)
    assert data == {"body": [{"id": "a"}, {"id": ""}, {"r": [{"to": "#a"}, {"to": ""}, {"to": "https://a.example/"}]}]}
