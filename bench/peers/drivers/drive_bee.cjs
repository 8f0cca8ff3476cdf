"use strict";
// bee-queue: `saveAll`, and a worker with a hundred jobs at once.

const Queue = require("bee-queue");
const { PAYLOAD, URL, counting, serve, timed } = require("./protocol.cjs");

const CALL = 1000;
const AT_ONCE = 100;

const open = (isWorker) =>
  new Queue("bench", {
    redis: { url: URL },
    isWorker,
    getEvents: false,
    sendEvents: false,
    storeJobs: false,
    removeOnSuccess: true,
  });

const fill = async (jobs) => {
  const queue = await open(false).ready();
  const took = await timed(async () => {
    for (let at = 0; at < jobs; at += CALL) {
      const some = Math.min(CALL, jobs - at);
      await queue.saveAll(Array.from({ length: some }, () => queue.createJob(PAYLOAD)));
    }
  });
  await queue.close();
  return took;
};

const drain = async (jobs) => {
  await fill(jobs);
  const { one, all } = counting(jobs);
  const queue = await open(true).ready();
  queue.process(AT_ONCE, one);
  const took = await all;
  await queue.close();
  return took;
};

serve({ enqueue: fill, drain });
