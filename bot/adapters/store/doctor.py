"""What `redial doctor` asks the store: does it answer and write, is it new enough, will it keep what it is given."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from bot.adapters.store.clients import open_server
from bot.adapters.store.keys import keys_of
from bot.adapters.store.pages import RedisPages
from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.server import Server
from bot.core.errors import SettingsError, StoreError
from bot.core.event import Origin
from bot.core.status.subscription import Place
from bot.ports.finding import Finding

OLDEST = (7, 0)
"""The version of Redis whose commands are used."""
_SLOW = 0.05
"""Seconds for an answer from which on people would notice."""
_APART, _FAR = 5.0, 60.0
"""Seconds between this machine's clock and the store's that are told of, and that break things."""
_FULL = 0.8
_REACH = "start that server, or correct REDIS_URL or `data_dir`"
_PROBE = Origin("@process", "doctor", "", "")

Info = Mapping[str, object]


async def examine(url: str | None, data_dir: Path, pages: Sequence[str]) -> tuple[list[Finding], list[Place]]:
    """Look at the store; never raises. Also return the channels that hear of `pages`, as it knows them."""
    try:
        server = await open_server(url, data_dir)
    except (StoreError, SettingsError) as error:
        return [Finding("store", "fail", str(error), _REACH)], []
    try:
        whose = f"{server.where}" if url else f"Redial's own in {data_dir}"
        found = [await _answers(server, whose)]
        found += [*_judged(await _info(server))] if url else []
        found.append(await _clock(server))
        store = RedisPages(server)
        places = [one.place for page in pages for one in await store.subscriptions(page)]
    except StoreError as error:
        return [Finding("store", "fail", str(error), _REACH)], []
    finally:
        await server.close()
    return found, places


async def _answers(server: Server, whose: str) -> Finding:
    """Write and read, and take the time."""
    known = len(await RedisConversations(server).workspaces())
    began = time.perf_counter()
    await server.command("SET", keys_of(_PROBE).claim(secrets.token_hex(8)), "doctor", "EX", 1)
    took = time.perf_counter() - began
    says = f"{whose}, answers in {took * 1000:.1f} ms, workspaces: {known}"
    do = "" if took < _SLOW else "run Redis nearer to this machine: every answer waits for it once"
    return Finding("store", "warn" if do else "ok", says, do)


async def _info(server: Server) -> Sequence[Info]:
    """Return what each node says of itself; nothing where it may not be asked."""
    try:
        answer = cast("dict[str, object]", await server.command("INFO"))
    except StoreError:
        return ()
    nodes = [one for one in answer.values() if isinstance(one, dict) and "redis_version" in one]
    return nodes or [answer]


def _judged(infos: Sequence[Info]) -> Iterator[Finding]:
    if not infos:
        says = "this user may not ask (INFO): version, persistence and eviction are not known"
        yield Finding(
            "store settings", "warn", says, "allow INFO to the user, or look yourself: deploy/README.md says what"
        )
        return
    for kind in (_version, _role, _persistence, _memory):
        findings = [kind(info) for info in infos]
        # Of several nodes the worst speaks.
        yield max(findings, key=lambda one: ("ok", "warn", "fail").index(one.health))


def _version(info: Info) -> Finding:
    version = str(info.get("redis_version", "0"))
    name = "Valkey" if "valkey_version" in info else "Redis"
    shown = str(info.get("valkey_version", version))
    parts = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    do = "" if parts >= OLDEST else f"Redis {OLDEST[0]}.{OLDEST[1]} or newer, or Valkey"
    return Finding("store version", "fail" if do else "ok", f"{name} {shown}", do)


def _role(info: Info) -> Finding:
    if info.get("role") == "master":
        return Finding("store role", "ok", f"primary, replicas: {info.get('connected_slaves', 0)}")
    return Finding("store role", "fail", "a read-only replica", "name the primary, or its sentinels, in REDIS_URL")


def _persistence(info: Info) -> Finding:
    bad = [name for name in ("rdb_last_bgsave_status", "aof_last_write_status") if info.get(name, "ok") != "ok"]
    if bad:
        says = f"writing to disk fails ({', '.join(bad)})"
        return Finding(
            "store persistence", "fail", says, "look at the server's log and its disk: it may refuse writes soon"
        )
    if info.get("aof_enabled"):
        return Finding("store persistence", "ok", "append-only file")
    if int(str(info.get("connected_slaves", 0))) > 0:
        return Finding("store persistence", "ok", "no append-only file, but a replica")
    do = "set `appendonly yes`: a restart loses what came since the last snapshot, or everything"
    return Finding("store persistence", "warn", "no append-only file and no replica", do)


def _memory(info: Info) -> Finding:
    used, most = int(str(info.get("used_memory", 0))), int(str(info.get("maxmemory", 0)))
    policy = str(info.get("maxmemory_policy", "noeviction"))
    says = f"{used / 1e6:.0f} MB used, {f'of {most / 1e6:.0f}' if most else 'no limit'}, {policy}"
    if most and policy != "noeviction":
        do = "set `maxmemory-policy noeviction`: this one throws conversations away when memory runs out"
        return Finding("store memory", "fail", says, do)
    if most and used > _FULL * most:
        return Finding("store memory", "warn", says, "give it more memory: a full store refuses writes")
    return Finding("store memory", "ok", says)


async def _clock(server: Server) -> Finding:
    before = time.time()
    seconds, micros = (int(part) for part in cast("Sequence[int]", await server.command("TIME")))
    apart = seconds + micros / 1e6 - (before + time.time()) / 2
    says = f"{abs(apart):.1f} s {'behind' if apart > 0 else 'ahead of'} the store's"
    if abs(apart) < _APART:
        return Finding("clock", "ok", says)
    do = "let NTP set both clocks: ages are wrong, and Slack's requests are refused from five minutes on"
    return Finding("clock", "fail" if abs(apart) > _FAR else "warn", says, do)
