"""Where settings come from: variables, the files that hold secrets, and `redial.toml`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource, PydanticBaseSettingsSource, TomlConfigSettingsSource

from bot.core.errors import SettingsError

FILE = "redial.toml"


def config_file() -> Path:
    """Return the settings file: `REDIAL_CONFIG`, else `redial.toml` in the current folder."""
    return Path(os.environ.get("REDIAL_CONFIG") or FILE)


class Environment(EnvSettingsSource):
    """Variables. A list is written with commas, or as JSON; what is neither is refused under its name."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: str) -> Any:  # noqa: ANN401, ARG002
        """Return the list or table that a variable holds."""
        if value.lstrip().startswith(("[", "{")):
            try:
                return json.loads(value)
            except ValueError:
                return value
        if get_origin(field.annotation) is tuple:
            return [part.strip() for part in value.split(",") if part.strip()]
        return value


class SecretFiles(PydanticBaseSettingsSource):
    """Secrets in files, each named by a variable that ends in `_FILE`."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Part of pydantic-settings' interface."""
        name = str(field.validation_alias or "")
        path = os.environ.get(f"{name}_FILE", "") if name else ""
        if path and os.environ.get(name):
            raise SettingsError(f"both {name} and {name}_FILE are set: take one away")
        return (_secret_in(f"{name}_FILE", Path(path)) if path else None), name or field_name, False

    def __call__(self) -> dict[str, Any]:
        """Return what was found."""
        found = [self.get_field_value(info, name) for name, info in self.settings_cls.model_fields.items()]
        return {name: value for value, name, _ in found if value is not None}


def _secret_in(variable: str, path: Path) -> str:
    try:
        found = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise SettingsError(f"{variable} names {path}, which cannot be read: {why}") from None
    if not found:
        raise SettingsError(f"{variable} names {path}, which is empty")
    return found


class SettingsFile(TomlConfigSettingsSource):
    """The settings file, which holds no secrets."""

    def __call__(self) -> dict[str, Any]:
        """Return what was found; raises SettingsError for a secret."""
        found = super().__call__()
        for name in found:
            info = self.settings_cls.model_fields.get(name.lower())
            if info and info.validation_alias:
                raise SettingsError(f"{name.upper()} comes from the environment only: take it out of {config_file()}")
        return found
