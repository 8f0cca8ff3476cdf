// Where one writes: the text box, the commands, the palette, and what is replied to or edited.

import { icon } from "./dom.js";
import { Commands } from "./commands.js";
import { avatar } from "./looks.js";
import { Palette } from "./palette.js";

const TALLEST_PX = 150;
const PARTS = [
  "text",
  "commands",
  "palette",
  "smile",
  "send",
  "who",
  "menu",
  "begin",
  "writing",
  "aim",
  "unaim",
];

export class Composer {
  /** `act`: `send(text, replyTo)`, `edit(message, text)`, `start()`, `who(anchor)`. */
  constructor(form, store, act) {
    this.form = form;
    this.store = store;
    this.act = act;
    this.target = null; // {kind: "reply" | "edit", message}
    this.drafts = new Map();
    for (const id of PARTS) this[id] = form.querySelector(`#${id}`);
    this.list = new Commands(this.commands, this.text, (name) => this.#send(`/${name}`));
    this.keys = new Palette(this.palette, this.smile, (symbol) => this.#type(symbol));
    this.#listen();
  }

  // -- from outside ----------------------------------------------------------------------------

  /** The place is another: its own draft, palette and person. */
  open() {
    this.point(null);
    this.drafts.set(this.place, this.text.value);
    this.place = `${this.store.me}/${this.store.here}`;
    this.text.value = this.drafts.get(this.place) ?? "";
    this.draw();
    this.#typed();
    this.list.hide();
  }

  /** Bring buttons, palette and hints up to date. */
  draw() {
    const chat = this.store.chats.get(this.store.here);
    const me = this.store.people.get(this.store.me);
    this.form.hidden = !chat;
    if (!chat || !me) return;
    const begun = chat.kind === "group" || chat.messages.size > 0;
    this.begin.hidden = begun;
    this.writing.hidden = !begun;
    this.who.replaceChildren(avatar(me.id, me.name, { size: "small" }));
    this.who.setAttribute("aria-label", `You write as ${me.name}. Be somebody else`);
    this.text.placeholder = chat.kind === "group" ? `Message as ${me.name}` : "Message, or six emojis";
    this.keys.offer(this.store.keysOf(chat), this.store.symbols.names);
    this.#typed();
  }

  /** Reply to a message, or edit it; null is neither. */
  point(target) {
    if (this.target?.kind === "edit" || target?.kind === "edit")
      this.text.value = target?.kind === "edit" ? target.message.text : "";
    this.target = target;
    this.aim.hidden = target === null;
    if (target === null) return;
    this.aim.querySelector(".aim-icon").replaceChildren(icon(target.kind));
    this.aim.querySelector(".aim-who").textContent =
      target.kind === "edit" ? "Edit" : `Reply to ${target.message.name}`;
    this.aim.querySelector(".aim-text").textContent = target.message.text.split("\n")[0];
    this.focus();
    this.#typed();
  }

  /** Put back what could not be sent, unless something else was typed meanwhile. */
  restore(text) {
    if (!this.text.value) this.text.value = text;
    this.#typed();
  }

  focus() {
    (this.writing.hidden ? this.begin : this.text).focus();
  }

  // -- inside ----------------------------------------------------------------------------------

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(this.text.value);
    });
    this.text.addEventListener("input", () => {
      this.#typed();
      this.list.follow(this.#menu(), this.text.value);
    });
    this.text.addEventListener("keydown", (event) => this.#pressed(event));
    this.text.addEventListener("blur", () => this.list.hide());
    this.menu.addEventListener("pointerdown", (event) => event.preventDefault());
    this.menu.addEventListener("click", () => {
      const shut = this.list.open;
      this.text.focus();
      this.list.show(shut ? [] : this.#menu(), 0);
    });
    this.begin.addEventListener("click", () => this.act.start());
    this.who.addEventListener("click", () => this.act.who(this.who));
    this.unaim.addEventListener("click", () => this.point(null));
  }

  #menu() {
    return this.store.people.get(this.store.me)?.commands ?? [];
  }

  #pressed(event) {
    if (event.isComposing) return;
    const commands = this.list;
    if (commands.open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      commands.step(event.key === "ArrowDown" ? 1 : -1);
    } else if (commands.marked && event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      this.#set(`/${commands.marked} `);
    } else if (event.key === "Escape" && (commands.open || this.target)) {
      event.stopPropagation();
      if (commands.open) commands.hide();
      else this.point(null);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#send(commands.marked ? `/${commands.marked}` : this.text.value);
    }
  }

  #send(text) {
    const { target } = this;
    if (!text.trim()) return;
    this.#set("");
    this.target = null;
    this.aim.hidden = true;
    if (target?.kind === "edit") this.act.edit(target.message, text);
    else this.act.send(text, target?.message.id ?? null);
  }

  #set(text) {
    this.text.value = text;
    this.list.hide();
    this.#typed();
  }

  /** The box is as tall as its text; symbols that are in it already are dimmed. */
  #typed() {
    this.text.style.height = "auto";
    this.text.style.height = `${Math.min(this.text.scrollHeight, TALLEST_PX)}px`;
    this.send.disabled = !this.text.value.trim();
    this.keys.dim(this.text.value);
  }

  #type(symbol) {
    this.text.setRangeText(symbol, this.text.selectionStart, this.text.selectionEnd, "end");
    this.#typed();
  }
}
