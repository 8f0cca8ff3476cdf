// One message as an element: bubble, keyboard, reactions, and the button that opens its menu.

import { h, icon, roam } from "./dom.js";
import { rendered } from "./entities.js";
import { avatar, bytes, clusters, emojiSize, time, tone } from "./looks.js";

/**
 * The row of a message.
 *
 * `view` says how it is seen: `mine`, `group`, the `store`, the `chat`; `act` what can be done: `link`, `command`,
 * `press`, `jump`, `react`, `menu`.
 */
export function bubble(message, view, act) {
  if (message.service)
    return h(
      "div",
      { class: "service", data: { id: message.id } },
      h("span", { dir: "auto" }, message.service),
    );
  const mine = message.from === view.store.me;
  const bot = message.from === view.store.bot.id;
  const size = message.dice
    ? "huge"
    : message.keyboard.length || message.reply
      ? ""
      : emojiSize(message.text);
  // As in Telegram, a message with buttons changes all the time and is not marked for it.
  const edited = message.edited && message.keyboard.length === 0;
  const classes = ["row", mine ? "mine" : "theirs", size, edited ? "edited-one" : ""];
  const row = h("div", { class: classes.filter(Boolean).join(" "), data: { id: message.id } });
  if (view.group && !mine)
    row.append(h("span", { class: "beside" }, avatar(message.from, message.name, { bot, size: "small" })));
  const article = h(
    "article",
    {
      class: "bubble",
      on: { contextmenu: (event) => act.menu(event, message), click: () => row.classList.toggle("open") },
    },
    who(message, { mine, bot, group: view.group }),
    message.forwarded &&
      h("p", { class: "forwarded" }, icon("forward"), "Forwarded from ", h("bdi", {}, message.forwarded)),
    message.reply && quote(message.reply, act),
    message.document && file(message.document),
    words(message, act),
    meta(message, edited),
  );
  row.append(
    h(
      "div",
      { class: "stack" },
      h("div", { class: "line" }, article, more(message, act)),
      message.reactions.length > 0 && reactions(message, view, act),
      message.keyboard.length > 0 && keyboard(message, view, act),
    ),
  );
  return row;
}

function who(message, { mine, bot, group }) {
  // In a chat of two it is plain to see who speaks; to hear, it is not.
  const seen = group && !mine;
  return h(
    "p",
    { class: seen ? "who" : "who sr", data: { tone: bot ? "bot" : tone(message.from) } },
    h("bdi", {}, message.name || "?"),
    bot && seen ? h("span", { class: "tag" }, "bot") : null,
    seen ? null : ":",
  );
}

function words(message, act) {
  if (message.dice)
    return h("p", { class: "text", title: `It shows ${message.dice.value}` }, message.dice.emoji);
  if (!message.text) return null;
  return h("div", { class: "text", dir: "auto" }, rendered(message.text, message.entities, act));
}

function meta(message, edited) {
  return h(
    "p",
    { class: "meta" },
    edited && h("span", { class: "edited" }, "edited "),
    h("time", { datetime: new Date(message.date * 1000).toISOString() }, time(message.date)),
  );
}

function quote(reply, act) {
  return h(
    "button",
    {
      type: "button",
      class: "quote",
      "aria-label": `In reply to ${reply.name}: ${reply.text}`,
      on: { click: () => act.jump(reply.id) },
    },
    h("bdi", { class: "quote-who" }, reply.name),
    h("span", { class: "quote-text", dir: "auto" }, reply.text),
  );
}

function file(document) {
  const inside = [
    h("span", { class: "file-icon" }, icon("file")),
    h(
      "span",
      { class: "file-names" },
      h("bdi", { class: "file-name" }, document.name),
      h("span", { class: "file-size" }, document.here ? bytes(document.bytes) : "no longer kept"),
    ),
  ];
  if (!document.here) return h("span", { class: "file" }, inside);
  const href = `files/${encodeURIComponent(document.id)}`;
  return h(
    "a",
    { class: "file", href, download: document.name, "aria-label": `Download ${document.name}` },
    inside,
  );
}

function more(message, act) {
  return h(
    "button",
    {
      type: "button",
      class: "more",
      "aria-label": "More about this message",
      "aria-haspopup": "menu",
      on: { click: (event) => act.menu(event, message) },
    },
    icon("more"),
  );
}

function reactions(message, view, act) {
  const nameOf = (id) =>
    id === view.store.bot.id ? view.store.bot.name : (view.store.people.get(id)?.name ?? "somebody");
  return h(
    "div",
    { class: "reactions" },
    message.reactions.map(({ emoji, by }) => {
      const names = by.map(nameOf).join(", ");
      return h(
        "button",
        {
          type: "button",
          class: "reaction",
          title: names,
          "aria-label": `${emoji} from ${names}`,
          "aria-pressed": String(by.includes(view.store.me)),
          on: { click: () => act.react(message, emoji) },
        },
        h("span", { "aria-hidden": "true" }, emoji),
        h(
          "span",
          { class: "count", "aria-hidden": "true" },
          by.length > 1 ? by.length : nameOf(by[0]).slice(0, 12),
        ),
      );
    }),
  );
}

function keyboard(message, view, act) {
  const box = h("div", { class: "keys", role: "group", "aria-label": "Buttons" });
  message.keyboard.forEach((buttons, row) => {
    const cells = buttons.map((button, column) => key(message, button, `${row}/${column}`, view, act));
    box.append(h("div", { class: "keys-row" }, cells));
  });
  box.addEventListener("keydown", (event) => roamKeys(event, box));
  return box;
}

function key(message, button, place, view, act) {
  const attributes = {
    class: `key ${clusters(button.label).length === 1 ? "picture" : ""}`.trim(),
    data: { place },
  };
  if (button.url) {
    const follow = (event) => act.link(new URL(button.url)) && event.preventDefault();
    return h(
      "a",
      {
        ...attributes,
        href: button.url,
        target: "_blank",
        rel: "noopener noreferrer",
        on: { click: follow },
      },
      button.label,
    );
  }
  const name = view.store.symbols.names[button.label];
  const waits = view.store.waits(view.chat.id, message.id, button.data);
  return h(
    "button",
    {
      ...attributes,
      type: "button",
      title: name,
      "aria-label": name && `${name} ${button.label}`,
      "aria-busy": waits && "true",
      on: { click: () => act.press(message, button.data) },
    },
    button.label,
  );
}

/** Left and right go along all buttons, up and down from row to row. */
function roamKeys(event, box) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const here = document.activeElement;
  if (!step) return roam(event, [...box.querySelectorAll(".key")]);
  const [row, column] = (here.dataset.place ?? "0/0").split("/").map(Number);
  const next = box.children[row + step];
  if (next) next.children[Math.min(column, next.children.length - 1)].focus();
  event.preventDefault();
  return true;
}
