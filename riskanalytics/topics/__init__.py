"""One room for each topic that a reader asks about.

A room holds its `analysis` (frame in, frame out), its `words` (frame in, sentences out), its `chart` (frame in, `Chart`
out) and its `section` (frames in, part of a page out). `riskanalytics.analysis`, `.charts` and `.sections` list them.
"""
