"""What all pages share, made when this is imported: the fork server of a batch imports it once for all reports."""

from riskanalytics.reporting.exporter import prepare

prepare()
