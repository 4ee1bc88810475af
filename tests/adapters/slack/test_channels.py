"""Announcing in Slack: the contract, and what is Slack's own."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.adapters.slack.channels import SlackChannels
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place
from bot.core.text import Text, words
from bot.core.view import View
from bot.ports.announcing import Announces, Delivered, Failed, Why
from tests.adapters.slack.office import Office, office, seen
from tests.adapters.slack.web import Fault
from tests.contract.announcing import ChannelsContract, a_key, a_notice, sent

MENTION = re.compile(r"<(?:!(?!date)|@)[^>]*>|\"(?:user|usergroup|broadcast)\"")
POST, UPDATE, HISTORY = "chat.postMessage", "chat.update", "conversations.history"


@dataclass
class SlackStreet:
    """Implements Street."""

    office: Office
    channels: SlackChannels
    place: Place
    closed: Place
    blind: Place | None

    async def texts(self, place: Place) -> list[str]:
        return [seen(message).text for message in await self.office.ours(place.channel)]

    async def pings(self, place: Place) -> int:
        found = await self.office.ours(place.channel)
        # A rich_text's own texts are literal: only mrkdwn and elements of their own mention.
        return sum(bool(MENTION.search(json.dumps(_markup(message)))) for message in found)

    async def deletes(self, ref: str) -> None:
        await self.office.slack.ask("redial", "chat.delete", channel=self.place.channel, ts=ref)


def _markup(message: dict[str, object]) -> list[object]:
    """What Slack looks for mentions in: the text, mrkdwn, and the types of rich elements."""
    blocks, found = message.get("blocks"), list[object]([message["text"]])
    left = list(blocks) if isinstance(blocks, list) else []
    while left:
        piece = left.pop()
        if piece.get("type") == "mrkdwn":
            found.append(piece["text"])
        found.append(piece.get("type"))
        left += [*piece.get("elements", []), *([piece["text"]] if isinstance(piece.get("text"), dict) else [])]
    return found


@pytest.fixture
async def street(tmp_path: Path) -> AsyncIterator[SlackStreet]:
    async with office(tmp_path / "data") as there:
        names = (there.channels["other"], "C0GONE", there.channels["watched"])
        there.slack.unread.add(names[2])
        yield SlackStreet(there, there.running.channels, *(Place("slack", "T000000001", name) for name in names))


class TestInSlack(ChannelsContract):
    """Real slack_sdk, and `emulate` behind the door."""

    async def test_it_is_seen_that_slack_can_announce(self, street: SlackStreet) -> None:
        assert isinstance(street.office.running, Announces)

    @pytest.mark.parametrize("mention", ["<!here>", "<!channel>", "<!subteam^S123ABC>", "<@U123ABC>"])
    async def test_who_was_chosen_is_mentioned_and_nobody_else(self, street: SlackStreet, mention: str) -> None:
        hostile = Notice(View(words("<!channel> <@U1>"), (), (Text(words("<!everyone>")),)), Tone.OVER, mention)
        assert isinstance(await street.channels.post(street.place, a_key(), hostile), Delivered)
        (message,) = await street.office.ours(street.place.channel)
        assert re.findall(r"<[!@][^>]*>", "\n".join(str(part) for part in _markup(message))) == [mention]

    @pytest.mark.parametrize("mention", ["@here", "<!here> <!channel>", "hello", "<@&1>", "<!date^1^{time}|x>"])
    async def test_what_is_no_mention_of_slacks_is_left_out(self, street: SlackStreet, mention: str) -> None:
        await street.channels.post(street.place, a_key(), a_notice(mention=mention))
        assert await street.pings(street.place) == 0

    @pytest.mark.parametrize(
        ("fault", "why"),
        [
            (Fault(error="channel_not_found"), Why.CLOSED),
            (Fault(error="is_archived"), Why.CLOSED),
            (Fault(error="not_in_channel"), Why.CLOSED),
            (Fault(error="missing_scope"), Why.CLOSED),
            (Fault(error="restricted_action"), Why.CLOSED),
            (Fault(error="msg_blocks_too_long"), Why.REFUSED),
            (Fault(error="message_not_found"), Why.GONE),
            (Fault(429, "ratelimited", {"Retry-After": "7"}), Why.WAIT),
            (Fault(error="internal_error"), Why.UNKNOWN),
            (Fault(error="something_new"), Why.UNKNOWN),
            (Fault(500), Why.UNKNOWN),
            (Fault(200), Why.UNKNOWN),
            (Fault(500, carried=True), Why.UNKNOWN),
        ],
    )
    async def test_what_slack_answers_is_told_apart_and_nothing_is_sent_again(
        self, street: SlackStreet, fault: Fault, why: Why
    ) -> None:
        street.office.slack.plan(POST, fault)
        delivery = await street.channels.post(street.place, a_key(), a_notice())
        assert isinstance(delivery, Failed)
        assert (delivery.why, delivery.wait) == (why, 7.0 if why is Why.WAIT else 0.0)
        assert sum(call.method == POST for call in street.office.slack.calls) == 1

    async def test_while_slack_asks_to_wait_it_is_not_asked(self, street: SlackStreet) -> None:
        street.office.slack.plan(POST, Fault(429, "ratelimited", {"Retry-After": "30"}))
        for _ in range(2):
            delivery = await street.channels.post(street.place, a_key(), a_notice())
            assert isinstance(delivery, Failed)
            assert delivery.why is Why.WAIT
            assert delivery.wait > 20
        assert sum(call.method == POST for call in street.office.slack.calls) == 1

    async def test_what_was_carried_out_without_an_answer_is_found(self, street: SlackStreet) -> None:
        key = a_key()
        street.office.slack.plan(POST, Fault(500, carried=True))
        assert isinstance(await street.channels.post(street.place, key, a_notice()), Failed)
        (message,) = await street.office.ours(street.place.channel)
        assert await street.channels.find(street.place, "", key, time.time() - 60) == (message["ts"],)

    async def test_a_revoked_token_makes_no_channel_forget_its_wish(self, street: SlackStreet) -> None:
        street.office.slack.plan(POST, Fault(error="token_revoked"))
        for _ in range(2):
            delivery = await street.channels.post(street.place, a_key(), a_notice())
            assert isinstance(delivery, Failed)
            assert delivery.why is Why.WAIT

    async def test_without_the_right_to_look_a_reply_is_sent_all_the_same(self, street: SlackStreet) -> None:
        ref = await sent(street)
        street.office.slack.unread.add(street.place.channel)
        assert isinstance(await street.channels.reply(street.place, ref, a_key(), a_notice("A reply")), Delivered)

    async def test_somebody_is_told_in_their_direct_message(self, street: SlackStreet) -> None:
        ann = street.office.slack.users["ann"]
        assert isinstance(await street.channels.tell(street.place, ann, View(words("A word"))), Delivered)
        assert "A word" in str(await street.office.slack.messages(await street.office.direct("ann")))

    async def test_its_key_goes_with_the_message_and_the_look_begins_at_the_attempt(self, street: SlackStreet) -> None:
        key = a_key()
        ref = await sent(street, key)
        await street.channels.find(street.place, "", key, float(ref) - 5)
        posted, looked = (
            next(call.body for call in street.office.slack.calls if call.method == name) for name in (POST, HISTORY)
        )
        assert posted["metadata"] == {"event_type": "redial_view", "event_payload": {"key": key}}
        assert looked["include_all_metadata"] == "true"
        assert float(looked["oldest"]) == pytest.approx(float(ref) - 5, abs=0.01)
