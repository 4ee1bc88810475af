"""Take secrets and personal data out of pasted text before anything stores, logs, matches or echoes it.

The text is looked at as people read it, not as its bytes are (`projection`, `unwrap`); a table of rules (`table`)
names what has to go; `engine` cuts it out of the original, so that whatever is not removed stays as it was typed.
"""

from bot.core.redaction.engine import Redacted, redact
from bot.core.redaction.kinds import Kind

__all__ = ["Kind", "Redacted", "redact"]
