"""One player's games in numbers, and the boards of many games."""

from __future__ import annotations

from codemojex.play.seasons import RANKED, Period, SeasonRow, SeasonView
from codemojex.play.stats import StatsView
from codemojex.texts import daily
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, typed
from codemojex.texts.topic import Topic, rows

_DOT = " · "


class PeopleTexts(Topic):
    """What /stats and /top say."""

    def stats(self, view: StatsView) -> Html:
        """A player's games in numbers."""
        streak = [daily.streak(self._language, view.streak, view.best_streak)] if view.best_streak else []
        if not view.games:
            return rows(self._say("stats"), self._say("stats-none"), *streak)
        said = [
            Html(_DOT.join([self._say("stats-games", view.games), self._say("stats-wins", view.wins)])),
            Html(
                _DOT.join([self._say("stats-guesses", view.guesses), self._say("stats-cracks", view.cracks)])
            ),
        ]
        if view.best is not None:
            said.append(self._say("stats-best", best=view.best))
        if view.average is not None:
            said.append(self._say("stats-average", average=round(view.average)))
        return rows(self._say("stats"), *said, *streak)

    def top(self, view: SeasonView, scope_title: str | None, period: Period) -> Html:
        """The best of a period.

        Args:
            scope_title: of the chat whose games these are; None: everybody's.
        """
        scope = self._say("top-global") if scope_title is None else typed(scope_title)
        title = self._say("top-title", scope=scope, period=self._say(f"top-{period}"))
        if not view.rows:
            return rows(title, self._say("top-none"))
        mine = [] if view.mine is None else ["", self._say("top-mine", place=_row(self._language, view.mine))]
        return rows(title, *(_row(self._language, row) for row in view.rows), *mine)


def _row(language: Language, row: SeasonRow) -> Html:
    name = language.name(row.name, row.player_id)
    rank = language.say("board-rank", rank=row.rank)
    if row.rank > RANKED:
        rank = language.say("board-rank-far", rank=RANKED)
    said = [
        Html(f"{rank} {name}"),
        language.say("top-points", row.points),
    ]
    if row.wins:
        said.append(language.say("stats-wins", row.wins))
    return Html(_DOT.join(said))
