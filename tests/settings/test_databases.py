"""A database is a file or stands on a server, and nothing of its address but host and name is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.errors import SettingsError
from riskanalytics.settings.databases import (
    Server,
    folder_of,
    holds_password,
    is_server,
    place_of,
    without_login,
    without_password,
    written_out,
)


def test_a_server_is_described_by_host_and_name_only() -> None:
    server = place_of("postgresql://ann:secret@db.example:5433/ratings?sslmode=require&password=hidden")
    assert isinstance(server, Server)
    assert (str(server), repr(server), server.name) == (
        "postgresql://db.example:5433/ratings", "Server('postgresql://db.example:5433/ratings')", "ratings",
    )  # fmt: skip
    assert "secret" in written_out(server)
    assert place_of(server) is server
    assert place_of("ratings.sqlite") == Path("ratings.sqlite")
    short = place_of("postgres://db.example")
    assert (str(short), getattr(short, "name", "")) == ("postgresql://db.example", "postgresql")


def test_files_of_a_database_are_beside_its_file_and_for_a_server_in_the_current_folder() -> None:
    assert folder_of(Path("/kept/a.sqlite")) == Path("/kept")
    assert folder_of(Server("postgresql://h/d")) == Path()


@pytest.mark.parametrize(
    ("text", "held", "shown"),
    [
        ("see POSTGRES://db.example/archive", True, "see POSTGRES://db.example/archive"),
        ("no file http://ann:secret@db.example/a", True, "no file http://db.example/a"),
        ("host=db Password = secret", True, "host=db Password = secret"),
        ("http://ann@db.example/a", False, "http://db.example/a"),
        ("https://a.example/people/@ann needs a password", False, "https://a.example/people/@ann needs a password"),
        ("redis://:secret@db.example/a", True, "redis://db.example/a"),
        ("http://127.0.0.1:8000/a and k2", False, "http://127.0.0.1:8000/a and k2"),
    ],
)
def test_passwords_in_texts_are_noticed_and_logins_left_out(text: str, held: bool, shown: str) -> None:
    assert (holds_password(text), without_login(text)) == (held, shown)
    assert without_password(text, ["k1"]) == ("(not shown)" if held else text)
    assert without_password(f"{text} k1", ["k1"]) == "(not shown)"


def test_a_port_before_a_path_is_no_password() -> None:
    for port in (80, 8000, 65535):
        assert without_login(f"http://h:{port}/people/@ann gave") == f"http://h:{port}/people/@ann gave"


@pytest.mark.parametrize(
    "rest",
    [
        "ann:sec@ret@h/db",
        "ann:sec/ret@h/db",
        "ann:secret",
        "ann:se#cret@h/d",
        "h/sec ret",
        "h/db/sec",
        "h:0/sec",
        "h1:1,h2:sec/d",
        "h1,h2:0/sec",
    ],
)
def test_an_invalid_address_is_refused_and_not_repeated(rest: str) -> None:
    with pytest.raises(SettingsError, match="postgresql://USER@HOST") as result:
        place_of("postgresql://" + rest)
    assert "sec" not in str(result.value)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql+psycopg://u:secret@h/d", "postgresql:/u:secret@h/d", "postgresql//u:secret@h/d", "u:secret@h/d",
        "jdbc:postgresql://h/d?password=secret", "host=h password = secret dbname=d", Path("postgresql://u:secret@h/d"),
    ],
)  # fmt: skip
def test_a_mistyped_address_is_not_taken_for_a_path_and_not_repeated(text: str | Path) -> None:
    with pytest.raises(SettingsError, match="postgresql://USER@HOST") as result:
        place_of(text)
    assert "secret" not in str(result.value)


def test_blanks_around_an_address_do_not_count() -> None:
    assert [is_server(text) for text in ("postgres://h", "PostgreSQL://h", " postgres://h", "a postgres://h")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert Server("postgresql://u@h1:1,h2:2/d").name == "d"
    assert place_of(" postgresql://u@h/d\n") == Server("postgresql://u@h/d")


@pytest.mark.parametrize(
    "text", [r"C:\Users\ann@corp\a.sqlite", "/runs/10:00/ann@corp.sqlite", "./10:00/a@b.sqlite", "a@b.sqlite"]
)
def test_paths_with_signs_of_an_address_stay_paths(text: str) -> None:
    assert place_of(text) == Path(text)
