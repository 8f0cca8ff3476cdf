"""The album: who there was and what was said is there again the next time."""

from __future__ import annotations

import asyncio

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
    after = Crowd(LocalTelegram())
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
    async with asyncio.timeout(5):
        while not (path.exists() and "first" in path.read_text("utf-8")):
            await asyncio.sleep(0.01)
    await ada.send("last words")
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)

    # then
    assert "last words" in path.read_text("utf-8")
