"""The page of a report on paper: the same words, tables and charts as a tagged PDF, without a browser.

The page that the exporter has gathered is read again, piece by piece, and handed to a typst template as data:
nothing of it becomes markup. So what a page says, its PDF says.
"""

from riskanalytics.reporting.pdf.document import pdf_of

__all__ = ["pdf_of"]
