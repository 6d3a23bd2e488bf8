"""How well the extraction reads: documents labelled whole, stances and changes beside what it finds in a database."""

from riskanalytics.accuracy.clauses import MEASURES, Figures, JudgedDocument, score_clauses
from riskanalytics.accuracy.labels import Labels, WholeDocument, WholeLabel, read_labels, read_whole
from riskanalytics.accuracy.platforms import ChangeScore, PlatformScore
from riskanalytics.accuracy.scoring import Score, score
from riskanalytics.accuracy.share import Share
from riskanalytics.accuracy.writing import as_faults, as_record, as_table

__all__ = [
    "MEASURES",
    "ChangeScore",
    "Figures",
    "JudgedDocument",
    "Labels",
    "PlatformScore",
    "Score",
    "Share",
    "WholeDocument",
    "WholeLabel",
    "as_faults",
    "as_record",
    "as_table",
    "read_labels",
    "read_whole",
    "score",
    "score_clauses",
]
