"""Records -> DataFrames. Columns and dtypes depend on the query, never on the rows.

Columns are declared with their dtype and meaning in `columns`, and built in `building`.
"""

from riskanalytics.frames.building import (
    accuracy_frame,
    changes_frame,
    coverage_frame,
    documents_frame,
    faults_frame,
    findings_frame,
    frame_of,
    history_frame,
    level_of,
    platforms_frame,
    rows_of,
    surfaces_frame,
    training_use_frame,
)
from riskanalytics.frames.columns import (
    ACCURACY_COLUMNS,
    CHANGES_COLUMNS,
    COVERAGE_COLUMNS,
    DOCUMENTS_COLUMNS,
    FAULTS_COLUMNS,
    FINDINGS_COLUMNS,
    HISTORY_COLUMNS,
    LEVEL_DTYPE,
    PLATFORMS_COLUMNS,
    SURFACES_COLUMNS,
    TIME,
    TRAINING_USE_COLUMNS,
    Columns,
)

__all__ = [
    "ACCURACY_COLUMNS",
    "CHANGES_COLUMNS",
    "COVERAGE_COLUMNS",
    "DOCUMENTS_COLUMNS",
    "FAULTS_COLUMNS",
    "FINDINGS_COLUMNS",
    "HISTORY_COLUMNS",
    "LEVEL_DTYPE",
    "PLATFORMS_COLUMNS",
    "SURFACES_COLUMNS",
    "TIME",
    "TRAINING_USE_COLUMNS",
    "Columns",
    "accuracy_frame",
    "changes_frame",
    "coverage_frame",
    "documents_frame",
    "faults_frame",
    "findings_frame",
    "frame_of",
    "history_frame",
    "level_of",
    "platforms_frame",
    "rows_of",
    "surfaces_frame",
    "training_use_frame",
]
