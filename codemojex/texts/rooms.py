"""Rooms that friends join by a code."""

from __future__ import annotations

from collections.abc import Sequence

from codemojex.play.rooms import Room
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, typed
from codemojex.texts.topic import Topic, rows

_SHOWN = 10  # names


class RoomTexts(Topic):
    """Inviting, coming and going."""

    def invite(self, code: str, link: str) -> Html:
        """How friends come in; ``link`` opens the bot with the code."""
        return self._say("invite", code=code, link=link)

    def joined(self, room: Room, names: Sequence[str], playing: bool = False) -> Html:
        """The reader is in ``room`` now.

        Args:
            names: of the others there, as Telegram tells them.
            playing: a game is on there.
        """
        return rows(
            self._say("joined", code=room.code or room.title),
            _with(self._language, names),
            self._say("joined-playing" if playing else "joined-idle"),
        )

    def left(self, room: Room | None) -> Html:
        """The reader has left ``room``; None: they were in none."""
        return self._say("left-none") if room is None else self._say("left", code=room.code or room.title)

    def member_joined(self, name: str | None, player_id: int) -> Html:
        """Somebody came into the reader's room."""
        return self._say("member-joined", name=self._language.name(name, player_id))

    def member_left(self, name: str | None, player_id: int) -> Html:
        """Somebody left the reader's room."""
        return self._say("member-left", name=self._language.name(name, player_id))


def _with(language: Language, names: Sequence[str]) -> Html:
    if not names:
        return language.say("joined-alone")
    shown = Html(", ".join(typed(name) for name in names[:_SHOWN]))
    more = len(names) - _SHOWN
    said = language.say("joined-more", more, names=shown) if more > 0 else shown
    return language.say("joined-with", names=said)
