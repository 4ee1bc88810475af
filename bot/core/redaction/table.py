"""Everything that is looked for, in one list."""

from __future__ import annotations

from bot.core.redaction.assigned import ASSIGNED
from bot.core.redaction.hosts import HOSTS
from bot.core.redaction.kinds import Rule
from bot.core.redaction.links import LINKS
from bot.core.redaction.near import NEAR
from bot.core.redaction.people import PEOPLE
from bot.core.redaction.tokens import SHAPES

TABLE: tuple[Rule, ...] = (*SHAPES, *ASSIGNED, *NEAR, *LINKS, *PEOPLE, *HOSTS)
"""The rules. Their order is for the reader: where two overlap, the graver kind names the whole (see `Kind`)."""
