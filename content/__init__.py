"""Everything a person reads: guides, messages, and what is known of other products."""

from pathlib import Path

ROOT = Path(__file__).parent
