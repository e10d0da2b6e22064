"""Documents, questions and prompts of the ANLS* paper's benchmark, and of a person's own data; runs no model."""
