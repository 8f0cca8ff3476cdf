"""getUpdates: what is handed out, what is confirmed, and by what alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import telegram
from hypothesis import given
from hypothesis import strategies as st
from telegram.error import Conflict

from codemojex.localtg import LocalTelegram, Person
from codemojex.localtg.updates import UpdateQueue
from tests.localtg.conftest import client


async def held(tg: LocalTelegram) -> None:
    """Wait until a poll is held."""
    while not tg.polling:
        await asyncio.sleep(0.005)


async def test_an_update_is_handed_out_until_a_higher_offset_confirms_it(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    for text in ("one", "two", "three"):
        await ada.send(text)

    # when
    first = await bot.get_updates(timeout=0)
    again = await bot.get_updates(timeout=0)
    rest = await bot.get_updates(offset=first[0].update_id + 1, timeout=0)

    # then
    assert [update.message.text for update in first if update.message] == ["one", "two", "three"]
    assert [update.update_id for update in again] == [update.update_id for update in first]
    assert [update.update_id for update in rest] == [update.update_id for update in first[1:]]
    assert [update["message"]["text"] for update in tg.pending()] == ["two", "three"]


@given(
    st.lists(
        st.one_of(
            st.just("arrive"),
            st.tuples(st.integers(-4, 12), st.integers(-1, 101)),
        ),
        max_size=30,
    )
)
def test_only_an_offset_above_an_update_confirms_it(steps: list[str | tuple[int, int]]) -> None:
    async def law() -> None:
        # given
        queue, expected, arrived = UpdateQueue(), [], 0
        for step in steps:
            if isinstance(step, str):
                arrived += 1
                queue.push({"update_id": arrived, "message": {}})
                expected.append(arrived)
                continue
            # when
            offset, limit = step
            batch = await queue.take(offset, limit, 0)
            # then
            if offset < 0:
                expected = expected[offset:]
            expected = [number for number in expected if number >= offset]
            size = limit if 0 < limit <= 100 else 100
            assert [update["update_id"] for update in batch] == expected[:size]
            assert [update["update_id"] for update in queue.pending()] == expected

    asyncio.run(law())


async def test_a_batch_holds_at_most_limit_updates(ada: Person, bot: telegram.Bot) -> None:
    # given
    for number in range(105):
        await ada.send(f"message {number}")

    # when / then
    assert len(await bot.get_updates(limit=7, timeout=0)) == 7
    assert len(await bot.get_updates(timeout=0)) == 100
    assert len(await bot.get_updates(offset=-2, timeout=0)) == 2


async def test_a_long_poll_ends_with_the_first_update(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    poll = asyncio.create_task(bot.get_updates(timeout=50))
    await held(tg)
    assert not poll.done()

    # when
    await ada.send("now")

    # then
    (update,) = await asyncio.wait_for(poll, 60)
    assert update.message is not None
    assert update.message.text == "now"


async def test_a_long_poll_ends_empty_at_its_timeout(bot: telegram.Bot) -> None:
    started = asyncio.get_running_loop().time()
    assert await bot.get_updates(timeout=1) == ()
    assert 0.9 < asyncio.get_running_loop().time() - started < 20


async def test_a_second_poller_ends_the_first_with_409(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    first = asyncio.create_task(bot.get_updates(timeout=30))
    await held(tg)

    # when
    second = asyncio.create_task(bot.get_updates(timeout=30))

    # then
    with pytest.raises(Conflict, match="terminated by other getUpdates request; make sure that only one"):
        await asyncio.wait_for(first, 60)
    await ada.send("to the second")
    assert len(await asyncio.wait_for(second, 60)) == 1


async def test_a_poller_that_went_away_leaves_no_trace(tg: LocalTelegram, ada: Person) -> None:
    # given
    async with client(tg) as killed:
        poll = asyncio.create_task(killed.get_updates(timeout=30))
        await held(tg)
        poll.cancel()
        await asyncio.gather(poll, return_exceptions=True)

    # when
    await ada.send("for whoever comes")

    # then
    async with client(tg) as next_one:
        assert len(await next_one.get_updates(timeout=1)) == 1


async def test_a_kind_that_was_not_asked_for_is_never_queued(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    await bot.get_updates(timeout=0, allowed_updates=["message"])
    said = await ada.send("hello")

    # when
    await ada.edit(said, "hello!")
    await ada.block()
    await bot.get_updates(timeout=0)  # no list: the earlier one holds
    await ada.unblock()

    # then
    assert [set(update) - {"update_id"} for update in tg.pending()] == [{"message"}]
    assert (await bot.get_webhook_info()).allowed_updates == ("message",)


async def test_pending_updates_are_dropped_when_asked(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    await ada.send("old news")
    assert (await bot.get_webhook_info()).pending_update_count == 1

    # when
    await bot.delete_webhook(drop_pending_updates=True)

    # then
    assert tg.pending() == []


async def test_ids_never_repeat_across_restarts_with_one_state_file(tmp_path: Path) -> None:
    # given
    state, updates, messages, people = tmp_path / "telegram.json", [], [], []

    # when
    for _ in range(3):
        tg = LocalTelegram(state=state)
        person = tg.person("Ada")
        people.append(person.id)
        for number in range(1_200):
            messages.append((await person.send(f"{number}")).message_id)
        updates += [update["update_id"] for update in tg.pending()]

    # then
    assert len(set(updates)) == len(set(messages)) == 3_600
    assert updates == sorted(updates)
    assert messages == sorted(messages)
    assert len(set(people)) == 3


async def test_a_lost_state_file_does_not_bring_its_numbers_back(tmp_path: Path) -> None:
    # given
    state = tmp_path / "telegram.json"
    before = (await LocalTelegram(state=state).person("Ada").send("1")).message_id

    # when
    state.unlink()
    after = (await LocalTelegram(state=state).person("Ada").send("2")).message_id

    # then
    assert before > 10_000_000
    assert after >= before


async def test_an_injected_repeat_is_delivered_once_more_whatever_the_offset(
    tg: LocalTelegram, bot: telegram.Bot
) -> None:
    # given
    chat = {"id": 5000000101, "type": "private", "first_name": "Ada"}
    said = {
        "message_id": 11,
        "date": 1796000000,
        "chat": chat,
        "from": {**chat, "is_bot": False},
        "text": "x",
    }
    said["from"] = {"id": 5000000101, "is_bot": False, "first_name": "Ada"}
    tg.inject({"update_id": 900001, "message": said})
    await bot.get_updates(timeout=0)
    await bot.get_updates(offset=900002, timeout=0)
    assert tg.pending() == []

    # when
    tg.inject({"update_id": 900001, "message": said})

    # then
    (again,) = await bot.get_updates(offset=900002, timeout=0)
    assert again.update_id == 900001
    assert await bot.get_updates(offset=900002, timeout=0) == ()
    later = await tg.person("Bo").send("new")
    assert tg.pending()[-1]["update_id"] == 900002
    assert later.message_id == 12
    assert (await bot.send_message(5000000101, "seen you", reply_to_message_id=11)).reply_to_message


async def test_an_unknown_update_kind_arrives_with_everything_none(
    tg: LocalTelegram, bot: telegram.Bot
) -> None:
    # when
    tg.inject({"update_id": 900030, "brand_new_thing": {"x": 1}})

    # then
    (update,) = await bot.get_updates(timeout=0)
    assert update.effective_chat is None
    assert update.message is None
