"""A game begins, and how it stands."""

from __future__ import annotations

import secrets as dice
from dataclasses import replace

from telegram import Message, Update, User

from codemojex.bot.handlers.places import IN_DISGUISE, PERSON, Handler, command, parts
from codemojex.bot.options import read_options
from codemojex.bot.turn import Turn, thread_of
from codemojex.game.keyboards import Mode
from codemojex.game.refusals import DayOver, NoGame
from codemojex.play import cards, daily, games, languages, members, preferences, views
from codemojex.play.days import local_day
from codemojex.play.games import GameOptions, GameView
from codemojex.play.outbox import Draft
from codemojex.play.players import Player
from codemojex.play.rooms import Room, RoomKind


async def new(update: Update, turn: Turn) -> None:
    """Open a game here: in the group, in the room of friends one is in, or alone."""
    message, user = parts(update)
    player = await turn.player(user)
    room = await _room(message, player, turn)
    options = read_options(turn.args, turn.rules.fixed_secret, await _defaults(room, player, turn))
    game = await games.open_game(
        turn.tx,
        room,
        player,
        options,
        now=turn.now,
        dice=turn.rules.dice,
        nonce=dice.token_hex(16),
        limits=turn.rules.limits,
    )
    await show(message, user, player, room, game, turn)


async def show(message: Message, user: User, player: Player, room: Room, game: GameView, turn: Turn) -> None:
    """Send a new game's card to everybody who plays: one to the group, or one to each in their own chat."""
    if room.chat_id is not None and not room.alone:
        await languages.adopt(turn.tx, room.chat_id, user.language_code)
        board = await cards.board_card(turn.tx, game.id, room.chat_id, room.thread_id)
        turn.noted(await cards.refresh(turn.tx, turn.rules.mint, turn.now, board))
        return
    players = await members.chats_of(turn.tx, room.id) if room.kind is RoomKind.LINK else [user.id]
    busy: set[int] = set()
    if player.daily is not None or len(players) > 1:
        busy = await daily.busy(turn.tx, players, local_day(message.date, turn.rules.tz))
        # Whoever opens a game means to play it, and not the daily any more; the others stay where they are.
        await daily.end(turn.tx, user.id)
    if user.id in busy:
        await turn.reply(message, turn.texts.daily_left())
    for player_id in players:
        await deal(game, player_id, turn, fresh=True)
        if player_id in busy and player_id != user.id:
            await turn.write(Draft(player_id, "in_daily", {}, player_id=player_id, game_id=game.id))


async def deal(game: GameView, player_id: int, turn: Turn, *, fresh: bool = False) -> None:
    """Send a player the game with its buttons, as the newest message of their own chat.

    Args:
        fresh: it was opened by this update.
    """
    turn.noted(await cards.deal(turn.tx, turn.rules.mint, turn.now, game.id, player_id, fresh=fresh))


async def redraw(game: GameView, player_id: int, turn: Turn) -> None:
    """Bring the buttons in a player's own chat up to date, where they are."""
    turn.noted(await cards.redraw(turn.tx, turn.rules.mint, turn.now, game.id, player_id))


async def board(update: Update, turn: Turn) -> None:
    """Show the running game, or the last one."""
    message, user = parts(update)
    room = await here(message, user, turn)
    game = await turn.running(room) or await games.latest(turn.tx, room)
    if game is None:
        raise NoGame
    if game.open and room.chat_id is not None and not room.alone:
        # The board of a group is one message: it comes again at the bottom instead of twice.
        card = await cards.board_card(turn.tx, game.id, room.chat_id, room.thread_id)
        turn.noted(await cards.repost(turn.tx, turn.rules.mint, turn.now, card))
        return
    view = await views.board(turn.tx, game.id, user.id)
    for part in turn.texts.board(view, turn.now):
        await turn.reply(message, part)


async def _room(message: Message, player: Player, turn: Turn) -> Room:
    """Where a new game of this player would be: the daily is nobody's to open."""
    room = await turn.room(message.chat, thread_of(message))
    if not room.alone:
        return room
    return await members.joined(turn.tx, player.id) or room


async def here(message: Message, user: User, turn: Turn) -> Room:
    """Where this person plays; somebody who writes as a chat plays nowhere, and may look into the group."""
    if message.sender_chat is not None:
        return await turn.room(message.chat, thread_of(message))
    try:
        return await turn.focus(message, await turn.player(user))
    except DayOver:
        return await turn.room(message.chat)


async def _defaults(room: Room, player: Player, turn: Turn) -> GameOptions:
    """What a bare `/new` opens: the mode that was chosen in /settings, by the group or by the player."""
    if room.chat_id is not None and not room.alone:
        mode = (await preferences.of_chat(turn.tx, room.chat_id)).mode
    else:
        mode = None if player.mode is None else Mode(player.mode)
    return turn.rules.defaults if mode is None else replace(turn.rules.defaults, mode=mode)


def handlers() -> list[Handler]:
    """A game's beginning and middle."""
    return [command("new", new), command("board", board, PERSON | IN_DISGUISE)]
