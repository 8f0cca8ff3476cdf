"""Telegram's entities as styles, and as plain text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from codemojex.localtg import Event, EventKind, Message
from codemojex.localtg.entities import utf16
from codemojex.localtg.html import parse
from codemojex.terminal.render import buttons, plain, styled


def message(html: str, **more: Any) -> Message:
    text, entities = parse(html, lambda _: None)
    chat = {"id": 1, "type": "private", "first_name": "Ada"}
    return Message({"message_id": 1, "date": 0, "chat": chat, "text": text, "entities": entities, **more})


def event(kind: EventKind, said: Message | None = None, detail: str = "") -> Event:
    return Event(kind, datetime(2027, 1, 1, tzinfo=UTC), 1, said, detail)


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
    assert plain(event(EventKind.MESSAGE, said)) == wanted


def test_each_event_reads_as_plain_text_or_as_nothing() -> None:
    said = message("<b>hi</b>")
    assert plain(event(EventKind.MESSAGE, said)) == "hi"
    assert plain(event(EventKind.EDITED, said)) == "(edited) hi"
    assert plain(event(EventKind.ANSWER, detail="noted")) == "(noted)"
    assert plain(event(EventKind.ANSWER)) is None
    assert plain(event(EventKind.ACTION, detail="typing")) is None
    assert plain(event(EventKind.DELETED, said)) is None


def test_a_file_is_named_with_its_size() -> None:
    said = message("yours", document={"file_name": "you\x1b.json", "file_size": 12_345})
    assert plain(event(EventKind.MESSAGE, said)) == "yours\n[you .json, 12,345 bytes]"


def test_no_message_can_command_the_terminal() -> None:
    said = message("\x1b[2Jgone\x9b31m\x07")
    assert plain(event(EventKind.MESSAGE, said)) == " [2Jgone 31m "
    assert styled(said).plain == " [2Jgone 31m "


def test_buttons_are_shown_by_their_labels() -> None:
    markup = {
        "inline_keyboard": [[{"text": "go", "callback_data": "g"}, {"text": "no", "callback_data": "n"}]]
    }
    assert [row.plain for row in buttons(message("x", reply_markup=markup))] == ["[go]  [no]"]


@given(
    st.text("ab🍎é🇩\u200d", max_size=8), st.text("ab🍎é", min_size=1, max_size=8), st.text("a🍎", max_size=4)
)
def test_offsets_are_utf16_whatever_the_text(before: str, bold: str, after: str) -> None:
    said = message("x")
    said.raw["text"] = before + bold + after
    said.raw["entities"] = [{"type": "bold", "offset": utf16(before), "length": utf16(bold)}]
    (span,) = styled(said).spans
    assert styled(said).plain[span.start : span.end] == bold
