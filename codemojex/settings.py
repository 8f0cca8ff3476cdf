"""What an operator can set, read from the environment and from a `.env` file.

Source: `.env.example`, which a test keeps equal to this file.
"""

from __future__ import annotations

import logging
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

log = logging.getLogger(__name__)

_QUEUE_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")
_WEBHOOK_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_LISTEN = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]+):(?P<port>[0-9]{1,5})")


class BadSettings(Exception):  # named for what is wrong
    """A variable is missing or has a value that cannot work; the text names it and the cure."""


class LogFormat(StrEnum):
    """How a log line is written: for a person, or for a machine."""

    TEXT = "text"
    JSON = "json"


def _blank_is_absent(value: object) -> object:
    """`NAME=` in an environment file means the same as no line at all."""
    return None if isinstance(value, str) and not value.strip() else value


def _no_slash(value: object) -> object:
    return value.rstrip("/") if isinstance(value, str) else value


def _is_web_root(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("it begins with http:// or https://")
    return value


def _is_queue_name(value: str) -> str:
    if not _QUEUE_NAME.fullmatch(value) or value == "emq":
        raise ValueError("a queue name is 1 to 128 of A-Z a-z 0-9 . _ - and not emq")
    return value


def _is_public(value: str | None) -> str | None:
    """An address that Telegram can post to."""
    if value is None:
        return None
    parts = urlsplit(_is_web_root(value))
    if not parts.hostname or parts.query or parts.fragment:
        raise ValueError("it is an address like https://example.org/telegram, without ? and #")
    return value


def _is_address(value: str) -> str:
    found = _LISTEN.fullmatch(value)
    if found is None or int(found["port"]) > 65_535:
        raise ValueError("it is host:port, like 127.0.0.1:8080 or [::1]:8080")
    return value


def _is_address_if_any(value: str | None) -> str | None:
    return None if value is None else _is_address(value)


def _is_secret(value: SecretStr | None) -> SecretStr | None:
    if value is not None and not _WEBHOOK_SECRET.fullmatch(value.get_secret_value()):
        raise ValueError("Telegram takes 1 to 256 of A-Z a-z 0-9 _ -")
    return value


def _is_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("there is no such time zone; take a name like Europe/Berlin or UTC") from None
    return value


QueueName = Annotated[str, AfterValidator(_is_queue_name)]
OptionalText = Annotated[str | None, BeforeValidator(_blank_is_absent)]


class Settings(BaseSettings):
    """Every variable the programs read. Field names are the variables' names in lower case."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True, env_ignore_empty=True
    )

    telegram_token: SecretStr | None = None
    telegram_api_url: Annotated[str, BeforeValidator(_no_slash), AfterValidator(_is_web_root)] = (
        "https://api.telegram.org"
    )
    database_url: OptionalText = None
    redis_url: OptionalText = None
    codemojex_home: Path = Path("~/.local/share/codemojex")

    guess_queue: QueueName = "cm"
    notify_queue: QueueName = "cm.notify"
    worker_lease_ms: int = Field(30_000, ge=1_000, le=3_600_000)
    worker_batch: int = Field(100, ge=1, le=500)

    webhook_url: Annotated[OptionalText, AfterValidator(_is_public)] = None
    webhook_listen: Annotated[str, AfterValidator(_is_address)] = "127.0.0.1:8080"
    webhook_secret: Annotated[SecretStr | None, AfterValidator(_is_secret)] = None

    daily_tz: Annotated[str, AfterValidator(_is_zone)] = "UTC"
    guesses_alone: int = Field(12, ge=1, le=1_000)
    guesses_group: int = Field(30, ge=1, le=1_000)
    guesses_per_second: float = Field(1.0, ge=0)
    guesses_burst: int = Field(3, ge=1, le=1_000)
    acts_per_second: float = Field(1.0, ge=0)
    sweep_seconds: float = Field(5.0, gt=0)
    sweep_after_seconds: float = Field(20.0, gt=0)

    ops_listen: Annotated[OptionalText, AfterValidator(_is_address_if_any)] = None

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: LogFormat = LogFormat.TEXT

    @model_validator(mode="after")
    def _two_queues(self) -> Settings:
        """One queue for both would have each kind of worker set the other's jobs aside."""
        if self.guess_queue == self.notify_queue:
            raise ValueError("GUESS_QUEUE and NOTIFY_QUEUE are the same; give each its own name")
        return self

    @property
    def home(self) -> Path:
        """The folder for embedded state, with `~` resolved."""
        return self.codemojex_home.expanduser()

    @property
    def listen_on(self) -> tuple[str, int]:
        """Host and port of WEBHOOK_LISTEN."""
        return _host_and_port(self.webhook_listen)

    @property
    def ops_on(self) -> tuple[str, int] | None:
        """Host and port of OPS_LISTEN; None where nobody is to be answered."""
        return None if self.ops_listen is None else _host_and_port(self.ops_listen)

    def make_home(self) -> Path:
        """Make the home folder, for this user alone, where there is none.

        Raises:
            BadSettings: it cannot be made; the text says why.
        """
        if "codemojex_home" in self.model_fields_set and not self.home.parent.exists():
            log.warning("CODEMOJEX_HOME: %s is made, with folders above it that were not there", self.home)
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise BadSettings(
                f"CODEMOJEX_HOME: the folder {self.home} cannot be made: {error.strerror}. Name one that you can write."
            ) from None
        return self.home

    @property
    def store_url(self) -> str:
        """DATABASE_URL, or the SQLite file in the home folder."""
        return self.database_url or f"sqlite+aiosqlite:///{self.home / 'codemojex.sqlite3'}"

    def token(self) -> str:
        """The bot token.

        Raises:
            BadSettings: there is none; the text says where to get one.
        """
        if self.telegram_token is None or not self.telegram_token.get_secret_value().strip():
            raise BadSettings(
                "TELEGRAM_TOKEN is not set. Ask @BotFather for a token and set it, "
                "or run `codemojex play` for a game without one."
            )
        return self.telegram_token.get_secret_value().strip()


def read_settings(**overrides: object) -> Settings:
    """The settings of this process.

    Raises:
        BadSettings: one line for each variable with a value that cannot work.
    """
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks each value itself
    except ValidationError as error:
        raise BadSettings("\n".join(_said(one) for one in error.errors())) from None


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _said(error: ErrorDetails) -> str:
    """One wrong value in one line, like ``WORKER_BATCH: input should be ... (see .env.example)``."""
    what = error["msg"].removeprefix("Value error, ")
    if not error["loc"]:
        return f"{what} (see .env.example)"
    return f"{str(error['loc'][0]).upper()}: {what[:1].lower()}{what[1:]} (see .env.example)"
