"""Settings from the file and the environment; a bad one is named, its value is not."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from bot.core.errors import SettingsError
from bot.runtime.settings import Settings, StatusSettings, groups, load_settings, secret_names
from bot.runtime.sources import config_file
from bot.runtime.template import template, write

Env = pytest.MonkeyPatch


@pytest.fixture
def here(tmp_path: Path, monkeypatch: Env) -> Path:
    """An empty folder to stand in, without anything of ours in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in (
        *(name.upper() for name in secret_names()),
        "REDIAL_CONFIG",
        "REDIAL_DEVICES",
        "REDIAL_CONTENT_DIRS",
        "REDIAL_STATUS__HOSTS",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_without_anything_there_is_a_default_for_everything() -> None:
    settings = load_settings()
    assert settings.devices == "managed"
    assert settings.content_dirs == ()
    assert settings.status == StatusSettings()
    assert settings.redis_url is None


def test_the_environment_wins_over_the_file_and_the_command_line_over_both(here: Path, monkeypatch: Env) -> None:
    (here / "redial.toml").write_text('devices = "personal"\ndata_dir = "/file"\n[status]\npage_id = "abc"\n')
    assert load_settings().devices == "personal"
    assert load_settings().status.page_id == "abc"
    monkeypatch.setenv("REDIAL_DEVICES", "managed")
    monkeypatch.setenv("REDIAL_DATA_DIR", "/env")
    assert load_settings().devices == "managed"
    assert load_settings().data_dir == Path("/env")
    assert load_settings(data_dir=Path("/line"), devices=None).data_dir == Path("/line")


def test_another_file_can_be_named(here: Path, monkeypatch: Env) -> None:
    (here / "other.toml").write_text('devices = "personal"\n')
    monkeypatch.setenv("REDIAL_CONFIG", str(here / "other.toml"))
    assert config_file() == here / "other.toml"
    assert load_settings().devices == "personal"


@pytest.mark.usefixtures("here")
def test_a_home_folder_is_meant_by_the_tilde(monkeypatch: Env) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("REDIAL_CONTENT_DIRS", '["~/guides", "/etc/redial"]')
    assert load_settings().content_dirs == (Path("/home/ann/guides"), Path("/etc/redial"))


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ('devices = "mine"\n', "redial.toml: `devices` must be 'managed' or 'personal'"),
        ('device = "managed"\n', "redial.toml: `device` is no setting; is `devices` meant?"),
        ("[slak]\nport = 1\n", "redial.toml: `slak` is no setting; is `slack` meant?"),
        (
            '[slack]\ntriage_chanels = ["C1"]\n',
            "`slack.triage_chanels` is no setting; is `slack.triage_channels` meant?",
        ),
        (
            '[slack]\nbot_token = "xoxb-secret"\n',
            "redial.toml: `slack.bot_token` is no setting; is SLACK_BOT_TOKEN meant?",
        ),
        ("[colours]\n", "redial.toml: `colours` is no setting; `redial init` writes a file that names all"),
        ('content_dirs = "secret"\n', "redial.toml: `content_dirs` must be a list, in square brackets"),
        ('locale = "xx"\n', "redial.toml: `locale` must be 'en'"),
        ("[status]\ninterval = 5\n", "redial.toml: `status.interval` must be at least 30"),
        ("[status]\ninterval = 1.5\n", "redial.toml: `status.interval` must be a whole number"),
        ('[slack]\nchannel_seconds = "secret"\n', "redial.toml: `slack.channel_seconds` must be a number"),
        (
            '[slack]\ntriage_channels = ["#secret"]\n',
            "`slack.triage_channels` holds no ids: those are capitals and digits",
        ),
        ('[discord]\nadmins = ["secret"]\n', "redial.toml: `discord.admins` holds no ids: those are numbers; "),
        ('[slack]\napi_url = "secret.com"\n', "redial.toml: `slack.api_url` is no address that begins with https://"),
        ("[health]\nport = 99999\n", "redial.toml: `health.port` must be at most 65535"),
        ('[discord]\nhandoff_channel = "#secret"\n', "with Developer Mode on, right click, and Copy ID"),
        ('[discord]\ntriage_channels = ["1", "secret"]\n', "with Developer Mode on, right click, and Copy ID"),
        ("slack = 3\n", "redial.toml: `slack` is a table of settings, not one of them"),
        ('[[operators]]\nplatform = "slack"\nworkspace = "T1"\n', "`channel` of `operators` number 1 is needed"),
        ('[[operators]]\nplatform = "slack"\nworkspace = "T1"\nchanel = "secret"\n', "`operators.channel` meant?"),
        ('devices = "managed\n', "redial.toml is not TOML: "),
        ('redis_url = "redis://:secret@x"\n', "REDIS_URL comes from the environment only: "),
        ('slack_bot_token = "xoxb-secret"\n', "SLACK_BOT_TOKEN comes from the environment only: "),
    ],
)
def test_a_bad_setting_is_named_without_its_value(here: Path, toml: str, told: str) -> None:
    (here / "redial.toml").write_text(toml)
    with pytest.raises(SettingsError, match=re.escape(told)) as caught:
        load_settings()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("REDIAL_CONTENT_DIRS", "[secret", "REDIAL_CONTENT_DIRS must be a list"),
        ("REDIAL_SLACK__PORT", "secret", "REDIAL_SLACK__PORT must be a whole number"),
        ("REDIAL_STATUS", "secret", "REDIAL_STATUS is a table of settings, not one of them"),
        ("REDIAL_DEVICE", "secret", "REDIAL_DEVICE is no setting; is REDIAL_DEVICES meant?"),
        ("REDIAL_STATUS__PAGEID", "secret", "REDIAL_STATUS__PAGEID is no setting; is REDIAL_STATUS__PAGE_ID meant?"),
        ("REDIAL_STATUS_PAGE_ID", "secret", "REDIAL_STATUS_PAGE_ID is no setting; is REDIAL_STATUS__PAGE_ID meant?"),
        ("REDIAL_SLAK__PORT", "1", "REDIAL_SLAK__PORT is no setting; is REDIAL_SLACK__PORT meant?"),
        ("REDIAL_SLACK_BOT_TOKEN", "secret", "REDIAL_SLACK_BOT_TOKEN is no setting; is SLACK_BOT_TOKEN meant?"),
        ("REDIAL_DISCORD_TOKEN_FILE", "secret", "is DISCORD_TOKEN_FILE meant?"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_bad_variable_is_named_without_its_value(monkeypatch: Env, name: str, value: str, told: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=re.escape(told)) as caught:
        load_settings()
    assert "secret" not in str(caught.value)


@pytest.mark.usefixtures("here")
def test_variables_that_an_orchestrator_sets_are_left_alone(monkeypatch: Env) -> None:
    for name in ("REDIAL_PORT", "REDIAL_SLACK_PORT", "REDIAL_PORT_3000_TCP"):
        monkeypatch.setenv(name, "tcp://10.0.0.1:3000")
    monkeypatch.setenv("REDIAL_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("REDIAL_SLACK_SERVICE_PORT", "3000")
    assert load_settings().slack.port == Settings().slack.port


@pytest.mark.usefixtures("here")
def test_a_variable_holds_a_list_with_commas_or_as_json(monkeypatch: Env) -> None:
    monkeypatch.setenv("REDIAL_SLACK__TRIAGE_CHANNELS", "C1, C2,")
    monkeypatch.setenv("REDIAL_DISCORD__TRIAGE_CHANNELS", "1234567890123456789")
    monkeypatch.setenv("REDIAL_DISCORD__ADMINS", '["1", "2"]')
    settings = load_settings()
    assert settings.slack.triage_channels == ("C1", "C2")
    assert settings.discord.triage_channels == ("1234567890123456789",)
    assert settings.discord.admins == ("1", "2")


def test_a_file_that_cannot_be_read_is_told_by_its_name(here: Path) -> None:
    (here / "redial.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"^redial.toml is not UTF-8 text$"):
        load_settings()


def test_a_file_that_is_named_and_not_there_is_told(here: Path, monkeypatch: Env) -> None:
    monkeypatch.setenv("REDIAL_CONFIG", str(here / "gone.toml"))
    with pytest.raises(SettingsError, match=r"^REDIAL_CONFIG names .*gone.toml, which is not there$"):
        load_settings()


@pytest.mark.usefixtures("here")
def test_the_address_of_the_server_is_a_secret(monkeypatch: Env) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://:hunter2@db")
    settings = load_settings()
    assert settings.redis_url
    assert "hunter2" not in repr(settings)
    assert settings.redis_url.get_secret_value() == "redis://:hunter2@db"


# --- redial init -----------------------------------------------------------------------------------------------


def test_the_template_names_every_setting_and_sets_none(here: Path) -> None:
    text = template()
    in_groups = [name for group in groups().values() for name in group.model_fields]
    for name in (*Settings.model_fields, *in_groups):
        assert (f"# {name} = " in text) is (name not in {*groups(), *secret_names()})
    assert tomllib.loads(text) == {group: {} for group in groups()}
    (here / "redial.toml").write_text(text)
    assert load_settings() == Settings()


def test_the_template_holds_what_can_be_set(here: Path) -> None:
    lines = (line.removeprefix("# ") if " = " in line else line for line in template().splitlines())
    (here / "redial.toml").write_text("\n".join(lines))
    assert load_settings().status.page_id


def test_a_file_that_is_there_is_not_overwritten(here: Path) -> None:
    assert write(here, force=False) == f"wrote {here / 'redial.toml'}"
    with pytest.raises(SettingsError, match=r"is there already; --force overwrites it"):
        write(here, force=False)
    assert write(here, force=True)


def test_a_folder_that_cannot_be_written_is_told(here: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot write .*: No such file or directory"):
        write(here / "gone", force=False)


@pytest.mark.parametrize("name", sorted(name.upper() for name in secret_names()))
def test_every_secret_may_stand_in_a_file(here: Path, monkeypatch: Env, name: str) -> None:
    value = "redis://:hunter2@host:6379/0"
    (here / "secret").write_text(f"{value}\n")
    monkeypatch.setenv(f"{name}_FILE", str(here / "secret"))
    settings = load_settings()
    found = getattr(settings, name.lower())
    assert (found if isinstance(found, str) else found.get_secret_value()) == value
    if name != "SLACK_CLIENT_ID":
        assert "hunter2" not in repr(settings)
        assert "hunter2" not in settings.model_dump_json()


def test_a_secret_in_a_file_that_is_of_no_use_is_named_without_its_value(here: Path, monkeypatch: Env) -> None:
    path = here / "secret"
    monkeypatch.setenv("DISCORD_TOKEN_FILE", str(path))
    with pytest.raises(SettingsError, match=r"DISCORD_TOKEN_FILE names .*secret, which cannot be read: No such file"):
        load_settings()
    path.write_text(" \n")
    with pytest.raises(SettingsError, match="which is empty"):
        load_settings()
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="it is no text"):
        load_settings()
    path.write_text("hunter2")
    monkeypatch.setenv("DISCORD_TOKEN", "hunter3")
    with pytest.raises(SettingsError, match="both DISCORD_TOKEN and DISCORD_TOKEN_FILE are set") as caught:
        load_settings()
    assert "hunter" not in str(caught.value)
