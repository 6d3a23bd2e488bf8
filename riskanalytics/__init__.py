"""riskanalytics."""
