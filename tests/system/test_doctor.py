"""What the doctor says of how updates come in, and of the calendar."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from telegram import WebhookInfo

from codemojex.doctor import Level, examine, privacy_finding, webhook_finding
from codemojex.localtg import LocalTelegram
from codemojex.settings import Settings, read_settings

HERE = "https://example.org/hook"


def settings(**given: Any) -> Settings:
    return read_settings(_env_file=None, **given)


def told(url: str = "", pending: int = 0, **more: Any) -> WebhookInfo:
    return WebhookInfo(url, has_custom_certificate=False, pending_update_count=pending, **more)


@pytest.mark.parametrize(
    ("url", "info", "level", "seen"),
    [
        (None, told(pending=3), Level.OK, "polled; 3 waiting"),
        (None, told(HERE), Level.NOTE, "a webhook is set"),
        (HERE, told(HERE, 2), Level.OK, "posted to WEBHOOK_URL; 2 waiting"),
        (HERE, told(), Level.NOTE, "does not post to WEBHOOK_URL yet"),
        (HERE, told("https://example.org/other"), Level.NOTE, "does not post to WEBHOOK_URL yet"),
        ("http://example.org/hook", told(), Level.FAILED, "https only"),
    ],
)
def test_how_updates_come_in_is_told_with_the_cure(url, info, level, seen):
    finding = webhook_finding(settings(webhook_url=url), info)
    assert (finding.level, seen in finding.seen) == (level, True)
    assert bool(finding.cure) is (level is not Level.OK)


@pytest.mark.parametrize(("pending", "level"), [(4, Level.FAILED), (0, Level.OK)])
def test_a_post_that_failed_matters_while_updates_wait(pending, level):
    info = told(HERE, pending, last_error_message="Connection refused", last_error_date=datetime.now(UTC))
    finding = webhook_finding(settings(webhook_url=HERE), info)
    assert finding.level is level
    assert ("Connection refused" in finding.seen) is (level is Level.FAILED)


def test_a_bot_api_server_of_ones_own_posts_to_plain_http():
    plain = "http://10.0.0.2:8080/hook"
    finding = webhook_finding(
        settings(webhook_url=plain, telegram_api_url="http://10.0.0.1:8081"), told(plain)
    )
    assert finding.level is Level.OK


def test_privacy_mode_is_no_fault_and_has_a_cure():
    on, off = privacy_finding(False), privacy_finding(True)
    assert (on.level, off.level) == (Level.NOTE, Level.OK)
    assert "/setprivacy" in on.cure


async def test_the_doctor_looks_at_telegram_and_at_the_calendar(tmp_path):
    # given
    async with LocalTelegram() as telegram:
        asked = settings(
            codemojex_home=tmp_path,
            telegram_token=telegram.token,
            telegram_api_url=telegram.url,
            daily_tz="Pacific/Kiritimati",
        )

        # when
        findings = {finding.what: finding for finding in await examine(asked)}

    # then
    assert findings["updates"].seen == "polled; 0 waiting"
    assert "privacy mode" in findings
    assert "Pacific/Kiritimati" in findings["daily"].seen
