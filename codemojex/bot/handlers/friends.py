"""Rooms that friends join by a code: each plays in their own chat, against one secret."""

from __future__ import annotations

from telegram import Message, Update, User

from codemojex.bot.handlers import games as games_
from codemojex.bot.handlers.places import GROUP, PRIVATE, Handler, command, parts
from codemojex.bot.links import room_link
from codemojex.bot.turn import Turn
from codemojex.game.refusals import NoSuchRoom
from codemojex.play import daily, members
from codemojex.play.members import Member
from codemojex.play.outbox import Draft
from codemojex.play.players import Player
from codemojex.play.rooms import Room


async def invite(update: Update, turn: Turn) -> None:
    """Open a room, or name the one the person is in, with the link that leads there."""
    message, user = parts(update)
    player = await turn.player(user)
    room = await members.open_link(turn.tx, player, turn.now, turn.rules.dice)
    await daily.end(turn.tx, player.id)
    code = room.code or room.title
    await turn.reply(message, turn.texts.invite(code, room_link(message.get_bot(), code)))


async def join(update: Update, turn: Turn) -> None:
    """Enter the room with this code."""
    message, user = parts(update)
    if not turn.args:
        raise NoSuchRoom("")
    await enter(message, user, turn.args[0], turn)


async def enter(message: Message, user: User, code: str, turn: Turn) -> None:
    """Enter a room, and show the game that is on there; those who are in it hear of it."""
    player = await turn.player(user)
    before = await members.joined(turn.tx, player.id)
    room = await members.join(turn.tx, player, code, turn.now)
    await daily.end(turn.tx, player.id)
    others = [member for member in await members.present(turn.tx, room.id) if member.player_id != player.id]
    game = await turn.running(room)
    names = [member.name for member in others]
    await turn.reply(message, turn.texts.joined(room, names, playing=game is not None))
    if before is None or before.id != room.id:
        await _tell(others, "joined", player, turn)
        await _say_left(before, player, turn)
    if game is not None:
        await games_.deal(game, player.id, turn)


async def leave(update: Update, turn: Turn) -> None:
    """Go back to the own games: from the daily, else from the room."""
    message, user = parts(update)
    player = await turn.player(user)
    if await daily.begun(turn.tx, player.id) == daily.local_day(message.date, turn.rules.tz):
        await daily.end(turn.tx, player.id)
        await turn.reply(message, turn.texts.daily_left())
        return
    room = await members.leave(turn.tx, player, turn.now)
    await turn.reply(message, turn.texts.left(room))
    await _say_left(room, player, turn)


async def only_in_private(update: Update, turn: Turn) -> None:
    """Say where that works."""
    message, _ = parts(update)
    await turn.reply(message, turn.texts.only_in_private(message.get_bot().username))


async def _say_left(room: Room | None, player: Player, turn: Turn) -> None:
    if room is not None:
        await _tell(await members.present(turn.tx, room.id), "left", player, turn)


async def _tell(others: list[Member], kind: str, player: Player, turn: Turn) -> None:
    data = {"name": player.name, "id": player.id}
    await turn.write(*(Draft(other.player_id, kind, data, player_id=player.id) for other in others))


def handlers() -> list[Handler]:
    """Coming and going."""
    private = {"invite": invite, "join": join, "leave": leave}
    return [
        *(command(name, callback, PRIVATE) for name, callback in private.items()),
        *(command(name, only_in_private, GROUP) for name in private),
    ]
