"""Views as messages of components. Pure: a view and the words of the catalogue in, Discord's JSON out.

A message is text as people write it, without an embed's frame: on a phone it has the whole width. The id of its first
component is the mark by which the message is found again; buttons carry the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.adapters.discord import press
from bot.adapters.discord.limits import ALT, BUTTONS, LABEL, OPTION, OPTIONS, PLACEHOLDER, TEXT, cut
from bot.adapters.discord.markup import cut_lines, escaped, heading, site, to_line, to_lines, to_markdown
from bot.adapters.discord.press import Ids, Mark
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.text import Block, Evidence, Heading, Inline, plain
from bot.core.triage.conversation import WHAT
from bot.core.triage.folding import Folded
from bot.core.view import Control, Offer, Tone, View

Json = dict[str, object]
"""A piece of Discord's JSON."""

_ROW, _BUTTON, _SELECT, _TEXT, _GALLERY, _FRAME = 1, 2, 3, 10, 12, 17
_BLUE, _GREY = 1, 2
_STYLES = {Tone.GOOD: 3, Tone.GRAVE: 4}
"""Green for the end everybody wants, red for a step with an undo; a colour never says it alone."""
_PRIMARY = frozenset({"@wait", "@switch"})
"""Ways out that are what most people want where they are offered."""
_SECTIONS, _LEAST = 20, 20
"""Most texts of a message, and the least room worth another one."""
_TITLE = 100
"""Characters a title may have."""
_SMALL = 800
"""Characters the small print may take."""
_DRAWN = 500
"""Most texts that are kept to be shown again."""


@frozen
class Setting:
    """What a message says and carries besides its view, because of where it is shown.

    hello: id of a person the small print calls, so that a new thread reaches them. note: a line on what is missing.
    write: id of who can only give words through a form. workspace: see `Mark`. asker: who alone may take an offer, or
    remove it. mention: what an admin chose to be mentioned, as Discord writes it.
    """

    hello: str = ""
    note: str = ""
    write: str = ""
    workspace: str = ""
    asker: str = ""
    mention: str = ""


PLAIN = Setting()


