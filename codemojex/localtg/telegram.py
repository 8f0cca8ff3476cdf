"""The local Telegram as a whole: a server on loopback, its people, its faults."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterable
from pathlib import Path

from aiohttp import web
from aiohttp.web_request import BaseRequest

from codemojex.localtg.control import Control
from codemojex.localtg.counters import Counters
from codemojex.localtg.faults import Fault, FaultKind, Faults
from codemojex.localtg.journal import Request
from codemojex.localtg.model import Chat, Raw, User
from codemojex.localtg.people import Person
from codemojex.localtg.server import BotApi
from codemojex.localtg.world import Options, World

_LETTERS = string.ascii_letters + string.digits
# Above 32 bits, as real ids are: code that keeps them in an int breaks here, not in production.
_FIRST_PERSON = 5_000_000_000


class LocalTelegram:
    """A Bot API server for one bot, with the people who talk to it.

    Args:
        token: the bot's token, ``<bot id>:<35 letters>``; a fresh one when absent.
        state: a file that keeps update, message and person ids from repeating across restarts.
        faults: trouble for the first requests.
        options: budgets, sizes of the log and of chats, the clock.
    """

    def __init__(
        self,
        token: str | None = None,
        state: Path | None = None,
        faults: Iterable[Fault] = (),
        options: Options | None = None,
    ) -> None:
        self.token = token or fresh_token()
        identity = self.token.partition(":")[0]
        if not identity.isdigit():
            raise ValueError("a token begins with the bot's numeric id and a colon")
        settings = options or Options()
        bot = User(int(identity), "codemojex", username=settings.username, is_bot=True)
        self.world = World(bot, Counters(state), settings)
        self.faults = Faults(faults)
        self._api = BotApi(self.world, self.token, self.faults)
        self._control = Control(self)
        self._people: dict[int, Person] = {}
        self._runner: web.ServerRunner | None = None
        self._url = ""

    @property
    def url(self) -> str:
        """The Bot API root, without a trailing slash (``TELEGRAM_API_URL``)."""
        if not self._url:
            raise RuntimeError("the local Telegram has not been started: await start() first")
        return self._url

    @property
    def requests(self) -> list[Request]:
        """The request log, oldest first, without the token."""
        return list(self._api.requests)

    @property
    def requests_seen(self) -> int:
        """How many requests came in all, also those the log has forgotten."""
        return self._api.seen

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 takes a free one."""
        if self._runner is not None:
            raise RuntimeError("the local Telegram runs already")
        self._api.closing.clear()
        server = web.Server(self._handle, handler_cancellation=True, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=1.0)
        await runner.setup()
        self._runner = runner
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError:
            await self.stop()
            raise
        self._url = f"http://{host}:{runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Answer what is held, close every connection; people and updates stay as they are."""
        if self._runner is not None:
            self._api.closing.set()
            self.world.updates.hang_up()
            runner, self._runner = self._runner, None
            await runner.cleanup()

    async def __aenter__(self) -> LocalTelegram:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # -- people and chats ------------------------------------------------------------------------

    def person(
        self,
        name: str,
        id: int | None = None,
        language_code: str | None = None,
        *,
        username: str | None = None,
        known: bool = False,
    ) -> Person:
        """A person with this first name; the same one again for an id that exists.

        Args:
            known: they wrote to the bot in an earlier life: it may write to them at once.
        """
        if id is not None and id in self._people:
            return self._people[id]
        identity = _FIRST_PERSON + self.world.counters.next("person") if id is None else id
        person = Person(self.world, User(identity, name, None, username, language_code))
        self._people[identity] = person
        if known:
            self.world.open_chat(person.user.private_chat())
        return person

    @property
    def people(self) -> dict[int, Person]:
        """Everybody, by id."""
        return dict(self._people)

    def chat(self, chat_id: int) -> Chat:
        """A chat the bot knows."""
        return self.world.chat(chat_id)

    # -- updates ---------------------------------------------------------------------------------

    def pending(self) -> list[Raw]:
        """Updates no getUpdates has confirmed yet, oldest first."""
        return self.world.updates.pending()

    @property
    def polling(self) -> bool:
        """True while a getUpdates is held open, waiting for the next update."""
        return self.world.updates.held

    def inject(self, *updates: Raw) -> list[Raw]:
        """Queue raw updates as they are; one without an ``update_id`` gets the next."""
        return [self.world.inject(update) for update in updates]

    # -- faults ----------------------------------------------------------------------------------

    def fail_next(
        self,
        method: str | None = None,
        chat_id: int | None = None,
        status: int = 429,
        *,
        retry_after: int | None = None,
        description: str | None = None,
        migrate_to_chat_id: int | None = None,
        times: int = 1,
    ) -> Fault:
        """Answer the next ``times`` matching requests with an error and do nothing else."""
        return self.faults.add(
            Fault(
                FaultKind.REFUSE,
                method,
                chat_id,
                times,
                status,
                description,
                retry_after,
                migrate_to_chat_id,
            )
        )

    def lose_answer(self, method: str | None = None, chat_id: int | None = None, times: int = 1) -> Fault:
        """Accept and do the next matching requests, but close the connection unanswered."""
        return self.faults.add(Fault(FaultKind.LOSE, method, chat_id, times))

    def drop_next(self, method: str | None = None, chat_id: int | None = None, times: int = 1) -> Fault:
        """Close the connection of the next matching requests without doing anything."""
        return self.faults.add(Fault(FaultKind.DROP, method, chat_id, times))

    def hang(self, method: str = "getUpdates", chat_id: int | None = None, times: int = 1) -> Fault:
        """Leave the next matching requests without an answer, until ``release()``."""
        return self.faults.add(Fault(FaultKind.HANG, method, chat_id, times))

    def delay(
        self, seconds: float, method: str | None = None, chat_id: int | None = None, times: int = 1
    ) -> Fault:
        """Let the next matching requests wait before they are done."""
        return self.faults.add(Fault(FaultKind.DELAY, method, chat_id, times, seconds=seconds))

    def release(self) -> None:
        """Close the connections of every hanging request."""
        self._api.release()

    # -- inside ----------------------------------------------------------------------------------

    async def _handle(self, request: BaseRequest) -> web.StreamResponse:
        if request.path.startswith("/bot"):
            return await self._api.answer(request)
        return await self._control.answer(request)


def fresh_token() -> str:
    """A token of the shape Telegram gives, of no bot in the world."""
    tail = "".join(secrets.choice(_LETTERS) for _ in range(35))
    return f"{7_000_000_000 + secrets.randbelow(1_000_000_000)}:{tail}"
