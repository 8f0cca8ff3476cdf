"""The test servers themselves: each kind starts, answers, dies and comes back."""

from __future__ import annotations

from tests.servers import Kind, ServerProcess


def test_a_server_answers_and_survives_a_kill_with_its_data(own_server: ServerProcess) -> None:
    # given
    own_server.command("SET", "k", "v")
    address = own_server.url

    # when
    own_server.restart()

    # then
    kept = b"$-1\r\n" if own_server.kind is Kind.FAKEREDIS else b"$1\r\nv\r\n"
    assert own_server.command("GET", "k") == kept
    assert own_server.url == address


def test_a_server_can_be_restarted_without_its_data(own_server: ServerProcess) -> None:
    # given
    own_server.command("SET", "k", "v")

    # when
    own_server.restart(forget=True)

    # then
    assert own_server.command("GET", "k") == b"$-1\r\n"
