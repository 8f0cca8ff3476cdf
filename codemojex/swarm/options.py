"""What a swarm is told: how many, how fast, how long, where; and that it stays on this machine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from codemojex.settings import BadSettings

_ROOM = 1.5  # seats for each guess of a second: a player waits for the answer before the next


@dataclass(frozen=True, slots=True)
class Shares:
    """Where guesses are sent, as weights.

    Attributes:
        private, group, daily: chats with the bot, groups, and the puzzle of the day.
    """

    private: float = 6.0
    group: float = 3.0
    daily: float = 1.0

    def __post_init__(self) -> None:
        if min(self.private, self.group, self.daily) < 0 or self.private + self.group + self.daily <= 0:
            raise BadSettings("--private, --groups and --daily are weights: none below 0, one above it")


@dataclass(frozen=True, slots=True)
class SwarmOptions:
    """The command line of `codemojex swarm`.

    Attributes:
        rate: guesses a second, in all.
        seconds: how long they are sent; games are opened before, and answers awaited after.
        players: how many there are; 0 takes as many as the rate needs.
        members: of each group.
        limits: keep the limits of a deployment: each player's pace, and Telegram's budgets of messages.
        workers: scoring workers.
        patience_s: how long an answer may take; past it a guess counts as unanswered.
        telegram: the address of a local Telegram that runs already, and a bot with it; None starts everything.
        database: DATABASE_URL; None: a SQLite file, gone afterwards; with ``telegram`` nothing is asked of a database.
        redis: REDIS_URL; None: an embedded server.
        seed: of what players do.
    """

    rate: float = 50.0
    seconds: float = 30.0
    players: int = 0
    members: int = 20
    shares: Shares = field(default_factory=Shares)
    limits: bool = False
    workers: int = 1
    patience_s: float = 30.0
    telegram: str | None = None
    database: str | None = None
    redis: str | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        for name, value in (
            ("--rate", self.rate),
            ("--seconds", self.seconds),
            ("--patience", self.patience_s),
        ):
            if value <= 0:
                raise BadSettings(f"{name} is above 0")
        if self.players < 0 or self.members < 2 or self.workers < 1:
            raise BadSettings("--players is 0 or more, --members 2 or more, --workers 1 or more")
        for name, url in (
            ("--telegram", self.telegram),
            ("--database", self.database),
            ("--redis", self.redis),
        ):
            if url is not None:
                check_loopback(name, url)

    @property
    def seats(self) -> int:
        """How many players there are."""
        return self.players or max(30, round(_ROOM * self.rate))


def check_loopback(name: str, url: str) -> None:
    """Refuse an address that is not on this machine: simulated players belong into nobody's game.

    Raises:
        BadSettings: it is elsewhere, or no address.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise BadSettings(f"{name}: {url!r} is no address like http://127.0.0.1:8081") from None
    hosts = [parsed.host or "", *_several(parsed.query.get("host", ()))]
    if not all(_is_here(host) for host in hosts):
        raise BadSettings(
            f"{name}: the swarm plays on this machine alone. Give an address on 127.0.0.1 or localhost."
        )


def _several(found: str | tuple[str, ...]) -> tuple[str, ...]:
    """PostgreSQL may be given its hosts as an option."""
    return tuple(found.split(",")) if isinstance(found, str) else found


def _is_here(host: str) -> bool:
    if not host or host.startswith("/") or host == "localhost":
        return True  # a file, a socket in the file system, this machine by name
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
