"""Words as people read them: numbers, lists, spellings, page text, and what untrusted text may hide."""
