"""A PostgreSQL server of the tests' own, from the system's package: no fsync, one folder, no port."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from riskanalytics.settings.databases import Server

OWNER, GUARDED = "postgres", "guarded"
"""Roles: one that may do all, and one that needs a password."""
_NUMBERS = itertools.count()


def opened(server: Server) -> Any:
    """A connection past the package: of psycopg, each statement by itself."""
    import psycopg

    return psycopg.connect(server.address, autocommit=True, options="-c search_path=riskanalytics")


class Unavailable(Exception):
    """There is no PostgreSQL here."""


def _programs() -> Path | None:
    """Folder of the server's programs; Debian keeps them off the path."""
    named = shutil.which("initdb")
    found = [Path(named).resolve().parent] if named else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return found[-1] if found else None


class Cluster:
    """A server in a folder."""

    def __init__(self, folder: Path, programs: Path, user: str | None) -> None:
        self.folder, self._programs, self._user = folder, programs, user

    def run(self, program: str, *arguments: str) -> None:
        """Call a program of the server's."""
        done = subprocess.run(  # noqa: PLW1510
            [self._programs / program, "-D", self.folder / "data", *arguments], user=self._user, cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=60"
        self.run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """Stop it as a fault would."""
        self.run("pg_ctl", "-w", "-m", "immediate", "stop")

    def server(self, name: str, user: str = OWNER) -> Server:
        """Address of a database."""
        return Server(f"postgresql://{user}@/{name}?host={self.folder}")

    def made(self, template: str = "template0") -> Server:
        """A database that nobody else has: empty, or as another one."""
        name = f"a{next(_NUMBERS)}"
        with closing(opened(self.server("postgres"))) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.server(name)

    def dropped(self, server: Server) -> None:
        """Drop a database, whoever uses it."""
        with closing(opened(self.server("postgres"))) as connection:
            connection.execute(f"DROP DATABASE {server.name} WITH (FORCE)")


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A server while a block runs.

    Raises
    ------
    Unavailable
        If the system or the installation has none.
    """
    if find_spec("psycopg") is None:
        raise Unavailable("needs the extra `postgres`")
    programs = _programs()
    if programs is None:
        raise Unavailable("needs PostgreSQL on this machine (Debian: postgresql)")
    user = None
    with tempfile.TemporaryDirectory(prefix="ra-pg-", dir="/tmp") as name:  # a socket's path is short
        if os.geteuid() == 0:  # the server does not run as root
            user = OWNER
            owner = pwd.getpwnam(user)
            os.chown(name, owner.pw_uid, owner.pw_gid)
        made = Cluster(Path(name), programs, user)
        made.run("initdb", "-A", "trust", "-U", OWNER, "-E", "UTF8", "--no-locale", "-N")
        rules = Path(name) / "data" / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\nlocal all all trust\n")
        made.start()
        try:
            with closing(opened(made.server("postgres"))) as connection:
                connection.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD 'right'")
            yield made
        finally:
            made.stop()
