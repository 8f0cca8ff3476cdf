"""Flow: what a chat client has to do: links, commands, files, formatting, days, alerts, many messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.async_api import expect

from tests.localtg.conftest import client


async def test_a_deep_link_in_a_message_joins_a_room_as_in_telegram(desk):
    # given
    ada, bo = await desk.window("Ada"), await desk.window("Bo")
    await ada.starts()
    await ada.says("/invite")
    link = (await ada.sees("t.me/codemojex_bot?start=")).get_by_role("link").first
    address = await link.get_attribute("href")
    await ada.opens("Code breakers")
    await ada.says(f"Come along: {address}")

    # when
    await bo.opens("Code breakers")
    await (await bo.sees("Come along")).get_by_role("link").click()

    # then
    await expect(bo.page.locator("#chat-title")).to_have_text("codemojex")
    await bo.sees("Ada")
    await ada.opens("codemojex")
    await ada.sees("Bo")


async def test_a_command_in_a_message_is_sent_by_a_click(desk):
    # given
    ada = await desk.window("Ada")
    await ada.starts()

    # when
    await (await ada.sees("Hello, Ada!")).get_by_role("button", name="/new").click()

    # then
    await expect(ada.keyboard()).to_be_visible()


async def test_a_slash_offers_the_commands_of_the_bot(desk):
    # given
    ada = await desk.window("Ada")
    await ada.starts()

    # when
    await ada.text.press_sequentially("/")
    everything = await ada.page.get_by_role("option").count()
    await ada.text.press_sequentially("se")

    # then
    await expect(ada.page.get_by_role("option")).to_have_count(1)
    assert everything > 10

    # when
    await ada.text.press("Tab")

    # then
    await expect(ada.text).to_have_value("/settings ")
    await expect(ada.page.get_by_role("listbox")).to_be_hidden()


async def test_an_export_can_be_saved(desk):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.sees("Hello, Ada!")

    # when
    await ada.says("/privacy export")
    file = ada.log.get_by_role("link", name="Download")
    async with ada.page.expect_download() as saving:
        await file.click()
    saved = await (await saving.value).path()

    # then
    assert '"Ada"' in saved.read_text("utf-8")


async def test_a_message_looks_as_the_bot_formatted_it(desk, game, crowd):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.sees("Hello, Ada!")
    html = (
        "🦊🦊 <b>bold <i>and italic</i></b> <u>u</u> <s>s</s> <code>a &lt;b&gt; c</code>\n"
        '<a href="https://example.org/?q=1">a link</a> <tg-spoiler>the end</tg-spoiler>\n'
        "<blockquote>quoted</blockquote><pre>first\n  second</pre>"
    )

    # when
    async with client(game.telegram) as bot:
        await bot.send_message(next(iter(crowd.people)), html, parse_mode="HTML")
    message = await ada.sees("bold and italic")

    # then
    for tag, words in {
        "strong": "bold and italic",
        "strong em": "and italic",
        "u": "u",
        "s": "s",
        "code": "a <b> c",
        "blockquote": "quoted",
        "pre": "first\n  second",
    }.items():
        await expect(message.locator(tag)).to_have_text(words)
    link = message.get_by_role("link", name="a link")
    assert await link.get_attribute("href") == "https://example.org/?q=1"
    assert "noopener" in (await link.get_attribute("rel") or "")
    spoiler = message.get_by_role("button", name="Hidden text")
    await spoiler.click()
    await expect(message.locator(".spoiler.shown")).to_have_text("the end")


async def test_an_alert_waits_until_it_was_read(desk, game, crowd, site):
    # given
    ada = await desk.window("Ada")
    person = next(iter(crowd.people))

    # when
    site.feed.put("answer", press="1", person=person, text="You have no hints left", alert=True)

    # then
    dialog = ada.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("You have no hints left")
    await dialog.get_by_role("button", name="OK").click()
    await expect(dialog).to_have_count(0)


async def test_a_new_day_begins_with_its_name(desk, crowd):
    # given
    ada, bo = list(crowd.people.values())[:2]
    group = next(iter(crowd.groups.values()))
    await bo.say(group, "Until then", at=datetime.now(UTC) - timedelta(days=1))
    await ada.say(group, "Here we are")

    # when
    tab = await desk.window("Ada")
    await tab.opens("Code breakers")

    # then
    days = await tab.log.locator(".day").all_inner_texts()
    assert days[-2:] == ["Yesterday", "Today"]


async def test_one_reads_on_undisturbed_above_and_is_told_what_came(desk, crowd, game):
    # given
    bo = list(crowd.people.values())[1]
    group = next(iter(crowd.groups.values()))
    await game.rest()
    for number in range(450):
        await bo.say(group, f"message {number}")
    ada = await desk.window("Ada")
    await ada.opens("Code breakers")
    await ada.sees("message 449")
    await expect(ada.log.locator("[data-id]")).to_have_count(200)

    # when
    await ada.log.evaluate("log => log.scrollTop = 500")
    await expect(ada.page.locator("#down")).to_be_visible()
    await bo.say(group, "and one more")
    await expect(ada.page.get_by_role("button", name="To the newest: 1 new")).to_be_visible()

    # then
    assert await ada.log.evaluate("log => log.scrollTop") == 500

    # when
    await ada.page.get_by_role("button", name="Show earlier messages").click()
    await ada.page.locator("#down").click()

    # then
    await expect(ada.page.locator("#down")).to_be_hidden()
    await expect(ada.log.locator("[data-id]")).to_have_count(400)


async def test_what_cannot_be_sent_comes_back_into_the_box_with_the_reason(desk, crowd):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.sees("Hello, Ada!")
    await next(iter(crowd.people.values())).block()

    # when
    await ada.says("hello?")

    # then
    await ada.toasted("The bot is blocked")
    await expect(ada.text).to_have_value("hello?")
