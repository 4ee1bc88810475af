"""What this process wrote or read last: a bounded memory of conversations, by id and by place."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from bot.core.event import Origin
from bot.core.triage.conversation import Conversation

Key = tuple[str, str]
"""Tenant and conversation id."""


class Recent:
    """The conversations used last. Nothing is remembered about what does not exist."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._by_id: OrderedDict[Key, Conversation] = OrderedDict()
        self._by_place: dict[Origin, Key] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, tenant: str, conversation_id: str) -> Conversation | None:
        """Return the remembered copy and count it as used."""
        key = (tenant, conversation_id)
        found = self._by_id.get(key)
        if found is not None:
            self._by_id.move_to_end(key)
        return found

    def here(self, place: Origin) -> Conversation | None:
        """Return the open conversation last written or read at this place."""
        key = self._by_place.get(place)
        return self.get(*key) if key else None

    def put(self, conversation: Conversation, *, here: bool = False) -> None:
        """Remember `conversation` unless a newer revision is known; `here`: it is the one of its place."""
        key = (conversation.origin.tenant, conversation.id)
        known = self._by_id.get(key)
        if known is not None and known.revision > conversation.revision:
            return
        if known is not None and (known.origin != conversation.origin or not conversation.open):
            self._leave(known.origin, key)
        self._by_id[key] = conversation
        self._by_id.move_to_end(key)
        if here and conversation.open:
            self._by_place[conversation.origin] = key
        if len(self._by_id) > self._size:
            self._evict()

    def posted(self, conversation: Conversation) -> None:
        """Learn where the answer to a revision was shown, if that conversation is still remembered."""
        key = (conversation.origin.tenant, conversation.id)
        known = self._by_id.get(key)
        if known is None:
            return
        here = self._by_place.get(known.origin) == key
        if known.revision == conversation.revision:
            self.put(conversation, here=here)
        elif not known.origin.thread:
            origin = replace(known.origin, thread=conversation.origin.thread)
            self.put(replace(known, origin=origin), here=here)

    def drop(self, tenant: str, conversation_id: str) -> None:
        """Forget one conversation."""
        key = (tenant, conversation_id)
        known = self._by_id.pop(key, None)
        if known is not None:
            self._leave(known.origin, key)

    def drop_person(self, origin: Origin) -> None:
        """Forget everything of this user in this workspace."""
        tenant = origin.tenant
        theirs = [
            conversation.id
            for key, conversation in self._by_id.items()
            if key[0] == tenant and conversation.origin.user == origin.user
        ]
        for conversation_id in theirs:
            self.drop(tenant, conversation_id)

    def _evict(self) -> None:
        key, conversation = self._by_id.popitem(last=False)
        self._leave(conversation.origin, key)

    def _leave(self, place: Origin, key: Key) -> None:
        if self._by_place.get(place) == key:
            del self._by_place[place]
