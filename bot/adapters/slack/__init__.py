"""Slack: its payloads as events, views as Block Kit, and the app that talks to it. `start` is the one entry point."""
