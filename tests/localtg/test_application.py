"""A stock Application of python-telegram-bot plays against it; a killed bot loses nothing here."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from telegram import Update
from telegram.ext import Application, CallbackQueryHandler, CommandHandler, ContextTypes

from codemojex.localtg import LocalTelegram, Person

Context = ContextTypes.DEFAULT_TYPE


async def test_a_stock_application_answers_over_long_polling(tg: LocalTelegram, ada: Person) -> None:
    # given
    async def new(update: Update, context: Context) -> None:
        assert update.message is not None
        await update.message.reply_html("<b>Go</b>", do_quote=True)

    async def pressed(update: Update, context: Context) -> None:
        assert update.callback_query is not None
        await update.callback_query.answer("ok")

    app = Application.builder().token(tg.token).base_url(f"{tg.url}/bot").build()
    app.add_handler(CommandHandler("new", new))
    app.add_handler(CallbackQueryHandler(pressed))
    async with app:
        assert app.updater is not None
        await app.updater.start_polling(allowed_updates=Update.ALL_TYPES)
        await app.start()

        # when
        asked = await ada.send("/new")
        heard = await ada.heard("Go")

        # then
        assert heard.message is not None
        assert heard.message.raw["reply_to_message"]["message_id"] == asked.message_id
        await app.updater.stop()
        await app.stop()
    assert tg.pending() == []
    assert {request.status for request in tg.requests} == {200}


class Control:
    """The control API of a local Telegram in another process."""

    def __init__(self, client: httpx.AsyncClient, url: str, token: str) -> None:
        self._client = client
        self.url = url
        self.token = token

    async def __call__(self, verb: str, path: str, **body: Any) -> Any:
        answer = await self._client.request(verb, f"{self.url}/control/{path}", json=body or None)
        return answer.json()

    async def bot(self, method: str, **params: Any) -> Any:
        return (await self._client.post(f"{self.url}/bot{self.token}/{method}", json=params)).json()


def _serve(state: Path) -> tuple[subprocess.Popen[str], dict[str, str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "codemojex.localtg", "--state", str(state)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


@pytest.fixture
async def elsewhere(tmp_path: Path) -> AsyncIterator[Control]:
    process, said = _serve(tmp_path / "state.json")
    async with httpx.AsyncClient() as client:
        yield Control(client, said["url"], said["token"])
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    assert process.stdout is not None
    process.stdout.close()


async def test_the_control_api_moves_people_and_shows_what_they_see(elsewhere: Control) -> None:
    # given
    ada = (await elsewhere("POST", "people", name="Ada"))["id"]
    first = await elsewhere("POST", f"people/{ada}/send", text="/new", at=1796000000)
    button = {"inline_keyboard": [[{"text": "go", "callback_data": "go"}]]}

    # when
    sent = await elsewhere.bot("sendMessage", chat_id=ada, text="hi", reply_markup=button)
    number = sent["result"]["message_id"]
    await elsewhere("POST", f"people/{ada}/press", message_id=number, button="go")
    await elsewhere("POST", f"people/{ada}/send", text="re", reply_to=number)
    await elsewhere("POST", f"people/{ada}/edit", message_id=first["message_id"], text="/help")
    await elsewhere("POST", f"people/{ada}/dice", emoji="🎯", value=4)
    await elsewhere("POST", f"people/{ada}/start", payload="x")
    await elsewhere("POST", f"people/{ada}/block")
    refused = await elsewhere.bot("sendMessage", chat_id=ada, text="hi")
    await elsewhere("POST", f"people/{ada}/unblock")
    await elsewhere("POST", "updates", updates=[{"brand_new": {}}])

    # then
    assert (first["text"], first["date"]) == ("/new", 1796000000)
    assert refused["error_code"] == 403
    kinds = [next(k for k in update if k != "update_id") for update in await elsewhere("GET", "pending")]
    assert kinds == [
        "message",
        "callback_query",
        "message",
        "edited_message",
        "message",
        "message",
        "my_chat_member",
        "my_chat_member",
        "brand_new",
    ]
    inbox = await elsewhere("GET", f"people/{ada}/inbox?since=0")
    assert [event["text"] for event in inbox] == ["hi"]
    assert len(await elsewhere("GET", f"chats/{ada}")) == 5
    assert [each["status"] for each in await elsewhere("GET", "requests?method=sendMessage")] == [200, 403]
    assert (await elsewhere("GET", "health"))["requests"] == 2
    assert [each["first_name"] for each in await elsewhere("GET", "people")] == ["Ada"]


async def test_the_control_api_makes_trouble_and_says_what_is_wrong(elsewhere: Control) -> None:
    # given
    ada = (await elsewhere("POST", "people", name="Ada", known=True))["id"]
    await elsewhere("POST", "faults", kind="refuse", method="sendMessage", status=429, retry_after_s=3)
    await elsewhere("POST", "faults", kind="hang")

    # when
    slow = await elsewhere.bot("sendMessage", chat_id=ada, text="x")
    await elsewhere("DELETE", "faults")

    # then
    assert slow["parameters"] == {"retry_after": 3}
    assert (await elsewhere.bot("sendMessage", chat_id=ada, text="x"))["ok"]
    assert "no 'colour'" in (await elsewhere("POST", "faults", kind="lose", colour=1))["error"]
    assert "there is no person 1" in (await elsewhere("GET", "people/1/inbox"))["error"]
    assert "empty message" in (await elsewhere("POST", f"people/{ada}/send", text=" "))["error"]
    assert "no POST /control/nowhere" in (await elsewhere("POST", "nowhere"))["error"]


async def test_updates_wait_while_the_bot_is_dead(elsewhere: Control) -> None:
    # given
    ada = (await elsewhere("POST", "people", name="Ada"))["id"]
    for number in range(3):
        await elsewhere("POST", f"people/{ada}/send", text=f"guess {number}")
    program = (
        "import sys, httpx\n"
        "print(len(httpx.get(sys.argv[1], params={'timeout': 9}).json()['result']), flush=True)\n"
        "httpx.get(sys.argv[1], params={'timeout': 50, 'offset': 0}, timeout=60)\n"
        "sys.stdin.read()\n"
    )
    address = f"{elsewhere.url}/bot{elsewhere.token}/getUpdates"
    victim = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        address,
        stdout=asyncio.subprocess.PIPE,
        stdin=asyncio.subprocess.PIPE,
    )
    assert victim.stdout is not None
    assert await victim.stdout.readline() == b"3\n"

    # when
    victim.kill()
    await victim.wait()

    # then
    batch = (await elsewhere.bot("getUpdates"))["result"]
    assert [update["message"]["text"] for update in batch] == ["guess 0", "guess 1", "guess 2"]


def test_a_taken_port_is_one_clear_sentence(tmp_path: Path) -> None:
    # given
    process, said = _serve(tmp_path / "state.json")
    port = said["url"].rpartition(":")[2]

    # when
    second = subprocess.run(
        [sys.executable, "-m", "codemojex.localtg", "--port", port],
        capture_output=True,
        text=True,
        timeout=100,
    )
    process.terminate()
    process.communicate(timeout=60)

    # then
    assert second.returncode == 1
    assert second.stderr.startswith(f"The local Telegram cannot listen on 127.0.0.1:{port}: ")
    assert second.stderr.count("\n") == 1
