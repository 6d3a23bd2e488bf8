"""`riskanalytics batch`: many reports of one notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from riskanalytics.cli.source import BaseUrl, Dask, Replace, Source, chosen_source, tell_age
from riskanalytics.text.untrusted import visible_line
from riskanalytics.work.progress import ProgressReport


def batch(  # noqa: PLR0913, PLR0917 (what a person can say of a batch)
    notebook: Annotated[
        str, typer.Argument(help="A notebook's file, or the name of one of ours, such as platform_dossier.")
    ],
    over: Annotated[
        str,
        typer.Option(
            metavar="FILE|all",
            help="CSV or XLSX: headings are parameters, each row is a report; or all: each tracked platform as platform.",
            show_default=False,
        ),
    ],
    jobs: Annotated[
        int | None,
        typer.Option(
            "-j", "--jobs", min=1, max=256, help="Reports made at the same time on this machine; as many as cores."
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder that the pages go to.")] = Path("reports"),
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Also make a PDF of each page, of the same name beside it.")
    ] = False,
    replace: Replace = False,
    dask: Dask = None,
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Make a report for each row of a table, or for each platform; again makes only what is missing or out of date.

    Exit 0 where every report is there, 3 where some are missing or incomplete, 1 where none could be made.
    """
    settings = chosen_source(base_url, database)

    def failed(row: object, why: str) -> None:
        typer.echo(visible_line(f"no page for {row}: {why}"), err=True)

    try:
        with ProgressReport() as progress:
            from riskanalytics.reporting import run_batch

            done = run_batch(
                notebook, over, out, jobs=jobs, settings=settings, pdf=pdf, replace=replace, dask=dask,
                progress=progress, failed=failed,
            )  # fmt: skip
    except KeyboardInterrupt:
        typer.echo(
            f"interrupted: the pages made so far are kept in {out}; the same command goes on from there", err=True
        )
        raise typer.Exit(130) from None
    tell_age(done.end)
    for page, lacks in done.lacking.items():
        typer.echo(visible_line(f"{page}: {lacks}"), err=True)
    told = f"{len(done.made):,} made, {len(done.fresh):,} there already, {len(done.failed):,} without a page"
    typer.echo(f"{told}; the same command makes what is missing" if done.failed else told, err=True)
    if done.anew:
        typer.echo(visible_line(f"pages are made anew each time where {done.anew}"), err=True)
    typer.echo(done.index)
    if done.failed or done.lacking:
        raise typer.Exit(3 if done.pages else 1)
