"""Builds what the Containerfile builds, without a container engine: `python -m tests.deploy.image`.

Its steps run as they stand in the file, with the folders of the image below a temporary one. Then the entrypoint runs
without a home, as the image's user where that one may reach this Python, and must write nowhere but to its data.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.deploy.test_files import ROOT, steps

USER = 10001


def main() -> int:
    """Build and run; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder)
        image.chmod(0o755)
        environment = build(image)
        before = written(image)
        for words in (["--version"], ["check"], ["doctor", "--json"], ["guides"]):
            done = run(image, environment, *words)
            sys.stdout.write(f"redial {' '.join(words)}: exit code {done.returncode}\n")
            if done.returncode:
                sys.stdout.write(done.stdout + done.stderr)
                return 1
        nothing = run(image, {**environment, "REDIS_URL": "redis://127.0.0.1:1"}, "run")
        if written(image) != before:
            sys.stdout.write("something was written beside the data\n")
            return 1
        said = "nothing to run" in nothing.stderr
        sys.stdout.write(f"redial run without a platform: exit code {nothing.returncode}\n")
        return int(not (said and nothing.returncode == 2))


def build(image: Path) -> dict[str, str]:
    """Carry out the steps of both stages; return the environment of the second."""
    source, stage, environment = image / "source", 0, dict[str, str]()
    source.mkdir()
    for word, rest in steps():
        if word == "FROM":
            stage += 1
        elif word == "COPY" and stage == 1:
            *names, target = rest.split()
            for name in names:
                copy(ROOT / name, source / target if len(names) == 1 and not target.endswith("/") else source / name)
        elif word == "RUN":
            subprocess.run(["/bin/sh", "-euc", moved(rest, image)], cwd=source, check=True, stdout=sys.stderr)  # noqa: S603
        elif word == "ENV":
            environment |= dict(re.findall(r"(\w+)=(\S*)", moved(rest, image)))
    environment["PATH"] = environment["PATH"].replace("$PATH", "/usr/local/bin:/usr/bin:/bin")
    return environment


def written(image: Path) -> set[tuple[str, int]]:
    """Return every file that is not data, with its time: what a read-only root must not see changed."""
    return {
        (str(path), path.stat().st_mtime_ns)
        for path in image.rglob("*")
        if path.is_file() and image / "data" not in path.parents
    }


def reachable(program: str) -> bool:
    """Say whether the image's user may run a program here."""
    try:
        subprocess.run([program, "-c", ""], check=True, user=USER, group=USER, extra_groups=[])  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def copy(path: Path, target: Path) -> None:
    """Copy a file or folder as COPY does."""
    target = target if path.is_dir() or target.suffix or target.name != "." else target / path.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(path, target if not target.is_dir() else target / path.name)


def moved(text: str, image: Path) -> str:
    """Return a line with the image's folders below ours, and this Python for the base image's."""
    text = re.sub(r"(?<![\w.])(/opt/\w+|/data)\b", lambda found: f"{image}{found[1]}", text)
    return re.sub(r"(?<![\w./-])python -m venv", f"{sys.executable} -m venv", text).replace(
        "install -d", f"mkdir -p {image}/opt && install -d"
    )


def run(image: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run the entrypoint as the image's user, where we may become it."""
    program = str(image / "opt" / "redial" / "bin" / "redial")
    itself = os.geteuid() == 0 and reachable(str(image / "opt" / "redial" / "bin" / "python"))
    who: dict[str, Any] = {"user": USER, "group": USER, "extra_groups": []} if itself else {}
    data = environment["REDIAL_DATA_DIR"]
    given = {**environment, "REDIAL_STATUS__HOSTS": '["http://127.0.0.1:9"]'}
    done: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - what was just built
        [program, *words], cwd=data, env=given, capture_output=True, text=True, check=False, timeout=120, **who
    )
    return done


if __name__ == "__main__":
    sys.exit(main())
