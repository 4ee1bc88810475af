"""`/redial insights` as a picture: for who asks alone, with the same in words, or with why there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.tallies import RedisTallies
from bot.core.errors import NotDrawn, RedialError, SettingsError
from bot.core.triage.insights import weeks
from bot.runtime.chart import Studio
from tests.adapters.discord.test_scenarios import forbid
from tests.adapters.discord.town import parts
from tests.contract.bench import ANN, BOB, Bench
from tests.contract.bench_discord import DiscordBench
from tests.contract.bench_slack import SlackBench
from tests.contract.benches import BENCHES
from tests.runtime.test_insights import COUNTS
from tests.scenarios.playing import NOW

PNG = b"\x89PNG"


@pytest.fixture(params=["console", "slack", "discord"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    async with BENCHES[request.param](tmp_path / "data") as one:
        store, place = one.desk.store, one.origin(ANN)
        assert isinstance(store, RedisConversations)
        one.desk.tallies = tallies = RedisTallies(store.server)
        for name, n in COUNTS.items():
            tallies.count(place, weeks(NOW)[1], [name] * n)
        if place.platform != "console":
            one.desk.studio = Studio()
        yield one


IN_CHATS = pytest.mark.parametrize("bench", ["slack", "discord"], indirect=True)
ON_SLACK = pytest.mark.parametrize("bench", ["slack"], indirect=True)
ON_DISCORD = pytest.mark.parametrize("bench", ["discord"], indirect=True)


async def told(bench: Bench) -> str:
    return next(one.text for one in reversed(await bench.private(ANN)) if "How conversations went" in one.text)


async def test_who_asks_gets_a_picture_and_the_same_in_words(bench: Bench) -> None:
    await bench.command(ANN, "insights")
    said = await told(bench)
    assert "20 or more conversations: 12 fixed, 6 waited for Claude, fewer than 5 left" in said
    assert "fixed it for 7 of 12" in said
    if isinstance(bench, SlackBench):
        (data,) = bench.office.slack.uploaded
        assert data.startswith(PNG)
        assert "The picture is in our direct messages" in said
        direct = await bench.office.direct(ANN)
        (shown,) = [one for one in await bench.office.slack.messages(direct) if one.get("files")]
        assert shown["files"][0]["name"] == "insights.png"
        asked = next(c.body for c in bench.office.slack.calls if c.method == "files.getUploadURLExternal")
        assert "12 fixed" in asked["alt_txt"]
        assert len(asked["alt_txt"]) <= 1000
        assert bench.office.slack.scopes.split(",").count("files:write") == 1
    elif isinstance(bench, DiscordBench):
        (gallery,) = [one for one in parts(bench.town.private(ANN)[-1]) if one["type"] == 12]
        assert "12 fixed" in str(gallery["items"])
        (file,) = bench.town.private(ANN)[-1].attachments
        assert file.filename == "insights.png"
        assert (await file.read()).startswith(PNG)
        assert not await bench.seen(), "nobody else sees it"
    else:
        assert "    fixed             ██████████ 12\n    waited for Claude █████ 6\n" in said


@IN_CHATS
async def test_nobody_else_gets_it(bench: Bench) -> None:
    await bench.command(ANN, "insights")
    assert not [one for one in await bench.private(BOB) if "How conversations" in one.text]
    assert not [one for one in await bench.seen() if "How conversations" in one.text]


class Without:
    """A studio that draws nothing, for a reason."""

    def __init__(self, why: RedialError) -> None:
        self._why = why

    async def draw(self, *_: object) -> bytes:
        raise self._why


@IN_CHATS
async def test_without_the_extra_it_is_drawn_in_letters_and_says_what_to_install(bench: Bench) -> None:
    bench.desk.studio = Without(SettingsError("a picture needs one more package"))
    await bench.command(ANN, "insights")
    assert "██████████ 12" in await told(bench)
    assert "pip install 'redial[chart]'" in await told(bench)


@IN_CHATS
async def test_what_cannot_be_drawn_is_told_in_words_and_logged(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.desk.studio = Without(NotDrawn("no fonts"))
    await bench.command(ANN, "insights")
    assert "██████████ 12" in await told(bench)
    assert "redial[chart]" not in await told(bench)
    assert "insights not drawn" in capsys.readouterr().out


@ON_SLACK
async def test_a_scope_that_was_left_out_is_said(bench: SlackBench) -> None:
    bench.office.slack.scopes = "chat:write,commands,im:write"
    await bench.command(ANN, "insights")
    assert "the right “files:write” is missing" in await told(bench)
    assert "12 fixed" in await told(bench)


@ON_SLACK
async def test_in_the_direct_message_it_stands_above_the_words(bench: SlackBench) -> None:
    direct = await bench.office.direct(ANN)
    await bench.office.commanded(ANN, "insights", direct)
    assert "direct messages" not in str(bench.office.slack.told[-1])
    assert [one for one in await bench.office.slack.messages(direct) if one.get("files")]


@ON_DISCORD
async def test_a_right_that_is_missing_here_is_said(bench: DiscordBench) -> None:
    town = bench.town
    await forbid(town, town.channels["triage"], "attach_files")
    await bench.command(ANN, "insights")
    assert "the right “Attach Files” is missing" in await told(bench)
    assert town.private(ANN)[-1].attachments == []


@ON_DISCORD
async def test_a_mention_is_answered_in_words_and_points_to_the_command(bench: DiscordBench) -> None:
    await bench.mention(ANN, "insights")
    shown: list[discord.Message] = bench.town.public()
    assert "12 fixed" in (await bench.seen())[-1].text
    assert "for you alone: /redial insights" in (await bench.seen())[-1].text
    assert shown[-1].attachments == []
