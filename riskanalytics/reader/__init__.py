"""A language model as reader of policy texts: optional, checked, resumable.

A reader never writes text. It gets a document's clauses as numbered units and answers with unit numbers and fixed words; all
quotes, offsets and hashes come from the snapshot. Verdicts are kept by the hash of each unit, so that a new version of a
document sends its changed units only.
"""
