"""Where Redial is installed: the one workspace of a token, or many, whose tokens are kept encrypted."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

import msgspec
import structlog
from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from bot.adapters.slack.api import Workspace
from bot.core.errors import SettingsError
from bot.ports.vault import Vault

_log = structlog.get_logger(__name__)

_KNOWN = 2000
"""Workspaces whose tokens are remembered."""
_UNINSTALLED = frozenset({"app_uninstalled", "tokens_revoked"})


class Single:
    """The one workspace of a bot token."""

    def __init__(self, token: str) -> None:
        """Take the token; who and where it is, `auth.test` tells."""
        self.one: Workspace | None = Workspace("", token)
        self._ended = asyncio.Event()
        self._why = ""

    async def find(self, workspace: str) -> Workspace | None:
        """Return the workspace, or None once its token is of no more use."""
        return self.one if self.one and workspace in {"", self.one.id} else None

    @property
    def over(self) -> bool:
        """Say whether the one token is of no more use."""
        return self.one is None

    async def named(self, team: str, enterprise: str) -> Workspace | None:  # noqa: ARG002 - as `Many` has it
        """Return the workspace, whatever a payload calls it: one of a shared channel may name another."""
        return self.one

    async def gone(self, workspace: str, why: str) -> None:
        """Stop: nothing more is asked of Slack, and the operator is told."""
        if self.one is not None:
            self._why = f"Slack says {why}: install the app again and set its new SLACK_BOT_TOKEN"
            self.one = None
            self._ended.set()
            _log.error("workspace stopped", platform="slack", workspace=workspace, reason=why)

    async def ended(self) -> str:
        """Wait until the token is of no more use; return why."""
        await self._ended.wait()
        return self._why


class Many:
    """Every workspace, and organisation, that went through the install page."""

    def __init__(self, vault: Vault, keys: str) -> None:
        """Take where records are kept, and the keys (commas between them): the first seals, all open."""
        self._vault, self._seal = vault, seal(keys)
        self._known: OrderedDict[str, Workspace] = OrderedDict()

    async def find(self, workspace: str) -> Workspace | None:
        """Return a workspace; one this process has not met is looked for in the store."""
        if known := self._known.get(workspace):
            self._known.move_to_end(workspace)
            return known
        found = await self._read(workspace)
        if found and found.of:
            # Installed for a whole organisation: its token serves, and the workspace keeps its own id.
            whole = await self._read(found.of)
            found = msgspec.structs.replace(whole, id=workspace) if whole else None
        return self._noted(workspace, found) if found else None

    @property
    def over(self) -> bool:
        """Say no: others may still come."""
        return False

    async def named(self, team: str, enterprise: str) -> Workspace | None:
        """Return the workspace of a payload; the first one of an organisation's is noted for all replicas."""
        if found := await self.find(team):
            return found
        whole = await self._read(enterprise) if enterprise and team else None
        if whole is None:
            return None
        await self._write(team, _Record(team, of=enterprise))
        return await self.find(team)

    async def save(self, workspace: Workspace) -> None:
        """Keep what an installation gave, in place of an older one."""
        self._known.clear()
        record = _Record(workspace.id, workspace.token, workspace.me, workspace.bot, workspace.name, workspace.url)
        await self._write(workspace.id, record)

    async def gone(self, workspace: str, why: str) -> None:
        """Stop serving a workspace; what was kept of it is deleted when the app was uninstalled."""
        self._known.pop(workspace, None)
        _log.error("workspace stopped", platform="slack", workspace=workspace, reason=why)
        if why in _UNINSTALLED:
            found = await self._read(workspace)
            for name in (workspace, found.of if found else ""):
                if name:
                    await self._vault.delete(f"slack {name}")
            self._known.clear()

    async def ended(self) -> str:
        """Wait for ever: one workspace less is no reason to end."""
        await asyncio.Event().wait()
        return ""

    def _noted(self, name: str, record: _Record) -> Workspace:
        known = Workspace(record.id, record.token, record.me, record.bot, record.name, record.url)
        self._known[name] = known
        if len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        return known

    async def _read(self, name: str) -> _Record | None:
        sealed = await self._vault.get(f"slack {name}") if name else None
        if sealed is None:
            return None
        try:
            return msgspec.json.decode(self._seal.decrypt(sealed), type=_Record)
        except (InvalidToken, msgspec.DecodeError):
            _log.error("installation cannot be opened", platform="slack", workspace=name, do="check SLACK_TOKEN_KEYS")
            return None

    async def _write(self, name: str, record: _Record) -> None:
        await self._vault.put(f"slack {name}", self._seal.encrypt(msgspec.json.encode(record)))


class _Record(msgspec.Struct, frozen=True):
    """An installation as it is kept. of: the organisation whose token a workspace shares."""

    id: str
    token: str = ""
    me: str = ""
    bot: str = ""
    name: str = ""
    url: str = ""
    of: str = ""


def seal(keys: str) -> MultiFernet:
    """Return what encrypts with the first key and opens with all; raises `SettingsError`."""
    try:
        return MultiFernet([Fernet(key.strip()) for key in keys.split(",") if key.strip()])
    except ValueError:
        made = Fernet.generate_key().decode()
        raise SettingsError(f"SLACK_TOKEN_KEYS is not a key (or several, with commas); a new one is {made}") from None
