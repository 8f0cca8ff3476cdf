"""The native commands, word by word: what they answer, what they write, and what they refuse."""

from __future__ import annotations

import re

import pytest

import emq
from emq import native
from emq.resp import ServerError, Word
from tests.emq.native.raw import Raw
from tests.emq.native.states import ODD_LEASES, told

ONE, TWO, THREE = (f"JOB0KHTOWnGLu{at}" for at in "ABC")


@pytest.fixture
def k(queue: str) -> emq.Keyspace:
    return emq.Keyspace(queue)


def make(raw: Raw, k: emq.Keyspace, id: str, fence: str = "1", *, active: bool = True) -> None:
    raw.ask("HSET", k.job(id), "state", "active", "attempts", fence, "payload", "x")
    if active:
        raw.ask("ZADD", k.active, 5, id)


def one(k: emq.Keyspace, id: str, fence: Word = "1", lease: Word = "5000") -> tuple[Word, ...]:
    return ("EMQ.EXTEND", "2", k.active, k.job(id), id, fence, lease)


def many(k: emq.Keyspace, *pairs: Word, lease: Word = "5000") -> tuple[Word, ...]:
    return ("EMQ.EXTENDS", "2", k.active, k.base, lease, *pairs)


def test_one_lease_is_extended_or_answers_for_itself(raw: Raw, k: emq.Keyspace) -> None:
    make(raw, k, ONE)
    make(raw, k, TWO, active=False)
    before = raw.now_ms()

    assert raw.ask(*one(k, ONE)) == 1
    assert before + 5000 <= int(raw.ask("ZSCORE", k.active, ONE)) <= raw.now_ms() + 5000
    assert raw.ask(*one(k, THREE)) == -1
    assert told(raw.ask(*one(k, ONE, "2"))) == "!EMQSTALE"
    assert told(raw.ask(*one(k, TWO))) == "!EMQIDLE"


def test_the_failed_come_back_in_input_order_with_their_repeats_and_the_live_end_together(
    raw: Raw, k: emq.Keyspace
) -> None:
    make(raw, k, ONE)
    make(raw, k, TWO)
    make(raw, k, THREE, active=False)

    failed = raw.ask(*many(k, "x", "1", ONE, "1", THREE, "1", TWO, "2", TWO, "1", "x", "1", ONE, "1"))

    assert failed == [b"x", THREE.encode(), TWO.encode(), b"x"]
    assert raw.ask("ZSCORE", k.active, ONE) == raw.ask("ZSCORE", k.active, TWO)
    assert raw.ask("ZSCORE", k.active, THREE) is None
    assert raw.ask("EXISTS", k.row + "x") == 0


def test_an_extended_row_carries_the_run_id_of_the_server_and_is_written_only_when_that_is_new(
    raw: Raw, k: emq.Keyspace
) -> None:
    make(raw, k, ONE)
    make(raw, k, TWO)
    raw.ask("HSET", k.job(TWO), "lease_epoch", "of another server")

    for _ in range(3):
        assert raw.ask(*many(k, ONE, "1", TWO, "1")) == []
    assert raw.ask(*one(k, ONE)) == 1

    assert raw.ask("HGET", k.job(ONE), "lease_epoch") == raw.run_id()
    assert raw.ask("HGET", k.job(TWO), "lease_epoch") == raw.run_id()
    raw.ask("CONFIG", "RESETSTAT")
    assert raw.ask(*many(k, ONE, "1", TWO, "1")) == []
    assert b"cmdstat_hset" not in raw.ask("INFO", "commandstats")


def test_a_row_that_is_not_extended_is_not_touched(raw: Raw, k: emq.Keyspace) -> None:
    make(raw, k, ONE)
    make(raw, k, TWO, active=False)

    assert raw.ask(*many(k, ONE, "2", TWO, "1")) == [ONE.encode(), TWO.encode()]

    assert raw.ask("HGET", k.job(ONE), "lease_epoch") is None
    assert raw.ask("HGET", k.job(TWO), "lease_epoch") is None
    assert raw.ask("ZSCORE", k.active, ONE) == b"5"


@pytest.mark.parametrize("lease", ODD_LEASES)
def test_a_lease_is_digits_and_nothing_else(raw: Raw, k: emq.Keyspace, lease: Word) -> None:
    make(raw, k, ONE)

    assert told(raw.ask(*one(k, ONE, "1", lease))) == "!EMQARG"
    assert told(raw.ask(*many(k, ONE, "1", lease=lease))) == "!EMQARG"
    assert raw.ask("ZSCORE", k.active, ONE) == b"5"


