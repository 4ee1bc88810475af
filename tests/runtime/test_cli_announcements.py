"""`redial announcements`, `export` and `import`, as another process, on a store that has seen something."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.adapters.rehearsal.channels import PaperChannels
from bot.adapters.store.clients import open_server
from bot.adapters.store.pages import RedisPages
from bot.core.status.announcement_view import Names
from bot.core.status.statuspage import parse_incidents
from bot.core.status.subscription import Choice, Place, Standing, Subscription
from bot.core.status.watch import Reading, merge
from bot.runtime.loading import load
from handlers.announce import Announcer, Office
from handlers.subscriptions import Declared, declare, listen
from tests.runtime.redial import Redial
from tests.scenarios.announcing import CLAUDE, OLD, made, page_of

PLACES = {name: Place("slack", "T1", name) for name in ("C1", "C2", "C3")}


@pytest.fixture
async def office(redial: Redial) -> AsyncIterator[Office]:
    """Three channels listen, one of them by the settings file; an incident is open and was announced."""
    server = await open_server(None, redial.data)
    library = load().library
    names, paper = Names(library.messages, library.services.components), PaperChannels()
    office = Office(RedisPages(server), {"slack": paper}, lambda _: names)
    await read(office, page_of(*OLD))
    await listen(office, Subscription(PLACES["C1"], CLAUDE, 0, Choice(least="minor", mention="<!here>"), by="U1"))
    await listen(office, Subscription(PLACES["C2"], CLAUDE, 0))
    await declare(office, [Declared(PLACES["C3"], CLAUDE)], [CLAUDE])
    await read(office, page_of(made("new", impact="major"), *OLD))
    await Announcer(office).walk(CLAUDE, "slack")
    yield office
    await server.close()


async def read(office: Office, document: object) -> None:
    before = await office.pages.page(CLAUDE)
    listed = parse_incidents(document, page_id=CLAUDE)
    assert await office.pages.put(before, merge(before.page, Reading(await office.pages.now(), listed)))


async def test_what_each_channel_has_is_listed_and_what_is_stuck_with_the_reason(
    redial: Redial, office: Office
) -> None:
    rows = [json.loads(line) for line in redial.run("announcements", "--json").stdout.splitlines()]
    assert {row["channel"]: (row["about"], row["over"], bool(row["post"]), row["stuck"]) for row in rows} == {
        name: (["Trouble new"], False, True, "") for name in PLACES
    }
    assert redial.run("announcements", "--stuck").stdout == "Nothing is stuck.\n"
    assert redial.run("announcements", "--stuck", "--json").stdout == ""
    there = await office.pages.subscription(CLAUDE, PLACES["C1"])
    assert there is not None
    assert await office.pages.change(there, replace(there, standing=Standing.PAUSED, trouble="the channel is gone"))
    told = redial.run("announcements", "--stuck", code=1).stdout
    assert told == "slack/T1/C1  everything  [open]  no message  STUCK: paused: the channel is gone\n"


async def test_an_emptied_store_is_filled_again_and_nothing_is_posted_twice(redial: Redial, office: Office) -> None:
    paper = office.channels["slack"]
    assert isinstance(paper, PaperChannels)
    file = redial.home / "kept.json"
    file.write_text(redial.run("export").stdout)
    kept = json.loads(file.read_text())
    assert [(one["channel"], one["declared"]) for one in kept["subscriptions"]] == [
        ("C1", False),
        ("C2", False),
        ("C3", True),
    ]
    posted = set(paper.messages)
    for subscription in await office.pages.subscriptions(CLAUDE):
        assert await office.pages.change(subscription, None)
    assert redial.run("import", str(file)).stdout.startswith("2 channels listen again; 1 of the settings file")
    found = {one.place.channel: one for one in await office.pages.subscriptions(CLAUDE)}
    assert (found["C1"].choice.mention, found["C1"].by) == ("<!here>", "U1")
    assert found.keys() == {"C1", "C2"}
    await Announcer(office).walk(CLAUDE, "slack")
    assert set(paper.messages) == posted
    rows = [json.loads(line) for line in redial.run("announcements", "--json").stdout.splitlines()]
    assert {row["channel"] for row in rows if row["post"] in posted} == {"C1", "C2"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "no export"),
        ("nonsense", "no export"),
        ('{"format": 2, "subscriptions": []}', "of format 2"),
        ('{"format": 1, "subscriptions": [{"platform": "slack", "workspace": "T", "channel": "C", "page": "p"}]}', "p"),
    ],
)
def test_a_file_that_is_no_export_changes_nothing_and_says_why(redial: Redial, text: str, says: str) -> None:
    file = redial.home / "kept.json"
    file.write_text(text)
    assert says in redial.run("import", str(file), code=2).stderr
