"""A portfolio is read as people keep it; what is none is refused in one line."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from riskanalytics.errors import MissingExtraError, ParameterError
from riskanalytics.topics.portfolio import reading
from riskanalytics.topics.portfolio.reading import read_portfolio

NAMES = ["Café Notes", "Opal, Inc."]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_csv_is_read_with_any_separator_and_encoding(separator: str, encoding: str, tmp_path: Path) -> None:
    lines = [["Owner", " TOOL Name "], ["Ann", "Café Notes"], ["", ""], ["Bo", '"Opal, Inc."']]
    (tmp_path / "ours.csv").write_text("\r\n".join(map(separator.join, lines)), encoding=encoding)
    result = read_portfolio(tmp_path / "ours.csv")
    assert result["name"].tolist() == NAMES
    assert list(result) == ["slug", "name", "website", "owner"]
    assert result["owner"].tolist() == ["Ann", "Bo"]
    assert set(map(str, result.dtypes)) == {"str"}
    assert result["slug"].isna().all()


def book(path: Path, *rows: tuple[object, ...]) -> Path:
    """Write a workbook whose first sheet is empty and whose second holds the rows."""
    made = openpyxl.Workbook()
    sheet = made.create_sheet("Tools")
    for row in rows:
        sheet.append(row)
    made.save(path)
    return path


def test_a_workbook_is_read_below_its_title_and_across_empty_rows(tmp_path: Path) -> None:
    rows = (("AI tools 2026",), (), ("No.", "Vendor", "Product", "URL"), (1, "Cafe Ltd", "Café Notes", None),
            (), (2, "Opal, Inc.", None, "https://opal.example"))  # fmt: skip
    result = read_portfolio(book(tmp_path / "ours.xlsx", *rows))
    assert result["name"].tolist() == NAMES, "a product goes before its vendor"
    assert result["website"].tolist()[1] == "https://opal.example"


@pytest.mark.parametrize(
    ("heading", "column"),
    [("slug", "slug"), ("Platform slug", "slug"), ("Platform", "name"), ("AI Tools", "name"), ("Product name", "name"),
     ("Application", "name"), ("VENDOR", "name"), ("vendor_url", "website"), ("Web site", "website"), ("Domain", "website")],
)  # fmt: skip
def test_headings_are_taken_in_common_words(heading: str, column: str, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(f"id;{heading};Vendor owner\n1;opal;Ann\n", encoding="utf-8")
    assert read_portfolio(tmp_path / "ours.csv")[column].tolist() == ["opal"]


@pytest.mark.parametrize(
    ("heading", "column"),
    [("OWNER", "owner"), ("Responsible person", "owner"), ("Contacts", "owner"), ("data_class", "data_class"),
     ("Data class", "data_class"), ("Data classification", "data_class"), ("Confidentiality", "data_class"), ("Plan", "plan"),
     ("Licence type", "plan"),
     ("Subscription", "plan"), ("Tier", "plan"), ("Country", "region"), ("Regions", "region"), ("Data", None), ("Class", None)],
)  # fmt: skip
def test_how_a_platform_is_used_is_read_from_common_headings(heading: str, column: str | None, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(f"name;{heading};Price\nOpal; a  b ;1\nTarn;;2\n", encoding="utf-8")
    result = read_portfolio(tmp_path / "ours.csv")
    assert list(result) == ["slug", "name", "website", *([column] if column else [])]
    if column:
        assert [word for word in result[column] if isinstance(word, str)] == ["a b"]


def test_of_two_columns_with_the_same_meaning_the_first_is_used_in_a_fixed_order(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("Region;Plan;name;Country;Owner\nDE;Team;Opal;FR;Ann\n")
    result = read_portfolio(tmp_path / "ours.csv")
    assert list(result) == ["slug", "name", "website", "owner", "plan", "region"]
    assert result["region"].tolist() == ["DE"]


@pytest.mark.parametrize(
    ("column", "words"),
    [("slug", "slug"), ("website", "website url domain homepage site host"),
     ("name", "name platform tool product application app software service system solution vendor supplier provider manufacturer "
      "company")],
)  # fmt: skip
def test_of_several_headings_with_one_meaning_the_best_that_is_not_empty_is_taken(column: str, words: str) -> None:
    heads = words.split()
    for place, head in enumerate(heads):
        given = pd.DataFrame(
            {f"Our {other.title()}s": [other, None] for other in reversed(heads[place:])} | {"Notes": "x"}
        )
        given[f"Our {heads[-1].title()}s"] = heads[-1]
        assert reading.given_rows(given)[column].tolist() == [head, heads[-1]]


@pytest.mark.parametrize(
    "text", ["Café Notes\nOpal, Inc.\n", "Café Notes;;\n\nOpal, Inc.;;\n", "name\nCafé Notes\nOpal, Inc.\n"]
)
def test_a_list_of_names_alone_needs_no_heading(text: str, tmp_path: Path) -> None:
    (tmp_path / "ours.txt").write_text(text, encoding="utf-8")
    assert read_portfolio(tmp_path / "ours.txt")["name"].tolist() == NAMES


def test_a_value_is_cut_to_200_characters_with_single_spaces_and_empty_rows_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(f"name,slug\n{'a' * 300},\n,\nCafé   Notes ,\n", encoding="utf-8")
    made = read_portfolio(tmp_path / "ours.csv")
    assert made["name"].tolist() == ["a" * 200, "Café Notes"]
    assert made.index.tolist() == [0, 1]


def packed(**parts: bytes) -> bytes:
    """Return a zip of some parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "names no platform"), (b"\n \n;;\n", "names no platform"), (b"name,slug\n", "names no platform"),
     (b"\x00\x01\x02\xff", "nor a workbook"), (b"\xff\xfea", "nor a workbook"), (b"%PDF-1.7\x00", "nor a workbook"),
     (b"\xd0\xcf\x11\xe0\xa1\xb1", "old or locked Excel"), (b"PK\x03\x04 broken", "not a readable workbook"),
     (packed(a=b"b"), "not a readable workbook"),
     (b"owner,class\nAnn,secret\nBo,public\n", "none of the columns slug, name, website")],
    ids=range(10),
)  # fmt: skip
def test_an_invalid_portfolio_is_refused_in_one_line(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_bytes(content)
    with pytest.raises(ParameterError, match=said) as caught:
        read_portfolio(tmp_path / "ours.csv")
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "ours.csv") in str(caught.value)


