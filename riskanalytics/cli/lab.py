"""JupyterLab on copies of the notebooks, which a reader may change."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from riskanalytics.cli.source import chosen_source
from riskanalytics.errors import RiskAnalyticsError


def open_lab(
    context: typer.Context,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of a risk-rating data service.")] = None,
    database: Annotated[
        str | None,
        typer.Option(
            "--database", metavar="FILE", help="File of an ingested database, postgresql://..., or folder of pulls."
        ),
    ] = None,
    notebooks: Annotated[
        Path, typer.Option("--notebooks", help="Folder of your copies; what is there already stays as it is.")
    ] = Path("riskanalytics-notebooks"),
) -> None:
    """Open JupyterLab on copies of the notebooks; other options are JupyterLab's own (--port=8890, --no-browser)."""
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.text.wording import plural

    command = lab_command(notebooks, context.args)
    settings = chosen_source(base_url, database)
    if settings.database is not None:
        connect(settings=settings).close()  # a database that cannot be read is refused here, not in a notebook
    if kept := copy_notebooks(notebooks):
        typer.echo(f"{notebooks} held {plural(len(kept), 'notebook')} already; what is there stays as it is", err=True)
    if "--allow-root" in command:
        typer.echo("running as root: JupyterLab is told --allow-root; open it to nobody else", err=True)
    raise typer.Exit(subprocess.call(command, env=os.environ | settings.environment()))  # noqa: S603 (our own interpreter)


def copy_notebooks(folder: Path) -> list[str]:
    """Copy our notebooks into a folder; one that is there already stays as its reader left it.

    Parameters
    ----------
    folder : Path
        Made where it is not there.

    Returns
    -------
    list of str
        Names of the notebooks that were there already.

    Raises
    ------
    RiskAnalyticsError
        If the folder cannot be written.
    """
    from riskanalytics.files import write_file
    from riskanalytics.reporting import notebooks_folder

    kept = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for notebook in sorted(notebooks_folder().glob("*.ipynb")):
            own = folder / notebook.name
            if own.exists():
                kept.append(notebook.name)
            else:
                write_file(own, notebook.read_bytes())
    except OSError as error:
        raise RiskAnalyticsError(
            f"{folder} cannot be written: {error.strerror}; name another with --notebooks"
        ) from error
    return kept


def lab_command(folder: Path, options: Sequence[str]) -> list[str]:
    """Return the command that opens JupyterLab on a folder.

    Parameters
    ----------
    folder : Path
    options : sequence of str
        Of JupyterLab itself, such as `--port=8890`.

    Returns
    -------
    list of str
        As root, which JupyterLab refuses unless told otherwise, `--allow-root` is among its words.

    Raises
    ------
    RiskAnalyticsError
        If JupyterLab is not installed.
    """
    if find_spec("jupyterlab") is None:
        raise RiskAnalyticsError("JupyterLab is not installed: pip install 'riskanalytics[lab]'")
    as_root = ["--allow-root"] if is_root() and "--allow-root" not in options else []
    return [sys.executable, "-m", "jupyterlab", f"--notebook-dir={folder.resolve()}", *as_root, *options]


def is_root() -> bool:
    """Say whether this process runs as root, as is usual in a container; never on Windows."""
    return getattr(os, "geteuid", lambda: 1)() == 0
