"""Content as bytes and back: data only, of the classes named here, so that reading a file can run nothing.

The steps of a guide stay bytes until one of them is asked for: of all guides, few are played soon after a start.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from bot.core import services, text
from bot.core.guides import guide, library
from bot.core.messages import Messages
from bot.core.recogniser import products
from bot.core.recogniser.weights import Weights

T = TypeVar("T")

_CLASSES: tuple[type[Any], ...] = (
    guide.Choice, guide.Condition, guide.Guide, guide.Onward, guide.Outcome, guide.Question, guide.Sign, guide.Step,
    guide.ToOutcome, guide.ToStep, guide.Variant, library.Library, services.Page, services.Provider, services.Services,
    services.Surface, products.Clue, products.Language, products.Other, products.Output,
    products.Products, products.Section, text.Bullets, text.Code, text.Evidence, text.Heading,
    text.Note, text.Span, text.Steps, text.Text, text.Undo,
)  # fmt: skip


def _tuple(*items: object) -> object:
    return items


def _set(*items: object) -> object:
    return frozenset(items)


def _dict(*items: object) -> object:
    return dict(zip(items[::2], items[1::2], strict=True))


class _Later(Sequence[Any]):
    """A tuple that is unpacked when something of it is asked for."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    @cached_property
    def _made(self) -> tuple[Any, ...]:
        return unpack(self._packed, tuple)

    def as_known(self) -> tuple[bytes]:
        return (self._packed,)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401 - as of a tuple
        return self._made[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __eq__(self, other: object) -> bool:
        return self._made == (other._made if isinstance(other, _Later) else other)

    __hash__ = Sequence.__hash__


_KNOWN: dict[type[Any], Callable[..., object]] = {Messages: Messages.known, Weights: Weights, _Later: _Later}
_MAKERS: tuple[Callable[..., object], ...] = (_tuple, _set, _dict, *_KNOWN.values(), *_CLASSES)
_NUMBERS = {maker: number for number, maker in enumerate(_MAKERS)}
_PLAIN = {str, bytes, int, bool, float, type(None)}
_NAMES = {kind: [one.name for one in fields(kind) if one.init] for kind in _CLASSES if not issubclass(kind, Enum)}

SHAPE = repr([(kind.__name__, _NAMES.get(kind)) for kind in _CLASSES])
"""What must be the same when bytes are read as when they were written."""


def pack(thing: object) -> bytes:
    """Return the bytes of a thing; raises TypeError for a class that is not named here."""
    return msgspec.msgpack.encode(_taken_apart(thing))


def unpack(packed: bytes, kind: type[T]) -> T:
    """Return the thing of these bytes; raises ValueError for bytes that are none of its kind."""
    try:
        with _unhurried():
            thing = _built(msgspec.msgpack.decode(packed))
    except (msgspec.DecodeError, TypeError, IndexError, RecursionError) as error:
        raise ValueError(f"these bytes are no {kind.__name__}") from error
    if not isinstance(thing, kind):
        raise ValueError(f"these bytes are no {kind.__name__}")  # noqa: TRY004 - the value is wrong, not the call
    return thing


def _taken_apart(thing: object) -> object:
    """Return plain data: whatever is made of parts becomes a list, the number of its maker first."""
    if type(thing) in _PLAIN:
        return thing
    if type(thing) is guide.Guide and type(thing.steps) is tuple:
        thing = replace(thing, steps=_Later(pack(thing.steps)))
    maker, parts = _parts(thing)
    return [_NUMBERS[maker], *map(_taken_apart, parts)]


def _parts(thing: object) -> tuple[Callable[..., object], Iterable[object]]:
    """Return what makes a thing, and of what."""
    kind = type(thing)
    match thing:
        case Enum() if kind in _NUMBERS:
            return kind, (thing.value,)
        case _ if kind in _NAMES:
            return kind, (getattr(thing, name) for name in _NAMES[kind])
        case tuple():
            return _tuple, thing
        case frozenset():
            return _set, sorted(thing)
        case Mapping():
            return _dict, (part for pair in thing.items() for part in pair)
        case Messages() | Weights() | _Later():
            return _KNOWN[kind], thing.as_known()
    raise TypeError(f"{kind.__name__} is not among the classes of content")


def _built(data: Any) -> object:  # noqa: ANN401 - plain data
    if type(data) is not list:
        return data
    return _MAKERS[data[0]](*[_built(part) if type(part) is list else part for part in data[1:]])


@contextmanager
def _unhurried() -> Iterator[None]:
    """Keep the collector from walking over thousands of new things that all stay."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
