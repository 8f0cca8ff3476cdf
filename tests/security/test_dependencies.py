"""What is installed is what is pinned, and a registry that knows of a vulnerability stops the build."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "requirements.txt", ROOT / "requirements-dev.txt"]
# What makes the environment, and what is tested in it.
OURS = {"pip", "setuptools", "wheel", "codemojex"}


def _pins() -> list[Requirement]:
    lines = [line.strip() for file in FILES for line in file.read_text().splitlines()]
    return [Requirement(line) for line in lines if line and not line.startswith(("#", "-r "))]


def test_every_line_is_one_version_and_no_address():
    for pin in _pins():
        assert re.fullmatch(r"==[^=,*]+", str(pin.specifier)), pin
        assert pin.url is None


def test_what_is_installed_is_what_is_pinned():
    # given
    here = {
        canonicalize_name(pin.name): str(pin.specifier)
        for pin in _pins()
        if not pin.marker or pin.marker.evaluate()
    }

    # when
    found = {canonicalize_name(each.metadata["Name"]): f"=={each.version}" for each in distributions()}

    # then
    assert {name: version for name, version in found.items() if name not in OURS} == here


def test_what_the_project_asks_for_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = {canonicalize_name(pin.name): pin.specifier for pin in _pins()}
    for line in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        asked = Requirement(line)
        [pinned] = pins[canonicalize_name(asked.name)]
        assert asked.specifier.contains(pinned.version), line


@contextmanager
def _registry(status: int, answer: object) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A registry that answers every question alike; where it is, and what it was asked."""
    asked: list[tuple[str, str | None]] = []

    class Desk(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Authorization"]))
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Desk)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}/simple/", asked
    finally:
        server.shutdown()
        server.server_close()


def _audit(url: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "pins.txt").write_text(
        "# a comment\naiohttp==3.14.5\nuvloop==0.23.0; sys_platform != 'win32'\n"
    )
    return subprocess.run(
        [sys.executable, str(ROOT / ".ci/audit_deps.py"), "pins.txt"],
        env={"PATH": os.environ["PATH"], "PIP_INDEX_URL": url},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


HOLE = {"id": "PYSEC-1", "fixed_in": ["9.9"], "withdrawn": None}


def test_a_vulnerability_of_a_pinned_version_fails_with_the_cure(tmp_path):
    with _registry(200, {"vulnerabilities": [HOLE, {**HOLE, "id": "PYSEC-2", "withdrawn": "2026"}]}) as (
        at,
        asked,
    ):
        run = _audit(f"http://me:hush-hush@{at}", tmp_path)

    assert run.returncode == 1
    assert "VULNERABLE aiohttp 3.14.5: PYSEC-1, fixed in 9.9" in run.stdout
    assert "PYSEC-2" not in run.stdout
    assert {path for path, _ in asked} == {"/pypi/aiohttp/3.14.5/json", "/pypi/uvloop/0.23.0/json"}
    assert all(who is not None and who.startswith("Basic ") for _, who in asked)
    assert "hush-hush" not in run.stdout + run.stderr


def test_versions_that_nothing_is_known_of_pass(tmp_path):
    with _registry(200, {"vulnerabilities": []}) as (at, _):
        run = _audit(f"http://{at}", tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "2 pinned versions were looked up, 0 vulnerabilities" in run.stdout


@pytest.mark.parametrize(
    ("status", "answer"), [(404, b""), (200, b"<html>"), (200, {"info": {}}), (200, []), (503, b"")]
)
def test_a_registry_that_does_not_say_is_told_and_passes(tmp_path, status, answer):
    with _registry(status, answer) as (at, _):
        run = _audit(f"http://{at}", tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("dependencies were not audited: the registry")
    assert at.partition("/")[0] not in run.stdout


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/simple", "file:///nowhere/simple"])
def test_a_registry_that_is_none_is_told_and_passes(tmp_path, url):
    run = _audit(url, tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("dependencies were not audited: ")