@pytest.mark.parametrize("token", ["01", "1.0", " 1", "1e0", "", "1\x00"])
def test_a_token_is_compared_as_text(raw: Raw, k: emq.Keyspace, token: str) -> None:
    make(raw, k, ONE)

    assert told(raw.ask(*one(k, ONE, token))) == "!EMQSTALE"
    assert raw.ask(*many(k, ONE, token)) == [ONE.encode()]


def test_a_wrong_number_of_arguments_is_refused_and_an_unpaired_id_is_one(raw: Raw, k: emq.Keyspace) -> None:
    make(raw, k, ONE)

    for words in (
        ("EMQ.EXTENDS",), ("EMQ.EXTENDS", "2"), ("EMQ.EXTENDS", "2", k.active), many(k)[:-1], many(k, ONE),
        many(k, ONE, "1", TWO), ("EMQ.EXTEND",), one(k, ONE)[:-1], (*one(k, ONE), "x"),
    ):  # fmt: skip
        reply = raw.ask(*words)
        assert reply == ServerError("ERR", f"{words[0]} wrong number of arguments")
    assert raw.ask("ZSCORE", k.active, ONE) == b"5"
    assert raw.ask(*many(k)) == []


def test_a_shape_that_is_not_its_own_is_refused(raw: Raw, k: emq.Keyspace) -> None:
    make(raw, k, ONE)
    other = emq.Keyspace(k.queue + ".other")

    for words in (
        ("EMQ.EXTENDS", "1", *many(k, ONE, "1")[2:]),
        ("EMQ.EXTENDS", "02", *many(k, ONE, "1")[2:]),
        ("EMQ.EXTENDS", "2", k.pending, k.base, "5000", ONE, "1"),
        ("EMQ.EXTENDS", "2", other.active, k.base, "5000", ONE, "1"),
        ("EMQ.EXTENDS", "2", k.active, k.base[:-1], "5000", ONE, "1"),
        ("EMQ.EXTENDS", "2", k.base, k.active, "5000", ONE, "1"),
        ("EMQ.EXTEND", "3", *one(k, ONE)[2:]),
        ("EMQ.EXTEND", "2", k.active, other.job(ONE), ONE, "1", "5000"),
        ("EMQ.EXTEND", "2", k.active, k.job(TWO), ONE, "1", "5000"),
        ("EMQ.EXTEND", "2", k.pending, k.job(ONE), ONE, "1", "5000"),
        ("EMQ.EXTEND", "2", "", k.job(ONE), ONE, "1", "5000"),
    ):
        assert told(raw.ask(*words)) == "!EMQARG", words
    assert raw.ask("ZSCORE", k.active, ONE) == b"5"


def test_one_key_that_is_no_row_refuses_all_and_nothing_is_written(raw: Raw, k: emq.Keyspace) -> None:
    make(raw, k, ONE)
    raw.ask("SET", k.job(TWO), "x")

    assert told(raw.ask(*many(k, ONE, "1", TWO, "1"))) == "!WRONGTYPE"
    assert told(raw.ask(*one(k, TWO))) == "!WRONGTYPE"

    assert raw.ask("ZSCORE", k.active, ONE) == b"5"
    assert raw.ask("HGET", k.job(ONE), "lease_epoch") is None


def test_an_active_set_that_is_none_refuses_all(raw: Raw, k: emq.Keyspace) -> None:
    make(raw, k, ONE, active=False)
    raw.ask("SET", k.active, "x")

    assert told(raw.ask(*many(k, ONE, "1"))) == "!WRONGTYPE"
    assert told(raw.ask(*one(k, ONE))) == "!WRONGTYPE"
    assert raw.ask(*many(k)) == []


def test_no_script_and_no_function_may_call_them(raw: Raw, k: emq.Keyspace) -> None:
    make(raw, k, ONE)

    for words in (many(k, ONE, "1"), one(k, ONE)):
        reply = raw.ask("EVAL", "return redis.call(unpack(ARGV))", "2", k.active, k.base, *words)
        assert isinstance(reply, ServerError)
        assert "not allowed from script" in reply.message
    assert raw.ask("ZSCORE", k.active, ONE) == b"5"


