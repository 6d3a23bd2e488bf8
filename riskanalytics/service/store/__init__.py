"""Access to the database of the service: tables, queries, search and backups.

Reviews contain SQL of their own, in `riskanalytics.service.review`.
"""

from .files import backup
from .read import Store

__all__ = ["Store", "backup"]
