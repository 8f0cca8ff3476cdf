"""Telegram's entities as styles, and as plain text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from codemojex.localtg import Event, EventKind, Message
from codemojex.localtg.entities import utf16
from codemojex.localtg.html import parse
from codemojex.terminal.hearing import Heard
from codemojex.terminal.render import drawn, plain, styled


def message(html: str, **more: Any) -> Message:
    text, entities = parse(html, lambda _: None)
    chat = {"id": 1, "type": "private", "first_name": "Ada"}
    return Message({"message_id": 1, "date": 0, "chat": chat, "text": text, "entities": entities, **more})


def heard(kind: EventKind, said: Message | None = None, detail: str = "", **more: Any) -> Heard:
    return Heard(Event(kind, datetime(2027, 1, 1, tzinfo=UTC), 1, said, detail), **more)


def printed(kind: EventKind, said: Message | None = None, detail: str = "", **more: Any) -> str:
    return plain(heard(kind, said, detail, **more), "edited")


def test_styles_cover_the_text_they_were_meant_for() -> None:
    text = styled(message("🍎🍌 <b>bold🍇</b> <code>code</code> <i>it</i>"))
    assert [(text.plain[span.start : span.end], span.style) for span in text.spans] == [
        ("bold🍇", "bold"),
        ("code", "cyan"),
        ("it", "italic"),
    ]


def test_a_bar_of_points_is_coloured_by_how_full_it_is() -> None:
    for bar, colour in (("▰▰▱▱▱▱", "red"), ("▰▰▰▱▱▱", "yellow"), ("▰▰▰▰▰▰", "green")):
        text = styled(message(f"420/600\n{bar} a▰b"))
        spans = {
            str(span.style): text.plain[span.start : span.end] for span in text.spans if span.end > span.start
        }
        assert spans.get(colour) == bar.replace("▱", "")
        assert spans.get("dim", "") == bar.replace("▰", "")


def test_links_are_spelled_out() -> None:
    said = message('<a href="https://x.org/r">rules</a> and <a href="https://y.org/">more</a>')
    wanted = "rules (https://x.org/r) and more (https://y.org/)"
    assert styled(said).plain == wanted
    assert printed(EventKind.MESSAGE, said) == wanted


def test_each_event_reads_as_plain_text_or_as_nothing() -> None:
    said = message("<b>hi</b>")
    assert printed(EventKind.MESSAGE, said) == "hi"
    assert printed(EventKind.EDITED, said) == "(edited) hi"
    assert printed(EventKind.ANSWER, detail="noted") == "(noted)"


def test_of_an_edit_the_changed_lines_are_shown() -> None:
    said = message("<b>one</b>\ntwo\nthree")
    assert printed(EventKind.EDITED, said, lines=frozenset({1, 2})) == "(edited) two\nthree"
    assert [row.plain for row in drawn(heard(EventKind.EDITED, said, lines=frozenset({0, 2})))] == [
        "one",
        "three",
    ]
    assert printed(EventKind.EDITED, said, lines=frozenset(), buttons=[["[1 go]"]]) == "(edited)\n[1 go]"


def test_remarks_stand_below_in_brackets() -> None:
    assert printed(EventKind.MESSAGE, message("yours"), remarks=["kept"]) == "yours\n(kept)"


def test_a_file_is_named_with_its_size() -> None:
    said = message("yours", document={"file_name": "you\x1b.json", "file_size": 12_345})
    assert printed(EventKind.MESSAGE, said) == "yours\n[you .json, 12,345 bytes]"


def test_no_message_can_command_the_terminal() -> None:
    said = message("\x1b[2Jgone\x9b31m\x07")
    assert printed(EventKind.MESSAGE, said) == " [2Jgone 31m "
    assert styled(said).plain == " [2Jgone 31m "


def test_buttons_are_shown_with_their_numbers() -> None:
    rows = drawn(heard(EventKind.MESSAGE, message("x"), buttons=[["[1 go]", "[2 no]"], ["[3 so]"]]))
    assert [row.plain for row in rows] == ["x", "[1 go]  [2 no]", "[3 so]"]


@given(
    st.text("ab🍎é🇩\u200d", max_size=8), st.text("ab🍎é", min_size=1, max_size=8), st.text("a🍎", max_size=4)
)
def test_offsets_are_utf16_whatever_the_text(before: str, bold: str, after: str) -> None:
    said = message("x")
    said.raw["text"] = before + bold + after
    said.raw["entities"] = [{"type": "bold", "offset": utf16(before), "length": utf16(bold)}]
    (span,) = styled(said).spans
    assert styled(said).plain[span.start : span.end] == bold
