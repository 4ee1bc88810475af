"""`redial export` and `redial import`: who listens to what, as JSON, to be kept for a store that is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import msgspec

from bot.core.errors import ContentError, SettingsError
from bot.core.status.announcement_view import Names
from bot.core.status.subscription import Choice, Place, Standing, Subscription
from bot.ports.pages import PageStore
from bot.runtime.settings import Settings
from bot.runtime.wiring import desk
from handlers.announce import Office
from handlers.desk import Desk
from handlers.subscriptions import listen

FORMAT = 1


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """A subscription as the file has it; `declared` ones come back from the settings file by themselves."""

    platform: str
    workspace: str
    channel: str
    page: str
    choice: Choice = msgspec.field(default_factory=Choice)
    by: str = ""
    declared: bool = False


class File(msgspec.Struct, forbid_unknown_fields=True):
    """The file."""

    format: int
    subscriptions: list[Kept]


async def export(settings: Settings) -> str:
    """Return the export of the store these settings name."""
    async with desk(settings) as here:
        return await exported(_pages(here), here.watched)


async def bring_in(settings: Settings, path: Path) -> str:
    """Import into the store these settings name; return what to tell the operator."""
    async with desk(settings) as here:
        names = Names(here.library.messages, here.library.services.components)
        count, others = await imported(Office(_pages(here), {}, lambda _: names), here.watched, path)
    left = f"; {others} of the settings file come back with `redial run`" if others else ""
    return f"{count} channels listen again{left}"


def _pages(here: Desk) -> PageStore:
    if here.pages is None:
        raise SettingsError("this store keeps no pages")
    return here.pages


async def exported(store: PageStore, pages: Mapping[str, str]) -> str:
    """Return all subscriptions to these pages, names by id; what ends is left out."""
    kept = [
        Kept(**asdict(one.place), page=page, choice=one.choice, by=one.by, declared=one.declared)
        for page in pages
        for one in await store.subscriptions(page)
        if one.standing is not Standing.ENDING
    ]
    kept.sort(key=lambda one: (one.page, one.platform, one.workspace, one.channel))
    return msgspec.json.format(msgspec.json.encode(File(FORMAT, kept)), indent=2).decode()


async def imported(office: Office, pages: Mapping[str, str], path: Path) -> tuple[int, int]:
    """Let the channels of a file listen again; return how many, and how many are left to the settings file.

    What stands in them is looked for before anything is posted. Raises `ContentError` for a file of no use.
    """
    found = _read(path)
    if unknown := {one.page for one in found.subscriptions} - pages.keys():
        raise ContentError(f"pages that are not watched: {', '.join(sorted(unknown))}", path=str(path), line=1)
    mine = [one for one in found.subscriptions if not one.declared]
    for page in dict.fromkeys(one.page for one in mine):
        await office.pages.distrust(page)
    for one in mine:
        place = Place(one.platform, one.workspace, one.channel)
        await listen(office, Subscription(place, one.page, 0, one.choice, one.by))
    return len(mine), len(found.subscriptions) - len(mine)


def _read(path: Path) -> File:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=File)
    except (OSError, msgspec.DecodeError) as error:
        raise ContentError(f"no export of subscriptions: {error}", path=str(path), line=1) from error
    if found.format != FORMAT:
        raise ContentError(f"of format {found.format}; this Redial reads {FORMAT}", path=str(path), line=1)
    return found
