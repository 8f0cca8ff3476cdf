"""A new connection: its version fence, its credentials, and what the server says against it."""

from __future__ import annotations

import asyncio

import pytest

import emq
from emq.keyspace import VERSION_KEY
from emq.resp import ServerError
from tests.emq.core.makers import pairs
from tests.servers import ServerProcess


async def test_the_first_connection_claims_the_version_and_later_ones_verify_it(
    own_server: ServerProcess,
) -> None:
    for _ in range(2):
        async with await emq.connect(own_server.url) as conn:
            assert await conn.command("GET", VERSION_KEY) == b"echomq:3.0.0"


@pytest.mark.parametrize("other", ["echomq:2.4.2", "echomq:3.0.1", "x"])
async def test_queues_of_another_version_are_left_alone(own_server: ServerProcess, other: str) -> None:
    own_server.command("SET", VERSION_KEY, other)

    with pytest.raises(emq.VersionMismatch, match=other) as mismatch:
        await emq.connect(own_server.url)

    assert mismatch.value.got == other
    assert other.encode() in own_server.command("GET", VERSION_KEY)


async def test_every_new_connection_is_fenced(own_server: ServerProcess, queue: str) -> None:
    async with await emq.connect(own_server.url) as conn:
        own_server.command("SET", VERSION_KEY, "echomq:9.0.0")

        calls = [conn.command("ECHO", "x") for _ in range(4)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)

    assert any(isinstance(outcome, emq.VersionMismatch) for outcome in outcomes)


async def test_an_error_on_the_fence_is_that_error(own_server: ServerProcess) -> None:
    own_server.command("LPUSH", VERSION_KEY, "x")

    with pytest.raises(emq.ServerRefused) as refused:
        await emq.connect(own_server.url)

    assert refused.value.code == "WRONGTYPE"
    assert isinstance(refused.value, emq.NotSent)


@pytest.mark.parametrize("protocol", [2, 3])
async def test_wrong_credentials_are_named_and_never_shown(
    own_real_server: ServerProcess, protocol: int
) -> None:
    own_real_server.command("ACL", "SETUSER", "ada", "on", ">hunter2", "~*", "&*", "+@all")
    base = own_real_server.url + f"&protocol={protocol}"

    async with await emq.connect(base + "&username=ada&password=hunter2") as conn:
        assert await conn.command("ACL", "WHOAMI") == b"ada"
        assert "hunter2" not in repr(conn)
    with pytest.raises(emq.HandshakeRefused) as refused:
        await emq.connect(base + "&username=ada&password=hunter3")

    assert refused.value.code == "WRONGPASS"
    assert "hunter3" not in str(refused.value)
    assert isinstance(refused.value, emq.NotSent)


async def test_a_server_that_wants_a_password_says_so(own_real_server: ServerProcess) -> None:
    own_real_server.command("CONFIG", "SET", "requirepass", "hunter2")

    for protocol in (2, 3):
        with pytest.raises(emq.HandshakeRefused) as refused:
            await emq.connect(own_real_server.url + f"&protocol={protocol}")
        assert refused.value.code == "NOAUTH"


async def test_a_user_without_rights_is_refused_per_item_and_nothing_is_written(
    own_real_server: ServerProcess, queue: str
) -> None:
    own_real_server.command("ACL", "SETUSER", "ada", "on", ">pw", "~{emq}*", "+@all")
    async with await emq.connect(own_real_server.url + "&username=ada&password=pw") as conn:
        verdicts = await emq.Jobs(conn, queue).enqueue_many(pairs(2))

        assert [str(verdict) for verdict in verdicts] == ["refused:NOPERM"] * 2
        with pytest.raises(emq.ServerRefused, match="NOPERM"):
            await conn.command("GET", "other")


async def test_nobody_listening_is_one_sentence_with_the_address(short_folder: object) -> None:
    for url in ("redis://127.0.0.1:1", f"unix://{short_folder}/nobody"):
        with pytest.raises(emq.Unreachable, match="Is it running") as unreachable:
            await emq.connect(url)
        assert url in str(unreachable.value)


@pytest.mark.parametrize("db", ["99999", "17"])
async def test_a_database_number_the_server_lacks_is_refused(own_real_server: ServerProcess, db: str) -> None:
    with pytest.raises(emq.HandshakeRefused, match="DB index"):
        await emq.connect(own_real_server.url.replace("db=0", f"db={db}"))


async def test_an_error_reply_in_a_pipeline_is_a_value_and_alone_an_exception(conn: emq.Connector) -> None:
    await conn.command("SET", "t:{p}", "x")

    replies = await conn.pipeline([("GET", "t:{p}"), ("LPUSH", "t:{p}", "y"), ("STRLEN", "t:{p}")])

    assert replies[0] == b"x"
    assert isinstance(replies[1], ServerError)
    assert replies[1].code == "WRONGTYPE"
    assert replies[2] == 1
    with pytest.raises(emq.ServerRefused, match="WRONGTYPE"):
        await conn.command("LPUSH", "t:{p}", "y")
    with pytest.raises(emq.EmptyPipeline):
        await conn.pipeline([])
