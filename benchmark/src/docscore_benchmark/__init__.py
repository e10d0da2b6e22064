"""Documents, questions and prompts of the ANLS* paper's benchmark, and of your own data; this package runs no model."""
