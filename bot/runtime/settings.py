"""Settings: `redial.toml`, then the environment over it.

Tokens and passwords come from the environment only, or from files it names: `DISCORD_TOKEN_FILE` instead of
`DISCORD_TOKEN`, as container engines, Kubernetes and systemd hand them over.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.core.errors import SettingsError
from bot.core.triage.life import Pace
from bot.core.triage.placement import Rooms
from bot.runtime.mistakes import PREFIX, misspelt, sentence
from bot.runtime.sources import Environment, SecretFiles, SettingsFile, config_file


class WatchedPage(BaseModel):
    """Another Statuspage v2 page to announce from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    name: str = ""
    hosts: tuple[str, ...]


class DeclaredSubscription(BaseModel):
    """A channel that hears of a page, without anybody typing `/redial subscribe` in it."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    platform: Literal["slack", "discord"]
    workspace: str
    channel: str
    page: str = ""
    components: tuple[str, ...] = ()
    general: bool = True
    least: Literal["none", "minor", "major", "critical"] = "none"
    maintenance: bool = True
    mention: str = ""
    mention_from: Literal["none", "minor", "major", "critical"] = "critical"
    replies: bool = True
    daily: bool = False


class Channel(BaseModel):
    """A channel of a platform."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    platform: Literal["slack", "discord"]
    workspace: str
    channel: str


class StatusSettings(BaseModel):
    """Which official page is read. Empty values: what `content/products/claude.toml` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    page_id: str = Field(default="", description="id of the page, as its API names it")
    hosts: tuple[str, ...] = Field(default=(), description="addresses of the page, asked in this order")
    interval: int = Field(
        default=90, ge=30, le=900, description="seconds between two readings of a watched page, a third more or less"
    )
    late_hours: int = Field(
        default=24,
        ge=1,
        le=168,
        description="hours after its last word for which an incident that came and went between two readings is told",
    )
    pages: tuple[WatchedPage, ...] = Field(
        default=(), description="further Statuspage pages to announce from: tables with `id`, `name` and `hosts`"
    )


class ChannelSettings(BaseModel):
    """The channels of a chat platform, and who may change what Redial does there."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    triage_channels: tuple[str, ...] = Field(
        default=(),
        description="ids of the channels where conversations are held in public threads; elsewhere `/redial` answers"
        " privately, and a mention in a thread",
    )
    watched_channels: tuple[str, ...] = Field(
        default=(),
        description="ids of channels Redial reads along in: it offers help privately when it knows a pasted line",
    )
    room_channels: tuple[str, ...] = Field(
        default=(),
        description="ids of channels that are told, in one message, when several people report the same before the"
        " official page does",
    )
    admins: tuple[str, ...] = Field(
        default=(),
        description="ids of people who may change subscriptions, besides those the platform calls administrators",
    )
    channel_seconds: float = Field(
        default=1.0, ge=0.2, le=60.0, description="seconds between two announcements in one channel"
    )

    handoff_channel: str = Field(
        default="",
        description="id of the channel hand-offs are posted to; without it and `handoff_person` the person who asks"
        " gets one to copy",
    )
    handoff_person: str = Field(
        default="", description="id of the person who gets hand-offs in a direct message, where no channel is set"
    )
    helpers: tuple[str, ...] = Field(
        default=(),
        description="ids of user groups (Slack) or roles (Discord) whose members may answer in every conversation and"
        " take hand-offs; without any, hand-offs are for whoever reads that channel",
    )

    @property
    def rooms(self) -> Rooms:
        """The channels as placement knows them."""
        return Rooms(
            frozenset(self.triage_channels),
            frozenset(self.watched_channels),
            self.handoff_channel,
            self.handoff_person,
            frozenset(self.helpers),
            frozenset(self.room_channels),
        )


_WITH_IDS = (
    "triage_channels", "watched_channels", "room_channels", "admins", "handoff_channel", "handoff_person", "helpers",
)  # fmt: skip


def _each(value: str | tuple[str, ...]) -> list[str]:
    """Return the ids a setting holds: one, several or none."""
    return [one for one in ([value] if isinstance(value, str) else value) if one]


