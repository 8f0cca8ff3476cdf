"""What a swarm is told, what its players make of the bot's messages, and what its report finds wrong."""

from __future__ import annotations

import dataclasses
import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from codemojex.localtg import LocalTelegram
from codemojex.play.audit import AuditReport, Violation
from codemojex.settings import BadSettings
from codemojex.swarm.crowd import Crowd
from codemojex.swarm.figures import Latency, Now
from codemojex.swarm.options import Shares, SwarmOptions
from codemojex.swarm.report import Report, Told
from codemojex.swarm.stage import Buttons, OwnStage, heard
from codemojex.swarm.tables import GUESSES, Guess, Kind, Seat, Table
from codemojex.swarm.watch import table

SYMBOLS = tuple("🍎🍌🍇🍓🍒🍍🥝🍑")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8081",
        "http://[::1]:8081",
        "http://localhost",
        "unix:///tmp/queue",
        "sqlite:///game.sqlite3",
        "postgresql://u@127.9.9.9/game",
        "postgresql:///game?host=/var/run/postgresql",
    ],
)
def test_what_is_on_this_machine_may_be_played_with(url):
    assert SwarmOptions(telegram=url, database=url, redis=url).telegram == url


@pytest.mark.parametrize("name", ["telegram", "database", "redis"])
@pytest.mark.parametrize(
    "url",
    [
        "https://api.telegram.org",
        "http://10.0.0.1:8081",
        "http://localhost.example.org",
        "postgresql://u@db.example.org/game",
        "postgresql:///game?host=db.example.org",
        "postgresql://127.0.0.1/game?host=127.0.0.1,10.0.0.2",
        "nonsense",
    ],
)
def test_everything_else_is_refused(name, url):
    with pytest.raises(BadSettings, match=f"--{name}"):
        SwarmOptions(**{name: url})


@pytest.mark.parametrize(
    "options",
    [{"rate": 0}, {"seconds": -1}, {"members": 1}, {"workers": 0}, {"players": -1}, {"patience_s": 0}],
)
def test_a_swarm_that_cannot_be_is_refused(options):
    with pytest.raises(BadSettings):
        SwarmOptions(**options)
    with pytest.raises(BadSettings):
        Shares(0, 0, 0)


def _keyboard(game: int, symbols: tuple[str, ...] = SYMBOLS) -> dict[str, object]:
    keys = [{"text": char, "callback_data": f"g:{game}:{at}:0"} for at, char in enumerate(symbols)]
    return {"inline_keyboard": [keys, [{"text": "⌫", "callback_data": f"g:{game}:del:0"}]]}


def test_a_game_is_known_by_its_buttons_and_over_when_they_are_gone():
    # given
    ada = Table(Kind.PRIVATE, 5, 5)
    seat = Seat(5, ada)
    ada.seats.append(seat)
    assert not seat.free

    # when / then
    ada.hear(heard(5, {"text": "new game", "reply_markup": _keyboard(3)}, edited=False), 1.0)
    assert ada.buttons == Buttons(3, SYMBOLS)
    assert seat.free
    ada.hear(heard(5, {"text": "hello"}, edited=False), 1.0)
    assert seat.free
    ada.hear(heard(5, {"text": "game over"}, edited=True), 1.0)
    assert not seat.free


def test_a_guess_is_answered_by_the_message_that_shows_its_symbols():
    # given
    fruit = Table(Kind.GROUP, -5, 1, buttons=Buttons(3, SYMBOLS))
    fruit.seats += [Seat(1, fruit), Seat(2, fruit)]
    for seat, symbols in zip(fruit.seats, ("🍎🍌🍇🍓🍒🍍", "🥝🍑🍇🍓🍒🍍"), strict=True):
        seat.used, seat.waiting = 1, Guess(-5, 9, symbols, Kind.GROUP, 1.0)

    # when
    board = {"text": "Bo 🥝🍑🍇🍓🍒🍍 80", "reply_markup": _keyboard(3)}
    answered = fruit.hear(heard(-5, board, edited=True), 1.5)

    # then
    assert [(guess.symbols, guess.answered_at) for guess in answered] == [("🥝🍑🍇🍓🍒🍍", 1.5)]
    assert [seat.free for seat in fruit.seats] == [False, True]


