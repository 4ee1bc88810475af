"""Waiting says what it waited for."""

from __future__ import annotations

import asyncio

import pytest

from tests.machine import until


async def test_who_waits_in_vain_says_for_what() -> None:
    with pytest.raises(AssertionError, match="in vain for 0 s: a reply"):
        await until(lambda: False, "a reply", within=0.01)


async def test_what_hangs_while_it_is_asked_is_left() -> None:
    async def hangs() -> bool:
        await asyncio.Event().wait()
        return True

    with pytest.raises(AssertionError, match="hangs"):
        await until(hangs, within=0.01)


async def test_a_timeout_of_what_is_asked_is_its_own() -> None:
    async def late() -> bool:
        raise TimeoutError("late")

    with pytest.raises(TimeoutError, match="late"):
        await until(late)
