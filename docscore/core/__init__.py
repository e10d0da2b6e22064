"""Values, texts, similarities and assignments: the building blocks of every metric."""
