"""What is said where several play: rooms, votes, hints, the daily, ends that others are told of, season boards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from codemojex.game.keyboards import Mode
from codemojex.play.daily import SharedDaily
from codemojex.play.preferences import Preferences
from codemojex.play.rooms import Room, RoomKind
from codemojex.play.seasons import RANKED, Period, SeasonRow, SeasonView
from codemojex.play.stats import StatsView
from codemojex.texts import Texts, catalogs
from tests.texts import makers
from tests.texts.test_sentences import seen

TEXTS, RUSSIAN = Texts(), catalogs.of("ru")
ROOM = Room(1, RoomKind.LINK, None, 0, "K7QP3M", code="K7QP3M")


def end(**changes: Any) -> str:
    return seen(TEXTS.notice("ended", makers.ended(**{"you_won": False, "best": None} | changes)))


def test_an_invitation_holds_code_and_link() -> None:
    # when
    said = seen(TEXTS.invite("K7QP3M", "https://t.me/bot?start=r_K7QP3M"))

    # then
    assert "/join K7QP3M" in said
    assert "https://t.me/bot?start=r_K7QP3M" in said


def test_who_joins_is_told_who_is_there_and_what_is_on() -> None:
    assert "Nobody else is here yet" in TEXTS.joined(ROOM, [])
    assert "With you: Ada, &lt;Bob&gt;." in TEXTS.joined(ROOM, ["Ada", "<Bob>"])
    assert "and 3 more." in TEXTS.joined(ROOM, ["Ada"] * 13)
    assert "A game is on" in TEXTS.joined(ROOM, [], playing=True)


def test_a_group_is_told_how_privacy_mode_is_switched() -> None:
    assert "@BotFather" in TEXTS.greet_group("bot", sees_all=False)
    assert "/guess" in TEXTS.greet_group("bot", sees_all=False)
    assert "@BotFather" not in TEXTS.greet_group("bot", sees_all=True)


def test_a_vote_names_who_wants_to_give_up_and_what_it_takes() -> None:
    # when
    said = seen(TEXTS.notice("vote", {"votes": 2, "needed": 3, "name": "<Ada>", "player_id": 5}))

    # then
    assert said == "🏳️ <Ada> wants to give up.\n2 of 3 votes to give up. /giveup adds yours."


def test_a_hint_names_its_symbol_and_its_price() -> None:
    said = seen(TEXTS.hint("🍌", 1, 1))
    assert said == "💡 🍌 (banana) is in the code.\nIt costs 60 points of your best. You have one more hint."
    assert "last hint" in TEXTS.hint("🍌", 2, 0)
    assert "(банан)" in RUSSIAN.hint("🍌", 1, 1)


@pytest.mark.parametrize("kind", [RoomKind.GROUP, RoomKind.TOPIC, RoomKind.LINK])
def test_several_players_are_not_told_that_one_of_them_gave_up(kind: RoomKind) -> None:
    assert "You gave up" in end(reason="gave_up")
    assert "You gave up" not in end(reason="gave_up", room=kind)
    assert "your last guess" not in end(reason="out_of_guesses", room=kind)


def test_who_did_not_win_is_told_their_place() -> None:
    assert "Your best: 480/600. You were 2nd of 5." in end(best=480, rank=2, of=5, room="link")
    assert "You were" not in end(best=480, rank=1, of=1)


def test_the_end_of_a_day_names_it_and_who_cracked_it_first() -> None:
    # given
    day = {"reason": "day_over", "room": "daily", "day": "2026-11-29"}

    # then
    assert "The puzzle of November 29 is over. Ada cracked it first." in end(**day)
    assert "Nobody cracked it before you!" in end(**day, you_won=True)
    assert end(**day, winner=None, winner_id=None).startswith("📅 The puzzle of November 29 is over.\n")
    assert "/daily" in end(**day)


def test_a_shared_day_shows_pegs_and_no_symbol() -> None:
    # given
    cracked = SharedDaily("2026-11-29", 8, ((1, 2), (6, 0)), True, 3, 7)
    missed = SharedDaily("2026-11-29", 8, ((0, 6),) * 8, False, 0, 7)

    # then
    assert seen(TEXTS.share(cracked)) == "Codemojex November 29  2/8\n🟢🟡🟡⚪⚪⚪\n🟢🟢🟢🟢🟢🟢\n🔥 3 days"
    assert seen(RUSSIAN.share(cracked)).startswith("Codemojex, 29 ноября  2/8\n")
    assert seen(TEXTS.share(missed)) == "\n".join(["Codemojex November 29  ✗/8", *["🟡" * 6] * 8])


def test_who_finishes_a_day_hears_of_their_streak() -> None:
    # given
    data = {"day": "2026-11-29", "limit": 8, "streak": 3, "best_streak": 7}

    # when
    cracked = seen(TEXTS.notice("daily_done", data | {"number": 5}))
    missed = seen(TEXTS.notice("daily_done", data | {"number": None, "best_streak": 3}))

    # then
    assert "Cracked in 5 guesses!" in cracked
    assert "🔥 3 days in a row. Your best: 7 days." in cracked
    assert "That was your last guess." in missed
    assert "Your best" not in missed


def test_the_puzzle_of_a_day_is_introduced_as_one() -> None:
    # when
    said = seen(TEXTS.new_game(makers.game(Mode.PEGS), draft="", day="2026-11-29"))

    # then
    assert said.startswith("📅 The puzzle of November 29: one code for everybody")
    assert "/leave goes back" in said
    assert "🎯 Your guess: ⬜" in said


def test_a_season_board_lists_the_first_and_who_asks() -> None:
    # given
    view = SeasonView((SeasonRow(1, 5, "<Ada>", 1_234, 2, 9),), SeasonRow(31, 6, "Bob", 21, 0, 1))

    # then
    assert seen(TEXTS.top(view, None, Period.WEEK)) == (
        "🏆 Everybody · this week\n1. <Ada> · 1234 points · 2 wins\n\nYou: 31. Bob · 21 points"
    )
    far = SeasonView(view.rows, replace(view.rows[0], rank=RANKED + 1))
    assert f"You: {RANKED}+. " in seen(TEXTS.top(far, None, Period.WEEK))
    assert "🏆 <Gang> · all time" in seen(TEXTS.top(view, "<Gang>", Period.ALL))
    assert "Nobody has points" in TEXTS.top(SeasonView(()), None, Period.TODAY)


def test_a_players_numbers_agree_with_their_nouns() -> None:
    # given
    view = StatsView(21, 1, 600, 102, 5, 341, 2, 11)

    # then
    assert seen(TEXTS.stats(view)) == (
        "📊 Your games\n21 games · 1 win\n102 guesses · 5 codes cracked\nBest game: 600/600\n"
        "On average: 341/600\n🔥 2 days in a row. Your best: 11 days."
    )
    assert "21 игра · 1 победа\n102 попытки · 5 взломанных кодов" in RUSSIAN.stats(view)
    assert "haven't finished" in TEXTS.stats(StatsView(0, 0, None, 0, 0, None, 0, 0))


def test_a_streak_is_told_before_the_first_day_is_over() -> None:
    """Who has finished the day's puzzle has finished no game yet: that ends with the day."""
    said = TEXTS.stats(StatsView(0, 0, None, 0, 0, None, 1, 1))
    assert "haven't finished" in said
    assert "🔥 Your streak has begun" in said


