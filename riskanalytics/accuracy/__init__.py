"""How well the extraction reads: labelled clauses, stances and changes beside what it finds in a database."""

from riskanalytics.accuracy.clauses import LabelledText, Tally, total
from riskanalytics.accuracy.labels import Labels, Span, WholeDocument, WholeLabel, read_labels, read_whole
from riskanalytics.accuracy.platforms import ChangeScore, PlatformScore
from riskanalytics.accuracy.scoring import Score, score
from riskanalytics.accuracy.share import Share
from riskanalytics.accuracy.vendors import VendorsLeftOut, leave_vendors_out
from riskanalytics.accuracy.writing import as_faults, as_record, as_table, as_vendor_table

__all__ = [
    "ChangeScore",
    "LabelledText",
    "Labels",
    "PlatformScore",
    "Score",
    "Share",
    "Span",
    "Tally",
    "VendorsLeftOut",
    "WholeDocument",
    "WholeLabel",
    "as_faults",
    "as_record",
    "as_table",
    "as_vendor_table",
    "leave_vendors_out",
    "read_labels",
    "read_whole",
    "score",
    "total",
]
