"""Settings, wiring and the intake: what turns the parts into a running bot."""
