"""One subpackage for each topic of the reports.

A subpackage contains the analyses of its topic (functions that take frames and return frames or sentences), mostly with
a module `chart` (draws a frame as a `Chart`) and a module `section` (shows frames as a part of a page).
`riskanalytics.analysis`, `.charts` and `.sections` export these functions.
"""
