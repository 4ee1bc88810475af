"""Pages, subscriptions and announcements in Redis or Valkey: every write compares before it sets."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import cast

import structlog

from bot.adapters.store import page_records as records
from bot.adapters.store.keys import page_keys
from bot.adapters.store.line import Argument
from bot.adapters.store.server import Server, load_script
from bot.core.errors import StoreError
from bot.core.status.announcement import Announcement
from bot.core.status.subscription import Choice, Place, Subscription, subscription_id
from bot.core.status.watch import Page
from bot.ports.pages import Announced, Lease, Lineage, Loss, Snapshot

_READ = load_script("page_read")
_PUT = load_script("page_put")
_SUBSCRIBE = load_script("subscribe")
_CHANGE = load_script("change")
_WISHES = load_script("wishes")
_FILE = load_script("file")
_RECORD = load_script("record", after="intent")
_ANNOUNCED = load_script("announced")
_LEASE = load_script("lease")
_RELEASE = load_script("release")
_SETTLE = load_script("settle")
_LINEAGE = load_script("lineage")
_DISTRUST = load_script("distrust")

LOST = 180.0
"""Seconds before a server was last seen from which on its writes may be lost when another takes over."""

_AT_ONCE = 500
"""Ids asked for in one command: others want the server, too."""
_BREATH = 100
"""Subscriptions that are read in one go: there may be thousands, and turns are played meanwhile."""

_log = structlog.get_logger(__name__)


class RedisPages:
    """A `PageStore`; `server` may be shared with other stores, and is closed by whoever opened it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        # Which store each page was found in: one that is empty all of a sudden is not a new one.
        self._known: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"RedisPages({self._server.where!r})"

    async def revision(self, page: str) -> int:
        """Return the page's revision."""
        found = cast("bytes | None", await self._server.command("HGET", page_keys(page).meta, "revision"))
        return int(found or 0)

    async def page(self, page: str) -> Snapshot:
        """Return what is known of a page."""
        keys = page_keys(page)
        answer = await self._server.run(_READ, [keys.meta, keys.incidents])
        version, revision, data, flat, reads = cast("tuple[bytes, bytes, bytes | None, list[bytes], bytes]", answer)
        if data is None:
            return Snapshot(Page(page, int(revision)), int(version), int(reads))
        incidents = {i.decode(): records.decode_known(record) for i, record in zip(flat[::2], flat[1::2], strict=True)}
        return Snapshot(records.decode_page(data, int(revision), incidents), int(version), int(reads))

    async def put(self, before: Snapshot, after: Page, lease: Lease | None = None) -> bool:
        """Write the page over `before`."""
        keys = page_keys(after.id)
        had = before.page.incidents
        written = [(i, records.encode_known(k)) for i, k in after.incidents.items() if had.get(i) != k]
        args: list[Argument] = [
            secrets.token_hex(8),
            before.version,
            after.revision,
            records.encode_page(after),
            lease.fence if lease else "",
            int(after.read_at != before.page.read_at),
            len(written),
            *(item for pair in written for item in pair),
            *(i for i in had if i not in after.incidents),
        ]
        name = keys.lease(lease.name if lease else "")
        return await self._server.run(_PUT, [keys.meta, keys.incidents, name], args) == 1

    async def subscriptions(self, page: str, ids: Sequence[str] | None = None) -> tuple[Subscription, ...]:
        """Return all subscriptions to a page, or those of these ids."""
        key = page_keys(page).subscriptions
        if ids is None:
            answer = await self._server.command("HGETALL", key)
            return await self._readable((n.decode(), value) for n, value in cast("dict[bytes, bytes]", answer).items())
        values = cast("list[bytes | None]", await self._server.command("HMGET", key, *ids) if ids else [])
        return await self._readable((name, value) for name, value in zip(ids, values, strict=True) if value)

    async def concerned(
        self, page: str, platform: str, since: int, wishes: Callable[[Choice], bool], named: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Return who may be concerned."""
        keys = page_keys(page)
        names = [keys.subscriptions, keys.wishes, keys.began]
        filed = cast("list[bytes] | None", await self._server.run(_WISHES, names))
        if filed is None:
            everybody = await self.subscriptions(page)
            args = [word for s in everybody for word in (s.id, s.since, records.encode_wish(s.choice))]
            await self._server.run(_FILE, names, args)
            return tuple(s.id for s in everybody if s.place.platform == platform)
        ids = set(named)
        for wish in (one for one in filed if wishes(records.decode_wish(one))):
            await self._filed(keys.wishes, wish, platform, ids)
        begun = cast("list[bytes]", await self._server.command("ZRANGEBYSCORE", keys.began, f"({since}", "+inf"))
        ids.update(name.decode() for name in begun if name.startswith(f"{platform}:".encode()))
        return tuple(sorted(ids))

    async def _filed(self, key: str, wish: bytes, platform: str, ids: set[str]) -> None:
        """Add the ids of a platform that are filed under a wish."""
        # A semicolon is the character after the colon.
        first = b"%s\n%s" % (wish, platform.encode())
        at, end = b"[%s:" % first, b"(%s;" % first
        while True:
            answer = await self._server.command("ZRANGEBYLEX", key, at, end, "LIMIT", 0, _AT_ONCE)
            members = cast("list[bytes]", answer)
            ids.update(member[len(wish) + 1 :].decode() for member in members)
            if len(members) < _AT_ONCE:
                return
            at = b"(%s" % members[-1]

    async def _readable(self, values: Iterable[tuple[str, bytes]]) -> tuple[Subscription, ...]:
        found = []
        for n, (name, value) in enumerate(values):
            if n % _BREATH == 0:
                await asyncio.sleep(0)
            try:
                found.append(records.decode_subscription(value))
            except StoreError as error:
                # One that is too new, or damaged, must not silence the others.
                _log.warning("subscription not readable", subscription=name, error=str(error))
        return tuple(found)

    async def subscription(self, page: str, place: Place) -> Subscription | None:
        """Return a channel's subscription."""
        value = await self._server.command("HGET", page_keys(page).subscriptions, subscription_id(place))
        return records.decode_subscription(cast("bytes", value)) if value is not None else None

    async def subscribe(self, before: Snapshot, subscription: Subscription) -> bool:
        """Write a subscription and raise the page's revision."""
        keys = page_keys(subscription.page)
        record = records.encode_subscription(subscription)
        args: list[Argument] = [
            secrets.token_hex(8),
            before.version,
            subscription.since,
            subscription.id,
            record,
            records.encode_wish(subscription.choice),
        ]
        names = [keys.meta, keys.subscriptions, keys.wishes, keys.began]
        return await self._server.run(_SUBSCRIBE, names, args) == 1

    async def change(self, before: Subscription, after: Subscription | None) -> bool:
        """Write a subscription over `before`, or delete it."""
        keys = page_keys(before.page)
        record = records.encode_subscription(after) if after else b""
        names = [keys.subscriptions, keys.announced(before.id), keys.wishes, keys.began]
        return await self._server.run(_CHANGE, names, [before.id, before.version, record]) == 1

    async def announced(self, page: str, wanted: Mapping[str, Iterable[str]]) -> Announced:
        """Return the announcements of these topics."""
        keys = page_keys(page)
        asked = {name: tuple(topics) for name, topics in wanted.items()}
        args: list[Argument] = []
        for topics in asked.values():
            args += [len(topics), *topics]
        # A script without a key could not be routed in a cluster.
        names = [keys.announced(name) for name in asked] or [keys.announced("")]
        answer = await self._server.run(_ANNOUNCED, names, args or [0])
        seconds, micros, *found = cast("tuple[bytes, bytes, *tuple[list[bytes | None], ...]]", answer)
        held = {
            name: {
                topic: records.decode_announcement(value)
                for topic, value in zip(topics, values, strict=True)
                if value is not None
            }
            for (name, topics), values in zip(asked.items(), found, strict=bool(asked))
        }
        return Announced(int(seconds) + int(micros) / 1e6, held)

    async def record(self, page: str, subscription: str, record: Announcement) -> Announcement | None:
        """Write a record over its own version."""
        keys = page_keys(page)
        data = records.encode_announcement(record)
        args: list[Argument] = [subscription, record.topic, record.version, int(record.intent is not None), data]
        value = await self._server.run(_RECORD, [keys.subscriptions, keys.announced(subscription)], args)
        return records.decode_announcement(cast("bytes", value)) if value is not None else None

    async def drop(self, page: str, subscription: str, topics: Iterable[str]) -> None:
        """Delete announcements."""
        if gone := tuple(topics):
            await self._server.command("HDEL", page_keys(page).announced(subscription), *gone)

    async def topics(self, page: str, subscription: str) -> tuple[str, ...]:
        """Return the ids of all topics a channel was told of."""
        answer = await self._server.command("HKEYS", page_keys(page).announced(subscription))
        return tuple(item.decode() for item in cast("list[bytes]", answer))

    async def settled(self, page: str, platform: str) -> int:
        """Return the settled revision."""
        found = cast("bytes | None", await self._server.command("HGET", page_keys(page).settled, platform))
        return int(found or 0)

    async def settle(self, page: str, platform: str, revision: int) -> None:
        """Raise the settled revision."""
        await self._server.run(_SETTLE, [page_keys(page).settled], [platform, revision])

    async def lineage(self, page: str) -> Lineage:
        """Say which store this is, and what it may have forgotten."""
        keys = page_keys(page)
        server, before = await self._server.replication_ids(keys.lineage)
        args: list[Argument] = [server, secrets.token_hex(8), LOST, self._known.get(page, ""), before]
        noted, flat = cast("tuple[int, list[bytes]]", await self._server.run(_LINEAGE, [keys.meta, keys.lineage], args))
        found = _lineage([part.decode() for part in flat], noted=noted == 1)
        self._known[page] = found.id
        return found

    async def distrust(self, page: str) -> None:
        """Note that everything may have been forgotten."""
        keys = page_keys(page)
        await self._server.run(_DISTRUST, [keys.meta, keys.lineage], [secrets.token_hex(8)])

    async def trust(self, page: str, platform: str, number: int) -> None:
        """Note that all was compared on a platform since a loss."""
        await self._server.command("HSET", page_keys(page).lineage, f"trusted:{platform}", number)

    async def lease(self, page: str, name: str, holder: str, seconds: float) -> Lease | None:
        """Take, or go on holding, a turn."""
        fence = await self._server.run(_LEASE, [page_keys(page).lease(name)], [holder, int(seconds * 1000)])
        self._server.meters.leased(name, held=bool(fence))
        return Lease(page, name, holder, cast("int", fence)) if fence else None

    async def release(self, lease: Lease) -> None:
        """Give a turn back."""
        await self._server.run(_RELEASE, [page_keys(lease.page).lease(lease.name)], [lease.fence])

    async def forget(self, page: str) -> None:
        """Delete a page; turns at work on it run out by themselves."""
        keys = page_keys(page)
        names = (keys.meta, keys.incidents, keys.subscriptions, keys.wishes, keys.began, keys.settled, keys.lineage)
        await self._server.command("DEL", *names)

    async def now(self) -> float:
        """Return the server's clock."""
        return (await self.announced("", {})).at


def _lineage(flat: Sequence[str], *, noted: bool) -> Lineage:
    losses, trusted, found = dict[int, Loss](), dict[str, int](), dict(zip(flat[::2], flat[1::2], strict=True))
    for name, value in found.items():
        kind, _, rest = name.partition(":")
        if kind == "loss" and rest:
            reads, since, at = value.split(" ")
            losses[int(rest)] = Loss(int(reads), float(since), float(at), int(rest) / 1e6)
        elif kind == "trusted":
            trusted[rest] = int(value)
    return Lineage(found["id"], losses, trusted, noted)
