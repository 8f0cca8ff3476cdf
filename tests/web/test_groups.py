"""Flow: Ada and Bo, each in a window of their own, play together in a group."""

from __future__ import annotations

from playwright.async_api import expect

from tests.web.tab import PHONE

SECRET = "🍎🍌🍇🍓🍒🍍"
NEAR = "🍌🍎🍇🍓🍒🍍"
FAR = "🍌🍎🍓🍇🍍🍒"


async def test_ada_and_bo_share_a_board_and_bo_cracks_it(desk):
    # given
    ada, bo = await desk.window("Ada"), await desk.window("Bo", size=PHONE)
    for each in (ada, bo):
        await each.opens("Code breakers")

    # when
    await ada.says("/new")
    await ada.says(FAR)
    await bo.sees("480")
    await bo.says(NEAR)
    await ada.sees("560")
    await bo.presses(*SECRET, "✅")

    # then: both see who it was, and a board without buttons
    for each in (ada, bo):
        await each.sees("Bo cracked")
        await expect(each.log.get_by_role("group", name="Buttons")).to_have_count(0)
    await expect(ada.log.locator(".row.mine")).to_have_count(2)
    await expect(bo.log.locator(".row.mine")).to_have_count(1)


async def test_a_draft_in_a_group_is_told_to_whoever_makes_it(desk):
    # given
    ada, bo = await desk.window("Ada"), await desk.window("Bo")
    for each in (ada, bo):
        await each.opens("Code breakers")
    await ada.says("/new")
    await expect(bo.keyboard()).to_be_visible()

    # when
    await bo.presses("🍌", "🍎")

    # then
    await bo.toasted("🍌🍎")
    await expect(ada.page.locator("#toast")).to_be_hidden()


async def test_what_others_say_elsewhere_is_marked_until_it_is_read(desk):
    # given
    ada, bo = await desk.window("Ada"), await desk.window("Bo")
    await bo.opens("Code breakers")

    # when
    await bo.says("Who is in?")
    await bo.says("Anybody?")

    # then
    await expect(ada.entry("Code breakers").locator(".badge")).to_have_text("2")
    await expect(ada.page.get_by_role("radio", name="Ada, 2 unread")).to_be_visible()
    await expect(bo.entry("Code breakers").locator(".badge")).to_be_hidden()

    # when
    await ada.opens("Code breakers")

    # then
    await expect(ada.entry("Code breakers").locator(".badge")).to_be_hidden()


async def test_one_window_is_enough_for_two_people(desk):
    # given
    page = await desk.window("Ada")
    await page.opens("Code breakers")
    await page.says("I am Ada")

    # when
    await page.page.get_by_role("button", name="You write as Ada").click()
    await page.page.get_by_role("menuitemradio", name="Bo").click()
    await page.says("And I am Bo")

    # then
    await expect(page.message("And I am Bo")).to_have_class("row mine first last")
    await expect(page.message("I am Ada").locator(".who")).to_have_text("Ada")


async def test_replies_edits_reactions_and_removals_reach_everybody(desk):
    # given
    ada, bo = await desk.window("Ada"), await desk.window("Bo")
    for each in (ada, bo):
        await each.opens("Code breakers")
    await ada.says("Red ones firts")

    # when
    await bo.menu(await bo.sees("Red ones firts"), "Reply")
    await bo.says("Why?")
    await bo.menu(bo.log.locator(".row.theirs").last, "React with 🔥")

    # then
    answer = await ada.sees("Why?")
    await expect(answer.get_by_role("button", name="In reply to Ada: Red ones firts")).to_be_visible()
    await expect(ada.log.get_by_role("button", name="🔥 from Bo")).to_be_visible()

    # when
    await ada.menu(ada.log.locator(".row.mine"), "Edit")
    await expect(ada.text).to_have_value("Red ones firts")
    await ada.says("Red ones first")
    await ada.says("Never mind")
    await ada.menu(await ada.sees("Never mind"), "Delete")

    # then
    await expect(
        bo.log.locator(".row.theirs").filter(has_text="Red ones first").locator(".edited")
    ).to_be_visible()
    await expect(bo.message("Never mind")).to_have_count(0)


async def test_somebody_new_is_one_click_away_and_in_the_group_at_once(desk):
    # given
    ada = await desk.window("Ada")

    # when
    await ada.page.locator("#newcomer").click()

    # then
    await ada.becomes("Dee")
    await ada.opens("Code breakers")
    await ada.sees("Ada added Dee")


async def test_a_new_group_has_the_bot_and_whom_one_chose(desk):
    # given
    ada, cy = await desk.window("Ada"), await desk.window("Cy")

    # when
    await ada.page.get_by_role("button", name="New group or person").click()
    await ada.page.get_by_role("menuitem", name="New group").click()
    await ada.page.get_by_label("Title").fill("Two of us")
    await ada.page.get_by_role("checkbox", name="Cy").uncheck()
    await ada.page.get_by_role("button", name="Create").click()

    # then
    await ada.sees("Hello, everybody!")
    await expect(ada.page.locator("#chat-about")).to_have_text("Ada, Bo and the bot")
    await expect(cy.entry("Two of us")).to_have_count(0)


async def test_somebody_russian_is_greeted_in_russian(desk):
    # given
    ada = await desk.window("Ada")

    # when
    await ada.page.get_by_role("button", name="New group or person").click()
    await ada.page.get_by_role("menuitem", name="New person").click()
    await ada.page.get_by_label("Name").fill("Юля")
    await ada.page.get_by_label("Language").select_option("ru")
    await ada.page.get_by_role("button", name="Add", exact=True).last.click()
    await ada.becomes("Юля")
    await ada.opens("codemojex")
    await ada.starts()

    # then
    await ada.sees("Привет, Юля!")
