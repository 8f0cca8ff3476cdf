"""The page's address: the same at each start, known to nobody else, and another one where it was not safe."""

from __future__ import annotations

import socket
import stat

import pytest

from codemojex.localtg import LocalTelegram
from codemojex.web import Crowd, Site, Symbols
from codemojex.web.address import Address, keep, recall
from tests.ports import held


async def _url(kept):
    async with LocalTelegram() as telegram:
        site = Site(Crowd(telegram), Symbols({}, ()), kept)
        await site.start()
        await site.stop()
        return site.url


async def test_the_address_is_the_same_at_each_start_and_its_file_is_for_its_owner_alone(tmp_path):
    kept = tmp_path / "page.key"
    first = await _url(kept)
    with held(recall(kept).port):
        assert await _url(kept) == first
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert first.startswith("http://127.0.0.1:")


async def test_another_folder_has_another_address_and_no_file_has_one_each_time(tmp_path):
    urls = [await _url(each) for each in (tmp_path / "one", tmp_path / "two", None, None)]
    assert len({url.split("/")[3] for url in urls}) == 4


async def test_where_the_port_is_taken_the_page_gets_another_port_and_another_key(tmp_path):
    # given: whoever has the port now, old tabs ask there, and tell it the key
    kept = tmp_path / "page.key"
    first = await _url(kept)
    with socket.create_server(("127.0.0.1", recall(kept).port)):
        # when
        second = await _url(kept)

    # then
    assert first.split("/")[2] != second.split("/")[2]
    assert first.split("/")[3] != second.split("/")[3]
    with held(recall(kept).port):
        assert await _url(kept) == second


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_could_read_is_used_no_more(tmp_path, mode):
    path = tmp_path / "page.key"
    keep(path, Address(4_711, "k" * 24))
    assert recall(path) == Address(4_711, "k" * 24)
    path.chmod(mode)
    assert recall(path).key != "k" * 24


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"port": 0, "key": "abcdefghijklmnopqrstuvwx"}',
        '{"port": 70000, "key": "abcdefghijklmnopqrstuvwx"}',
        '{"port": "x", "key": "abcdefghijklmnopqrstuvwx"}',
        '{"port": 4711, "key": ""}',
        '{"port": 4711, "key": "../defghijklmnopqrstuvwx"}',
    ],
)
def test_a_file_that_is_no_address_is_passed_over(tmp_path, text):
    path = tmp_path / "page.key"
    path.write_text(text, "utf-8")
    path.chmod(0o600)
    found = recall(path)
    assert (found.port, len(found.key), "defghi" in found.key) == (0, 24, False)
