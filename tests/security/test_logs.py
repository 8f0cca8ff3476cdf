"""No log line has a secret in it, in any format, tracebacks included."""

from __future__ import annotations

import io
import logging

import pytest
import structlog

from codemojex.logs import secrets_of, start_logs
from codemojex.settings import read_settings

TOKEN = "7000000001:plantedTokenOfNoBotInTheWorld0000"
HOOK = "plantedWebhookSecret-0001"


@pytest.fixture(autouse=True)
def _as_it_was():
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def _settings(**given):
    return read_settings(_env_file=None, telegram_token=TOKEN, webhook_secret=HOOK, **given)


URLS = {
    "postgresql://me:hush-1@10.0.0.1/x": {"hush-1"},
    "postgresql://me:hu%2Fsh@10.0.0.1/x": {"hu%2Fsh", "hu/sh"},
    "postgresql://me:hu/s@h:2@10.0.0.1/x": {"hu/s@h:2"},
    "postgresql://me:hush-1@[10.0.0.1/x": {"hush-1"},
    "postgresql://10.0.0.1/x?user=me&password=hush-1": {"hush-1"},
    "redis://:hush-1@10.0.0.1:6379?sentinel_password=hush-2": {"hush-1", "hush-2"},
    "sqlite+aiosqlite:///game.sqlite3": set(),
}


@pytest.mark.parametrize("url", URLS)
def test_passwords_are_found_in_every_url_that_has_one(url):
    found = set(secrets_of(_settings(database_url=url))) - {TOKEN, HOOK}
    assert found >= URLS[url]
    assert bool(found) is bool(URLS[url])
    assert found == set(secrets_of(_settings(redis_url=url))) - {TOKEN, HOOK}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
def test_a_secret_is_blotted_out_wherever_it_stands(form, level):
    # given
    said = io.StringIO()
    url = "postgresql://me:hu%2Fsh@10.0.0.1/x"
    start_logs(_settings(database_url=url, log_format=form, log_level=level), said)

    # when: as a value, in the text, in a traceback with its chain, by another library
    log = structlog.get_logger("planted")
    log.warning(f"asked {url}", token=TOKEN, about={"secret": HOOK})
    try:
        try:
            raise ValueError(f"https://example.org/bot{TOKEN}/getMe")
        except ValueError as error:
            raise RuntimeError(f"hu/sh or {HOOK}") from error
    except RuntimeError:
        log.exception("it failed")
    logging.getLogger("another").error("seen %s", TOKEN)

    # then
    text = said.getvalue()
    assert text.count("[secret]") >= 6
    assert [secret for secret in (TOKEN, HOOK, "hu%2Fsh", "hu/sh") if secret in text] == []
