"""Whether anything gives an open game's secret away: every request to Telegram, log line and job is searched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from codemojex.localtg import Request
from codemojex.testing import queues
from codemojex.testing.facts import Played, crackers_of
from codemojex.texts import language, symbols

if TYPE_CHECKING:
    from codemojex.testing.game import Game

_BACKSLASHES = re.compile(r"\\+")
_UNITS = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_BYTES = re.compile(r"(?:\\x[0-9a-fA-F]{2})+")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)Z")
# What may stand between two symbols, or two names, and still make a sequence of them.
_GAP, _NAME_GAP = r"[^\w\n]{0,4}", r"\W{1,8}"


@dataclass(frozen=True, slots=True)
class Leak:
    """Something that should not have been said: of which game, where, and what stands there."""

    game_id: int
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class _Said:
    """Something that left the system: when by the machine's clock, where to, and its text."""

    at: datetime
    where: str
    chat_id: int | None
    text: str


class LeakScan:
    """Searches what was said since the last look for the secret of a game that was open at that moment.

    A secret is found as its six symbols in order, written out or in JSON's escapes, as their names in any
    language, and as the nonce. One thing is no leak: who has cracked the puzzle of the day sees their own guess.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._requests = self._lines = 0
        self.searched = 0
        """How many texts were searched so far."""

    async def look(self) -> list[Leak]:
        """What was given away since the last look; the queue is read as it stands."""
        said = [*self._new_requests(), *self._new_lines()]
        async for key, text in queues.contents(self._game.app.settings):
            said.append(_Said(datetime.now(UTC), f"queue key {key}", None, text))
        self.searched += len(said)
        played = await self._game.played()
        crackers = await self._game.app.store.read(crackers_of)
        found = []
        for game in played:
            forms = _forms(game)
            for each in said:
                if self._was_open(game, each.at) and (each.chat_id, game.id) not in crackers:
                    found += [Leak(game.id, each.where, what) for what in _found(forms, each.text)]
        return found

    def _was_open(self, game: Played, machine: datetime) -> bool:
        at = self._game.clock.shown_at(machine)
        return game.opened_at <= at and (game.closed_at is None or at < game.closed_at)

    def _new_requests(self) -> Iterator[_Said]:
        telegram = self._game.telegram
        new, self._requests = telegram.requests_seen - self._requests, telegram.requests_seen
        for request in telegram.requests[-new:] if new else []:
            for text in _texts(dict(request.params)):
                yield _Said(request.at, _place(request), request.chat_id, text)

    def _new_lines(self) -> Iterator[_Said]:
        lines = self._game.log.lines
        at = datetime.now(UTC)
        for line in lines[self._lines :]:
            stamp = _STAMP.match(line)
            at = at if stamp is None else datetime.fromisoformat(f"{stamp[1]}+00:00")
            yield _Said(at, "log", None, line)
        self._lines = len(lines)


def _place(request: Request) -> str:
    return f"{request.method} to {request.chat_id}" if request.chat_id else request.method


def _forms(game: Played) -> list[re.Pattern[str]]:
    """Every way to write a secret down."""
    spoken = [language.language(code) for code in language.languages()]
    named = [[str(symbols.name(each, char)) for char in game.secret] for each in spoken]
    sequences = [_GAP.join(map(re.escape, game.secret))]
    sequences += [_NAME_GAP.join(rf"\b{re.escape(name)}\b" for name in names) for names in named]
    return [re.compile(form, re.IGNORECASE) for form in (*sequences, game.nonce)]


def _found(forms: list[re.Pattern[str]], text: str) -> Iterator[str]:
    unescaped = _unescaped(text)
    for form in forms:
        hit = form.search(unescaped)
        if hit is not None:
            yield hit[0]


def _unescaped(text: str) -> str:
    """JSON's and Python's escapes, however often escaped again, as the characters they stand for."""
    once = _BACKSLASHES.sub(r"\\", text)
    read = _UNITS.sub(lambda found: _hex(found[0], "\\u").decode("utf-16-be", "replace"), once)
    return _BYTES.sub(lambda found: _hex(found[0], "\\x").decode("utf-8", "replace"), read)


def _hex(escapes: str, mark: str) -> bytes:
    return bytes.fromhex(escapes.replace(mark, ""))


def _texts(value: Any) -> Iterator[str]:
    """Every text in the parameters of a request, also inside JSON and files."""
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                yield from _texts(json.loads(value))
            except ValueError:
                return
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, dict):
        yield " ".join(str(each) for each in value.values() if isinstance(each, str | int))
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        yield " ".join(str(each) for each in value if isinstance(each, str | int))
        for each in value:
            yield from _texts(each)
    elif hasattr(value, "__dataclass_fields__"):
        yield from _texts({field.name: getattr(value, field.name) for field in fields(value)})
