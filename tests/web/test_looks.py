"""Flow: the page on a phone and on a desktop, light and dark: nothing overflows, everything can be read."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.tab import DESKTOP, PHONE

SECRET = "🍎🍌🍇🍓🍒🍍"
NEAR = "🍌🍎🍇🍓🍒🍍"
NARROW = (360, 640)

# Texts on their own background, with the contrast WCAG asks of them (large or bold ones: 3).
READ = {
    ".chat-name": 4.5,
    ".chat-last": 4.5,
    ".chip-name": 4.5,
    "#chat-about": 4.5,
    ".row.theirs .text": 4.5,
    ".row.theirs .meta": 4.5,
    ".row.mine .text": 4.5,
    ".row.mine .meta": 4.5,
    ".command": 4.5,
    ".day span": 4.5,
    ".avatar:not(.bot):not(.add)": 3,
}
CONTRAST = """
(element) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const layers = (name) => {
    const found = [];
    for (let each = element; each; each = each.parentElement) found.unshift(getComputedStyle(each)[name]);
    return found;
  };
  canvas.fillStyle = "#fff";
  canvas.fillRect(0, 0, 1, 1);
  const read = () => [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  const gradient = getComputedStyle(element).backgroundImage.match(/(?:oklab|rgb|color)[^)]*\\)/);
  for (const colour of [...layers("backgroundColor"), ...(gradient ? [gradient[0]] : [])]) {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
  }
  const behind = read();
  canvas.fillStyle = getComputedStyle(element).color;
  canvas.fillRect(0, 0, 1, 1);
  const linear = (each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4;
  const light = (rgb) => rgb.map((each) => linear(each / 255))
    .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
  const [one, other] = [light(behind), light(read())];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
"""
TOO_WIDE = """
() => [...document.querySelectorAll(".app *")]
  .filter((each) => each.checkVisibility() && !each.closest(".people, .sr, .who, .skip"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.className)
"""


async def _play(tab):
    await tab.opens("codemojex")
    await tab.starts()
    await tab.sees("Hello, Ada!")
    await tab.says("/new")
    await expect(tab.keyboard()).to_be_visible()
    await tab.says(NEAR)
    await tab.sees("560/600")


@pytest.mark.parametrize("size", [DESKTOP, PHONE, NARROW], ids=["desktop", "phone", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_round_fits_and_can_be_read(desk, tmp_path, size, scheme):
    # given
    ada = await desk.window("Ada", size=size, scheme=scheme)
    await ada.shot(tmp_path / "list.png")
    phone = size is not DESKTOP

    # when
    await _play(ada)
    private = await ada.shot(tmp_path / "private.png")
    if phone:
        await ada.page.get_by_role("button", name="Back to the chats").click()
        await expect(ada.log).to_be_hidden()
    await ada.opens("Code breakers")
    await ada.says("/new 15")
    await expect(ada.keyboard()).to_be_visible()
    await ada.says(NEAR)
    await ada.sees("560")
    group = await ada.shot(tmp_path / "group.png")

    # then
    assert await ada.page.evaluate(TOO_WIDE) == []
    assert await ada.log.evaluate("log => log.scrollHeight - log.scrollTop - log.clientHeight") < 2
    for selector, least in READ.items():
        for element in (await ada.page.locator(f"{selector}:visible").all())[:6]:
            contrast = await element.evaluate(CONTRAST)
            assert contrast >= least, f"{selector} has a contrast of {contrast:.2f}"
    assert private.stat().st_size > 20_000
    assert group.stat().st_size > 20_000


async def _is_in_sight(locator):
    """Nothing cuts any of it off."""
    box = await locator.bounding_box()
    row = await locator.page.locator(".people").bounding_box()
    return row["x"] <= box["x"] and box["x"] + box["width"] <= row["x"] + row["width"] + 1


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_a_row_of_many_people_says_that_it_goes_on_and_keeps_add_in_sight(desk, crowd, size):
    # given
    for _ in range(6):
        crowd.meet()
    page = (ada := await desk.window("Ada", size=size)).page
    row, after, before = (
        page.locator(each) for each in ("#people", ".people-more.after", ".people-more.before")
    )

    # then
    await expect(after).to_be_visible()
    await expect(before).to_be_hidden()
    assert await _is_in_sight(page.locator("#newcomer"))

    # when
    await after.click()

    # then
    await expect(before).to_be_visible()

    # when: somebody at the far end is chosen
    await ada.becomes("Ivo")

    # then
    await expect(after).to_be_hidden()
    assert await _is_in_sight(page.get_by_role("radio", name="Ivo"))
    assert await row.evaluate("row => row.scrollLeft + row.clientWidth >= row.scrollWidth - 1")


async def test_a_phone_shows_the_emojis_of_the_game_once(desk):
    # given
    ada = await desk.window("Ada", size=PHONE)
    await _play(ada)
    await expect(ada.keyboard()).to_be_visible()

    # when
    await ada.page.get_by_role("button", name="Emojis of the game").click()

    # then
    await expect(ada.page.get_by_role("button", name="banana")).to_have_count(1)
    await expect(ada.log.get_by_role("group", name="Buttons")).to_have_count(0)

    # when
    await ada.page.get_by_role("button", name="Emojis of the game").click()

    # then
    await expect(ada.keyboard()).to_be_visible()


async def test_a_finger_finds_every_button_on_a_phone(desk):
    # given
    ada = await desk.window("Ada", size=NARROW)

    # when
    await _play(ada)

    # then
    for button in await ada.page.locator("button.key:visible, .bar button:visible").all():
        box = await button.bounding_box()
        assert box is not None
        assert box["width"] >= 36
        assert box["height"] >= 36


async def test_the_colours_follow_the_machine_until_one_chooses(desk):
    # given
    ada = await desk.window("Ada", scheme="dark")
    page = ada.page
    background = "() => getComputedStyle(document.body).backgroundColor"
    dark = await page.evaluate(background)

    # when
    await page.emulate_media(color_scheme="light")

    # then
    light = await page.evaluate(background)
    assert light != dark

    # when: light, then dark, chosen
    await page.get_by_role("button", name="Colours: auto").click()
    assert await page.evaluate(background) == light
    await page.get_by_role("button", name="Colours: light").click()

    # then: it stays so
    assert await page.evaluate(background) == dark
    await page.reload()
    await expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    assert await page.evaluate(background) == dark


async def test_nothing_moves_for_those_who_asked_for_that(desk):
    # given
    ada = await desk.window("Ada")
    await ada.page.emulate_media(reduced_motion="reduce")

    # when
    await ada.starts()
    await ada.says("/new")
    key = ada.keyboard().get_by_role("button", name="apple 🍎")
    await expect(key).to_be_visible()

    # then
    assert await key.evaluate("each => parseFloat(getComputedStyle(each).transitionDuration)") <= 0.001


async def test_everything_one_can_press_has_a_name(desk):
    # given
    ada = await desk.window("Ada")
    await _play(ada)

    # when
    nameless = await ada.page.evaluate(
        "() => [...document.querySelectorAll('button, a, input, textarea, select')]"
        ".filter((each) => each.checkVisibility())"
        ".filter((each) => !(each.ariaLabel || each.textContent.trim() || each.labels?.length))"
        ".map((each) => each.outerHTML)"
    )

    # then
    assert nameless == []
    assert await ada.page.locator("h1, h2, main, nav, aside, [role=log]").count() >= 5
