"""`{#id key=value key="two words" flag .class}`: the attributes authors write behind a heading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from bot.core.frozen import frozen

_TRAILING = re.compile(r"^(?P<words>.*?)\s*\{(?P<inside>[^{}]*)\}\s*$", re.DOTALL)
_ONE = re.compile(
    r"""\s*(?: \#(?P<id>[\w-]+)
          | \.(?P<flag_class>[\w-]+)
          | (?P<key>[\w-]+)=(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))
          | (?P<flag>[\w-]+) )\s*""",
    re.VERBOSE,
)


@frozen
class Attributes:
    """Parsed attributes; `id` is empty when none was given."""

    id: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()


def split_attributes(heading: str) -> tuple[str, Attributes]:
    """Split `Words {#id …}` into the words and the attributes; raises ValueError naming what cannot be read."""
    found = _TRAILING.match(heading)
    if not found:
        return heading, Attributes()
    return found["words"], parse_attributes(found["inside"])


def parse_attributes(inside: str) -> Attributes:
    """Read what stands between the braces; raises ValueError naming what cannot be read."""
    name, values, flags, at = "", dict[str, str](), set[str](), 0
    while at < len(inside.rstrip()):
        one = _ONE.match(inside, at)
        if not one:
            raise ValueError(inside[at:].strip())
        at = one.end()
        if one["id"]:
            name = one["id"]
        elif one["key"]:
            values[one["key"]] = one["quoted"] if one["quoted"] is not None else one["bare"]
        else:
            flags.add(one["flag"] or one["flag_class"])
    return Attributes(name, values, frozenset(flags))
