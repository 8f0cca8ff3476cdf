"""TLS: the server's certificate is checked, and everything works behind it on either loop."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

import emq
from tests.emq.core.constellations import free_ports, make_certificate
from tests.emq.core.makers import live_through
from tests.servers import Kind, ServerProcess


@pytest.fixture(scope="module")
def tls() -> Iterator[tuple[str, Path]]:
    """A server behind TLS: its URL without options, and the certificate to trust."""
    if shutil.which("openssl") is None:
        pytest.skip("this machine has no openssl to make a certificate with")
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    certificate, key = make_certificate(folder)
    (port,) = free_ports(1)
    server = ServerProcess(
        Kind.REDIS7, folder, "--tls-port", str(port), "--bind", "127.0.0.1", "--tls-auth-clients", "no",
        "--tls-cert-file", str(certificate), "--tls-key-file", str(key),
    )  # fmt: skip
    server.start()
    yield f"rediss://127.0.0.1:{port}", certificate
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@pytest.mark.parametrize("protocol", [2, 3])
def test_every_flow_works_behind_tls(tls: tuple[str, Path], queue: str, loop: str, protocol: int) -> None:
    url, certificate = tls
    run = asyncio.run if loop == "asyncio" else uvloop.run

    run(live_through(f"{url}?ssl_ca_certs={certificate}&protocol={protocol}", queue))


async def test_a_large_burst_travels_whole(tls: tuple[str, Path], queue: str) -> None:
    url, certificate = tls
    async with await emq.connect(f"{url}?ssl_ca_certs={certificate}") as conn:
        burst = [(emq.mint("JOB"), b"x" * 1_000) for _ in range(3_000)]
        assert await emq.Jobs(conn, queue).enqueue_many(burst) == [emq.ENQUEUED] * 3_000


async def test_a_certificate_nobody_vouches_for_is_refused_unless_told_otherwise(
    tls: tuple[str, Path],
) -> None:
    url, _ = tls
    with pytest.raises(emq.Unreachable, match=r"(?i)certificate"):
        await emq.connect(url)

    async with await emq.connect(f"{url}?ssl_cert_reqs=none") as conn:
        assert await conn.command("ECHO", "x") == b"x"


async def test_plain_text_to_a_tls_port_is_not_sent(tls: tuple[str, Path]) -> None:
    url, _ = tls
    with pytest.raises(emq.NotSent):
        await emq.connect(url.replace("rediss", "redis") + "?socket_timeout=2")
