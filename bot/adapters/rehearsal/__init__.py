"""Pages and channels that exist only in this process: to replay a recording, and to see what would be sent."""
