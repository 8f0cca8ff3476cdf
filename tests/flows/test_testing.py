"""The plugin itself: the page's example runs, a flow that fails says why, and what goes wrong unseen fails too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"
POSTGRES = os.environ.get("CODEMOJEX_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")

pytestmark = pytest.mark.timeout(300)


def run(folder: Path, flows: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run flows as an engineer elsewhere would: in a folder of their own, with the installed plugin."""
    (folder / "test_mine.py").write_text(flows, "utf-8")
    command = [sys.executable, "-m", "pytest", "-o", "asyncio_mode=auto", "-p", "no:cacheprovider", *options]
    return subprocess.run(
        [*command, "test_mine.py"], cwd=folder, capture_output=True, text=True, timeout=280, check=False
    )


def example() -> str:
    """The flows on the page."""
    (flows,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return flows


@pytest.mark.parametrize("database", ["sqlite", POSTGRES], ids=["sqlite", "postgres"])
def test_the_flows_on_the_page_pass_on_each_database(tmp_path, database):
    # given
    if database == POSTGRES:
        try:
            psycopg.connect(POSTGRES, connect_timeout=3).close()
        except psycopg.OperationalError:
            pytest.skip("no PostgreSQL answers")

    # when
    done = run(tmp_path, example(), "--codemojex-database", database)

    # then
    assert "3 passed" in done.stdout, done.stdout


def test_a_flow_that_fails_shows_what_was_said(tmp_path):
    # given
    flow = """
    async def test_it(game):
        ada = await game.person("Ada")
        await ada.says("/new")
        await ada.presses("🍎")
        assert "something else" in ada.last
    """

    # when
    done = run(tmp_path, re.sub(r"^ {4}", "", flow, flags=re.MULTILINE))

    # then
    assert done.returncode == 1
    said = done.stdout.partition("what was said")[2]
    for words in ("Ada #1: /new", "A new code is hidden", "[🍎] [🍌]", "Ada presses [🍎]", "toast"):
        assert words in said


def test_what_goes_wrong_unseen_fails_the_flow(tmp_path):
    # given: a line of the log, and an update that cannot be handled
    flow = """
    import structlog

    async def test_a_line(game):
        structlog.get_logger("somewhere").error("a part failed")

    async def test_poison(game):
        game.telegram.inject({"message": {"message_id": 1, "date": 0, "chat": {"id": 5, "type": "private"}, "from": 7}})
    """

    # when
    done = run(tmp_path, re.sub(r"^ {4}", "", flow, flags=re.MULTILINE))

    # then
    assert "2 errors" in done.stdout, done.stdout
    assert "the log has errors" in done.stdout
    assert "an update could not be handled" in done.stdout


def test_a_keyword_the_marker_does_not_know_is_refused(tmp_path):
    # given
    flow = """
    import pytest

    @pytest.mark.game(secrets="🍎🍌🍇🍓🍒🍍")
    async def test_it(game):
        pass
    """

    # when
    done = run(tmp_path, re.sub(r"^ {4}", "", flow, flags=re.MULTILINE))

    # then
    assert "@pytest.mark.game knows no secrets" in done.stdout


async def test_the_words_of_the_page_are_those_there_are(game):
    # given
    group = await game.group("Fruit", "Ada")
    ada = await game.person("Ada")
    words = set(re.findall(r"`(?:await )?(?:(?:ada|group|game)\.)?([a-z_]+)\(", PAGE.read_text("utf-8")))

    # then
    known = {name for thing in (game, group, ada, ada.chat, game.telegram) for name in dir(thing)}
    assert len(words) > 20
    assert sorted(words - known) == []


async def test_a_transcript_names_people_and_groups_from_its_first_line_on(game):
    # when
    group = await game.group("Fruit", "Ada", admins=["Bo"])
    await group.joins("Cy")

    # then
    lines = str(game.transcript).splitlines()
    assert lines[0] == "Fruit | Bo #1: (codemojex came)"
    assert lines[-1] == "Fruit | Cy #3: (Cy came)"
