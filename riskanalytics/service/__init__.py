"""The specification's service on an embedded database."""

from riskanalytics.service import subscriptions
from riskanalytics.service.access import Access
from riskanalytics.service.app import create_app
from riskanalytics.service.server import serve
from riskanalytics.service.store import Store

__all__ = ["Access", "Store", "create_app", "serve", "subscriptions"]
