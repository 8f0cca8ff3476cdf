"""Server URLs: what they say, and one sentence with the cure for those that say nothing usable.

Forms::

    redis://[user:password@]host[:port][/db]      rediss://...  the same over TLS
    unix:///path/to.sock[?db=0]
    redis+cluster://[user:password@]host:port,host:port             rediss+cluster://...
    redis+sentinel://[user:password@]host:port,host:port/service[/db]   rediss+sentinel://...

Query options: ``db``, ``protocol`` (2 or 3), ``socket_timeout``, ``socket_connect_timeout`` (seconds),
``max_connections``, ``client_name``, ``username``, ``password``, and for TLS ``ssl_ca_certs``,
``ssl_certfile``, ``ssl_keyfile``, ``ssl_cert_reqs``, ``ssl_check_hostname``; for sentinels also
``sentinel_username``, ``sentinel_password``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from .errors import MalformedUrl

SOCKET_TIMEOUT_S = 5.0
CONNECT_TIMEOUT_S = 3.0
MAX_CONNECTIONS = 32

_FORMS = "redis://, rediss://, unix://, redis+cluster://, rediss+cluster://, redis+sentinel:// or rediss+sentinel://"


class Kind(Enum):
    """How the server is found."""

    TCP = "tcp"
    UNIX = "unix"
    CLUSTER = "cluster"
    SENTINEL = "sentinel"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A parsed URL.

    Attributes:
        shown: the URL as messages may print it, without credentials.
        hosts: (host, port) of the server, of cluster seeds or of the sentinels; empty for a unix socket.
        options: keyword arguments for redis-py's connection.
        sentinel: keyword arguments for the connections to the sentinels.
    """

    kind: Kind
    shown: str
    tls: bool = False
    hosts: tuple[tuple[str, int], ...] = ()
    service: str = ""
    max_connections: int = MAX_CONNECTIONS
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    sentinel: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def socket_timeout_s(self) -> float:
        """Seconds without a byte after which an exchange is given up."""
        return float(self.options["socket_timeout"])


