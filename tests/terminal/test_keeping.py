"""Files that the bot sends: kept for their owner alone."""

from __future__ import annotations

import io
import stat
from pathlib import Path

from codemojex.localtg import Person
from codemojex.terminal import Seat, chat
from codemojex.terminal.keeping import keep
from tests.terminal.conftest import KEYS, EchoBot


async def converse(echo: EchoBot, you: Person, folder: Path | None) -> str:
    stdout = io.StringIO()
    await chat(
        you,
        settled=echo.settled,
        keyboard=KEYS,
        seat=Seat(downloads=folder),
        stdin=io.StringIO("file"),
        stdout=stdout,
        tty=False,
    )
    return stdout.getvalue()


async def test_a_file_is_kept_and_its_place_is_said(echo: EchoBot, you: Person, tmp_path: Path) -> None:
    # when
    folder = tmp_path / "downloads"
    printed = await converse(echo, you, folder)

    # then
    kept = folder / "you.json"
    assert f"[you.json, 10 bytes]\n(Saved as {kept}, which only you can read.)" in printed
    assert kept.read_bytes() == b'{"you": 1}'
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_a_file_that_cannot_be_kept_is_said_so(echo: EchoBot, you: Person, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    assert "(That file cannot be saved: File exists.)" in await converse(echo, you, taken)


async def test_without_a_folder_nothing_is_kept(echo: EchoBot, you: Person) -> None:
    assert await converse(echo, you, None) == "[you.json, 10 bytes]\n"


def test_nothing_is_written_over_and_nothing_lands_elsewhere(tmp_path: Path) -> None:
    names = [
        keep(tmp_path, name, b"x").name for name in ("a.json", "a.json", "../a.json", "/etc/a", "..", "")
    ]
    assert names == ["a.json", "a-2.json", "a-3.json", "a", "file", "file-2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
