"""The deploy files as an operator would read them: valid, pinned, closed, and naming only what exists."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
import yaml
from packaging.requirements import Requirement

from bot.adapters.slack.hosts import ANSWERS, FILES
from bot.runtime.settings import Settings, groups, load_settings, secret_names
from tests.adapters.test_store_deployments import RIGHTS
from tests.scenarios.playing import content

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OBJECTS = [path for path in KUBERNETES if path.name != "kustomization.yaml"]
VARIABLE = re.compile(r"\b((?:REDIAL|REDIS|SLACK|DISCORD)_[A-Z0-9_]+)\b")
IMAGE = re.compile(r"^[\w./-]+:[\w.-]+$")
PATHS = {"/healthz", "/readyz", "/metrics"}


def known_variables() -> set[str]:
    """Every variable of the environment that means something to Redial."""
    secrets = {name.upper() for name in secret_names()}
    names = {f"REDIAL_{name.upper()}" for name in Settings.model_fields if name not in groups()} - secrets
    inner = {f"REDIAL_{g.upper()}__{name.upper()}" for g, model in groups().items() for name in model.model_fields}
    return secrets | {f"{name}_FILE" for name in secrets} | names | inner | {"REDIAL_CONFIG"}


def files() -> list[Path]:
    return sorted(path for path in DEPLOY.rglob("*") if path.is_file() and not path.name.startswith("requirements"))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_every_variable_that_is_named_is_one_of_the_settings(path: Path) -> None:
    assert set(VARIABLE.findall(path.read_text())) - {"REDIAL_GROUP__NAME"} <= known_variables()


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_no_secret_and_no_moving_image(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"xox[bp]-[0-9A-Za-z]{6}|xapp-[0-9A-Za-z]{6}|:latest\b", text)


# --- the container ---


def test_the_containerfile_is_linted() -> None:
    program = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([str(program), str(DEPLOY / "Containerfile")], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout


def steps() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", (DEPLOY / "Containerfile").read_text())
    lines = (line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_runs_as_nobody_in_particular_from_pinned_packages() -> None:
    found = steps()
    assert dict(found)["USER"] == "10001:10001"
    assert dict(found)["ARG"] == "BASE=python:3.13-slim"
    assert {rest.split()[0] for word, rest in found if word == "FROM"} == {"${BASE}"}
    assert dict(found)["ENTRYPOINT"] == '["redial"]'
    installs = [part for _, rest in found for part in rest.split("&&") if "pip install" in part]
    assert len(installs) == 3
    assert all("--require-hashes" in part or "--no-index" in part for part in installs)
    # What is copied is there, and let through to the engine.
    ignored = (ROOT / ".dockerignore").read_text().split()
    for word, rest in found:
        if word == "COPY" and not rest.startswith("--from"):
            for name in rest.split()[:-1]:
                assert (ROOT / name).exists(), name
                assert f"!{name}" in ignored, name
    assert ignored[0] == "*", "everything else, .git and secrets too, stays out"


# --- pins ---


def pins(path: Path) -> Iterator[tuple[Requirement, int]]:
    for block in re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n?", "", path.read_text()).strip()):
        spec, *hashes = re.split(r"\s*\\\s*\n\s*--hash=", block)
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), spec
        yield Requirement(spec), len(hashes)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-build.txt"])
def test_every_pin_is_exact_and_hashed(name: str) -> None:
    found = list(pins(DEPLOY / name))
    assert found
    assert all(count and re.fullmatch(r"==[\w.]+", str(one.specifier)) for one, count in found)
    assert "://" not in (DEPLOY / name).read_text(), "where packages come from is the installer's business"


def test_the_pins_are_of_what_the_project_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pinned = {normal(one.name): next(iter(one.specifier)).version for one, _ in pins(DEPLOY / "requirements.txt")}
    # The image draws pictures.
    extra = project["project"]["optional-dependencies"]["chart"]
    for wanted in map(Requirement, (*project["project"]["dependencies"], *extra)):
        assert normal(wanted.name) in pinned, f"{wanted.name}: refresh the pins, as README.md says"
        assert wanted.specifier.contains(pinned[normal(wanted.name)])
    builds = {normal(one.name) for one, _ in pins(DEPLOY / "requirements-build.txt")}
    assert {normal(Requirement(one).name) for one in project["build-system"]["requires"]} <= builds


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# --- compose ---


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_compose_is_one_by_its_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(DEPLOY / "compose.yaml")], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("service", compose()["services"])
def test_a_composed_service_can_do_little_and_ends_in_time(service: str) -> None:
    found = compose()["services"][service]
    assert IMAGE.match(found["image"])
    assert found["read_only"] is True
    assert found["cap_drop"] == ["ALL"]
    assert found["security_opt"] == ["no-new-privileges:true"]
    assert not found["user"].startswith("0")
    assert not found.get("ports"), "nothing is published"
    assert int(found["stop_grace_period"].rstrip("s")) > 10
    assert found["restart"] == "unless-stopped"


def test_the_composed_store_keeps_what_it_was_given() -> None:
    store = compose()["services"]["valkey"]
    command = " ".join(store["command"])
    assert "--appendonly yes --appendfsync always" in command
    assert "--maxmemory-policy noeviction" in command
    assert store["networks"] == ["store"]
    assert compose()["networks"]["store"]["internal"] is True


def test_the_example_of_the_environment_is_read_as_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DEPLOY / "redial.env.example").read_text()
    for line in (line.removeprefix("# ") for line in text.splitlines() if re.match(r"(# )?[A-Z_]+=", line)):
        name, _, value = line.partition("=")
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.slack.triage_channels == ("C0123456789",)
    assert settings.slack_bot_token is None, "an empty line is no token"


# --- Kubernetes ---


def manifests() -> dict[str, dict[str, Any]]:
    return {path.name: yaml.safe_load(path.read_text()) for path in KUBERNETES}


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_a_manifest_is_one_by_its_schema(path: Path) -> None:
    found = yaml.safe_load(path.read_text())
    if found["kind"] == "Deployment":
        # What the kustomization adds.
        labels = {"app.kubernetes.io/name": "redial"}
        found["spec"]["selector"] = {"matchLabels": labels}
        found["spec"]["template"]["metadata"]["labels"] = labels
    kubernetes_validate.validate(found, "1.34", strict=True)


def test_the_kustomization_renders_them_all() -> None:
    listed = manifests()["kustomization.yaml"]["resources"]
    assert sorted(listed) == sorted(path.name for path in OBJECTS if path.name != "secret.example.yaml")
    if (kubectl := shutil.which("kubectl")) is None:
        pytest.skip("no kubectl on PATH: what is listed was looked at, not what it renders to")
    done = subprocess.run(  # noqa: S603 - a fixed command
        [kubectl, "kustomize", str(DEPLOY / "kubernetes")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rendered = {one["kind"]: one for one in yaml.safe_load_all(done.stdout)}
    for one in rendered.values():
        kubernetes_validate.validate(one, "1.34", strict=True)
    labels = rendered["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert labels == {"app.kubernetes.io/name": "redial"}
    for kind in ("PodDisruptionBudget", "Deployment"):
        assert rendered[kind]["spec"]["selector"] == {"matchLabels": labels}
    assert rendered["NetworkPolicy"]["spec"]["podSelector"] == {"matchLabels": labels}
    assert rendered["Service"]["spec"]["selector"] == labels
    (container,) = rendered["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert IMAGE.match(container["image"])
    volumes = rendered["Deployment"]["spec"]["template"]["spec"]["volumes"]
    assert rendered["ConfigMap"]["metadata"]["name"] in {one.get("configMap", {}).get("name") for one in volumes}


def container() -> dict[str, Any]:
    (found,) = manifests()["deployment.yaml"]["spec"]["template"]["spec"]["containers"]
    return dict(found)


def test_a_pod_can_do_little_and_ends_in_time() -> None:
    pod, spec = manifests()["deployment.yaml"]["spec"]["template"]["spec"], container()
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] > 0
    assert pod["automountServiceAccountToken"] is False
    assert pod["terminationGracePeriodSeconds"] > 10
    assert spec["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert spec["resources"]["limits"]["memory"]


def test_probes_and_ports_are_served() -> None:
    spec = container()
    ports = {one["name"]: one["containerPort"] for one in spec["ports"]}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert spec[probe]["httpGet"]["path"] in PATHS
        assert spec[probe]["httpGet"]["port"] in ports
    asked = manifests()["deployment.yaml"]["spec"]["template"]["metadata"]["annotations"]
    assert asked["prometheus.io/path"] in PATHS
    environment = dict(one.split("=", 1) for one in dict(steps())["ENV"].split() if "=" in one)
    assert int(environment["REDIAL_HEALTH__PORT"]) == ports["health"] == int(asked["prometheus.io/port"])
    assert groups()["slack"].model_fields["port"].default == ports["slack"]
    for one in manifests()["service.yaml"]["spec"]["ports"]:
        assert one["targetPort"] in ports
    for way in manifests()["networkpolicy.yaml"]["spec"]["ingress"]:
        assert all(one["port"] in ports for one in way["ports"])
    assert "/healthz" in dict(steps())["HEALTHCHECK"]


def test_the_settings_of_the_cluster_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIAL_CONFIG", str(DEPLOY / "kubernetes" / "redial.toml"))
    assert load_settings().slack.triage_channels == ()


# --- what the README says ---


def test_the_readme_names_the_rights_that_are_proven_and_the_hosts_that_are_asked() -> None:
    text = (DEPLOY / "README.md").read_text()
    assert RIGHTS in text
    asked = {*ANSWERS, *FILES, *(urlsplit(host).hostname or "" for host in content().library.services.page.hosts)}
    # Those of Slack's cloud for governments are for who uses it.
    named = re.findall(r"`([\w*.-]+\.\w+)`", text.partition("| host | for |")[2])
    assert {host for host in asked if "slack-gov" not in host} <= set(named)


def test_a_service_that_comes_before_its_store_is_tried_again() -> None:
    assert unit()["Restart"] == "always"
    assert "RestartPreventExitStatus" not in unit(), "2 is also: the store is not there yet"
    assert "StartLimitIntervalSec=0" in (DEPLOY / "redial.service").read_text()


# --- systemd ---


def unit() -> Mapping[str, str]:
    found = configparser.RawConfigParser(strict=False, interpolation=None)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read(DEPLOY / "redial.service")
    return dict(found["Service"])


def test_the_unit_is_closed_and_ends_in_time(tmp_path: Path) -> None:
    found = unit()
    assert found["DynamicUser"] == "yes"
    assert found["ProtectSystem"] == "strict"
    assert int(found["TimeoutStopSec"]) > 10
    assert found["ExecStart"].endswith("/redial run")
    assert found["ExecReload"] == "/bin/kill -HUP $MAINPID"
    if (analyze := shutil.which("systemd-analyze")) is None:
        pytest.skip("no systemd-analyze on PATH: the unit was read, not verified")
    # It looks whether the program is there.
    here = tmp_path / "redial.service"
    here.write_text((DEPLOY / "redial.service").read_text().replace("/opt/redial/bin/redial", sys.executable))
    for words in (["verify"], ["security", "--offline=true", "--threshold=20"]):
        done = subprocess.run([analyze, *words, str(here)], capture_output=True, text=True, check=False)  # noqa: S603
        assert done.returncode == 0, done.stdout + done.stderr
