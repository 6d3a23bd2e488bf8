"""The database: what is written, read and searched. All SQL of the service is here and in its review."""

from riskanalytics.service.store.files import backup
from riskanalytics.service.store.read import Store

__all__ = ["Store", "backup"]
