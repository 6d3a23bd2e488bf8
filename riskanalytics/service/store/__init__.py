"""Access to the database of the service: tables, queries, search and backups.

The SQL that only reviews need is in `riskanalytics.service.review`.
"""
