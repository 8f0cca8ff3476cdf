// Puts the page together: the place in the address, what happens on the server, and what people do here.

import { h, icon } from "./dom.js";
import { Deeds } from "./deeds.js";
import { Composer } from "./composer.js";
import { avatar } from "./looks.js";
import { Toast, alertWith, askGroup, askPerson, menu } from "./overlay.js";
import { Side } from "./side.js";
import { Store } from "./store.js";
import { nextTheme, setTheme, theme } from "./theme.js";
import { Thread } from "./thread.js";
import { Wire } from "./wire.js";

const at = (id) => document.getElementById(id);

const store = new Store();
const toast = new Toast(at("toast"));
const wire = new Wire(store, {
  heard: (entries) => entries.forEach((entry) => store.apply(entry)),
  lost: (stopped) =>
    banner(
      stopped
        ? "Offline: the game was stopped. Once it runs again, this page goes on by itself."
        : "Offline: the connection is lost. Trying again …",
    ),
  found: () => banner(""),
});

const deeds = new Deeds(store, wire, toast);

// -- what people do --------------------------------------------------------------------------------

async function send(text, replyTo) {
  const { me, here } = store;
  const sent = await deeds.say(text, replyTo);
  if (!sent && store.me === me && store.here === here) composer.restore(text);
}

/** Follow a deep link to this bot as Telegram does; false for every other link. */
function link(url) {
  const payload = deeds.payload(url);
  if (payload === null) return false;
  go(store.me, store.me);
  deeds.start(payload);
  return true;
}

async function newPerson(asked) {
  const found = await deeds.act("person", asked);
  if (found) toast.show(`${store.people.get(found.person)?.name ?? "Somebody new"} is here`);
}

function newThing(event) {
  menu(event.currentTarget, [
    {
      label: "New group …",
      icon: "group",
      run: () => askGroup([...store.people.values()], store.me, newGroup),
    },
    { label: "New person …", icon: "person", run: () => askPerson(newPerson) },
  ]);
}

async function newGroup({ title, members }) {
  const found = await deeds.act("group", { title, owner: store.me, members });
  if (found) wanted = { me: store.me, here: found.chat };
  settle();
}

function chooseWho(anchor) {
  const people = [...store.people.values()];
  menu(
    anchor,
    people.map((person) => ({
      label: person.name,
      face: person,
      checked: person.id === store.me,
      run: () => go(person.id, stay(person.id)),
    })),
  );
}

/** Where somebody else would be: in the same group, or in their own chat with the bot. */
function stay(person) {
  return store.mayEnter(person, store.here) ? store.here : store.here === null ? null : person;
}

// -- where one is: in the address, so that back, reload and a second window work --------------------

let wanted = null; // a place that is not known yet

function go(me, here) {
  const hash = here === null ? `#${me}` : `#${me}/${here}`;
  if (location.hash === hash) settle();
  else location.hash = hash;
}

/** Be where the address says. */
function settle() {
  if (wanted && store.chats.has(wanted.here)) {
    const { me, here } = wanted;
    wanted = null;
    return go(me, here);
  }
  const [me, here] = location.hash.slice(1).split("/").map(Number);
  const person = store.people.has(me) ? me : [...store.people.keys()][0];
  if (person === undefined) return;
  const wide = matchMedia("(min-width: 760px)").matches;
  store.go(person, here || (wide ? (stay(person) ?? person) : null));
}

// -- what is seen ----------------------------------------------------------------------------------

const actions = {
  link,
  command: (text) => send(text, null),
  press: (message, data) => deeds.press(message, data),
  react: (message, emoji) => deeds.react(message, emoji),
  menu: (event, message) => deeds.menu(event, message, (target) => composer.point(target)),
  seen: () => store.markRead(),
};
const thread = new Thread(at("log"), at("down"), store, actions);
const composer = new Composer(at("composer"), store, {
  send,
  edit: (message, text) => deeds.edit(message, text),
  start: () => deeds.start(),
  who: chooseWho,
});
const side = new Side(
  { people: at("people"), chats: at("chats"), newcomer: at("newcomer") },
  store,
  (me, here) => go(me, here ?? stay(me)),
);

function head() {
  const chat = store.chats.get(store.here);
  at("app").dataset.view = chat ? "chat" : "list";
  at("main").classList.toggle("nowhere", !chat);
  const name = store.people.get(store.me)?.name ?? "";
  document.title = chat ? `${chat.title} · ${name}` : "codemojex";
  if (!chat) return;
  const names = chat.members.map((id) => store.people.get(id)?.name ?? "somebody");
  at("chat-avatar").replaceChildren(avatar(chat.id, chat.title, { bot: chat.kind === "private" }));
  at("chat-title").replaceChildren(h("bdi", {}, chat.title));
  at("chat-about").textContent =
    chat.kind === "private" ? `bot · private chat of ${name}` : `${names.join(", ")} and the bot`;
}

function banner(text) {
  at("banner").textContent = text;
  at("banner").hidden = !text;
}

function themeButton() {
  const now = theme();
  const words = `Colours: ${now}. Change`;
  at("theme").replaceChildren(icon({ auto: "auto", light: "sun", dark: "moon" }[now]));
  at("theme").setAttribute("aria-label", words);
  at("theme").title = words;
}

store.addEventListener("change", ({ detail }) => {
  if (detail.what === "answer") return detail.alert ? alertWith(detail.text) : toast.show(detail.text);
  if (detail.what === "all" || (detail.what === "chat" && wanted)) settle();
  if (detail.what === "chat" && detail.chat === store.here) head(); // its members are others now
  if (detail.what === "place") {
    head();
    composer.open(); // first: it decides how much room the messages have
    thread.open();
  }
  if (detail.what === "message" && detail.chat === store.here) thread.put(detail.id, detail.fresh);
  if (detail.what === "deleted" && detail.chat === store.here) thread.remove(detail.id);
  if (detail.what !== "read") composer.draw();
  side.draw();
});

addEventListener("hashchange", settle);
document.addEventListener(
  "visibilitychange",
  () => document.visibilityState === "visible" && thread.following && store.markRead(),
);
document.addEventListener("keydown", (event) => {
  const free = !document.querySelector("dialog[open], .menu");
  if (event.key === "Escape" && free && document.activeElement?.id !== "text") composer.focus();
});
at("back").addEventListener("click", () => (location.hash = `#${store.me}`));
at("new").addEventListener("click", newThing);
at("newcomer").addEventListener("click", () => newPerson({}));
at("skip").addEventListener("click", (event) => {
  event.preventDefault();
  composer.focus();
});
at("theme").addEventListener("click", () => {
  setTheme(nextTheme());
  themeButton();
});
themeButton();
for (const each of document.querySelectorAll("[data-icon]")) each.prepend(icon(each.dataset.icon));
wire
  .open()
  .catch(() => banner("The game cannot be reached. Open the address that codemojex play --web printed."));
