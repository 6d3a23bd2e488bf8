"""The clauses that a page rests on, and the texts that they are quoted from."""
