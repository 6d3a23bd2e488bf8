"""Data become a tagged PDF; every character can be seen, and equal input gives equal bytes."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from riskanalytics.errors import ReportError
from riskanalytics.typesetting import covered, typeset, undrawn, visible

typst = pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")
pypdf = pytest.importorskip("pypdf", reason="needs pypdf")

ROOT = Path(__file__).resolve().parents[1]
WHEN = datetime(2026, 3, 5, tzinfo=UTC)
TEMPLATE = """#let data = json(bytes(sys.inputs.data))
#set document(title: data.title)
#set text(lang: "en")
#set page(width: 2000pt, height: auto)
#title()
#for word in data.words { par(word) }
"""
BARE = b'#set document(title: "x")\n#set text(lang: "en")\n#par(sys.inputs.word)'


def read(body: bytes) -> str:
    """All text of a PDF."""
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(body)).pages)


def made(*words: str) -> bytes:
    return typeset(TEMPLATE, {"title": "Test", "words": list(words)}, timestamp=WHEN)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – “quoted” é ß Ж α", "plain – “quoted” é ß Ж α"),
        ("我们 ok 中文", "[U+6211 4EEC] ok [U+4E2D 6587]"),
        ("我们会使用，ok", "[6 CJK characters]ok"),
        ("我们\u200b会使用", "[U+6211 4EEC 200B 4F1A 4F7F 7528]"),
        ("a\u202egnp.exe", "a[U+202E]gnp.exe"),
        ("a\r\nb\tc\x00", "a[U+000D]\nb c[U+0000]"),
        ("\u200b\u00ad\ufeff\U000e0041", "[U+200B 00AD FEFF E0041]"),
        ("\ud800\ue000", "[U+D800 E000]"),
        ("a\tb", "a b"),
        ("会会会", "[U+4F1A 4F1A 4F1A]"),
        ("会会会会", "[4 CJK characters]"),
        ("ක්ෂණ", "[4 Sinhala characters]"),
        ("😀", "[U+1F600]"),
        ("", ""),
    ],
)
def test_invisible_characters_are_shown_as_code_points(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert (undrawn(text) > 0) == (text.replace("\t", " ") != shown)


@pytest.mark.parametrize(("care", "shown"), [(0, "Ж\u0301 é"), (1, "Ж[U+0301] é"), (2, "[U+0416 0301] é")])
def test_more_care_replaces_more_in_every_text_of_a_value_but_never_in_its_keys(care: int, shown: str) -> None:
    value = {"Ж": ["Ж\u0301 é", {"a": ("Ж\u0301 é", 3, None, True)}]}
    assert visible(value, care) == {"Ж": [shown, {"a": [shown, 3, None, True]}]}


@pytest.mark.slow
def test_every_character_of_the_table_is_drawn_by_the_fonts_inside_typst() -> None:
    words = [chr(code) for first, last in covered() for code in range(first, last + 1)]
    assert len(words) > 7000
    text = read(made(*words))
    assert "[U+" not in text
    assert {"é", "Ж", "א", "→"} <= set(text)


def test_characters_outside_the_ranges_have_no_glyph() -> None:
    beside = {chr(code) for first, last in covered() for code in (first - 1, last + 1)}
    skipped = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
    tried = 0
    for word in sorted(word for word in beside if unicodedata.category(word) not in skipped)[::3]:
        tried += 1
        with pytest.raises(typst.TypstError, match="could not be displayed"):
            typst.compile(
                BARE, format="pdf", sys_inputs={"word": word}, ignore_system_fonts=True, pdf_standards=["ua-1"]
            )
    assert tried > 20


@pytest.mark.parametrize(
    "word",
    [
        "#eval(1+1) #read('/etc/passwd')",
        "[[[a]]] *b* _c_ $d$",
        "<font color=red>x</font> <label> @ref",
        '"; \\ #{',
        "=" * 3,
    ],
)
def test_data_are_text_and_never_markup(word: str) -> None:
    assert word in read(made(word))


def test_a_letter_and_a_mark_that_no_single_font_has_are_shown_and_the_rest_stays_text() -> None:
    text = read(made("\u1f67\u1ab9", "Ж 中"))
    assert "\u1f67[U+1AB9]" in text
    assert "Ж [U+4E2D]" in text
    assert "[U+24B5 0EB3]" in read(made("\u24b5\u0eb3"))  # the second is drawn with a mark that only another font has


def test_the_pdf_is_tagged_titled_and_in_english() -> None:
    reader = pypdf.PdfReader(io.BytesIO(made("one")))
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert "/StructTreeRoot" in root
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert reader.metadata.title == "Test"
    assert reader.metadata.creation_date == WHEN
    assert "pdfuaid" in root["/Metadata"].get_data().decode()


def test_another_process_in_another_place_and_language_makes_the_same_bytes() -> None:
    code = (
        "import sys, hashlib; from datetime import datetime, UTC; from tests.typesetting.test_typesetting import made; "
        "print(hashlib.sha256(made('Caf\\u00e9 \\u4e2d', 'b')).hexdigest())"
    )
    seen = set()
    for zone, language in (("Pacific/Auckland", "C"), ("America/Lima", "de_DE.UTF-8")):
        environment = {**os.environ, "TZ": zone, "LANG": language, "LC_ALL": language, "SOURCE_DATE_EPOCH": "1"}
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        seen.add(run.stdout.strip())
    assert seen == {hashlib.sha256(made("Café 中", "b")).hexdigest()}


def test_without_typst_one_line_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['typst'] = None\n"
        "from datetime import datetime, UTC\n"
        "from riskanalytics.errors import MissingExtraError\n"
        "from riskanalytics.typesetting import typeset\n"
        "try:\n    typeset('', {}, timestamp=datetime.now(UTC))\n"
        "except MissingExtraError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == 'PDF needs typst: pip install "riskanalytics[pdf]"'


def test_a_template_that_is_wrong_is_one_line() -> None:
    with pytest.raises(ReportError, match="the PDF could not be made: ") as caught:
        typeset("#nothing()", {}, timestamp=WHEN)
    assert "\n" not in str(caught.value)
