"""The specification's service on an embedded database.

What listens stands in `server` and `tool_server`, imported only by who serves: an application in a reader's own
process needs neither.
"""

from riskanalytics.service.app import create_app
from riskanalytics.service.door.limits import UNLIMITED, Pace
from riskanalytics.service.keys import subscriptions
from riskanalytics.service.keys.access import Access
from riskanalytics.service.store import Store

__all__ = ["UNLIMITED", "Access", "Pace", "Store", "create_app", "subscriptions"]
