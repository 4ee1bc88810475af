"""What Slack refuses in a message, as its reference says and slack_sdk's models check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.adapters.slack.render import Message

KNOWN = {"rich_text", "actions", "context", "section", "header", "divider", "markdown"}
RICH = {"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}
INLINE = {"text", "link", "user", "date", "emoji"}


def faults(message: Message, *, most: int = 50) -> list[str]:
    """Everything Slack would refuse, or show as nothing."""
    blocks = [cast("dict[str, Any]", block) for block in message.blocks]
    found = [f"{len(blocks)} blocks"] if len(blocks) > most else []
    found += ["no text"] if not message.text.strip() else []
    found += ["text too long"] if len(message.text) > 40_000 else []
    for known in cast("list[Block | None]", Block.parse_all(blocks)):
        if known is None:
            found.append("a block of a type slack_sdk does not know")
        else:
            known.validate_json()
    found += [f"unknown block {block['type']}" for block in blocks if block["type"] not in KNOWN]
    found += _twice("block_id", [block["block_id"] for block in blocks if "block_id" in block])
    elements = [element for block in blocks if block["type"] == "actions" for element in block["elements"]]
    found += _twice("action_id", [element["action_id"] for element in elements])
    for element in elements:
        found += _element(element)
    for block in blocks:
        found += _block(block)
    seen = sum(len(text) for block in blocks for text in _texts(block))
    return found + ([f"{seen} characters"] if seen > 13_000 else [])


def modal_faults(view: Mapping[str, Any]) -> list[str]:
    """Everything Slack would refuse about a modal."""
    View(**view).validate_json()
    found = [f"{name} of {len(view[name]['text'])}" for name in ("title", "submit") if len(view[name]["text"]) > 24]
    found += [f"{len(view['blocks'])} blocks"] if not 0 < len(view["blocks"]) <= 100 else []
    found += ["private_metadata too long"] if len(view["private_metadata"]) > 3000 else []
    found += _twice("block_id", [block["block_id"] for block in view["blocks"]])
    for block in view["blocks"]:
        element, options = block["element"], block["element"]["options"]
        most = 10 if element["type"] == "checkboxes" else 100
        found += [] if 0 < len(options) <= most else [f"{len(options)} options of {block['block_id']}"]
        found += _twice("option", [option["value"] for option in options])
        texts = [*(option["text"]["text"] for option in options)]
        found += [f"option {text!r}" for text in texts if not 0 < len(text) <= 75]
        chosen = [
            *element.get("initial_options", ()),
            *([element["initial_option"]] if "initial_option" in element else []),
        ]
        found += [f"{one['value']} is chosen and not there" for one in chosen if one not in options]
        found += ["no option is chosen"] if element.get("initial_options") == [] else []
    return found


def _twice(name: str, ids: Sequence[str]) -> list[str]:
    found = [f"{name} {value} twice" for value, count in Counter(ids).items() if count > 1]
    return found + [f"{name} of {len(value)} characters" for value in ids if not 0 < len(value) <= 255]


def _element(element: Mapping[str, Any]) -> list[str]:
    if element["type"] == "button":
        label = element["text"]["text"]
        return [] if 0 < len(label) <= 75 else [f"button of {len(label)} characters"]
    options = element["options"]
    values = [option["value"] for option in options]
    found = _twice("option", values) + ([] if 0 < len(options) <= 100 else [f"{len(options)} options"])
    found += [f"option value {value}" for value in values if not 0 < len(value) <= 150]
    return found + [f"option label {o['text']['text']}" for o in options if not 0 < len(o["text"]["text"]) <= 75]


def _block(block: Mapping[str, Any]) -> list[str]:
    if block["type"] == "context":
        return [f"context of {len(e['text'])}" for e in block["elements"] if not 0 < len(e["text"]) <= 3000]
    if block["type"] == "actions":
        return [] if 0 < len(block["elements"]) <= 25 else [f"{len(block['elements'])} elements"]
    if block["type"] != "rich_text":
        return []
    found = [] if block["elements"] else ["rich text without elements"]
    for element in block["elements"]:
        found += _rich(element)
    return found


def _rich(element: Mapping[str, Any]) -> list[str]:
    if element["type"] not in RICH:
        return [f"unknown rich element {element['type']}"]
    if not element["elements"]:
        return [f"empty {element['type']}"]
    if element["type"] == "rich_text_list":
        return [fault for item in element["elements"] for fault in _rich(item)]
    found = [f"unknown inline {e['type']}" for e in element["elements"] if e["type"] not in INLINE]
    return found + ["empty text" for e in element["elements"] if e["type"] == "text" and not e["text"]]


def _texts(piece: object) -> Iterator[str]:
    if isinstance(piece, str):
        yield piece
    elif isinstance(piece, Mapping):
        for key in ("text", "elements"):
            yield from _texts(piece.get(key, ""))
    elif isinstance(piece, list):
        for inner in piece:
            yield from _texts(inner)
