"""Settings that cannot be used, said so that they can be put right: name, where it stands, what would do; no value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

PREFIX = "REDIAL_"
"""What the variables of settings begin with."""

_ALIKE = 0.84
"""How much a wrong name resembles the right one, at least: two letters may differ in a short word."""

_WANTED = {
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "path_type": "must be text",
    "tuple_type": "must be a list, in square brackets",
    "model_type": "is a table of settings, not one of them",
    "missing": "is needed",
}
"""What each kind of pydantic's complaints means to somebody who writes settings."""


def sentence(errors: Sequence[ErrorDetails], model: type[BaseModel], variables: Mapping[str, str], file: str) -> str:
    """Return what is wrong with one setting of `model`, which was read from `variables` and `file`."""
    # A wrong name first: it is why the right one is missing.
    error = min(errors, key=lambda error: error["type"] != "extra_forbidden")
    path = [str(part) for part in error["loc"]]
    where = _variable(path, variables)
    name = where or f"{file}: {_place(path)}"
    if error["type"] == "extra_forbidden":
        meant = _meant(_plain(path), model, variable=bool(where))
        return f"{name} is no setting{meant or '; `redial init` writes a file that names all'}"
    wanted = _WANTED.get(error["type"], error["msg"].removeprefix("Value error, "))
    return f"{name} {wanted.format(**error.get('ctx', {}))}"


def misspelt(model: type[BaseModel], variables: Mapping[str, str]) -> str:
    """Return what is wrong with a variable that looks like one of ours and is none; empty if there is none.

    Others that begin alike are left alone: an orchestrator or a test may have set them.
    """
    known = {variable for _, variable in _names(model)} | {f"{PREFIX}CONFIG"}
    for name in sorted(variables):
        bare = name.upper().removeprefix(PREFIX)
        group = bare.partition("__")[0] if "__" in bare else ""
        theirs = variables[name].startswith(("tcp://", "udp://"))  # Kubernetes' and Docker's links to a service
        if bare == name.upper() or name.upper() in known or f"{PREFIX}{group}" in known or theirs:
            continue
        if meant := _meant([bare], model, variable=True):
            return f"{name} is no setting{meant}"
    return ""


def _place(path: Sequence[str]) -> str:
    """Return the name of a setting in the file; of one in a list of tables, with the number people would count."""
    for at, part in enumerate(path):
        if part.isdecimal():
            rest = f"`{'.'.join(path[at + 1 :])}` of " if path[at + 1 :] else ""
            return f"{rest}`{'.'.join(path[:at])}` number {int(part) + 1}"
    return f"`{'.'.join(path)}`"


def _variable(path: Sequence[str], variables: Mapping[str, str]) -> str:
    """Return the variable a setting was read from; empty if it was not."""
    names = {name.upper(): name for name, value in variables.items() if value}
    parts = [part.upper() for part in path]
    for end in range(len(parts), 0, -1):
        for name in (PREFIX + "__".join(parts[:end]), "__".join(parts[:end])):
            if name in names:
                return names[name]
    return ""


def _meant(path: Sequence[str], model: type[BaseModel], *, variable: bool) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - nobody needs it whose settings are right

    names = {"_".join(_plain(dotted.split("."))): (dotted, name) for dotted, name in _names(model)}
    wrong = "_".join(path).casefold().replace("__", "_")
    for near in get_close_matches(wrong, names, n=1, cutoff=_ALIKE):
        dotted, name = names[near]
        return f"; is {name if variable or dotted == name else f'`{dotted}`'} meant?"
    return ""


def _names(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield each setting as the file and as the environment name it, groups and the tables of lists too."""
    for field, info in model.model_fields.items():
        if info.validation_alias:
            alias = str(info.validation_alias)
            yield from ((alias, alias), (f"{alias}_FILE", f"{alias}_FILE"))
            continue
        dotted = f"{above}{field}"
        yield dotted, PREFIX + dotted.upper().replace(".", "__")
        for kind in (info.annotation, *get_args(info.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _names(kind, f"{dotted}.")


def _plain(path: Sequence[str]) -> list[str]:
    """Return a path in small letters, without the numbers of a list."""
    return [part.casefold() for part in path if not part.isdecimal()]
