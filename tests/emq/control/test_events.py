"""Events: told by hosts after the verdict, always valid JSON, heard by whoever listens, over broken connections too."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

import pytest

import emq
from emq.ears import Ear
from emq.events import packed, unpacked
from tests.emq.core.makers import ids
from tests.emq.lanes.books import A, fill
from tests.emq.runtime.conftest import enqueued, until
from tests.emq.runtime.working import running
from tests.proxy import FaultProxy
from tests.servers import ServerProcess


class Listener:
    """Gathers the events of a queue while it is open."""

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        self._events = emq.Events(conn, queue)
        self.ready = asyncio.Event()
        self.heard: list[emq.Event] = []

    async def run(self) -> None:
        async for event in self._events.listen(ready=self.ready):
            self.heard.append(event)


@contextlib.asynccontextmanager
async def listening(conn: emq.Connector, queue: str) -> AsyncIterator[Listener]:
    """A listener whose subscription stands; what it raises is raised here."""
    listener = Listener(conn, queue)
    task = asyncio.create_task(listener.run())
    try:
        async with asyncio.timeout(60):
            await listener.ready.wait()
        yield listener
    finally:
        task.cancel()
        (end,) = await asyncio.gather(task, return_exceptions=True)
        if not isinstance(end, asyncio.CancelledError):
            raise AssertionError(f"the listener ended: {end!r}")


@pytest.mark.parametrize("protocol", [2, 3])
async def test_a_published_event_arrives_with_all_its_fields(
    server_url: str, queue: str, protocol: int
) -> None:
    id = emq.mint("JOB")
    async with (
        await emq.connect(f"{server_url}&protocol={protocol}") as conn,
        listening(conn, queue) as listener,
    ):
        await emq.Events(conn, queue).publish("completed", id, {"by": 'me "\\\n\x00 🍎'})

        await until(lambda: len(listener.heard) == 1)

    assert listener.heard == [emq.Event("completed", id, {"by": 'me "\\\n\x00 🍎'})]


@pytest.mark.parametrize("text", ["plain", 'a "quoted" \\ line\nand another', "\x00\x1f", "🍎", "\ud800", ""])
def test_an_event_is_valid_json_whatever_its_fields_hold(text: str) -> None:
    event = emq.Event("failed", "JOB0KHTOWnGLuA", {"error": text})

    travelling = packed(event)

    assert list(json.loads(travelling)) == ["event", "job", "error"]
    assert travelling.startswith('{"event":"failed","job":"JOB0KHTOWnGLuA"')
    assert "\n" not in travelling
    assert unpacked(travelling.encode()) == event


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"event":"progress","progress":"5","job":"JOB0KHTOWnGLuA"}', ("progress", {"progress": "5"})),
        (b'{"event":"failed","job":"JOB0KHTOWnGLuA","error":"two\nlines"}', ("failed", {})),
        (b'{"event":"completed","job":"JOB0KHTOWnGLuA","n":7}', ("completed", {"n": "7"})),
    ],
)
def test_events_of_foreign_publishers_are_read_as_far_as_they_go(
    data: bytes, expected: tuple[str, dict[str, str]]
) -> None:
    assert unpacked(data) == emq.Event(expected[0], "JOB0KHTOWnGLuA", expected[1])


@pytest.mark.parametrize("data", [b"", b"nonsense", b"[1,2]", b'{"job":"x"}', b"\xff\xfe", b'{"event":5}'])
def test_what_is_no_event_is_passed_over(data: bytes) -> None:
    assert unpacked(data) is None


async def test_a_worker_tells_what_its_jobs_came_to(
    conn: emq.Connector, lanes: emq.Lanes, jobs: emq.Jobs, queue: str
) -> None:
    # given four jobs of different fates
    done, later, again, hopeless = await enqueued(jobs, 4)

    async def handle(job: emq.HeldJob) -> None:
        if job.id == later:
            raise emq.Later(60_000)
        if job.id == again:
            raise emq.Again(60_000, error='not "now"')
        if job.id == hopeless:
            raise emq.Dead("never")

    # when somebody listens
    async with listening(conn, queue) as listener, running(emq.Worker(conn, queue, each=handle)):
        await until(lambda: len(listener.heard) == 4)

    # then each end is told once, after the server agreed
    told = {event.job: (event.name, dict(event.fields)) for event in listener.heard}
    assert told == {
        done: ("completed", {}),
        later: ("delayed", {"delay_ms": "60000"}),
        again: ("failed", {"outcome": "scheduled", "error": 'not "now"'}),
        hopeless: ("failed", {"outcome": "dead", "error": "never"}),
    }


async def test_a_job_that_was_somebody_elses_is_not_told_of(
    conn: emq.Connector, lanes: emq.Lanes, queue: str
) -> None:
    # given a job that is removed while it is worked on, and one that is not
    gone, stays = await fill(lanes, A, 2)
    admin = emq.Admin(conn, queue)

    async def handle(job: emq.HeldJob) -> None:
        if job.id == gone:
            await admin.remove(gone)

    async with listening(conn, queue) as listener:
        options = emq.WorkerOptions(concurrency=1)
        async with running(emq.Worker(conn, queue, each=handle, options=options)) as worker:
            await until(lambda: worker.stats.gone == 1 and worker.stats.completed == 1)
            await until(lambda: len(listener.heard) == 1)

    assert [(event.name, event.job) for event in listener.heard] == [("completed", stays)]


async def test_a_worker_tells_nothing_when_it_is_told_not_to_or_nobody_listens(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[object] = []

    async def keep(self: emq.Events, events: object) -> None:
        published.append(events)

    monkeypatch.setattr(emq.Events, "publish_many", keep)

    async def handle(job: emq.HeldJob) -> None:
        return None

    # nobody listens
    await enqueued(jobs, 3)
    async with running(emq.Worker(conn, queue, each=handle)) as worker:
        await until(lambda: worker.stats.completed == 3)
    assert published == []

    # it is told not to
    async with listening(conn, queue):
        await enqueued(jobs, 3)
        silent = emq.Worker(conn, queue, each=handle, options=emq.WorkerOptions(events=False))
        async with running(silent) as worker:
            await until(lambda: worker.stats.completed == 3)
        assert published == []

        # somebody listens
        await enqueued(jobs, 3)
        async with running(emq.Worker(conn, queue, each=handle)):
            await until(lambda: len(published) > 0)


async def test_progress_is_told_and_a_missing_job_tells_nothing(
    conn: emq.Connector, admin: emq.Admin, jobs: emq.Jobs, queue: str
) -> None:
    (id,) = await enqueued(jobs, 1)
    async with listening(conn, queue) as listener:
        with pytest.raises(emq.Gone):
            await admin.update_progress(ids(1)[0], "50 %")
        await admin.update_progress(id, "50 %")
        await until(lambda: len(listener.heard) == 1)

    assert listener.heard == [emq.Event("progress", id, {"progress": "50 %"})]


async def test_an_event_about_no_job_is_refused(conn: emq.Connector, queue: str) -> None:
    with pytest.raises(emq.MalformedId):
        await emq.Events(conn, queue).publish("completed", "nobody")


async def test_a_listener_outlives_cut_connections(redis7_url: str, queue: str) -> None:
    # given a listener behind a proxy, and a publisher that is not
    async with FaultProxy(redis7_url) as proxy, await emq.connect(redis7_url) as direct:  # noqa: SIM117
        async with await emq.connect(proxy.url) as conn, listening(conn, queue) as listener:
            events, one, two = emq.Events(direct, queue), *ids(2)
            await events.publish("completed", one)
            await until(lambda: len(listener.heard) == 1)

            # when the line is cut, and nothing can be heard for a while
            listener.ready.clear()
            proxy.cut()
            async with asyncio.timeout(60):
                await listener.ready.wait()

            # then it listens again by itself
            await events.publish("completed", two)
            await until(lambda: len(listener.heard) == 2)

    assert [event.job for event in listener.heard] == [one, two]


async def test_a_listener_lives_through_a_server_that_is_killed(
    own_real_server: ServerProcess, queue: str
) -> None:
    async with await emq.connect(own_real_server.url) as conn, listening(conn, queue) as listener:
        listener.ready.clear()
        own_real_server.restart()
        async with asyncio.timeout(60):
            await listener.ready.wait()

        await emq.Events(conn, queue).publish("completed", emq.mint("JOB"))
        await until(lambda: len(listener.heard) == 1)


async def test_a_listener_of_a_closed_connector_is_told(server_url: str, queue: str) -> None:
    conn = await emq.connect(server_url)
    listener = Listener(conn, queue)
    task = asyncio.create_task(listener.run())
    await listener.ready.wait()

    await conn.close()

    with pytest.raises(emq.Closed):
        await asyncio.wait_for(task, 60)


async def test_a_line_that_is_dead_without_a_word_is_found_out(
    own_real_server: ServerProcess, queue: str
) -> None:
    # given a subscription that wants a sign of life each 50 ms
    async with await emq.connect(own_real_server.url) as conn:
        server = await conn._topology.server(0)
        ear = Ear(server, await server.take(), beat_s=0.05)
        await ear.subscribe(emq.Keyspace(queue).events, 60)

        # when the server is there and answers nothing
        own_real_server.pause()
        try:
            assert await asyncio.wait_for(ear.next(), 60) is None
        finally:
            own_real_server.resume()
            await ear.aclose()


async def test_signs_of_life_are_no_events(own_real_server: ServerProcess, queue: str) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        server = await conn._topology.server(0)
        ear = Ear(server, await server.take(), beat_s=2)
        await ear.subscribe(emq.Keyspace(queue).events, 60)
        await asyncio.sleep(4.8)  # two signs of life
        await emq.Events(conn, queue).publish("completed", emq.mint("JOB"))

        assert b"completed" in (await asyncio.wait_for(ear.next(), 60) or b"")
        await ear.aclose()


async def test_a_slow_listener_misses_the_oldest_and_no_memory_grows(redis7_url: str, queue: str) -> None:
    async with await emq.connect(redis7_url) as conn:
        ear = await conn.listen(emq.Keyspace(queue).events)
        events = emq.Events(conn, queue)
        many = [emq.Event("completed", id) for id in ids(10_500)]
        await events.publish_many(many)
        await until(lambda: len(ear._messages) == 10_000)

        first = unpacked(await ear.next() or b"")
        await ear.aclose()

    assert first is not None
    assert first.job > many[0].job


async def test_trouble_with_publishing_troubles_nobody(own_real_server: ServerProcess, queue: str) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        events = emq.Events(conn, queue)
        own_real_server.kill()

        await events.publish("completed", emq.mint("JOB"))
        assert await events.heard() is True
        own_real_server.start()
