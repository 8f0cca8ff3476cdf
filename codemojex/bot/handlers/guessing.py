"""Six emojis as a guess: plain, after `/guess`, or in reply to the board."""

from __future__ import annotations

from datetime import timedelta

from telegram import Message, Update, User
from telegram.ext import MessageHandler, filters

from codemojex.bot.handlers.places import GROUP, PRIVATE, Handler, command, is_reply_to_bot, parts
from codemojex.bot.turn import Turn, thread_of
from codemojex.game.keyboards import CODE_LENGTH, Keyboard
from codemojex.game.parsing import MAX_CODE_POINTS, clusters, looks_like_guess
from codemojex.game.pins import read_guess
from codemojex.game.refusals import Forwarded, GameOver
from codemojex.play import games
from codemojex.play.games import GameView
from codemojex.play.guesses import Guesses, Source
from codemojex.play.players import Player
from codemojex.play.rooms import Room

# After a game's end in a group, six of its emojis are a guess for so long, and then anybody's chatter.
_STILL_TYPING = timedelta(seconds=10)


async def guess(update: Update, turn: Turn) -> None:
    """Admit what follows the command; the answer comes when the worker has scored it."""
    message, user = parts(update)
    # A command begins its message and is plain ASCII, so Telegram's UTF-16 units are characters here.
    await _play(message, user, (message.text or "")[message.entities[0].length :], turn)


async def private(update: Update, turn: Turn) -> None:
    """Words without a command: a guess when they are emojis, else a hint at what to send."""
    message, user = parts(update)
    words = message.text or ""
    if words.startswith("/"):
        await turn.reply(message, turn.texts.unknown_command(words.split()[0]))
    elif looks_like_guess(words):
        await _play(message, user, words, turn)
    else:
        await _explain(message, user, turn)


async def group(update: Update, turn: Turn) -> None:
    """Words in a group: a guess when they are meant for the game that is on, else nobody's business."""
    message, user = parts(update)
    words = message.text or ""
    asked = is_reply_to_bot(message)
    if words.startswith("/"):
        return
    if not looks_like_guess(words):
        if asked:
            await _explain(message, user, turn)
        return
    room = await turn.room(message.chat, thread_of(message))
    game = await turn.running(room)
    if asked or (game is not None and await _is_meant(words, game, user, turn)):
        await _play(message, user, words, turn)
    elif game is None and await _came_too_late(message, room, turn):
        raise GameOver


async def _explain(message: Message, user: User, turn: Turn) -> None:
    """Say what can be sent: the symbols of the game that is on, or how to start one."""
    room = await turn.focus(message, await turn.player(user))
    await turn.reply(message, turn.texts.not_a_guess(await turn.running(room)))


async def _is_meant(words: str, game: GameView, user: User, turn: Turn) -> bool:
    """Whether emojis that somebody sends to a group without a word are a guess: laughter is not."""
    if len(words) > MAX_CODE_POINTS:
        return True  # answered with how long a guess is
    symbols = clusters(words)
    if not any(symbol in game.keyboard.chars for symbol in symbols):
        return False
    if len(symbols) == CODE_LENGTH:
        return True
    return await _fills(symbols, game, await turn.player(user), turn)


async def _came_too_late(message: Message, room: Room, turn: Turn) -> bool:
    """Whether these are six emojis for the game that has just ended: whoever was typing meanwhile is told."""
    symbols = clusters((message.text or "")[:MAX_CODE_POINTS])
    if len(symbols) != CODE_LENGTH or message.forward_origin is not None:
        return False
    game = await games.latest(turn.tx, room)
    return (
        game is not None
        and game.closed_at is not None
        and message.date <= game.closed_at + _STILL_TYPING
        and _all_on(symbols, game.keyboard)
    )


async def _fills(symbols: list[str], game: GameView, player: Player, turn: Turn) -> bool:
    """Whether these are as many symbols of the game as the player's pins leave places."""
    free = (await turn.pinned(game, player)).count(None)
    return len(symbols) == free < CODE_LENGTH and _all_on(symbols, game.keyboard)


def _all_on(symbols: list[str], keyboard: Keyboard) -> bool:
    return set(symbols) <= set(keyboard.chars)


async def _play(message: Message, user: User, text: str, turn: Turn) -> None:
    if message.forward_origin is not None:
        raise Forwarded
    player = await turn.player(user)
    game = await turn.playing(message, player)
    six = read_guess(text, await turn.pinned(game, player), game.keyboard)
    source = Source(
        chat_id=message.chat_id,
        message_id=message.message_id,
        thread_id=thread_of(message),
        at=message.date,
        update_id=turn.update_id,
    )
    rules = turn.rules
    receipt = await Guesses(turn.tx, turn.now, rules.mint, rules.limits, rules.tz).submit(
        game, player, six, source
    )
    if not receipt.duplicate:
        turn.effects.guesses.append(receipt.item)


def commands() -> list[Handler]:
    """The command that also reaches the bot where it does not see every message."""
    return [command("guess", guess)]


def messages() -> list[Handler]:
    """Everything that no command took."""
    return [
        MessageHandler(PRIVATE & filters.TEXT, private),
        MessageHandler(GROUP & filters.TEXT, group),
    ]
