"""What goes away in the middle of a conversation: messages, threads, rights, time. Nobody is left in silence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import simcord
from structlog.testing import capture_logs

from bot.adapters.discord.chat import DiscordChat
from handlers.life import look_after
from tests.adapters.discord.test_scenarios import forbid, mentioned
from tests.adapters.discord.town import Town, built, said, town
from tests.contract.test_chat import CUT_OFF, QUESTION, TOOLS
from tests.scenarios.playing import NOW

GONE = "is archived, or gone"


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        yield one


async def remove(there: Town, thread: simcord.ChannelHandle) -> None:
    """Delete a thread, as a moderator does."""
    there.env.backend.delete_channel(thread.id)
    await there.env.settle()


class TestAThreadThatWasDeleted:
    async def test_who_reports_the_same_again_gets_another(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["triage"]
        await ann.slash(place, "redial triage", text=CUT_OFF)
        await remove(there, place.threads[0])
        await ann.slash(place, "redial triage", text=CUT_OFF)
        (thread,) = place.threads
        assert QUESTION in said(there.ours(thread)[-1])
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert "git diff" in said(there.ours(thread)[-1]), "and goes on there"

    async def test_also_if_the_message_it_was_begun_on_is_gone_too(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["triage"]
        message = await ann.send(place, f"{there.me} {CUT_OFF}")
        await remove(there, place.threads[0])
        await ann.delete(message)
        await ann.send(place, f"{there.me} {CUT_OFF}")
        (thread,) = place.threads
        assert QUESTION in said(there.ours(thread)[-1])

    async def test_nobody_asks_about_its_silence_in_a_new_one(self, there: Town) -> None:
        place = there.channels["triage"]
        await there.people["ann"].slash(place, "redial triage", text=CUT_OFF)
        await remove(there, place.threads[0])
        late = replace(there.desk, clock=lambda: NOW + 45 * 60)
        with capture_logs() as lines:
            await look_after(late, there.origin("ann"), DiscordChat(there.client.station))
        assert "not asked yet" in [line["event"] for line in lines]
        assert place.threads == []

    async def test_a_message_deleted_before_its_answer_gets_no_thread_and_its_author_a_word(self, there: Town) -> None:
        there.heard.late = True
        message = await there.people["ann"].send(there.channels["triage"], f"{there.me} {CUT_OFF}")
        await there.people["ann"].delete(message)
        there.heard.late = False
        await handed_on(there)
        assert there.public() == []
        assert GONE in said(there.private("ann")[-1])


class TestAThreadThatWasClosed:
    @pytest.mark.parametrize(
        ("post", "code"), [(400, 50083), (403, 160005)], ids=["archived and locked", "locked while open"]
    )
    async def test_who_presses_is_told_and_no_other_is_opened(self, there: Town, post: int, code: int) -> None:
        thread = await mentioned(there)
        there.env.inject_error("POST", f"/channels/{thread.id}/messages", status=post, code=code, times=None)
        there.env.inject_error("PATCH", f"/channels/{thread.id}", status=403, code=50013, times=None)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert GONE in said(there.private("ann")[-1])
        assert len(there.channels["triage"].threads) == 1

    async def test_one_that_is_only_archived_is_opened_for_the_answer(self, there: Town) -> None:
        thread = await mentioned(there)
        there.env.inject_error("POST", f"/channels/{thread.id}/messages", status=400, code=50083, times=1)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert "git diff" in said(there.ours(thread)[-1])


class TestRights:
    async def test_without_the_history_no_thread_is_begun_on_a_message_and_one_message_says_why(
        self, there: Town
    ) -> None:
        place = there.channels["other"]
        await forbid(there, place, "read_message_history")
        await there.people["ann"].send(place, f"{there.me} {CUT_OFF}")
        (message,) = there.ours(place)
        assert "“Read Message History” is missing" in said(message)
        await there.press("ann", message, TOOLS)
        (message,) = there.ours(place)
        assert "git diff" in said(message)

    async def test_a_command_needs_no_history_for_its_thread(self, there: Town) -> None:
        place = there.channels["triage"]
        await forbid(there, place, "read_message_history")
        await there.people["ann"].slash(place, "redial triage", text=CUT_OFF)
        assert len(place.threads) == 1


class TestTime:
    """An interaction can be answered for a quarter of an hour."""

    @pytest.fixture
    def expired(self, there: Town) -> None:
        for method in ("PATCH", "DELETE"):
            there.env.inject_error(method, "/webhooks/*/*/messages/@original", status=404, code=10015, times=None)
        there.env.inject_error("POST", "/webhooks/*/*", status=401, code=50027, times=None)

    @pytest.mark.usefixtures("expired")
    async def test_afterwards_the_answer_comes_as_a_direct_message(self, there: Town) -> None:
        await there.people["ann"].slash(there.channels["other"], "redial status")
        (told,) = there.ours(there.people["ann"].user.dm_channel)
        assert "official page" in said(told)
        await there.people["ann"].slash(there.channels["other"], "redial triage", text=CUT_OFF)
        assert QUESTION in said(there.ours(there.people["ann"].user.dm_channel)[-1])
        assert there.public() == []

    @pytest.mark.usefixtures("expired")
    async def test_a_thread_that_was_opened_counts_as_the_answer(self, there: Town) -> None:
        with capture_logs() as lines:
            await there.people["ann"].slash(there.channels["triage"], "redial triage", text=CUT_OFF)
        (thread,) = there.channels["triage"].threads
        assert QUESTION in said(there.ours(thread)[-1])
        assert [line["result"] for line in lines if line["event"] == "turn"] == ["ok"]
        assert await there.desk.store.owed(there.origin("ann"), older_than=0) == ()

    async def test_a_form_is_sent_to_a_process_that_did_not_open_it(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["other"]
        form = await ann.slash(place, "redial triage")
        await there.env.restart_bot(built(there.desk, there.heard))
        await ann.submit_modal(form, {"text": CUT_OFF})
        assert QUESTION in said(there.private("ann")[-1])


class TestAtOnce:
    async def test_two_answers_to_one_question_are_one_step_and_a_private_word(self, there: Town) -> None:
        thread = await mentioned(there)
        opening = there.ours(thread)[-1]
        there.heard.late = True
        await there.press("ann", opening, TOOLS)
        await there.press("ann", opening, "Only writing text")
        there.heard.late = False
        await handed_on(there, 2)
        assert len(there.ours(thread)) == 2
        assert "answered already" in said(there.private("ann")[-1])

    async def test_ten_files_are_read(self, there: Town) -> None:
        files = [(f"{n}.txt", b"nothing of note\n" * 100) for n in range(9)] + [("claude.log", CUT_OFF.encode())]
        await there.people["ann"].send(there.channels["other"], there.me, attachments=files)
        (thread,) = there.channels["other"].threads
        assert QUESTION in said(there.ours(thread)[-1])

    async def test_where_people_talk_to_each_other_silence_is_not_asked_about(self, there: Town) -> None:
        thread = await mentioned(there)
        late = replace(there.desk, clock=lambda: NOW + 45 * 60)
        await there.people["bob"].send(thread, "did you try the other wifi?")
        chat = DiscordChat(there.client.station)
        assert await look_after(late, there.origin("ann"), chat) == 0
        assert len(there.ours(thread)) == 1

    async def test_where_nobody_does_it_is(self, there: Town) -> None:
        thread = await mentioned(there)
        late = replace(there.desk, clock=lambda: NOW + 45 * 60)
        assert await look_after(late, there.origin("ann"), DiscordChat(there.client.station)) == 1
        assert len(there.ours(thread)) == 2


async def handed_on(there: Town, count: int = 1) -> None:
    """Let the last events be played that were held back."""
    assert there.heard.context
    for event, chat in there.heard.events[-count:]:
        there.heard.context.run(there.heard.dispatcher.submit, event, chat)
    await there.heard.dispatcher.idle()
    await there.env.settle()
