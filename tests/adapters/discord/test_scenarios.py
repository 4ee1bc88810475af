"""What people do on Discord, in real discord.py, and what they then see."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest
import simcord
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.adapters.discord.wire import Ready
from bot.core.event import Commanded, Said
from handlers.commands import COMMANDS, MANAGING
from tests.adapters.discord.openapi import faults, needs_openapi
from tests.adapters.discord.town import Town, built, labels, parts, said, town
from tests.contract.test_chat import CUT_OFF, OVERLOADED, QUESTION, SECRET, TOOLS


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        yield one


def buttons(message: discord.Message) -> tuple[str, ...]:
    return labels([dict(component.to_dict()) for component in message.components])


async def mentioned(there: Town, text: str = CUT_OFF, channel: str = "triage") -> simcord.ChannelHandle:
    await there.people["ann"].send(there.channels[channel], f"{there.me} {text}")
    return max(there.channels[channel].threads, key=lambda thread: thread.id)


class TestAMention:
    async def test_its_message_gets_a_thread_named_by_the_guide_and_calls_its_author(self, there: Town) -> None:
        message = await there.people["ann"].send(there.channels["other"], f"{there.me} {CUT_OFF}")
        (thread,) = there.channels["other"].threads
        assert thread.id == message.id
        assert thread.name == "Claude Code lost its connection mid-response"
        (opening,) = there.ours(thread)
        texts = [str(part.get("content", "")) for part in parts(opening)]
        assert texts[0].startswith("### Don't repeat the request yet"), "the answer comes first"
        assert any(there.people["ann"].mention in text for text in texts)
        assert [user.id for user in opening.mentions] == [there.people["ann"].id]

    async def test_alone_it_helps(self, there: Town) -> None:
        await there.people["ann"].send(there.channels["other"], there.me)
        assert "Paste what Claude printed" in said(there.ours(there.channels["other"])[-1])

    async def test_a_command_behind_it_is_one(self, there: Town) -> None:
        await there.people["ann"].send(there.channels["other"], f"{there.me} status")
        assert "official page" in said(there.ours(there.channels["other"])[-1])

    async def test_a_reply_to_somebody_is_about_their_words_and_both_may_press(self, there: Town) -> None:
        pasted = await there.people["ann"].send(there.channels["other"], CUT_OFF)
        await there.people["bob"].send(there.channels["other"], f"{there.me} can you look?", reply_to=pasted)
        (thread,) = there.channels["other"].threads
        (here,) = await there.desk.store.of(there.origin("ann", "other"))
        assert (here.origin.user, here.helpers) == (str(there.people["ann"].id), (str(there.people["bob"].id),))
        await there.press("bob", there.ours(thread)[-1], TOOLS)
        assert "git diff" in said(there.ours(thread)[-1])

    async def test_a_text_attachment_is_read(self, there: Town) -> None:
        files = [("message.txt", CUT_OFF.encode()), ("photo.png", b"\x89PNG")]
        await there.people["ann"].send(there.channels["other"], f"{there.me} this", attachments=files)
        (thread,) = there.channels["other"].threads
        assert QUESTION in said(there.ours(thread)[-1])

    async def test_bots_and_other_peoples_talk_are_left_alone(self, there: Town) -> None:
        hook = there.guild.create_webhook(there.channels["other"])
        await hook.send(f"{there.me} {CUT_OFF}")
        await there.people["ann"].send(there.channels["other"], CUT_OFF)
        assert there.heard.events == []


class TestCommands:
    async def test_every_sub_command_answers(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["other"]
        names = {name.removeprefix("redial ") for name in ann.available_commands(place)}
        assert names == {*COMMANDS, *MANAGING}
        for name in sorted(names - {"triage", "guide", *MANAGING}):
            result = await ann.slash(place, f"redial {name}")
            assert result.ephemeral
            assert result.response
            assert said(result.response.message)

    async def test_in_a_triage_channel_a_thread_opens_and_who_asked_is_led_there(self, there: Town) -> None:
        result = await there.people["ann"].slash(there.channels["triage"], "redial triage", text=CUT_OFF)
        (thread,) = there.channels["triage"].threads
        assert QUESTION in said(there.ours(thread)[0])
        assert result.response
        assert f"/{thread.id})" in said(result.response.message)

    async def test_elsewhere_it_goes_on_privately_with_a_form_for_words(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["other"]
        await ann.slash(place, "redial triage", text=CUT_OFF)
        shown = there.private("ann")[-1]
        assert there.public() == []
        form = await there.press("ann", shown, "Write an answer")
        assert form.modal
        await ann.submit_modal(form, {"text": "1"})
        assert "git diff" in said(there.private("ann")[-1])
        await there.press("ann", there.private("ann")[-1], "Nothing changed")
        first = there.private("ann")[-2]
        assert "→ Nothing changed" in said(first), "what was answered is folded, though only ann sees it"

    async def test_without_text_a_form_of_several_lines_asks_for_it(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["other"]
        form = await ann.slash(place, "redial triage")
        assert form.modal
        await ann.submit_modal(form, {"text": f"a trace\n{CUT_OFF}"})
        assert QUESTION in said(there.private("ann")[-1])

    async def test_words_for_a_conversation_that_has_ended_are_answered(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["other"]
        await ann.slash(place, "redial triage", text=CUT_OFF)
        shown = there.private("ann")[-1]
        await ann.slash(place, "redial reset")
        form = await there.press("ann", shown, "Write an answer")
        await ann.submit_modal(form, {"text": "1"})
        assert "has ended" in said(there.private("ann")[-1])

    async def test_guides_are_suggested_while_typing(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["other"]
        found = await ann.autocomplete(place, "redial guide", "name", "overload")
        assert "overloaded" in [choice["value"] for choice in found]
        assert len(await ann.autocomplete(place, "redial guide", "name", "")) <= 25
        await ann.slash(place, "redial guide", name="overloaded")
        assert "capacity" in said(there.private("ann")[-1])

    async def test_the_shortcut_on_somebodys_message_is_theirs_with_a_helper(self, there: Town) -> None:
        pasted = await there.people["ann"].send(there.channels["triage"], CUT_OFF)
        await there.people["bob"].context_menu(there.channels["triage"], "Triage this message", pasted)
        (thread,) = there.channels["triage"].threads
        assert thread.id == pasted.id
        (here,) = await there.desk.store.of(there.origin("ann"))
        assert here.helpers == (str(there.people["bob"].id),)

    async def test_they_are_registered_once(self, there: Town) -> None:
        before = [request for request in there.env.http_requests if request.method == "PUT"]
        await there.env.restart_bot(built(there.desk, there.heard))
        after = [request for request in there.env.http_requests if request.method == "PUT"]
        assert len(before) == 1
        assert len(after) == 1


class TestDirectMessages:
    async def test_a_conversation(self, there: Town) -> None:
        ann = there.people["ann"]
        await ann.send_dm(CUT_OFF)
        opening = there.ours(ann.user.dm_channel)[-1]
        assert QUESTION in said(opening)
        await ann.user.click(opening, label=TOOLS)
        assert "git diff" in said(there.ours(ann.user.dm_channel)[-1])
        await ann.send_dm("back")
        assert QUESTION in said(there.ours(ann.user.dm_channel)[-1])
        await ann.user.slash("redial status")
        assert "official page" in said(there.ours(ann.user.dm_channel)[-1])


class TestAGoodNeighbour:
    async def test_a_known_line_gets_one_offer_that_its_author_alone_can_take(self, there: Town) -> None:
        await there.people["ann"].send(there.channels["watched"], f"hm {CUT_OFF}")
        (offer,) = there.ours(there.channels["watched"])
        assert "I can lead you through it" in said(offer)
        assert offer.mentions == []
        await there.press("bob", offer, "Yes, start")
        assert "belongs to somebody else" in said(there.private("bob")[-1])
        await there.press("ann", offer, "Yes, start")
        assert QUESTION in said(there.private("ann")[-1])
        assert there.ours(there.channels["watched"]) == [], "the offer has done its work"

    async def test_one_press_removes_it_and_there_is_no_other_for_a_while(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["watched"]
        await ann.send(place, CUT_OFF)
        await there.press("ann", there.ours(place)[-1], "Remove this")
        assert there.ours(place) == []
        await ann.send(place, OVERLOADED)
        assert there.ours(place) == []
        await there.people["bob"].send(place, OVERLOADED)
        assert len(there.ours(place)) == 1

    async def test_it_goes_with_the_message_it_was_for(self, there: Town) -> None:
        message = await there.people["ann"].send(there.channels["watched"], CUT_OFF)
        assert len(there.ours(there.channels["watched"])) == 1
        await there.people["ann"].delete(message)
        assert there.ours(there.channels["watched"]) == []

    async def test_a_message_corrected_into_a_known_line_is_seen_once(self, there: Town) -> None:
        ann = there.people["ann"]
        message = await ann.send(there.channels["watched"], "it just stopped")
        await ann.edit(message, CUT_OFF)
        await ann.edit(message, f"{CUT_OFF} again")
        assert len(there.ours(there.channels["watched"])) == 1

    async def test_a_forum_post_is_answered_once_in_its_thread(self, there: Town) -> None:
        forum, backend = there.channels["forum"], there.env.backend
        ann = there.people["ann"].id
        post = backend.create_thread(forum.id, "help", ann)
        starter = backend.prepare_message(post.id, ann, f"my session {CUT_OFF}")
        starter.id = post.id
        backend.commit_message(starter)
        await there.env.settle()
        (thread,) = there.channels["forum"].threads
        assert thread.id == post.id
        assert "I can lead you through it" in said(there.ours(thread)[-1])
        await there.people["ann"].send(thread, f"and now {OVERLOADED}")
        assert len(there.ours(thread)) == 1


class TestThreads:
    async def test_only_the_owner_and_helpers_press(self, there: Town) -> None:
        thread = await mentioned(there)
        await there.press("bob", there.ours(thread)[-1], TOOLS)
        assert len(there.ours(thread)) == 1
        assert "belongs to somebody else" in said(there.private("bob")[-1])

    async def test_an_archived_one_is_opened_again(self, there: Town) -> None:
        thread = await mentioned(there)
        found = there.env.bot.get_channel(thread.id)
        assert isinstance(found, discord.Thread)
        await found.edit(archived=True)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert "git diff" in said(there.ours(thread)[-1])
        assert "→" in said(there.ours(thread)[0]), "folded too"

    async def test_a_restart_in_the_middle_loses_nothing(self, there: Town) -> None:
        thread = await mentioned(there)
        await there.env.restart_bot(built(there.desk, there.heard))
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        await there.people["ann"].send(thread, "1")
        assert len(there.ours(thread)) == 3

    async def test_other_peoples_talk_is_left_alone_by_a_process_that_heard_none_of_it(self, there: Town) -> None:
        thread = await mentioned(there)
        await there.people["bob"].send(thread, "did you try the other wifi?")
        await there.env.restart_bot(built(there.desk, there.heard))
        answers = len(there.ours(thread))
        await there.people["ann"].send(thread, "yes, same there")
        assert len(there.ours(thread)) == answers
        await there.people["ann"].send(thread, "1")
        assert "git diff" in said(there.ours(thread)[-1])

    async def test_what_was_written_while_nobody_was_connected_is_read_once(self, there: Town) -> None:
        thread = await mentioned(there)
        await there.people["ann"].send(thread, "1")
        events = len(there.heard.events)
        answers = len(there.ours(thread))
        await there.env.restart_bot(built(there.desk, there.heard))
        await there.env.settle()
        assert len(there.heard.events) > events, "the thread was read again"
        assert len(there.ours(thread)) == answers, "and nothing answered twice"

    async def test_without_the_content_intent_a_form_takes_words(self, tmp_path: Path) -> None:
        async with town(tmp_path / "data", content_intent=False) as there:
            thread = await mentioned(there)
            await there.people["ann"].send(thread, "1")
            assert len(there.ours(thread)) == 1
            form = await there.press("ann", there.ours(thread)[-1], "Write an answer")
            await there.people["ann"].submit_modal(form, {"text": "1"})
            assert "git diff" in said(there.ours(thread)[-1])

    async def test_a_form_is_meant_for_redial_whoever_talks_meanwhile(self, tmp_path: Path) -> None:
        async with town(tmp_path / "data", content_intent=False) as there:
            thread = await mentioned(there)
            await there.people["bob"].send(thread, "did you try the other wifi?")
            form = await there.press("ann", there.ours(thread)[-1], "Write an answer")
            await there.people["ann"].submit_modal(form, {"text": "only on the office wifi"})
            assert "Noted" in said(there.ours(thread)[-1])

    async def test_an_answer_that_comes_late_is_not_called_an_end(self, tmp_path: Path) -> None:
        async with town(tmp_path / "data", content_intent=False) as there:
            thread = await mentioned(there)
            form = await there.press("ann", there.ours(thread)[-1], "Write an answer")
            there.env.inject_error("POST", f"/channels/{thread.id}/messages", status=503, times=9)
            await there.people["ann"].submit_modal(form, {"text": "1"})
            assert not any("has ended" in said(told) for told in there.private("ann"))
            assert len(await there.desk.store.owed(there.origin("ann"), older_than=0)) == 1


class TestRights:
    async def test_without_the_right_to_threads_one_message_is_kept_up_to_date_and_says_why(self, there: Town) -> None:
        place = there.channels["other"]
        await forbid(there, place, "create_public_threads")
        await there.people["ann"].send(place, f"{there.me} {CUT_OFF}")
        (message,) = there.ours(place)
        assert "“Create Public Threads” is missing" in said(message)
        await there.press("ann", message, TOOLS)
        (message,) = there.ours(place)
        assert "git diff" in said(message)

    async def test_a_right_lost_in_the_middle_is_named_and_the_channel_left_alone(self, there: Town) -> None:
        thread = await mentioned(there)
        await forbid(there, there.channels["triage"], "send_messages_in_threads")
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert "is missing" in said(there.private("ann")[-1])
        posts = sum(request.path.endswith(f"/channels/{thread.id}/messages") for request in there.env.http_requests)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        after = sum(request.path.endswith(f"/channels/{thread.id}/messages") for request in there.env.http_requests)
        assert after == posts

    async def test_a_secret_reaches_only_its_owner(self, there: Town) -> None:
        thread = await mentioned(there, f"{CUT_OFF} {SECRET}")
        assert "I took out a secret" in said(there.private("ann")[-1])
        assert SECRET not in "".join(said(message) for message in there.ours(thread))


class TestReliability:
    async def test_a_duplicate_at_another_replica_is_answered_once(self, there: Town) -> None:
        thread = await mentioned(there)
        event, chat = there.heard.events[-1]
        there.heard.dispatcher.submit(event, chat)
        await there.heard.dispatcher.idle()
        assert len(there.ours(thread)) == 1

    async def test_a_platform_that_fails_leaves_the_answer_owed(self, there: Town) -> None:
        there.env.inject_error("POST", "/channels/*/messages", status=400, times=1)
        await there.people["ann"].send(there.channels["triage"], f"{there.me} {CUT_OFF}")
        assert len(await there.desk.store.owed(there.origin("ann"), older_than=0)) == 1

    async def test_nothing_of_a_message_is_kept(self, there: Town) -> None:
        thread = await mentioned(there)
        for _ in range(3):
            await there.press("ann", there.ours(thread)[-1], TOOLS)
            await there.press("ann", there.ours(thread)[-1], "Back")
        assert not there.client.persistent_views
        assert not there.client.cached_messages
        assert Ready([]).is_finished()

    @needs_openapi
    async def test_discords_own_description_accepts_every_request(self, there: Town) -> None:
        thread = await mentioned(there)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        await there.people["ann"].send(thread, "get a human")
        await there.people["ann"].slash(there.channels["triage"], "redial triage", text=OVERLOADED)
        await there.people["ann"].slash(there.channels["other"], "redial triage", text=OVERLOADED)
        await there.people["ann"].slash(there.channels["other"], "redial triage")
        await there.people["bob"].send(there.channels["watched"], CUT_OFF)
        found = {
            f"{request.method} {request.path}: {fault}"
            for request in there.env.http_requests
            if request.json is not None
            for fault in faults(request.method, request.path, request.json)
        }
        assert found == set()


class TestDecoding:
    async def test_where_things_come_from(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["triage"]
        guild, channel, user = str(there.guild.id), str(place.id), str(ann.id)
        message = await ann.send(place, f"{there.me} {CUT_OFF}")
        event, _ = there.heard.events[-1]
        assert event.id == f"m:{message.id}"
        assert (event.origin.workspace, event.origin.channel, event.origin.user) == (guild, channel, user)
        assert (event.origin.thread, event.room) == (str(message.id), "threads")
        assert event.what == Said(CUT_OFF, "mention")
        (thread,) = place.threads
        await there.people["bob"].send(thread, "which version?")
        await ann.send(thread, "1.2")
        event, _ = there.heard.events[-1]
        assert event.what == Said("1.2", "thread")
        assert (event.origin.channel, event.origin.thread) == (channel, str(thread.id))
        await ann.slash(place, "redial resume", number=2)
        event, _ = there.heard.events[-1]
        assert (event.what, event.origin.thread) == (Commanded("resume", "2"), "")

    async def test_a_press_carries_everything(self, there: Town) -> None:
        thread = await mentioned(there)
        shown = there.ours(thread)[-1]
        assert TOOLS in buttons(shown)
        marks = [str(part["custom_id"]) for part in parts(shown) if "custom_id" in part]
        (here,) = await there.desk.store.of(there.origin("ann"))
        assert all(mark.startswith(f"r1:{here.id}:1:doing:") for mark in marks)


async def forbid(there: Town, place: simcord.ChannelHandle, *rights: str) -> None:
    """Take rights from everybody in a channel, as an admin does."""
    denied = discord.Permissions(**dict.fromkeys(rights, True)).value
    there.env.backend.set_overwrite(place.id, Overwrite(there.guild.default_role.id, OverwriteType.ROLE, deny=denied))
    await there.env.settle()
