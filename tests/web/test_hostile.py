"""Flow: whatever people call themselves and write is shown as it is, and does nothing."""

from __future__ import annotations

from playwright.async_api import expect

from codemojex.localtg import Message

NAME = "<img src=x onerror=alert(1)>"
TITLE = "</h2><script>alert(2)</script>"
TEXT = (
    '<script>alert(3)</script><a href="javascript:alert(4)">x</a> {{7*7}} javascript:alert(5) \u202egnp.exe'
)


async def test_names_titles_and_texts_are_shown_literally(desk, crowd):
    # given
    ada = next(iter(crowd.people.values()))
    mallory = crowd.meet(NAME)
    group = crowd.gather(TITLE, mallory, [ada])
    said = await mallory.say(group, TEXT)
    await mallory.say(group, "look", reply_to=said)

    # when
    tab = await desk.window("Ada")
    await tab.opens(TITLE)

    # then
    message = tab.log.locator(f'[data-id="{said.message_id}"]')
    await expect(message.locator(".text")).to_have_text(TEXT.replace("\u202e", ""))
    await expect(message.locator(".who bdi")).to_have_text(NAME)
    await expect(tab.page.locator("#chat-title")).to_have_text(TITLE)
    await expect(tab.page.get_by_role("radio", name=NAME)).to_be_visible()
    await expect(tab.page.locator("#app script, #app img[src=x], #app a[href^='javascript']")).to_have_count(
        0
    )


async def test_no_link_leads_to_a_script_whatever_the_entities_say(desk, crowd, game):
    # given: entities no server would send: crossing, outside, negative, and a link that is a script
    ada = next(iter(crowd.people.values()))
    said = await ada.send("press here, or there")
    chat = game.telegram.world.chats[ada.id]
    entities = [
        {"type": "text_link", "offset": 0, "length": 5, "url": "javascript:alert(1)"},
        {"type": "bold", "offset": 3, "length": 9},
        {"type": "italic", "offset": 6, "length": 500},
        {"type": "code", "offset": -4, "length": 6},
        {"type": "pre", "offset": 900, "length": 6},
        {"type": "constructor", "offset": 14, "length": 2},
    ]
    game.telegram.world.keep(chat, Message(said.raw | {"entities": entities}))

    # when
    tab = await desk.window("Ada")
    message = tab.log.locator(f'[data-id="{said.message_id}"]')

    # then
    await expect(message.locator(".text")).to_have_text("press here, or there")
    await expect(message.get_by_role("link")).to_have_count(0)


async def test_the_browser_itself_refuses_markup_made_from_text(desk):
    # given
    tab = await desk.window("Ada")

    # when
    refused = await tab.page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return ''; } catch (error) { return error.name; } }"
    )

    # then
    assert refused == "TypeError"
    assert any("TrustedHTML" in said for said in desk.wrong)
    desk.wrong.clear()
