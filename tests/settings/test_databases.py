"""A database is a file or stands on a server, and nothing of its address but host and name is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.errors import SettingsError
from riskanalytics.settings.databases import Server, place_of, written_out


def test_a_server_is_described_by_host_and_name_only() -> None:
    server = place_of("postgresql://ann:secret@db.example:5433/ratings?sslmode=require&password=hidden")
    assert isinstance(server, Server)
    assert (str(server), repr(server), server.name) == (
        "postgresql://db.example:5433/ratings", "Server('postgresql://db.example:5433/ratings')", "ratings",
    )  # fmt: skip
    assert "secret" in written_out(server)
    assert place_of(server) is server
    assert place_of("ratings.sqlite") == Path("ratings.sqlite")


@pytest.mark.parametrize(
    "rest",
    ["ann:sec@ret@h/db", "ann:sec/ret@h/db", "ann:secret", "ann:se#cret@h/d", "h/sec ret"],
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
    assert place_of(" postgresql://u@h/d\n") == Server("postgresql://u@h/d")


@pytest.mark.parametrize(
    "text", [r"C:\Users\ann@corp\a.sqlite", "/runs/10:00/ann@corp.sqlite", "./10:00/a@b.sqlite", "a@b.sqlite"]
)
def test_paths_with_signs_of_an_address_stay_paths(text: str) -> None:
    assert place_of(text) == Path(text)
