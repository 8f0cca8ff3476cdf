"""The album: who there was and what was said is there again the next time."""

from __future__ import annotations

import asyncio

from telegram import Bot

from codemojex.localtg import LocalTelegram
from codemojex.web import Album, Crowd


async def test_people_groups_messages_and_reactions_come_back(tmp_path):
    # given
    path = tmp_path / "page.json"
    before = Crowd(LocalTelegram())
    before.settle()
    ada, bo, _ = before.people.values()
    dee = before.meet("Dée", "ru")
    group = before.gather("Two", ada, [bo])
    await ada.send("in private")
    said = await bo.say(group, "in the group")
    await ada.react(said, "🔥", where=group)

    # when
    Album(before, path).save()
    after = Crowd(LocalTelegram(before.telegram.token))
    Album(after, path).restore()
    after.settle()

    # then
    assert [(each.id, each.name) for each in after.people.values()] == [
        (each.id, each.name) for each in before.people.values()
    ]
    assert after.people[dee.id].user.language_code == "ru"
    assert [each.raw for each in after.people[ada.id].messages] == [each.raw for each in ada.messages]
    again = after.groups[group.id]
    assert [each.raw for each in again.messages] == [each.raw for each in group.messages]
    assert again.chat.members == group.chat.members
    assert again.reactions(said.message_id) == {ada.id: ["🔥"]}
    # The bot may write to those who had written to it, and to nobody else.
    assert after.telegram.chat(ada.id).bot.present
    assert dee.id not in after.telegram.world.chats
    # It has been in the groups all along: it is told nothing.
    assert after.telegram.pending() == [
        each for each in after.telegram.pending() if "my_chat_member" not in each
    ]


async def test_what_the_bot_said_is_the_bots_in_the_next_run_too(tmp_path):
    # given: a message of the bot with its reaction to another, and a reply to it
    path = tmp_path / "page.json"
    async with LocalTelegram() as first:
        before = Crowd(first)
        before.settle()
        ada = next(iter(before.people.values()))
        await ada.send("hello")
        asked = ada.messages[-1]
        async with Bot(first.token, base_url=f"{first.url}/bot") as bot:
            answer = await bot.send_message(ada.id, "hello yourself")
            await bot.set_message_reaction(ada.id, asked.message_id, "👍")
        Album(before, path).save()

    # when
    async with LocalTelegram() as second:
        after = Crowd(second)
        Album(after, path).restore()
        async with Bot(second.token, base_url=f"{second.url}/bot") as bot:
            await bot.edit_message_text("hello again", ada.id, answer.message_id)

        # then
        shown = after.people[ada.id].messages[-1]
        assert (shown.text, shown.sender_id) == ("hello again", second.world.bot.id)
        chat = second.world.chats[ada.id]
        assert chat.reactions[asked.message_id] == {second.world.bot.id: ["👍"]}


async def test_a_file_nobody_can_read_is_no_obstacle(tmp_path):
    # given
    path = tmp_path / "page.json"
    path.write_text("{", "utf-8")
    crowd = Crowd(LocalTelegram())

    # when
    Album(crowd, path).restore()
    crowd.settle()

    # then
    assert [each.name for each in crowd.people.values()] == ["Ada", "Bo", "Cy"]


async def test_it_is_saved_as_things_happen_and_at_the_end(tmp_path, monkeypatch):
    # given
    monkeypatch.setattr("codemojex.web.album._SAVE_EVERY_S", 0.01)
    path = tmp_path / "page.json"
    crowd = Crowd(LocalTelegram())
    crowd.settle()
    ada, *_ = crowd.people.values()
    keeping = asyncio.create_task(Album(crowd, path).keep())

    # when
    await ada.send("first")
    async with asyncio.timeout(60):
        while not (path.exists() and "first" in path.read_text("utf-8")):
            await asyncio.sleep(0.01)
    await ada.send("last words")
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)

    # then
    assert "last words" in path.read_text("utf-8")
