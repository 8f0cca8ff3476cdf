"""Flow: the connection breaks, or the game is stopped; the page says so, and misses nothing."""

from __future__ import annotations

import asyncio

from playwright.async_api import expect


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
    await ada.sees("word 11")

    # then
    words = await ada.log.locator(".text").filter(has_text="word").all_inner_texts()
    assert words == [f"word {number}" for number in range(12)]
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
    await expect(ada.page.locator("#banner")).to_contain_text("The game was stopped")

    # when
    await ada.says("hello?")

    # then
    await ada.toasted("cannot be reached")
    await expect(ada.text).to_have_value("hello?")
