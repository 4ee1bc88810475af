"""Which pages are watched."""

from __future__ import annotations

from bot.core.services import Page
from bot.runtime.settings import Settings


def watched(settings: Settings, known: Page) -> tuple[Page, ...]:
    """Return the pages to watch: the one we know, with what the settings say of it, and those they add."""
    first = Page(settings.status.page_id or known.id, known.name, settings.status.hosts or known.hosts, known.redirects)
    return (first, *(Page(page.id, page.name or page.id, page.hosts) for page in settings.status.pages))
