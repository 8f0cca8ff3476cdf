"""Structured logs for every part, with secrets removed from each line before it is written."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO
from urllib.parse import unquote

import structlog

from codemojex.settings import LogFormat, Settings

# These print request URLs, and a Bot API URL carries the token; alembic announces itself at INFO.
_TALKATIVE = ("alembic", "httpx", "httpcore", "telegram", "aiosqlite", "aiohttp.access", "asyncio")


# Between a user's name and the last @, also where what stands there should have been quoted; or an option.
_PASSWORDS = (
    re.compile(r"://[^:/?#]*:([^/?#@]+)@"),
    re.compile(r"://[^:/?#]*:(.+)@"),
    re.compile(r"[?&][a-z_]*password=([^&#]+)", re.IGNORECASE),
)


class Redactor(logging.Formatter):
    """A formatter that blots known secrets out of what another formatter made, tracebacks included."""

    def __init__(self, inner: logging.Formatter, secrets: Iterable[str]) -> None:
        super().__init__()
        self._inner = inner
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return redacted(self._inner.format(record), self._secrets)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """``text`` with known secrets blotted out."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[secret]")
    return text


def secrets_of(settings: Settings) -> list[str]:
    """What must never be printed: the token, the webhook's secret, and the passwords inside the two URLs.

    A password is found in a URL that cannot work as well: that one ends in somebody's complaint.
    """
    given = (settings.telegram_token, settings.webhook_secret)
    found = [secret.get_secret_value().strip() for secret in given if secret is not None]
    for url in (settings.database_url or "", settings.redis_url or ""):
        passwords = [each for form in _PASSWORDS for each in form.findall(url)]
        found += [each for password in passwords for each in (password, unquote(password))]
    return found


def start_logs(settings: Settings, stream: TextIO | None = None, *, secrets: Iterable[str] = ()) -> None:
    """Send every log line of this process to ``stream`` (stderr by default) in the configured form."""
    stream = stream or sys.stderr
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    final: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]
        if settings.log_format is LogFormat.JSON
        # Plain tracebacks: the pretty ones print local variables, and those hold secrets.
        else [
            structlog.dev.ConsoleRenderer(
                colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback
            )
        ]
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *final],
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Redactor(formatter, [*secrets_of(settings), *secrets]))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
