"""Conversations in Redis or Valkey."""