def test_settings_say_what_was_chosen_and_what_was_not() -> None:
    assert "Language: English, as Telegram tells me" in TEXTS.settings(Preferences(), group=False)
    assert "as Telegram" not in TEXTS.settings(Preferences(), group=True)
    assert "Language: Русский" in TEXTS.settings_changed(Preferences("ru", Mode.PEGS), group=False)
    assert [TEXTS.language_name(code) for code in ("en", "ru", None)] == [
        "English",
        "Русский",
        "As in Telegram",
    ]


def test_the_rules_name_the_emojis_of_the_game_or_of_every_theme() -> None:
    assert "🍎 apple · 🍌 banana" in TEXTS.rules(makers.game().keyboard)
    assert "🐶" not in TEXTS.rules(makers.game().keyboard)
    assert "🐶 dog" in TEXTS.rules()
    assert "🐶 собака" in RUSSIAN.rules()
    assert "<code>/new animals</code>" in RUSSIAN.rules()


def test_a_puzzle_that_takes_no_more_guesses_asks_for_none() -> None:
    # given
    puzzle = makers.game()

    # then
    assert "for this puzzle" in TEXTS.new_game(puzzle, day="2026-11-30", draft=())
    assert "for this puzzle" not in TEXTS.new_game(puzzle, day="2026-11-30", draft=None)
