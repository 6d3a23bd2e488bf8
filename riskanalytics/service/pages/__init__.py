"""What people and agents read at open addresses: the page of a platform, its Markdown form, the discovery files."""

from riskanalytics.service.pages.route import router

__all__ = ["router"]
