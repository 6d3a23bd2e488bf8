"""What people and agents read at open addresses: the page of a platform, its Markdown form, the discovery files."""

from riskanalytics.service.pages.discovery import llms, llms_full
from riskanalytics.service.pages.negotiation import negotiated
from riskanalytics.service.pages.platform import PAGE_POLICY, platform_markdown, platform_page

__all__ = ["PAGE_POLICY", "llms", "llms_full", "negotiated", "platform_markdown", "platform_page"]
