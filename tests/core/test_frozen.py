"""Frozen classes: as those of `dataclasses`, in everything that is used of them."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.core.changing import changed
from bot.core.frozen import frozen


def made(name: str, decorate: Callable[[type], type]) -> Any:  # noqa: ANN401 - a class the checker cannot know
    """Return a class with one of every kind of field."""

    class Kind:
        """One of every kind of field."""

        name: str
        many: tuple[str, ...] = ()
        facts: dict[str, str] = field(default_factory=dict)
        aside: int = field(default=0, compare=False, repr=False)
        seen: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
        fixed: int = field(default=7, init=False)

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("a name is needed")

    Kind.__name__ = Kind.__qualname__ = name
    return decorate(Kind)


Ours = made("Ours", frozen)
Theirs = made("Theirs", dataclass(frozen=True, slots=True))


@frozen
class Point:
    """Nothing but what can be hashed."""

    x: int
    y: int = 0


@frozen
class Single:
    """One field."""

    x: int


@frozen
class Bare:
    """No field."""


@frozen
class Loud:
    """It says itself how it is shown and compared."""

    x: int

    def __repr__(self) -> str:
        return "loud"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loud)

    def __hash__(self) -> int:
        return 1


KEPT = [Path(__file__).parents[2] / "bot" / "core" / "redaction" / "kinds.py"]
"""Its rules are compared by identity."""

ASKED: list[Callable[[Any], object]] = [
    lambda kind: repr(kind("a", ("b",), {"c": "d"}, 5)),
    lambda kind: repr(kind(name="a", aside=1)),
    lambda kind: kind("a") == kind("a", aside=9),
    lambda kind: kind("a") == kind("b"),
    lambda kind: kind("a") == "a",
    lambda kind: kind("a").facts is kind("a").facts,
    lambda kind: kind("a").seen is kind("a").seen,
    lambda kind: kind("a").fixed,
    lambda kind: [(one.name, one.init, one.repr, one.compare) for one in fields(kind)],
    lambda kind: kind.__slots__,
    lambda kind: kind.__match_args__,
    lambda kind: asdict(kind("a", aside=2)),
    lambda kind: repr(replace(kind("a", ("x",)), many=("y",))),
    is_dataclass,
    lambda kind: hasattr(kind("a"), "__dict__"),
    lambda kind: copy.deepcopy(kind("a", ("b",), {"c": "d"}, 5)) == kind("a", ("b",), {"c": "d"}, 5),
    lambda kind: copy.deepcopy(kind("a", aside=5)).aside,
    lambda kind: pickle.loads(pickle.dumps(kind("a", aside=5))).aside,  # noqa: S301 - bytes of this line's own
    lambda kind: msgspec.json.encode(kind("a", ("b",))),
    lambda kind: msgspec.convert({"name": "a", "many": ["b"]}, kind).many,
    lambda kind: (kind.__doc__ or "")[:3] and kind.__qualname__ in {"Ours", "Theirs"},
]


@pytest.mark.parametrize("ask", ASKED)
def test_it_answers_as_a_dataclass_does(ask: Callable[[Any], object]) -> None:
    ours, theirs = (ask(kind) for kind in (Ours, Theirs))
    assert str(ours).replace("Ours", "Theirs") == str(theirs)


@pytest.mark.parametrize("kind", [Ours, Theirs])
@pytest.mark.parametrize("wrong", [(), ("a", (), {}, 0, []), ("",)])
def test_what_a_dataclass_does_not_take_is_not_taken(kind: type, wrong: tuple[object, ...]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"__init__\(\)|name is needed"):
        kind(*wrong)


def test_there_is_one_way_to_make_a_class_frozen() -> None:
    root = Path(__file__).parents[2]
    written = [path for folder in ("bot", "handlers") for path in (root / folder).rglob("*.py")]
    theirs = re.compile(r"^@dataclass\([^)]*frozen=True(?!.*order=)", re.MULTILINE)
    assert len(written) > 200
    assert [path for path in written if theirs.search(path.read_text("utf-8"))] == KEPT


def test_nothing_of_it_changes() -> None:
    point: Any = Point(1)
    with pytest.raises(FrozenInstanceError, match="'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="'x'"):
        del point.x
    with pytest.raises((FrozenInstanceError, AttributeError)):
        point.z = 2
    assert point == Point(1, 0)


def test_equal_ones_are_one_in_a_set_and_kinds_are_told_apart() -> None:
    assert {Point(1), Point(1, 0), Point(2)} == {Point(1), Point(2)}
    assert Single(1) == Single(1) != Single(2)
    assert {Single(1), Single(1)} == {Single(1)}
    assert Bare() == Bare()
    assert hash(Bare()) == hash(Bare())
    other: object = Point(1)
    assert Single(1) != other, "of another kind"


def test_what_a_class_says_itself_stays() -> None:
    assert (repr(Loud(1)), hash(Loud(1)), Loud(1) == Loud(2)) == ("loud", 1, True)


def test_a_copy_with_other_values_is_as_frozen() -> None:
    moved: Any = changed(Point(1, 2), y=3)
    assert moved == Point(1, 3)
    with pytest.raises(FrozenInstanceError):
        moved.y = 4


def test_patterns_take_it_apart() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
