"""What each message does. A handler calls one use case; a refusal is raised and answered elsewhere."""

from __future__ import annotations

import secrets as dice
from typing import Any

from telegram import Message, Update, User
from telegram.ext import BaseHandler, ChatMemberHandler, CommandHandler, MessageHandler, filters

from codemojex.bot.options import read_options
from codemojex.bot.turn import Turn
from codemojex.game.parsing import looks_like_guess, parse_guess
from codemojex.game.refusals import Forwarded, NoGame
from codemojex.play import games, players, settlement, views
from codemojex.play.guesses import Guesses, Source

# python-telegram-bot types a callback's second argument as its own context; ours is a Turn.
Handler = Any

# Edited messages, channel posts and business messages are other kinds: they never play.
_PRIVATE = filters.UpdateType.MESSAGE & filters.ChatType.PRIVATE
_GROUP = filters.UpdateType.MESSAGE & filters.ChatType.GROUPS


def _parts(update: Update) -> tuple[Message, User]:
    """The message and its sender; the filters let only messages with both through."""
    message, user = update.message, update.effective_user
    if message is None or user is None:
        raise TypeError("a message handler was given an update without a message or a sender")
    return message, user


async def start(update: Update, turn: Turn) -> None:
    """Greet."""
    message, user = _parts(update)
    await turn.player(user)
    await turn.reply(message, turn.texts.start(user.first_name))


async def help_(update: Update, turn: Turn) -> None:
    """List the commands and explain the score."""
    message, _ = _parts(update)
    await turn.reply(message, turn.texts.help())


async def new(update: Update, turn: Turn) -> None:
    """Open a game in this chat."""
    message, user = _parts(update)
    player = await turn.player(user)
    room = await turn.room(message.chat)
    options = read_options(turn.args, turn.rules.fixed_secret, turn.rules.defaults)
    view = await games.open_game(
        turn.tx,
        room,
        player,
        options,
        now=turn.now,
        dice=turn.rules.dice,
        nonce=dice.token_hex(16),
        limits=turn.rules.limits,
    )
    await turn.reply(message, turn.texts.new_game(view))


async def guess(update: Update, turn: Turn) -> None:
    """Admit six emojis as a guess; the answer comes when the worker has scored it."""
    message, user = _parts(update)
    text = message.text or ""
    if text.startswith("/"):
        text = text.split(maxsplit=1)[1] if len(text.split(maxsplit=1)) > 1 else ""
    await _submit(message, user, text, turn)


async def _submit(message: Message, user: User, text: str, turn: Turn) -> None:
    if user.is_bot:
        return
    if message.forward_origin is not None:
        raise Forwarded
    player = await turn.player(user)
    room = await turn.room(message.chat)
    game = await games.running(turn.tx, room)
    if game is None:
        raise NoGame
    symbols = parse_guess(text, game.keyboard)
    source = Source(
        chat_id=message.chat_id,
        message_id=message.message_id,
        thread_id=0,
        at=message.date,
        update_id=turn.update_id,
    )
    guesses = Guesses(turn.tx, turn.now, turn.rules.mint, turn.rules.limits)
    receipt = await guesses.submit(game, player, symbols, source)
    if not receipt.duplicate:
        turn.effects.guesses.append((receipt.id, receipt.payload))


async def text(update: Update, turn: Turn) -> None:
    """A message without a command: a guess when it looks like one, else a hint at what to send."""
    message, user = _parts(update)
    words = message.text or ""
    if words.startswith("/"):
        await turn.reply(message, turn.texts.unknown_command(words.split()[0]))
    elif looks_like_guess(words):
        await _submit(message, user, words, turn)
    else:
        game = await games.running(turn.tx, await turn.room(message.chat))
        await turn.reply(message, turn.texts.not_a_guess(game))


async def board(update: Update, turn: Turn) -> None:
    """Show the running game, or the last one."""
    message, user = _parts(update)
    room = await turn.room(message.chat)
    game = await games.running(turn.tx, room) or await games.latest(turn.tx, room)
    if game is None:
        raise NoGame
    view = await views.board(turn.tx, game.id, user.id)
    for part in turn.texts.board(view, turn.now):
        await turn.reply(message, part)


async def giveup(update: Update, turn: Turn) -> None:
    """End the game of a private chat; the settlement tells the secret."""
    message, user = _parts(update)
    player = await turn.player(user)
    room = await turn.room(message.chat)
    settled = await settlement.give_up(turn.tx, room, player, turn.now, turn.rules.mint)
    turn.effects.notices += settled.notices


async def verify(update: Update, turn: Turn) -> None:
    """Recompute the commitment of the last finished game, and say how to do so by hand."""
    message, _ = _parts(update)
    room = await turn.room(message.chat)
    playing = await games.running(turn.tx, room) is not None
    view = await games.latest(turn.tx, room)
    said = (
        turn.texts.verify(view, playing=playing)
        if view is not None
        else turn.texts.nothing_to_verify(playing=playing)
    )
    await turn.reply(message, said)


async def group(update: Update, turn: Turn) -> None:
    """Say where the game is played."""
    message, _ = _parts(update)
    await turn.reply(message, turn.texts.private_only(message.get_bot().username))


async def membership(update: Update, turn: Turn) -> None:
    """A player blocked the bot, or came back."""
    change = update.my_chat_member
    if change is None or change.chat.type != "private":
        return
    if change.new_chat_member.status in {"kicked", "left"}:
        await players.unreachable(turn.tx, change.from_user.id, turn.now)
    else:
        await turn.player(change.from_user)


def handlers() -> list[BaseHandler[Update, Any, Any]]:
    """The handlers in the order they are asked; the first that takes an update is the only one."""
    commands: dict[str, Handler] = {
        "start": start,
        "help": help_,
        "new": new,
        "guess": guess,
        "board": board,
        "giveup": giveup,
        "verify": verify,
    }
    return [
        *(CommandHandler(name, callback, filters=_PRIVATE) for name, callback in commands.items()),
        CommandHandler(list(commands), group, filters=_GROUP),
        MessageHandler(_PRIVATE & filters.TEXT, text),
        ChatMemberHandler(membership, ChatMemberHandler.MY_CHAT_MEMBER),
    ]
