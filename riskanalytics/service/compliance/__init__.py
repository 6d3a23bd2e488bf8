"""The compliance report: one platform's findings, mapped to two frameworks, as a PDF that can be checked again."""

from riskanalytics.service.compliance.route import Reports, router

__all__ = ["Reports", "router"]
