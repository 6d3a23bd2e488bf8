"""Optional reading of policy texts by a language model: its answers are checked, and an interrupted run continues.

A reader (a language model) never writes text. It gets a document's clauses as numbered units and answers with verdicts: for
each number, words of a fixed list, such as a surface and a level. All quotes, offsets and hashes come from the snapshot. Verdicts
are stored by the hash of their unit, so when a document changes, only its changed units are sent to the model.
"""
