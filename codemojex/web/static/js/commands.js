// The bot's commands above the text box: a list that follows what is typed, or all of them.

import { h } from "./dom.js";

export class Commands {
  /** `pick(name)` is told which one was chosen. */
  constructor(list, text, pick) {
    this.list = list;
    this.text = text;
    this.pick = pick;
    this.all = [];
    this.at = -1;
  }

  get open() {
    return !this.list.hidden;
  }

  /** The name of the marked command, without its slash; null when none is. */
  get marked() {
    return this.open && this.at >= 0 ? this.list.children[this.at].dataset.name : null;
  }

  /** Show the commands that begin with what is typed; hide the list when that is no command. */
  follow(commands, typed) {
    const begun = /^\/([a-z0-9_]*)$/iu.exec(typed);
    const found = begun ? commands.filter((command) => command.name.startsWith(begun[1].toLowerCase())) : [];
    this.show(found, found.length ? 0 : -1);
  }

  show(commands, marked = -1) {
    this.list.hidden = commands.length === 0;
    this.text.setAttribute("aria-expanded", String(this.open));
    this.list.replaceChildren(...commands.map((command, index) => this.#option(command, index)));
    this.mark(marked);
  }

  hide() {
    this.show([]);
  }

  /** Mark the next or the previous one. */
  step(by) {
    const count = this.list.children.length;
    this.mark((this.at + by + count) % count);
  }

  mark(index) {
    this.at = index;
    [...this.list.children].forEach((option, each) =>
      option.setAttribute("aria-selected", String(each === index)),
    );
    const option = this.list.children[index];
    if (option) {
      this.text.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else this.text.removeAttribute("aria-activedescendant");
  }

  #option(command, index) {
    const choose = (event) => {
      event.preventDefault(); // the text box keeps the focus
      this.pick(command.name);
    };
    return h(
      "li",
      {
        id: `command-${index}`,
        role: "option",
        class: "option",
        data: { name: command.name },
        on: { pointerdown: (event) => event.preventDefault(), click: choose },
      },
      h("span", { class: "option-name" }, `/${command.name}`),
      h("span", { class: "option-what", dir: "auto" }, command.what),
    );
  }
}