def test_100000_rows_are_read_and_a_folder_or_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("name\n" + "a\n" * 100_000, encoding="utf-8")
    assert len(read_portfolio(tmp_path / "ours.csv")) == 100_000
    with pytest.raises(ParameterError, match="is not a file"):
        read_portfolio(tmp_path)
    with pytest.raises(ParameterError, match="there is no portfolio"):
        read_portfolio(tmp_path / "none.csv")


@pytest.mark.slow
def test_a_sheet_that_claims_far_cells_is_read_within_its_bounds(tmp_path: Path) -> None:
    path = tmp_path / "ours.xlsx"
    made = openpyxl.Workbook()
    made.active["A1"], made.active["A2"], made.active["XFD3"], made.active["A99999"] = "name", "Opal", "far", "Tarn"
    made.save(path)
    assert read_portfolio(path)["name"].tolist() == ["Opal", "Tarn"]


def test_without_openpyxl_a_workbook_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book(tmp_path / "ours.xlsx", ("name",), ("Opal",))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"riskanalytics\[excel\]"):
        read_portfolio(path)
    assert reading.given_rows(pd.DataFrame({"NAME": ["Opal"]}))["name"].tolist() == ["Opal"]


@pytest.mark.parametrize(
    ("heading", "column"),
    [("Anbieter", "name"), ("Name des Produkts", "name"), ("Nom du fournisseur", "name"), ("Proveedor", "name"),
     ("Fornitore", "name"), ("供应商", "name"), ("ベンダー名", "name"),
     ("Leverancier", "name"), ("Dostawca", "name"), ("网址", "website"),
     ("Sitio web", "website"), ("Zuständig", "owner"), ("Propriétaire", "owner"), ("担当者", "owner"), ("负责人", "owner"),
     ("Datenklassen", "data_class"), ("Classe de données", "data_class"), ("Clase de datos", "data_class"), ("密级", "data_class"),
     ("Our data class", "data_class"), ("Abo", "plan"), ("Forfait", "plan"), ("プラン", "plan"), ("Land", "region"),
     ("Pays", "region"), ("País", "region"), ("地区", "region"), ("Nutzer", "users"),
     ("Number of users", "users"), ("Utilisateurs", "users"), ("用户数", "users"), ("approved on", "approved_on"),
     ("Freigegeben am", "approved_on"), ("Fecha de aprobación", "approved_on"),
     ("承認日", "approved_on"), ("Approved by", None), ("Freigegeben von", None), ("Nom", "name"), ("our", None),
     ("Aprobado por", None), ("Approuvé par", None), ("Goedgekeurd door", None), ("Zatwierdzono", "approved_on"),
     ("Utenti", "users"), ("Usuarios", "users"), ("Użytkownicy", "users"), ("Abonnement", "plan"),
     ("Licenza", "plan"), ("契約プラン", "plan"), ("Regione", "region"), ("Kraj", "region"), ("国名", "region"),
     ("Poufność", "data_class"), ("Vertraulichkeit", "data_class"), ("機密区分", "data_class"), ("Narzędzie", "name"),
     ("Logiciel", "name"), ("软件名称", "name"), ("Internetadresse", "website"), ("Dominio", "website"),
     ("Właściciel", "owner"), ("Usługa", "name")],
)  # fmt: skip
def test_headings_of_other_languages_mean_the_same_columns(heading: str, column: str | None, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(f"slug;{heading}\nopal;x\n", encoding="utf-8")
    result = read_portfolio(tmp_path / "ours.csv").dropna(axis=1)
    assert list(result) == ["slug", *([column] if column else [])]


def test_the_product_goes_before_its_vendor_in_every_language(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("供应商;Fournisseur;Produit;Kosten\na;b;Opal;1\n", encoding="utf-8")
    assert read_portfolio(tmp_path / "ours.csv")["name"].tolist() == ["Opal"]


@pytest.mark.parametrize(
    ("written", "day"),
    [("2026-05-01", "2026-05-01"), ("2026-05-01 09:30:00", "2026-05-01"), ("1.5.2026", "2026-05-01"), ("2026/5/1", "2026-05-01"),
     ("2026年5月1日", "2026-05-01"), ("03/04/2026", "03/04/2026"), ("3 October 2026", "2026-10-03"), ("3 Oct 2026", "2026-10-03"),
     ("October 3, 2026", "2026-10-03"), ("Oct 3, 2026", "2026-10-03"), ("October 3 2026", "October 3 2026"),
     ("2026-05-01T09:30", "2026-05-01"), ("2026.5.1", "2026-05-01"),
     ("31.2.2026", "31.2.2026"), ("pending", "pending")],
)  # fmt: skip
def test_a_day_of_approval_is_read_only_if_it_can_be_read_in_one_way(written: str, day: str, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(f'name,approved on\nOpal,"{written}"\nTarn,\n', encoding="utf-8")
    result = read_portfolio(tmp_path / "ours.csv")["approved_on"]
    assert (result[0], result.isna().tolist()) == (day, [False, True])


def test_a_table_without_headings_has_its_names_in_the_first_column_of_words(tmp_path: Path) -> None:
    lines = [
        "1;ann@opal.example;Opal;https://opal.example;2026-01-01;Ann",
        "2;;Tarn.io;tarn.example;2026-01-02;Bo",
        "3;;Lens;;;",
    ]
    (tmp_path / "ours.csv").write_text("\n".join(lines), encoding="utf-16")
    result = read_portfolio(tmp_path / "ours.csv")
    assert list(result) == ["slug", "name", "website"]
    assert result["name"].tolist() == ["Opal", "Tarn.io", "Lens"]
    assert result["website"].tolist()[:2] == ["https://opal.example", "tarn.example"]
    (tmp_path / "ours.csv").write_text("1;2\n3;4\n")
    with pytest.raises(ParameterError, match="none of the columns slug, name, website"):
        read_portfolio(tmp_path / "ours.csv")


def test_a_formula_is_text_and_rows_that_repeat_are_kept(tmp_path: Path) -> None:
    formula = '=HYPERLINK("https://opal.example","Opal")'
    quoted = formula.replace('"', '""')
    (tmp_path / "ours.csv").write_text(f'Tool\n"{quoted}"\nOpal\nOpal\n', encoding="utf-8")
    assert read_portfolio(tmp_path / "ours.csv")["name"].tolist() == [formula, "Opal", "Opal"]
    sheet = book(tmp_path / "ours.xlsx", ("Tool",), (formula,), ("Tarn",))
    assert read_portfolio(sheet)["name"].tolist() == [formula, "Tarn"], "the workbook does not keep its value"


def test_confirmed_matches_are_read_from_the_file_beside_the_portfolio(tmp_path: Path) -> None:
    long, rows = "a" * 250, "OPAL 2,\n=Tarn,\n,https://lens.example\nOther,\n"
    (tmp_path / "ours.csv").write_text(f"Tool,URL\n{rows}{long},\n", encoding="utf-8")
    beside = tmp_path / "ours.matches.csv"
    beside.write_text(
        f"Slug;Given;x\nOpal; Opal  2 ;\ntarn;'=Tarn;\nNone;https://lens.example\n;Other;a, b\nquill;{long};\n",
        "utf-8-sig",
    )
    result = read_portfolio(tmp_path / "ours.csv")["confirmed"]
    assert result.astype("object").where(result.notna(), None).tolist() == ["opal", "tarn", "none", None, "quill"]
    for content, said in {
        "opal,OPAL 2\n": "lacks the columns given and slug: add the columns, or delete the file",
        "": "lacks the columns given and slug",
        "given,slug\nOpal,opal\nOPAL,tarn\n": "has two slugs for 'OPAL': keep one of the rows",
        "given,slug\n\0": "cannot be read: the file is neither text nor a workbook",
    }.items():
        beside.write_text(content)
        with pytest.raises(ParameterError, match="file of matches") as caught:
            read_portfolio(tmp_path / "ours.csv")
        assert said in str(caught.value)
    beside.write_text("given,slug\nOpal,opal\nopal,opal\nTarn,\nLens\n")
    assert reading.read_matches(tmp_path / "ours.csv") == {"opal": "opal"}
