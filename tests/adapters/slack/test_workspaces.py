"""Several workspaces from one process: installed by their admins, their tokens encrypted, gone when they uninstall."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.fernet import Fernet

from bot.adapters.slack.api import Workspace
from bot.adapters.slack.connection import Access
from bot.adapters.slack.doctor import examine
from bot.adapters.slack.scopes import SCOPES
from bot.adapters.slack.workspaces import Many
from bot.adapters.store import open_vault
from bot.core.errors import SettingsError
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place
from bot.core.text import words
from bot.core.triage.placement import Where
from bot.core.view import View
from bot.ports.announcing import Delivered
from tests.adapters.slack.office import SECRET, Office, office, replica, seen
from tests.adapters.slack.web import BOT

# slack_sdk 3.48 still uses it, and only while somebody installs; aiohttp 3 keeps it.
pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")

KEY, OTHER = Fernet.generate_key().decode(), Fernet.generate_key().decode()
TEAM = "T000000001"
CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
APP = {"client_id": "1.2", "client_secret": "the-apps-secret", "token_keys": KEY, "bot_token": ""}


@pytest.fixture
async def at_work(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path / "data", **APP) as one:
        yield one


def given(at_work: Office, **more: object) -> None:
    at_work.slack.installation = {
        "access_token": BOT, "token_type": "bot", "scope": ",".join(SCOPES), "bot_user_id": at_work.me, "app_id": "A1",
        "team": {"id": TEAM, "name": "Support"}, "enterprise": None, "authed_user": {"id": "U1"},
        "is_enterprise_install": False, **more,
    }  # fmt: skip


async def install(at_work: Office, *, cookie: bool = True) -> int:
    """Press "Add to Slack" and Allow; returns the status of the last page."""
    base = at_work.running.url.removesuffix("/slack/events")
    async with at_work.slack.session.get(f"{base}/slack/install") as page:
        text, kept = await page.text(), page.headers["Set-Cookie"].partition(";")[0]
    (address,) = re.findall(r'href="(https://slack\.com/oauth[^"]*)"', text)
    asked = parse_qs(urlsplit(address.replace("&amp;", "&")).query)
    assert asked["scope"] == [",".join(SCOPES)]
    headers = {"Cookie": kept} if cookie else {}
    params = {"code": "c0de", "state": asked["state"][0]}
    async with at_work.slack.session.get(f"{base}/slack/oauth_redirect", params=params, headers=headers) as done:
        return done.status


async def mention(at_work: Office, user: str = "ann") -> list[str]:
    text = f"<@{at_work.me}> {CUT_OFF}"
    await at_work.wrote(user, text, channel=at_work.channels["triage"], kind="app_mention")
    return [seen(message).text for message in await at_work.ours()]


async def test_an_installed_workspace_is_served_and_an_uninstalled_one_forgotten(
    at_work: Office, tmp_path: Path
) -> None:
    assert await mention(at_work) == []
    given(at_work)
    assert await install(at_work) == 200
    assert "Don't repeat the request yet" in (await mention(at_work))[0]
    vault = await open_vault(None, tmp_path / "data")
    sealed = await vault.get(f"slack {TEAM}")
    assert sealed
    assert BOT.encode() not in sealed
    await at_work.happened({"type": "app_uninstalled"})
    assert await vault.get(f"slack {TEAM}") is None
    await vault.close()
    assert len(await mention(at_work, "bob")) == 1
    given(at_work)
    assert await install(at_work) == 200, "and it may come back"
    assert len(await mention(at_work, "bob")) == 2


async def test_an_organisation_is_installed_once_for_all_its_workspaces(at_work: Office, tmp_path: Path) -> None:
    whole = {"team": None, "enterprise": {"id": "E1", "name": "Corp"}, "is_enterprise_install": True}
    given(at_work, **whole)
    assert await install(at_work) == 200
    vault = await open_vault(None, tmp_path / "data")
    many = Many(vault, KEY)
    served = await many.named("T7", "E1")
    assert served
    assert (served.id, served.token, served.name) == ("T7", BOT, "Corp")
    elsewhere = await Many(vault, KEY).find("T7")
    assert elsewhere == served, "another replica's jobs find it too"
    assert await many.named("T8", "E2") is None
    await many.gone("T7", "app_uninstalled")
    assert await Many(vault, KEY).named("T7", "E1") is None
    await vault.close()


async def test_a_process_that_has_just_started_reaches_a_workspace_nobody_has_spoken_in(
    at_work: Office, tmp_path: Path
) -> None:
    given(at_work)
    assert await install(at_work) == 200
    async with replica(at_work.slack, at_work.channels, tmp_path / "data", **APP) as fresh:
        place = Place("slack", TEAM, at_work.channels["other"])
        notice = Notice(View(lead=words("Elevated errors")), Tone.MAJOR)
        assert isinstance(await fresh.running.channels.post(place, "key1", notice), Delivered)
        origin = fresh.origin("ann")
        assert (await fresh.running.chat.show(origin, View(lead=words("It's over")), Where.THREAD)).message
        assert "Don't repeat the request yet" in (await mention(fresh))[-1]


async def test_doctor_looks_at_the_channels_of_every_workspace(at_work: Office, tmp_path: Path) -> None:
    given(at_work)
    assert await install(at_work) == 200
    vault = await open_vault(None, tmp_path / "data")
    places = [Place("slack", team, at_work.channels["other"] if team == TEAM else f"C{team}") for team in (TEAM, "T9")]
    access = Access(**APP, signing_secret=SECRET, api_url=at_work.slack.api, port=0)  # type: ignore[arg-type]
    found = await examine(access, places, Many(vault, KEY))
    await vault.close()
    assert [one.health for one in found] == ["ok", "ok", "warn", "ok"]
    assert "no longer, installed in workspace T9" in found[2].says


async def test_memberships_are_learnt_when_a_workspace_is_met(at_work: Office) -> None:
    given(at_work)
    assert await install(at_work) == 200
    # The first command does not wait for what Slack says; it is answered all the same.
    await at_work.commanded("ann", CUT_OFF, at_work.channels["triage"])
    assert len(await at_work.ours(at_work.channels["triage"])) == 1
    async with asyncio.timeout(10):
        while "Invite me" not in str(at_work.slack.told[-1:]):
            await at_work.commanded("bob", "subscribe everything", "C0ELSEWHERE")
    assert [call.body["team_id"] for call in at_work.slack.calls if call.method == "users.conversations"] == [TEAM]


async def test_who_did_not_begin_cannot_end_an_installation(at_work: Office) -> None:
    given(at_work)
    assert await install(at_work, cookie=False) == 400
    base = at_work.running.url.removesuffix("/slack/events")
    forged = {"Cookie": "slack-app-oauth-state=x"}
    async with at_work.slack.session.get(f"{base}/slack/oauth_redirect?code=c&state=x", headers=forged) as answer:
        assert answer.status == 401
    assert await mention(at_work) == []


async def test_a_key_may_be_replaced_and_one_that_is_lost_closes(tmp_path: Path) -> None:
    vault = await open_vault(None, tmp_path / "data")
    await Many(vault, OTHER).save(Workspace("T1", BOT))
    assert await Many(vault, f"{KEY},{OTHER}").find("T1")
    assert await Many(vault, KEY).find("T1") is None
    await vault.close()


@pytest.mark.parametrize("lacks", ["client_secret", "token_keys", "signing_secret", "client_id"])
def test_what_several_workspaces_need_is_named(lacks: str) -> None:
    given = {**APP, "signing_secret": SECRET, lacks: ""}
    with pytest.raises(SettingsError, match="SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_SIGNING_SECRET"):
        Access(**given)  # type: ignore[arg-type]


def test_a_key_that_is_none_is_said_with_a_new_one() -> None:
    with pytest.raises(SettingsError, match="SLACK_TOKEN_KEYS is not a key"):
        Access(**{**APP, "signing_secret": SECRET, "token_keys": "short"})  # type: ignore[arg-type]