class SlackSettings(ChannelSettings):
    """Slack; its tokens come from the environment."""

    host: str = Field(default="127.0.0.1", description="address Slack's requests are taken at, with a signing secret")
    port: int = Field(default=3000, ge=0, le=65535, description="port Slack's requests are taken at")
    posts_a_minute: int = Field(
        default=300,
        ge=1,
        description="announcements and replies a minute in one workspace",
    )
    edits_a_minute: int = Field(default=50, ge=1, description="edits of announcements a minute in one workspace")
    api_url: str = Field(default="https://slack.com/api/", description="Slack's Web API; others for its other clouds")

    @field_validator(*_WITH_IDS)
    @classmethod
    def _ids(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        if not all(one.isalnum() and one.isupper() for one in _each(value)):
            raise ValueError("holds no ids: those are capitals and digits, at the end of View channel details")
        return value

    @field_validator("api_url")
    @classmethod
    def _address(cls, value: str) -> str:
        if not value.startswith(("https://", "http://")) or not value.endswith("/"):
            raise ValueError("is no address that begins with https:// and ends with /")
        return value


class DiscordSettings(ChannelSettings):
    """Discord; its token comes from the environment."""

    announcements_a_second: int = Field(
        default=40, ge=1, le=45, description="announcements a second; Discord allows a bot 50, the rest is for people"
    )

    @field_validator(*_WITH_IDS)
    @classmethod
    def _ids(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        if not all(one.isdecimal() for one in _each(value)):
            raise ValueError("holds no ids: those are numbers; with Developer Mode on, right click, and Copy ID")
        return value


class RoomSettings(BaseModel):
    """When several reports are more than a coincidence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    people: int = Field(
        default=4, ge=2, le=100, description="people who report the same before a channel of `room_channels` is told"
    )
    minutes: int = Field(
        default=30, ge=5, le=240, description="minutes a report counts; nothing of it is kept for longer"
    )


class ConversationSettings(BaseModel):
    """How long conversations last."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nudge_after: float = Field(
        default=30,
        ge=0,
        description="minutes of silence after which somebody is asked, once, whether they are still there; 0: never",
    )
    close_after: float = Field(
        default=24, ge=0, description="hours of silence after which a conversation is closed without a word; 0: never"
    )
    keep_days: int = Field(default=14, ge=1, le=90, description="days a conversation is kept after its last turn")

    @property
    def pace(self) -> Pace:
        """The same in seconds."""
        return Pace(self.nudge_after * 60, self.close_after * 3600)


class HealthSettings(BaseModel):
    """Where an orchestrator and Prometheus ask."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = Field(default="127.0.0.1", description="address `/healthz`, `/readyz` and `/metrics` are served at")
    port: int = Field(default=0, ge=0, le=65535, description="their port; 0: they are not served, nothing is measured")


class LimitSettings(BaseModel):
    """How much one person and one channel may ask of a process."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    person: int = Field(default=40, ge=1, description="events a minute of one person; beyond it they are told once")
    channel: int = Field(default=600, ge=1, description="events a minute in one channel, of all people together")


class Settings(BaseSettings):
    """Everything that can be set. Each has a default with which `redial chat` works."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, env_ignore_empty=True
    )

    devices: Literal["managed", "personal"] = Field(
        default="managed",
        description="managed: steps that go around a company's controls become a request to IT;"
        " personal: they are shown with their undo",
    )
    content_dirs: tuple[Path, ...] = Field(
        default=(),
        description="folders of your own guides and sentences, laid over the built-in ones",
    )
    locale: Literal["en"] = Field(default="en", description="language of guides and messages")
    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("redial", appauthor=False)),
        description="where Redial's own store keeps its files when no REDIS_URL is set",
    )
    subscriptions: tuple[DeclaredSubscription, ...] = Field(
        default=(),
        description="channels that hear of a page: tables with `platform`, `workspace` and `channel`, and what"
        " `/redial subscribe` asks for",
    )
    operators: tuple[Channel, ...] = Field(
        default=(),
        description="channels that are told what operators should know, such as a page that cannot be read, or a"
        " channel nobody can post into: tables with `platform`, `workspace` and `channel`",
    )
    status: StatusSettings = Field(default_factory=StatusSettings, description="the official status page")
    redis_url: SecretStr | None = Field(
        default=None,
        validation_alias="REDIS_URL",
        description="address of a Redis or Valkey server, from the environment only; without it Redial runs its own",
    )

    room: RoomSettings = Field(default_factory=RoomSettings, description="what several people report at once")
    conversations: ConversationSettings = Field(
        default_factory=ConversationSettings, description="how long conversations last"
    )
    health: HealthSettings = Field(default_factory=HealthSettings, description="probes and metrics")
    limits: LimitSettings = Field(default_factory=LimitSettings, description="how much may be asked")
    slack: SlackSettings = Field(default_factory=SlackSettings, description="channels and admins in Slack")
    slack_bot_token: SecretStr | None = Field(
        default=None,
        validation_alias="SLACK_BOT_TOKEN",
        description="token of the Slack app in one workspace (xoxb-…), from the environment only",
    )
    slack_app_token: SecretStr | None = Field(
        default=None,
        validation_alias="SLACK_APP_TOKEN",
        description="token for Slack's Socket Mode (xapp-…), from the environment only",
    )
    slack_signing_secret: SecretStr | None = Field(
        default=None,
        validation_alias="SLACK_SIGNING_SECRET",
        description="proves requests of Slack over HTTP, from the environment only",
    )
    slack_client_id: str = Field(
        default="",
        validation_alias="SLACK_CLIENT_ID",
        description="of a Slack app that several workspaces install at `/slack/install`, instead of SLACK_BOT_TOKEN",
    )
    slack_client_secret: SecretStr | None = Field(
        default=None,
        validation_alias="SLACK_CLIENT_SECRET",
        description="goes with SLACK_CLIENT_ID, from the environment only",
    )
    slack_token_keys: SecretStr | None = Field(
        default=None,
        validation_alias="SLACK_TOKEN_KEYS",
        description="encrypts the tokens of those workspaces: the first key seals, all open; from the environment only",
    )
    discord: DiscordSettings = Field(default_factory=DiscordSettings, description="channels and admins in Discord")
    discord_token: SecretStr | None = Field(
        default=None,
        validation_alias="DISCORD_TOKEN",
        description="token of the Discord bot, from the environment only",
    )

    @field_validator("content_dirs")
    @classmethod
    def at_home(cls, folders: Sequence[Path]) -> tuple[Path, ...]:
        """Read `~` as people mean it."""
        return tuple(folder.expanduser() for folder in folders)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature of pydantic-settings
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Say where values come from: the command line, the environment, the file."""
        environment = Environment(settings_cls), SecretFiles(settings_cls)
        return init_settings, *environment, SettingsFile(settings_cls, config_file())


def groups() -> dict[str, type[BaseModel]]:
    """Return the groups of settings by name: the tables of the file."""
    kinds = {name: info.annotation for name, info in Settings.model_fields.items()}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


def secret_names() -> frozenset[str]:
    """Return the settings that come from the environment only, under a name of their own."""
    return frozenset(name for name, info in Settings.model_fields.items() if info.validation_alias)


def load_settings(**over: Any) -> Settings:  # noqa: ANN401 - values of any setting
    """Read the settings; values that are None do not count. Raises SettingsError naming the setting, not its value."""
    given = os.environ.get("REDIAL_CONFIG")
    if given and not Path(given).is_file():
        raise SettingsError(f"REDIAL_CONFIG names {given}, which is not there")
    if strange := misspelt(Settings, os.environ):
        raise SettingsError(strange)
    try:
        return Settings(**{key: value for key, value in over.items() if value is not None})
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)
        raise SettingsError(sentence(wrong, Settings, os.environ, str(config_file()))) from None
    except TOMLDecodeError as error:
        raise SettingsError(f"{config_file()} is not TOML: {error}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{config_file()} is not UTF-8 text") from None
    except OSError as error:
        raise SettingsError(f"{config_file()} cannot be read: {error.strerror}") from None
