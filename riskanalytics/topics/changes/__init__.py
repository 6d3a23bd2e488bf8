"""What changed in the documents: material changes, their clauses before and after, the noise."""
