"""Bot API requests for python-telegram-bot, over aiohttp: a message costs a small part of what it costs over httpx.

A request is made once. A connection that turns out to be dead is nobody's to try again here: whoever sent knows whether
a second time does harm.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from telegram._utils.types import ODVInput
from telegram.error import InvalidToken, NetworkError, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData

# What proves that nothing of a request has left this machine.
NO_CONNECTION = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientProxyConnectionError,
)

_LONGEST = 200

_KEPT_S = 5.0  # idle connections; see `notices.notifier.REPEAT_AFTER_S`
_JSON = {"Content-Type": "application/json"}
_dumped = json.JSONEncoder(ensure_ascii=False).encode


class Calls(BaseRequest):
    """Requests on kept connections, as many at once as are asked for.

    Args:
        connect_s, read_s: seconds to a connection and to each part of an answer, where a call names none.
    """

    def __init__(self, *, connect_s: float = 5.0, read_s: float = 5.0) -> None:
        self._connect_s = connect_s
        self._read_s = read_s
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        """Seconds to each part of an answer, where a call names none."""
        return self._read_s

    async def initialize(self) -> None:
        """Be ready; nothing is connected yet."""
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_S)
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": self.USER_AGENT},
                cookie_jar=aiohttp.DummyCookieJar(),
            )

    async def shutdown(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        write_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        connect_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        pool_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """One request, made once; its status and its answer.

        Args:
            write_timeout, pool_timeout: without effect: what is written fits the system's buffers, and no request
                waits for a connection of another.
        """
        if self._session is None:
            raise RuntimeError("requests are made after initialize() and before shutdown()")
        timeout = aiohttp.ClientTimeout(
            total=None,
            sock_connect=_seconds(connect_timeout, self._connect_s),
            sock_read=_seconds(read_timeout, self._read_s),
        )
        body, headers = _body(request_data)
        try:
            async with self._session.request(
                method,
                url,
                data=body,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
                proxy=_proxy(*url.split("/", 3)[:3]),
            ) as answer:
                return answer.status, await answer.read()
        except TimeoutError as error:
            raise TimedOut(_why(error, url)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(_why(error, url)) from error


def trouble(error: Exception) -> str:
    """What went wrong with a request, for a log line: the kind of error, the cause and the host, never the address."""
    kind = type(error).__name__
    # A refused token is quoted by the library's own text.
    said = "" if isinstance(error, InvalidToken) or not isinstance(error, TelegramError) else error.message
    return f"{kind}: {said[:_LONGEST]}" if said and said != kind else kind


def _why(error: Exception, url: str) -> str:
    """The cause and the host. Not the error's own text: some quote the address, which has the token in it."""
    return f"{_cause(error)} at {urlsplit(url).netloc.rpartition('@')[2]}"


def _cause(error: Exception) -> str:
    system = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(system, ssl.SSLError):
        return f"TLS: {system.reason or type(system).__name__}"
    if isinstance(system, socket.gaierror):
        return str(system.strerror)
    if isinstance(system, OSError) and system.errno:
        return os.strerror(system.errno)
    return type(error).__name__


@cache
def _proxy(scheme: str, _: str, host: str) -> str | None:
    """The proxy that the environment names for a host; looked up once, where aiohttp would do so each time."""
    found = getproxies().get(scheme.rstrip(":"))
    return None if found is None or proxy_bypass(host) else found


def _seconds(given: Any, default: float) -> float | None:
    if isinstance(given, type(BaseRequest.DEFAULT_NONE)):
        return default
    return None if given is None else float(given)


def _body(data: RequestData | None) -> tuple[bytes | aiohttp.FormData | None, dict[str, str]]:
    """The parameters as JSON, and with files as a form in parts.

    A form would do for both; but there each byte of an emoji takes three, and both ends look at every one of them.
    """
    if data is None:
        return None, {}
    if not data.contains_files:
        return _dumped(data.json_parameters).encode(), _JSON
    form = aiohttp.FormData(default_to_multipart=True)
    for name, value in data.json_parameters.items():
        form.add_field(name, value)
    for name, (filename, content, kind) in data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=kind)
    return form, {}
