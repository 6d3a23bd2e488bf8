"""Pulls: dated copies of what a service said, in a folder of the reader's.

::

    pulls/
      20261031T080000Z-5a1c/     a pull: when it began (UTC)
        manifest.json            source, day, counts, and the hash of every file; written last
        answers.parquet          what was answered, as it came
        platforms.parquet ...    the frames, for pandas, DuckDB, Dask
      20261130T080000Z-09ef/
        manifest.json            a table that did not change is that of the earlier pull
      snapshots/<sha256>.md      policy texts, each once

A client of pulls answers as the service did (`answering`), so that every frame, notebook and page works on them.
"""

from riskanalytics.pulls.answering import answer
from riskanalytics.pulls.checking import Checked, check_pulls
from riskanalytics.pulls.manifest import Manifest, is_intact, read_manifest, snapshot_file
from riskanalytics.pulls.reading import NotKnown, Pulls, reaches_back
from riskanalytics.pulls.storage import Storage, is_store, open_storage, workplace
from riskanalytics.pulls.tables import CHANGES, OLDER, Answers
from riskanalytics.pulls.writing import Spool, day_of, write_pull

__all__ = [
    "CHANGES",
    "OLDER",
    "Answers",
    "Checked",
    "Manifest",
    "NotKnown",
    "Pulls",
    "Spool",
    "Storage",
    "answer",
    "check_pulls",
    "day_of",
    "is_intact",
    "is_store",
    "open_storage",
    "reaches_back",
    "read_manifest",
    "snapshot_file",
    "workplace",
    "write_pull",
]
