"""What an EchoMQ system expects of a queue, and where emq is stricter, with the tests that show each.

A test is named by its folder, its file and its sentence: "core/claim: an empty queue hands out nothing" is
``core/test_claim.py::test_an_empty_queue_hands_out_nothing``. `test_scenarios.py` holds both to it. Repeating jobs,
flows, streams, rate gates and cancel tokens are EchoMQ's alone (docs/echomq.md), so their scenarios are not here.
"""

from __future__ import annotations

SCENARIOS: dict[str, tuple[str, ...]] = {
    # -- one job ---------------------------------------------------------------------------------
    "The version on the server is the connector's.": (
        "core/fence: the first connection claims the version and later ones verify it",
    ),
    "A fresh row has its state, its attempts and its payload, and nothing else.": (
        "core/enqueue: a job is written with exactly its three fields",
    ),
    "A second enqueue says duplicate and changes nothing.": (
        "core/enqueue: a known id is a duplicate in whatever state",
    ),
    "An id of another kind is refused and leaves no row.": (
        "core/enqueue: an id that is no job id is refused at its place and touches nothing",
        "core/enqueue: the scripts refuse another kind themselves",
    ),
    "What waits is in the order of minting.": ("core/enqueue: a burst of thousands keeps its order",),
    "A claim hands out token 1, the payload and the state active.": (
        "core/claim: a claim is the oldest job with token 1 and a lease",
    ),
    "A wrong token is refused and the right one completes, also after the scripts were flushed.": (
        "core/settle: a token that is not the fence settles nothing",
        "core/burst_trouble: a flushed script inside a burst is healed for the items that missed it",
    ),
    "A completed job has no row and is in flight no more.": (
        "core/settle: a completed job is gone from everywhere and counted",
    ),
    "A retried job is scheduled with its error, comes back and has the next token.": (
        "core/settle: a retry schedules with its delay its error and the next token",
    ),
    "A job is dead at the cap and can be browsed in the order of minting.": (
        "core/settle: a job is dead at its last attempt and not before",
        "control/dead_letters: the dead are browsed by pages in mint order",
    ),
    "A lapsed lease is reaped and the job is claimed under token 2.": (
        "core/moving: a lapsed lease is reaped counted and wakes a worker",
        "core/claim: each claim of a job has the next token",
    ),
    "A job for later is hidden from claims until it is promoted.": (
        "core/enqueue: a job for later is scheduled and known",
        "core/moving: scheduled jobs are promoted when due and not before",
    ),
    "A poisoned job dies at its last attempt with the last error, waiting longer each time.": (
        "runtime/worker: a job that always fails is dead after its last attempt",
        "runtime/worker: failures wait longer each time up to a cap",
    ),
    "An extended lease outlives its first deadline; stale and gone ones say so.": (
        "core/extend: one lease is extended or answers with an error of its own",
    ),
    "A batch of extensions returns exactly the stale and the gone.": (
        "core/extend: the batch collects what it could not extend",
    ),
    "Lapses count: the first brings a job back, the last one lets it die.": (
        "runtime/worker: a job whose leases lapsed too often is dead without being handed out",
        "lanes/worker: lapsed leases count towards the attempts",
    ),
    # -- lanes -----------------------------------------------------------------------------------
    "Two lanes are served a, b, a, b.": (
        "lanes/claim: two lanes are served by turns the oldest of each first",
    ),
    "A paused lane is skipped, keeps its backlog, and is served once resumed.": (
        "lanes/steering: a parked lane is skipped and keeps its backlog",
    ),
    "A limit of one holds back the second claim until a completion.": (
        "lanes/steering: a limit lets so many out and the next when one is settled",
        "lanes/steering: a limit of one keeps the order of a lane",
    ),
    "Lanes tell their depth.": ("lanes/steering: depths tell of every lane that has work",),
    "A lapsed job returns to its lane.": (
        "lanes/settle: a lapsed job returns to its lane and its late holder may still settle it",
        "core/lanes_books: a reaped job returns to its lane and the lane to the rota",
    ),
    "A job that is reassigned waits in its new lane, once, and is counted there when claimed.": (
        "lanes/steering: a waiting job moves to another lane and is counted there",
    ),
    "A drained lane is gone with rows, logs and its place in the rota; its neighbours stay.": (
        "lanes/steering: a drained lane is gone with rows and logs and touches nothing else",
    ),
    "Reaping one group recovers that group alone.": (
        "lanes/steering: only the named group is reaped however many others lapsed before",
    ),
    "Weights of 3:1 give that, and the light lane is served.": (
        "lanes/fairness: weights of three to one hold over 10 000",
        "lanes/claim: weights hold whatever the size of a claim",
    ),
    "Light lanes are served within nine turns beside heavy ones, and all drain.": (
        "lanes/fairness: light lanes appear within nine turns and all drain",
    ),
    # -- batches ---------------------------------------------------------------------------------
    "A batch claim takes exactly n, the oldest, under token 1 and one deadline.": (
        "core/claim: a batch is the oldest in order under one deadline",
    ),
    "A short, an empty and a paused queue are no errors.": (
        "core/claim: an empty queue hands out nothing",
        "core/claim: a paused queue hands out nothing and takes in everything",
    ),
    "Of a batch one is retried and the others complete; it alone comes back, under token 2.": (
        "runtime/worker: a batch handler decides job by job",
    ),
    "A batch whose handler forgets one of its jobs settles the others.": (
        "runtime/worker_handlers: a wrong value in a mapping costs the others nothing",
        "runtime/worker_handlers: an id that was not given is refused and silence about a job means nothing then",
    ),
    "A batch can be of one lane, under one deadline.": (
        "lanes/claim: a turn is as many jobs as the weight all of one lane",
    ),
    "A batch from lanes respects limits: three of eight, none, then one after a completion.": (
        "lanes/steering: a limit lets so many out and the next when one is settled",
    ),
    "A batch from lanes serves the light ones early.": (
        "lanes/claim: a batch serves many lanes under one deadline",
    ),
    "A job given back for later keeps its attempts, is hidden until promoted, and has the next token.": (
        "lanes/settle: a delayed job comes back as the same attempt under the next token",
        "lanes/settle: a delayed job frees its lane and keeps its attempts",
    ),
    "The token of a job that was given back opens nothing.": (
        "lanes/settle: a token spent on a delay opens nothing",
    ),
    # -- control ---------------------------------------------------------------------------------
    "Counts are the exact sizes.": (
        "control/admin: counts are of every state lanes included in one round trip",
    ),
    "A job's state is read wherever it is; a row in no set is unknown.": (
        "control/admin: the state of a job is where it is",
        "control/admin: a row in no set is unknown and a parent of a flow waits",
    ),
    "Completions are counted from nought.": (
        "control/admin: throughput is told by two looks at the counters",
    ),
    "A paused queue hands out nothing and keeps what waits.": (
        "core/claim: a paused queue hands out nothing and takes in everything",
    ),
    "A drain removes what waits with its rows, and leaves what is in flight.": (
        "control/admin: a drain removes what waits and nothing else",
    ),
    "An obliteration is refused before a pause and leaves no key at all, lanes included.": (
        "control/admin: only a paused queue without jobs in flight is obliterated",
        "control/admin: an obliteration leaves nothing whatever there was and touches no other queue",
    ),
    "A payload can be replaced; a missing job says gone.": (
        "control/one_job: a payload is replaced and progress kept",
        "control/one_job: every verb about a job that is gone says so and makes no row",
    ),
    "Progress is kept and told.": ("control/events: progress is told and a missing job tells nothing",),
    "A log keeps its last lines in order.": ("control/one_job: a log keeps its last lines in order",),
    "A free job is removed with its deduplication key; one that is locked is not.": (
        "control/one_job: a deduplication key goes with its job and with no other",
        "control/one_job: a job that a foreign worker locked is not removed",
    ),
    "A dead job waits again, its error cleared; a live one cannot be requeued.": (
        "control/dead_letters: a requeued job waits in its lane with all its attempts before it",
        "control/dead_letters: only the dead are requeued or removed here",
    ),
    "A published event arrives, also after the listener's connection was killed.": (
        "control/events: a published event arrives with all its fields",
        "control/events: a listener outlives cut connections",
    ),
}