def _flag(text: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    return words[text.lower()]


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < 86_400:
        raise ValueError
    return number


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ValueError
    return int(text)


def _db(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError
    return int(text)


def _protocol(text: str) -> int:
    return {"2": 2, "3": 3}[text]


def _cert_reqs(text: str) -> str:
    return {word: word for word in ("none", "optional", "required")}[text]


_OPTIONS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "db": (_db, "a database number"),
    "protocol": (_protocol, "2 or 3"),
    "socket_timeout": (_positive, "seconds above 0"),
    "socket_connect_timeout": (_positive, "seconds above 0"),
    "max_connections": (_count, "a number above 0"),
    "client_name": (str, "a name"),
    "username": (str, "a name"),
    "password": (str, "a password"),
    "sentinel_username": (str, "a name"),
    "sentinel_password": (str, "a password"),
    "ssl_ca_certs": (str, "a file"),
    "ssl_certfile": (str, "a file"),
    "ssl_keyfile": (str, "a file"),
    "ssl_cert_reqs": (_cert_reqs, "none, optional or required"),
    "ssl_check_hostname": (_flag, "true or false"),
}

_SCHEMES: Mapping[str, tuple[Kind, bool]] = {
    "redis": (Kind.TCP, False),
    "rediss": (Kind.TCP, True),
    "unix": (Kind.UNIX, False),
    "redis+cluster": (Kind.CLUSTER, False),
    "rediss+cluster": (Kind.CLUSTER, True),
    "redis+sentinel": (Kind.SENTINEL, False),
    "rediss+sentinel": (Kind.SENTINEL, True),
}


def parse_url(url: str) -> Endpoint:
    """Read a server URL.

    Raises:
        MalformedUrl: it cannot be used; the message says what to write and never repeats a password.
    """
    if not isinstance(url, str) or "://" not in url:
        raise MalformedUrl(f"a server URL starts with {_FORMS}")
    scheme, rest = url.split("://", 1)
    kind, tls = _SCHEMES.get(scheme.lower(), (None, False))
    if kind is None:
        raise MalformedUrl(f"this scheme is not one emq knows: use {_FORMS}")
    try:
        parts = urlsplit("x://" + rest)
    except ValueError:
        raise MalformedUrl(f"the part after {scheme}:// is not a URL: write {scheme}://host:port") from None
    if parts.fragment or "@" in parts.path or ("@" in parts.query and "@" not in parts.netloc):
        raise MalformedUrl(
            "a user name or password with / ? # @ or : must be percent-encoded in a URL (%2F ...)"
        )
    credentials, _, place = parts.netloc.rpartition("@")
    options = _read_options(parts.query)
    user, colon, password = credentials.partition(":")
    if user:
        options["username"] = unquote(user)
    if colon and password:
        options["password"] = unquote(password)
    shown = f"{scheme.lower()}://{place}{parts.path}"
    if kind is Kind.UNIX:
        return _unix(shown, parts.path, place, options)
    return _networked(kind, tls, shown, place, [part for part in parts.path.split("/") if part], options)


def _read_options(query: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        if name not in _OPTIONS:
            # Not repeated: a stray ? in a password makes the rest of it look like an option.
            raise MalformedUrl(f"the URL has an option emq does not know; known are {', '.join(_OPTIONS)}")
        read, meaning = _OPTIONS[name]
        try:
            options[name] = read(text)
        except (ValueError, KeyError):
            raise MalformedUrl(f"the URL option {name!r} must be {meaning}") from None
    return options


def _unix(shown: str, path: str, place: str, options: dict[str, Any]) -> Endpoint:
    if place or not path.startswith("/") or path == "/":
        raise MalformedUrl("a unix URL has three slashes and an absolute path: unix:///run/valkey.sock?db=0")
    return _endpoint(Kind.UNIX, shown, options | {"path": unquote(path)})


def _networked(
    kind: Kind, tls: bool, shown: str, place: str, path: list[str], options: dict[str, Any]
) -> Endpoint:
    default_port = 26379 if kind is Kind.SENTINEL else 6379
    hosts = tuple(_host(text, default_port) for text in place.split(","))
    if kind is Kind.TCP and len(hosts) > 1:
        raise MalformedUrl(f"{shown} names several hosts: use redis+cluster:// or redis+sentinel://")
    service = ""
    if kind is Kind.SENTINEL:
        if not path:
            raise MalformedUrl(f"{shown} names no service: write redis+sentinel://host:port/service")
        service, *path = path
    if path:
        if len(path) > 1 or not path[0].isdigit():
            raise MalformedUrl(f"{shown} must end in a database number, such as /0, or in nothing")
        options.setdefault("db", int(path[0]))
    if kind is Kind.CLUSTER and options.pop("db", 0):
        raise MalformedUrl(f"{shown} is a cluster, which has database 0 only: leave the number out")
    return _endpoint(kind, shown, options, tls=tls, hosts=hosts, service=unquote(service))


def _host(text: str, default_port: int) -> tuple[str, int]:
    host, port = text, ""
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    elif ":" in text:
        host, _, port = text.rpartition(":")
    if not host or (port and (not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536)):
        # Not repeated: without its @host this may be "user:password".
        raise MalformedUrl(f"the URL needs a host and a port number, such as 127.0.0.1:{default_port}")
    return unquote(host), int(port) if port else default_port


def _endpoint(
    kind: Kind,
    shown: str,
    options: dict[str, Any],
    *,
    tls: bool = False,
    hosts: tuple[tuple[str, int], ...] = (),
    service: str = "",
) -> Endpoint:
    if not tls and any(name.startswith("ssl_") for name in options):
        raise MalformedUrl(f"{shown} has ssl_ options but no TLS: use the rediss form of the scheme")
    sentinel = {
        name.removeprefix("sentinel_"): options.pop(name)
        for name in ("sentinel_username", "sentinel_password")
        if name in options
    }
    if sentinel and kind is not Kind.SENTINEL:
        raise MalformedUrl(f"{shown} has sentinel_ options: they belong to redis+sentinel://")
    limit = options.pop("max_connections", MAX_CONNECTIONS)
    options.setdefault("protocol", 3)
    options.setdefault("socket_timeout", SOCKET_TIMEOUT_S)
    options.setdefault("socket_connect_timeout", CONNECT_TIMEOUT_S)
    return Endpoint(kind, shown, tls, hosts, service, limit, options, sentinel)
