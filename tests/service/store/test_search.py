"""Platforms are found by names as people write them, clauses by their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from riskanalytics.service import Store
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.search import add_words, search_clauses, search_names
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place
from tests.service.given import by_hand


@pytest.fixture
def store(given_place: Place) -> Iterator[Store]:
    with closing(Store(given_place)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "slugs"),
    [("aurelia", ["aurelia-chat"]), ("CAFE LUMIERE", ["cafe-lumiere"]), ("lumiere", ["cafe-lumiere"]),
     ("north, DRAFT!", ["northwind-draft"]), ("thwind dra", ["northwind-draft"]), ("norhtwind", ["northwind-draft"]),
     ("aurellia", ["aurelia-chat"]), ("northwind-draft", ["northwind-draft"]), ("zz", []), (" ", [])],
)  # fmt: skip
def test_names_are_found_without_case_and_accents_by_parts_and_with_a_typo(
    store: Store, query: str, slugs: list[str]
) -> None:
    total, found = search_names(store, query, limit=10, offset=0)
    assert (total, [row["id"] for row in found]) == (len(slugs), slugs)


def test_a_found_clause_contains_all_words_and_highlights_them(store: Store) -> None:
    total, found = search_clauses(store, "prompts models", surface=None, limit=10, offset=0)
    assert (total, [row["quote"] for row in found]) == (1, ["We do not use your prompts to train our models."])
    assert found[0]["highlighted"] == "We do not use your [[prompts]] to train our [[models]]."
    assert search_clauses(store, "prompts models", surface="data_retention", limit=10, offset=0) == (0, [])
    _, [other] = search_clauses(store, "training", surface="training_use", limit=10, offset=0)
    assert other["highlighted"] == "We do not use your prompts to [[train]] our models."


def test_the_first_24_words_of_a_query_count(store: Store) -> None:
    quote = "We retain personal data for as long as necessary for the purposes described in this policy."
    words = quote.split()
    for before, total in ((8, 1), (7, 0)):
        query = " ".join([*words, *words[:before], "canary"])
        assert search_clauses(store, query, surface=None, limit=10, offset=0)[0] == total


@pytest.mark.parametrize("character", "ぁー㐀䶿一鿿가힣")
def test_a_character_of_a_script_without_spaces_is_found_within_a_word(copied_place: Place, character: str) -> None:
    quote = f"{character * 3}政"
    with Writer(copied_place) as writer, writer.transaction() as connection:
        public = run(connection, "SELECT id FROM live_finding WHERE surface = 'ads_tracking'").scalar_one()
        run(connection, "DELETE FROM live_search")
        run(connection, "UPDATE clause SET quote = :quote WHERE quote LIKE 'We do not sell%'", quote=quote)
        add_words(connection, {public: quote, "of no current finding": quote})
    with closing(Store(copied_place)) as store:
        for query, total in (
            (character, 1),
            (f"{character}政", 1),
            (f"政 {character}", 1),
            (f"政{character}", 0),
            (f"{character * 4}", 0),
        ):
            found = search_clauses(store, query, surface=None, limit=10, offset=0)
            assert (found[0], [row["id"] for row in found[1]]) == (total, [public] * total)
        _, [row] = search_clauses(store, character, surface=None, limit=10, offset=0)
    assert row["highlighted"] == quote.replace(character, f"[[{character}]]")


@pytest.mark.parametrize("word", ["licence", "license", "LICENSES"])
def test_words_are_found_in_british_and_american_spelling(store: Store, word: str) -> None:
    total, found = search_clauses(store, word, surface=None, limit=10, offset=0)
    assert total == 1
    assert "irrevocable" in found[0]["quote"]
    assert "licen" in found[0]["highlighted"].partition("[[")[2]


def test_special_characters_in_a_query_are_not_operators(store: Store) -> None:
    total, _ = search_clauses(store, 'prompts" OR "retain NOT -models*', surface=None, limit=10, offset=0)
    assert total == 0


def test_the_clause_with_the_larger_share_of_the_words_comes_first_and_pages_follow_that_order(store: Store) -> None:
    quotes = [
        "We do not sell your personal data.",
        "We retain personal data for as long as necessary for the purposes described in this policy.",
    ]
    for limit, offset, shown in ((10, 0, quotes), (1, 0, quotes[:1]), (1, 1, quotes[1:]), (1, 2, [])):
        total, found = search_clauses(store, "personal data", surface=None, limit=limit, offset=offset)
        assert (total, [row["quote"] for row in found]) == (2, shown)
    total, [one] = search_clauses(store, "personal data", surface="data_retention", limit=10, offset=0)
    assert (total, one["quote"]) == (1, quotes[1])


def test_equal_names_come_before_names_that_begin_with_contain_or_resemble_the_query(copied_place: Place) -> None:
    names = {"aurelia-chat": "Mirna Desk", "cafe-lumiere": "Desk Mirna", "northwind-draft": "Desk"}
    with by_hand(copied_place) as connection:
        for slug, name in names.items():
            connection.execute(f"UPDATE platform SET name = '{name}' WHERE slug = '{slug}'")
    with closing(Store(copied_place)) as store:
        for query, slugs in (
            ("desk", ["northwind-draft", "cafe-lumiere", "aurelia-chat"]), ("mirna", ["aurelia-chat", "cafe-lumiere"]),
            ("dek", ["aurelia-chat", "cafe-lumiere", "northwind-draft"]), ("dk", []), ("lumiere", ["cafe-lumiere"]),
            ("na d", ["aurelia-chat"]), ("dask", ["aurelia-chat", "cafe-lumiere", "northwind-draft"]),
        ):  # fmt: skip
            for limit, offset in ((10, 0), (1, 1)):
                total, found = search_names(store, query, limit=limit, offset=offset)
                assert (total, [row["id"] for row in found]) == (len(slugs), slugs[offset : offset + limit])
    with by_hand(copied_place) as connection:
        connection.execute("UPDATE platform SET slug = 'mirna' WHERE slug = 'northwind-draft'")
    with closing(Store(copied_place)) as store:
        total, found = search_names(store, "Mirna", limit=10, offset=0)
    assert (total, [row["name"] for row in found]) == (3, ["Desk", "Mirna Desk", "Desk Mirna"])
