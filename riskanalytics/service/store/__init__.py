"""The database. All SQL of the service is here and in `review`."""

from .files import backup
from .read import Store

__all__ = ["Store", "backup"]
