"""What people see in Discord: real turns of the real adapter, as its API was given them, drawn like its app."""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path
from typing import Any

import discord
from markdown_it import MarkdownIt

from bot.core.moments import clock
from tests.adapters.discord.town import Town, town
from tests.contract.bench_discord import DiscordBench
from tests.contract.choosing import DiscordChooser, discord_chooser
from tests.contract.test_chat import CUT_OFF, TOOLS
from tests.scenarios.playing import page

Message = Mapping[str, Any]

_STYLE = """<style>
.discord { background: #313338; color: #dbdee1; font: 16px/1.35 "gg sans", "Noto Sans", "DejaVu Sans", sans-serif;
  border: 0; padding: 12px 12px 16px }
.discord .who { display: flex; gap: 8px; align-items: center; margin: 10px 0 2px; font-weight: 600; color: #f2f3f5 }
.discord .who i { width: 26px; height: 26px; border-radius: 50%; background: #5865f2; flex: none }
.discord .app { background: #5865f2; font-size: 10px; border-radius: 3px; padding: 1px 4px }
.discord .text { margin: 4px 0 }
.discord h3 { font-size: 17px; margin: 4px 0 2px; color: #f2f3f5 }
.discord p, .discord ol, .discord ul { margin: 2px 0 } .discord ol, .discord ul { padding-left: 24px }
.discord small { font-size: 13px; color: #949ba4 }
.discord code { font: 13.5px "DejaVu Sans Mono", monospace; background: #1e1f22; border-radius: 4px; padding: 0 3px }
.discord pre { background: #2b2d31; border: 1px solid #1e1f22; border-radius: 4px; padding: 7px; margin: 4px 0;
  white-space: pre-wrap } .discord pre code { background: none; padding: 0 }
.discord blockquote { margin: 3px 0; padding-left: 10px; border-left: 4px solid #4e5058 }
.discord a { color: #00a8fc; text-decoration: none } .discord b.at { color: #c9cdfb; background: #3c4270 }
.discord .row { display: flex; flex-wrap: wrap; gap: 8px; margin: 6px 0 }
.discord .row span { border-radius: 8px; padding: 7px 14px; font-size: 14px; color: #fff; background: #4e5058 }
.discord .row .s1 { background: #5865f2 }
.discord .row .s3 { background: #248046 } .discord .row .s4 { background: #da373c }
.discord .row .pick { background: #1e1f22; color: #949ba4; flex: 1; border: 1px solid #4e5058 }
.discord .frame { border-left: 4px solid; background: #2b2d31; border-radius: 4px; padding: 8px 12px; margin: 4px 0 }
</style>"""
_MARKDOWN = MarkdownIt("commonmark", {"breaks": True}).enable("strikethrough")


async def thread() -> tuple[str, int]:
    """A mention; the thread after a press; after words; handed to a human."""
    async with _bench() as bench:
        await bench.mention("ann", f"claude code just died on me `{CUT_OFF}`")
        columns = [seen(bench.town)]
        await bench.press("ann", TOOLS)
        columns.append(seen(bench.town))
        await bench.say("ann", "ok two files edited, tests not run yet")
        columns.append(seen(bench.town)[-1:])
        await bench.say("ann", "get a human")
        columns.append(seen(bench.town)[-1:])
        return drawn(columns)


async def more() -> tuple[str, int]:
    """More choices than buttons; during an incident; waiting; an offer in a watched channel."""
    async with _bench() as bench:
        await bench.mention("bob", "API Error: 401 OAuth token has expired. Please run /login")
        columns = [seen(bench.town)]
        bench.town.page.read = page("incident")
        await bench.mention("ann", "API Error: Repeated 529 Overloaded errors")
        columns.append(seen(bench.town)[-1:])
        await bench.press("ann", "Wait and tell me")
        columns.append([{"components": _json(message)} for message in bench.town.private("ann")[-1:]])
        await bench.post("ann", f"anybody else? `{CUT_OFF}`", channel="watched")
        columns[-1] += seen(bench.town)[-1:]
        return drawn(columns)


