"""Telegram's HTML: what becomes of good markup, and the words for bad markup."""

from __future__ import annotations

import html as stdlib_html
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemojex.localtg.entities import clean, utf16, with_commands
from codemojex.localtg.errors import Refusal
from codemojex.localtg.html import parse


def read(html: str) -> tuple[str, list[dict[str, Any]]]:
    """What Telegram would keep of a message with this markup."""
    text, entities = parse(html, {7: {"id": 7, "is_bot": False, "first_name": "Ada"}}.get)
    return clean(text, entities)


def test_every_tag_becomes_its_entity() -> None:
    tags = {
        "b": "bold",
        "strong": "bold",
        "i": "italic",
        "em": "italic",
        "u": "underline",
        "ins": "underline",
        "s": "strikethrough",
        "strike": "strikethrough",
        "del": "strikethrough",
        "tg-spoiler": "spoiler",
        "code": "code",
        "pre": "pre",
        "blockquote": "blockquote",
    }
    for tag, kind in tags.items():
        assert read(f"🍎<{tag}>x</{tag.upper()}>") == ("🍎x", [{"type": kind, "offset": 2, "length": 1}])


@pytest.mark.parametrize(
    ("html", "text", "entities"),
    [
        ("<b>a<i>b</i></b>", "ab", [("bold", 0, 2), ("italic", 1, 1)]),
        ("<b></b>a", "a", []),
        ("  <b> a </b>\n", "a", [("bold", 0, 1)]),
        ("a < b".replace("<", "&lt;") + " &amp;&quot;&#39;&#x1F34E;&nbsp;&", "a < b &\"'🍎&nbsp;&", []),
        ('<span class="tg-spoiler">s</span>', "s", [("spoiler", 0, 1)]),
        ("<blockquote expandable>q</blockquote>", "q", [("expandable_blockquote", 0, 1)]),
        ("<code><b>x</b></code>", "x", [("code", 0, 1)]),
        ("<b>x<b>y</b></b>", "xy", [("bold", 0, 2)]),
        ("<b>x</>", "x", [("bold", 0, 1)]),
        ("a\r\nb\tc\u202e", "a\nb c", []),
    ],
)
def test_markup_becomes_text_and_entities(html: str, text: str, entities: list[tuple[str, int, int]]) -> None:
    kept, found = read(html)
    assert kept == text
    assert [(each["type"], each["offset"], each["length"]) for each in found] == entities


def test_links_mentions_languages_and_custom_emoji_carry_their_argument() -> None:
    assert read('<a href="https://x.org">x</a>')[1][0]["url"] == "https://x.org/"
    assert read("<a href='x.org/y?a=1&amp;b=2'>x</a>")[1][0]["url"] == "http://x.org/y?a=1&b=2"
    assert read("<a>x.org</a>")[1][0]["url"] == "http://x.org/"
    assert read('<a href="no link">x</a>') == ("x", [])
    assert read('<a href="tg://user?id=7">x</a>')[1][0]["user"]["first_name"] == "Ada"
    assert read('<a href="tg://user?id=8">x</a>') == ("x", [])
    assert read('<pre><code class="language-lua">x</code></pre>')[1] == [
        {"type": "pre", "language": "lua", "offset": 0, "length": 1}
    ]
    assert read('<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>')[1] == [
        {"type": "custom_emoji", "custom_emoji_id": "5368324170671202286", "offset": 0, "length": 2}
    ]


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("🍎<p>x</p>", 'Unsupported start tag "p" at byte offset 4'),
        ("1 <3", "Unclosed start tag at byte offset 2"),
        ("1 <3 x", 'Unsupported start tag "3" at byte offset 2'),
        ("1 <>", 'Unsupported start tag "" at byte offset 2'),
        ("<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("<b>x</b", "Unclosed end tag at byte offset 4"),
        ("<b x", 'Unclosed start tag "b" at byte offset 0'),
        ("<b /", 'Empty attribute name in the tag "b" at byte offset 0'),
        ("<b/>", 'Unsupported start tag "b/" at byte offset 0'),
        ("<a href=>x</a", "Unclosed end tag at byte offset 10"),
        ("<a href=x/y>x</a>", "Unexpected end of name token at byte offset 8"),
        ('<a href="x', "Unclosed start tag at byte offset 0"),
        ("<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ("<tg-emoji>x</tg-emoji>", "Invalid custom emoji identifier specified"),
    ],
)
def test_bad_markup_is_refused_in_telegrams_words(html: str, why: str) -> None:
    with pytest.raises(Refusal) as caught:
        read(html)
    assert caught.value.status == 400
    assert caught.value.description == f"Bad Request: can't parse entities: {why}"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60))
def test_an_escaped_text_comes_back_as_it_was(text: str) -> None:
    escaped = stdlib_html.escape(text)
    kept, entities = parse(f"<b>{escaped}</b>", lambda _: None)
    assert kept == text
    assert [each["length"] for each in entities] == ([utf16(text)] if text else [])


@given(st.text("<>/=\"'& abiu#x;🍎-", max_size=40))
def test_no_text_at_all_breaks_the_reader(html: str) -> None:
    entities: list[dict[str, Any]] = []
    refused = "Bad Request: can't parse entities: "
    try:
        text, entities = read(html)
    except Refusal as refusal:
        text, refused = "", refusal.description
    assert refused.startswith("Bad Request: can't parse entities: ")
    assert all(0 <= e["offset"] < e["offset"] + e["length"] <= utf16(text) for e in entities)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/new easy", [(0, 4)]),
        ("🍎 /new@codemojex_bot x", [(3, 18)]),
        ("a/new //x </b> /é", []),
        ("(/help) /start", [(1, 5), (8, 6)]),
        (f"/{'x' * 65}", []),
    ],
)
def test_commands_are_found_in_utf16_units(text: str, found: list[tuple[int, int]]) -> None:
    assert [(each["offset"], each["length"]) for each in with_commands(text, [])] == found


def test_a_command_inside_code_stays_code() -> None:
    assert [each["type"] for each in with_commands("/new", [{"type": "code", "offset": 0, "length": 4}])] == [
        "code"
    ]
