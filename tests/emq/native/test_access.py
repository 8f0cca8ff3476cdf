"""Each row is opened as the caller: who may not is told so, the server's log keeps it, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import emq
from emq.resp import ServerError
from tests.emq.native.raw import Raw
from tests.emq.native.test_commands import ONE, TWO, make, many, one
from tests.servers import ServerProcess


@pytest.fixture
def k(queue: str) -> emq.Keyspace:
    return emq.Keyspace(queue)


@pytest.fixture
def user(raw: Raw, k: emq.Keyspace) -> Iterator[str]:
    """A user who may write the active set, and do with rows what a test allows."""
    raw.ask("ACL", "SETUSER", k.queue, "reset", "on", ">secret", "+@all", f"~{k.active}", f"~{k.base}")
    yield k.queue
    raw.ask("ACL", "DELUSER", k.queue)


def denials(raw: Raw, user: str) -> list[tuple[bytes, bytes, bytes]]:
    """(reason, context, object) of the log's entries about a user, newest first."""
    found = []
    for entry in raw.ask("ACL", "LOG"):
        fields = dict(zip(entry[::2], entry[1::2], strict=True))
        if fields[b"username"] == user.encode():
            found.append((fields[b"reason"], fields[b"context"], fields[b"object"]))
    return found


@pytest.mark.parametrize("rights", [[], ["%R~{}job:*"]], ids=["no rights on rows", "may only read rows"])
def test_a_caller_who_may_not_write_rows_is_refused_logged_and_changes_nothing(
    raw: Raw, shared: ServerProcess, k: emq.Keyspace, user: str, rights: list[str]
) -> None:
    # given two live leases
    make(raw, k, ONE)
    make(raw, k, TWO)
    for right in rights:
        assert raw.ask("ACL", "SETUSER", user, right.format(k.base)) == b"OK"

    # when a caller without the rights extends them
    with Raw(shared.socket_path, user=user) as caller:
        reply = caller.ask(*many(k, ONE, "1", TWO, "1"))

    # then it is told, the log knows which row, and nothing changed
    assert isinstance(reply, ServerError)
    assert reply.code == "NOPERM"
    assert denials(raw, user)[0] == (b"key", b"module", k.job(ONE).encode())
    assert raw.ask("ZMSCORE", k.active, ONE, TWO) == [b"5", b"5"]
    assert raw.ask("HGET", k.job(ONE), "lease_epoch") is None


def test_one_row_out_of_reach_refuses_all(
    raw: Raw, shared: ServerProcess, k: emq.Keyspace, user: str
) -> None:
    make(raw, k, ONE)
    make(raw, k, TWO)
    raw.ask("ACL", "SETUSER", user, f"~{k.job(ONE)}", f"%R~{k.job(TWO)}")

    with Raw(shared.socket_path, user=user) as caller:
        assert caller.ask(*many(k, ONE, "1", TWO, "1")).code == "NOPERM"
        assert raw.ask("ZMSCORE", k.active, ONE, TWO) == [b"5", b"5"]
        assert denials(raw, user)[0][2] == k.job(TWO).encode()

        # what will not be written needs no right to write
        assert caller.ask(*many(k, ONE, "1", TWO, "9")) == [TWO.encode()]
        assert caller.ask(*one(k, ONE)) == 1


def test_a_row_the_caller_may_write_but_not_read_is_refused(
    raw: Raw, shared: ServerProcess, k: emq.Keyspace, user: str
) -> None:
    make(raw, k, ONE)
    raw.ask("ACL", "SETUSER", user, f"%W~{k.base}job:*")

    with Raw(shared.socket_path, user=user) as caller:
        assert caller.ask(*many(k, ONE, "1")).code == "NOPERM"

    assert raw.ask("ZSCORE", k.active, ONE) == b"5"


def test_the_declared_keys_and_the_command_itself_are_the_servers_to_guard(
    raw: Raw, shared: ServerProcess, k: emq.Keyspace, user: str
) -> None:
    make(raw, k, ONE)
    raw.ask("ACL", "SETUSER", user, f"~{k.base}job:*")

    with Raw(shared.socket_path, user=user) as caller:
        assert caller.ask(*many(k, ONE, "1")) == []
        raw.ask("ACL", "SETUSER", user, "resetkeys", f"~{k.base}job:*", f"%R~{k.active}", f"~{k.base}")
        assert caller.ask(*many(k, ONE, "1")).code == "NOPERM"
        raw.ask("ACL", "SETUSER", user, "allkeys", "-emq.extends")
        reply = caller.ask(*many(k, ONE, "1"))
        assert (reply.code, "emq.extends" in reply.message) == ("NOPERM", True)
        assert caller.ask(*one(k, ONE)) == 1


def test_a_thousand_calls_leave_the_user_as_it_was(
    raw: Raw, shared: ServerProcess, k: emq.Keyspace, user: str
) -> None:
    make(raw, k, ONE)
    raw.ask("ACL", "SETUSER", user, f"~{k.base}job:*")
    rules = raw.ask("ACL", "GETUSER", user)

    with Raw(shared.socket_path, user=user) as caller:
        assert caller.flush([one(k, ONE)] * 1_000) == [1] * 1_000

        assert caller.ask("ACL", "WHOAMI") == user.encode()
    assert raw.ask("ACL", "GETUSER", user) == rules
