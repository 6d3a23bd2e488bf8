"""The compliance report: one platform's findings, mapped to two frameworks, as a PDF that can be checked again."""

from riskanalytics.service.compliance.report import Draft, compliance_report, draft

__all__ = ["Draft", "compliance_report", "draft"]
