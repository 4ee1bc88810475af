"""What Discord refuses in a message, by its reference; and what of a view its message does not have."""

from __future__ import annotations

from simcord.components import validate_message_state

from bot.adapters.discord import press
from bot.adapters.discord.limits import COMPONENTS, CUSTOM_ID, LABEL, TEXT
from bot.adapters.discord.render import Json, Setting
from bot.core.view import View
from tests.adapters.discord.town import options, walked

V2 = 1 << 15
PRIVATE = Setting(hello="1" * 19, note="n" * 100, write="1" * 19, workspace="1" * 19)


def faults(components: list[Json]) -> list[str]:
    """What Discord would refuse, by its reference."""
    parts = list(walked(components))
    validate_message_state(components, flags=V2, content=None, embeds=[], require_nonempty=True)
    ids = [str(part["custom_id"]) for part in parts if "custom_id" in part]
    text = sum(len(str(part.get("content", ""))) for part in parts)
    found = [f"{len(parts)} components"] if len(parts) > COMPONENTS else []
    found += [f"{text} characters"] if text > TEXT else []
    found += [f"custom_id {one}" for one in ids if not 0 < len(one) <= CUSTOM_ID or ids.count(one) > 1]
    found += [
        f"label {part['label']}" for part in parts if "label" in part and not 0 < len(str(part["label"])) <= LABEL
    ]
    found += ["an empty text" for part in parts if part["type"] == 10 and not str(part["content"]).strip()]
    return found


def lost(view: View, components: list[Json]) -> list[str]:
    """Name the choices that cannot be read back from their buttons, or are not there, and whether the text is cut."""
    parts = list(walked(components))
    marks = [press.from_custom_id(str(part["custom_id"])) for part in parts if "custom_id" in part]
    here = (view.conversation, view.revision, view.step)
    found = [
        f"{mark} leads elsewhere" for mark in marks if not mark or (mark.conversation, mark.revision, mark.step) != here
    ]
    if "…" in "\n".join(str(part.get("content", "")) for part in parts).splitlines():
        found.append("the text is cut")
    labels = {str(one.get("label")) for part in parts for one in (part, *options(part))}
    return found + [f"no {offer.label}" for offer in view.offers if offer.label not in labels]
