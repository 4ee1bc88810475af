"""Redial: triage for team channels when Claude drops the line."""
