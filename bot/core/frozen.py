"""`@frozen`: a dataclass that is frozen and has slots, made at a fifth of what `dataclasses` takes for one.

That writes and compiles six functions for each class, and a start makes more than a hundred classes. Here one is
compiled, `__init__`, which is quicker than theirs; the others are the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def frozen(kind: type[T]) -> type[T]:
    """Return the class as `dataclass(frozen=True, slots=True)` would; what it defines itself stays."""
    own = vars(kind).keys()
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(kind)
    writers = [getattr(made, one.name).__set__ for one in fields(made)]
    compared = _getter([one.name for one in fields(made) if one.compare])
    everything = _getter([one.name for one in fields(made)])

    def equal(self: object, other: object) -> bool:
        if other is self:
            return True
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(compared(self))

    def told(self: object) -> tuple[object, ...]:
        return everything(self)

    def restored(self: object, values: tuple[object, ...]) -> None:
        for write, value in zip(writers, values, strict=True):
            write(self, value)

    made.__init__ = _init(made)
    made.__setattr__ = made.__delattr__ = _refuse
    made.__getstate__, made.__setstate__ = told, restored
    for name, function in (("__repr__", _shown), ("__eq__", equal), ("__hash__", hashed)):
        if name not in own:
            setattr(made, name, function)
    return made  # type: ignore[no-any-return]


def _getter(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """Return what reads these attributes, always as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _init(kind: Any) -> Callable[..., None]:  # noqa: ANN401 - a dataclass
    known: dict[str, Any] = {"MISSING": MISSING}
    takes, lines = [], [" pass"]
    for one in fields(kind):
        name, value, default = one.name, one.name, ""
        known[f"write_{name}"] = getattr(kind, name).__set__
        if one.default_factory is not MISSING:
            known[f"make_{name}"] = one.default_factory
            value = f"make_{name}() if {name} is MISSING else {name}" if one.init else f"make_{name}()"
            default = "=MISSING"
        elif one.default is not MISSING:
            known[f"default_{name}"] = one.default
            default = f"=default_{name}"
            value = value if one.init else f"default_{name}"
        takes += [name + default] if one.init else []
        lines.append(f" write_{name}(self, {value})")
    if hasattr(kind, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(['self', *takes])}):\n" + "\n".join(lines), known)  # noqa: S102 - of names of fields alone
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


def _shown(self: Any) -> str:  # noqa: ANN401 - a dataclass
    values = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({values})"


def _refuse(self: object, name: str, *_: object) -> None:
    raise FrozenInstanceError(f"a {type(self).__name__} is frozen: {name!r} stays as it is")
