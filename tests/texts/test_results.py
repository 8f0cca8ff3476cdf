"""Results and endings: bests, what a blind game kept back, rows of earlier versions."""

from __future__ import annotations

import re

from codemojex.texts import Texts
from codemojex.texts.markup import fits
from tests.texts import makers
from tests.texts.test_sentences import seen

TEXTS = Texts()


def test_a_tie_with_the_best_recalls_it_and_celebrates_nothing() -> None:
    # when
    said = seen(TEXTS.notice("result", makers.result(number=2)))

    # then
    assert said == "🍌🍎🍇🍓🍒🍍  560/600 · 93 % · best 560\n▰▰▰▰▰▰▰▰▰▱\n10 guesses left"


def test_notices_of_an_earlier_version_are_told_all_the_same() -> None:
    """A row may wait in the outbox while the program is exchanged."""
    # given
    old, end = makers.result(number=2), makers.ended(mode="blind")
    del old["new_best"]
    del end["revealed"]

    # then
    assert "93 % · best 560\n" in seen(TEXTS.notice("result", old))
    assert seen(TEXTS.notice("ended", end)).startswith("🏆")


def test_the_end_of_a_blind_game_shows_the_readers_guesses_with_their_points() -> None:
    # given
    revealed = [["".join(makers.NEAR), 560], ["".join(makers.SECRET), 600]]

    # when
    said = seen(TEXTS.notice("ended", makers.ended(mode="blind", revealed=revealed)))

    # then
    assert "\n\n👁 What your guesses earned\n1. 🍌🍎🍇🍓🍒🍍  560/600\n2. 🍎🍌🍇🍓🍒🍍  600/600\n\n🔓" in said


def test_more_guesses_than_one_message_holds_are_cut_to_the_last() -> None:
    # given
    revealed = [["".join(makers.NEAR), 560]] * 300

    # when
    message = TEXTS.notice("ended", makers.ended(mode="blind", revealed=revealed))

    # then
    cut = re.search(r"\(and (\d+) earlier ones\)\n(\d+)\. ", seen(message))
    assert fits(message)
    assert cut
    assert int(cut[1]) + 1 == int(cut[2])
    assert "\n300. " in message
    assert makers.NONCE in message
