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
from riskanalytics.pulls.manifest import Manifest
from riskanalytics.pulls.reading import NotKnown, Pulls
from riskanalytics.pulls.storage import Storage, is_store, open_storage, workplace
from riskanalytics.pulls.tables import Answers
from riskanalytics.pulls.writing import Spool, write_pull

__all__ = [
    "Answers",
    "Checked",
    "Manifest",
    "NotKnown",
    "Pulls",
    "Spool",
    "Storage",
    "answer",
    "check_pulls",
    "is_store",
    "open_storage",
    "workplace",
    "write_pull",
]
