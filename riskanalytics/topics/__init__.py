"""One room for each topic that a reader asks about.

A room is its analysis (frame in, frame out, and sentences), and holds its `chart` (frame in, `Chart` out) and its
`section` (frames in, part of a page out). `riskanalytics.analysis`, `.charts` and `.sections` list them.
"""
