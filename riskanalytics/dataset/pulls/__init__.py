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

A client of pulls answers as the service did (`reading`), so that every frame, notebook and page works on them.
"""
