"""Everything that can be said, in each language, about anybody: markup that holds, within Telegram's limits."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemojex.game.keyboards import Mode
from codemojex.play.languages import LANGUAGES
from codemojex.play.preferences import Preferences
from codemojex.texts import Texts, catalogs, commands
from codemojex.texts.language import language
from codemojex.texts.markup import fits, plain
from tests.texts import makers
from tests.texts.refused import REFUSED
from tests.texts.said import PINS, everything
from tests.texts.test_sentences import seen

MARK = "\ue005"
HOSTILE = {
    "markup": "<b>&amp;</a>" * 20,
    "ampersands": "&" * 2_000,
    "bidi": "\u202e\u2066\u2067\u2069" * 500,
    "arabic": "ليلى" * 500,
    "blank": "\u3164\u200b\u2800",
    "links": "@bob/cmd#tag$TON t.me/x a.bc" * 50,
    "fluent": "{ $n } { -brand } {name} \ue000name\ue001 %s",
    "joiners": "👨\u200d" * 1_000,
    "lines": "a\n\r\u2028\u2029b\x00\x1f",
    "nothing": "",
}


@pytest.fixture(params=LANGUAGES)
def texts(request: pytest.FixtureRequest) -> Texts:
    return catalogs.of(request.param)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_every_message_is_markup_telegram_takes_and_within_its_limits(texts: Texts, name: str) -> None:
    for message in everything(texts, name):
        assert fits(message), message
        assert seen(message).strip() == seen(message)


@given(name=st.text(max_size=200))
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_name_breaks_a_message(name: str) -> None:
    for code in LANGUAGES:
        for message in everything(catalogs.of(code), name):
            seen(message)
            assert fits(message)


@given(value=st.text(min_size=1, max_size=300), n=st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_a_value_stands_in_every_sentence_literally(value: str, n: int) -> None:
    for code in LANGUAGES:
        spoken = language(code)
        for key, names in spoken.fields.items():
            # given
            others = names - {"n"}
            places = spoken.say(key, n, **dict.fromkeys(others, MARK)).count(MARK)

            # when
            said = seen(spoken.say(key, n, **dict.fromkeys(others, value)))

            # then
            assert said.count(value) >= places, key


def test_no_brace_is_left_over() -> None:
    for code in LANGUAGES:
        for message in everything(catalogs.of(code), "Ada"):
            assert "{" not in message
            assert "\ue000" not in message


# What a tap can be refused for: its sentence is shown over the button, where Telegram shows 200 characters.
TAPPED = ("no_game", "game_over", "out_of_guesses", "too_fast", "repeated", "already_solved", "day_over")
TAPPED += ("not_six", "not_filling", "not_on_keyboard", "stale_draft", "admins_only", "not_a_setting")


def test_answers_to_taps_are_short_enough_to_be_shown_whole(texts: Texts) -> None:
    # given
    refused = [texts.refused(refusal) for refusal in REFUSED if refusal.reason in TAPPED]
    settings = [texts.settings_changed(Preferences("ru", mode), group=True) for mode in Mode]
    others = [texts.button_failed(), texts.not_your_game(), texts.privacy_kept(), texts.forgotten()]

    # when
    said = [plain(answer) for answer in [*refused, *settings, *others] if answer is not None]
    said += [texts.toast("🍇🍓", PINS), texts.guess_accepted(makers.SECRET)]

    # then
    assert len(said) >= len(TAPPED)
    assert [answer for answer in said if not 0 < len(answer) <= 200] == []


def test_the_menu_of_commands_is_the_same_in_each_language_and_within_telegrams_limits() -> None:
    menus = {code: commands(code) for code in LANGUAGES}
    assert len({tuple(name for name, _ in menu) for menu in menus.values()}) == 1
    for code, menu in menus.items():
        for name, what in menu:
            assert name.isascii()
            assert name.isalpha()
            assert name.islower()
            assert 1 <= len(what) <= 256
            assert f"/{name} – {what}" in seen(catalogs.of(code).help())
