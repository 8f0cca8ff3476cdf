// How names, times and emojis look.

import { h } from "./dom.js";

const TONES = 8;
const segments = new Intl.Segmenter("en", { granularity: "grapheme" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const PICTURE = /^\p{Extended_Pictographic}/u;
const MOST_BIG = 8;
const BIGGER = 3;

/** Grapheme clusters of a text. */
export function clusters(text) {
  return [...segments.segment(text)].map((each) => each.segment);
}

/** How large a text of nothing but emojis is shown: "huge", "big", or "" for any other text. */
export function emojiSize(text) {
  if (text.length > 120 || !text.trim()) return "";
  const found = clusters(text).filter((each) => each.trim());
  if (found.length > MOST_BIG || !found.every((each) => PICTURE.test(each))) return "";
  return found.length <= BIGGER ? "huge" : "big";
}

/** The colour of somebody, 0 to 7, by id. */
export function tone(id) {
  return Math.abs(Number(id)) % TONES;
}

/** One or two letters for a round picture. */
export function initials(name) {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const first = words.slice(0, 2).map((word) => clusters(word)[0] ?? "");
  return first.join("").toUpperCase() || "?";
}

/** A round picture with initials; the bot's is its logo. */
export function avatar(id, name, { bot = false, size = "" } = {}) {
  const classes = `avatar ${size}`.trim();
  if (bot)
    return h(
      "span",
      { class: `${classes} bot`, "aria-hidden": "true" },
      h("img", { src: "static/icon.svg", alt: "" }),
    );
  return h("span", { class: classes, "aria-hidden": "true", data: { tone: tone(id) } }, initials(name));
}

/** 14:05 */
export function time(seconds) {
  return clock.format(new Date(seconds * 1000));
}

/** A number that is the same for all moments of one local day. */
export function day(seconds) {
  const date = new Date(seconds * 1000);
  return date.getFullYear() * 10_000 + date.getMonth() * 100 + date.getDate();
}

/** "Today", "Yesterday", or the date. */
export function dayName(seconds, now = Date.now() / 1000) {
  if (day(seconds) === day(now)) return "Today";
  const yesterday = new Date(now * 1000);
  yesterday.setDate(yesterday.getDate() - 1);
  if (day(seconds) === day(yesterday.getTime() / 1000)) return "Yesterday";
  const date = new Date(seconds * 1000);
  const year = date.getFullYear() === new Date(now * 1000).getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year }).format(date);
}

/** 1.2 kB */
export function bytes(count) {
  if (count < 1000) return `${count} bytes`;
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
