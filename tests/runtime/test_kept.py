"""Content that was read before: the same as read anew, and not used where anything is not as it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import bot.core
from bot.core.errors import ContentError, RedialError
from bot.core.event import Origin
from bot.core.recogniser.weights import Weights
from bot.runtime.content import Content
from bot.runtime.kept import code
from bot.runtime.loading import load
from bot.runtime.packing import pack, unpack
from bot.runtime.reading import read

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable names the cache folder")

NOTHING = Weights()
GUIDE = (
    "---\ntitle: {title}\nreviewed: 2026-12-24\n---\nAsk.\n\n## Ours? {{#ours}}\n- [Yes](outcomes.md#left){{#yes}}\n"
)


@dataclass
class Place:
    """A company's folder, and the cache that its content is kept in."""

    ours: Path
    cache: Path

    def title(self, title: str) -> None:
        (self.ours / "guides" / "en" / "ours.md").write_text(GUIDE.format(title=title), "utf-8")

    def load(self) -> tuple[str, bool]:
        """Load; say what the guide is called, and whether it was read anew, which writes a new file."""
        before = self.files()
        content = load([self.ours])
        return content.library.guide("ours").title, self.files() != before

    def files(self) -> set[tuple[str, int]]:
        return {(path.name, path.stat().st_ino) for path in self.cache.glob("*")}

    @property
    def file(self) -> Path:
        (path,) = self.cache.glob("*.bin")
        return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "ours" / "guides" / "en").mkdir(parents=True)
    found = Place(tmp_path / "ours", tmp_path / "cache" / "redial")
    found.title("Ours")
    return found


def parts(content: Content) -> object:
    library = content.library
    kept = (library.guides, library.facts, library.outcomes, library.services, library.only_ways)
    products, weights = replace(content.products, weights=NOTHING), content.products.weights.as_known()
    return kept, library.messages.as_known(), products, weights, content.files, content.problems


def test_it_is_the_same_as_read_anew(place: Place) -> None:
    assert place.load() == ("Ours", True)
    assert place.load() == ("Ours", False)
    assert parts(load([place.ours])) == parts(read([place.ours]))


def test_whoever_can_write_the_file_can_make_nothing_run_and_others_cannot_write_it(place: Place) -> None:
    place.load()
    assert place.cache.stat().st_mode & 0o077 == 0
    with pytest.raises(ValueError, match="no Content"):
        unpack(b"cos\nsystem\n(S'true'\ntR.", Content)
    with pytest.raises(TypeError, match="Origin"):
        pack(Origin("slack", "T", "C", "U"))


def test_a_changed_file_is_read_again(place: Place) -> None:
    place.load()
    place.title("Changed")
    assert place.load() == ("Changed", True)
    assert place.load() == ("Changed", False)
    assert len(place.files()) == 1, "it takes the place of the old one"


def test_one_more_file_is_seen(place: Place) -> None:
    place.load()
    (place.ours / "messages").mkdir()
    (place.ours / "messages" / "en.toml").write_text('[control]\nhuman = "The desk"\n', "utf-8")
    assert place.load()[1]
    assert load([place.ours]).library.messages.text("control.human") == "The desk"


def test_every_file_of_the_code_that_reads_content_counts() -> None:
    core = Path(bot.core.__file__).parent
    known = {Path(name) for name, *_ in code()}
    assert known >= {core / "recogniser" / "weights.py", core / "guides" / "markdown.py"}
    assert known >= set(core.rglob("*.py"))


def test_a_problem_is_told_each_time_and_never_kept(place: Place) -> None:
    (place.ours / "guides" / "en" / "broken.md").write_text("no front matter", "utf-8")
    for _ in range(2):
        with pytest.raises(ContentError, match=r"broken\.md"):
            place.load()
    assert not place.files()


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[:40],
        lambda data: data[:-1],
        lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
        lambda data: data[:32] + os.urandom(len(data) - 32),
        lambda _: os.urandom(200),
    ],
)
def test_a_damaged_file_is_not_used(place: Place, damage: Callable[[bytes], bytes]) -> None:
    place.load()
    place.file.write_bytes(damage(place.file.read_bytes()))
    assert place.load() == ("Ours", True)
    assert place.load() == ("Ours", False)


@pytest.mark.parametrize(
    "data", [b"\x91\x00", b"\x91\xcc\xff", b"\x92\x07\x01", b"\xc1", b"\x01", b"\x91" * 5000 + b"\x00"]
)
def test_bytes_that_are_no_content_are_said_to_be_none(data: bytes) -> None:
    with pytest.raises(ValueError, match="no Content"):
        unpack(data, Content)


def test_a_folder_that_cannot_be_written_costs_time_and_nothing_else(place: Place) -> None:
    place.cache.parent.mkdir()
    place.cache.write_text("a file where the folder would be", "utf-8")
    assert load([place.ours]).library.guide("ours").title == "Ours"
    assert load([place.ours]).library.guide("ours").title == "Ours"


def test_a_folder_that_is_not_there_is_an_error_with_a_cache_too(place: Place) -> None:
    place.load()
    with pytest.raises(RedialError, match="not there"):
        load([place.ours / "elsewhere"])
