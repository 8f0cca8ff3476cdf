"""Words the page's server makes: names cut to size, and what Telegram itself says in a chat."""

from __future__ import annotations

from codemojex.localtg.model import Raw

_LONGEST_NAME = 64
_MIGRATED = ("migrate_to_chat_id", "migrate_from_chat_id")


def clipped(name: str) -> str:
    """A name as an account can have it: trimmed, at most 64 code points."""
    return name.strip()[:_LONGEST_NAME].strip()


def author(raw: Raw) -> str:
    """Who wrote a message, as clients name them."""
    chat = raw.get("sender_chat")
    if chat is not None:
        return str(chat.get("title", ""))
    sender = raw.get("from", {})
    return " ".join(str(sender[part]) for part in ("first_name", "last_name") if sender.get(part))


def service(raw: Raw) -> str | None:
    """What a service message says; None for a message somebody wrote."""
    who = author(raw)
    if "new_chat_members" in raw:
        names = ", ".join(author({"from": member}) for member in raw["new_chat_members"])
        alone = [member["id"] for member in raw["new_chat_members"]] == [raw.get("from", {}).get("id")]
        return f"{who} joined the group" if alone else f"{who} added {names}"
    if "left_chat_member" in raw:
        left = raw["left_chat_member"]
        gone = left["id"] == raw.get("from", {}).get("id")
        return f"{who} left the group" if gone else f"{who} removed {author({'from': left})}"
    if "forum_topic_created" in raw:
        return f"{who} opened the topic {raw['forum_topic_created'].get('name', '')}"
    if any(name in raw for name in _MIGRATED):
        return "The group became a supergroup"
    return None


def origin(raw: Raw) -> str | None:
    """Where a forwarded message comes from; None for one that was written here."""
    found = raw.get("forward_origin")
    if found is None:
        return None
    if "sender_user_name" in found:
        return str(found["sender_user_name"])
    if "sender_user" in found:
        return author({"from": found["sender_user"]})
    return author({"sender_chat": found.get("chat") or found.get("sender_chat") or {}})
