"""What every `Channels` promises: the suite an adapter subclasses, with a platform of its own to look into."""

from __future__ import annotations

import time
import uuid
from typing import Protocol

import pytest

from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place
from bot.core.text import Text, words
from bot.core.view import View
from bot.ports.announcing import Channels, Delivered, Failed, Why


class Street(Protocol):
    """The platform's side: what people see, and ways to break it. `place` is a channel we may post into.

    closed: another channel, which is gone or where we have no right; blind: one where we may post but not read, or None
    where a platform has no such thing.
    """

    @property
    def channels(self) -> Channels: ...
    @property
    def place(self) -> Place: ...
    @property
    def closed(self) -> Place: ...
    @property
    def blind(self) -> Place | None: ...

    async def texts(self, place: Place) -> list[str]:
        """Everything people read in a channel and its threads now, oldest first."""

    async def pings(self, place: Place) -> int:
        """How many messages there mention somebody."""

    async def deletes(self, ref: str) -> None:
        """A moderator deletes a message."""


def a_notice(text: str = "Errors", *, mention: str = "") -> Notice:
    view = View(words(text), (), (Text(words("First, <@U1> @everyone <!channel> *bold* `code`.")),))
    return Notice(view, Tone.MAJOR, mention)


def a_key() -> str:
    return uuid.uuid4().hex[:24]


async def sent(street: Street, key: str = "", text: str = "Errors") -> str:
    """Post what must arrive."""
    delivery = await street.channels.post(street.place, key or a_key(), a_notice(text))
    assert isinstance(delivery, Delivered)
    return delivery.ref


class ChannelsContract:
    """The promises; a subclass has a fixture `street`."""

    async def test_a_message_is_posted_edited_and_answered(self, street: Street) -> None:
        await street.channels.turn(street.place)
        key = a_key()
        ref = await sent(street, key)
        assert await street.channels.edit(street.place, ref, key, a_notice("All over")) == Delivered(ref)
        reply = await street.channels.reply(street.place, ref, a_key(), a_notice("A reply"))
        assert isinstance(reply, Delivered)
        post, below = await street.texts(street.place)
        assert "All over" in post
        assert "Errors" not in post
        assert "A reply" in below

    async def test_a_second_reply_stands_in_the_same_thread_and_can_be_edited(self, street: Street) -> None:
        ref = await sent(street)
        key = a_key()
        await street.channels.reply(street.place, ref, a_key(), a_notice("One"))
        second = await street.channels.reply(street.place, ref, key, a_notice("Two"))
        assert isinstance(second, Delivered)
        assert await street.channels.edit(street.place, second.ref, key, a_notice("Three")) == second
        assert await street.channels.find(street.place, ref, key, time.time() - 60) == (second.ref,)
        assert [t for t in await street.texts(street.place) if "Two" in t] == []

    async def test_a_message_is_found_by_its_key_also_after_an_edit(self, street: Street) -> None:
        keys = [a_key() for _ in range(3)]
        refs = [await sent(street, key, f"Number {n}") for n, key in enumerate(keys)]
        await street.channels.edit(street.place, refs[1], keys[1], a_notice("Edited"))
        found = [await street.channels.find(street.place, "", key, time.time() - 60) for key in keys]
        assert found == [(ref,) for ref in refs]
        assert await street.channels.find(street.place, "", a_key(), time.time() - 60) == ()

    async def test_two_of_one_key_are_both_found_the_older_first_and_one_can_be_deleted(self, street: Street) -> None:
        key = a_key()
        first, second = await sent(street, key), await sent(street, key)
        assert await street.channels.find(street.place, "", key, time.time() - 60) == (first, second)
        assert isinstance(await street.channels.delete(street.place, second), Delivered)
        assert await street.channels.find(street.place, "", key, time.time() - 60) == (first,)

    async def test_what_people_deleted_is_gone(self, street: Street) -> None:
        key = a_key()
        ref = await sent(street, key)
        await street.deletes(ref)
        for delivery in (
            await street.channels.edit(street.place, ref, key, a_notice()),
            await street.channels.reply(street.place, ref, a_key(), a_notice()),
        ):
            assert isinstance(delivery, Failed)
            assert delivery.why is Why.GONE

    async def test_a_channel_that_is_gone_or_shut_is_closed(self, street: Street) -> None:
        delivery = await street.channels.post(street.closed, a_key(), a_notice())
        assert isinstance(delivery, Failed)
        assert delivery.why is Why.CLOSED
        assert delivery.detail

    async def test_where_nobody_may_look_that_is_said(self, street: Street) -> None:
        if street.blind is None:
            pytest.skip("this platform lets us read wherever it lets us post")
        found = await street.channels.find(street.blind, "", a_key(), time.time() - 60)
        assert isinstance(found, Failed)
        assert found.why is Why.CLOSED

    async def test_only_a_chosen_mention_mentions_and_an_edit_never_does(self, street: Street) -> None:
        key = a_key()
        ref = await sent(street, key)
        assert await street.pings(street.place) == 0, "what a vendor writes mentions nobody"
        await street.channels.edit(street.place, ref, key, a_notice(mention="<!here>"))
        assert await street.pings(street.place) == 0
