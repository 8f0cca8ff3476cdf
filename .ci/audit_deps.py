"""Ask the package registry whether a pinned version has a known vulnerability.

The registry is the one that pip installs from: PIP_INDEX_URL, pip's configuration, else pip's own default. Many mirrors
have packages and no word on vulnerabilities; where no answer can be had this says so and passes. It reads the
requirements files alone, so it needs nothing installed.

    python .ci/audit_deps.py requirements.txt requirements-dev.txt
"""

from __future__ import annotations

import json
import os
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[^\s;#]+)")
_WAIT_S = 15
_AT_ONCE = 4

Pin = tuple[str, str]


class NoAnswer(Exception):
    """The registry does not say; the text says why, without its address."""


def main(files: Iterable[str]) -> int:
    """1 when a pinned version is known to be vulnerable, else 0."""
    pins = sorted({pin for file in files for pin in pins_of(Path(file).read_text())})
    try:
        ask = asker(registry())
        ask(*pins[0])
    except NoAnswer as error:
        print(f"dependencies were not audited: {error}")
        return 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = list(pool.map(lambda pin: _asked(ask, pin), pins))
    silent = [
        f"{name} {version}" for (name, version), answer in zip(pins, answers, strict=True) if answer is None
    ]
    bad = [line for pin, answer in zip(pins, answers, strict=True) for line in _lines(pin, answer or [])]
    for line in bad:
        print(line)
    if silent:
        print(f"no answer about {', '.join(silent)}")
    print(f"{len(pins) - len(silent)} pinned versions were looked up, {len(bad)} vulnerabilities are known")
    return 1 if bad else 0


def pins_of(text: str) -> list[Pin]:
    """Names and versions of a requirements file."""
    found = (_PIN.match(line.strip()) for line in text.splitlines())
    return [(pin["name"], pin["version"]) for pin in found if pin]


def registry() -> str:
    """The address that pip installs from.

    Raises:
        NoAnswer: none is known.
    """
    given = os.environ.get("PIP_INDEX_URL") or _configured() or _default()
    if urlsplit(given).scheme not in ("http", "https") or not urlsplit(given).hostname:
        raise NoAnswer("pip installs from a folder here")
    return given


def asker(index_url: str) -> Any:
    """A function of name and version that answers what is known of it.

    Raises (the function):
        NoAnswer: the registry does not say.
    """
    parts = urlsplit(index_url)
    root = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    headers = {"Accept": "application/json"}
    if parts.username is not None:
        words = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(words.encode()).decode()}"
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)

    def ask(name: str, version: str) -> list[dict[str, Any]]:
        request = urllib.request.Request(f"{root}/pypi/{name}/{version}/json", headers=headers)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=_WAIT_S, context=context) as answer:  # noqa: S310
                known = json.load(answer).get("vulnerabilities")
        except urllib.error.HTTPError as error:
            error.close()
            raise NoAnswer(f"the registry answers {error.code} when it is asked") from None
        except (OSError, ValueError, AttributeError) as error:
            raise NoAnswer(f"the registry does not answer ({type(error).__name__})") from None
        if not isinstance(known, list):
            raise NoAnswer("the registry does not say which versions are vulnerable")
        return known

    return ask


def _asked(ask: Any, pin: Pin) -> list[dict[str, Any]] | None:
    try:
        return list(ask(*pin))
    except NoAnswer:
        return None


def _lines(pin: Pin, known: Iterable[dict[str, Any]]) -> Iterator[str]:
    for each in known:
        if not each.get("withdrawn"):
            fixed = ", ".join(map(str, each.get("fixed_in") or [])) or "no version yet"
            yield f"VULNERABLE {pin[0]} {pin[1]}: {each.get('id', 'without a name')}, fixed in {fixed}"


def _configured() -> str:
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def _default() -> str:
    try:
        from pip._internal.models.index import PyPI
    except ImportError:
        return ""
    return str(PyPI.url)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