class Renderer:
    """Turns views into components in one language."""

    def __init__(self, messages: Messages) -> None:
        """Take the sentences."""
        self._say = messages
        self.grades = {grade.value: messages.text(f"evidence.{grade}") for grade in Evidence}
        self._drawn: dict[tuple[object, ...], tuple[Inline, tuple[Block, ...], list[str]]] = {}

    def message(self, view: View, setting: Setting = PLAIN) -> list[Json]:
        """Return a view as the components of a message."""
        small = self._small(view, setting)
        texts = self._texts(view, TEXT - len(small))
        parts = [_text(text) for text in texts or ["…"]]
        if view.key:
            parts[0]["id"] = press.key_mark(view.key)
        if view.picture:
            media = {"media": {"url": f"attachment://{view.picture.name}"}, "description": cut(view.picture.alt, ALT)}
            parts.insert(1, {"type": _GALLERY, "items": [media]})
        ids = Ids(Mark("", view.conversation, view.revision, view.step, setting.asker, setting.workspace))
        parts += self._offers(view, ids)
        if small:
            parts.append(_text(small))
        return [*parts, *self._ways_out(view, setting, ids)]

    def framed(self, view: View, colour: int, key: str, setting: Setting = PLAIN) -> list[Json]:
        """Return a view in a frame with a colour at its side, as announcements are shown."""
        parts = self.message(view, setting)
        parts[0].pop("id", None)
        return [{"type": _FRAME, "id": press.key_mark(key), "accent_color": colour, "components": parts}]

    def folded(self, folded: Folded, *, owner: str = "") -> list[Json]:
        """Return an answered question as the lines that stay of it; who answered is named where it is not the owner."""
        by = f" · <@{folded.by}>" if folded.by.isdecimal() and folded.by != owner else ""
        answer = f"-# ~~{to_line(folded.question)}~~" + (f" → {escaped(folded.answer)}{by}" if folded.answer else "")
        lead = [to_line(folded.lead, bold=True)] if folded.lead else []
        return [_text(cut_lines([*lead, answer], TEXT))]

    def _texts(self, view: View, size: int) -> list[str]:
        """Return the words of a view. Those of a step are kept by what they are made of, which stays the same objects.

        To compare them would take as long as to write them anew.
        """
        if view.preface or not view.conversation:
            return fitted(list(self._sections(view)), size)
        key = (id(view.lead), id(view.blocks), view.evidence, size)
        if key not in self._drawn:
            if len(self._drawn) >= _DRAWN:
                self._drawn.clear()
            # What it is made of is kept with it, or another could come to have its identity.
            self._drawn[key] = view.lead, view.blocks, fitted(list(self._sections(view)), size)
        return self._drawn[key][2]

    def _sections(self, view: View) -> Iterator[list[str]]:
        """Yield the lines of what stands together; Discord leaves a little room between two."""
        if view.preface:
            yield list(to_lines(view.preface, self.grades))
        # A sentence by itself is no title: an offer in other people's channel, or several sentences at once.
        titled = bool(view.blocks or (view.conversation and len(plain(view.lead)) <= _TITLE))
        lead = heading(view.lead, view.lead_evidence, self.grades) if titled else to_markdown(view.lead)
        section = [lead] if view.lead else []
        for block in view.blocks:
            if isinstance(block, Heading) and section:
                yield section
                section = []
            section += to_lines([block], self.grades)
        yield section

    def _small(self, view: View, setting: Setting) -> str:
        """Return the small print: where it is written, why this guide, and what is missing here."""
        lines = []
        if view.sources:
            links = " · ".join(site(cite.url, cite.label) for cite in view.sources)
            lines.append(f"-# {escaped(self._say.text('discord.source'))} {links}")
        if view.read_as:
            lines.append(f"-# {to_line(view.read_as)}")
        if setting.hello:
            lines.append(f"-# <@{setting.hello}>")
        if setting.mention:
            lines.append(f"-# {setting.mention}")
        if setting.note:
            lines.append(f"-# {escaped(setting.note)}")
        return cut_lines(lines, _SMALL)

    def _offers(self, view: View, ids: Ids) -> Iterator[Json]:
        shown = view.offers[:OPTIONS]
        if len(shown) > BUTTONS or not all(ids.fits(offer.id) for offer in shown):
            yield _row([self._select(shown, ids)])
        elif shown:
            yield _row([_button(offer, ids, _STYLES.get(offer.tone, _BLUE)) for offer in shown])

    def _select(self, offers: Sequence[Offer], ids: Ids) -> Json:
        return {
            "type": _SELECT,
            "custom_id": ids.of(press.PICK),
            "placeholder": cut(self._say.text("discord.pick", n=len(offers)), PLACEHOLDER),
            "options": [{"label": cut(offer.label, OPTION), "value": cut(offer.id, OPTION)} for offer in offers],
        }

    def _ways_out(self, view: View, setting: Setting, ids: Ids) -> Iterator[Json]:
        buttons = [_button(way, ids, _BLUE if way.id in _PRIMARY else _GREY) for way in view.controls]
        if view.conversation and view.outcome is None and (setting.write or view.step == WHAT):
            write = Control(press.WRITE, self._say.text("discord.write"))
            writer = Mark("", view.conversation, view.revision, view.step, setting.write, setting.workspace)
            buttons.insert(0, _button(write, Ids(writer), _GREY if view.offers else _BLUE))
        if setting.asker:
            remove = Control(press.REMOVE, self._say.text("discord.remove"))
            buttons.append(_button(remove, ids, _GREY))
        for n in range(0, len(buttons), BUTTONS):
            yield _row(buttons[n : n + BUTTONS])


def fitted(sections: Sequence[Sequence[str]], size: int) -> list[str]:
    """Return sections as texts of at most `size` characters in all; the last are cut first."""
    texts = list[str]()
    for section in sections[:_SECTIONS]:
        text = cut_lines(section, size)
        if text and size > _LEAST:
            texts.append(text)
            size -= len(text)
    return texts


def _text(content: str) -> Json:
    return {"type": _TEXT, "content": content}


def _row(parts: Sequence[Json]) -> Json:
    return {"type": _ROW, "components": list(parts)}


def _button(shown: Offer | Control, ids: Ids, style: int) -> Json:
    return {"type": _BUTTON, "style": style, "label": cut(shown.label, LABEL), "custom_id": ids.of(shown.id)}
