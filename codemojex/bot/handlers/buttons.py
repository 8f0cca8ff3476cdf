"""The composer: a guess put together with buttons. What a button sends is whatever somebody sent."""

from __future__ import annotations

from telegram import CallbackQuery, Update
from telegram.ext import CallbackQueryHandler

from codemojex.bot.handlers import games as games_
from codemojex.bot.handlers.places import Handler
from codemojex.bot.turn import Turn
from codemojex.play import drafts, games, members, pins, rooms
from codemojex.play.games import GameView
from codemojex.play.guesses import Guesses, Source
from codemojex.play.keys import Action, Tap, read_tap
from codemojex.play.players import Player
from codemojex.play.rooms import Room, RoomKind
from codemojex.texts.markup import plain


async def tapped(update: Update, turn: Turn) -> None:
    """A tap on a game's buttons; any other data is answered, and changes nothing."""
    query = update.callback_query
    if query is None:
        return
    tap = read_tap(query.data)
    game = None if tap is None else await games.game(turn.tx, tap.game_id)
    if tap is None or game is None or query.message is None:
        turn.answer(query.id, plain(turn.texts.button_failed()))
        return
    room = await rooms.room(turn.tx, game.room_id)
    if room is None or not await _plays(room, query.message.chat.id, query.from_user.id, turn):
        turn.answer(query.id, plain(turn.texts.not_your_game()))
        return
    player = await turn.player(query.from_user)
    if tap.key is Action.SUBMIT:
        await _submit(query, tap, game, room, player, turn)
    else:
        await _change(query, tap, game, player, turn)
    if query.message.chat.id == player.id:
        await games_.redraw(game, player.id, turn)


async def _plays(room: Room, chat_id: int, player_id: int, turn: Turn) -> bool:
    """Whether the buttons of a game in ``room`` belong into this chat, and are this person's to tap."""
    if room.chat_id is not None:
        return room.chat_id == chat_id
    if chat_id != player_id:
        return False
    if room.kind is RoomKind.DAILY:
        return True
    joined = await members.joined(turn.tx, player_id)
    return joined is not None and joined.id == room.id


async def _change(query: CallbackQuery, tap: Tap, game: GameView, player: Player, turn: Turn) -> None:
    """Add a symbol to the draft, or take some away; the answer shows the draft."""
    key = tap.key if isinstance(tap.key, int) else tap.key.value
    draft = await drafts.tap(turn.tx, game, player, key, tap.version, turn.now)  # type: ignore[arg-type]
    slots = await pins.pinned(turn.tx, game.id, player.id)
    turn.answer(query.id, turn.texts.toast(draft.symbols, slots))


async def _submit(
    query: CallbackQuery, tap: Tap, game: GameView, room: Room, player: Player, turn: Turn
) -> None:
    """Admit the draft as a guess; the buttons it was made with are old from now on."""
    six, draft = await drafts.ready(turn.tx, game, player, tap.version, turn.now)
    source = Source(
        chat_id=player.id if room.chat_id is None else room.chat_id,
        message_id=draft.message_id,
        thread_id=room.thread_id,
        at=turn.now,
        update_id=turn.update_id,
    )
    rules = turn.rules
    receipt = await Guesses(turn.tx, turn.now, rules.mint, rules.limits, rules.tz).submit(
        game, player, six, source
    )
    await drafts.bump(turn.tx, draft)
    if not receipt.duplicate:
        turn.effects.guesses.append(receipt.item)
    turn.answer(query.id, turn.texts.guess_accepted(six))


def handlers() -> list[Handler]:
    """Every tap that no other handler took: each is answered."""
    return [CallbackQueryHandler(tapped)]
