"""Watching and announcing as a process does it: which pages, which channels, how often."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from bot.adapters.statuspage.settings import PageSettings
from bot.core.guides.library import Library
from bot.core.services import Page
from bot.core.status.announcement_view import Names
from bot.core.status.subscription import Choice, Place
from bot.ports.announcing import Channels
from bot.ports.feed import Feed
from bot.ports.meters import UNMETERED, Meters
from bot.ports.pages import PageStore
from bot.runtime.pages import watched
from bot.runtime.rhythm import RHYTHM, Rhythm
from bot.runtime.settings import Settings
from handlers.announce import Announcer, Office, tidy
from handlers.pacing import Budget, Pacer
from handlers.recall import recall
from handlers.subscriptions import Declared, declare
from handlers.watch import Watcher

_SPREAD = 1 / 3
"""How much earlier or later than `status.interval` a page may be read."""

Job = Callable[[], Awaitable[None]]


class Watch:
    """The pages of one process and the platforms it announces on. more: what others have to do as often."""

    def __init__(
        self,
        office: Office,
        watcher: Watcher,
        declared: Sequence[Declared],
        pages: Sequence[str],
        rhythm: Rhythm = RHYTHM,
    ) -> None:
        self._rhythm = rhythm
        self.office, self._watcher, self._declared, self._pages = office, watcher, tuple(declared), tuple(pages)
        self._announcer = Announcer(office)
        self._stores: dict[str, str] = {}
        self.more: list[tuple[Job, float]] = []

    @property
    def jobs(self) -> tuple[tuple[Job, float], ...]:
        """What is to be done, each how many seconds; a page and platform by itself, so that none waits for another."""
        every = self._rhythm
        walks = [(self._walk(page, name), every.channels) for page in self._pages for name in self.office.channels]
        own = ((self.poll, every.page), (self.recall, every.forgotten), *walks, (self.tidy, every.tidy))
        return (*own, *self.more)

    async def poll(self) -> None:
        """Read what is due."""
        await self._watcher.tick()

    async def recall(self) -> None:
        """See whether the store has forgotten everything; then the settings file's subscriptions hold again."""
        for page in self._pages:
            lineage = await recall(self.office.pages, page)
            if self._stores.setdefault(page, lineage.id) != lineage.id:
                self._stores[page] = lineage.id
                await self.office.pages.distrust(page)
                await self.declare()

    async def tidy(self) -> None:
        """Forget what nobody will hear of again."""
        for page in self._pages:
            await tidy(self.office, page)

    async def declare(self) -> None:
        """Make the subscriptions of the settings file hold."""
        await declare(self.office, self._declared, self._pages)

    def _walk(self, page: str, platform: str) -> Job:
        async def announce() -> None:
            await self._announcer.walk(page, platform)

        return announce

    async def release(self) -> None:
        """Let other replicas go on at once, when this process stops."""
        for platform in self.office.channels:
            await self._announcer.release(platform)


@asynccontextmanager
async def open_watch(
    settings: Settings,
    library: Library,
    pages: PageStore,
    channels: Mapping[str, Channels],
    meters: Meters = UNMETERED,
    rhythm: Rhythm = RHYTHM,
) -> AsyncIterator[Watch]:
    """Put a watch together; its clients are closed at the end."""
    names = Names(library.messages, library.services.components)
    pacers = {platform: Pacer(budgets(settings).get(platform, Budget())) for platform in channels}
    office = Office(pages, channels, lambda _: names, pacers, meters=meters, bounds=rhythm.bounds)
    every = float(settings.status.interval)
    interval = (every * (1 - _SPREAD), every * (1 + _SPREAD))
    wanted = declared(settings, settings.status.page_id or library.services.page.id)
    async with AsyncExitStack() as stack:
        feeds = {page.id: _feed(page, stack) for page in watched(settings, library.services.page)}
        watcher = Watcher(office, feeds, interval=interval, fresh=3600.0 * settings.status.late_hours)
        yield Watch(office, watcher, wanted, tuple(feeds), rhythm)


def budgets(settings: Settings) -> Mapping[str, Budget]:
    """Return how fast announcements may go out, by platform."""
    slack, discord = settings.slack, settings.discord
    return {
        "slack": Budget(posts=slack.posts_a_minute, edits=slack.edits_a_minute, channel=slack.channel_seconds),
        "discord": Budget(second=discord.announcements_a_second, channel=discord.channel_seconds),
    }


def declared(settings: Settings, default: str) -> tuple[Declared, ...]:
    """Return the subscriptions of the settings file."""
    return tuple(
        Declared(
            Place(one.platform, one.workspace, one.channel),
            one.page or default,
            Choice(
                frozenset(one.components),
                one.general,
                one.least,
                one.maintenance,
                one.mention,
                one.mention_from,
                one.replies,
                settings.locale,
                one.daily,
            ),
        )
        for one in settings.subscriptions
    )


def _feed(page: Page, stack: AsyncExitStack) -> Feed:
    from bot.adapters.statuspage.client import StatusPage  # noqa: PLC0415 - loads an HTTP client

    settings = PageSettings(page_id=page.id, hosts=page.hosts, redirect_hosts=page.redirects, maintenances=True)
    feed = StatusPage(settings)
    stack.push_async_callback(feed.close)
    return feed
