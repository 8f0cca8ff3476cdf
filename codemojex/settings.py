"""What an operator can set, read from the environment and from a `.env` file.

Source: `.env.example`, which a test keeps equal to this file.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict


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


OptionalText = Annotated[str | None, BeforeValidator(_blank_is_absent)]


class Settings(BaseSettings):
    """Every variable the programs read. Field names are the variables' names in lower case."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True, env_ignore_empty=True
    )

    telegram_token: SecretStr | None = None
    telegram_api_url: Annotated[str, BeforeValidator(_no_slash)] = "https://api.telegram.org"
    database_url: OptionalText = None
    redis_url: OptionalText = None
    codemojex_home: Path = Path("~/.local/share/codemojex")

    guess_queue: str = "cm"
    notify_queue: str = "cm.notify"
    worker_lease_ms: int = Field(30_000, ge=1_000, le=3_600_000)
    worker_batch: int = Field(100, ge=1, le=500)

    guesses_alone: int = Field(12, ge=1, le=1_000)
    guesses_group: int = Field(30, ge=1, le=1_000)
    guesses_per_second: float = Field(1.0, ge=0)
    guesses_burst: int = Field(3, ge=1, le=1_000)
    sweep_seconds: float = Field(5.0, gt=0)
    sweep_after_seconds: float = Field(20.0, gt=0)

    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    log_format: LogFormat = LogFormat.TEXT

    @property
    def home(self) -> Path:
        """The folder for embedded state, with `~` resolved."""
        return self.codemojex_home.expanduser()

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
        lines = [f"{str(e['loc'][0]).upper()}: {e['msg']} (see .env.example)" for e in error.errors()]
        raise BadSettings("\n".join(lines)) from None
