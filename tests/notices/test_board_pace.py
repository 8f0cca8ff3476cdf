"""Boards under load: few edits, no chat that waits for another, and reactions only where there is room."""

from __future__ import annotations

from itertools import pairwise

from codemojex.game.keyboards import Mode
from codemojex.localtg.model import EventKind
from codemojex.notices.budgets import Budgets
from codemojex.notices.options import NotifierOptions
from codemojex.notices.piles import HEAD
from codemojex.texts.markup import MAX_CODE_POINTS
from tests.notices.desk import OPTIONS, Desk, until
from tests.notices.matches import EDIT, MANY, shown_match, told
from tests.play.makers import FAR, NEAR, WRONG


async def test_a_board_rests_three_seconds_and_holds_up_nothing_else(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])

    async with desk.running() as notifier:
        await told(desk, notifier, *await match.guess(NEAR, ada))
        second = await match.guess(FAR, ada)

        # when
        desk.clock.advance(2.9)
        other = await desk.tell(group.id, "something else")
        notifier.wake([group.id])
        await desk.settled(other)

        # then
        assert len(match.requests(EDIT)) == 1
        assert await match.told() == [True, False]
        desk.clock.advance(0.2)
        await desk.settled(*second)
    assert len(match.requests(EDIT)) == 2


async def test_more_results_than_one_edit_tells_do_not_hide_another_message(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada], limits=MANY)

    async with desk.running() as notifier:
        await told(desk, notifier, *await match.guess(NEAR, ada))
        refs = [ref for six in WRONG[: HEAD + 10] for ref in await match.guess(six, ada)]
        other = await desk.tell(group.id, "something else")

        # when
        notifier.wake([group.id])

        # then
        await desk.settled(other)
        desk.clock.advance(3.0)
        await desk.settled(*refs[:HEAD])
        assert (await match.told()).count(True) == 1 + HEAD
        desk.clock.advance(3.0)
        await desk.settled(*refs)
    assert len(match.requests(EDIT)) == 3


async def test_sixty_guesses_in_a_group_are_told_by_a_handful_of_edits_while_another_chat_is_answered(
    desk: Desk,
) -> None:
    # given
    people = [await desk.person(f"Player {n}") for n in range(12)]
    group, match = await shown_match(desk, people, limits=MANY)
    zoe = await desk.person("Zoe")
    clock_start, refs = desk.clock.at_s, []
    edited_at: list[float] = []

    async with desk.running(NotifierOptions()) as notifier:
        # when: a guess every twelfth of a second for five seconds
        for n in range(60):
            symbols = WRONG[n]
            refs += await match.guess(symbols, people[n % len(people)], seconds=1 + n)
            notifier.wake([group.id])
            await until(lambda: _at_rest(desk, group.id))
            if len(match.requests(EDIT)) > len(edited_at):
                edited_at.append(desk.clock.at_s)
            desk.clock.advance(5.0 / 60)
        hello = await desk.tell(zoe.id, "hello")
        notifier.wake([zoe.id])
        await desk.settled(hello)

        async def all_told() -> bool:
            desk.clock.advance(0.5)
            if len(match.requests(EDIT)) > len(edited_at):
                edited_at.append(desk.clock.at_s)
            return all(await match.told())

        await until(all_told)

    # then
    assert desk.clock.at_s - clock_start < 15.0
    assert len(match.requests(EDIT)) <= 5
    assert all(later - earlier >= 2.5 for earlier, later in pairwise(edited_at))
    assert all(len(text) <= MAX_CODE_POINTS for text in match.requests(EDIT))
    assert {(await desk.row(ref)).sends for ref in refs} == {1}
    told = "\n".join(match.requests(EDIT))
    assert all(six in told for six in WRONG[:60])


async def _at_rest(desk: Desk, chat_id: int) -> bool:
    return not await desk.waiting_in_flight(chat_id)


async def test_a_lone_guess_in_a_quiet_group_gets_a_reaction(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    guess = await ada.say(group, "/guess " + NEAR)

    # when
    async with desk.running() as notifier:
        await told(desk, notifier, *await match.guess(NEAR, ada, message_id=guess.message_id))
        await group.heard(lambda event: event.kind is EventKind.REACTION)

        # then
        assert notifier.counts.reactions == 1
    assert group.reactions(guess) == {desk.bot.id: ["🔥"]}


async def test_reactions_are_left_out_where_they_would_cost_an_edit(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    options = NotifierOptions(budgets=Budgets(OPTIONS.budgets.overall))
    guesses = [await ada.say(group, "/guess") for _ in range(4)]

    # when
    async with desk.running(options) as notifier:
        for guess, six in zip(guesses, WRONG, strict=False):
            refs = await match.guess(six, ada, message_id=guess.message_id)
            notifier.wake([group.id])
            await desk.settled(*refs)
            desk.clock.advance(3.0)

    # then
    reacted = [request for request in desk.tg.requests if request.method == "setMessageReaction"]
    assert len(reacted) == 1


async def test_a_reaction_telegram_refuses_costs_nobody_anything(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada], mode=Mode.PEGS)
    desk.tg.fail_next("setMessageReaction", group.id, 400, description="Bad Request: REACTION_INVALID")
    guess = await ada.say(group, "/guess")

    # when
    async with desk.running() as notifier:
        await told(desk, notifier, *await match.guess(NEAR, ada, message_id=guess.message_id))
        await until(lambda: notifier.counts.reactions == 1)
        desk.clock.advance(3.0)
        refs = await match.guess(FAR, ada)
        notifier.wake([group.id])

        # then
        await desk.settled(*refs)
