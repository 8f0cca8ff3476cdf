"""Who there is: people, groups and channels."""

from __future__ import annotations

from collections.abc import Iterable

from codemojex.localtg.channels import Channel
from codemojex.localtg.chats import Chat, Status
from codemojex.localtg.groups import Group, Room, supergroup_id
from codemojex.localtg.model import Raw, User
from codemojex.localtg.people import Person
from codemojex.localtg.world import World

# Above 32 bits, as real ids are: code that keeps them in an int breaks here, not in production.
_FIRST_PERSON = 5_000_000_000
_FIRST_GROUP = 4_000_000_000


class Cast:
    """Makes people, groups and channels, and knows them all; `LocalTelegram` is one."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._people: dict[int, Person] = {}
        self._groups: dict[int, Group] = {}
        self._channels: dict[int, Channel] = {}

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

    def group(
        self,
        title: str,
        members: Iterable[Person] = (),
        admins: Iterable[Person] = (),
        *,
        owner: Person | None = None,
        supergroup: bool = False,
        forum: bool = False,
        privacy: bool | None = None,
        bot: bool = True,
        known: bool = False,
        id: int | None = None,
    ) -> Group:
        """A group with these people; the owner adds the bot, which hears of it.

        Args:
            id: the group's own, from an earlier life; a fresh one when absent.
            owner: who made it, an admin too; the first of ``admins``, or a person of its own when absent.
            supergroup: True makes it one from the start; a forum always is one. Others can ``upgrade()``.
            privacy: whether the bot sees only what is meant for it; as set with BotFather when absent.
            bot: False leaves the bot out; ``add_bot()`` brings it in.
            known: the bot has been there since an earlier life: it is told nothing.
        """
        deputies = list(admins)
        founder = owner or (deputies[0] if deputies else self.person(f"Owner of {title}"))
        identity = self._group_id(supergroup or forum) if id is None else id
        raw: Raw = {"id": identity, "title": title, "type": "group"}
        if supergroup or forum:
            raw["type"] = "supergroup"
        if forum:
            raw["is_forum"] = True
        chat = Chat(raw, bot=Status.LEFT, known=False)
        chat.members |= dict.fromkeys((each.id for each in members), Status.MEMBER)
        chat.members |= dict.fromkeys((each.id for each in deputies), Status.ADMINISTRATOR)
        made = self._groups[chat.id] = Group(self.world, chat, founder)
        made.settle(bot=bot, known=known, sees_all=None if privacy is None else not privacy)
        return made

    def channel(
        self, title: str, admins: Iterable[Person] = (), *, owner: Person | None = None, bot: bool = True
    ) -> Channel:
        """A channel; the bot is an admin there unless it is left out, so it sees every post."""
        deputies = list(admins)
        founder = owner or (deputies[0] if deputies else self.person(f"Owner of {title}"))
        raw: Raw = {"id": supergroup_id(self.world), "title": title, "type": "channel"}
        chat = Chat(raw, bot=Status.LEFT, known=False)
        chat.members |= dict.fromkeys((each.id for each in deputies), Status.ADMINISTRATOR)
        made = self._channels[chat.id] = Channel(self.world, chat, founder)
        if bot:
            made.promote_bot()
        return made

    @property
    def people(self) -> dict[int, Person]:
        """Everybody, by id."""
        return dict(self._people)

    @property
    def groups(self) -> dict[int, Group]:
        """Every group, by id; one that became a supergroup is followed by it."""
        found: dict[int, Group] = {}
        for group in self._groups.values():
            found[group.id] = group
            if group.successor is not None:
                found[group.successor.id] = group.successor
        return found

    @property
    def rooms(self) -> dict[int, Room]:
        """Every group and channel, by id."""
        return {**self.groups, **self._channels}

    def _group_id(self, large: bool) -> int:
        if large:
            return supergroup_id(self.world)
        return -(_FIRST_GROUP + self.world.counters.next("group"))