async def choosing() -> tuple[str, int]:
    """The form; what came of it, and what a channel hears; words that are not understood, and who may not."""
    with tempfile.TemporaryDirectory() as folder:
        async with discord_chooser(Path(folder, "data")) as one:
            assert isinstance(one, DiscordChooser)
            form = await one.asks("ann")
            await one.sends("ann", form, least=("major",), mention=(one.group,))
            await one.types("ann", "subscriptions")
            first = [{"components": _json(message)} for message in one.town.private("ann")]
            await one.types("ann", "subscribe major cluade-code")
            await one.types("bob", "subscribe major")
            told = [one.town.private("ann")[-1], one.town.private("bob")[-1]]
            return drawn([[form.modal], first, [{"components": _json(message)} for message in told]])


SCENES = {"discord-thread": thread, "discord-more": more, "discord-choosing": choosing}
"""Pictures by the name of their file."""


@asynccontextmanager
async def _bench() -> AsyncIterator[DiscordBench]:
    with tempfile.TemporaryDirectory() as folder:
        async with town(Path(folder, "data")) as there:
            yield DiscordBench(there)


def seen(there: Town) -> list[Message]:
    """Redial's messages in channels and threads as they stand now, oldest first."""
    return [{"components": _json(one)} for one in there.public()]


def _json(message: discord.Message) -> list[dict[str, Any]]:
    return [dict(part.to_dict()) for part in message.components]


def drawn(columns: Sequence[Sequence[Message]]) -> tuple[str, int]:
    """Return columns of messages as HTML, and how many."""
    sections = ("".join(map(_message, column)) for column in columns)
    return _STYLE + "".join(f'<section class="discord">{inner}</section>' for inner in sections), len(columns)


def _message(message: Message) -> str:
    if "title" in message:
        return f"<h3>{escape(message['title'])}</h3>" + "".join(map(_part, message["components"]))
    name = '<div class="who"><i></i>Redial <span class="app">APP</span></div>'
    return name + "".join(map(_part, message["components"]))


def _part(part: Mapping[str, Any]) -> str:
    match part["type"]:
        case 10:
            return f'<div class="text">{_text(part["content"])}</div>'
        case 17:
            inner = "".join(map(_part, part["components"]))
            return f'<div class="frame" style="border-color:#{part["accent_color"]:06x}">{inner}</div>'
        case 18:
            hint = f"<br><small>{escape(part['description'])}</small>" if part.get("description") else ""
            return f'<div class="text"><b>{escape(part["label"])}</b>{hint}</div>{_chosen(part["component"])}'
        case _:
            return f'<div class="row">{"".join(_pressed(part["components"]))}</div>'


def _pressed(parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for part in parts:
        if part["type"] == 3:
            yield f'<span class="pick">{escape(part["placeholder"])} &#9662;</span>'
        else:
            yield f'<span class="s{part["style"]}">{escape(part["label"])}</span>'


def _chosen(select: Mapping[str, Any]) -> str:
    """A select of a form, with what is chosen in it."""
    chosen = ", ".join(option["label"] for option in select["options"] if option.get("default"))
    return f'<div class="row"><span class="pick">{escape(chosen or select["placeholder"])} &#9662;</span></div>'


def _text(markdown: str) -> str:
    """Discord's Markdown as HTML: what CommonMark has not is marked before or after."""
    held = re.sub(r"(?m)^-# (.*)$", "\ue000\\1\ue001", markdown)
    held = re.sub(r"<t:(\d+):t>", lambda found: clock(int(found[1])), held)
    held = re.sub(r"<@&?\d+>", "\ue002", held)
    html: str = _MARKDOWN.render(held)
    return html.replace("\ue000", "<small>").replace("\ue001", "</small>").replace("\ue002", '<b class="at">@ann</b>')
