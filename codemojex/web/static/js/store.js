// What the page knows: people, chats, who one is and where, what was read. Views listen for "change" events.

const READ = "codemojex.read";
const WAIT_MS = 15_000;

export class Store extends EventTarget {
  constructor() {
    super();
    this.bot = { id: 0, name: "", username: "" };
    this.people = new Map();
    this.chats = new Map();
    this.symbols = { names: {}, keys: [] };
    this.me = null; // id of the chosen person
    this.here = null; // id of the open chat
    this.life = ""; // the run of the server that numbers its feed
    this.n = 0; // the last entry of the server's feed that is in here
    this.waiting = new Map(); // press -> {chat, message, data}
    this.answers = new Map(); // answers that came before the page knew the name of its press
    this.read = recall();
  }

  /** Take over the whole state. */
  load(state) {
    this.bot = state.bot;
    this.symbols = state.symbols;
    this.n = state.n;
    this.life = state.life;
    this.people = new Map(state.people.map((person) => [person.id, person]));
    this.chats = new Map(state.chats.map((chat) => [chat.id, arranged(chat)]));
    for (const person of this.people.values()) {
      for (const chat of this.chatsOf(person.id)) this.read[key(person.id, chat.id)] ??= lastId(chat);
    }
    this.tell("all");
  }

  /** Take over one entry of the feed; entries that were seen already change nothing. */
  apply(entry) {
    if (entry.n <= this.n) return;
    this.n = entry.n;
    const chat = typeof entry.chat === "number" ? this.chats.get(entry.chat) : null;
    switch (entry.kind) {
      case "person":
        this.people.set(entry.person.id, entry.person);
        return this.tell("people");
      case "chat":
        this.chats.set(entry.chat.id, arranged(entry.chat));
        return this.tell("chat", { chat: entry.chat.id });
      case "message":
        return this.#message(entry);
      case "deleted":
        chat?.messages.delete(entry.id);
        return this.tell("deleted", { chat: entry.chat, id: entry.id });
      case "reactions":
        if (chat?.messages.has(entry.id)) chat.messages.get(entry.id).reactions = entry.reactions;
        return this.tell("message", { chat: entry.chat, id: entry.id, fresh: false });
      case "answer":
        return this.#answer(entry);
    }
  }

  #message(entry) {
    // Somebody's private chat begins with their first message.
    const chat = this.chats.get(entry.chat);
    if (!chat) return;
    const fresh = !chat.messages.has(entry.message.id);
    chat.messages.set(entry.message.id, entry.message);
    this.tell("message", { chat: entry.chat, id: entry.message.id, fresh });
  }

  #answer(entry) {
    const press = this.waiting.get(entry.press);
    if (!press) this.answers.set(entry.press, entry);
    this.waiting.delete(entry.press);
    if (press) this.tell("message", { chat: press.chat, id: press.message, fresh: false });
    if (entry.person === this.me && entry.text) this.tell("answer", { text: entry.text, alert: entry.alert });
  }

  /** A button was pressed and waits for its answer. */
  pressed(press, button) {
    if (this.answers.delete(press)) return;
    this.waiting.set(press, button);
    this.tell("message", { chat: button.chat, id: button.message, fresh: false });
    setTimeout(
      () =>
        this.waiting.delete(press) &&
        this.tell("message", { chat: button.chat, id: button.message, fresh: false }),
      WAIT_MS,
    );
  }

  /** Whether a button of a message waits for its answer. */
  waits(chat, message, data) {
    return [...this.waiting.values()].some(
      (each) => each.chat === chat && each.message === message && each.data === data,
    );
  }

  /** Be somebody, somewhere; a chat they are not in is replaced by their private one. */
  go(me, here) {
    this.me = me;
    this.here = here !== null && this.mayEnter(me, here) ? here : null;
    this.tell("place");
  }

  mayEnter(person, chatId) {
    return this.chats.get(chatId)?.members.includes(person) ?? false;
  }

  /** The chats of somebody: the one with the bot first, then groups, the liveliest first. */
  chatsOf(person) {
    const mine = [...this.chats.values()].filter((chat) => chat.members.includes(person));
    return mine.sort(
      (one, other) =>
        (other.kind === "private") - (one.kind === "private") || lastDate(other) - lastDate(one),
    );
  }

  /** How many messages of others somebody has not seen in a chat. */
  unread(person, chat) {
    const seen = this.read[key(person, chat.id)] ?? 0;
    let count = 0;
    for (const message of [...chat.messages.values()].reverse()) {
      if (message.id <= seen) break;
      if (message.from !== person && !message.service) count += 1;
    }
    return count;
  }

  /** The chosen person has seen everything in the open chat. */
  markRead() {
    const chat = this.chats.get(this.here);
    if (!chat) return;
    const last = lastId(chat);
    const place = key(this.me, chat.id);
    if (this.read[place] === last) return;
    this.read[place] = last;
    sessionStorage.setItem(READ, JSON.stringify(this.read));
    this.tell("read");
  }

  /** The symbols a chat plays with: those of its newest keyboard, else the palette's own. */
  keysOf(chat) {
    for (const message of [...chat.messages.values()].reverse()) {
      const labels = message.keyboard.flat().map((button) => button.label);
      const found = labels.filter((label) => Object.hasOwn(this.symbols.names, label));
      if (found.length >= 6) return found;
    }
    return this.symbols.keys;
  }

  tell(what, detail = {}) {
    this.dispatchEvent(new CustomEvent("change", { detail: { what, ...detail } }));
  }
}

/** The last message of a chat, undefined where nothing was said. */
export function lastMessage(chat) {
  return [...chat.messages.values()].at(-1);
}

function lastId(chat) {
  return lastMessage(chat)?.id ?? 0;
}

function lastDate(chat) {
  return lastMessage(chat)?.date ?? 0;
}

function arranged(chat) {
  return { ...chat, messages: new Map(chat.messages.map((message) => [message.id, message])) };
}

function key(person, chat) {
  return `${person}/${chat}`;
}

/** What was read before this page was loaded again. */
function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(READ)) ?? {};
  } catch {
    return {};
  }
}
