"""Connections to a PostgreSQL server, by psycopg.

PostgreSQL keeps no U+0000 in a text: such a character is written as two others and read back as it was, so that what
policies say is kept to the letter.
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
    """Writes texts without U+0000."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace(_MARK, f"{_MARK}1").replace(_NUL, f"{_MARK}0"))


class _Read(TextLoader):
    """Reads texts as they were before they were written."""

    def load(self, data: Any) -> Any:
        text: Any = super().load(data)
        return text.replace(f"{_MARK}0", _NUL).replace(f"{_MARK}1", _MARK) if _MARK in text else text


def connected(server: Server, settings: Mapping[str, str]) -> psycopg.Connection[Any]:
    """Open a connection with settings of the server.

    Raises
    ------
    DatabaseError
        If PostgreSQL cannot read the address.
    psycopg.Error
    """
    try:
        scheme, rest = server.address.split(":", 1)
        given: Any = conninfo_to_dict(f"{scheme.lower()}:{rest}")
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        given["options"] = f"{options} {given.get('options') or os.environ.get('PGOPTIONS', '')}".strip()
        db = psycopg.connect(**(_USUAL | given | {"client_encoding": "UTF8"}))
    except psycopg.ProgrammingError:
        raise DatabaseError(f"PostgreSQL cannot read the address of {server}: check its options and signs") from None
    db.adapters.register_dumper(str, _Written)
    db.adapters.register_loader("text", _Read)
    return db
