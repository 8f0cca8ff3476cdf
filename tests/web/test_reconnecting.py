"""Flow: the connection breaks, or the game is stopped; the page says so, and misses nothing."""

from __future__ import annotations

import asyncio

from playwright.async_api import expect

from codemojex.localtg import LocalTelegram
from codemojex.web import Crowd, Site, Symbols
from codemojex.web.address import recall
from tests.ports import held
from tests.web.tab import PHONE, Desk


async def test_what_was_said_while_the_connection_was_gone_is_there_once_and_in_order(desk, crowd, site):
    # given
    bo = list(crowd.people.values())[1]
    group = next(iter(crowd.groups.values()))
    ada = await desk.window("Ada")
    await ada.opens("Code breakers")

    # when: cut again and again while somebody speaks
    for number in range(12):
        await bo.say(group, f"word {number}")
        if number % 3 == 0:
            site.cut()
        await asyncio.sleep(0.02)

    # then
    words = ada.log.locator(".text").filter(has_text="word")
    await expect(words).to_have_text([f"word {number}" for number in range(12)])
    await expect(ada.page.locator("#banner")).to_be_hidden()


async def test_a_page_that_missed_too_much_begins_anew(desk, crowd, site):
    # given
    bo = list(crowd.people.values())[1]
    group = next(iter(crowd.groups.values()))
    ada = await desk.window("Ada")
    await ada.opens("Code breakers")

    # when: more than the server keeps happens before the page can come back
    site.cut()
    for number in range(8):
        await bo.say(group, f"word {number}")
    for _ in range(2_100):
        site.feed.put("deleted", chat=group.id, id=0)

    # then
    await ada.sees("word 7")
    words = await ada.log.locator(".text").filter(has_text="word").all_inner_texts()
    assert words == [f"word {number}" for number in range(8)]
    await expect(ada.page.locator("#chat-title")).to_have_text("Code breakers")


async def test_a_stopped_game_is_said_to_be_stopped(desk, site):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.sees("Hello, Ada!")

    # when
    await site.stop()

    # then
    await expect(ada.page.locator("#banner")).to_contain_text("Offline: the game was stopped")

    # when
    await ada.says("hello?")

    # then
    await ada.toasted("cannot be reached")
    await expect(ada.text).to_have_value("hello?")


async def test_a_page_comes_back_by_itself_when_the_game_is_started_again(browser, tmp_path):
    # given: a page on a phone, looking at the list of chats
    kept = tmp_path / "page.key"
    async with LocalTelegram() as telegram:
        site = await _started(telegram, kept)
        desk = Desk(browser, site.url)
        ada = await desk.window("Ada", size=PHONE)

        # when
        await site.stop()

        # then: it says so there, too, and goes on saying it
        await expect(ada.page.locator("#banner")).to_be_visible()
        await asyncio.sleep(0.5)
        await expect(ada.page.locator("#banner")).to_contain_text("Offline: the game was stopped")

    # when: another run of the program, in which the feed begins anew and has gone further than before
    with held(recall(kept).port):
        async with LocalTelegram() as telegram:
            again = await _started(telegram, kept)
            group = next(iter(telegram.groups.values()))
            for number in range(12):
                await telegram.people[min(telegram.people)].say(group, f"word {number}")

            # then
            assert again.url == site.url
            await expect(ada.page.locator("#banner")).to_be_hidden()
            await ada.opens("Code breakers")
            await ada.sees("word 0")
            await ada.sees("word 11")
            await desk.close()
            await again.stop()


async def _started(telegram, kept):
    crowd = Crowd(telegram)
    crowd.settle()
    site = Site(crowd, Symbols({}, ()), kept)
    await site.start()
    return site
