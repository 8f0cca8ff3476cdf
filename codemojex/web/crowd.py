"""Who sits at the page: people, and the groups they share with the bot."""

from __future__ import annotations

from collections.abc import Iterable

from codemojex.localtg import CannotDo, Group, LocalTelegram, Person
from codemojex.web.texts import clipped

FIRST_PERSON = 5_000_000_101
"""Ids of the page's own people begin here: the same ones in every life, so that their games go on."""

FIRST_NAMES = ("Ada", "Bo", "Cy")
FIRST_GROUP = "Code breakers"
_MORE_NAMES = ("Dee", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jo", "Kim", "Lev", "Mia", "Noa", "Oz", "Pia")
_MOST_PEOPLE = 200


class Crowd:
    """The people and groups of a local Telegram, as the page shows them."""

    def __init__(self, telegram: LocalTelegram) -> None:
        self.telegram = telegram

    @property
    def people(self) -> dict[int, Person]:
        """Everybody, by id, in the order they came."""
        return self.telegram.people

    @property
    def groups(self) -> dict[int, Group]:
        """Every group, by id."""
        return self.telegram.groups

    def settle(self) -> None:
        """Make three people and a group of them, where there is nobody yet."""
        if self.people:
            return
        ada, *others = [self.meet(name) for name in FIRST_NAMES]
        self.gather(FIRST_GROUP, ada, others)

    def meet(self, name: str = "", language: str = "en") -> Person:
        """Somebody new, who has not written to the bot yet; without a name they get one nobody has.

        Raises:
            CannotDo: there are two hundred already.
        """
        if len(self.people) >= _MOST_PEOPLE:
            raise CannotDo(f"{_MOST_PEOPLE} people are as many as the page seats")
        taken = {person.name for person in self.people.values()}
        fresh = next((each for each in _MORE_NAMES if each not in taken), f"Person {len(taken) + 1}")
        identity = max([FIRST_PERSON - 1, *self.people]) + 1
        return self.telegram.person(clipped(name) or fresh, identity, language)

    def gather(self, title: str, owner: Person, members: Iterable[Person]) -> Group:
        """A new group; its owner adds the bot."""
        shown = clipped(title) or f"Group of {clipped(owner.name)}"
        return self.telegram.group(shown, [each for each in members if each is not owner], owner=owner)

    def join(self, person: Person) -> Group | None:
        """Let somebody new into the first group there is; None when there is none."""
        for group in self.groups.values():
            if group.chat.migrated_to is None and not group.status(person).present:
                group.join(person, group.owner)
                return group
        return None
