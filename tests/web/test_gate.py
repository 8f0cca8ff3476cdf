"""What the page's server lets in, without a browser: its own page and nobody else."""

from __future__ import annotations

from urllib.parse import urlsplit

import aiohttp
import pytest

EVIL = [
    {"Host": "evil.example"},
    {"Host": "127.0.0.1.evil.example"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "https://127.0.0.1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.fixture
async def http():
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.mark.parametrize("headers", EVIL, ids=lambda headers: "-".join(headers.values()))
async def test_what_another_page_sends_is_refused(silent_site, http, headers):
    # when
    async with http.get(f"{silent_site.url}state", headers=headers) as page:
        pass
    async with http.post(f"{silent_site.url}do/person", json={}, headers=headers) as act:
        pass
    try:
        await http.ws_connect(f"{silent_site.url}events", headers=headers)
        socket = 101
    except aiohttp.WSServerHandshakeError as refused:
        socket = refused.status

    # then
    assert (page.status, act.status, socket) == (403, 403, 403)
    assert len(silent_site.crowd.people) == 3


@pytest.mark.parametrize("path", ["/", "/state", "/x/state", "/static/js/app.js", "/%00/", "//"])
async def test_without_the_token_there_is_nothing(silent_site, http, path):
    # given
    parts = urlsplit(silent_site.url)

    # when
    async with http.get(f"{parts.scheme}://{parts.netloc}{path}") as response:
        body = await response.text()

    # then
    assert response.status == 404
    assert silent_site.url.split("/")[3] not in body


async def test_the_page_may_load_from_nowhere_else_and_be_framed_by_nobody(silent_site, http):
    # when
    async with http.get(silent_site.url) as response:
        policy = response.headers["Content-Security-Policy"]
        page = await response.text()

    # then
    assert response.status == 200
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "//" not in page.replace("<!doctype html>", "")


@pytest.mark.parametrize("path", ["../site.py", "..%2fsite.py", "%2e%2e/site.py", "css/../../site.py"])
async def test_only_the_pages_own_files_are_served(silent_site, http, path):
    # when
    from yarl import URL

    async with http.get(URL(f"{silent_site.url}static/{path}", encoded=True)) as response:
        pass

    # then
    assert response.status in (403, 404)


BAD = [
    ("say", {}, 400),
    ("say", {"person": "x", "chat": 1, "text": "hi"}, 400),
    ("say", {"person": 1, "chat": 1, "text": "hi"}, 409),
    ("say", {"person": 5_000_000_101, "chat": 5_000_000_102, "text": "hi"}, 409),
    ("say", {"person": 5_000_000_101, "chat": 5_000_000_101, "text": "  "}, 409),
    ("say", {"person": 5_000_000_101, "chat": 5_000_000_101, "text": "x" * 5_000}, 409),
    ("say", {"person": 5_000_000_101, "chat": 5_000_000_101, "text": "hi", "more": 1}, 400),
    ("press", {"person": 5_000_000_101, "chat": 5_000_000_101, "message": 9, "data": "x"}, 409),
    ("start", {"person": 5_000_000_101, "payload": "?!"}, 409),
    ("react", {"person": 5_000_000_101, "chat": 5_000_000_101, "message": 9, "emojis": ["🔥"]}, 409),
    ("group", {"title": "x", "owner": 1, "members": []}, 409),
    ("person", {"language": "xx"}, 400),
    ("dance", {}, 404),
]


@pytest.mark.parametrize(("act", "body", "status"), BAD)
async def test_what_cannot_be_done_is_refused_with_a_reason(silent_site, http, act, body, status):
    # when
    async with http.post(f"{silent_site.url}do/{act}", json=body) as response:
        said = await response.text()

    # then
    assert response.status == status
    assert said.strip()
    assert "Traceback" not in said


async def test_an_act_is_json_and_of_a_bounded_size(silent_site, http):
    # when
    async with http.post(f"{silent_site.url}do/person", data="{}") as form:
        pass
    async with http.post(f"{silent_site.url}do/person", json={"name": "x" * 200_000}) as large:
        pass
    async with http.get(f"{silent_site.url}events?after=x") as events:
        pass

    # then
    assert (form.status, large.status, events.status) == (415, 413, 400)


async def test_the_page_is_told_nothing_of_the_game_but_what_a_client_sees(site, http, game, crowd):
    # given
    ada = next(iter(crowd.people.values()))
    await ada.send("/new")
    await game.rest()
    (played,) = game.games

    # when
    async with http.get(f"{site.url}state") as response:
        state = await response.text()

    # then
    assert played.nonce not in state
    assert played.secret not in state
    assert game.telegram.token not in state