STRICTER: dict[str, tuple[str, ...]] = {
    "An unexpected reply inside a batch is that item's verdict.": (
        "core/burst_trouble: a full server refuses new jobs and lets held ones go on",
        "core/burst_trouble: a read only replica refuses each item for now",
        "lanes/enqueue: a key of the wrong type refuses its item and leaves no half written job",
    ),
    "Sent with an unknown outcome and never sent are different errors.": (
        "core/sent_or_not: a cut after k of n keeps the verdicts that were read and a second burst converges",
        "core/sent_or_not: a server that cannot be reached is not sent",
    ),
    "A job whose lease is lost is stopped and writes nothing.": (
        "runtime/worker_handlers: a job whose lease is lost is stopped and nothing is settled for it",
        "runtime/leases: an id in the failed list is lost once and the others go on",
    ),
    "An extension brings nothing back into flight.": (
        "core/extend: a reaped lease is never brought back and its job can be claimed",
    ),
    "A settle needs its job in flight, or waiting after a reap.": (
        "core/settle: a job that was settled otherwise is stale and leaves no ghost",
        "core/settle: a holder whose lease was reaped may still settle while the job waits",
    ),
    "A waiting id without a row is dropped and counted, never served.": (
        "core/ghosts: a member without a row is dropped counted and never served",
        "lanes/claim: members without a row are dropped and counted and never served",
    ),
    "A pause is checked inside the claim.": (
        "core/claim: a paused queue hands out nothing and takes in everything",
        "lanes/claim: a paused queue hands out nothing of its lanes",
    ),
    "One worker serves lanes and what is outside of them, reaps and promotes.": (
        "lanes/worker: one worker serves lanes and what is outside of them",
        "runtime/worker: a busy worker still reaps for the others",
        "runtime/worker: an idle worker reaps and promotes",
    ),
    "Completing and retrying a missing row both say gone.": (
        "core/settle: a second completion finds it gone",
        "control/one_job: every verb about a job that is gone says so and makes no row",
    ),
    "Delay, removal and requeueing of lane jobs are counted and placed right.": (
        "lanes/settle: a delayed job frees its lane and keeps its attempts",
        "control/one_job: a job is removed from wherever it is and the books stay right",
        "control/dead_letters: a requeued job does not slip past the limit or the pause of its lane",
        "lanes/no_leak: after any operations the books are right and an echomq node can read them",
    ),
    "Lapsed leases are counted, and the cap is the number of attempts.": (
        "core/moving: every lapse is counted",
        "lanes/worker: lapsed leases count towards the attempts",
    ),
    "A plain enqueue wakes a parked worker.": (
        "runtime/worker: a parked worker is woken by a plain enqueue",
        "lanes/worker: a parked worker wakes on new work wherever it is",
    ),
    "A queue's name is checked.": ("core/keyspace: any other queue name is refused",),
}
