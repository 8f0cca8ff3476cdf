"""Every Bot API method the local Telegram knows, by its name in lower case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from codemojex.localtg import account, membership, messages, reactions, webhooks
from codemojex.localtg.fields import Reader, Values, array, integer
from codemojex.localtg.world import World

POLL_FIELDS = {"offset": integer, "limit": integer, "timeout": integer, "allowed_updates": array}


@dataclass(frozen=True, slots=True)
class Method:
    """A method: its name as documented, its parameters, and what it does at once."""

    name: str
    fields: Mapping[str, Reader]
    run: Callable[[World, Values], Any] | None
    """None for the one that waits: the server answers getUpdates itself."""
    sends: bool = False
    """Counts against Telegram's budgets for messages."""


METHODS: dict[str, Method] = {
    method.name.lower(): method
    for method in (
        Method("getUpdates", POLL_FIELDS, None),
        Method("getMe", {}, account.get_me),
        Method("sendMessage", messages.SEND_FIELDS, messages.send_message, sends=True),
        Method("editMessageText", messages.EDIT_FIELDS, messages.edit_text, sends=True),
        Method("editMessageReplyMarkup", messages.MARKUP_FIELDS, messages.edit_markup, sends=True),
        Method("sendDocument", messages.DOCUMENT_FIELDS, messages.send_document, sends=True),
        Method("setMessageReaction", reactions.REACTION_FIELDS, reactions.set_reaction),
        Method("deleteMessage", messages.DELETE_FIELDS, messages.delete_message),
        Method("sendChatAction", messages.ACTION_FIELDS, messages.chat_action),
        Method("answerCallbackQuery", account.ANSWER_FIELDS, account.answer_callback),
        Method("setMyCommands", account.COMMAND_FIELDS, account.set_commands),
        Method("getMyCommands", account.SCOPE_FIELDS, account.get_commands),
        Method("deleteMyCommands", account.SCOPE_FIELDS, account.delete_commands),
        Method("getChat", membership.CHAT_FIELDS, membership.get_chat),
        Method("getChatMember", membership.MEMBER_FIELDS, membership.get_chat_member),
        Method("getChatAdministrators", membership.CHAT_FIELDS, membership.get_chat_administrators),
        Method("setWebhook", webhooks.SET_FIELDS, webhooks.set_webhook),
        Method("deleteWebhook", webhooks.DELETE_FIELDS, webhooks.delete_webhook),
        Method("getWebhookInfo", {}, webhooks.get_webhook_info),
    )
}
