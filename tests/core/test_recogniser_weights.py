"""The table of weights: what counts as a hint, that packed sums are sums, and words of a company's own guide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.errors import ContentError
from bot.core.guides.guide import Guide
from bot.core.recogniser.engine import Decision, Recogniser, parse_products
from bot.core.recogniser.names import Names, asks
from bot.core.recogniser.weights import Weights, beginnings, hints, weighed
from bot.runtime.reading import read


def test_words_and_pairs_are_hints() -> None:
    assert hints(["it", "hung", "connecting"]) == {"it", "hung", "connecting", "it hung", "hung connecting"}


def test_the_beginnings_of_longer_words_are_hints() -> None:
    assert sorted(beginnings(["it", "hung", "connecting"])) == ["con*", "conn*", "connec*", "hun*"]


def test_a_beginning_counts_for_every_word_that_has_it_but_not_for_a_word_said_twice() -> None:
    assert sorted(beginnings(["hung", "hungry", "hung"])) == ["hun*", "hun*", "hung*"]


def test_east_asian_text_is_weighed_by_one_and_two_characters() -> None:
    assert {"连", "不", "上", "连不", "不上"} <= hints(["claude", "连不上"])


def test_what_is_weighed_of_a_long_text_is_bounded() -> None:
    said = weighed([f"word{n}" for n in range(9_000)])
    assert len(said) == 150
    assert {"word0", "word8999"} <= set(said)


@pytest.fixture
def names() -> Names:
    words = '[words]\nclaude = ["claude", "クロード", "claude_code", "cla*"]\n'
    return Names(
        parse_products({"products/x.toml": f'{words}[[product]]\nname = "Zork"\nnames = ["zork", "a_zork"]\n'})
    )


def test_what_stands_near_a_name_is_a_hint(names: Names) -> None:
    near = set(names.near(["my", "old", "zork", "is", "down", "but", "claude", "works"]))
    assert near == {"my>o", "old>o", "o>is", "o>down", "o>but", "is>c", "down>c", "but>c", "c>works"}


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        ("claude: it stopped", "claude"),
        ("the old zork: it stopped", "another"),
        ("printer: it stopped", "something"),
        ("it stopped\nzork: yes", ""),
        ("a line that is far too long to be the name of anything: it stopped", ""),
        ("", ""),
    ],
)
def test_a_text_may_begin_with_whose_trouble_it_is(names: Names, text: str, whose: str) -> None:
    assert names.begins(text) == whose


@pytest.mark.parametrize(
    ("text", "how"),
    [("is it down? I can wait", "holds a question"), ("is it down?\n", "ends in a question"), ("down", "")],
)
def test_questions_are_seen(text: str, how: str) -> None:
    assert asks(text) == how


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True), st.integers(-511, 511), st.integers(-511, 511)
)
def test_a_packed_sum_is_a_sum(said: list[str], one: int, two: int) -> None:
    table = Weights.of({"a": f"x {one}, y {two}", "b": f"y {one}", "c": f"z {two}"})
    [(sums, known)] = table._unpacked(table._sum(said), 1)  # noqa: SLF001 - the packing is what is tested
    assert known == len(said)
    expected = {"x": one * ("a" in said), "y": two * ("a" in said) + one * ("b" in said), "z": two * ("c" in said)}
    assert dict(zip(table.guides, sums, strict=True)) == expected


def test_shares_are_shares() -> None:
    shares = Weights.of({"hung": "timeout 40, none -10", "paid": "usage-limit 40"}).shares(["hung"], (), ())
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=lambda guide: shares[guide]) == "timeout"


def test_words_beginnings_what_is_near_and_marks_are_added_each_to_its_own_kind() -> None:
    table = Weights.of({"hung": "a 30", "hung up": "a 10", "hun*": "b 40", "c>hung": "a 20", "=x": "b 160"})
    kinds = table._kinds(["hung", "up", "hunt"], {"c>hung"}, {"=x"})  # noqa: SLF001 - as above
    assert list(kinds) == [([40, 0], 2), ([0, 80], 2), ([20, 0], 1), ([0, 160], 1)]


def test_no_table_says_nothing() -> None:
    assert Weights().shares(["hung"], (), ()) == {}


def test_words_of_a_companys_own_guide_stand_in_a_file_of_its_own() -> None:
    zork = Guide("zork-is-down", "Zork", (), ())
    own = parse_products({"products/ours.toml": '[weights]\n"zork" = "zork-is-down 300"\n"=" = "none 1, ask 1"\n'})
    found = Recogniser([zork], own).recognise("zork has an error")
    assert found.candidates[0].guide == "zork-is-down"


def test_every_guide_with_weights_is_there_and_every_guide_has_weights() -> None:
    content = read()
    known = content.products.weights.guides
    assert set(known) == {*content.library.guides, Decision.NONE, Decision.ASK}


@pytest.mark.parametrize("row", ['"timeout"', '"timeout many"', "12", '"timeout 12 none 3"'])
def test_a_row_that_cannot_be_read_is_refused_with_its_file(row: str) -> None:
    with pytest.raises(ContentError, match=r"products/ours\.toml:1: the weights of `zork`"):
        parse_products({"products/ours.toml": f'[weights]\n"zork" = {row}\n'})
