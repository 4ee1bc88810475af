"""The official status page, read over HTTP."""
