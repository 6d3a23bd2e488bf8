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
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.errors import ParameterError
    from riskanalytics.evidence import disclosed, opened, own_key_file, pack_of, signing_key, write_pack

    file = Path(target).expanduser()
    if file.suffix.casefold() == ".zip":
        if not finding or timestamp or key:
            raise ParameterError(
                "a pack that is made can only be disclosed in part: give --finding, no --key or --timestamp"
            )
        pack = opened(file)
    else:
        own = own_key_file()
        new = key is None and not own.exists()
        signed_by = None if key is None else signing_key(key)
        kept = database_or_demo(settings.database) if settings.base_url is None else None
        named = file if file.is_file() else target
        # a folder of pulls keeps no history of the archive
        history = None if isinstance(kept, Path) and not kept.is_file() else kept
        try:
            with connect(settings=settings) as client:
                pack = pack_of(named, client, signed_by, database=history, timestamp=timestamp or None)
        finally:
            if new and own.exists():
                said = "keep it safe, and give its public half to your readers"
                print(f"a key of your own was made: {own}; {said}", file=sys.stderr)
        print(f"public key: {pack.key}", file=sys.stderr)
    print(write_pack(disclosed(pack, finding) if finding else pack, out))
