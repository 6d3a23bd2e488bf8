"""Read a portfolio, an organisation's table of the platforms it uses, from a file."""

import re
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.errors import ParameterError
from riskanalytics.files import ABOVE, SEPARATORS, Cells, matches_file, read_cells

from ..shape import schema, word_of
from .names import ADDRESS, KEYS, WORD, folded

_WORDS: Final = tomllib.loads(resources.files(__package__).joinpath("headings.toml").read_text(encoding="utf-8"))


def _words(heading: str) -> list[str]:
    """Return the words of a heading, folded, and without the plural's `s`."""
    return [word.removesuffix("s") for word in WORD.findall(folded(heading))]


_MEANT: Final = [(word, key) for key, words in _WORDS["platform"].items() for word in _words(words)]
_MEANING: Final = {word: (rank, key) for rank, (word, key) in enumerate(_MEANT)}
_FILLING: Final = frozenset(_words(_WORDS["filling"]))
"""Words of headings that do not change the meaning."""
ATTRIBUTES: Final = {name: frozenset(_words(words)) for name, words in _WORDS["use"].items()}
"""Column that says how a platform is used, such as `owner` -> words of headings that mean this column."""
_PERSON: Final = frozenset(["by", "von", "par", "por", "door"])
"""Words of headings that show that a column has the person who approved, not the day of approval."""
_LONGEST: Final = 200
"""Maximum number of characters of a cell."""
_NAMED: Final = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y")
"""Forms of a day with the name of its month."""
_DAY: Final = re.compile(r"(\d{4})[-/.年](\d\d?)[-/.月](\d\d?)日?(?:[T ].*)?|(\d\d?)\.(\d\d?)\.(\d{4})")
"""Days that can be read in one way only: the year first, or day, month and year with dots."""
MATCHES_COLUMNS: Final = schema("given slug candidates:str")
"""Columns of the file of confirmed matches. `candidates` has slugs to choose from, for people only; it is not read again."""
NOT_TRACKED: Final = "none"
"""Word in place of a slug, if somebody confirmed that no tracked platform is meant."""


def read_portfolio(path: str | Path) -> pd.DataFrame:
    r"""Read a portfolio, a list of platforms, from a CSV file or an Excel workbook (XLSX).

    Fields of a CSV file are separated by commas, semicolons, tabs or vertical bars; its encoding is UTF-8, UTF-16 with a byte
    order mark, or Windows-1252. Of a workbook, the first sheet that is not empty is read. Headings may be in any case, and may
    be common synonyms (`Tool`, `Product name`, `Vendor URL`), also in German, French, Spanish, Italian, Portuguese, Dutch,
    Polish, Chinese and Japanese. In a table without headings, the first column of words contains the names, and the first
    column of addresses the websites. If several columns name a platform, a product name is preferred to the name of its vendor.
    Empty rows are skipped. A file of confirmed matches beside the portfolio (`ours.matches.csv` beside `ours.csv`) is read too.

    Parameters
    ----------
    path : str or Path
        The CSV file or workbook.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `website` str, missing if not given; then those of `owner`, `data_class`, `plan`, `region`, `users` and
        `approved_on` str that the list has a column for; a day in `approved_on` is written YYYY-MM-DD, any other text is
        unchanged. If there is a file of matches, then `confirmed` str: the confirmed slug, or `none` for no tracked platform.
        One row for each row of the list, numbered from 0. Values are cut to 200 characters.

    Raises
    ------
    ParameterError
        If the file is missing, empty, not a table or without platforms, or the file of matches is invalid.
    MissingExtraError
        If the file is a workbook and openpyxl is not installed.

    Examples
    --------
    >>> file = folder / "ours.csv"
    >>> _ = file.write_text("Tool;Owner\nChat GPT;Ann\nPerplexity;Bo\n")
    >>> ra.read_portfolio(file)["name"].tolist()
    ['Chat GPT', 'Perplexity']
    """
    path = Path(path)
    cells = [[" ".join(cell.split())[:_LONGEST] for cell in row] for row in read_cells(path, _width)]
    headed = _headed(cells)
    given = given_rows(headed, f"the portfolio {path}").dropna(how="all")
    if given.empty:
        raise ParameterError(f"the portfolio {path} names no platform: give each row a slug, name or website")
    read = given.join(attributes_of(headed)).reset_index(drop=True)
    if confirmed := read_matches(path):
        read["confirmed"] = given.bfill(axis=1).iloc[:, 0].map(match_key).map(confirmed).astype("str").array
    return read


def attributes_of(portfolio: pd.DataFrame) -> pd.DataFrame:
    """Return, as text, the columns of a portfolio that say how a platform is used: those of `ATTRIBUTES` that it has."""
    uses, made = [_use(str(head)) for head in portfolio], dict[str, list[str | None]]()
    for name in (name for name in ATTRIBUTES if name in uses):
        read = _day if name == "approved_on" else str
        made[name] = [read(word_of(cell).strip()) or None for cell in portfolio.iloc[:, uses.index(name)]]
    return pd.DataFrame(made, portfolio.index, dtype="str")


def _use(heading: str) -> str:
    """Return the column of `ATTRIBUTES` that a heading means; empty for other headings."""
    words = [word for word in _words(heading) if word not in _FILLING]
    meant = next((name for name, known in ATTRIBUTES.items() if known & {*words, "".join(words)}), "")
    return "" if meant == "approved_on" and _PERSON & {*words} else meant


