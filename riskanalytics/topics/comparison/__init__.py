"""Some platforms against each other: level by level, clause by clause, and what moved them apart."""
