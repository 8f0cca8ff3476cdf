"""The board of a group: one message, edited as results come, that tells every guess exactly once."""

from __future__ import annotations

from codemojex.game.keyboards import Mode
from codemojex.notices.piles import HEAD
from codemojex.play import showing
from codemojex.store import schema
from codemojex.texts.live import MAX_FEED
from tests.notices.desk import Desk, until
from tests.notices.matches import EDIT, MANY, SEND, group_match, shown_match, told
from tests.play.makers import FAR, MISS, NEAR, SECRET, rows


async def test_a_board_is_sent_with_buttons_and_edited_when_a_result_comes(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await group_match(desk, [ada])

    async with desk.running() as notifier:
        first = await match.refresh()
        assert first is not None
        notifier.wake([group.id])
        await desk.settled(first)
        desk.clock.advance(3.0)

        # when
        refs = await match.guess(NEAR, ada)
        notifier.wake([group.id])
        await desk.settled(*refs)

    # then
    [board] = [message for message in group.messages if message.sender_id == desk.bot.id]
    assert NEAR in board.text
    assert "Ada" in board.text
    assert len(board.keyboard) == 3
    assert (await match.card()).message_id == board.message_id
    assert await match.told() == [True]
    row = await desk.row(refs[0])
    assert (row.sends, row.message_id, row.failure) == (1, board.message_id, None)


async def test_a_board_that_is_asked_for_comes_again_at_the_bottom_and_is_edited_there(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    await ada.say(group, "/board")

    # when
    async with desk.running() as notifier:
        ref = await match.repost()
        assert ref is not None
        await told(desk, notifier, ref)
        desk.clock.advance(3.0)
        await told(desk, notifier, *await match.guess(NEAR, ada))

    # then
    old, new = [message for message in group.messages if message.sender_id == desk.bot.id]
    assert group.messages[-1] is new
    assert NEAR in new.text
    assert NEAR not in old.text
    assert match.table.game.commitment in new.text


async def test_results_that_come_together_are_told_by_one_edit(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    _, match = await shown_match(desk, [ada, bo])
    refs = [*await match.guess(NEAR, ada), *await match.guess(FAR, bo), *await match.guess(MISS, ada)]

    # when
    async with desk.running():
        await desk.settled(*refs)

    # then
    [edit] = match.requests(EDIT)
    assert all(symbols in edit for symbols in (NEAR, FAR, MISS))
    assert await match.told() == [True] * 3
    assert len({(await desk.row(ref)).message_id for ref in refs}) == 1


def test_what_one_edit_tells_always_fits_into_it() -> None:
    assert HEAD <= MAX_FEED


async def test_a_blind_board_says_nothing_of_points(desk: Desk) -> None:
    # given
    ada = await desk.person()
    _, match = await shown_match(desk, [ada], mode=Mode.BLIND)

    # when
    async with desk.running() as notifier:
        await told(desk, notifier, *await match.guess(NEAR, ada))

    # then
    [edit] = match.requests(EDIT)
    assert NEAR in edit
    assert "560" not in edit


async def test_a_crack_is_not_on_the_board_before_the_game_is_settled(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    _, match = await shown_match(desk, [ada, bo], limits=MANY)
    earlier = await match.guess(NEAR, bo)
    await match.guess(SECRET, ada)

    # when
    async with desk.running():
        await desk.settled(*earlier)

    # then
    [edit] = match.requests(EDIT)
    assert NEAR in edit
    assert SECRET not in edit


async def test_a_game_that_ends_shows_its_board_once_more_without_buttons(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    await match.guess(NEAR, ada)
    refs = await match.end()

    # when
    async with desk.running() as notifier:
        await desk.settled(*refs)
        await until(lambda: notifier.waiting() == 0)

    # then
    board = next(each for each in group.messages if each.message_id == 1 or NEAR in each.text)
    assert NEAR in board.text
    assert board.keyboard == []
    assert await match.told() == [True]
    assert (await match.card()).message_id == board.message_id


async def test_a_board_nobody_saw_is_sent_after_the_end_for_its_seal(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await group_match(desk, [ada])
    await match.refresh()
    await match.end()

    # when
    async with desk.running() as notifier:
        await until(lambda: _nothing_waits(desk, group.id))
        await until(lambda: notifier.waiting() == 0)

    # then
    ending, board = match.requests(SEND)
    assert "given up" in ending
    assert match.table.game.commitment in board
    assert all(message.keyboard == [] for message in group.messages)


async def test_a_board_that_was_seen_and_deleted_is_not_sent_again_after_the_end(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    await desk.store.transact(lambda tx: showing.vanished(tx, match.card_id, group.messages[-1].message_id))
    await match.end()

    # when
    async with desk.running() as notifier:
        await until(lambda: _nothing_waits(desk, group.id))
        await until(lambda: notifier.waiting() == 0)

    # then
    _, ending = match.requests(SEND)
    assert "given up" in ending


async def _nothing_waits(desk: Desk, chat_id: int) -> bool:
    return not await desk.waiting(chat_id)


async def test_results_after_the_end_are_told_by_a_new_message_where_no_board_was_seen(desk: Desk) -> None:
    # given
    ada = await desk.person()
    _, match = await group_match(desk, [ada])
    refs = await match.guess(NEAR, ada)
    await match.end()

    # when
    async with desk.running():
        await desk.settled(*refs)

    # then
    assert await match.told() == [True]
    assert any(NEAR in text for text in match.requests(SEND))


async def test_a_card_is_refreshed_by_one_waiting_notice_however_often_it_is_asked_for(desk: Desk) -> None:
    # given
    ada = await desk.person()
    _, match = await group_match(desk, [ada])

    # when
    refs = [await match.refresh() for _ in range(5)]

    # then
    assert [ref is not None for ref in refs] == [True, False, False, False, False]
    assert len(await rows(desk.looking, schema.notices, card_id=match.card_id)) == 1
