"""How well the extraction reads: documents labelled whole, stances and changes beside what it finds in a database."""

from riskanalytics.accuracy.clauses import JudgedDocument, Share, score_clauses
from riskanalytics.accuracy.labels import WholeDocument, WholeLabel, read_labels, read_whole
from riskanalytics.accuracy.scoring import Score, score
from riskanalytics.accuracy.writing import as_faults, as_record, as_table

__all__ = [
    "JudgedDocument", "Score", "Share", "WholeDocument", "WholeLabel", "as_faults", "as_record", "as_table",
    "read_labels", "read_whole", "score", "score_clauses",
]  # fmt: skip
