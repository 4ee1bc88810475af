"""Content from its folders: the built-in one and a company's, and what is told when something cannot be read."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.core.errors import ContentError, SettingsError
from bot.runtime.checking import check_content
from bot.runtime.content import Content
from bot.runtime.loading import load
from bot.runtime.reading import read
from content import ROOT
from tests.core.small import FOLDER
from tests.scenarios.playing import content as given


@dataclass(frozen=True, slots=True)
class Folder:
    """A company's content folder being written, laid over a built-in one."""

    root: Path
    built_in: Path

    def put(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def load(self, *over: Path) -> Content:
        return load([self.root, *over], built_in=self.built_in)

    def read(self, *under: Path) -> Content:
        return read([*under, self.root], built_in=self.built_in)

    def below(self) -> Content:
        return load(built_in=self.built_in)

    def problems(self) -> list[str]:
        return [str(problem).removeprefix(f"{self.root}/") for problem in self.read().problems]

    def says(self, key: str) -> str:
        return self.load().library.messages.text(key)

    def check(self, released: Path | None = None, *, list_ids: bool = False, as_json: bool = False) -> int:
        return check_content([self.root], released, list_ids=list_ids, as_json=as_json, built_in=self.built_in)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guides of the fixtures as the built-in ones: the same code reads them in a tenth of the time."""
    root = tmp_path_factory.mktemp("built-in")
    shutil.copytree(FOLDER, root, dirs_exist_ok=True)
    shutil.copytree(ROOT / "messages", root / "messages")
    shutil.copy(ROOT / "products" / "claude.toml", root / "products")
    (root / "links.txt").write_text("# ours\nclaude.com\n")
    return root


@pytest.fixture
def ours(tmp_path: Path, small: Path) -> Folder:
    return Folder(tmp_path, small)


GUIDE = (
    "---\ntitle: Ours\nreviewed: 2026-12-24\n---\nAsk the desk.\n\n## Ours? {#ours}\n- [Yes](outcomes.md#left){#yes}\n"
)


def test_an_empty_folder_changes_nothing(ours: Folder) -> None:
    content = ours.load()
    assert content.library.guides.keys() == ours.below().library.guides.keys()
    assert content.files == ours.below().files


def test_a_guide_is_added_and_recognised(ours: Folder) -> None:
    signed = GUIDE.replace("reviewed", 'signs: ["Desk proxy says no"]\nreviewed')
    ours.put("guides/en/desk.md", signed)
    content = ours.load()
    assert content.library.guide("desk").title == "Ours"
    assert content.recogniser().recognise("claude: Desk proxy says no").guide == "desk"


def test_later_folders_lie_over_earlier_ones(ours: Folder, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = Folder(tmp_path_factory.mktemp("other"), ours.built_in)
    ours.put("guides/en/desk.md", GUIDE)
    other.put("guides/en/desk.md", "---\nmerge: true\ntitle: Theirs\n---\n")
    assert ours.load(other.root).library.guide("desk").title == "Theirs"
    assert ours.read(other.root).problems


def test_files_saved_by_windows_editors_are_read(ours: Folder) -> None:
    ours.put("guides/en/desk.md", b"\xef\xbb\xbf" + GUIDE.replace("\n", "\r\n").encode())
    ours.put("messages/en.toml", b'\xef\xbb\xbf[control]\r\nhuman = "Call the desk"\r\n')
    assert ours.says("control.human") == "Call the desk"


def test_single_sentences_are_replaced(ours: Folder) -> None:
    ours.put("messages/en.toml", '[control]\nhuman = "Call the desk"\n[time.days]\nother = "{n} sleeps"\n')
    say = ours.load().library.messages
    assert say.text("control.human") == "Call the desk"
    assert say.text("control.back") == ours.below().library.messages.text("control.back")
    assert [say.text("time.days", n=n) for n in (1, 2)] == ["1 day", "2 sleeps"]


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ('[control]\nhumam = "x"\n', "messages/en.toml:2: Redial says no `control.humam` [message]"),
        ('[which]\nlead = "a {guide}"\n', "messages/en.toml:2: `which.lead` has no field {guide}; it has none"),
        ('[time]\nhours = "{h}"\n', "messages/en.toml:2: `time.hours` has no field {h}; it has {hours}, {minutes}"),
        ('[says]\nback = "back"\n', "messages/en.toml:2: `says.back` is a list of texts [message]"),
        ('[which]\nlead = ["a"]\n', "messages/en.toml:2: `which.lead` is one text [message]"),
        ('[which]\nlead = {a = "b"}\n', "messages/en.toml:1: Redial says no `which.lead.a`"),
        ("[which]\nlead = 7\n", "messages/en.toml:1: `which.lead` is neither a text nor a list of texts [format]"),
        ('control.humam = "x"\n', "messages/en.toml:1: Redial says no `control.humam` [message]"),
        ('[which]\nlead = "a\n', "messages/en.toml:2: Illegal character"),
        ("[which", "messages/en.toml:1: "),
    ],
)
def test_a_sentence_that_cannot_be_said_is_told_and_left_out(ours: Folder, toml: str, told: str) -> None:
    ours.put("messages/en.toml", toml)
    assert any(one.startswith(told) for one in ours.problems()), ours.problems()
    assert ours.read().library.messages.text("which.lead") == ours.below().library.messages.text("which.lead")


def test_all_that_is_wrong_is_told_in_one_go(ours: Folder) -> None:
    ours.put("guides/en/a.md", "no front matter")
    ours.put("guides/en/b.md", b"\xff\xfe\x00")
    ours.put("guides/en/c.md", GUIDE.replace("{#ours}", ""))
    ours.put("messages/en.toml", '[control]\nhumam = "x"\n')
    told = ours.problems()
    assert {one.partition(":")[0] for one in told} == {
        "guides/en/a.md", "guides/en/b.md", "guides/en/c.md", "messages/en.toml",
    }  # fmt: skip
    assert any(one.startswith("guides/en/b.md:1: cannot be read as UTF-8 text") for one in told)


def test_a_folder_in_the_place_of_a_guide_is_told(ours: Folder) -> None:
    (ours.root / "guides" / "en" / "desk.md").mkdir(parents=True)
    assert ours.problems()[0].startswith("guides/en/desk.md:1: cannot be read as UTF-8 text: ")


def test_a_link_to_nowhere_in_the_place_of_a_guide_is_told(ours: Folder) -> None:
    folder = ours.root / "guides" / "en"
    folder.mkdir(parents=True)
    (folder / "desk.md").symlink_to(ours.root / "gone.md")
    assert ours.problems()[0].startswith("guides/en/desk.md:1: cannot be read")


def test_working_with_bad_content_is_refused_with_the_first_mistake(ours: Folder) -> None:
    ours.put("guides/en/desk.md", GUIDE.replace("{#ours}", "").replace("title", "titel"))
    with pytest.raises(ContentError, match=r"desk.md:2: front matter knows no `titel`"):
        ours.load()


def test_a_folder_that_is_not_there_is_told(ours: Folder, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"content folder .*/gone is not there \(setting `content_dirs`\)"):
        ours.load(tmp_path / "gone")


def test_a_folder_the_disk_refuses_is_told() -> None:
    for reading in (read, load):
        with pytest.raises(SettingsError, match="content cannot be read: File name too long: /xxx"):
            reading((Path("/" + "x" * 300),))


def test_a_folder_of_another_shape_is_refused(ours: Folder) -> None:
    ours.put("desk.md", GUIDE)
    with pytest.raises(SettingsError, match=r"holds none of guides/, messages/, products/"):
        ours.load()
    ours.put("guides/desk.md", GUIDE)
    with pytest.raises(SettingsError, match=r"guides/desk.md is not read: guides stand in a folder of their language"):
        ours.load()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("See [our page](https://wiki.example.com/x).", 8),
        ("See https://wiki.example.com/x", 8),
        ("See [it](https://claude.com.evil.example/x).", 8),
        ("See [it](https://notclaude.com/x).", 8),
        ("See [it](https://claude.com@evil.example/x).", 8),
        ("See [it](https://CODE.claude.com/x) and `https://proxy.example.com`.", 0),
    ],
)
def test_links_lead_only_where_a_list_says(ours: Folder, words: str, line: int) -> None:
    guide = (FOLDER / "guides" / "en" / "limit.md").read_text()
    head, rest = guide.split("\n---\n", 1)
    ours.put("guides/en/limit.md", f"{head}\n---\n{words}\n{rest}")
    found = [problem for problem in ours.problems() if problem.endswith("[link]")]
    assert bool(found) is bool(line), found
    if found:
        assert "lists, and not to" in found[0]
        ours.put("links.txt", "example.com\nevil.example\nnotclaude.com\nclaude.com@evil.example\n")
        assert not [problem for problem in ours.problems() if problem.endswith("[link]")], "a company adds its own"


def test_facts_can_be_added_to(ours: Folder) -> None:
    ours.put("guides/en/facts.md", "---\nmerge: true\n---\n## - {#surface add}\n- [Kiosk](#){#kiosk surface=kiosk}\n")
    ours.put("guides/en/desk.md", GUIDE.replace("reviewed", "surfaces: [kiosk]\nreviewed"))
    assert ours.problems() == []
    assert ours.load().library.question("surface").choice("kiosk")


def test_what_other_products_say_can_be_added_to(ours: Folder) -> None:
    ours.put("products/ours.toml", '[[product]]\nname = "Deskbot"\nnames = ["deskbot"]\n')
    found = ours.load().recogniser().recognise("my deskbot lost its connection")
    assert found.product == "Deskbot"


def test_the_built_in_folder_is_complete() -> None:
    assert given().files == len(list((ROOT / "guides" / "en").glob("*.md")))
    assert given().files == len(given().library.guides) + 2


# --- redial check ----------------------------------------------------------------------------------------------


def test_check_prints_every_problem_with_its_place(ours: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    ours.put("guides/en/desk.md", GUIDE.replace("Ask the desk.\n", "").replace("#left", "#gone"))
    ours.put("messages/en.toml", '[control]\nhumam = "x"\n')
    assert ours.check() == 1
    out, err = capsys.readouterr()
    lines = [line.removeprefix(f"{ours.root}/") for line in out.splitlines()]
    assert [line.rpartition(" ")[2] for line in lines] == ["[summary]", "[unknown-target]", "[message]"]
    assert err.startswith("3 problems in ")


def test_check_of_content_that_cannot_be_put_together_is_one_problem(
    ours: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    ours.put("products/ours.toml", "[[product]\n")
    assert ours.check(as_json=True) == 1
    assert '"rule":"format"' in capsys.readouterr().out


def test_lists_of_ids_are_compared(ours: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    ours.put("guides/en/desk.md", GUIDE)
    assert ours.check(list_ids=True) == 0
    released = ours.put("released.txt", capsys.readouterr().out)
    assert ours.check(released) == 0
    ours.put("guides/en/desk.md", GUIDE.replace("{#ours}", "{#other}"))
    assert ours.check(released) == 1
    assert "`desk#ours` was released and is gone" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["gone.txt", "."])
def test_a_list_of_ids_that_cannot_be_read_is_told(ours: Folder, name: str) -> None:
    with pytest.raises(SettingsError, match=r"is not there|cannot be read"):
        ours.check(ours.root / name)
