"""People who play at random, everywhere at once, and never hold back."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any

from codemojex.testing.chats import Chat
from codemojex.testing.game import Game
from codemojex.testing.seats import Seat

_LEVELS, _MODES = ("easy", "normal", "hard"), ("classic", "pegs", "blind")
_THEMES = ("fruit", "animals", "food", "nature", "travel", "things")
_QUESTIONS = (
    "/board", "/verify", "/rules", "/stats", "/top global all", "/share", "/settings", "/help", "/ping", "/privacy",
    "/privacy export", "hello", "/start", "/unpin", "/guess", "/settings language ru", "/settings language en",
    "/pin", "/leave",
)  # fmt: skip


@dataclass
class Roamers:
    """Ada, Bo and Ира in a group, in a forum topic and in a room of Ada's; Cy alone; each with the daily."""

    game: Game
    dice: random.Random
    seats: list[Seat] = field(default_factory=list)
    steps: dict[str, int] = field(default_factory=dict)

    async def gather(self) -> None:
        """Bring everybody together."""
        for name, language in (("Ada", "en"), ("Bo", "en"), ("Ира", "ru")):
            self.seats.append(await self.game.person(name, language=language))
            await self.seats[-1].starts()
        ada = self.seats[0]
        names = [seat.name for seat in self.seats]
        group = await self.game.group("Fruit", *names[1:], admins=names[:1])
        forum = await self.game.group("Forum", *names, forum=True)
        topic = await forum.opens_topic("Topic")
        await ada.says("/invite")
        code = re.search(r"start=(r_\w+)", ada.last)
        for seat in self.seats[1:]:
            await seat.starts(code[1] if code else "")
        self.seats += [*group.seats.values(), *topic.seats.values(), await self.game.person("Cy")]
        await self.seats[-1].says("/new")

    async def step(self) -> None:
        """Somebody does something."""
        seat, act = self.dice.choice(self.seats), self._act()
        self.steps[act.__name__] = self.steps.get(act.__name__, 0) + 1
        await act(seat)

    def _act(self) -> Any:
        acts = {
            self.guesses: 12, self.composes: 2, self.asks: 5, self.begins: 4, self.begins_the_daily: 2, self.pins: 1,
            self.hints: 1, self.gives_up: 1, self.cracks: 2, self.lets_time_pass: 1, self.errs: 2,
        }  # fmt: skip
        return self.dice.choices(list(acts), weights=list(acts.values()))[0]

    async def guesses(self, seat: Seat) -> None:
        """As near as can be, or anything."""
        symbols, secret = await self._playing(seat)
        six = list(secret) if self.dice.random() < 0.5 else self.dice.sample(symbols, 6)
        if "".join(six) == secret:
            one, other = self.dice.sample(range(6), 2)
            six[one], six[other] = six[other], six[one]
        await seat.guesses(six)

    async def composes(self, seat: Seat) -> None:
        """With buttons; whatever stands on those that are seen."""
        keys = [each for each in seat.chat.buttons if len(each) == 1 and each not in "⌫🗑✅"]
        for key in self.dice.sample(keys, min(len(keys), self.dice.randint(1, 6))):
            await seat.presses(key)
        if "✅" in seat.chat.buttons and self.dice.random() < 0.5:
            await seat.presses(self.dice.choice("⌫🗑✅"))

    async def asks(self, seat: Seat) -> None:
        """Any question."""
        await seat.says(self.dice.choice(_QUESTIONS))

    async def begins(self, seat: Seat) -> None:
        """A game of any kind."""
        options = [self.dice.choice(each) for each in (_LEVELS, _MODES, _THEMES)]
        await seat.says(" ".join(["/new", *options, *self.dice.choice([[], ["5"]])]))

    async def begins_the_daily(self, seat: Seat) -> None:
        """Everybody plays it in private."""
        await seat.alone.says("/daily")

    async def pins(self, seat: Seat) -> None:
        """A symbol somewhere."""
        symbols, _ = await self._playing(seat)
        await seat.says(f"/pin {self.dice.randint(1, 6)} {self.dice.choice(symbols)}")

    async def hints(self, seat: Seat) -> None:
        """A hint."""
        await seat.says("/hint")

    async def gives_up(self, seat: Seat) -> None:
        """Or votes for it."""
        await seat.says("/giveup")

    async def cracks(self, seat: Seat) -> None:
        """The secret itself, where there is one."""
        await seat.guesses((await self._playing(seat))[1])

    async def lets_time_pass(self, seat: Seat) -> None:
        """Minutes, or a day."""
        await self.game.pass_time(minutes=self.dice.choice([1, 6, 16, 24 * 60]))

    async def errs(self, seat: Seat) -> None:
        """What is no guess, or an edit of the last message."""
        symbols, secret = await self._playing(seat)
        await seat.says(
            self.dice.choice([secret[:5], secret[:5] + secret[0], secret + symbols[-1], "🦴" * 6])
        )

    async def _playing(self, seat: Seat) -> tuple[str, str]:
        """Keyboard and secret of a game this guess may be for: of the chat, else of the newest room."""
        open_ = [each for each in self.game.games if each.open and _may_reach(each, seat.chat)]
        played = self.dice.choice(open_) if open_ else None
        return ("🍎🍌🍇🍓🍒🍍🍋🍉", "🍎🍌🍇🍓🍒🍉") if played is None else (played.keyboard, played.secret)


def _may_reach(played: Any, chat: Chat) -> bool:
    here = (played.chat_id, played.thread_id) == (chat.id, chat.thread)
    return here or (chat.group is None and played.chat_id is None)
