"""Training use: who trains on customer content, which clauses decide that, and how the answers moved."""
