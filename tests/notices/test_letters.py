"""What merges into one message, and what is reacted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from codemojex.notices.faces import reaction
from codemojex.notices.letters import Letter
from codemojex.notices.letters import compose as compose_at
from codemojex.notices.outgoing import (
    Document,
    Reaction,
)
from codemojex.play.outbox import Notice
from codemojex.texts import catalogs
from tests.notices.desk import NOON
from tests.texts import makers

TEXTS = catalogs.of("en")


def compose(waiting: Sequence[Notice], texts: Any) -> Letter:
    return compose_at(waiting, texts, NOON)


def notice(n: int, text: str = "hello", **changes: Any) -> Notice:
    data = {"text": text, **changes.pop("data", {})}
    return Notice(f"JOB{n:011d}", 7, changes.pop("thread_id", 0), "text", data, NOON, **changes)


def test_notices_of_different_topics_do_not_share_a_message() -> None:
    # when
    letter = compose([notice(1), notice(2, thread_id=5)], TEXTS)

    # then
    assert letter.message is not None
    assert letter.message.ids == (notice(1).id,)


def test_a_repeated_message_takes_nothing_new_along() -> None:
    # when
    letter = compose([notice(1, sends=1), notice(2, sends=1), notice(3)], TEXTS)

    # then
    assert letter.message is not None
    assert letter.message.ids == (notice(1).id, notice(2).id)
    assert letter.message.attempt == 2


def test_only_a_lone_notice_is_a_reply() -> None:
    # when
    alone = compose([notice(1, reply_to=9)], TEXTS).message
    merged = compose([notice(1, reply_to=9), notice(2, reply_to=10)], TEXTS).message

    # then
    assert alone is not None
    assert merged is not None
    assert (alone.reply_to, merged.reply_to) == (9, None)


def test_the_same_words_again_are_said_once_and_told_to_all() -> None:
    """A flood of guesses that are refused alike, or ten people who start a game at once."""
    # when
    letter = compose([notice(1), notice(2, "other"), notice(3), notice(4, "other")], TEXTS)

    # then
    assert letter.message is not None
    assert letter.message.text == "hello\n\nother"
    assert len(letter.message.ids) == 4


def test_a_guess_is_told_though_the_one_before_reads_the_same() -> None:
    # given
    told = [replace(notice(n, data=makers.blind()), kind="result", guess_id=f"g{n}") for n in (1, 2)]

    # when
    letter = compose(told, TEXTS)

    # then
    assert letter.message is not None
    first, second = letter.message.text.split("\n\n")
    assert first == second


def test_a_notice_longer_than_a_message_may_be_goes_alone() -> None:
    # when
    letter = compose([notice(1, "x" * 4_000), notice(2)], TEXTS)

    # then
    assert letter.message is not None
    assert letter.message.ids == (notice(1).id,)


def test_nothing_makes_no_message() -> None:
    assert compose([], TEXTS).message is None


def test_a_document_is_a_message_of_its_own() -> None:
    # given
    file = Notice("JOB00000000002", 7, 0, "document", {"name": "me.json", "content": "{}"}, NOON)

    # when
    before = compose([notice(1), file], TEXTS).message
    itself = compose([file, notice(3)], TEXTS).message

    # then
    assert before is not None
    assert itself is not None
    assert (before.ids, itself.ids) == ((notice(1).id,), (file.id,))
    assert itself.document == Document("me.json", b"{}")


def test_a_guess_put_together_with_buttons_is_answered_without_a_reply() -> None:
    assert compose([notice(1, reply_to=-10_001)], TEXTS).message is not None
    assert compose([notice(1, reply_to=-10_001)], TEXTS).message.reply_to is None  # type: ignore[union-attr]


RESULT = {"mode": "classic", "total": 480, "new_best": False}


@pytest.mark.parametrize(
    ("data", "emoji"),
    [
        (RESULT, "👍"),
        (RESULT | {"new_best": True}, "🔥"),
        (RESULT | {"total": 600, "new_best": True}, "🎉"),
        ({"mode": "pegs", "total": None, "exact": 5}, "👌"),
        ({"mode": "pegs", "total": None, "exact": 6}, "🎉"),
        ({"mode": "blind", "total": None}, "👌"),
    ],
)
def test_a_reaction_says_no_more_than_the_mode(data: dict[str, Any], emoji: str) -> None:
    result = Notice("JOB00000000001", -7, 0, "result", data, NOON, reply_to=5)
    assert reaction(result) == Reaction(5, emoji)


def test_nothing_is_reacted_to_where_there_is_no_message_or_no_result() -> None:
    late = Notice("JOB00000000001", -7, 0, "late", RESULT, NOON, reply_to=5)
    composed = Notice("JOB00000000001", -7, 0, "result", RESULT, NOON, reply_to=-5)
    assert (reaction(late), reaction(composed)) == (None, None)
