"""What Redial decides: pure functions and frozen values, with no I/O, no clock and no randomness."""
