"""Channels: posts without an author, and the group they are discussed in."""

from __future__ import annotations

from codemojex.localtg.errors import CannotDo
from codemojex.localtg.groups import Group, Room
from codemojex.localtg.members import TELEGRAM
from codemojex.localtg.model import Message
from codemojex.localtg.writing import forwarded


class Channel(Room):
    """A channel; its admins post by ``await ada.say(channel, text)``."""

    discussion: Group | None = None
    """The linked group every post is forwarded to."""

    def link(self, group: Group) -> None:
        """Let this group discuss the posts: each is forwarded there by Telegram itself."""
        if group.chat.kind != "supergroup":
            raise CannotDo("only a supergroup can be linked to a channel")
        self.discussion = group
        self.chat.linked, group.chat.linked = group.id, self.id

    def forward(self, post: Message, by: int) -> None:
        """Forward a fresh post to the linked group, as Telegram does."""
        if self.discussion is None:
            return
        group = self.discussion.chat
        content = {
            **forwarded(post, hidden=False),
            "sender_chat": self.chat.raw,
            "is_automatic_forward": True,
        }
        message = self._world.post(group, TELEGRAM, content)
        self._world.publish(group, message, by)
