"""Server URLs: every form, and one sentence with a cure for everything else."""

from __future__ import annotations

import pytest

import emq
from emq.urls import Kind, parse_url


@pytest.mark.parametrize(
    ("url", "kind", "hosts", "options"),
    [
        ("redis://localhost", Kind.TCP, (("localhost", 6379),), {}),
        ("redis://10.0.0.1:7000/2", Kind.TCP, (("10.0.0.1", 7000),), {"db": 2}),
        ("redis://ada:p%40ss@h:1", Kind.TCP, (("h", 1),), {"username": "ada", "password": "p@ss"}),
        ("redis://:pw@h?protocol=2&socket_timeout=1.5", Kind.TCP, (("h", 6379),),
         {"password": "pw", "protocol": 2, "socket_timeout": 1.5}),
        ("redis://[::1]:7000", Kind.TCP, (("::1", 7000),), {}),
        ("unix:///run/v.sock?db=3", Kind.UNIX, (), {"path": "/run/v.sock", "db": 3}),
        ("redis+cluster://a:1,b:2,c", Kind.CLUSTER, (("a", 1), ("b", 2), ("c", 6379)), {}),
        ("redis+sentinel://u:p@a:1,b/main/4", Kind.SENTINEL, (("a", 1), ("b", 26379)),
         {"username": "u", "password": "p", "db": 4}),
        ("rediss://h?ssl_cert_reqs=none&ssl_check_hostname=no", Kind.TCP, (("h", 6379),),
         {"ssl_cert_reqs": "none", "ssl_check_hostname": False}),
    ],
)  # fmt: skip
def test_a_url_says_where_and_how(url: str, kind: Kind, hosts: object, options: dict[str, object]) -> None:
    endpoint = parse_url(url)

    assert (endpoint.kind, endpoint.hosts) == (kind, hosts)
    assert endpoint.tls == url.startswith("rediss")
    assert options.items() <= endpoint.options.items()


def test_timeouts_are_always_set() -> None:
    endpoint = parse_url("redis://h")

    assert endpoint.options["socket_timeout"] == 5.0
    assert endpoint.options["socket_connect_timeout"] == 3.0


def test_the_sentinels_have_credentials_of_their_own() -> None:
    endpoint = parse_url("redis+sentinel://:p@a/main?sentinel_password=q")

    assert endpoint.options["password"] == "p"
    assert endpoint.sentinel == {"password": "q"}
    assert endpoint.service == "main"


SECRET = "hunter2"


@pytest.mark.parametrize(
    ("url", "cure"),
    [
        ("", "starts with redis://"),
        ("localhost:6379", "starts with redis://"),
        (f"http://:{SECRET}@h", "use redis://"),
        (f"{SECRET}://h", "use redis://"),
        (f"redis://:{SECRET}@h:port", "a host and a port number"),
        (f"redis://:{SECRET}@h:70000", "a host and a port number"),
        (f"redis://ada:{SECRET}", "a host and a port number"),
        (f"redis://:{SECRET}@", "a host and a port number"),
        (f"redis://:{SECRET}/x@h:1", "percent-encoded"),
        (f"redis://:{SECRET}#x@h:1", "percent-encoded"),
        (f"redis://:x?{SECRET}@h:1", "percent-encoded"),
        (f"redis://:{SECRET}@h/x", "database number"),
        (f"redis://:{SECRET}@h/1/2", "database number"),
        (f"redis://:{SECRET}@a:1,b:2", "redis+cluster://"),
        (f"redis://h?{SECRET}=1", "option emq does not know"),
        (f"redis://:{SECRET}@h?protocol=4", "2 or 3"),
        (f"redis://:{SECRET}@h?socket_timeout=0", "above 0"),
        (f"redis://:{SECRET}@h?socket_timeout=nan", "above 0"),
        (f"redis://:{SECRET}@h?db=x", "a database number"),
        (f"redis://:{SECRET}@h?max_connections=0", "above 0"),
        (f"redis://:{SECRET}@h?ssl_cert_reqs=none", "rediss"),
        (f"redis://:{SECRET}@h?sentinel_password=x", "redis+sentinel://"),
        (f"rediss://:{SECRET}@h?ssl_cert_reqs=maybe", "none, optional or required"),
        (f"redis+cluster://:{SECRET}@h:1/3", "database 0 only"),
        (f"redis+sentinel://:{SECRET}@h:1", "names no service"),
        ("unix://run/v.sock", "three slashes"),
        ("unix:///", "three slashes"),
        (f"redis://:{SECRET}@[::1", "not a URL"),
    ],
)
async def test_a_wrong_url_is_refused_with_its_cure_and_without_the_password(url: str, cure: str) -> None:
    with pytest.raises(emq.MalformedUrl) as refused:
        await emq.connect(url)

    assert cure in str(refused.value)
    assert SECRET not in str(refused.value)
    assert SECRET not in repr(refused.value.__cause__)
