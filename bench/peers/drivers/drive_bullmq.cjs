"use strict";
// BullMQ: `addBulk`, and a worker with a hundred jobs at once.

const { Queue, Worker } = require("bullmq");
const { extendLocks } = require("bullmq/dist/cjs/scripts/extendLocks-1");
const Redis = require("ioredis");
const { PAYLOAD, URL, counting, serve, timed } = require("./protocol.cjs");

const CALL = 1000;
const AT_ONCE = 100;

const dial = () => new Redis(URL, { maxRetriesPerRequest: null });

const fill = async (jobs) => {
  const connection = dial();
  const queue = new Queue("bench", { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  const took = await timed(async () => {
    for (let at = 0; at < jobs; at += CALL) {
      const some = Math.min(CALL, jobs - at);
      await queue.addBulk(Array.from({ length: some }, () => ({ name: "noop", data: PAYLOAD })));
    }
  });
  await queue.close();
  connection.disconnect();
  return took;
};

const drain = async (jobs) => {
  await fill(jobs);
  const { one, all } = counting(jobs);
  const connection = dial();
  const worker = new Worker("bench", one, { connection, concurrency: AT_ONCE });
  const took = await all;
  await worker.close();
  connection.disconnect();
  return took;
};

const extend = async (jobs) => {
  await fill(jobs);
  const connection = dial();
  const worker = new Worker("bench", null, { connection });
  await worker.waitUntilReady();
  const ids = [];
  for (let at = 0; at < jobs; at += 1) {
    ids.push((await worker.getNextJob("mine")).id);
  }
  const tokens = ids.map(() => "mine");
  let lost;
  const took = await timed(async () => {
    lost = await worker.extendJobLocks(ids, tokens, 30000);
  });
  await worker.close(true);
  connection.disconnect();
  if (lost.length) throw new Error(`${lost.length} locks were lost`);
  return took;
};

serve({ enqueue: fill, drain, extend, script: async () => extendLocks.content });
