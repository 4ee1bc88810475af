"""Slack as its users know it: every way in, threads, private words, and what happens when something is in the way."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from handlers.triage import show_owed
from tests.adapters.slack.office import Office, office, seen
from tests.adapters.slack.web import Fault

KEYS = """
type event user channel text ts thread_ts actions view message files team team_id container state block_id action_id
blocks attachments edited previous_message authorizations command trigger_id private_metadata callback_id values
enterprise enterprise_id is_enterprise_install bot_id subtype response_url view_id api_app_id channel_id user_id context
response_urls function_data bot_access_token interactivity
""".split()  # noqa: SIM905 - as a list it would be forty lines
CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
QUESTION = "What was Claude doing when it stopped?"
TOOLS = "Editing files, running commands or using tools"


@pytest.fixture
async def at_work(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path / "data") as one:
        yield one


async def said(at_work: Office, *channels: str) -> list[str]:
    return [seen(message).text for message in await at_work.ours(*channels)]


async def told(at_work: Office) -> list[str]:
    """What the last person to give a command was told privately, in whatever way."""
    return [seen(body).text for _, body in at_work.slack.told]


async def mention(at_work: Office, text: str, *, user: str = "ann", channel: str = "triage", files: object = ()) -> str:
    return await at_work.wrote(
        user, f"<@{at_work.me}> {text}", channel=at_work.channels[channel], kind="app_mention", files=files
    )


class TestWaysIn:
    async def test_a_direct_message_is_a_conversation(self, at_work: Office) -> None:
        direct = await at_work.direct("ann")
        await at_work.wrote("ann", CUT_OFF, channel=direct)
        await at_work.wrote("ann", "1", channel=direct)
        answers = await said(at_work, direct)
        assert QUESTION in answers[0]
        assert TOOLS in answers[0], "folded to its answer"
        assert "git diff" in answers[1]

    async def test_triage_this_message_on_somebody_elses_error(self, at_work: Office) -> None:
        channel = at_work.channels["triage"]
        ts = await at_work.wrote("ann", CUT_OFF, channel=channel)
        message = {"user": at_work.slack.users["ann"], "text": CUT_OFF, "ts": ts}
        shortcut = {"type": "message_action", "callback_id": "redial_triage", "channel": {"id": channel}}
        await at_work.interacted("bob", shortcut | {"message": message})
        (opening,) = await at_work.ours()
        assert opening["thread_ts"] == ts
        (known,) = await at_work.desk.store.of(at_work.origin("ann"))
        assert known.helpers == (at_work.slack.users["bob"],)
        container = {"message_ts": opening["ts"], "channel_id": channel, "thread_ts": ts}
        await at_work.pressed("bob", TOOLS, opening["blocks"], container)
        assert "git diff" in (await said(at_work))[-1]

    async def test_a_sub_command_behind_a_mention_is_answered_privately(self, at_work: Office) -> None:
        await mention(at_work, "help")
        assert "Paste what Claude printed" in (await told(at_work))[-1]
        assert await said(at_work) == []

    async def test_a_mention_in_a_thread_is_answered_in_that_thread(self, at_work: Office) -> None:
        channel = at_work.channels["other"]
        root = await at_work.wrote("bob", "who knows about deploys?", channel=channel)
        text = f"<@{at_work.me}> {CUT_OFF}"
        await at_work.wrote("ann", text, channel=channel, thread=root, kind="app_mention")
        (opening,) = await at_work.ours(channel)
        assert opening["thread_ts"] == root
        assert QUESTION in seen(opening).text

    async def test_a_pasted_snippet_is_read(self, at_work: Office) -> None:
        at_work.slack.files["log.txt"] = ("text/plain", f"a line\n{CUT_OFF}\n")
        file = {"mimetype": "text/plain", "size": 90, "url_private_download": f"{at_work.slack.url}/file/log.txt"}
        await mention(at_work, "look at this", files=[file])
        assert QUESTION in (await said(at_work))[-1]

    async def test_a_file_that_is_not_slacks_is_not_fetched(self, at_work: Office) -> None:
        file = {"mimetype": "text/plain", "size": 90, "url_private_download": "http://127.0.0.1:9/file/log.txt"}
        await mention(at_work, CUT_OFF, files=[file])
        assert QUESTION in (await said(at_work))[-1], "what was written still counts"

    async def test_a_picture_alone_is_asked_for_as_text(self, at_work: Office) -> None:
        await mention(at_work, "", files=[{"mimetype": "image/png", "size": 9, "url_private": "https://x.test"}])
        assert "as text, not a picture" in (await said(at_work))[-1]

    async def test_the_home_shows_what_is_open_and_the_status(self, at_work: Office) -> None:
        await mention(at_work, CUT_OFF)
        direct = await at_work.direct("ann")
        home = {"type": "app_home_opened", "user": at_work.slack.users["ann"], "channel": direct, "tab": "home"}
        await at_work.happened(home | {"event_ts": "5.5"})
        (drawn,) = [call.body["view"] for call in at_work.slack.calls if call.method == "views.publish"]
        page = seen(drawn)
        assert "1 open conversation" in page.text
        assert "No open incident" in page.text
        assert page.buttons == ("Start", "Go on with 1")
        await at_work.pressed("ann", "Start", drawn["blocks"], {"type": "view"})
        assert "Which exact line does it show" in (await said(at_work, direct))[-1]
        await at_work.pressed("ann", "Go on with 1", drawn["blocks"], {"type": "view"})
        assert QUESTION in (await said(at_work))[-1]

    @pytest.mark.parametrize(
        ("command", "answer"),
        [("help", "Paste what Claude printed"), ("status", "No open incident"), ("guides", "What I know"),
         ("resume", "no open conversation"), ("reset", "nothing to close"), ("forget-me", "is deleted")],
    )  # fmt: skip
    async def test_sub_commands_answer_privately(self, at_work: Office, command: str, answer: str) -> None:
        await at_work.commanded("ann", command, at_work.channels["triage"])
        assert answer in (await told(at_work))[-1]
        assert await said(at_work) == []

    async def test_where_redial_is_no_member_it_answers_in_the_direct_message(self, at_work: Office) -> None:
        await at_work.commanded("ann", CUT_OFF, "CNOTHERE")
        direct = await at_work.direct("ann")
        assert QUESTION in (await said(at_work, direct))[-1]
        respond = [call.body for call in at_work.slack.calls if call.method == "respond"]
        assert "I answered you privately" in seen(respond[-1]).text
        assert f"/archives/{direct}/p" in json.dumps(respond[-1])

    @pytest.mark.parametrize(
        "command", ["help", "status", "guides", "subscriptions", "forget-me", "reset", "subscribe x"]
    )
    async def test_a_command_that_comes_again_is_answered_once(self, at_work: Office, command: str) -> None:
        await at_work.commanded("ann", command, at_work.channels["other"])
        told = len(at_work.slack.told)
        assert told == 1
        assert await at_work.again() == 200
        assert len(at_work.slack.told) == told


class TestAThread:
    async def test_an_edit_counts_until_the_first_answer(self, at_work: Office) -> None:
        ts = await mention(at_work, "help, it broke")
        assert "Which exact line" in (await said(at_work))[-1]
        await at_work.happened(edited(at_work, ts, f"<@{at_work.me}> {CUT_OFF}", f"<@{at_work.me}> help, it broke"))
        assert QUESTION in (await said(at_work))[-1]
        count = len(await said(at_work))
        await at_work.happened(edited(at_work, ts, f"<@{at_work.me}> {CUT_OFF}!", f"<@{at_work.me}> {CUT_OFF}"))
        assert len(await said(at_work)) == count

    async def test_a_mention_and_its_twin_are_answered_once(self, at_work: Office) -> None:
        channel, text = at_work.channels["triage"], f"<@{at_work.me}> {CUT_OFF}"
        ts = await mention(at_work, CUT_OFF)
        twin = {"type": "message", "user": at_work.slack.users["ann"], "text": text, "ts": ts, "channel": channel}
        await asyncio.gather(*(at_work.happened(twin, settle=False) for _ in range(5)))
        await at_work.dispatcher.idle()
        assert len(await said(at_work)) == 1

    async def test_its_own_messages_are_no_news(self, at_work: Office) -> None:
        await mention(at_work, CUT_OFF)
        (opening,) = await at_work.ours()
        assert await at_work.happened({**opening, "channel": at_work.channels["triage"]}) == 200
        assert len(await said(at_work)) == 1

    async def test_every_line_is_announced_in_plain_text_and_unfurls_nothing(self, at_work: Office) -> None:
        await mention(at_work, CUT_OFF)
        (post,) = [call.body for call in at_work.slack.calls if call.method == "chat.postMessage"]
        assert post["text"].startswith("Don't repeat the request yet")
        assert (post["unfurl_links"], post["unfurl_media"]) == (False, False)

    async def test_two_hundred_people_at_once(self, at_work: Office) -> None:
        channel = at_work.channels["triage"]
        events: list[dict[str, Any]] = [
            {"type": "app_mention", "user": f"U{n}", "text": f"<@{at_work.me}> {CUT_OFF}", "ts": f"100.{n:06}",
             "channel": channel, "event_ts": f"100.{n:06}"} for n in range(200)
        ]  # fmt: skip
        for _ in range(3):
            answers = await asyncio.gather(*(at_work.happened(event, settle=False) for event in events))
            await at_work.dispatcher.idle()
            # What a machine with too much to do could not store in time, Slack sends again.
            events = [event for event, status in zip(events, answers, strict=True) if status == 503]
        assert not events
        assert len([call for call in at_work.slack.calls if call.method == "chat.postMessage"]) == 200


def edited(at_work: Office, ts: str, text: str, before: str) -> dict[str, Any]:
    message = {"type": "message", "user": at_work.slack.users["ann"], "text": text, "ts": ts}
    return {
        "type": "message", "subtype": "message_changed", "channel": at_work.channels["triage"], "event_ts": "7.7",
        "message": message | {"edited": {"ts": f"{len(text)}.1"}}, "previous_message": message | {"text": before},
    }  # fmt: skip


class TestInTheWay:
    async def test_when_slack_asks_to_wait_the_answer_comes_after_it(self, at_work: Office) -> None:
        at_work.slack.plan("chat.postMessage", Fault(429, "ratelimited", {"Retry-After": "1"}))
        await mention(at_work, CUT_OFF)
        assert len(await said(at_work)) == 1

    async def test_a_post_nobody_answered_for_is_not_repeated_but_looked_for(self, at_work: Office) -> None:
        at_work.slack.plan("chat.postMessage", Fault(500, carried=True))
        await mention(at_work, CUT_OFF)
        assert len(await said(at_work)) == 1
        (known,) = await at_work.desk.store.owed(at_work.origin("ann"), older_than=0)
        found = await at_work.running.chat.shown(known.origin, known.key)
        assert found
        assert found.message == (await at_work.ours())[-1]["ts"]

    @pytest.mark.parametrize(
        ("error", "word"),
        [
            ("not_in_channel", "membership of the channel"),
            ("missing_scope", "missing_scope"),
            ("restricted_action", ""),
        ],
    )
    async def test_a_missing_right_is_named_to_the_person(self, at_work: Office, error: str, word: str) -> None:
        at_work.slack.plan("chat.postMessage", Fault(error=error))
        await at_work.commanded("ann", CUT_OFF, at_work.channels["triage"])
        (word_to_ann,) = await told(at_work)
        assert "I may not write there" in word_to_ann
        assert word in word_to_ann

    @pytest.mark.parametrize(
        ("error", "word"),
        [
            ("is_archived", "is archived, or gone"),
            ("channel_not_found", "is archived, or gone"),
            ("thread_not_found", "is archived, or gone"),
            ("invalid_blocks", "went wrong on my side"),
        ],
    )
    async def test_what_is_gone_breaks_nothing_and_is_said(self, at_work: Office, error: str, word: str) -> None:
        at_work.slack.plan("chat.postMessage", Fault(error=error))
        await mention(at_work, CUT_OFF)
        assert word in (await told(at_work))[-1]
        await mention(at_work, "API Error: Repeated 529 Overloaded errors", user="bob")
        assert len(await said(at_work)) == 1

    @pytest.mark.parametrize(
        "fault", [Fault(500), Fault(429, headers={"Retry-After": "30"}), Fault(error="fatal_error")]
    )
    async def test_behind_a_command_it_is_said_that_the_answer_comes_later(self, at_work: Office, fault: Fault) -> None:
        at_work.slack.plan("chat.postMessage", fault)
        await at_work.commanded("ann", CUT_OFF, at_work.channels["triage"])
        assert "my answer comes in a minute" in (await told(at_work))[-1]

    async def test_an_answer_slack_will_never_take_is_given_up_and_holds_up_no_other(self, at_work: Office) -> None:
        at_work.slack.plan("chat.postMessage", Fault(500), Fault(500), Fault(error="invalid_blocks"))
        for user in ("ann", "bob"):
            await mention(at_work, CUT_OFF, user=user)
        assert await show_owed(at_work.desk, at_work.origin("ann"), at_work.running.chat, older_than=0) == 1
        assert len(await said(at_work)) == 1
        assert await at_work.desk.store.owed(at_work.origin("ann"), older_than=0) == ()

    async def test_a_revoked_token_stops_the_workspace(self, at_work: Office) -> None:
        at_work.slack.plan("chat.postMessage", Fault(error="token_revoked"))
        await mention(at_work, CUT_OFF)
        async with asyncio.timeout(2):
            assert "install the app again" in await at_work.running.ended()
        before = len(at_work.slack.calls)
        await mention(at_work, CUT_OFF, user="bob")
        assert len(at_work.slack.calls) == before, "nothing more is asked of Slack"

    @pytest.mark.parametrize("event", ["app_uninstalled", "tokens_revoked"])
    async def test_so_does_an_uninstall(self, at_work: Office, event: str) -> None:
        assert await at_work.happened({"type": event}) == 200
        async with asyncio.timeout(2):
            assert event in await at_work.running.ended()

    async def test_too_much_at_once_is_said(self, at_work: Office) -> None:
        await mention(at_work, CUT_OFF)
        (opening,) = await at_work.ours()
        at_work.dispatcher.shut()
        at_work.slack.asked = {"user": at_work.slack.users["ann"]}
        container = {"message_ts": opening["ts"], "channel_id": opening["channel"], "thread_ts": opening["thread_ts"]}
        assert await at_work.pressed("ann", TOOLS, opening["blocks"], container) == 200
        assert "Busy right now" in (await told(at_work))[-1]
        body = f"channel_id={at_work.channels['triage']}&user_id=U1&trigger_id=1.2&command=%2Fredial&text=x"
        assert await at_work.deliver(body, "application/x-www-form-urlencoded") == 200
        assert await at_work.happened({
            "type": "app_mention", "user": "U1", "text": "x", "ts": "1.1", "channel": at_work.channels["triage"],
        }) == 503, "Slack sends it again, to a replica with room"  # fmt: skip

    async def test_a_forged_request_is_refused(self, at_work: Office) -> None:
        signed = {"X-Slack-Signature": "v0=bad"}
        assert await at_work.deliver("{}", "application/json", signed) == 401
        old = {"X-Slack-Request-Timestamp": "1"}
        assert await at_work.deliver("{}", "application/json", old) == 401

    @pytest.mark.parametrize(
        "body",
        ["", "{", "[]", "null", '"x"', "{}", '{"type": "event_callback"}', '{"type": "event_callback", "event": 3}',
         '{"type":"block_actions","actions":[{}]}', "payload=%7B", "payload=3", "command=/redial",
         '{"type":"nonsense"}', '{"type":"block_actions","actions":null}', '{"type":"block_actions","actions":[]}',
         '{"type":"view_submission","view":null}', '{"type":"event_callback","event":{"type":[]}}',
         '{"event":' + "[" * 3000 + "]" * 3000 + "}"],
    )  # fmt: skip
    async def test_a_broken_payload_breaks_nothing(self, at_work: Office, body: str) -> None:
        kind = (
            "application/json" if not body.startswith(("payload", "command")) else "application/x-www-form-urlencoded"
        )
        assert await at_work.deliver(body, kind) in {200, 400}
        await mention(at_work, CUT_OFF)
        assert len(await said(at_work)) == 1

    async def test_whatever_is_signed_nothing_breaks(self, at_work: Office) -> None:
        chance = random.Random(7)  # noqa: S311 - the same payloads every time
        for _ in range(150):
            body = _junk(chance)
            status = await at_work.deliver(json.dumps(body), "application/json", settle=False)
            assert status in {200, 400}, body
            form = urlencode({"payload": json.dumps(body)})
            assert await at_work.deliver(form, "application/x-www-form-urlencoded", settle=False) in {200, 400}, body
        await mention(at_work, CUT_OFF)
        assert len(await said(at_work)) == 1

    async def test_the_address_is_verified_as_slack_asks(self, at_work: Office) -> None:
        assert await at_work.deliver('{"type": "url_verification", "challenge": "abc"}', "application/json") == 200


def _junk(chance: random.Random) -> dict[str, object]:
    """A payload as nobody sends it: keys and types that Slack's have, each with anything in it."""
    types = ["event_callback", "block_actions", "message_action", "view_submission", "view_closed", "shortcut", 7, None]
    event = {"type": chance.choice(["message", "app_mention", "app_home_opened", "member_left_channel", 3])}
    body: dict[str, object] = {"type": chance.choice(types), "team_id": "T000000001"}
    body |= {"event": {**event, **_object(chance, 1)}} if chance.random() < 0.5 else {}
    return body | _object(chance, 0)


def _object(chance: random.Random, depth: int) -> dict[str, object]:
    return {chance.choice(KEYS): _anything(chance, depth + 1) for _ in range(chance.randrange(7))}


def _anything(chance: random.Random, depth: int) -> object:
    plain: list[object] = [None, 0, 1e308, 2**70, True, "", "x", "<@U1>", "\0", "a" * 3000, [], {}, [None], [{}]]
    kind = chance.randrange(4) if depth < 4 else 3
    if kind == 0:
        return [_anything(chance, depth + 1) for _ in range(chance.randrange(3))]
    return _object(chance, depth) if kind == 1 else chance.choice(plain)
