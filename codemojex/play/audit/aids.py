"""Pins and hints: promises about what helps a player.

Whether a hint is right, the database compares by itself: no secret is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import ColumnElement, exists, func, or_, select

from codemojex.game.keyboards import CODE_LENGTH
from codemojex.play.audit.check import Check
from codemojex.play.hints import EACH
from codemojex.store.columns import AnySelect
from codemojex.store.schema import games, hints, pins

_pin, _hint = pins.alias("pin"), hints.alias("hint")


def aids(_now: datetime) -> Iterator[Check]:
    yield Check(
        "pin_impossible",
        "A pin is a symbol of its game's keyboard at one of six positions, and each is pinned once.",
        _games_of_pins(
            or_(
                ~games.c.keyboard.contains(pins.c.symbol),
                func.length(pins.c.symbol) != 1,
                ~pins.c.position.between(1, CODE_LENGTH),
                exists().where(
                    _pin.c.game_id == pins.c.game_id,
                    _pin.c.player_id == pins.c.player_id,
                    _pin.c.symbol == pins.c.symbol,
                    _pin.c.position != pins.c.position,
                ),
            )
        ),
    )
    yield Check(
        "too_many_hints",
        "A player has at most two hints in a game, numbered one and two.",
        _games_of_hints(~hints.c.number.between(1, EACH)),
    )
    yield Check(
        "hint_untrue",
        "A hint is a symbol of the secret that the player was not given before.",
        _games_of_hints(
            or_(
                ~games.c.secret.contains(hints.c.symbol),
                func.length(hints.c.symbol) != 1,
                exists().where(
                    _hint.c.game_id == hints.c.game_id,
                    _hint.c.player_id == hints.c.player_id,
                    _hint.c.symbol == hints.c.symbol,
                    _hint.c.number != hints.c.number,
                ),
            )
        ),
    )


def _games_of_pins(broken: ColumnElement[bool]) -> AnySelect:
    query = select(pins.c.game_id).join(games, games.c.id == pins.c.game_id).where(broken)
    return query.distinct()


def _games_of_hints(broken: ColumnElement[bool]) -> AnySelect:
    query = select(hints.c.game_id).join(games, games.c.id == hints.c.game_id).where(broken)
    return query.distinct()
