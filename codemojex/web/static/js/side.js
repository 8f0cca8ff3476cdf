// The side: who one is, and which chats there are.

import { h, icon, keyed, roam } from "./dom.js";
import { avatar, dayName, day, time } from "./looks.js";
import { lastMessage } from "./store.js";

export class Side {
  constructor(elements, store, go) {
    this.elements = elements;
    this.store = store;
    this.go = go;
    elements.people.addEventListener("keydown", (event) => {
      if (roam(event, [...elements.people.children])) document.activeElement.click();
    });
    this.#scroll(elements.people);
    elements.newcomer.append(
      h("span", { class: "avatar add" }, icon("plus")),
      h("span", { class: "chip-name" }, "Add"),
    );
  }

  draw() {
    const { store } = this;
    keyed(
      this.elements.people,
      [...store.people.values()],
      (person) => person.id,
      (person) => this.#chip(person),
      (chip, person) => this.#update(chip, person),
    );
    const chats = store.me === null ? [] : store.chatsOf(store.me);
    keyed(
      this.elements.chats,
      chats,
      (chat) => `${store.me}/${chat.id}`,
      (chat) => this.#entry(chat),
      (entry, chat) => this.#fill(entry, chat),
    );
  }

  /** Where people stand beyond an edge of the row, that edge says so; a wheel and its arrow go there. */
  #scroll(row) {
    const look = () => {
      row.classList.toggle("before", row.scrollLeft > 1);
      row.classList.toggle("after", row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
    };
    row.addEventListener("scroll", look, { passive: true });
    row.addEventListener("wheel", (event) => {
      if (row.scrollWidth <= row.clientWidth || event.deltaX || !event.deltaY) return;
      event.preventDefault();
      row.scrollBy({ left: event.deltaY, behavior: "instant" });
    });
    for (const arrow of row.parentElement.querySelectorAll(".people-more")) {
      const way = arrow.classList.contains("before") ? -1 : 1;
      arrow.addEventListener("click", () => row.scrollBy({ left: way * row.clientWidth * 0.7 }));
    }
    new ResizeObserver(look).observe(row);
    new MutationObserver(look).observe(row, { childList: true });
  }

  /** The chosen one is in sight, whoever chose them and wherever. */
  #reveal(chip) {
    if (this.shown === this.store.me) return;
    this.shown = this.store.me;
    chip.scrollIntoView({ block: "nearest", inline: "center" });
  }

  #chip(person) {
    return h(
      "button",
      { type: "button", class: "chip", role: "radio", on: { click: () => this.go(person.id, null) } },
      h("span", { class: "chip-face" }, avatar(person.id, person.name), h("span", { class: "badge dot" })),
      h("bdi", { class: "chip-name" }, person.name),
    );
  }

  #update(chip, person) {
    const { store } = this;
    const chosen = person.id === store.me;
    const unread = store.chatsOf(person.id).reduce((sum, chat) => sum + store.unread(person.id, chat), 0);
    chip.setAttribute("aria-checked", String(chosen));
    chip.tabIndex = chosen ? 0 : -1;
    if (chosen) this.#reveal(chip);
    chip.setAttribute("aria-label", unread ? `${person.name}, ${unread} unread` : person.name);
    const badge = chip.querySelector(".badge");
    badge.textContent = unread > 99 ? "99+" : unread || "";
    badge.hidden = unread === 0;
  }

  #entry(chat) {
    const open = () => this.go(this.store.me, chat.id);
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "chat", on: { click: open } },
        avatar(chat.id, chat.title, { bot: chat.kind === "private" }),
        h(
          "span",
          { class: "chat-lines" },
          h("span", { class: "chat-top" }, h("bdi", { class: "chat-name" }, chat.title), h("time", {})),
          h(
            "span",
            { class: "chat-bottom" },
            h("span", { class: "chat-last", dir: "auto" }),
            h("span", { class: "badge" }),
          ),
        ),
      ),
    );
  }

  #fill(entry, chat) {
    const { store } = this;
    const button = entry.firstElementChild;
    const last = lastMessage(chat);
    const unread = store.unread(store.me, chat);
    if (chat.id === store.here) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    button.querySelector("time").textContent = last ? when(last.date) : "";
    button.querySelector(".chat-last").replaceChildren(...this.#last(chat, last));
    const badge = button.querySelector(".badge");
    badge.textContent = unread > 99 ? "99+" : unread || "";
    badge.hidden = unread === 0;
    badge.setAttribute("aria-label", `${unread} unread`);
  }

  #last(chat, message) {
    if (!message) return [chat.kind === "private" ? "Press Start to play" : "Nothing was said yet"];
    if (message.service) return [message.service];
    const text =
      (message.document?.name ?? message.dice?.emoji ?? message.text)
        .split("\n")
        .find((line) => line.trim()) ?? "";
    if (message.from === this.store.me) return [h("span", { class: "chat-who" }, "You: "), text];
    return chat.kind === "group"
      ? [h("span", { class: "chat-who" }, h("bdi", {}, message.name), ": "), text]
      : [text];
  }
}

function when(seconds) {
  return day(seconds) === day(Date.now() / 1000) ? time(seconds) : dayName(seconds);
}
