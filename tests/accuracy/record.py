"""Measure the extraction on a part of the labels, and write the figures that the service publishes.

Run `python -m tests.accuracy.record PART --database FILE` from the checkout, on a database ingested from both archives
that `labels/README.md` names. `calibrate` may be measured at will; `test` and `unseen` three times in all, each noted.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from riskanalytics.accuracy import score
from riskanalytics.errors import LabelsError
from tests.accuracy import measure

LABELS = Path(__file__).parent / "labels"
PARTS = ("calibrate", "test", "unseen")


def main(arguments: list[str] | None = None) -> int:
    """Score one part and write its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--database", type=Path, required=True)
    given = parser.parse_args(arguments)
    written = measure.TARGET.read_text(encoding="utf-8")
    if measure.times_left(written, given.part) == 0:
        print(f"{given.part} was scored {measure.MOST} times", file=sys.stderr)
        return 1
    clauses = score(LABELS / "whole" / f"{given.part}.jsonl", given.database)
    platforms = score(LABELS / "unseen", given.database) if given.part == "unseen" else None
    try:
        written = measure.recorded(written, given.part, clauses, datetime.now(UTC).date(), platforms)
    except LabelsError as error:
        print(error, file=sys.stderr)
        return 1
    measure.TARGET.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
