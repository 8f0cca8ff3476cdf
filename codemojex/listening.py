"""Listening on an address that an operator has set."""

from __future__ import annotations

from aiohttp import web

from codemojex.settings import BadSettings


async def listen(runner: web.AppRunner, host: str, port: int, variable: str) -> None:
    """Have ``runner``, which is set up, answer on ``host`` and ``port``; 0 is any port that is free.

    Args:
        variable: the setting that names the address.

    Raises:
        BadSettings: nothing can listen there.
    """
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise BadSettings(
            f"{variable}: nothing can listen on {host}:{port} ({error.strerror}). Name a free address."
        ) from error
