"""Documents: sent whole from memory, once, between the messages around them."""

from __future__ import annotations

import json

from codemojex.notices.looking import UNREADABLE
from tests.notices.desk import Desk


async def test_a_document_is_sent_in_its_place_with_its_name_and_content(desk: Desk) -> None:
    # given
    ada = await desk.person()
    content = json.dumps({"name": "Ada", "guesses": ["🍎🍌🍇🍓🍒🍍"] * 500}, ensure_ascii=False)
    refs = [
        await desk.tell(ada.id, "Here is all I know of you:"),
        await desk.write(ada.id, "document", {"name": "codemojex.json", "content": content}),
        await desk.tell(ada.id, "That was it."),
    ]

    # when
    async with desk.running():
        await desk.settled(*refs)

    # then
    before, file, after = [event.message for event in ada.inbox]
    assert before is not None
    assert file is not None
    assert after is not None
    assert (before.text, after.text) == ("Here is all I know of you:", "That was it.")
    upload = desk.tg.document(file)
    assert (upload.name, upload.content) == ("codemojex.json", content.encode())
    assert (await desk.row(refs[1])).message_id == file.message_id


async def test_a_document_that_lacks_its_content_does_not_silence_its_chat(desk: Desk) -> None:
    # given
    ada = await desk.person()
    broken = await desk.write(ada.id, "document", {"name": "codemojex.json"})
    good = await desk.tell(ada.id, "hello")

    # when
    async with desk.running():
        await desk.settled(broken, good)

    # then
    assert (await desk.row(broken)).failure == UNREADABLE
    assert desk.sent_to(ada.id) == ["hello"]
