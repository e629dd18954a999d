"""Written answers: what a machine can say of them, and what only a person can."""
