"""Records -> DataFrames. Columns and dtypes depend on the query, never on the rows.

`columns` has dtype and meaning, which come from the records of `models`, as do the other names that servers may use;
`records` has a function for each frame.
"""

from riskanalytics.frames.building import frame_of, is_missing, level_of, rated, rows_of
from riskanalytics.frames.columns import (
    ACCURACY_COLUMNS,
    CHANGES_COLUMNS,
    CONTRACT_COLUMNS,
    COVERAGE_COLUMNS,
    DATED_SURFACES_COLUMNS,
    DOCUMENTS_COLUMNS,
    ENDPOINTS_COLUMNS,
    FAULTS_COLUMNS,
    FINDINGS_COLUMNS,
    HISTORY_COLUMNS,
    LEVEL_DTYPE,
    PLATFORMS_COLUMNS,
    PROBLEMS_COLUMNS,
    RATING,
    RELIABILITY_COLUMNS,
    STATES_COLUMNS,
    SURFACES_COLUMNS,
    TIME,
    TRAINING_USE_COLUMNS,
    Columns,
)  # fmt: skip
from riskanalytics.frames.contract import Answered, contract_frame
from riskanalytics.frames.records import (
    accuracy_frame,
    changes_frame,
    coverage_frame,
    dated_surfaces_frame,
    documents_frame,
    faults_frame,
    findings_frame,
    history_frame,
    platforms_frame,
    problems_frame,
    reliability_frame,
    states_frame,
    surfaces_frame,
    training_use_frame,
)  # fmt: skip

__all__ = [
    "ACCURACY_COLUMNS", "CHANGES_COLUMNS", "CONTRACT_COLUMNS", "COVERAGE_COLUMNS", "DATED_SURFACES_COLUMNS",
    "DOCUMENTS_COLUMNS", "ENDPOINTS_COLUMNS", "FAULTS_COLUMNS", "FINDINGS_COLUMNS", "HISTORY_COLUMNS", "LEVEL_DTYPE",
    "PLATFORMS_COLUMNS", "PROBLEMS_COLUMNS", "RATING", "RELIABILITY_COLUMNS", "STATES_COLUMNS", "SURFACES_COLUMNS",
    "TIME", "TRAINING_USE_COLUMNS", "Answered", "Columns", "accuracy_frame", "changes_frame", "contract_frame",
    "coverage_frame", "dated_surfaces_frame", "documents_frame", "faults_frame", "findings_frame", "frame_of",
    "history_frame", "is_missing", "level_of", "platforms_frame", "problems_frame", "rated", "reliability_frame",
    "rows_of", "states_frame", "surfaces_frame", "training_use_frame",
]  # fmt: skip
