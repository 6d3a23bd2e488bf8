"""The database: what is written, read and searched. All SQL of the service is here and in its review."""

from .files import backup
from .read import Store

__all__ = ["Store", "backup"]
