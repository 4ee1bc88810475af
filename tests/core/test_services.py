"""Which parts of the official page matter where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import content
from bot.core.errors import ContentError
from bot.core.services import parse_services

PATH = content.ROOT / "products" / "claude.toml"
TEXT = PATH.read_text(encoding="utf-8")
CLAUDE = parse_services(TEXT, str(PATH))
LISTED = Path(__file__).parents[1] / "fixtures" / "statuspage" / "components.json"


@pytest.mark.parametrize(
    ("surface", "names"),
    [
        ("claude-code", {"Claude Code", "Claude API"}),
        ("web", {"claude.ai"}),
        ("desktop", {"claude.ai", "Claude Code", "Claude Cowork"}),
        ("phone", {"claude.ai"}),
        ("api", {"Claude API"}),
        ("console", {"Claude Console"}),
    ],
)
def test_each_surface_needs_its_parts(surface: str, names: set[str]) -> None:
    assert {CLAUDE.components[c] for c in CLAUDE.needed(surface)} == names


@pytest.mark.parametrize("surface", ["", "unsure", "teapot"])
def test_where_the_surface_is_not_known_every_part_people_use_matters(surface: str) -> None:
    names = {CLAUDE.components[c] for c in CLAUDE.needed(surface)}
    assert names == set(CLAUDE.components.values()) - {"Claude for Government"}


def test_a_part_that_only_a_corner_of_a_surface_needs_is_told_apart() -> None:
    desktop = CLAUDE.surfaces["desktop"]
    assert {CLAUDE.components[c] for c in desktop.needs} == {"claude.ai"}
    assert {CLAUDE.components[c] for c in desktop.parts} == {"Claude Code", "Claude Cowork"}


def test_the_ids_are_those_the_page_lists() -> None:
    page = json.loads(LISTED.read_text(encoding="utf-8"))
    assert CLAUDE.page.id == page["page"]["id"]
    assert set(CLAUDE.components) == {c["id"] for c in page["components"]}


def test_other_providers_have_a_status_page_of_their_own() -> None:
    assert {p.id: p.status.startswith("https://") for p in CLAUDE.providers.values()} == {
        "bedrock": True,
        "google": True,
        "foundry": True,
        "gateway": False,
    }
    assert CLAUDE.provider("anthropic") is None
    assert CLAUDE.provider("unsure") is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'needs = ["console"]',
            'needs = ["consoles"]',
            r"\[surfaces.console\] 'consoles' is not one of the components",
        ),
        ('needs = ["console"]', "needs = []", r"\[surfaces.console\] `needs` must be a list of texts"),
        ('id = "tymt9n04zgry"', "id = 7", r"\[page\] `id` must be a text"),
        ('{ id = "k8w3r06qmzrp", name = "Claude API" }', '"x"', r"\[components.api\] `api` must be a table"),
        ('"yyzkbfz2thpt"', '"bpp5gb3hpjcl"', r"\[components\] two components have the same id"),
        ('"https://azure.status.microsoft"', '"http://x"', r"\[providers.foundry\] `status` must be an https address"),
        ("[surfaces.phone]", "[surfaces.phone", "at line"),
    ],
)
def test_a_mistake_is_told_with_its_file_and_line(old: str, new: str, message: str) -> None:
    assert TEXT.count(old) == 1
    line = TEXT[: TEXT.index(old)].count("\n") + 1
    with pytest.raises(ContentError, match=message) as caught:
        parse_services(TEXT.replace(old, new), "claude.toml")
    assert str(caught.value).startswith("claude.toml:")
    # A wrong value is pointed at by the head of its table, which is a few lines above at most.
    assert line - 8 <= caught.value.line <= line
