"""Write the readings that the package ships: `python -m tests.accuracy.ship DATABASE LABELS LABEL READER...`.

`READER...` are names of readers whose verdicts are in the database (see `riskanalytics read`), `LABELS` the labelled documents on
which their precision is measured, and `LABEL` the name that findings show. The file has hashes and verdicts, no words of policies.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from riskanalytics.accuracy.readers import measure
from riskanalytics.service.store.verdicts import courses_of, stances_of, verdicts_of
from riskanalytics.service.store.write import Writer

FILE = Path("riskanalytics/extraction/readings.json.gz")


def record(database: Path, labels: Path, label: str, readers: list[str]) -> dict[str, Any]:
    """Return the readings as JSON values (see `extraction.shipped`); units of untrusted requests are left out."""
    with Writer(database) as writer:
        said = {name: verdicts_of(writer.connection, name) for name in readers}
        courses = {name: courses_of(writer.connection, name) for name in readers}
        votes_on = {name: stances_of(writer.connection, name) for name in readers}
    trusted = {name: {key: one for key, one in of.items() if one.trusted} for name, of in said.items()}
    shown = measure(labels, database, trusted)
    nothing: list[str] = []
    units: dict[str, list[Any]] = {}
    for key in sorted(set().union(*trusted.values())):
        votes = [of.get(key) for of in trusted.values()]
        if any(one is None for one in votes[:2]):  # read by one only
            continue
        if any(one and one.said for one in votes):
            units[key] = [one and [list(row) for row in one.said] for one in votes]
        else:
            nothing.append(key)
    changes = {key: [of.get(key) for of in courses.values()] for key in sorted(set().union(*courses.values()))}
    stances = {key: [of.get(key) for of in votes_on.values()] for key in sorted(set().union(*votes_on.values()))}
    read = {"nothing": nothing, "units": units, "changes": changes, "stances": stances}
    return {"label": label, "readers": len(readers), "shown": shown, **read}


if __name__ == "__main__":
    database, labels, label, *readers = sys.argv[1:]
    held = record(Path(database), Path(labels), label, readers)
    FILE.write_bytes(gzip.compress(json.dumps(held, separators=(",", ":")).encode(), mtime=0))
    print(f"{FILE}: {FILE.stat().st_size:,} bytes, {len(held['nothing']) + len(held['units']):,} units")