def test_a_table_is_spent_when_all_guesses_are_used_and_answered_and_another_game_begins_anew():
    # given
    fruit = Table(Kind.GROUP, -5, 1, buttons=Buttons(3, SYMBOLS))
    fruit.seats += [Seat(1, fruit, used=GUESSES[Kind.GROUP]), Seat(2, fruit, used=GUESSES[Kind.GROUP] - 1)]

    # when / then
    assert not fruit.spent
    fruit.seats[1].used += 1
    assert fruit.spent
    fruit.hear(heard(-5, {"text": "", "reply_markup": _keyboard(4)}, edited=False), 1.0)
    assert [seat.used for seat in fruit.seats] == [0, 0]


async def test_players_guess_only_where_a_game_is_on_and_never_twice_before_an_answer():
    # given
    async with LocalTelegram() as telegram:
        stage = OwnStage(telegram)
        crowd = Crowd(stage, SwarmOptions(players=6, members=3, shares=Shares(1, 1, 1)))
        await crowd.gather()
        assert not await crowd.guess()

        # when: every chat is shown a game
        await crowd.open(100)
        asked = [update["message"]["text"] for update in telegram.pending() if "message" in update]
        for chat_id, table in crowd._tables.items():
            await crowd._hear(table, heard(chat_id, {"text": "", "reply_markup": _keyboard(1)}, edited=False))
        while await crowd.guess():
            pass

    # then
    assert sorted(asked) == ["/daily", "/daily", "/new", "/new", "/new"]
    assert crowd.waiting == len(crowd.guesses) == 7
    assert all(
        len(set(guess.symbols)) == 6 and set(guess.symbols) <= set(SYMBOLS)
        for guess in crowd.guesses.values()
    )


GOOD = Report(
    rate=10.0,
    seconds=2.0,
    players=5,
    sent=20,
    answered=19,
    held_back=0,
    without_game=0,
    latencies={"answer": Latency.of([0.1, 0.2, 0.3])},
    database=Told(admitted=19, refused=1, scored=19, told=19),
    audit=AuditReport(datetime(2026, 11, 30, tzinfo=UTC), {}, []),
)


def test_a_report_is_sound_when_each_guess_is_answered_or_refused_and_every_promise_holds():
    assert GOOD.broken == []
    assert "every promise holds" in GOOD.text()
    assert GOOD.as_dict()["rate_answered"] == 9.5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answered": 18}, "1 guesses were not answered"),
        ({"database": Told(18, 1, 18, 18)}, "1 guesses were neither admitted nor refused"),
        ({"database": Told(19, 1, 17, 17)}, "2 guesses have no score"),
        ({"database": Told(19, 1, 19, 16)}, "3 guesses were not told"),
        (
            {
                "audit": AuditReport(
                    datetime(2026, 11, 30, tzinfo=UTC), {}, [Violation("x", "One winner.", 4, [])]
                )
            },
            "One winner. Broken 4 times.",
        ),
    ],
)
def test_a_report_says_what_is_wrong(change, said):
    report = dataclasses.replace(GOOD, **change)
    assert any(said in sentence for sentence in report.broken)
    assert said in report.text()


def test_the_live_table_shows_a_dash_for_what_nobody_was_asked():
    # when
    shown = io.StringIO()
    console = Console(file=shown, width=120)
    console.print(table([Now(1.2, 1_000, 900, 100, latency=Latency.of([0.01, 0.5]))]))

    # then
    head, row = shown.getvalue().splitlines()
    assert head.split()[:5] == ["s", "sent", "admitted", "scored", "told"]
    assert row.split() == ["1", "1,000", "-", "-", "-", "900", "100", "10", "500", "-", "-"]
