"""Conversations in Redis or Valkey: one script a turn."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from itertools import count
from typing import cast
from urllib.parse import quote, unquote

from bot.adapters.store.cache import Recent
from bot.adapters.store.keys import Keys, encoded, keys_of
from bot.adapters.store.records import Confirmation, decode, encode, placed
from bot.adapters.store.registry import CLAIM, CONVERSATION, WORKSPACES
from bot.adapters.store.server import Server, load_script
from bot.adapters.store.turns import Attempt, Entry, confirmed_arguments, confirmed_keys, entry, texts
from bot.core.errors import StoreError
from bot.core.event import Origin
from bot.core.triage.conversation import Conversation, without
from bot.ports.store import Commit, Conflict, Duplicate, Stored

REMEMBERED = 4096
"""Conversations a process keeps in memory: some 10 MB."""
SEEN = 3600.0
"""Seconds after which a process notes again that a workspace has conversations."""
AT_ONCE = 200
"""Most records, marks or confirmations in one script."""
PENDING = 10_000
"""Most confirmations kept in memory while the store is away; the oldest go, and are looked up as owed."""

_COMMIT = load_script("commit", after="confirmations", CLAIMED=CLAIM.ttl)
_CONFIRM = load_script("confirm", after="confirmations")
_READ = load_script("read")
_OWED = load_script("owed")
_FORGET = load_script("forget")
_SEEN = load_script("seen")
_NAME = load_script("name")
_UNNAME = load_script("unname")

_Record = tuple[bytes, bytes | None]
"""A record, and where its last answer was shown, as both are stored."""


class RedisConversations:
    """A `ConversationStore`; `server` may be shared with other stores."""

    def __init__(self, server: Server, *, remembered: int = REMEMBERED, kept_for: int = CONVERSATION.ttl) -> None:
        """Take the server. kept_for: seconds a conversation is kept after its last turn."""
        self.server = self._server = server
        self._lives = kept_for
        self._recent = Recent(remembered)
        # Confirmations stay here until they are written. They are lost with the process, and then looked up as owed.
        self._pending: defaultdict[Keys, dict[str, Confirmation]] = defaultdict(dict)
        self._seen: dict[Keys, float] = {}
        # What tells one attempt to write from any other, here and elsewhere.
        self._process, self._attempts = secrets.token_urlsafe(6), count()
        # Who is known to stand in the index of those whom others' conversations name.
        self._named: OrderedDict[tuple[Keys, str, str], None] = OrderedDict()

    def __repr__(self) -> str:
        return f"RedisConversations({self._server.where!r})"

    async def here(self, origin: Origin) -> Conversation | None:
        """Return the open conversation of this user last touched at this place."""
        remembered = self._recent.here(origin)
        if remembered is not None:
            return remembered
        keys = keys_of(origin)
        channel, thread = encoded(origin.channel), encoded(origin.thread)
        entries = [
            entry
            for entry in await self._entries(keys, origin.user)
            if entry.state == "open" and entry.channel == channel and entry.thread == thread
        ]
        # What the index names may have expired, or opened a thread a moment ago; then the next one counts, which is
        # rare enough to ask again.
        for some in (entries[:1], entries[1:]):
            for found in await self._indexed(keys, origin.user, some):
                if found.origin == origin:
                    self._recent.put(found, here=True)
                    return found
        return None

    async def get(self, origin: Origin, conversation_id: str, *, revision: int = 0) -> Conversation | None:
        """Return a conversation of this workspace, at least of `revision` if it comes from memory."""
        remembered = self._recent.get(origin.tenant, conversation_id)
        if remembered is not None and remembered.revision >= revision:
            return remembered
        (found,) = await self._read(keys_of(origin), [conversation_id])
        if found is not None:
            self._recent.put(found)
        return found

    async def of(self, origin: Origin) -> tuple[Conversation, ...]:
        """Return the open and waiting conversations of this user, the one touched last first."""
        keys = keys_of(origin)
        found = await self._indexed(keys, origin.user, await self._entries(keys, origin.user))
        for conversation in found:
            self._recent.put(conversation)
        return tuple(found)

    async def commit(self, event_id: str, conversation: Conversation, *, shows: bool = True) -> Commit:
        """Write one turn."""
        keys = keys_of(conversation.origin)
        await self._note(keys, conversation.origin)
        await self._name(keys, conversation)
        token = f"{self._process}{next(self._attempts):x}"
        attempt = Attempt(event_id, conversation, token, encode(conversation), self._lives, shows)
        answer = await self._commit(keys, attempt)
        while isinstance(answer, list) and answer[0] == b"taken":
            other = answer[1].decode()
            (holder,) = await self._read(keys, [other])
            if holder is not None:
                self._recent.put(holder)
                return Conflict(holder)
            # The holder has expired and never comes back; its entry goes, and the turn is tried again.
            await self._server.command("HDEL", keys.person(conversation.origin.user), other)
            answer = await self._commit(keys, attempt)
        return self._outcome(conversation, answer)

    async def claim(self, event_id: str, origin: Origin, *, seconds: int = CLAIM.ttl) -> bool:
        """Claim an event that leaves no record."""
        key = keys_of(origin).claim(event_id)
        token = secrets.token_hex(8)
        if await self._server.command("SET", key, token, "NX", "EX", seconds):
            return True
        # A claim whose answer was lost is repeated by the server below: then it is our own.
        return cast("bytes | None", await self._server.command("GET", key)) == token.encode()

    def confirm(self, conversation: Conversation) -> None:
        """Note that the answer of this revision was shown, and where."""
        pending = self._pending[keys_of(conversation.origin)]
        known = pending.get(conversation.id)
        if known is None or known.revision <= conversation.revision:
            moved = (known is not None and known.moved) or not self._indexes(conversation)
            pending[conversation.id] = Confirmation.of(conversation, moved=moved)
        if len(pending) > PENDING:
            del pending[next(iter(pending))]
        self._recent.posted(conversation)

    async def flush(self) -> None:
        """Write the confirmations that are in memory; those that come meanwhile are for the next time."""
        for keys in list(self._pending):
            noted = list(self._pending.get(keys, {}).items())
            for start in range(0, len(noted), AT_ONCE):
                confirmed = dict(noted[start : start + AT_ONCE])
                await self._server.run(_CONFIRM, confirmed_keys(keys, confirmed), confirmed_arguments(confirmed))
                self._settled(keys, confirmed)

    async def owed(self, origin: Origin, *, older_than: float) -> tuple[Conversation, ...]:
        """Return conversations whose answer nobody has confirmed; newer schemas are left to newer replicas."""
        keys = keys_of(origin)
        # Looked at before and after: a confirmation may be written, and so leave memory, while this reads.
        before = self._revisions(keys)
        marks = texts(await self._server.run(_OWED, [keys.owed], [f"{older_than:.6f}", AT_ONCE]))
        wanted = {conversation_id: int(revision) for conversation_id, _, revision in (m.rpartition(":") for m in marks)}
        found, unreadable = await self._readable(keys, list(wanted))
        confirmed = before | self._revisions(keys)
        owed = [c for c in found if c.revision == wanted[c.id] and confirmed.get(c.id, 0) < c.revision]
        # Marks of records that expired, or that a failover left behind their conversation, would stay for ever.
        current = {c.id for c in found if c.revision <= wanted[c.id]}
        lost = {i: revision for i, revision in wanted.items() if i not in current and i not in unreadable}
        if lost:
            await self._server.command("ZREM", keys.owed, *(f"{i}:{revision}" for i, revision in lost.items()))
        return tuple(owed)

    async def waiting(self, origin: Origin) -> tuple[Conversation, ...]:
        """Return the conversations of this workspace that are parked on an incident; newer schemas are left out."""
        keys = keys_of(origin)
        ids = texts(await self._server.command("HKEYS", keys.waiting))
        found, unreadable = await self._readable(keys, ids)
        lost = set(ids) - {c.id for c in found} - unreadable
        if lost:
            await self._server.command("HDEL", keys.waiting, *lost)
        return tuple(c for c in found if c.waiting)

    async def due(self, origin: Origin, now: float) -> tuple[Conversation, ...]:
        """Return the conversations of this workspace whose silence is to be looked at, longest due first."""
        keys = keys_of(origin)
        return await self._going(
            keys, texts(await self._server.command("ZRANGEBYSCORE", keys.going, "-inf", f"{now:.6f}"))
        )

    async def going(self, origin: Origin) -> tuple[Conversation, ...]:
        """Return the conversations of this workspace that are open, waiting or with the helpers."""
        keys = keys_of(origin)
        return await self._going(keys, texts(await self._server.command("ZRANGE", keys.going, 0, -1)))

    async def put_off(self, conversation: Conversation, until: float) -> None:
        """Look at a conversation's silence no sooner than then, if it is still going on."""
        keys = keys_of(conversation.origin)
        await self._server.command("ZADD", keys.going, "XX", f"{until:.6f}", conversation.id)

    async def workspaces(self) -> tuple[Origin, ...]:
        """Return the workspaces with conversations of the last days, as origins without channel and user."""
        members = texts(await self._server.command("ZRANGE", WORKSPACES.key(""), 0, -1))
        names = [tuple(unquote(name, errors="surrogatepass") for name in member.split(" ")) for member in members]
        return tuple(Origin(platform, workspace, "", "") for platform, workspace in names)

    async def forget(self, origin: Origin) -> int:
        """Delete everything kept about this user in this workspace; return the number of conversations."""
        keys = keys_of(origin)
        person, kept = keys.person(origin.user), keys.kept(origin.user)
        deleted, left = 0, 1
        while left:
            ids = texts(await self._server.command("ZRANGE", kept, 0, AT_ONCE - 1))
            records = [keys.conversation(conversation_id) for conversation_id in ids]
            answer = await self._server.run(_FORGET, [person, kept, keys.owed, keys.waiting, keys.going, *records], ids)
            some, left = cast("list[int]", answer)
            deleted += some
            for conversation_id in ids:
                self._pending.get(keys, {}).pop(conversation_id, None)
        self._recent.drop_person(origin)
        await self._unname(keys, origin.user)
        return deleted

    async def close(self) -> None:
        """Flush and let go of the connection."""
        try:
            await self.flush()
        finally:
            await self._server.close()

    async def _note(self, keys: Keys, origin: Origin) -> None:
        """Note that a workspace has conversations, before the first one is written and now and then."""
        now = time.monotonic()
        if now - self._seen.get(keys, -SEEN) >= SEEN:
            names = [quote(name, safe="", errors="surrogatepass") for name in (origin.platform, origin.workspace)]
            await self._server.run(_SEEN, [WORKSPACES.key("")], [" ".join(names), max(WORKSPACES.ttl, self._lives)])
            self._seen[keys] = now

    async def _name(self, keys: Keys, conversation: Conversation) -> None:
        """Index whom a conversation names besides its owner, before it does so for the first time."""
        for user in conversation.others:
            key = (keys, conversation.id, user)
            if key not in self._named:
                await self._server.run(_NAME, [keys.named(user)], [conversation.id, self._lives])
                self._named[key] = None
                if len(self._named) > REMEMBERED:
                    self._named.popitem(last=False)

    async def _unname(self, keys: Keys, user: str) -> None:
        """Take somebody out of other people's conversations; what another process writes meanwhile is done again."""
        named = keys.named(user)
        ids = texts(await self._server.command("ZRANGE", named, 0, -1))
        while ids:
            again = []
            for found in await self._read(keys, ids):
                if found is None or user not in found.others:
                    continue
                after = without(found, user)
                written = await self._server.run(
                    _UNNAME, [keys.conversation(found.id), keys.owed], [found.id, after.revision, encode(after)]
                )
                again += [] if written else [found.id]
                self._recent.drop(found.origin.tenant, found.id)
            ids = again
        await self._server.command("DEL", named)

    async def _going(self, keys: Keys, ids: Sequence[str]) -> tuple[Conversation, ...]:
        """Read conversations of the index of what goes on; those that expired leave it."""
        found, unreadable = await self._readable(keys, ids)
        if lost := set(ids) - {c.id for c in found} - unreadable:
            await self._server.command("ZREM", keys.going, *lost)
        return tuple(found)

    def _indexes(self, posted: Conversation) -> bool:
        """Say whether the index was told the thread of an answer when its turn, or a later one, was written."""
        stands = self._recent.get(posted.origin.tenant, posted.id)
        return bool(stands and stands.revision >= posted.revision and stands.origin.thread == posted.origin.thread)

    async def _commit(self, keys: Keys, attempt: Attempt) -> object:
        conversation = attempt.conversation
        user = conversation.origin.user
        mine = self._pending.get(keys, {}).get(conversation.id)
        confirmed = {conversation.id: mine} if mine else {}
        # Mostly it stands in the record, and its answer is settled by the turn; others' are written in batches.
        rest = confirmed if mine and not mine.told_by(conversation) else {}
        names = [
            keys.claim(attempt.event_id),
            keys.conversation(conversation.id),
            keys.person(user),
            keys.kept(user),
            keys.waiting,
            keys.going,
            *confirmed_keys(keys, rest),
        ]
        try:
            answer = await self._server.run(_COMMIT, names, [*attempt.arguments(), *confirmed_arguments(rest)])
        except BaseException:
            # It may have been written all the same: what is remembered is no longer known to stand.
            self._recent.drop(conversation.origin.tenant, conversation.id)
            raise
        if isinstance(answer, list) and answer[0] == b"stored":
            self._settled(keys, confirmed)
        return answer

    def _outcome(self, conversation: Conversation, answer: object) -> Commit:
        if answer == b"duplicate":
            return Duplicate()
        word, first, *rest = cast("list[bytes | None]", answer)
        if word == b"stored":
            stored = placed(conversation, first)
            self._recent.put(stored, here=True)
            return Stored(stored)
        if word != b"conflict":
            raise StoreError(f"{self._server.where} answered a commit with {word!r}.")
        self._recent.drop(conversation.origin.tenant, conversation.id)
        current = self._known(keys_of(conversation.origin), (first, rest[0])) if first is not None else None
        if current is not None:
            self._recent.put(current)
        return Conflict(current)

    async def _entries(self, keys: Keys, user: str) -> list[Entry]:
        """Return the person's index, touched last first."""
        answer = await self._server.command("HGETALL", keys.person(user))
        index = cast("dict[bytes, bytes]", answer)
        entries = [entry(conversation_id.decode(), value.decode()) for conversation_id, value in index.items()]
        return sorted(entries, key=lambda one: one.touched, reverse=True)

    async def _indexed(self, keys: Keys, user: str, entries: Sequence[Entry]) -> list[Conversation]:
        """Read the conversations of an index in its order; those that expired leave it."""
        if not entries:
            return []
        found = await self._read(keys, [entry.id for entry in entries])
        gone = [entry.id for entry, conversation in zip(entries, found, strict=True) if conversation is None]
        if gone:
            await self._server.command("HDEL", keys.person(user), *gone)
        return [conversation for conversation in found if conversation is not None]

    async def _read(self, keys: Keys, ids: Sequence[str]) -> list[Conversation | None]:
        return [self._known(keys, record) if record else None for record in await self._records(keys, ids)]

    async def _readable(self, keys: Keys, ids: Sequence[str]) -> tuple[list[Conversation], set[str]]:
        """Return the conversations this version can read, and the ids of those it cannot."""
        found, unreadable = [], set()
        for conversation_id, record in zip(ids, await self._records(keys, ids), strict=True):
            try:
                if record:
                    found.append(self._known(keys, record))
            except StoreError:
                # One record that is too new, or damaged, must not hide the others; who asks for it is told.
                unreadable.add(conversation_id)
        return found, unreadable

    def _known(self, keys: Keys, record: _Record) -> Conversation:
        """Return a stored conversation, with what a confirmation in memory tells of its place."""
        conversation = decode(*record)
        confirmation = self._pending.get(keys, {}).get(conversation.id)
        return placed(conversation, confirmation.posted.encode()) if confirmation else conversation

    async def _records(self, keys: Keys, ids: Sequence[str]) -> list[_Record | None]:
        records: list[_Record | None] = []
        for start in range(0, len(ids), AT_ONCE):
            names = [keys.conversation(conversation_id) for conversation_id in ids[start : start + AT_ONCE]]
            answer = cast("list[tuple[bytes | None, bytes | None]]", await self._server.run(_READ, names))
            records += [(data, posted) if data is not None else None for data, posted in answer]
        return records

    def _revisions(self, keys: Keys) -> dict[str, int]:
        """Return the revisions whose answers are confirmed in memory."""
        return {i: confirmation.revision for i, confirmation in self._pending.get(keys, {}).items()}

    def _settled(self, keys: Keys, confirmed: dict[str, Confirmation]) -> None:
        """Take written confirmations out of memory, but for those that have become newer."""
        pending = self._pending[keys]
        for conversation_id, confirmation in confirmed.items():
            if pending.get(conversation_id) == confirmation:
                del pending[conversation_id]
        if not pending:
            del self._pending[keys]
