"""One subpackage for each topic of the reports.

A subpackage contains the analysis of its topic (functions that take and return frames, and sentences), its `chart` (from a frame
to a `Chart`) and its `section` (from frames to a part of a page). `riskanalytics.analysis`, `.charts` and `.sections` list them.
"""
