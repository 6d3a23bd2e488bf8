"""How well the extraction reads: labelled clauses, stances and changes beside what it finds in a database."""

from riskanalytics.accuracy.clauses import LabelledText, Tally, total
from riskanalytics.accuracy.labels import Labels, Span, read_labels
from riskanalytics.accuracy.platforms import ChangeScore, PlatformScore
from riskanalytics.accuracy.scoring import Score, score
from riskanalytics.accuracy.share import Share
from riskanalytics.accuracy.writing import as_faults, as_record, as_table

__all__ = [
    "ChangeScore",
    "LabelledText",
    "Labels",
    "PlatformScore",
    "Score",
    "Share",
    "Span",
    "Tally",
    "as_faults",
    "as_record",
    "as_table",
    "read_labels",
    "score",
    "total",
]