def test_their_keys_are_the_second_and_third_word_whatever_comes_after(raw: Raw, k: emq.Keyspace) -> None:
    for words in (many(k, ONE, "1", TWO, "1"), one(k, ONE)):
        assert raw.ask("COMMAND", "GETKEYS", *words) == [str(word).encode() for word in words[2:4]]
    for info in raw.ask("COMMAND", "INFO", "EMQ.EXTEND", "EMQ.EXTENDS"):
        name, _, flags, first, last, step = info[:6]
        assert (first, last, step) == (2, 3, 1)
        assert {b"write", b"noscript"} <= {bytes(flag) for flag in flags}
        assert (b"fast" in {bytes(flag) for flag in flags}) == (name == b"emq.extend")


def test_they_take_part_in_transactions_and_watches(raw: Raw, shared, k: emq.Keyspace) -> None:
    make(raw, k, ONE)

    replies = raw.flush([("MULTI",), many(k, ONE, "1"), one(k, ONE), one(k, TWO), ("EXEC",)])
    assert replies[-1] == [[], 1, -1]

    with Raw(shared.socket_path) as other:
        raw.flush([("WATCH", k.active), ("MULTI",), ("PING",)])
        other.ask(*many(k, ONE, "1", lease="7000"))
        assert raw.ask("EXEC") is None


def test_keyspace_events_tell_of_the_rescoring_and_of_the_stamp(raw: Raw, shared, k: emq.Keyspace) -> None:
    make(raw, k, ONE)
    raw.ask("CONFIG", "SET", "notify-keyspace-events", "KA")
    with Raw(shared.socket_path) as listener:
        listener.ask("PSUBSCRIBE", f"__keyspace@0__:{k.base}*")

        raw.ask(*many(k, ONE, "1"))

        first = listener.flush([("PING",)])
        second = listener.flush([("PING",)])
        events = {
            message[3]
            for message in (*first, *second)
            if isinstance(message, list) and message[0] == b"pmessage"
        }
        assert events == {b"zadd", b"hset"}
    raw.ask("CONFIG", "SET", "notify-keyspace-events", "")


def test_odd_bytes_in_ids_are_carried_through(raw: Raw, k: emq.Keyspace) -> None:
    odd = [b"", b"\x00", b"a\x00b", b"\xff" * 300, b"{x}", b"\r\n"]
    for id in odd[:3]:
        raw.ask("HSET", k.row.encode() + id, "attempts", "1")
        raw.ask("ZADD", k.active, 5, id)

    assert raw.ask(*many(k, *(word for id in odd for word in (id, "1")))) == odd[3:]
    assert [int(score) > 5 for score in raw.ask("ZMSCORE", k.active, *odd[:3])] == [True] * 3


def test_ten_thousand_leases_in_one_call(raw: Raw, k: emq.Keyspace) -> None:
    ids = [f"JOB{at:011}" for at in range(10_000)]
    raw.flush([("HSET", k.job(id), "attempts", "1") for id in ids])
    raw.ask("ZADD", k.active, *(word for id in ids for word in (5, id)))

    assert raw.ask(*many(k, *(word for id in ids for word in (id, "1")))) == []

    first = raw.ask("ZSCORE", k.active, ids[0])
    assert raw.ask("ZCOUNT", k.active, first, first) == 10_000


def test_the_deadline_is_counted_from_the_time_that_the_server_reports(
    raw: Raw, k: emq.Keyspace, kind
) -> None:
    make(raw, k, ONE)

    replies = raw.flush(
        [("MULTI",), ("TIME",), many(k, ONE, "1"), ("ZSCORE", k.active, ONE), ("TIME",), ("EXEC",)]
    )

    first, _, score, last = replies[-1]
    times = [int(seconds) * 1000 + int(micros) // 1000 for seconds, micros in (first, last)]
    assert times[0] + 5000 <= int(score) <= times[1] + 5000


def test_the_head_of_the_source_and_the_page_name_every_error_that_it_can_give() -> None:
    text = native.source().read_text()
    head, _, code = text.partition("*/")
    page = (native.source().parents[1] / "docs" / "native.md").read_text()

    given = set(re.findall(r'"(ERR|EMQ[A-Z]+|NOPERM|WRONGTYPE) ', code))

    assert given == set(re.findall(r"\b(ERR|EMQ[A-Z]+|NOPERM|WRONGTYPE)\b", head))
    assert given <= set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
