"""Trouble on demand: what a test makes the local Telegram do to the next requests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from codemojex.localtg.errors import Refusal, migrated, too_many, usual


class FaultKind(StrEnum):
    REFUSE = "refuse"
    """Answer with an error; nothing is done."""
    LOSE = "lose"
    """Do what was asked, then close the connection without an answer."""
    DROP = "drop"
    """Close the connection without doing anything."""
    HANG = "hang"
    """Do nothing and answer nothing until released, the client gives up, or the server stops."""
    DELAY = "delay"
    """Wait, then go on as usual."""


@dataclass(slots=True)
class Fault:
    """One kind of trouble for the next ``times`` matching requests.

    ``method`` None matches every method, ``chat_id`` None every chat.
    """

    kind: FaultKind
    method: str | None = None
    chat_id: int | None = None
    times: int = 1
    status: int = 500
    description: str | None = None
    retry_after_s: int | None = None
    migrate_to_chat_id: int | None = None
    seconds: float = 0.0
    hits: int = field(default=0, init=False)

    def refusal(self) -> Refusal:
        """The error this fault answers with."""
        if self.migrate_to_chat_id is not None:
            found = migrated(self.migrate_to_chat_id)
        elif self.status == 429:
            found = too_many(1 if self.retry_after_s is None else self.retry_after_s)
        else:
            found = Refusal(self.status, usual(self.status))
        return Refusal(found.status, self.description or found.description, found.parameters)

    def matches(self, method: str, chat_id: Any) -> bool:
        if self.method is not None and self.method.lower() != method.lower():
            return False
        return self.chat_id is None or str(self.chat_id) == str(chat_id)


class Faults:
    """The faults still to come, in the order they were asked for."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._faults = list(faults)

    def add(self, fault: Fault) -> Fault:
        self._faults.append(fault)
        return fault

    def heal(self) -> None:
        """No more faults."""
        self._faults.clear()

    def next(self, method: str, chat_id: Any) -> Fault | None:
        """The fault this request meets, used up by one."""
        if not self._faults:
            return None
        for fault in self._faults:
            if fault.matches(method, chat_id):
                fault.hits += 1
                if fault.hits >= fault.times:
                    self._faults.remove(fault)
                return fault
        return None


class Troublemaker:
    """The ways a test makes trouble; `LocalTelegram` has them all."""

    faults: Faults

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
