"""A game ends before its time, and what proves that it was honest."""

from __future__ import annotations

from datetime import UTC, datetime

from telegram import Message, Update, User
from telegram.ext import filters

from codemojex.bot.handlers.places import ANONYMOUS, IN_DISGUISE, PERSON, Handler, command, parts
from codemojex.bot.turn import Turn, thread_of
from codemojex.play import cards, games, lately, members, votes
from codemojex.play.games import GameView
from codemojex.play.outbox import Draft
from codemojex.play.players import Player
from codemojex.play.rooms import Room, RoomKind
from codemojex.play.settlement import Settled


async def give_up(update: Update, turn: Turn) -> None:
    """End the game alone, or vote for it where several play; an admin decides for a group."""
    message, user = parts(update)
    player = await turn.player(user)
    room = await turn.focus(message, player)
    game = await turn.running(room)
    admin = room.chat_id is not None and turn.is_admin(message.chat, user.id)
    said = await votes.give_up(
        turn.tx, room, player, turn.now, turn.rules.mint, admin=admin, tz=turn.rules.tz
    )
    if isinstance(said, Settled):
        turn.noted(*said.notices)
        return
    data = {"votes": said.votes, "needed": said.needed, "name": player.name, "player_id": player.id}
    if room.kind is not RoomKind.LINK:
        await turn.tell(message, "vote", data)
        boards = [game.id] if game is not None else []
        turn.noted(*await cards.refresh_boards(turn.tx, turn.rules.mint, turn.now, boards))
        return
    chats = await members.chats_of(turn.tx, room.id)
    await turn.write(*(Draft(chat, "vote", data, player_id=player.id) for chat in chats))


async def give_up_unseen(update: Update, turn: Turn) -> None:
    """An anonymous admin ends the game of their group."""
    message, user = parts(update)
    room = await turn.room(message.chat, thread_of(message))
    said = await votes.give_up(
        turn.tx, room, _nobody(user), turn.now, turn.rules.mint, admin=True, tz=turn.rules.tz
    )
    if isinstance(said, Settled):
        turn.noted(*said.notices)


async def verify(update: Update, turn: Turn) -> None:
    """Recompute the commitment of the last finished game, and say how to do so by hand."""
    message, user = parts(update)
    room = await turn.room(message.chat, thread_of(message))
    view, playing = await _last(message, user, room, turn)
    said = (
        turn.texts.verify(view, playing=playing)
        if view is not None
        else turn.texts.nothing_to_verify(playing=playing)
    )
    await turn.reply(message, said)


async def _last(message: Message, user: User, room: Room, turn: Turn) -> tuple[GameView | None, bool]:
    """The game that ended last, of this room or of those the person plays in; whether another is on."""
    if room.kind is not RoomKind.PRIVATE:
        return await games.latest(turn.tx, room), await turn.running(room) is not None
    joined = await members.joined(turn.tx, user.id)
    rooms = [room] if joined is None else [room, joined]
    playing = [await turn.running(each) for each in rooms]
    return await lately.ended(turn.tx, user.id, [each.id for each in rooms]), any(playing)


def _nobody(user: User) -> Player:
    """Who stands in for an anonymous admin; nothing of this is stored."""
    never = datetime.fromtimestamp(0, UTC)
    return Player(user.id, user.first_name, None, None, None, never, never)


def handlers() -> list[Handler]:
    """A game's end."""
    return [
        command("giveup", give_up),
        command("giveup", give_up_unseen, ANONYMOUS),
        command("verify", verify, PERSON | (IN_DISGUISE & filters.ChatType.GROUPS)),
    ]
