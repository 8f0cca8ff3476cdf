"""The whole system of one test: a Telegram, the bot, the worker, the queue and the database, and what they did."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.app import App
from codemojex.localtg import Event, LocalTelegram, Message
from codemojex.play import rest, sweep
from codemojex.play.audit import AuditReport, audit
from codemojex.testing import facts, queues
from codemojex.testing.chats import Chat
from codemojex.testing.clock import MovableClock
from codemojex.testing.groups import Group
from codemojex.testing.logs import Log
from codemojex.testing.seats import Seat
from codemojex.testing.transcript import Transcript
from codemojex.testing.waiting import until_none

_AnyChat = TypeVar("_AnyChat", bound=Chat)


class Game:
    """What a flow is written with.

    Attributes:
        telegram: the local Telegram; its faults and its request log.
        app: the wired system; its parts are running.
        clock: the time of everybody.
        log: what the bot and the worker logged.
        games: every game there is, as of the last rest.
        transcript: everything said so far.
    """

    def __init__(self, telegram: LocalTelegram, app: App, clock: MovableClock, log: Log) -> None:
        self.telegram, self.app, self.clock, self.log = telegram, app, clock, log
        self.games: list[facts.Played] = []
        self.transcript = Transcript()
        self._seats: dict[str, Seat] = {}
        self._chats: dict[tuple[int, int], Chat] = {}
        self._presses: dict[str, Seat] = {}
        self._pressed: list[str] = []
        self._hurried = False
        telegram.world.listen(None, self._heard)

    # -- who and where ---------------------------------------------------------------------------

    async def person(
        self, name: str, *, language: str = "en", username: str | None = None, id: int | None = None
    ) -> Seat:
        """Somebody in their private chat with the bot; the same one again for the same name."""
        if name not in self._seats:
            person = self.telegram.person(name, id, language, username=username)
            self._seats[name] = Seat(self, person, self.show(Chat(self, person.id, name)))
        return self._seats[name]

    async def group(
        self,
        title: str,
        *names: str,
        admins: Sequence[str] = (),
        language: str = "en",
        forum: bool = False,
        supergroup: bool = False,
    ) -> Group:
        """A group with the bot and these people.

        Args:
            names, admins: first names; the first admin owns the group, or somebody who says nothing.
            language: of those met for the first time.
        """
        alone = [await self.person(name, language=language) for name in (*admins, *names)]
        group = self.telegram.group(
            title,
            [seat.person for seat in alone[len(admins) :]],
            [seat.person for seat in alone[: len(admins)]],
            forum=forum,
            supergroup=supergroup,
        )
        made = self.show(Group(self, group, title))
        for seat in alone:
            made.sit(seat)
        await self.rest()
        return made

    def show(self, chat: _AnyChat) -> _AnyChat:
        """Follow a chat from now on."""
        self._chats[chat.id, chat.thread] = chat
        return chat

    def name_of(self, id: int) -> str:
        """The name of who has this id; the id itself where there is nobody with it."""
        seated = next((seat.name for seat in self._seats.values() if seat.id == id), None)
        user = self.telegram.world.users.get(id)
        return seated or (str(id) if user is None else user.first_name)

    # -- time ------------------------------------------------------------------------------------

    async def rest(self) -> None:
        """Return when nothing is left to do: every update handled, guess told, game due settled, press answered.

        Raises:
            AssertionError: something was still going on after a minute.
        """
        if not self._hurried:
            await until_none(self._busy)

    @contextlib.asynccontextmanager
    async def hurry(self) -> AsyncIterator[None]:
        """Nobody waits for an answer in here; what was caused has come to rest at the end."""
        self._hurried = True
        try:
            yield
        finally:
            self._hurried = False
        await self.rest()

    async def pass_time(self, **step: float) -> None:
        """Move the clock by ``minutes=15`` and the like, and let what is due then happen."""
        self.clock.forward(timedelta(**step))
        await self.sweep()

    async def sweep(self) -> None:
        """Let the sweep look now instead of on its beat."""
        assert self.app.sweeper is not None
        await self.app.sweeper.once()
        await self.rest()

    @contextlib.asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """No guess is scored in here, and nobody waits for that; at the end it has come to rest."""
        async with self.hurry(), queues.paused(self.app.settings):
            yield
            await self.taken()

    async def taken(self) -> None:
        """Return when every update is handled and its guesses lie in the queue, scored or not."""
        await until_none(self._taking)

    # -- what is known ---------------------------------------------------------------------------

    async def played(self) -> list[facts.Played]:
        """Every game there is, as of now."""
        return await self.app.store.read(facts.all_games)

    async def guesses_of(self, played: facts.Played) -> list[facts.Guessed]:
        """The guesses of a game, in the order of admission."""
        return await self.app.store.read(lambda tx: facts.guesses_of(tx, played.id))

    async def finishes(self, played: facts.Played) -> list[facts.Finished]:
        """How the players of a closed game ended it, best first."""
        return await self.app.store.read(lambda tx: facts.finishes_of(tx, played.id))

    async def mentions(self, player_id: int) -> list[str]:
        """Every column of the database, as ``table.column``, that holds this id."""
        return await self.app.store.read(lambda tx: facts.mentions_of(tx, player_id))

    def document(self, message: Message) -> bytes:
        """The file that a message of the bot carries."""
        return self.telegram.document(message).content

    async def audit(self) -> AuditReport:
        """What `codemojex audit` would say now."""
        return await self.app.store.read(lambda tx: audit(tx, self.clock()))

    async def ends_well(self) -> None:
        """Check what holds after every flow: nothing left to do, every promise kept, nothing gone wrong unseen.

        Raises:
            AssertionError: one of these does not hold.
        """
        await self.rest()
        report = await self.audit()
        assert report.holds, f"the audit found {[each.name for each in report.violations]}"
        assert report.counts["poison"] == 0, "an update could not be handled"
        errors = self.log.at_least("error", "critical")
        assert not errors, f"the log has errors: {errors}"

    def waits_for(self, press: str, seat: Seat) -> None:
        """There is no rest before this button is answered; ``seat`` sees the toast."""
        self._pressed.append(press)
        self._presses[press] = seat

    def presses(self) -> list[str]:
        """The buttons pressed so far."""
        return list(self._pressed)

    def answers(self) -> list[str]:
        """The presses the bot answered, in the order of its answers."""
        answers = [each for each in self.telegram.requests if each.method == "answerCallbackQuery"]
        return [str(each.params["callback_query_id"]) for each in answers]

    # -- inside ----------------------------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        """Something happened in some chat."""
        thread = 0 if event.message is None else event.message.thread_id or 0
        chat = self._chats.get((event.chat_id, thread))
        title = self._title_of(event) if chat is None else chat.title
        who = "bot" if event.by is None else self.name_of(event.by)
        to = "" if event.to is None else f" to {self.name_of(event.to)}"
        self.transcript.heard(title, who + to, event)
        if chat is not None and event.by is None and event.to is None:
            chat.hear(event)

    def _title_of(self, event: Event) -> str:
        """What a chat is called that nobody shows yet: a group that is being made."""
        known = {} if event.message is None else event.message.raw["chat"]
        return str(known.get("title", f"chat {event.chat_id}"))

    async def _busy(self) -> str | None:
        """What is still going on; None when nothing is."""
        if self.telegram.pending():
            return "updates wait to be handled"
        if self._presses:
            self._take_answers()
            if self._presses:
                return "a pressed button waits for its answer"
        return await self.app.store.read(self._look)

    async def _taking(self) -> str | None:
        """What is not in the queue yet."""
        if self.telegram.pending():
            return "updates wait to be handled"
        return "guesses wait to be queued" if await self.app.store.read(facts.any_unqueued) else None

    def _take_answers(self) -> None:
        for request in self.telegram.requests:
            seat = self._presses.pop(str(request.params.get("callback_query_id")), None)
            if seat is not None:
                seat.toast = str(request.params.get("text", ""))

    async def _look(self, tx: AsyncConnection) -> str | None:
        if await rest.unfinished(tx):
            return "a guess or a message waits to be told"
        if await sweep.unsettled(tx, self.clock(), self.app.settings.daily_tz):
            return "a game is due to be settled"
        self.games = await facts.all_games(tx)
        return None
