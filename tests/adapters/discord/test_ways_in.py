"""Ways into a conversation that are Discord's own: an app somebody brought along, threads, menus, files; and hurry."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import simcord
from simcord.interactions import base_payload

from bot.core.event import InboundEvent
from bot.core.triage.placement import Rooms
from bot.ports.chat import Chat
from bot.runtime.dispatcher import Dispatcher
from tests.adapters.discord.test_scenarios import buttons, forbid, mentioned
from tests.adapters.discord.town import Town, options, parts, said, town
from tests.contract.test_chat import CUT_OFF, QUESTION, TOOLS

SIGN_IN = "API Error: 401 OAuth token has expired. Please run /login"


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        yield one


async def brought(there: Town, channel: str, text: str) -> None:
    """Give `/redial triage` as somebody does who installed Redial for themselves, in a server that has not."""
    backend, ann = there.env.backend, there.people["ann"]
    typed = {"name": "text", "type": 3, "value": text}
    data: dict[str, Any] = {"id": "1", "name": "redial", "type": 1}
    data["options"] = [{"name": "triage", "type": 1, "options": [typed]}]
    place = there.channels[channel].id
    _, payload = base_payload(backend, type=2, channel_id=place, guild_id=there.guild.id, user_id=ann.id, data=data)
    backend.emit("INTERACTION_CREATE", {**payload, "authorizing_integration_owners": {"1": str(ann.id)}})
    await there.env.settle()


class TestBroughtAlong:
    async def test_where_only_a_person_installed_it_nobody_else_sees_anything(self, there: Town) -> None:
        await brought(there, "triage", CUT_OFF)
        assert there.public() == []
        assert there.channels["triage"].threads == []
        assert QUESTION in said(there.private("ann")[-1])
        await there.press("ann", there.private("ann")[-1], TOOLS)
        assert "git diff" in said(there.private("ann")[-1])

    def test_the_commands_may_be_installed_by_a_person_and_used_everywhere(self, there: Town) -> None:
        for command in there.client.tree.get_commands():
            declared = command.to_dict(there.client.tree)
            assert sorted(declared["integration_types"]) == [0, 1]
            assert sorted(declared["contexts"]) == [0, 1, 2]


class TestPlaces:
    async def test_in_a_thread_of_other_people_it_answers_there(self, there: Town) -> None:
        place = there.channels["other"]
        start = await there.people["bob"].send(place, "let us look at this together")
        thread = there.env.backend.create_thread(place.id, "together", there.people["bob"].id, message_id=start.id)
        await there.env.settle()
        (talk,) = place.threads
        await there.people["ann"].send(talk, f"{there.me} {CUT_OFF}")
        (opening,) = there.ours(talk)
        assert QUESTION in said(opening)
        await there.people["ann"].send(talk, "1")
        assert "git diff" in said(there.ours(talk)[-1])
        assert [one.id for one in place.threads] == [thread.id]

    async def test_a_channel_that_takes_no_words_of_ours_is_answered_to_the_person_alone(self, there: Town) -> None:
        await forbid(there, there.channels["triage"], "send_messages", "send_messages_in_threads")
        await there.people["ann"].slash(there.channels["triage"], "redial triage", text=CUT_OFF)
        assert there.public() == []
        assert QUESTION in said(there.private("ann")[-1])

    async def test_in_an_announcement_channel_a_command_is_answered_in_one_message(self, there: Town) -> None:
        """A thread without a message would be of a kind of its own there."""
        there.channels["news"] = news = there.guild.create_news_channel("news")
        takes(there, news)
        await there.people["ann"].slash(news, "redial triage", text=CUT_OFF)
        (message,) = there.ours(news)
        assert QUESTION in said(message)
        await there.people["bob"].send(news, f"{there.me} {CUT_OFF}")
        assert len(news.threads) == 1, "on a message there is one"

    async def test_where_no_thread_can_be_one_message_is_kept_up_to_date_without_an_excuse(self, there: Town) -> None:
        there.channels["voice"] = voice = there.guild.create_voice_channel("voice")
        await there.people["ann"].send(voice, f"{there.me} {CUT_OFF}")
        (message,) = there.ours(voice)
        assert "missing" not in said(message)
        await there.press("ann", message, TOOLS)
        (message,) = there.ours(voice)
        assert "git diff" in said(message)

    async def test_a_forum_post_that_is_corrected_gets_its_offer_and_the_conversation_goes_on_there(
        self, there: Town
    ) -> None:
        forum, backend, ann = there.channels["forum"], there.env.backend, there.people["ann"]
        takes(there, forum)
        post = backend.create_thread(forum.id, "help", ann.id)
        starter = backend.prepare_message(post.id, ann.id, "it just stopped")
        starter.id = post.id
        backend.commit_message(starter)
        await there.env.settle()
        (thread,) = forum.threads
        assert there.ours(thread) == []
        await ann.edit(thread.history()[0], CUT_OFF)
        await there.press("ann", there.ours(thread)[-1], "Yes, start")
        await ann.send(thread, "1")
        opening, step = there.ours(thread)
        assert "→" in said(opening)
        assert "git diff" in said(step)


def takes(there: Town, channel: simcord.ChannelHandle) -> None:
    """Make a channel one where conversations are public."""
    rooms = there.client.rooms
    there.desk.rooms["discord"] = there.client.rooms = Rooms(rooms.triage | {str(channel.id)}, rooms.watched)  # type: ignore[index]


class TestChoices:
    async def test_more_than_five_are_chosen_from_a_menu(self, there: Town) -> None:
        thread = await mentioned(there, SIGN_IN)
        opening = there.ours(thread)[-1]
        (menu,) = [part for part in parts(opening) if options(part)]
        assert len(options(menu)) > 5
        await there.press("ann", opening, options(menu)[0]["label"])
        assert len(there.ours(thread)) == 2
        assert buttons(there.ours(thread)[0]) == ()
        assert options(menu)[0]["label"] in said(there.ours(thread)[0])


class TestFiles:
    @pytest.mark.parametrize("name", ["claude.log", "message.txt"])
    async def test_a_log_is_read(self, there: Town, name: str) -> None:
        body = ("debug: all is well\n" * 2000 + CUT_OFF).encode()
        await there.people["ann"].send(there.channels["other"], there.me, attachments=[(name, body)])
        (thread,) = there.channels["other"].threads
        assert QUESTION in said(there.ours(thread)[-1])

    async def test_what_is_larger_than_a_megabyte_is_not(self, there: Town) -> None:
        body = CUT_OFF.encode() + b"\n" + b"x" * (1024 * 1024)
        await there.people["ann"].send(there.channels["other"], f"{there.me} see", attachments=[("a.log", body)])
        read = [event.what for event, _ in there.heard.events]
        assert all(CUT_OFF not in str(what) for what in read)
        assert there.ours(there.channels["other"]) or there.channels["other"].threads, "it is answered all the same"


class TestHurry:
    async def test_a_press_is_acknowledged_before_its_turn_begins(self, there: Town) -> None:
        thread = await mentioned(there)
        held, acknowledged = asyncio.Event(), list[bool]()

        def callbacks() -> int:
            return sum(request.path.endswith("/callback") for request in there.env.http_requests)

        before = callbacks()

        async def stuck(_event: InboundEvent, _chat: Chat) -> None:
            acknowledged.append(callbacks() > before)
            held.set()

        there.heard.dispatcher = Dispatcher(stuck)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert held.is_set()
        assert acknowledged == [True]
