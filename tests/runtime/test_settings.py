"""Settings from the file and the environment; a bad one is named, its value is not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bot.core.errors import SettingsError
from bot.runtime.settings import Settings, StatusSettings, config_file, groups, load_settings, secret_names
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
        (
            'devices = "mine"\n',
            r"^setting `devices`: .*'managed' or 'personal'.* \(in redial.toml or the environment\)",
        ),
        ('device = "managed"\n', r"^setting `device`: "),
        ('[status]\npage = "x"\n', r"^setting `status.page`: "),
        ('content_dirs = "here"\n', r"^setting `content_dirs`: "),
        ('locale = "xx"\n', r"^setting `locale`: "),
        ('devices = "managed\n', r"^redial.toml is not TOML: "),
        ('redis_url = "redis://:secret@x"\n', r"^REDIS_URL comes from the environment only: "),
        ('slack_bot_token = "xoxb-secret"\n', r"^SLACK_BOT_TOKEN comes from the environment only: "),
    ],
)
def test_a_bad_setting_is_named_without_its_value(here: Path, toml: str, told: str) -> None:
    (here / "redial.toml").write_text(toml)
    with pytest.raises(SettingsError, match=told) as caught:
        load_settings()
    assert "secret" not in str(caught.value)


@pytest.mark.usefixtures("here")
def test_a_bad_variable_is_named_without_its_value(monkeypatch: Env) -> None:
    monkeypatch.setenv("REDIAL_CONTENT_DIRS", "secret[")
    with pytest.raises(SettingsError, match=r"content_dirs") as caught:
        load_settings()
    assert "secret" not in str(caught.value)


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
