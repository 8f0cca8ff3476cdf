"""Inline keyboards, checked as Telegram checks them."""

from __future__ import annotations

from typing import Any

from codemojex.localtg.errors import bad_request, not_modelled

Raw = dict[str, Any]

MAX_DATA_BYTES = 64
MAX_BUTTONS = 100
_MODELLED = frozenset({"text", "callback_data", "url", "style", "icon_custom_emoji_id"})
_OTHER_MARKUP = ("keyboard", "remove_keyboard", "force_reply")


def inline(markup: Any) -> Raw | None:
    """The keyboard to keep with a message, None for an empty one.

    Raises:
        Refusal: 400: not an inline keyboard, or a button Telegram would not take.
    """
    if not isinstance(markup, dict):
        raise bad_request("object expected as reply markup")
    for other in _OTHER_MARKUP:
        if other in markup:
            raise not_modelled(f'reply markup with "{other}"')
    rows = markup.get("inline_keyboard")
    if not isinstance(rows, list) or set(markup) != {"inline_keyboard"}:
        raise bad_request("can't parse inline keyboard markup JSON object")
    if not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" must be an Array of Arrays')
    kept = [[_button(button) for button in row] for row in rows if row]
    if sum(map(len, kept)) > MAX_BUTTONS:
        raise bad_request("reply markup is too long")
    return {"inline_keyboard": kept} if kept else None


def _button(button: Any) -> Raw:
    where = "can't parse inline keyboard button: "
    if not isinstance(button, dict):
        raise bad_request(f"{where}InlineKeyboardButton must be an Object")
    unknown = sorted(set(button) - _MODELLED)
    if unknown:
        raise not_modelled(f'inline buttons with "{unknown[0]}"')
    text = button.get("text")
    if not isinstance(text, str) or not text.strip():
        raise bad_request(f'{where}Field "text" must be a non-empty String')
    actions = [name for name in ("callback_data", "url") if name in button]
    if len(actions) != 1:
        raise bad_request(f"{where}Text buttons are unallowed in the inline keyboard")
    value = button[actions[0]]
    if not isinstance(value, str):
        raise bad_request(f'{where}Field "{actions[0]}" must be of type String')
    if actions == ["callback_data"] and not 1 <= len(value.encode()) <= MAX_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    if actions == ["url"] and "://" not in value and "." not in value:
        raise bad_request(f"inline keyboard button URL '{value}' is invalid: Wrong HTTP URL")
    return dict(button)
