"""One conversation from the first paste to its outcome."""
