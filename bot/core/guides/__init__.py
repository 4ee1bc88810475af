"""What authors write: guides read from Markdown, put together as a library."""
