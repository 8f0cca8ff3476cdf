"""sendDocument: a file that is uploaded, kept in memory, and sent again by its id."""

from __future__ import annotations

import httpx
import pytest
import telegram
from telegram.error import BadRequest

from codemojex.localtg import LocalTelegram, Person
from tests.localtg.conftest import Call


@pytest.fixture(autouse=True)
async def chat(ada: Person) -> int:
    await ada.send("/start")
    return ada.id


async def test_a_document_reaches_the_person_as_it_was_uploaded(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, chat: int
) -> None:
    # when
    sent = await bot.send_document(
        chat, b'{"a": 1}', filename="you.json", caption="<b>Yours</b>", parse_mode="HTML"
    )

    # then
    message = await ada.wait_for("Yours")
    file = tg.document(message)
    assert (file.name, file.mime, file.content) == ("you.json", "application/json", b'{"a": 1}')
    assert sent.document is not None
    assert (sent.document.file_size, sent.caption) == (8, "Yours")
    assert [entity.type for entity in sent.caption_entities] == ["bold"]
    # The log says that there was a file, not what is in it.
    assert tg.requests[-1].params["document"] == "<file 'you.json', application/json, 8 bytes>"


async def test_a_document_is_sent_again_by_its_id(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, chat: int
) -> None:
    sent = await bot.send_document(chat, b"x" * 3_000_000, filename="large.bin")
    assert sent.document is not None
    again = await bot.send_document(chat, sent.document.file_id)
    assert again.document == sent.document
    assert len(tg.document(ada.messages[-1]).content) == 3_000_000


async def test_a_file_may_be_attached_under_another_name(tg: LocalTelegram, ada: Person, chat: int) -> None:
    # when
    async with httpx.AsyncClient() as client:
        answers = [
            await client.post(
                f"{tg.url}/bot{tg.token}/sendDocument",
                data={"chat_id": str(chat), "document": f"attach://{name}"},
                files={"file0": ("a.txt", b"hello", "text/plain")},
            )
            for name in ("file0", "file1")
        ]

    # then
    assert [answer.status_code for answer in answers] == [200, 400]
    assert tg.document(ada.messages[-1]).content == b"hello"
    assert 'there is no file "file1"' in answers[1].json()["description"]


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({}, "there is no document in the request"),
        ({"document": "AgADunknown"}, "wrong file identifier"),
        ({"document": "https://x.org/a.txt"}, "does not model files by URL"),
        ({"document": "AgAD", "caption": "x" * 1025}, "message caption is too long"),
    ],
)
async def test_a_bad_document_is_refused(call: Call, chat: int, params: dict[str, str], why: str) -> None:
    status, body = await call("sendDocument", chat_id=chat, **params)
    assert status == 400
    assert why in body["description"]


async def test_an_empty_file_and_an_edit_of_its_text_are_refused(bot: telegram.Bot, chat: int) -> None:
    sent = await bot.send_document(chat, b"x", filename="a.txt")
    with pytest.raises(BadRequest, match="There is no text in the message to edit"):
        await sent.edit_text("x")
    with pytest.raises(BadRequest, match="File must be non-empty"):
        await bot.send_document(chat, b"", filename="a.txt")


async def test_a_request_beyond_the_largest_file_is_refused(
    tg: LocalTelegram, monkeypatch: pytest.MonkeyPatch, chat: int
) -> None:
    # given
    monkeypatch.setattr("codemojex.localtg.telegram.MAX_BYTES", 1_000)
    await tg.stop()
    await tg.start()

    # when
    async with httpx.AsyncClient() as client:
        root = f"{tg.url}/bot{tg.token}"
        answers = [
            await client.post(f"{root}/sendDocument", files={"document": ("a", b"x" * 2_000)}),
            await client.post(f"{root}/sendMessage", json={"chat_id": chat, "text": "x" * 2_000}),
        ]

    # then
    assert [answer.status_code for answer in answers] == [413, 413]
    assert answers[0].json()["description"] == "Request Entity Too Large"
