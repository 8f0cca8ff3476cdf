// The way to the server: acts go out one after the other, the feed comes in over a socket that comes back.

const FIRST_WAIT_MS = 150;
const LONGEST_WAIT_MS = 3_000;
const STOPPED = 1001;

/** What the server refused, as a sentence for the person. */
export class Refused extends Error {}

export class Wire {
  /** `heard(entries)`, `lost(stopped)` and `found()` are called as things happen. */
  constructor(store, { heard, lost, found }) {
    this.store = store;
    this.told = { heard, lost, found };
    this.last = Promise.resolve();
    this.wait = FIRST_WAIT_MS;
    this.stopped = false; // the server said good-bye, and did not come back yet
  }

  /** Get the whole state, and follow what happens from then on. */
  async open() {
    const response = await fetch("state");
    if (!response.ok) throw new Refused("The state could not be loaded.");
    this.store.load(await response.json());
    this.#follow();
  }

  /**
   * Ask the server for an act. Acts are sent in the order they were asked for, each after the answer to the one
   * before it: two quick taps never overtake each other.
   */
  act(name, body) {
    const next = this.last.then(() => post(name, body));
    this.last = next.catch(() => {});
    return next;
  }

  #follow() {
    const address = new URL(`events?life=${this.store.life}&after=${this.store.n}`, location.href);
    address.protocol = "ws:";
    const socket = new WebSocket(address);
    socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT_MS;
      this.stopped = false;
      this.told.found();
    });
    socket.addEventListener("message", (event) => this.#take(JSON.parse(event.data), socket));
    socket.addEventListener("close", (event) => this.#again(event.code === STOPPED));
  }

  #take(said, socket) {
    if (said.kind === "entries") return this.told.heard(said.entries);
    // Too much was missed: begin anew. The close that follows must not begin a second time.
    this.restart = true;
    socket.close();
  }

  #again(stopped) {
    if (this.restart) {
      this.restart = false;
      this.open().catch(() => this.#again(false));
      return;
    }
    this.stopped ||= stopped;
    this.told.lost(this.stopped);
    const wait = this.wait;
    this.wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    setTimeout(() => this.#follow(), wait);
  }
}

async function post(name, body) {
  let response;
  try {
    response = await fetch(`do/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Refused("The game cannot be reached; it was not sent.");
  }
  const found = response.headers.get("Content-Type")?.startsWith("application/json")
    ? await response.json()
    : {};
  if (!response.ok) throw new Refused(found.error ?? "That did not work.");
  return found;
}
