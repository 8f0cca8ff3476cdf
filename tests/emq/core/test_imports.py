"""What `import emq` brings: every public name, and no more of the library than producers and workers need."""

from __future__ import annotations

import subprocess
import sys

import pytest

import emq


def run(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("name", sorted(emq.__all__))
def test_every_public_name_is_there_and_is_told(name: str) -> None:
    assert getattr(emq, name) is not None
    assert name in dir(emq)


def test_names_that_come_later_are_those_of_their_modules() -> None:
    assert run("import emq; print(emq.Admin.__module__, emq.Admin is emq.Admin)") == "emq.admin True"
    assert run("from emq import *; print(EmbeddedServer.__module__)") == "emq.embedded"


def test_what_servers_and_operators_need_is_not_imported_before_it_is_asked_for() -> None:
    program = "import sys, emq; print([name for name in {names} if 'emq.' + name in sys.modules])"
    later = sorted(set(emq._LATER.values()))

    assert run(program.format(names=later)) == "[]"


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Queue'"):
        emq.Queue  # type: ignore[attr-defined]  # noqa: B018
