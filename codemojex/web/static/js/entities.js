// A message's text with its entities as elements. Offsets count UTF-16 units, as JavaScript's strings do.

import { h } from "./dom.js";

const TAGS = {
  bold: "strong",
  italic: "em",
  underline: "u",
  strikethrough: "s",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  expandable_blockquote: "blockquote",
};
const BARE_LINK = /(?:https?:\/\/|t\.me\/)[^\s<>"]+[^\s<>".,;:!?)\]]/gu;
const OPAQUE = new Set(["code", "pre", "url", "text_link", "email", "mention"]);

/**
 * The text as nodes.
 *
 * `act` is told what was clicked: `act.link(address)` says whether it took care of a link itself, and
 * `act.command(text)` sends a command.
 */
export function rendered(text, entities, act) {
  const ordered = [...entities, ...bareLinks(text, entities)]
    .filter((each) => each.length > 0 && each.offset >= 0 && each.offset < text.length)
    .sort((one, other) => one.offset - other.offset || other.length - one.length);
  const queue = [...ordered];
  return within(0, text.length);

  function within(begin, end) {
    const nodes = [];
    let at = begin;
    while (queue.length && queue[0].offset < end) {
      const entity = queue.shift();
      // Entities that cross each other are cut where the outer one ends.
      const from = Math.max(entity.offset, at);
      const to = Math.min(entity.offset + entity.length, end);
      if (to <= from) continue;
      if (from > at) nodes.push(document.createTextNode(text.slice(at, from)));
      nodes.push(element(entity, text.slice(from, to), within(from, to), act));
      at = to;
    }
    if (end > at) nodes.push(document.createTextNode(text.slice(at, end)));
    return nodes;
  }
}

/** Addresses nobody marked, as clients find them. */
function bareLinks(text, entities) {
  const taken = entities.filter((each) => OPAQUE.has(each.type));
  return [...text.matchAll(BARE_LINK)]
    .map((match) => ({ type: "url", offset: match.index, length: match[0].length }))
    .filter(
      (link) =>
        !taken.some(
          (each) => each.offset < link.offset + link.length && link.offset < each.offset + each.length,
        ),
    );
}

function element(entity, words, children, act) {
  switch (entity.type) {
    case "text_link":
      return anchor(entity.url ?? "", children, act);
    case "url":
      return anchor(words, children, act);
    case "bot_command":
      return h(
        "button",
        { type: "button", class: "command", on: { click: () => act.command(words) } },
        children,
      );
    case "spoiler":
      return spoiler(children);
    case "text_mention":
    case "mention":
    case "hashtag":
      return h("span", { class: "mention" }, children);
    default:
      return h(Object.hasOwn(TAGS, entity.type) ? TAGS[entity.type] : "span", {}, children);
  }
}

/** A link; one that is not of the web is shown as text. */
function anchor(address, children, act) {
  const url = webAddress(address);
  if (!url) return h("span", {}, children);
  const follow = (event) => act.link(url) && event.preventDefault();
  return h(
    "a",
    { href: url.href, target: "_blank", rel: "noopener noreferrer", title: url.href, on: { click: follow } },
    children,
  );
}

/** The address as a URL, null when it is none of http or https. */
export function webAddress(address) {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:/iu.test(address) ? address : `https://${address}`);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

function spoiler(children) {
  const cover = h(
    "span",
    { class: "spoiler", role: "button", tabindex: "0", "aria-label": "Hidden text; press to show" },
    children,
  );
  const show = () => {
    cover.classList.add("shown");
    for (const name of ["role", "tabindex", "aria-label"]) cover.removeAttribute(name);
  };
  cover.addEventListener("click", show);
  cover.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && show());
  return cover;
}
