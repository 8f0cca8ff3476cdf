"""Markup: names shown literally whatever they hold, messages within the limits, cut between rows only."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemojex.localtg.html import parse
from codemojex.texts.language import language
from codemojex.texts.markup import MAX_CODE_POINTS, Html, as_html, cut, entities, fits, messages, plain, short

INVISIBLE = ["", " ", "\u200b", "\u3164", "\u2800", "\u200d\ufe0f", "\u202e", "\u0301", "\n\t", "\ue000"]


def seen(markup: str) -> str:
    """What Telegram shows for ``markup``; refuses what Telegram refuses."""
    return parse(markup, lambda _: None)[0]


def shown(name: str | None, player_id: int = 5_000_001_234) -> str:
    return seen(language("en").name(name, player_id))


@pytest.mark.parametrize(
    "name", ["<3</a>", "&\"Zoë'", "A & B <i>", "&lt;", "<b>bold", "]]>", "{name}", "100%"]
)
def test_a_name_with_markup_in_it_is_shown_literally(name: str) -> None:
    assert shown(name) == name


@pytest.mark.parametrize("name", [None, *INVISIBLE])
def test_a_name_that_looks_blank_becomes_player_and_four_digits(name: str | None) -> None:
    assert shown(name) == "Player 1234"


def test_a_long_name_is_cut_before_it_is_escaped() -> None:
    # given
    name = "&" * 100

    # when
    markup = language("en").name(name, 1)

    # then
    assert seen(markup) == "&" * 32 + "…"


def test_a_cut_never_splits_an_emoji() -> None:
    # given
    family = "👨\u200d👩\u200d👧\u200d👦"

    # when / then
    assert cut(family * 40).removesuffix("…") == family * 9


def test_a_tower_of_marks_is_cut_and_not_left_out() -> None:
    tower = "Z" + "\u0308" * 300
    assert shown(tower).startswith("Z\u0308")
    assert len(shown(tower)) <= 65
    assert seen(short(tower)).startswith("Z\u0308")
    assert len(short(tower)) <= 33


def test_a_name_is_kept_on_one_line() -> None:
    assert shown("Ada\n\n  Lovelace\u2028") == "Ada Lovelace"


@pytest.mark.parametrize("name", ["\u202eevil", "\u2066Ada", "Ada\u2069\u2069", "ليلى", "\u2067\u2067x"])
def test_a_name_cannot_turn_the_text_around_it(name: str) -> None:
    # when
    said = shown(name)

    # then: opened and closed once around everything, never closed in between
    depths, depth = [], 0
    for c in said:
        depth += (c in "\u2066\u2067\u2068") - (c == "\u2069")
        depths.append(depth)
    assert said[0] == "\u2068"
    assert depths[-1] == 0
    assert all(d > 0 for d in depths[:-1])


@given(st.text(max_size=200))
def test_no_name_breaks_the_markup_around_it(name: str) -> None:
    # when
    markup = f"<b>{language('en').name(name, 77)}</b> · 1"

    # then
    said = seen(markup)
    assert said.endswith(" · 1")
    assert len(said) < 80
    assert not any(unicodedata.category(c) in ("Zl", "Zp") or c in "\n\r" for c in said)


@given(st.text(max_size=100))
def test_plain_text_is_what_the_markup_shows(text: str) -> None:
    assert plain(Html(f"<b>{as_html(text)}</b><code>x</code>")) == f"{text}x"


def test_messages_are_cut_between_rows_and_lose_none() -> None:
    # given
    rows = [f"{n}. <b>{'x' * 40}</b>" for n in range(300)]

    # when
    parts = messages(rows)

    # then
    assert len(parts) > 1
    assert all(fits(part) for part in parts)
    assert "\n".join(parts).split("\n") == rows


def test_rows_full_of_entities_are_cut_before_there_are_too_many() -> None:
    # given
    rows = ["<b>a</b> @bob /cmd #tag t.me/x"] * 60

    # when / then
    assert all(entities(part) <= 100 for part in messages(rows))


def test_a_message_may_be_exactly_as_long_as_the_limit() -> None:
    assert fits("x" * MAX_CODE_POINTS)
    assert not fits("x" * (MAX_CODE_POINTS + 1))
