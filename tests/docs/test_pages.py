"""The pages keep their word: the README's program runs, links lead somewhere, paths exist."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from codemojex.play.audit import checks
from codemojex.play.audit.rules import RULES
from codemojex.reconciling import PROMISES

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])
PROGRAM = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?://)([^)#]+)\)")
FOLDERS = re.compile(r"^\| (`[^|]+) \|", re.MULTILINE)


def _programs() -> list[str]:
    return [
        program for page in PAGES for program in PROGRAM.findall(page.read_text()) if "import emq" in program
    ]


@pytest.mark.parametrize("program", _programs())
def test_a_program_on_a_page_runs_and_prints_what_its_comments_say(program, real_server_url, queue):
    # given
    program = program.replace("redis://127.0.0.1:6379", real_server_url).replace('"mail"', repr(queue))
    said = re.findall(r"print\(.*\) +# (.+)$", program, re.MULTILINE)

    # when
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    # then
    assert run.returncode == 0, run.stderr
    assert said, "a program on a page says what it prints"
    assert run.stdout.splitlines()[: len(said)] == said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_repository_leads_somewhere(page):
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert missing == []


def test_every_line_of_the_audit_stands_in_the_handbook_with_its_promise():
    # given
    page = (ROOT / "docs/operations.md").read_text()
    page = page[page.index("| line | promise |") :].partition("\n## ")[0]
    lines = {
        name: row for row in page.splitlines()[2:] for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])
    }
    promises = {number for row in page.splitlines()[2:] for number in re.findall(r"\d+", row.split("|")[2])}

    # then
    found = {check.name for check in checks(datetime.now(UTC))} | set(RULES) | set(PROMISES)
    assert set(lines) == found
    assert promises == {str(number) for number in range(1, 11)}
    assert all(row.split("|")[4].strip() for row in lines.values())


def test_every_test_that_a_page_names_exists():
    named = [
        name for page in PAGES for name in re.findall(r"`(tests/[a-z_/]+\.py(?:::\w+)?)`", page.read_text())
    ]
    assert len(named) > 30
    for name in named:
        path, _, test = name.partition("::")
        assert (ROOT / path).is_file(), name
        assert re.search(rf"^(async )?def {test}\(", (ROOT / path).read_text(), re.MULTILINE) or not test, (
            name
        )


def test_every_folder_of_the_readme_exists():
    named = re.findall(r"`([a-z/]+/)`", "".join(FOLDERS.findall((ROOT / "README.md").read_text())))
    assert len(named) > 8
    assert [
        name for name in named if not any((base / name).is_dir() for base in (ROOT, ROOT / "codemojex"))
    ] == []
