"""`codemojex doctor`: what is wrong with this installation, and what to do about each finding."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from telegram.error import InvalidToken, TelegramError

import emq
from codemojex import app
from codemojex.play import audit
from codemojex.settings import BadSettings, Settings
from codemojex.store import revision
from codemojex.store.errors import StoreError
from emq.binaries import look_up


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
    checks: list[Callable[[Settings], Awaitable[list[Finding]]]] = [_database, _queue, _telegram]
    for check in checks:
        findings += await check(settings)
    return findings


async def _database(settings: Settings) -> list[Finding]:
    try:
        async with app.open_database(settings) as store:
            report = await store.read(lambda tx: audit.audit(tx, datetime.now(UTC)))
    except StoreError as error:
        return [Finding("database", Level.FAILED, str(error))]
    findings = [Finding("database", Level.OK, f"{store.name}, schema {revision.head()}")]
    findings += [
        Finding("audit", Level.FAILED, f"{bad.name}: {bad.count}", "run `codemojex audit` for samples")
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
        async with app.open_queue(settings.redis_url) as conn:
            findings = [Finding("queue", Level.OK, await _server_name(conn))]
            for queue in (settings.guess_queue, settings.notify_queue):
                findings.append(await _one_queue(conn, queue))
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
    seen = f"{counts.pending} waiting, {counts.active} in hand, {counts.dead} dead"
    if paused:
        return Finding(
            f"queue {queue}", Level.NOTE, f"paused; {seen}", f"`emq resume {queue}` when you are done"
        )
    if counts.dead:
        return Finding(
            f"queue {queue}", Level.NOTE, seen, "read the dead jobs' last_error before deleting them"
        )
    return Finding(f"queue {queue}", Level.OK, seen)


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
    bot = app.make_bot(settings)
    try:
        await bot.initialize()
    except InvalidToken:
        return [
            Finding(
                "telegram", Level.FAILED, "Telegram rejects the token", "ask @BotFather for the current one"
            )
        ]
    except TelegramError as error:
        cure = "check the network and TELEGRAM_API_URL"
        return [Finding("telegram", Level.FAILED, f"no answer: {type(error).__name__}", cure)]
    try:
        return [
            Finding("telegram", Level.OK, f"@{bot.username}"),
            _privacy(bot.bot.can_read_all_group_messages),
        ]
    finally:
        await bot.shutdown()


def _privacy(reads_all: bool | None) -> Finding:
    if reads_all:
        return Finding("privacy mode", Level.OK, "off: the bot sees every message of its groups")
    cure = "to let plain guesses through in groups: @BotFather, /setprivacy, Disable, then add the bot again"
    return Finding("privacy mode", Level.NOTE, "on: in groups only commands and replies reach the bot", cure)
