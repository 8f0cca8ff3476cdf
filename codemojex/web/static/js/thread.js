// The open chat: its messages in order, kept at the bottom while one reads there.

import { h } from "./dom.js";
import { bubble } from "./bubbles.js";
import { day, dayName } from "./looks.js";

const SHOWN = 200;
const NEAR_PX = 60;
const TOGETHER_S = 300;

export class Thread {
  constructor(log, down, store, act) {
    this.log = log;
    this.down = down;
    this.store = store;
    this.act = { ...act, jump: (id) => this.jump(id) };
    this.shown = SHOWN;
    this.missed = 0;
    this.down.addEventListener("click", () => this.#toBottom());
    this.log.addEventListener("scroll", () => this.#look());
    new ResizeObserver(() => this.#fit()).observe(log);
  }

  get chat() {
    return this.store.chats.get(this.store.here);
  }

  /** Show the open chat from its newest messages on. */
  open() {
    this.shown = SHOWN;
    this.#draw();
    this.#toBottom();
  }

  /** A message is new, or other than before. */
  put(id, fresh) {
    const message = this.chat?.messages.get(id);
    if (!message) return;
    const stay = this.following;
    if (this.log.querySelector(".empty")) this.#draw();
    else this.#replace(message);
    this.#arrange();
    if (fresh && message.from === this.store.me) this.#toBottom();
    else if (stay) this.#toBottom();
    else if (fresh) this.#miss();
  }

  remove(id) {
    this.#row(id)?.remove();
    if (this.log.querySelector("[data-id]")) this.#arrange();
    else this.#draw();
  }

  /** Bring a message into view and show which one it is. */
  jump(id) {
    const row = this.#row(id);
    if (!row) return;
    row.scrollIntoView({ block: "center" });
    row.classList.remove("found");
    void row.offsetWidth; // the animation begins anew only after a layout without it
    row.classList.add("found");
  }

  // -- inside ----------------------------------------------------------------------------------

  #row(id) {
    return this.log.querySelector(`[data-id="${CSS.escape(String(id))}"]`);
  }

  #draw() {
    this.log.replaceChildren();
    const chat = this.chat;
    if (!chat) return;
    const all = [...chat.messages.values()];
    const newest = all.slice(-this.shown);
    if (newest.length < all.length) this.log.append(this.#earlier());
    if (newest.length === 0) this.log.append(this.#empty(chat));
    this.log.append(...newest.map((message) => this.#bubble(message)));
    this.#arrange();
  }

  #bubble(message) {
    return bubble(
      message,
      { store: this.store, chat: this.chat, group: this.chat.kind === "group" },
      this.act,
    );
  }

  #empty(chat) {
    const words =
      chat.kind === "private"
        ? ["A code of six emojis is hidden here.", "Press Start, and the bot explains the rest."]
        : ["Nothing was said here yet.", "/new starts a game for everybody in this group."];
    return h(
      "div",
      { class: "empty" },
      h("img", { src: "static/icon.svg", alt: "", width: 72, height: 72 }),
      h("p", { class: "empty-title" }, words[0]),
      h("p", {}, words[1]),
    );
  }

  #earlier() {
    const show = () => {
      const below = this.log.scrollHeight - this.log.scrollTop;
      this.shown += SHOWN;
      this.#draw();
      this.log.scrollTop = this.log.scrollHeight - below;
    };
    return h("button", { type: "button", class: "earlier", on: { click: show } }, "Show earlier messages");
  }

  /** Put the row in its place; the focused button of the old one stays focused. */
  #replace(message) {
    const before = this.#row(message.id);
    const row = this.#bubble(message);
    if (!before) return this.log.append(row);
    const place = before.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    const inside = before.contains(document.activeElement);
    before.replaceWith(row);
    if (!inside) return;
    const target =
      (place && row.querySelector(`[data-place="${place}"]`)) || row.querySelector(".key, .more");
    target?.focus({ preventScroll: true });
  }

  /** Days between the rows, and which rows belong together. */
  #arrange() {
    for (const separator of this.log.querySelectorAll(".day")) separator.remove();
    const rows = [...this.log.querySelectorAll("[data-id]")];
    const messages = rows.map((row) => this.chat.messages.get(Number(row.dataset.id)));
    rows.forEach((row, index) => {
      const [before, message, after] = [messages[index - 1], messages[index], messages[index + 1]];
      if (!before || day(before.date) !== day(message.date))
        row.before(h("p", { class: "day" }, h("span", {}, dayName(message.date))));
      row.classList.toggle("first", !together(before, message));
      row.classList.toggle("last", !together(message, after));
    });
  }

  #toBottom() {
    this.log.scrollTop = this.log.scrollHeight;
    this.following = true;
    this.#seen();
  }

  #fit() {
    if (this.following) this.#toBottom();
    this.height = this.log.clientHeight;
  }

  #miss() {
    this.missed += 1;
    this.#look();
  }

  #look() {
    // A resize scrolls too, but says nothing of what somebody wants to read.
    if (this.log.clientHeight !== this.height) return;
    this.following = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR_PX;
    if (this.following) this.#seen();
    this.down.hidden = this.following;
    this.down.querySelector(".badge").textContent = this.missed || "";
    this.down.setAttribute(
      "aria-label",
      this.missed ? `To the newest: ${this.missed} new` : "To the newest message",
    );
  }

  #seen() {
    this.missed = 0;
    this.down.hidden = true;
    if (document.visibilityState === "visible") this.act.seen();
  }
}

/** Whether two messages look like one block: same author, same day, soon after each other. */
function together(one, other) {
  return (
    Boolean(one && other && !one.service && !other.service) &&
    one.from === other.from &&
    day(one.date) === day(other.date) &&
    other.date - one.date < TOGETHER_S
  );
}
