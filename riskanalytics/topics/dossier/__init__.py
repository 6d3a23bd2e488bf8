"""One platform in full: its standing, course, moves, clauses, conflicts and documents."""
