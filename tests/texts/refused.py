"""One of each refusal, with the worst that a player can have typed."""

from __future__ import annotations

from codemojex.game import refusals
from codemojex.game.refusals import GameRefused, GuessRefused
from tests.texts import makers

REFUSED: list[GuessRefused | GameRefused] = [
    refusals.NotSix(7),
    refusals.Empty(),
    refusals.TooLong(4_000, 256),
    refusals.Unknown(((3, "🥝"),)),
    refusals.Unknown(tuple((n, "<" * 8 + "…") for n in range(1, 7))),
    refusals.Repeated(4, 1, "🍎"),
    refusals.NoGame(),
    refusals.Forwarded(),
    refusals.GameOver(),
    refusals.OutOfGuesses(12),
    refusals.AlreadyTried(3),
    refusals.AlreadyTried(3, total=480),
    refusals.AlreadyTried(3, exact=2, misplaced=1),
    refusals.TooFast(1.0, tell=True),
    refusals.TooMuch(tell=True),
    refusals.NotAPlayer(),
    refusals.GameRunning(makers.NOON),
    refusals.NothingToGiveUp(),
    refusals.NotYoursToGiveUp(),
    refusals.BadOption("<i>\u202e&" * 10),
    refusals.OneOfAKind("level", "easy", "hard"),
    refusals.OneOfAKind("mode", "pegs", "blind"),
    refusals.OneOfAKind("theme", "fruit", "food"),
    refusals.OneOfAKind("minutes", "10", "20"),
    refusals.NotFilling(4, 3),
    refusals.NotFilling(4, 0),
    refusals.AlreadySolved(),
    refusals.DailyNotGivenUp(),
    refusals.VoteCounted(2, 3),
    refusals.NoHintsLeft(2),
    refusals.BadPosition("<" * 200),
    refusals.NotOneSymbol(2),
    refusals.NotOnKeyboard("<b>&\u202e"),
    refusals.PinTaken("🍎", 2),
    refusals.StaleDraft(),
    refusals.AdminsOnly(),
    refusals.NotASetting(),
    refusals.NoSuchRoom("</code>" * 50),
    refusals.DayOver("2026-11-29"),
    refusals.BadMinutes("9" * 4_000, 1, 1_440),
]
