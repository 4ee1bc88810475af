"""The table of weights: what counts as a hint, that packed sums are sums, and words of a company's own guide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.errors import ContentError
from bot.core.guides.guide import Guide
from bot.core.recogniser.engine import Decision, Recogniser, parse_products
from bot.core.recogniser.weights import Weights, hints
from bot.runtime.reading import read


def test_words_their_beginnings_and_pairs_are_hints() -> None:
    assert hints(" it hung connecting ") == {"it", "hung", "connecting", "it hung", "hung connecting", "conn*"}


def test_east_asian_text_is_weighed_by_one_and_two_characters() -> None:
    assert {"连", "不", "上", "连不", "不上"} <= hints(" claude 连不上 ")


def test_the_hints_of_a_long_text_are_bounded() -> None:
    assert len(hints(" ".join(f"word{n}" for n in range(9_000)))) < 500


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True), st.integers(-511, 511), st.integers(-511, 511)
)
def test_a_packed_sum_is_a_sum(said: list[str], one: int, two: int) -> None:
    table = Weights.of({"a": f"x {one}, y {two}", "b": f"y {one}", "c": f"z {two}"})
    sums, known = table._sums(said)  # noqa: SLF001 - the packing is what is tested
    assert known == len(said)
    expected = {"x": one * ("a" in said), "y": two * ("a" in said) + one * ("b" in said), "z": two * ("c" in said)}
    assert dict(zip(table.guides, sums, strict=True)) == expected


def test_shares_are_shares() -> None:
    shares = Weights.of({"hung": "timeout 40, none -10", "paid": "usage-limit 40"}).shares({"hung"}, ())
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=lambda guide: shares[guide]) == "timeout"


def test_no_table_says_nothing() -> None:
    assert Weights().shares({"hung"}, ()) == {}


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
