// What lies above the page: toasts and alerts, menus, and the dialogs for new people and groups.

import { h, icon, roam } from "./dom.js";
import { avatar } from "./looks.js";

const TOAST_MS = 3_500;
// A guess so far: emojis and empty places, nothing to read.
const DRAFT = /^[^\p{L}\p{N}]{1,40}$/u;

/** Shows one sentence for a moment; the next replaces it. */
export class Toast {
  constructor(element) {
    this.element = element;
  }

  show(text) {
    clearTimeout(this.timer);
    this.element.hidden = false;
    this.element.textContent = text;
    this.element.classList.remove("shown");
    this.element.classList.toggle("big", DRAFT.test(text));
    void this.element.offsetWidth; // the animation begins anew only after a layout without it
    this.element.classList.add("shown");
    this.timer = setTimeout(() => (this.element.hidden = true), TOAST_MS);
  }
}

/** A sentence that waits until it was read. */
export function alertWith(text) {
  const dialog = h("dialog", { class: "dialog alert", "aria-label": "Answer" });
  dialog.append(
    h("p", { class: "alert-text", dir: "auto" }, text),
    h(
      "form",
      { method: "dialog", class: "dialog-foot" },
      h("button", { class: "primary", autofocus: true }, "OK"),
    ),
  );
  return shown(dialog);
}

/**
 * A menu at `anchor` (an element, or a point). Items: `{label, icon, run}`, `{label, face, checked, run}`, or
 * `{emojis, run}` for a row of reactions.
 */
export function menu(anchor, items) {
  document.querySelector(".menu")?.dispatchEvent(new Event("leave"));
  const before = document.activeElement;
  const box = h("div", { class: "menu", role: "menu" });
  const leave = (back) => {
    box.remove();
    document.removeEventListener("pointerdown", outside, true);
    if (back && before?.isConnected) before.focus();
  };
  const outside = (event) => !box.contains(event.target) && leave(false);
  const pick = (run) => () => {
    leave(true);
    run();
  };
  box.append(...items.map((item) => (item.emojis ? emojiRow(item, pick) : entry(item, pick))));
  const entries = [...box.querySelectorAll("button")];
  box.addEventListener("leave", () => leave(false));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      leave(true);
    } else roam(event, entries);
  });
  document.body.append(box);
  place(box, anchor);
  document.addEventListener("pointerdown", outside, true);
  (box.querySelector("[aria-checked=true]") ?? entries[0]).focus();
}

function entry(item, pick) {
  const checked = item.checked === undefined ? {} : { "aria-checked": String(item.checked) };
  return h(
    "button",
    {
      type: "button",
      class: "menu-item",
      role: item.checked === undefined ? "menuitem" : "menuitemradio",
      ...checked,
      on: { click: pick(item.run) },
    },
    item.icon && icon(item.icon),
    item.face && avatar(item.face.id, item.face.name, { size: "small" }),
    h("bdi", {}, item.label),
  );
}

function emojiRow(item, pick) {
  const buttons = item.emojis.map((emoji) =>
    h(
      "button",
      {
        type: "button",
        class: "menu-emoji",
        role: "menuitem",
        "aria-label": `React with ${emoji}`,
        on: { click: pick(() => item.run(emoji)) },
      },
      emoji,
    ),
  );
  return h("div", { class: "menu-row", role: "none" }, buttons);
}

/** Next to the anchor, within the window. */
function place(box, anchor) {
  const at =
    anchor instanceof Element
      ? anchor.getBoundingClientRect()
      : { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y };
  const { width, height } = box.getBoundingClientRect();
  const left = at.left + width + 8 > innerWidth ? at.right - width : at.left;
  const top = at.bottom + height + 8 > innerHeight ? at.top - height - 4 : at.bottom + 4;
  box.style.left = `${Math.min(Math.max(8, left), innerWidth - width - 8)}px`;
  box.style.top = `${Math.max(8, top)}px`;
}

/** Asks for a name and a language; `done({name, language})`. */
export function askPerson(done) {
  const name = h("input", {
    name: "name",
    maxlength: 64,
    autocomplete: "off",
    placeholder: "A first name",
    autofocus: true,
  });
  const language = h(
    "select",
    { name: "language" },
    h("option", { value: "en" }, "English"),
    h("option", { value: "ru" }, "Русский"),
  );
  const fields = [h("label", {}, "Name", name), h("label", {}, "Language of their Telegram", language)];
  form("Somebody new", "Add", fields, () => done({ name: name.value, language: language.value }));
}

/** Asks for a title and members; `done({title, members})`. */
export function askGroup(people, me, done) {
  const title = h("input", {
    name: "title",
    maxlength: 64,
    autocomplete: "off",
    placeholder: "A title",
    autofocus: true,
    required: true,
  });
  const boxes = people.map((person) => {
    const box = h("input", { type: "checkbox", value: person.id, checked: true, disabled: person.id === me });
    return {
      box,
      row: h(
        "label",
        { class: "pick" },
        box,
        avatar(person.id, person.name, { size: "small" }),
        h("bdi", {}, person.name),
      ),
    };
  });
  const fields = [
    h("label", {}, "Title", title),
    h(
      "fieldset",
      {},
      h("legend", {}, "Members, and the bot"),
      h(
        "div",
        { class: "picks" },
        boxes.map((each) => each.row),
      ),
    ),
  ];
  form("New group", "Create", fields, () => {
    const members = boxes.filter((each) => each.box.checked).map((each) => Number(each.box.value));
    done({ title: title.value, members });
  });
}

function form(title, verb, fields, done) {
  const dialog = h("dialog", { class: "dialog", "aria-label": title });
  const cancel = h(
    "button",
    { type: "button", class: "plain", on: { click: () => dialog.close() } },
    "Cancel",
  );
  const send = (event) => {
    event.preventDefault();
    dialog.close();
    done();
  };
  dialog.append(
    h(
      "form",
      { method: "dialog", on: { submit: send } },
      h("h2", {}, title),
      fields,
      h("div", { class: "dialog-foot" }, cancel, h("button", { class: "primary" }, verb)),
    ),
  );
  return shown(dialog);
}

function shown(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
