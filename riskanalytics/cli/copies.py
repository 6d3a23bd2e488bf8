"""`riskanalytics backup` and `riskanalytics restore`: copies of a database in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from riskanalytics.errors import SettingsError
from riskanalytics.settings.databases import place_of

File = Annotated[str, typer.Option("--database", metavar="FILE", help="File of the database.", show_default=False)]


def back_up(
    file: Annotated[Path, typer.Argument(help="File to write; replaced where it is there.", show_default=False)],
    database: File,
) -> None:
    """Copy a database and its keys while it is served: one consistent state, whole or not at all."""
    from riskanalytics.service.store import backup

    backup(_file_of(database), file)
    typer.echo(file)


def restore_backup(
    file: Annotated[Path, typer.Argument(help="Backup to put in its place; it stays as it is.", show_default=False)],
    database: File,
) -> None:
    """Put a backup and its keys in the place of a database, also while it is served: whole or not at all."""
    from riskanalytics.service.store import backup

    replaced = _file_of(database)
    backup(file, replaced)
    typer.echo(replaced)


def _file_of(database: str) -> Path:
    """Return the file that a command copies; a server is copied by its own programs."""
    place = place_of(database)
    if isinstance(place, Path):
        return place
    raise SettingsError(f"{place} is copied and restored by pg_dump and pg_restore: backup and restore are for files")
