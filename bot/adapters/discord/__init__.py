"""Discord as a chat platform."""
