"""setWebhook, deleteWebhook, getWebhookInfo."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from codemojex.localtg.courier import Webhook
from codemojex.localtg.errors import WEBHOOK_SET, bad_request
from codemojex.localtg.fields import Values, array, boolean, integer, string
from codemojex.localtg.model import Raw
from codemojex.localtg.world import World

_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")

SET_FIELDS = {
    "url": string,
    "ip_address": string,
    "max_connections": integer,
    "allowed_updates": array,
    "drop_pending_updates": boolean,
    "secret_token": string,
}
DELETE_FIELDS = {"drop_pending_updates": boolean}


def set_webhook(world: World, values: Values) -> bool:
    """Point updates at an address; plain HTTP is taken, as a Bot API server of one's own takes it."""
    url = values.get("url", "")
    if not url:
        return delete_webhook(world, values)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise bad_request("bad webhook: invalid webhook URL specified")
    secret = values.get("secret_token", "")
    if secret and not _SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters")
    connections = values.get("max_connections", 40)
    if not 1 <= connections <= 100:
        raise bad_request("max_connections must be between 1 and 100")
    _prepare(world, values)
    world.updates.end_poll(WEBHOOK_SET)
    world.courier.point(Webhook(url, secret, connections, values.get("ip_address", "")))
    return True


def delete_webhook(world: World, values: Values) -> bool:
    _prepare(world, values)
    world.courier.remove()
    return True


def get_webhook_info(world: World, values: Values) -> Raw:
    webhook, wrong = world.courier.webhook, world.courier.last_error
    found: Raw = {
        "url": "" if webhook is None else webhook.url,
        "has_custom_certificate": False,
        "pending_update_count": len(world.updates),
    }
    if webhook is not None:
        found["max_connections"] = webhook.max_connections
        if webhook.ip_address:
            found["ip_address"] = webhook.ip_address
    if wrong is not None:
        found |= {"last_error_date": int(wrong.at.timestamp()), "last_error_message": wrong.wrong}
    if world.updates.allowed:
        found["allowed_updates"] = list(world.updates.allowed)
    return found


def _prepare(world: World, values: Values) -> None:
    if "allowed_updates" in values:
        world.updates.allow(str(kind) for kind in values["allowed_updates"])
    if values.get("drop_pending_updates"):
        world.updates.clear()
