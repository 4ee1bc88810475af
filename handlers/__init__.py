"""The application layer: one module a use case."""
