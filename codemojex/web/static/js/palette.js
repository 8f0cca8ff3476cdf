// The emojis of the running game under the text box.

import { h } from "./dom.js";
import { clusters } from "./looks.js";

const OPEN = "codemojex.palette";

export class Palette {
  /** `opener` shows and hides `box`; `type(symbol)` is told which was chosen. */
  constructor(box, opener, type) {
    this.box = box;
    this.opener = opener;
    this.type = type;
    this.symbols = "";
    opener.addEventListener("click", () => this.#show(box.hidden));
    this.#show(localStorage.getItem(OPEN) === "open");
  }

  /** Offer these symbols; `names` are for screen readers. */
  offer(symbols, names) {
    if (this.symbols === symbols.join(" ")) return;
    this.symbols = symbols.join(" ");
    this.box.replaceChildren(...symbols.map((symbol) => this.#key(symbol, names[symbol])));
  }

  /** Dim what stands in the text already. */
  dim(text) {
    const used = new Set(clusters(text));
    for (const key of this.box.children) key.classList.toggle("used", used.has(key.textContent));
  }

  #key(symbol, name) {
    const on = { click: () => this.type(symbol) };
    return h(
      "button",
      { type: "button", class: "palette-key", title: name, "aria-label": name ?? symbol, on },
      symbol,
    );
  }

  #show(open) {
    this.box.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    localStorage.setItem(OPEN, open ? "open" : "shut");
  }
}
