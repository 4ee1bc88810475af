"""What a channel has been sent, and what is made of messages the store has forgotten."""

from __future__ import annotations

import pytest

from bot.core.status.announcement import Act, Announcement, Doing, Intent, Sent, adopted, doubtful
from bot.core.status.incident import Incident, Update
from bot.core.status.plan import plan, reply_mark
from bot.core.status.subscription import Place, Subscription
from bot.core.status.topics import Topic
from bot.core.status.watch import Known

PLACE = Place("slack", "T1", "C1")
HERE = Subscription(PLACE, "p1", 0)
UPDATES = tuple(Update(f"u{n}", "investigating", f"Words {n}.", 1000.0 + n) for n in range(3))
KNOWN = Known(Incident("i1", "Errors", "investigating", "major", 1000.0, 1002.0, None, "", (), UPDATES), 1, 1000.0, 1)
TOPIC = Topic("i1", (KNOWN,), due=True)
TOLD = tuple(f"i1/u{n}" for n in range(3))


def an_act(here: Announcement | None = None) -> Act:
    act = plan(TOPIC, here, HERE, 2000.0)
    assert isinstance(act, Act)
    return act


@pytest.mark.parametrize(
    ("found", "shares", "surplus"),
    [
        (1, [TOLD], 0),
        (2, [TOLD[:1], TOLD[1:]], 0),
        (3, [TOLD[:1], TOLD[1:2], TOLD[2:]], 0),
        (5, [TOLD[:1], TOLD[1:2], TOLD[2:]], 2),
    ],
)
def test_what_was_forgotten_is_shared_out_over_the_messages_that_stand(
    found: int, shares: list[tuple[str, ...]], surplus: int
) -> None:
    messages = [(f"r{n}", f"k{n}") for n in range(found)]
    record, useless = adopted(Announcement("i1"), an_act(), messages)
    assert [message.updates for message in record.messages] == shares
    assert useless == tuple(f"r{n}" for n in range(found - surplus, found))
    assert record.count == found - surplus, "the next key is the one after the last that stands"
    assert record.incidents == ("i1",)
    shown = record
    for target in range(len(shares)):
        act = an_act(shown)
        assert (act.intent.doing, act.intent.target) == (Doing.EDIT, target), "all are edited to show just that"
        message = act.intent.sent
        post, replies = shown.post, list(shown.replies)
        assert post is not None
        if target == 0:
            post = Sent(post.ref, post.key, message.shown, message.updates)
        else:
            replies[target - 1] = Sent("r", "k", message.shown, message.updates)
        shown = Announcement("i1", ("i1",), post, tuple(replies), shown.heads, count=shown.count)
    assert not isinstance(plan(TOPIC, shown, HERE, 2000.0), Act)


def test_an_edit_of_a_reply_whose_fate_nobody_knows_is_repeated() -> None:
    record, _ = adopted(Announcement("i1"), an_act(), [("r0", "k0"), ("r1", "k1")])
    post, mark = an_act(record).intent.sent, reply_mark((KNOWN,), TOLD[1:], ())
    record = Announcement(
        "i1", ("i1",), Sent("r0", "k0", post.shown, post.updates), (Sent("r1", "k1", mark, TOLD[1:]),), record.heads
    )
    assert not isinstance(plan(TOPIC, record, HERE, 2000.0), Act)
    under_way = Announcement(
        "i1",
        ("i1",),
        record.post,
        record.replies,
        record.heads,
        intent=Intent(Doing.EDIT, Sent("", "k1", "other words", TOLD[1:]), {}, target=1),
    )
    after = plan(TOPIC, doubtful(under_way), HERE, 2000.0)
    assert isinstance(after, Act)
    assert (after.intent.doing, after.intent.target) == (Doing.EDIT, 1)
