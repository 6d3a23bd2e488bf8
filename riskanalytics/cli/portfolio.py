"""The command that matches a portfolio with the tracked platforms, and keeps confirmed matches in a file beside it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskanalytics import cli
from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.text.wording import plural

from .commands import as_lines

if TYPE_CHECKING:
    from riskanalytics.dataset import Dataset
    from riskanalytics.topics.portfolio import PortfolioScope


@cli.app.command()
def portfolio(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV or XLSX of the platforms you use.")],
    confirm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GIVEN=SLUG", help="Confirm what a row means; none: no tracked platform. May be repeated."
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the rows to confirm to that file, to add slugs to them.")
    ] = False,
    record: cli.Json = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Match each row of a portfolio with a tracked platform, or list the platforms that it may mean.

    Confirmed matches are kept in a file beside the portfolio: ours.matches.csv beside ours.csv. Exit 3 if a row matches none.
    """
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset import connect, load
    from riskanalytics.frames import rows_of
    from riskanalytics.topics.portfolio.reading import read_portfolio

    read_portfolio(file)  # refused before anything is loaded
    with connect(settings=settings) as client:
        data = load(client)
        scope = _confirmed(file, data, confirm or (), write=write)
        cli.say_end(client, settings)
    listed = scope.listed
    cli.write_record(record, json.loads(listed.to_json(orient="records", force_ascii=False)))
    for line in as_lines([{name: str(cell) for name, cell in row.items()} for row in rows_of(listed.fillna(""))]):
        typer.echo(line)
    typer.echo(scope.said)
    if len(scope.open):
        given = str(scope.open["given"].iloc[0])
        pairs = [shlex.quote(f"{given}={slug}") for slug in ("SLUG", "none")]
        raise IncompleteReportError(
            f"{plural(len(scope.open), 'row matches', 'rows match')} no platform for certain: "
            f"confirm each with --confirm {pairs[0]}, or --confirm {pairs[1]} if it is not tracked"
        )


def _confirmed(file: Path, data: Dataset, pairs: Sequence[str], *, write: bool) -> PortfolioScope:
    """Record confirmed matches, and return the portfolio as it matches now."""
    from riskanalytics.dataset.scope import slugs_of
    from riskanalytics.files import matches_file
    from riskanalytics.reporting.saving import save
    from riskanalytics.topics.portfolio import matched_scope
    from riskanalytics.topics.portfolio.reading import (
        NOT_TRACKED,
        match_key,
        matches_frame,
        read_matches,
        read_portfolio,
    )

    scope, kept = matched_scope(data.tracked, read_portfolio(file)), read_matches(file)
    given = {match_key(one): str(one) for one in scope.listed["given"]}
    for pair in pairs:
        text, _, slug = (part.strip() for part in pair.rpartition("="))
        if match_key(text) not in given:
            raise ParameterError(f"--confirm takes GIVEN=SLUG, and no row of {file} gives {text[:60]!r}")
        kept[match_key(text)] = slug if slug == NOT_TRACKED else slugs_of([slug], data.tracked, data.day, most=1)[0]
    if pairs or write:
        made = matches_frame({given.get(key, key): slug for key, slug in kept.items()}, scope.open if write else None)
        cli.say(f"written: {save(made, matches_file(file))}")
    return matched_scope(data.tracked, read_portfolio(file))
