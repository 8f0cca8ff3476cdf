"use strict";
// What every driver in JavaScript is made of: JSON lines in, JSON lines out. See protocol.py.

const readline = require("node:readline");

exports.URL = process.argv[2];
exports.PAYLOAD = "x".repeat(100);

/** A handler that counts, and a promise of the seconds from the first job to the last. */
exports.counting = (jobs) => {
  let done = 0;
  let began;
  let tell;
  const all = new Promise((resolve) => {
    tell = resolve;
  });
  const one = async () => {
    done += 1;
    if (done === 1) began = performance.now();
    if (done === jobs) tell((performance.now() - began) / 1000);
  };
  return { one, all };
};

/** How long some work takes, in seconds. */
exports.timed = async (work) => {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
};

/** Answer until the input ends; a verb is a function from a number of jobs to a promise of seconds, or of a text. */
exports.serve = async (verbs) => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const asked = JSON.parse(line);
    let answer;
    if (!(asked.do in verbs)) {
      answer = { missing: "there is nothing like it" };
    } else {
      try {
        const found = await verbs[asked.do](asked.jobs);
        answer = typeof found === "string" ? { text: found } : { seconds: found };
      } catch (error) {
        console.error(error);
        answer = { error: String(error) };
      }
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
};
