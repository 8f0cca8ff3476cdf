// What people do, sent to the server; a refusal is shown.

import { menu } from "./overlay.js";
import { Refused } from "./wire.js";

const REACTIONS = ["👍", "🔥", "😁", "🎉", "🤔", "💯"];

export class Deeds {
  constructor(store, wire, toast) {
    this.store = store;
    this.wire = wire;
    this.toast = toast;
  }

  /** Ask the server for an act; what it gives, null when it refuses. */
  async act(name, body) {
    try {
      return await this.wire.act(name, body);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.toast.show(error.message);
      return null;
    }
  }

  /** Say something in the open chat; false when it could not be sent. */
  async say(text, replyTo) {
    return (await this.act("say", { ...this.#place(), text, reply_to: replyTo })) !== null;
  }

  edit(message, text) {
    this.act("edit", { ...this.#place(), message: message.id, text });
  }

  /** Press Start, with what a deep link carries. */
  start(payload = "") {
    this.act("start", { person: this.store.me, payload });
  }

  async press(message, data) {
    const { chat, person } = this.#place();
    const found = await this.act("press", { person, chat, message: message.id, data });
    if (found) this.store.pressed(found.press, { chat, message: message.id, data });
  }

  /** React as the chosen person does, or take that reaction back. */
  react(message, emoji) {
    const mine = message.reactions.some((each) => each.emoji === emoji && each.by.includes(this.store.me));
    this.act("react", { ...this.#place(), message: message.id, emojis: mine ? [] : [emoji] });
  }

  /** What a deep link to this bot carries; null for every other link. */
  payload(url) {
    const name = url.pathname.slice(1).toLowerCase();
    const ours = /^(?:www\.)?t\.me$/iu.test(url.hostname) && name === this.store.bot.username.toLowerCase();
    return ours ? (url.searchParams.get("start") ?? "") : null;
  }

  /** Open the menu of a message, at its button or where the pointer is; `aim(target)` begins a reply or an edit. */
  menu(event, message, aim) {
    event.preventDefault();
    const pointed =
      event.type === "contextmenu" ? { x: event.clientX, y: event.clientY } : event.currentTarget;
    const items = [
      { emojis: REACTIONS, run: (emoji) => this.react(message, emoji) },
      { label: "Reply", icon: "reply", run: () => aim({ kind: "reply", message }) },
    ];
    if (message.text) items.push({ label: "Copy text", icon: "copy", run: () => this.#copy(message.text) });
    if (message.from === this.store.me) {
      const remove = () => this.act("delete", { ...this.#place(), message: message.id });
      if (message.text)
        items.push({ label: "Edit", icon: "edit", run: () => aim({ kind: "edit", message }) });
      items.push({ label: "Delete", icon: "remove", run: remove });
    }
    menu(pointed, items);
  }

  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.toast.show("Copied");
    } catch {
      this.toast.show("The browser does not let this page copy");
    }
  }

  #place() {
    return { person: this.store.me, chat: this.store.here };
  }
}
