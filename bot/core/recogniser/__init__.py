"""What broke: a pasted text read against the signs of every guide."""