def _day(text: str) -> str:
    """Return a day as YYYY-MM-DD; a text that is no day, or that can be read in several ways, unchanged."""
    for form in _NAMED:
        with suppress(ValueError):
            return datetime.strptime(text, form).replace(tzinfo=UTC).date().isoformat()
    if found := _DAY.fullmatch(text):
        year, month, day = found.groups()[:3] if found[1] else found.groups()[:2:-1]
        with suppress(ValueError):
            return date(int(year), int(month), int(day)).isoformat()
    return text


def given_rows(portfolio: pd.DataFrame, called: str = "the portfolio") -> pd.DataFrame:
    """Return a frame with the columns `slug`, `name` and `website`, one row for each row of a portfolio.

    The headings of the portfolio may be synonyms of these names. A value that the portfolio does not give is missing.

    Raises
    ------
    ParameterError
        If no heading means slug, name or website. The message refers to the portfolio by the words in `called`.
    """
    heads = sorted((meant, at) for at, head in enumerate(portfolio) if (meant := _meaning(str(head))))
    if not heads:
        raise ParameterError(f"{called} has none of the columns slug, name, website; add one of them")
    places = [[at for (_, own), at in heads if own == key] for key in KEYS]
    cells = portfolio.itertuples(index=False, name=None)
    rows = [[next(filter(None, (word_of(row[at]).strip() for at in own)), None) for own in places] for row in cells]
    return pd.DataFrame(rows, portfolio.index, list(KEYS), dtype="str")


def _meaning(heading: str) -> tuple[int, str] | None:
    """Return the column that a heading names, and its rank among headings of this column; None for other headings."""
    words = set(_words(heading))
    meant = {_MEANING.get(word, (0, "")) for word in words - _FILLING or words & _MEANING.keys()}
    return min(meant, default=None) if (0, "") not in meant else None


def _width(rows: Cells) -> int:
    """Return the number of columns below headings: 1 for a table without headings, 0 for a list of lines."""
    if (place := _heading_row(rows)) is not None:
        return len(rows[place])
    return int(bool(rows) and all(sum(map(bool, row)) > 1 for row in rows))


def _heading_row(rows: Cells) -> int | None:
    """Return the index of the headings: the first row, or a row of several cells below titles of one cell each."""
    wide = next((place for place, row in enumerate(rows[:ABOVE]) if sum(map(bool, row)) > 1), 0)
    return next((place for place in (0, wide) if rows and any(map(_meaning, rows[place]))), None)


def _headed(rows: Cells) -> pd.DataFrame:
    """Return rows as a frame with their headings; without headings, the first columns of names and of addresses."""
    place = _heading_row(rows)
    filled = [[cell for cell in row if cell] for row in rows]
    if place is None and all(len(row) == 1 for row in filled):
        return pd.DataFrame({"name": [row[0].strip(f" {SEPARATORS}") for row in filled]})
    columns = list(zip_longest(*rows[place:], fillvalue=""))
    if place is None and not any(map(_use, rows[0])):
        kinds = [_kind(column) for column in columns]
        return pd.DataFrame({kind: columns[kinds.index(kind)] for kind in ("name", "website") if kind in kinds})
    head, *body = zip(*columns, strict=True)
    return pd.DataFrame(body, columns=list(head))


def _kind(cells: Iterable[str]) -> str:
    """Return what most cells of a column without a heading are: `website`, `name` (words), or empty (numbers, days, mail)."""
    filled = [cell for cell in cells if cell]
    worded = [cell for cell in filled if re.search(r"[^\W\d_]", cell) and "@" not in cell]
    sites = sum(ADDRESS.fullmatch(cell) is not None for cell in worded)
    counts = {"website": sites, "name": len(worded) - sites}
    return next((kind for kind, count in counts.items() if 2 * count > len(filled)), "")


def read_matches(portfolio: str | Path) -> dict[str, str]:
    """Read the confirmed matches of a portfolio from the file beside it.

    Parameters
    ----------
    portfolio : str or Path
        The portfolio's own file.

    Returns
    -------
    dict of str to str
        The text by which a row of the portfolio names its platform, as `match_key` returns it -> the confirmed slug, or
        `NOT_TRACKED`. Empty if there is no file of matches. Rows of this file without a slug are not confirmed and are left out.

    Raises
    ------
    ParameterError
        If the file is not a table with the columns `given` and `slug`, or has two different slugs for one text.
    """
    place, found = matches_file(Path(portfolio)), dict[str, str]()
    if not place.exists():
        return found
    cells = read_cells(place, lambda rows: len({"given", "slug"} & set(_heads(rows))), "file of matches")
    heads = _heads(cells)
    if not {"given", "slug"} <= set(heads):
        raise ParameterError(
            f"the file of matches {place} lacks the columns given and slug: add the columns, or delete the file"
        )
    for row in cells[1:]:
        given, slug = (" ".join("".join(row[at : at + 1]).split()) for at in map(heads.index, ("given", "slug")))
        if (slug := slug.casefold()) and found.setdefault(match_key(given), slug) != slug:
            raise ParameterError(f"the file of matches {place} has two slugs for {given[:60]!r}: keep one of the rows")
    return found


def _heads(rows: Cells) -> list[str]:
    """Return the headings of a file of matches."""
    return [cell.strip().casefold() for cell in rows[0]] if rows else []


def match_key(given: str) -> str:
    """Return the form in which `read_matches` looks up the text by which a row of a portfolio names its platform.

    The text is folded (`folded`). An apostrophe at its start, which keeps spreadsheets from reading a formula, is removed.
    """
    return folded(given[:_LONGEST]).removeprefix("'")
