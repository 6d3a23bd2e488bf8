"""`riskanalytics evidence`: a pack that an auditor checks without us."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from riskanalytics.cli.source import BaseUrl, Source, chosen_source, database_or_demo


def make_pack(
    target: Annotated[
        str,
        typer.Argument(help="A platform's slug, a page or PDF, or a pack to disclose a part of.", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Zip file to write.", show_default=False)],
    finding: Annotated[str, typer.Option(metavar="ID", help="Disclose this finding alone.")] = "",
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ed25519 key (PEM) that signs; one of your own without it.")
    ] = None,
    timestamp: Annotated[str, typer.Option(metavar="URL", help="RFC 3161 authority that stamps the root.")] = "",
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Pack what findings rest on into one signed file, which an auditor checks without us."""
    settings = chosen_source(base_url, database)
    from riskanalytics.errors import ParameterError
    from riskanalytics.evidence import disclosed, opened, own_key_file, pack_of, public_pem, signing_key, write_pack
    from riskanalytics.sources import connect

    file = Path(target).expanduser()
    if file.suffix.casefold() == ".zip":
        if not finding or timestamp or key:
            raise ParameterError(
                "a pack that is made can only be disclosed in part: give --finding, no --key or --timestamp"
            )
        pack = opened(file)
    else:
        own = own_key_file()
        made = key is None and not own.exists()
        signed_by = signing_key(key)
        if made:
            print(
                f"a key of your own was made: {own}; keep it safe, and give its public half to your readers",
                file=sys.stderr,
            )
        kept = database_or_demo(settings.database) if settings.base_url is None else None
        with connect(settings=settings) as client:
            named = file if file.is_file() else target
            # a folder of pulls keeps no history of the archive
            history = kept if kept and kept.is_file() else None
            pack = pack_of(named, client, signed_by, database=history, timestamp=timestamp or None)
        (public,) = public_pem(signed_by).decode().splitlines()[1:-1]
        print(f"public key: {public}", file=sys.stderr)
    print(write_pack(disclosed(pack, finding) if finding else pack, out))
