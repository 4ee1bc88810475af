"""The registry of keys: what may go wrong with names, and the table operators read."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.store.keys import LONGEST, REGISTRY, WORKSPACES, as_markdown, encoded, keys_of, spec_of, tenant_of
from bot.core.event import Origin

names = st.text(max_size=200)


@given(names, names)
@example("~", "%7E")
@example("", "~")
@example("a" * 65, "a" * 66)
def test_distinct_names_stay_distinct(one: str, other: str) -> None:
    assert (encoded(one) == encoded(other)) == (one == other)


@given(names)
def test_an_encoded_name_breaks_nothing(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.%~-]*", encoded(name))
    assert len(encoded(name)) <= LONGEST


@given(names, names, names, names)
def test_every_key_has_one_hash_tag_and_one_row(platform: str, workspace: str, user: str, event: str) -> None:
    origin = Origin(platform, workspace, "C1", user)
    keys = keys_of(origin)
    built = [keys.claim(event), keys.conversation(event), keys.person(user), keys.kept(user), keys.owed, keys.waiting]
    for key, spec in zip(built, REGISTRY[:-1], strict=True):
        assert re.findall(r"\{(.*?)\}", key) == [tenant_of(origin)]
        assert spec_of(key) is spec


def test_the_key_of_no_workspace_has_a_tag_of_its_own() -> None:
    assert spec_of(WORKSPACES.key("")) is WORKSPACES is REGISTRY[-1]
    assert re.findall(r"\{(.*?)\}", WORKSPACES.key("")) == ["workspaces"]


def test_no_other_key_is_taken_for_ours() -> None:
    assert spec_of("redial:{slack:T1}:unheard-of") is None
    assert spec_of("other:{slack:T1}:owed") is None


def test_the_table_names_every_row() -> None:
    table = as_markdown()
    assert table.splitlines()[0] == "| key | type | lives | written by | holds |"
    assert "| `redial:{platform:workspace}:claim:…` | string | 24 h | commit |" in table
    assert "| `redial:{platform:workspace}:conversation:…` | hash | 14 d | commit |" in table
    assert len(table.splitlines()) == 2 + len(REGISTRY)
