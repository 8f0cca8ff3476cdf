"""A secret that is made once and kept."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

from codemojex.bot.keepsake import kept_secret


def test_the_secret_is_the_same_every_time_and_readable_by_its_owner_alone(tmp_path):
    # when
    first, second = (kept_secret(tmp_path / "webhook.secret") for _ in range(2))

    # then: one that Telegram takes
    assert first == second
    assert re.fullmatch(r"[A-Za-z0-9_-]{32,256}", first)
    assert (tmp_path / "webhook.secret").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["webhook.secret"]


def test_two_that_make_it_at_once_have_the_same(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: kept_secret(tmp_path / "webhook.secret"), range(64)))
    assert len(made) == 1
