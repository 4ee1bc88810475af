"""The registry of keys: what may go wrong with names, and the table operators read."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.store.keys import LONGEST, encoded, keys_of, page_keys
from bot.adapters.store.registry import OF_PAGES, OF_WORKSPACES, REGISTRY, WORKSPACES, spec_of
from bot.core.event import Origin
from tests.docs import keys

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
    built = [
        keys.claim(event), keys.conversation(event), keys.person(user), keys.kept(user), keys.owed, keys.waiting,
        keys.going, keys.named(user), keys.tally(event), keys.room, keys.gatherings,
    ]  # fmt: skip
    for key, spec in zip(built, OF_WORKSPACES, strict=True):
        assert re.findall(r"\{(.*?)\}", key) == [keys_of(origin).tenant]
        assert spec_of(key) is spec


@given(names, names)
@example("tymt9n04zgry", "slack:T1:C1")
def test_every_key_of_a_page_has_one_hash_tag_and_one_row(page: str, name: str) -> None:
    keys = page_keys(page)
    built = [
        keys.meta, keys.incidents, keys.subscriptions, keys.announced(name), keys.wishes, keys.began, keys.settled,
        keys.lease(name), keys.lineage,
    ]  # fmt: skip
    tags = {tag for key in built for tag in re.findall(r"\{(.*?)\}", key)}
    assert len(tags) == 1
    assert tags.pop().startswith("page:")
    for key, spec in zip(built, OF_PAGES, strict=True):
        assert spec_of(key) is spec


def test_the_key_of_no_workspace_has_a_tag_of_its_own() -> None:
    assert spec_of(WORKSPACES.key("")) is WORKSPACES is REGISTRY[-1]
    assert re.findall(r"\{(.*?)\}", WORKSPACES.key("")) == ["workspaces"]


def test_no_other_key_is_taken_for_ours() -> None:
    assert spec_of("redial:{slack:T1}:unheard-of") is None
    assert spec_of("other:{slack:T1}:owed") is None


def test_the_table_names_every_row() -> None:
    table = keys()
    assert table.splitlines()[0] == "| key | type | lives | written by | holds |"
    assert "| `redial:{platform:workspace}:claim:…` | string | 24 h | commit |" in table
    assert "| `redial:{platform:workspace}:conversation:…` | hash | 14 d | commit |" in table
    assert len(table.splitlines()) == 2 + len(REGISTRY)
