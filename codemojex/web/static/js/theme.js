// Light, dark, or as the machine is set. The choice is kept for the next time.

const KEY = "codemojex.theme";
const ORDER = ["auto", "light", "dark"];

/** "auto", "light" or "dark". */
export function theme() {
  const kept = localStorage.getItem(KEY);
  return ORDER.includes(kept) ? kept : "auto";
}

export function nextTheme() {
  return ORDER[(ORDER.indexOf(theme()) + 1) % ORDER.length];
}

export function setTheme(name) {
  localStorage.setItem(KEY, name);
  show();
}

function show() {
  if (theme() === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme();
}

show();
