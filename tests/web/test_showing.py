"""What the page is given of a message: Telegram's own words, forwards, replies, files."""

from __future__ import annotations

import pytest

from codemojex.localtg import LocalTelegram
from codemojex.web import Crowd, showing
from tests.localtg.conftest import client


@pytest.fixture
async def crowd():
    async with LocalTelegram() as telegram:
        crowd = Crowd(telegram)
        crowd.settle()
        yield crowd


def _last(crowd, window):
    return showing.message(crowd.telegram, window.messages[-1])


async def test_who_comes_and_goes_is_said_in_words(crowd):
    # given
    ada, bo, cy = crowd.people.values()
    group = next(iter(crowd.groups.values()))
    said = []

    # when
    for act in (
        lambda: group.leave(bo),
        lambda: group.join(bo),
        lambda: group.leave(cy, ada),
        lambda: group.join(cy, ada),
        group.remove_bot,
        group.add_bot,
        group.upgrade,
    ):
        act()
        said.append(_last(crowd, group)["service"])

    # then
    assert said == [
        "Bo left the group",
        "Bo joined the group",
        "Ada removed Cy",
        "Ada added Cy",
        "Ada removed codemojex",
        "Ada added codemojex",
        "The group became a supergroup",
    ]


async def test_a_forward_says_where_it_comes_from(crowd):
    # given
    ada, bo, _ = crowd.people.values()
    said = await bo.send("mine")
    channel = crowd.telegram.channel("News", [ada])

    # when
    await ada.forward(said)
    by_name = _last(crowd, ada)
    await ada.forward(said, hidden=True)
    hidden = _last(crowd, ada)
    await ada.forward(await ada.say(channel, "post"))
    of_channel = _last(crowd, ada)

    # then
    assert [each["forwarded"] for each in (by_name, hidden, of_channel)] == ["Bo", "Bo", "News"]


async def test_a_reply_quotes_the_beginning_of_what_it_answers(crowd):
    # given
    ada, *_ = crowd.people.values()
    said = await ada.send("x" * 1_000)

    # when
    await ada.send("yes", reply_to=said)

    # then
    assert _last(crowd, ada)["reply"] == {"id": said.message_id, "name": "Ada", "text": "x" * 160}


async def test_a_file_that_is_gone_is_shown_as_gone(crowd):
    # given
    ada, *_ = crowd.people.values()
    await ada.send("hi")
    async with client(crowd.telegram) as bot:
        await bot.send_document(ada.id, b"{}", filename="mine.json", caption="yours")
    here = _last(crowd, ada)

    # when: another life, of which only the messages are left
    again = Crowd(LocalTelegram())
    gone = showing.message(again.telegram, ada.messages[-1])

    # then
    assert here["document"]["here"]
    assert (here["document"]["name"], here["document"]["bytes"], here["text"]) == ("mine.json", 2, "yours")
    assert not gone["document"]["here"]


async def test_a_chat_is_given_by_its_newest_messages(crowd):
    # given
    ada, *_ = crowd.people.values()
    for number in range(showing.SHOWN_MESSAGES + 3):
        await ada.send(f"word {number}")

    # when
    shown = showing.private(crowd.telegram, ada)["messages"]

    # then
    assert len(shown) == showing.SHOWN_MESSAGES
    assert shown[0]["text"] == "word 3"


async def test_names_are_cut_and_never_empty(crowd):
    # when
    names = [crowd.meet(name).name for name in ("  ", "x" * 100, " Ann ")]
    titles = [crowd.gather(title, next(iter(crowd.people.values())), []).name for title in (" ", "Ours")]

    # then
    assert names == ["Dee", "x" * 64, "Ann"]
    assert titles == ["Group of Ada", "Ours"]
