"""What the core and the handlers need from outside, one Protocol a file."""
