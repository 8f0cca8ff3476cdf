"""`codemojex doctor`: what is wrong with this installation, and what to do about each finding."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from telegram import Bot, WebhookInfo
from telegram.error import InvalidToken, TelegramError

import emq
from codemojex import auditing, connections
from codemojex.calls import trouble
from codemojex.guess_lanes import GuessLanes
from codemojex.play.days import local_day
from codemojex.settings import BadSettings, Settings
from codemojex.store import revision
from codemojex.store.clock import SharedClock
from codemojex.store.errors import StoreError
from codemojex.unread import unread_names
from emq.binaries import look_up

_NAMED = 5


class Level(StrEnum):
    """How bad a finding is; anything FAILED makes the command's exit code 1."""

    OK = "ok"
    NOTE = "note"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, what was seen, and the cure where one is needed."""

    what: str
    level: Level
    seen: str
    cure: str = ""


async def examine(settings: Settings) -> list[Finding]:
    """Look at everything; one part that is broken hides no other."""
    findings: list[Finding] = []
    checks: list[Callable[[Settings], Awaitable[list[Finding]]]] = [
        _env_file,
        _database,
        _queue,
        _telegram,
        _calendar,
    ]
    for check in checks:
        findings += await check(settings)
    return findings


async def _database(settings: Settings) -> list[Finding]:
    try:
        async with connections.open_database(settings) as store:
            report = await auditing.examine(store, settings, (await SharedClock.of(store))())
    except StoreError as error:
        return [Finding("database", Level.FAILED, str(error))]
    findings = [Finding("database", Level.OK, f"{store.name}, schema {revision.head()}")]
    findings += [
        Finding(
            "audit",
            Level.FAILED,
            f"{bad.name}: {bad.count}",
            "run `codemojex audit` for samples, and `codemojex repair` for what it can mend",
        )
        for bad in report.violations
    ]
    return findings


async def _queue(settings: Settings) -> list[Finding]:
    if settings.redis_url is None:
        try:
            program = look_up(None)[0]
        except emq.EmqError as error:
            return [Finding("queue", Level.FAILED, str(error))]
        return [Finding("queue", Level.OK, f"embedded: {program.path}")]
    try:
        async with connections.open_queue(settings.redis_url) as conn:
            findings = [Finding("queue", Level.OK, await _server_name(conn))]
            for queue in (settings.guess_queue, settings.notify_queue):
                findings.append(await _one_queue(conn, queue))
            findings += await _paused_players(GuessLanes(conn, settings.guess_queue))
            findings += await _eviction(conn)
            return findings
    except (BadSettings, emq.EmqError) as error:
        return [Finding("queue", Level.FAILED, str(error))]


async def _server_name(conn: emq.Connector) -> str:
    info = await conn.command("INFO", "server")
    text = info.decode() if isinstance(info, bytes) else str(info)
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    version = fields.get("valkey_version") or fields.get("redis_version", "?")
    return f"{fields.get('server_name', 'redis')} {version}"


async def _one_queue(conn: emq.Connector, queue: str) -> Finding:
    admin = emq.Admin(conn, queue)
    counts, paused = await admin.counts(), await admin.paused()
    seen = f"{counts.waiting} waiting, {counts.active} in hand, {counts.dead} dead"
    if paused:
        return Finding(
            f"queue {queue}", Level.NOTE, f"paused; {seen}", f"`emq resume {queue}` when you are done"
        )
    if counts.dead:
        return Finding(
            f"queue {queue}", Level.NOTE, seen, "read the dead jobs' last_error before deleting them"
        )
    return Finding(f"queue {queue}", Level.OK, seen)


async def _paused_players(lanes: GuessLanes) -> list[Finding]:
    """Players whose guesses wait because somebody once wanted it so."""
    paused = await lanes.paused()
    if not paused:
        return []
    waiting = sum([await lanes.waiting(player) for player in paused[:_NAMED]])
    named = ", ".join(map(str, paused[:_NAMED])) + (" and more" if len(paused) > _NAMED else "")
    seen = f"{len(paused)} ({named}), {waiting} of their guesses wait"
    return [Finding("paused players", Level.NOTE, seen, "`codemojex player resume ID` when you are done")]


async def _eviction(conn: emq.Connector) -> list[Finding]:
    """A server that may evict keys under memory pressure drops jobs; the sweep would have to find each."""
    try:
        reply = await conn.command("CONFIG", "GET", "maxmemory-policy")
    except emq.ServerRefused:
        return []  # managed services hide CONFIG
    words = [w.decode() if isinstance(w, bytes) else str(w) for w in _flat(reply)]
    policy = words[-1] if words else ""
    if policy in {"", "noeviction"}:
        return []
    return [Finding("queue memory", Level.FAILED, f"maxmemory-policy is {policy}", "set it to noeviction")]


def _flat(reply: object) -> list[object]:
    """CONFIG GET answers a list in RESP2 and a map in RESP3."""
    if isinstance(reply, dict):
        return [word for pair in reply.items() for word in pair]
    return list(reply) if isinstance(reply, (list, tuple)) else []


async def _telegram(settings: Settings) -> list[Finding]:
    try:
        settings.token()
    except BadSettings as error:
        return [Finding("telegram", Level.NOTE, "no token: only `codemojex play` works", str(error))]
    bot = connections.make_bot(settings)
    try:
        return await _of_bot(bot, settings)
    except InvalidToken:
        cure = "ask @BotFather for the current one"
        return [Finding("telegram", Level.FAILED, "Telegram rejects the token", cure)]
    except TelegramError as error:
        cure = "check the network and TELEGRAM_API_URL, and try again"
        return [Finding("telegram", Level.FAILED, f"no answer: {trouble(error)}", cure)]
    finally:
        await bot.shutdown()


async def _of_bot(bot: Bot, settings: Settings) -> list[Finding]:
    await bot.initialize()
    return [
        Finding("telegram", Level.OK, f"@{bot.username}"),
        privacy_finding(bot.bot.can_read_all_group_messages),
        webhook_finding(settings, await bot.get_webhook_info()),
    ]


def privacy_finding(reads_all: bool | None) -> Finding:
    """What privacy mode means for groups; ``reads_all`` as Telegram tells it of the bot."""
    if reads_all:
        return Finding("privacy mode", Level.OK, "off: the bot sees every message of its groups")
    cure = "to let plain guesses through in groups: @BotFather, /setprivacy, Disable, then add the bot again"
    return Finding("privacy mode", Level.NOTE, "on: in groups only commands and replies reach the bot", cure)


def webhook_finding(settings: Settings, told: WebhookInfo) -> Finding:
    """How updates come in, as it is set here and as Telegram has it; ``told`` by getWebhookInfo."""
    waiting = f"{told.pending_update_count} waiting"
    if settings.webhook_url is None:
        if told.url:
            cure = "nothing, if this bot is to poll: it takes the webhook away at its start"
            return Finding("updates", Level.NOTE, f"a webhook is set, WEBHOOK_URL is not; {waiting}", cure)
        return Finding("updates", Level.OK, f"polled; {waiting}")
    if _real(settings) and not settings.webhook_url.startswith("https://"):
        cure = "give WEBHOOK_URL an https address"
        return Finding("updates", Level.FAILED, "Telegram posts to https only", cure)
    if told.url != settings.webhook_url:
        cure = "start the bot: it sets WEBHOOK_URL"
        return Finding("updates", Level.NOTE, f"Telegram does not post to WEBHOOK_URL yet; {waiting}", cure)
    if told.last_error_message and told.pending_update_count:
        cure = "see that the address is reached from outside, and that posts are passed on to WEBHOOK_LISTEN"
        seen = f"the last post failed: {told.last_error_message}; {waiting}"
        return Finding("updates", Level.FAILED, seen, cure)
    return Finding("updates", Level.OK, f"posted to WEBHOOK_URL; {waiting}")


def _real(settings: Settings) -> bool:
    """Whether this is Telegram's own server; one that somebody runs themselves posts to plain HTTP, too."""
    return settings.telegram_api_url == "https://api.telegram.org"


async def _env_file(_: Settings) -> list[Finding]:
    """Names in ``.env`` that nothing reads: slips of the pen, or another program's."""
    found = unread_names()
    if not found:
        return []
    named = ", ".join(f"{each.name} (for {each.meant}?)" if each.meant else each.name for each in found)
    cure = "correct it, see .env.example; or leave it, if another program reads it"
    return [Finding(".env", Level.NOTE, f"not read here: {named}", cure)]


async def _calendar(settings: Settings) -> list[Finding]:
    day = local_day(datetime.now(UTC), settings.daily_tz)
    return [Finding("daily", Level.OK, f"it is {day} in {settings.daily_tz} (DAILY_TZ)")]
