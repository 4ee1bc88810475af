"""What the official page says, what changed, and what each channel is told of it."""
