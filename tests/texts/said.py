"""Everything the bot can say, with the largest and the most hostile data it can have."""

from __future__ import annotations

from datetime import timedelta

from codemojex.game.keyboards import Level, Mode
from codemojex.play.daily import SharedDaily
from codemojex.play.games import Cause
from codemojex.play.preferences import Preferences
from codemojex.play.rooms import Room, RoomKind
from codemojex.play.seasons import Period, SeasonRow, SeasonView
from codemojex.play.stats import StatsView
from codemojex.play.views import Standing
from codemojex.texts import Texts
from codemojex.texts.markup import Html
from tests.texts import makers
from tests.texts.refused import REFUSED

ROOM = Room(1, RoomKind.LINK, None, 0, "K7QP3M", code="K7QP3M")
PINS = (None, "🍌", None, None, None, "🍎")
LINK = "https://t.me/codemojex_bot?start=r_K7QP3M"


def everything(texts: Texts, name: str) -> list[Html]:
    """Every message there is; whoever has a name is called ``name``."""
    return [
        *_greetings(texts, name),
        *_games(texts, name),
        *_notices(texts, name),
        *_boards(texts, name),
        *_people(texts, name),
        *(said for said in map(texts.refused, REFUSED) if said is not None),
    ]


def _greetings(texts: Texts, name: str) -> list[Html]:
    return [
        *(texts.start(who) for who in (name, None)),
        *(texts.greet_group("codemojex_bot", sees_all) for sees_all in (True, False)),
        texts.help(),
        *(texts.rules(board) for board in (None, *(makers.game(level=level).keyboard for level in Level))),
        texts.ping(12_345),
        texts.unknown_command("/" + name),
        *(texts.only_in_private(bot) for bot in ("codemojex_bot", None)),
        *(texts.not_a_guess(game) for game in (None, makers.game(level=Level.HARD))),
        *(texts.edited_hint(), texts.anonymous_hint()),
    ]


def _games(texts: Texts, name: str) -> list[Html]:
    games = [makers.game(mode, level, minutes=90) for mode in Mode for level in Level]
    return [
        *(texts.new_game(game, pins=PINS, draft="🍇🍓", room_title="K7QP3M") for game in games),
        *(texts.new_game(game, day="2026-11-29") for game in games),
        *(texts.pinned(pins) for pins in (PINS, makers.SECRET)),
        *(texts.unpinned(pins) for pins in (PINS, (None,) * 6)),
        *(texts.hint("🍎", 2 - left, left) for left in (0, 1)),
        *(texts.hint_in_private(), texts.not_your_game(), texts.button_failed()),
        *(texts.hint_needs_start(bot) for bot in ("codemojex_bot", None)),
        *(texts.vote(votes, 30) for votes in (1, 21)),
        *(texts.verify(makers.game(closed=True), playing=playing) for playing in (False, True)),
        *(texts.nothing_to_verify(playing=playing) for playing in (False, True)),
    ]


def _notices(texts: Texts, name: str) -> list[Html]:
    ends = [
        makers.ended(reason=str(cause), you_won=False, winner=name, room=kind, day="2026-11-29", best=480)
        for cause in Cause
        for kind in RoomKind
    ]
    who = {"name": name, "id": 5}
    done = {"day": "2026-11-29", "limit": 8, "streak": 21, "best_streak": 365}
    return [
        *(texts.notice("result", data) for data in (makers.result(), makers.pegs(), makers.blind())),
        texts.notice("late", makers.result(late=True)),
        *(texts.notice("safe", {"guesses": guesses}) for guesses in (1, 2, 21)),
        *(texts.notice("ended", data) for data in ends),
        texts.notice("ended", makers.ended()),
        texts.notice("ended", makers.ended(room="daily", day="2026-11-29")),
        texts.notice("ended", makers.ended(mode="blind", revealed=[["".join(makers.NEAR), 560]] * 1_000)),
        texts.notice("hint", {"symbol": "🍎", "number": 1, "left": 1}),
        texts.notice("vote", {"votes": 2, "needed": 3, "name": name, "player_id": 5}),
        *(texts.notice(kind, who) for kind in ("joined", "left")),
        *(texts.notice("daily_done", done | {"number": number}) for number in (None, 1, 8)),
        texts.notice("document", {"name": "export.json"}),
    ]


def _boards(texts: Texts, name: str) -> list[Html]:
    crowd = [makers.row(name, n, rank=n + 1, best=600 - n, hints=2) for n in range(100)]
    feed = [makers.line(name, n) for n in range(50)]
    games = [makers.game(mode, minutes=90) for mode in Mode] + [makers.game(closed=True, winner_id=5)]
    mine = Standing(1, 150, 200, 12)
    return [
        *(said for game in games for said in texts.board(makers.board(game, *crowd, mine=mine), makers.NOON)),
        *(
            texts.live_board(makers.board(game, *crowd), feed, makers.NOON, votes=2, needed=9)
            for game in games
        ),
        texts.live_board(makers.board(games[0]), [], makers.NOON + timedelta(hours=2), sees_all=True),
    ]


def _people(texts: Texts, name: str) -> list[Html]:
    first = tuple(SeasonRow(n, n, name, 10**9 + n, 10**6, 10**7) for n in range(1, 11))
    season = SeasonView(first, SeasonRow(10**6, 77, name, 1, 0, 1))
    prefs = [Preferences(locale, mode) for locale in (None, "en", "ru") for mode in (None, *Mode)]
    return [
        texts.invite("K7QP3M", LINK),
        *(texts.joined(ROOM, [name] * n, playing) for n in (0, 1, 200) for playing in (True, False)),
        *(texts.left(room) for room in (ROOM, None)),
        *(texts.top(season, scope, period) for scope in (name, None) for period in Period),
        texts.top(SeasonView(()), None, Period.WEEK),
        texts.stats(StatsView(21, 11, 600, 105, 22, 341, 3, 12)),
        texts.stats(StatsView(0, 0, None, 0, 0, None, 0, 0)),
        *(texts.settings(chosen, group=group) for chosen in prefs for group in (True, False)),
        *(texts.settings_changed(chosen, group=group) for chosen in prefs for group in (True, False)),
        *(texts.privacy(), texts.privacy_ask(), texts.privacy_kept(), texts.forgotten(), texts.exported()),
        *(texts.daily_already(), texts.daily_left(), texts.daily_in_group(LINK), texts.share_not_yet()),
        texts.share(SharedDaily("2026-11-29", 8, ((1, 2),) * 8, False, 0, 3)),
        texts.share(SharedDaily("2026-11-29", 8, ((1, 2), (6, 0)), True, 3, 3)),
    ]
