"""How a process is told what to watch and who listens."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.rehearsal.channels import PaperChannels
from bot.adapters.rehearsal.pages import MemoryPages
from bot.core.status.subscription import Choice, Place, Standing
from bot.runtime.loading import load
from bot.runtime.pages import watched
from bot.runtime.settings import load_settings
from bot.runtime.watching import declared, open_watch
from handlers.replay import Clock

FILE = """
[[subscriptions]]
platform = "slack"
workspace = "T1"
channel = "C1"
least = "major"
mention = "<!subteam^S1>"

[[subscriptions]]
platform = "discord"
workspace = 42
channel = 43
page = "abc"
replies = false

[status]
interval = 300
pages = [{ id = "abc", name = "Example", hosts = ["https://status.example.com"] }]
"""


@pytest.fixture
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "redial.toml").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_file")
async def test_the_settings_file_says_which_pages_are_watched_and_who_listens() -> None:
    content, settings = load(), load_settings()
    known = content.library.services.page
    assert [page.id for page in watched(settings, known)] == [known.id, "abc"]
    one, other = declared(settings, known.id)
    assert (one.place, one.page) == (Place("slack", "T1", "C1"), known.id)
    assert one.choice == Choice(least="major", mention="<!subteam^S1>")
    assert (other.place, other.page, other.choice.replies) == (Place("discord", "42", "43"), "abc", False)
    pages = MemoryPages(Clock(1000.0))
    async with open_watch(settings, content.library, pages, {"slack": PaperChannels()}) as watch:
        for _ in range(2):
            await watch.declare()
        names = [job.__name__ for job, _ in watch.jobs]
        assert names == ["poll", "recall", "announce", "announce", "tidy"], "each page by itself"
        for job, _ in watch.jobs[1:]:
            await job()
        await watch.release()
    found = [*await pages.subscriptions(known.id), *await pages.subscriptions("abc")]
    assert [s.standing for s in found] == [Standing.ACTIVE, Standing.ACTIVE]
    assert all(s.declared for s in found)
    assert all(s.standing is Standing.ACTIVE for s in found)


@pytest.mark.usefixtures("_file")
async def test_what_the_settings_file_declares_comes_back_by_itself_into_a_store_that_was_emptied() -> None:
    content, settings = load(), load_settings()
    pages, known = MemoryPages(Clock(1000.0)), content.library.services.page
    async with open_watch(settings, content.library, pages, {"slack": PaperChannels()}) as watch:
        await watch.declare()
        await watch.recall()
        pages.loses(None)
        assert await pages.subscriptions(known.id) == ()
        await watch.recall()
        (there,) = await pages.subscriptions(known.id)
        assert there.declared
