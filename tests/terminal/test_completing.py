"""What Tab offers after a command."""

from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from codemojex.terminal.completing import ChatCompleter
from codemojex.terminal.letters import Letters
from tests.terminal.conftest import KEYS
from tests.terminal.test_screen import CHOICES

COMPLETER = ChatCompleter(Letters(KEYS), lambda: [("new", "start a game"), ("help", "how to play")], CHOICES)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/", "/new /help"),
        ("/n", "/new"),
        ("/new ", "easy normal hard classic pegs blind fruit animals"),
        ("/new h", "hard"),
        ("/NEW H", "hard"),
        ("/new hard ", "classic pegs blind fruit animals"),
        ("/new hard 15 ", "classic pegs blind fruit animals"),
        ("/new hard e", ""),
        ("/new fruit pegs ", "easy normal hard"),
        ("/new  an", "animals"),
        ("/help ", ""),
        ("/settings ", "language mode"),
        ("/settings language ", "en ru"),
        ("/settings mode p", "pegs"),
        ("/settings mode pegs ", ""),
        ("ban", "🍌"),
        ("", ""),
    ],
)
def test_the_words_that_may_follow_are_offered_one_of_a_kind(typed: str, offered: str) -> None:
    found = COMPLETER.get_completions(Document(typed), CompleteEvent())
    assert [completion.text for completion in found] == offered.split()
