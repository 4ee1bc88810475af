"""Content that changes while the bot runs: taken as a whole, or refused as a whole and the old one kept."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from bot.core.event import InboundEvent, Said
from bot.core.text import plain
from bot.runtime.reloading import Reloader
from bot.runtime.rhythm import RHYTHM, Rhythm
from bot.runtime.settings import Settings
from bot.runtime.wiring import desk
from handlers.desk import Desk
from tests.machine import until
from tests.runtime.line import ALICE, Line, served

GUIDE = """---
title: {title}
surfaces: [claude-code]
signs: [ZORK-{sign}]
phrases: [zork is down]
reviewed: 2026-11-30
---
Our own gateway.

## What does it say? {{#says}}
- [It works again](outcomes.md#fixed){{#fixed}}
- [Get a human](outcomes.md#handed_off){{#human}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    guides = tmp_path / "own" / "guides" / "en"
    guides.mkdir(parents=True)
    (guides / "zork.md").write_text(GUIDE.format(title="The gateway is down", sign=1))
    return tmp_path / "own"


@pytest.fixture
def own(settings: Settings, folder: Path) -> Settings:
    return settings.model_copy(update={"content_dirs": (folder,)})


def reloader(one: Desk, own: Settings, titles: dict[str, str]) -> Reloader:
    return Reloader(one, titles, own.content_dirs, own.locale)


async def test_what_changed_is_taken_as_a_whole(own: Settings, folder: Path) -> None:
    async with desk(own) as one:
        titles = {"zork": "The gateway is down"}
        said, again = one.library.messages, reloader(one, own, titles)
        await again.look()
        assert one.library.guides["zork"].title == "The gateway is down"
        (folder / "guides" / "en" / "zork.md").write_text(GUIDE.format(title="The gateway is slow", sign=22))
        (folder / "messages").mkdir()
        (folder / "messages" / "en.toml").write_text('[trouble]\nbusy = "Ring extension 12."\n')
        await again.look()
        assert one.library.guides["zork"].title == titles["zork"] == "The gateway is slow"
        assert one.recognise("ZORK-22").guide == "zork"
        assert one.recognise("ZORK-1").guide != "zork"
        assert plain(said.inline("trouble.busy")) == "Ring extension 12.", "who holds on to the messages says it too"
        assert one.library.messages is said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("guides/en/zork.md", "no front matter"),
        ("guides/en/zork.md", GUIDE.format(title="T", sign=3).replace("outcomes.md#fixed", "#nowhere")),
        ("guides/en/other.md", "---\n"),
        ("messages/en.toml", "[trouble]\nbusy = 7\n"),
        ("messages/en.toml", "not toml"),
    ],
)
async def test_what_the_linter_objects_to_changes_nothing(
    own: Settings, folder: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    async with desk(own) as one:
        before, again = one.library, reloader(one, own, {})
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        # Something good beside it is not taken either.
        (folder / "guides" / "en" / "fine.md").write_text(GUIDE.format(title="Fine", sign=4))
        (folder / name).write_text(text)
        assert not await again.reload()
        assert one.library is before
        assert "fine" not in one.library.guides
        assert name in capsys.readouterr().out, "the log names the file"
        await again.look()
        assert "content refused" not in capsys.readouterr().out, "once a change, not once a look"


def mount(mounted: Path, folder: Path) -> Path:
    mounted.mkdir()
    folder.rename(mounted / "..1")
    (mounted / "..data").symlink_to("..1")
    (mounted / "guides").symlink_to("..data/guides")
    return mounted


async def test_a_mounted_folder_is_made_of_links(own: Settings, folder: Path, tmp_path: Path) -> None:
    """As Kubernetes does it: the folder's content is a link to a folder whose name changes."""
    mounted = mount(tmp_path / "mounted", folder)
    linked = own.model_copy(update={"content_dirs": (mounted,)})
    async with desk(linked) as one:
        again = reloader(one, linked, {})
        new = mounted / "..2" / "guides" / "en"
        new.mkdir(parents=True)
        (new / "zork.md").write_text(GUIDE.format(title="The gateway is slow", sign=2))
        (mounted / "..tmp").symlink_to("..2")
        (mounted / "..tmp").rename(mounted / "..data")
        await again.look()
        assert one.library.guides["zork"].title == "The gateway is slow"


@pytest.mark.parametrize("way", ["signal", "change"])
async def test_a_process_goes_on_with_new_content(own: Settings, folder: Path, way: str) -> None:
    """A conversation that is open goes on; what is asked next finds the new guide."""
    line, rhythm = Line(), Rhythm(content=0.2) if way == "change" else RHYTHM
    async with served(own, line, [], rhythm=rhythm) as serving:
        assert line.submit(1)
        await until(lambda: line.views)
        (folder / "guides" / "en" / "zork.md").write_text(GUIDE.format(title="The gateway is slow", sign=2))
        if way == "signal":
            os.kill(os.getpid(), signal.SIGHUP)
        assert line.house
        titles = line.house.guides
        await until(lambda: titles["zork"] == "The gateway is slow")
        assert line.house.intake.submit(InboundEvent("e2", ALICE, Said("1", "direct")), line)
        await until(lambda: len(line.views) == 2)
        assert line.views[1].conversation == line.views[0].conversation
        os.kill(os.getpid(), signal.SIGTERM)
        assert await serving == 0
