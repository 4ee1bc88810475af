"""Real payloads with something changed: what a decoder meets that the happy examples do not have."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("REDIAL_FUZZ", "150"))
"""How many changed payloads each decoder is given; `python -m tests.soak fuzz` sets more."""

fuzzed = settings(
    max_examples=EXAMPLES, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)  # fmt: skip

LONG = "x" * 20_000
NASTY = st.sampled_from(
    ["", " ", "\x00", "\ud800", "\u202e", "null", "-1", "1e999", "0" * 400, "https://", "a:b:c:d:e:f:g", "<!channel>",
     "\u0663", LONG, "{}", "]]>", "../..", "' OR 1=1", "%s%n", "\n\n\n"]
)  # fmt: skip
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | NASTY | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, below in inner:
        yield (*path, name)
        yield from places(below, (*path, name))


def changed(draw: st.DrawFn, original: Any) -> Any:  # noqa: ANN401 - decoded JSON
    """A copy with up to four places replaced, taken away or moved."""
    found = copy.deepcopy(original)
    for _ in range(draw(st.integers(1, 4))):
        known = list(places(found))
        if not known:
            break
        *way, last = draw(st.sampled_from(known))
        holder = found
        for name in way:
            holder = holder[name]
        match draw(st.sampled_from(["replace", "replace", "drop", "text"])):
            case "drop":
                del holder[last]
            case "text":
                holder[last] = draw(NASTY)
            case _:
                holder[last] = draw(ODD)
    return found


@st.composite
def mutants(draw: st.DrawFn, *originals: Any) -> Any:  # noqa: ANN401 - the same
    """Changed copies of any of these."""
    return changed(draw, draw(st.sampled_from(originals)))
