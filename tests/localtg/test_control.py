"""The control API with groups: everything people do in a test is also there for another process."""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import telegram

from codemojex.localtg import LocalTelegram, control
from codemojex.localtg.acts import OF_GROUPS, OF_PEOPLE


class Remote:
    """The control API as another process sees it."""

    def __init__(self, client: httpx.AsyncClient, tg: LocalTelegram) -> None:
        self._client, self._tg = client, tg

    async def get(self, path: str) -> Any:
        return (await self._client.get(f"{self._tg.url}/control/{path}")).json()

    async def post(self, path: str, **body: Any) -> Any:
        return (await self._client.post(f"{self._tg.url}/control/{path}", json=body)).json()

    async def person(self, name: str) -> int:
        return int((await self.post("people", name=name))["id"])


@pytest.fixture
async def remote(tg: LocalTelegram) -> AsyncIterator[Remote]:
    async with httpx.AsyncClient() as client:
        yield Remote(client, tg)


def seen(tg: LocalTelegram) -> list[str]:
    return [update["message"].get("text", "") for update in tg.pending() if "message" in update]


async def test_a_group_is_made_talks_and_moves(tg: LocalTelegram, remote: Remote, bot: telegram.Bot) -> None:
    # given
    ada, bo = await remote.person("Ada"), await remote.person("Bo")
    fruit = (await remote.post("groups", title="Fruit", members=[bo], admins=[ada], known=True))["id"]
    said = await remote.post(f"people/{bo}/say", chat=fruit, text="/new")
    sent = await bot.send_message(fruit, "board")

    # when
    await remote.post(f"people/{bo}/say", chat=fruit, text="re", reply_to=sent.message_id)
    await remote.post(f"people/{bo}/edit", chat=fruit, message_id=said["message_id"], text="/board")
    await remote.post(f"people/{ada}/react", chat=fruit, message_id=sent.message_id, emojis=["👍"])
    for change in ("promote", "demote", "leave", "join"):
        assert await remote.post(f"groups/{fruit}/{change}", person=bo, by=ada) == {"ok": True}
    for turn in ("promote_bot", "demote_bot", "remove_bot", "add_bot"):
        assert await remote.post(f"groups/{fruit}/{turn}", by=ada) == {"ok": True}
    large = (await remote.post(f"groups/{fruit}/upgrade", new_first=True))["id"]
    await remote.post(f"people/{ada}/say", chat=large, text="/top", send_as=large)

    # then
    assert [text for text in seen(tg) if text] == ["/new", "re", "/top"]
    shown = {group["id"]: group for group in await remote.get("groups")}
    assert (shown[fruit]["migrated_to"], shown[large]["bot"]) == (large, "member")
    assert shown[large]["members"] == {str(bo): "member", str(ada): "creator"}
    history = await remote.get(f"chats/{fruit}/history/{said['message_id']}")
    assert [version["text"] for version in history] == ["/new", "/board"]
    assert await remote.get(f"chats/{fruit}/reactions/{sent.message_id}") == {str(ada): ["👍"]}
    assert [event["text"] for event in await remote.get(f"groups/{fruit}/inbox?since=0")] == ["board"]


async def test_topics_channels_and_forwards(tg: LocalTelegram, remote: Remote) -> None:
    # given
    ada = await remote.person("Ada")
    forum = (await remote.post("groups", title="F", admins=[ada], forum=True, privacy=False))["id"]
    topic = (await remote.post(f"groups/{forum}/topics", name="Games"))["id"]
    news = (await remote.post("channels", title="News", admins=[ada], group=forum))["id"]

    # when
    said = await remote.post(f"people/{ada}/say", chat=forum, topic=topic, text="/new")
    await remote.post(f"people/{ada}/say", chat=news, text="a post")
    await remote.post(f"people/{ada}/dice", chat=forum)
    number = said["message_id"]
    copy = await remote.post(f"people/{ada}/forward", **{"from": forum}, message_id=number, hidden=True)
    await remote.post(f"people/{ada}/delete", chat=forum, message_id=number)
    await remote.post("privacy", on=False)

    # then
    assert said["is_topic_message"]
    assert copy["forward_origin"]["type"] == "hidden_user"
    messages = await remote.get(f"chats/{forum}")
    assert [bool(message.get("is_automatic_forward")) for message in messages] == [False, False, True, False]
    assert tg.world.options.privacy is False


async def test_files_and_deliveries_are_shown(tg: LocalTelegram, remote: Remote, bot: telegram.Bot) -> None:
    # given
    ada = await remote.person("Ada")
    await remote.post(f"people/{ada}/start")

    # when
    sent = await bot.send_document(ada, b"hello", filename="a.txt")

    # then
    assert sent.document is not None
    file = await remote.get(f"files/{sent.document.file_id}")
    assert (file["name"], base64.b64decode(file["base64"])) == ("a.txt", b"hello")
    assert await remote.get("deliveries") == []
    assert "<file 'a.txt'" in (await remote.get("requests?method=sendDocument"))[0]["params"]["document"]


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("groups/1/upgrade", {}, "there is no group 1"),
        ("groups", {"title": "x", "members": [1]}, "there is no person 1"),
        ("people/{ada}/say", {"chat": 1, "text": "x"}, "KeyError"),
        ("people/{ada}/fly", {}, "no POST /control/people/"),
    ],
)
async def test_what_is_wrong_is_said(remote: Remote, path: str, body: dict[str, Any], why: str) -> None:
    ada = await remote.person("Ada")
    assert why in (await remote.post(path.format(ada=ada), **body))["error"]


def test_the_docstring_lists_every_act() -> None:
    listed = set(re.findall(r"/control/people/<id>/(\w+)", control.__doc__ or ""))
    assert set(OF_PEOPLE) | {"inbox"} == listed
    for act in OF_GROUPS:
        assert re.search(rf"\b{act}\b", control.__doc__ or ""), act
