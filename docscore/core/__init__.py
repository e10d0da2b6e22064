"""Values, texts, similarities and assignments: what every metric is made of."""
