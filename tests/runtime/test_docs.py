"""The documentation holds: generated parts are current, commands run, links lead somewhere, pictures are there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.redial import Redial

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in ROOT.rglob("README.md") if ".venv" not in path.parts)
FENCE = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\((?!https://|#)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_are_there(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    missing = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize(
    "page", [p for p in PAGES if "[[[cog" in p.read_text()], ids=lambda p: str(p.relative_to(ROOT))
)
def test_generated_parts_are_current(page: Path) -> None:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "cogapp", "--check", "--diff", str(page)],
        cwd=ROOT, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(ROOT), "COLUMNS": "80"},
    )  # fmt: skip
    assert done.returncode == 0, f"`cog -r {page.relative_to(ROOT)}` writes it anew:\n{done.stdout}{done.stderr}"


def test_the_commands_of_the_readme_run(redial: Redial) -> None:
    """Those that install are run by the gate; all others here, as they stand."""
    blocks = [block for block in FENCE.findall((ROOT / "README.md").read_text()) if "pip install" not in block]
    assert blocks
    for block in blocks:
        script = block.replace("redial ", f"{shlex.quote(sys.executable)} -m bot ")
        done = subprocess.run(  # noqa: S603
            ["/bin/bash", "-euo", "pipefail", "-c", script],
            cwd=redial.home, env=redial.environment, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, (block, done.stderr)


def test_the_keys_of_a_json_answer_are_those_in_the_readme(redial: Redial) -> None:
    (view,) = redial.chat("API Error: Repeated 529 Overloaded errors")
    table = (ROOT / "README.md").read_text().split("| key | what it holds |")[1].split("\n\n")[0]
    named = [
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
    ]
    assert sorted(named) == sorted(json.loads(json.dumps(view)))
