"""Numbers that never repeat, and a file that cannot be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import telegram

from codemojex.localtg import CannotDo, LocalTelegram, Person
from codemojex.localtg.counters import Counters
from codemojex.terminal.letters import Letters
from codemojex.terminal.sending import send
from tests.localtg.conftest import Call


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_text", refuse)


@pytest.fixture
def kept(tg: LocalTelegram, tmp_path: Path) -> Path:
    """The file of a running Telegram that has not used a number yet."""
    path = tmp_path / "telegram.json"
    tg.world.counters = Counters(path)
    return path


def test_numbers_go_on_above_every_earlier_one_in_another_life(tmp_path: Path) -> None:
    first = Counters(tmp_path / "state.json")
    used = [first.next("update") for _ in range(3)]
    assert Counters(tmp_path / "state.json").next("update") > used[-1]


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_one_sentence_with_its_cause(tmp_path: Path) -> None:
    counters = Counters(tmp_path / "state.json")
    for act in (lambda: counters.next("update"), lambda: counters.past("update", 10**12)):
        with pytest.raises(
            CannotDo, match=r"state\.json cannot be written: No space left on device"
        ) as wrong:
            act()
        assert isinstance(wrong.value.__cause__, OSError)


def test_no_number_is_used_that_the_file_does_not_guard(tmp_path: Path) -> None:
    # given: a folder that cannot be made, because a file stands in its way
    (tmp_path / "home").write_text("")
    counters = Counters(tmp_path / "home" / "state.json")
    for _ in range(2):
        with pytest.raises(CannotDo):
            counters.next("update")

    # when
    (tmp_path / "home").unlink()
    number = counters.next("update")

    # then
    assert Counters(tmp_path / "home" / "state.json").next("update") > number
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["state.json"]


async def test_a_person_is_told_why_nothing_can_be_sent(ada: Person, kept: Path, full_disk: None) -> None:
    note = await send(ada, "/new", Letters(()))
    assert note is not None
    assert note.startswith("That cannot be sent: ")
    assert note.endswith("telegram.json cannot be written: No space left on device.")


async def test_a_bot_is_told_so_too_and_may_try_again(
    kept: Path, ada: Person, bot: telegram.Bot, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    await ada.send("/new")
    await bot.get_updates(timeout=0)

    # when: the numbers below the ceiling are used up
    with monkeypatch.context() as full:
        full.setattr(Path, "write_text", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        answers = [await call("sendMessage", chat_id=ada.id, text="hi") for _ in range(1_001)]

    # then
    assert answers[0][0] == 200
    assert (answers[-1][0], answers[-1][1]["ok"]) == (500, False)
    assert "telegram.json cannot be written: full" in answers[-1][1]["description"]
    assert (await call("sendMessage", chat_id=ada.id, text="hi"))[0] == 200
