"""Connections to a PostgreSQL server through psycopg.

PostgreSQL cannot store U+0000 in a text. This module writes U+0000 as two other characters and restores it on reading,
so that policies are kept verbatim.
"""

import os
from collections.abc import Mapping
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.string import StrDumperUnknown, TextLoader

from riskanalytics.errors import DatabaseError
from riskanalytics.settings.databases import Server

_NUL, _MARK = "\0", "\x1a"
_USUAL: Final = {"connect_timeout": "10", "tcp_user_timeout": "30000", "application_name": "riskanalytics"}


class _Written(StrDumperUnknown):
    """Dumper that writes texts without U+0000."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace(_MARK, f"{_MARK}1").replace(_NUL, f"{_MARK}0"))


class _Read(TextLoader):
    """Loader that restores the original texts."""

    def load(self, data: Any) -> Any:
        text: Any = super().load(data)
        return text.replace(f"{_MARK}0", _NUL).replace(f"{_MARK}1", _MARK) if _MARK in text else text


def connected(server: Server, settings: Mapping[str, str]) -> psycopg.Connection[Any]:
    """Open a connection to a PostgreSQL server.

    Parameters
    ----------
    server : Server
    settings : mapping of str to str
        Name -> value of PostgreSQL settings for this connection, such as `search_path`.

    Raises
    ------
    DatabaseError
        If PostgreSQL cannot parse the address.
    psycopg.Error
        If the connection fails.
    """
    try:
        scheme, rest = server.address.split(":", 1)
        given: Any = conninfo_to_dict(f"{scheme.lower()}:{rest}")
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        given["options"] = f"{options} {given.get('options') or os.environ.get('PGOPTIONS', '')}".strip()
        db = psycopg.connect(**(_USUAL | given | {"client_encoding": "UTF8"}))
    except psycopg.ProgrammingError:
        raise DatabaseError(
            f"PostgreSQL cannot parse the address of {server}: check its options and special characters"
        ) from None
    db.adapters.register_dumper(str, _Written)
    db.adapters.register_loader("text", _Read)
    return db
