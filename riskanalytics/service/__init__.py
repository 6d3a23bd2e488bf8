"""The specification's service on an embedded database."""

from riskanalytics.service import subscriptions
from riskanalytics.service.access import Access
from riskanalytics.service.app import create_app
from riskanalytics.service.limits import UNLIMITED, Pace
from riskanalytics.service.server import serve
from riskanalytics.service.store import Store

__all__ = ["UNLIMITED", "Access", "Pace", "Store", "create_app", "serve", "subscriptions"]
