"""Help within a game: pins and hints."""

from __future__ import annotations

from telegram import Message, Update, User

from codemojex.bot.handlers import games
from codemojex.bot.handlers.places import Handler, command, parts
from codemojex.bot.turn import Turn
from codemojex.game.refusals import BadPosition
from codemojex.play import hints, pins, rooms
from codemojex.play.games import GameView
from codemojex.play.outbox import Draft
from codemojex.play.players import Player


async def pin(update: Update, turn: Turn) -> None:
    """Keep a symbol at a position in the guesses to come; without words, show what is kept."""
    message, user = parts(update)
    game, player = await _game(message, user, turn)
    if not turn.args:
        slots = await pins.pinned(turn.tx, game.id, player.id)
    else:
        position, symbol = _position(turn.args[0]), "".join(turn.args[1:])
        slots = await pins.pin(turn.tx, game, player, position, symbol, turn.now)
    await _show(message, game, player, turn)
    await turn.reply(message, turn.texts.pinned(slots) if any(slots) else turn.texts.unpinned(slots))


async def unpin(update: Update, turn: Turn) -> None:
    """Free a position, or all of them."""
    message, user = parts(update)
    game, player = await _game(message, user, turn)
    position = None if not turn.args or turn.args[0].lower() == "all" else _position(turn.args[0])
    slots = await pins.unpin(turn.tx, game, player, position)
    await _show(message, game, player, turn)
    await turn.reply(message, turn.texts.unpinned(slots))


async def hint(update: Update, turn: Turn) -> None:
    """Name a symbol of the secret, to the one who asks alone."""
    message, user = parts(update)
    game, player = await _game(message, user, turn)
    private = message.chat_id == player.id
    if not private and not await rooms.met_in_private(turn.tx, player.id):
        await turn.reply(message, turn.texts.hint_needs_start(message.get_bot().username))
        return
    told = await hints.ask(turn.tx, game, player, turn.now, turn.rules.dice)
    data = {"symbol": told.symbol, "number": told.number, "left": told.left}
    await turn.write(Draft(player.id, "hint", data, player_id=player.id, game_id=game.id))
    if not private:
        await turn.reply(message, turn.texts.hint_in_private())


async def _game(message: Message, user: User, turn: Turn) -> tuple[GameView, Player]:
    """The game that is on where this message was written, and its sender."""
    player = await turn.player(user)
    return await turn.playing(message, player), player


async def _show(message: Message, game: GameView, player: Player, turn: Turn) -> None:
    """Bring the player's own buttons up to date; in a group there are none of their own."""
    if message.chat_id == player.id:
        await games.redraw(game, player.id, turn)


def _position(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 2):
        raise BadPosition(word)
    return int(word)


def handlers() -> list[Handler]:
    """Pins and hints."""
    return [command("pin", pin), command("unpin", unpin), command("hint", hint)]
