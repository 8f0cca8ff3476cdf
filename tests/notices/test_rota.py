"""Whose turn it is, and how long an outage is waited out."""

from __future__ import annotations

from codemojex.notices.budgets import Budgets
from codemojex.notices.outage import Outage
from codemojex.notices.rota import Rota, backoff_s
from tests.notices.desk import UNLIMITED


def test_chats_have_their_turns_in_the_order_they_came() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([3, 1, 2, 1])

    # when
    order = [rota.next(0.0) for _ in range(4)]

    # then
    assert order == [3, 1, 2, None]


def test_a_chat_has_one_turn_at_a_time_and_another_when_it_was_woken_meanwhile() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1])
    assert rota.next(0.0) == 1

    # when
    rota.wake([1])

    # then
    assert rota.next(0.0) is None
    rota.done(1, 0.0, spent=True, more=False)
    assert rota.next(0.0) == 1
    rota.done(1, 0.0, spent=True, more=False)
    assert rota.next(0.0) is None
    assert rota.waiting() == 0


def test_a_chat_with_more_to_say_goes_behind_those_that_wait() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1, 2])
    assert rota.next(0.0) == 1

    # when
    rota.done(1, 0.0, spent=True, more=True)

    # then
    assert [rota.next(0.0), rota.next(0.0)] == [2, 1]


def test_a_held_chat_comes_back_by_itself_when_its_time_has_come() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1, 2])
    rota.hold(1, 30.0)

    # when / then
    assert [rota.next(0.0), rota.next(0.0)] == [2, None]
    rota.wake([1])
    assert rota.next(29.9) is None
    assert rota.next_at() == 30.0
    assert rota.next(30.0) == 1


def test_a_turn_that_sent_nothing_is_given_back_to_the_budgets() -> None:
    # given
    rota = Rota(Budgets())
    for _ in range(20):
        rota.wake([1])
        assert rota.next(0.0) == 1

        # when
        rota.done(1, 0.0, spent=False, more=False)

    # then
    rota.wake([1])
    assert rota.next(0.0) == 1


def test_ids_beyond_the_bound_are_left_to_the_database() -> None:
    # given
    rota = Rota(UNLIMITED, bound=2)

    # when
    rota.wake(range(1, 100))

    # then
    assert rota.waiting() == 2
    assert rota.overflowed


def test_a_chat_that_is_to_be_looked_at_again_comes_back_by_itself() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1])
    assert rota.next(0.0) == 1

    # when
    rota.done(1, 0.0, spent=True, more=False, again_at=3.0)

    # then
    assert rota.next(2.9) is None
    assert rota.next_at() == 3.0
    assert rota.next(3.0) == 1
    rota.done(1, 3.0, spent=True, more=False)
    assert rota.waiting() == 0


def test_a_wake_brings_forward_what_is_to_be_looked_at_again_and_nothing_comes_twice() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1])
    rota.next(0.0)
    rota.done(1, 0.0, spent=True, more=False, again_at=3.0)

    # when
    rota.wake([1])

    # then
    assert rota.next(0.0) == 1
    rota.done(1, 0.0, spent=True, more=False)
    assert rota.next(10.0) is None
    assert rota.waiting() == 0


def test_a_wake_does_not_bring_forward_a_chat_that_may_not_be_written_to() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1])
    rota.next(0.0)
    rota.hold(1, 30.0)
    rota.done(1, 0.0, spent=True, more=False, again_at=3.0)

    # when
    rota.wake([1])

    # then
    assert rota.next(29.9) is None
    assert rota.next(30.0) == 1


def test_a_chat_with_another_id_has_what_was_spent_and_waited_for_under_the_old_one() -> None:
    # given
    rota = Rota(Budgets(overall=UNLIMITED.overall))
    for _ in range(5):
        rota.wake([-1])
        assert rota.next(0.0) == -1
        rota.done(-1, 0.0, spent=True, more=False)

    # when
    rota.move(-1, -2, 0.0)

    # then
    assert rota.next(3.9) is None
    assert rota.next(4.0) == -2


def test_a_chat_that_moves_on_and_on_waits_longer_each_time() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([-1])

    # when
    times, now = [], 0.0
    for chat_id in range(-1, -5, -1):
        while rota.next(now) is None:
            now = rota.next_at() or now
        times.append(now)
        rota.move(chat_id, chat_id - 1, now)
        rota.done(chat_id, now, spent=True, more=False)

    # then
    assert times == [0.0, 0.0, 2.0, 6.0]


def test_a_spare_request_is_counted_and_there_is_none_where_it_would_be_missed() -> None:
    # given
    rota = Rota(Budgets())
    rota.wake([-1])
    rota.next(0.0)
    rota.done(-1, 0.0, spent=True, more=False)

    # when / then
    assert rota.spare(-1, 1.0)
    assert not rota.spare(-1, 1.0)
    assert rota.spare(-1, 8.0)
    rota.wake([7])
    assert not rota.spare(-2, 8.0)
    assert rota.next(8.0) == 7
    assert rota.spare(-2, 9.0)
    rota.hold(-3, 20.0)
    assert not rota.spare(-3, 9.0)


def test_what_is_remembered_of_quiet_chats_is_forgotten() -> None:
    # given
    rota = Rota(UNLIMITED)

    # when
    for chat_id in range(1, 20_000):
        now = float(chat_id)
        rota.wake([chat_id])
        rota.next(now)
        rota.done(chat_id, now, spent=True, more=False)

    # then
    assert len(rota._chats) < 3_000


def test_waiting_grows_with_each_failure_to_a_minute() -> None:
    assert [backoff_s(n) for n in (0, 1, 2, 5, 6, 100)] == [1.0, 2.0, 4.0, 32.0, 60.0, 60.0]


def test_failures_of_one_round_count_as_one_outage() -> None:
    # given
    outage = Outage("Telegram")

    # when
    for _ in range(5):
        outage.failed(0.0, "ConnectError")

    # then
    assert outage.over_at == 1.0
    outage.failed(1.0, "ConnectError")
    assert outage.over_at == 3.0
    outage.answered()
    assert not outage.on
