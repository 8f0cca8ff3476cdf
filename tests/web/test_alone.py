"""Flow: Ada opens the page and plays a game alone: by typing, by buttons, by keyboard only."""

from __future__ import annotations

from playwright.async_api import expect

SECRET = "🍎🍌🍇🍓🍒🍍"
NEAR = "🍌🍎🍇🍓🍒🍍"


async def test_ada_types_guesses_and_cracks_it(desk):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.sees("Hello, Ada!")

    # when
    await ada.says("/new")
    await expect(ada.keyboard()).to_be_visible()
    await ada.says(NEAR)
    await ada.sees("560/600")
    await ada.says(SECRET)

    # then
    await ada.sees("That's the code")
    await expect(ada.log.get_by_role("group", name="Buttons")).to_have_count(0)


async def test_ada_puts_a_guess_together_with_buttons_and_cracks_it(desk, game):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.says("/new")
    await expect(ada.keyboard()).to_be_visible()

    # when: faster than any answer comes
    await ada.presses(*SECRET, "✅")

    # then
    await ada.sees("That's the code")
    await expect(ada.log.locator("[aria-busy]")).to_have_count(0)
    assert len(await game.app.store.read(_guesses)) == 1


async def _guesses(tx):
    from codemojex.testing import facts

    (played,) = await facts.all_games(tx)
    return await facts.guesses_of(tx, played.id)


async def test_what_a_tap_did_stands_in_a_toast_and_in_the_message_while_the_focus_stays(desk):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.says("/new")
    banana = ada.keyboard().get_by_role("button", name="banana")

    # when
    await banana.focus()
    await ada.page.keyboard.press("Enter")

    # then
    await ada.toasted("🍌")
    await ada.sees("🍌⬜")
    await expect(banana).to_be_focused()


async def test_the_keyboard_is_enough_to_play(desk):
    # given
    ada = await desk.window("Ada")
    key = ada.page.keyboard

    # when: from the top of the page, without a pointer
    await ada.page.reload()
    await expect(ada.page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    await key.press("Tab")
    await expect(ada.page.locator("#skip")).to_be_focused()
    await key.press("Enter")
    await key.press("Enter")  # Start
    await ada.sees("Hello, Ada!")
    await key.press("Escape")  # to the text box, from wherever one is
    await key.type("/ne")
    await expect(ada.page.get_by_role("option", name="/new")).to_have_attribute("aria-selected", "true")
    await key.press("Enter")
    apple = ada.keyboard().get_by_role("button", name="apple 🍎")
    await expect(apple).to_be_visible()
    while not await apple.evaluate("each => each === document.activeElement"):
        await key.press("Shift+Tab")
    for _ in SECRET:
        await key.press("Enter")
        await key.press("ArrowRight")
    await ada.sees(SECRET)
    await key.press("ArrowDown")
    await key.press("End")
    await key.press("Enter")

    # then
    await ada.sees("That's the code")


async def test_the_palette_writes_the_symbols_of_the_running_game(desk):
    # given
    ada = await desk.window("Ada")
    await ada.starts()
    await ada.says("/new easy animals")
    await expect(ada.keyboard().get_by_role("button", name="dog")).to_be_visible()

    # when
    await ada.page.get_by_role("button", name="Emojis of the game").click()
    palette = ada.page.get_by_role("group", name="Emojis of the game")
    await palette.get_by_role("button", name="fox").click()
    await palette.get_by_role("button", name="dog").click()

    # then
    await expect(ada.text).to_have_value("🦊🐶")
    await expect(palette.get_by_role("button")).to_have_count(8)
    await expect(palette.locator(".used")).to_have_count(2)
