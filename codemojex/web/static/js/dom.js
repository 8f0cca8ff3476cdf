// Building elements. Text only ever becomes text nodes: nothing here, or anywhere on the page, parses markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes and children. `on` holds listeners, `data` the dataset; false, null and undefined
 * attributes are left out.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "on")
      for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const PATHS = {
  back: "M15 5l-7 7 7 7",
  send: "M4 12l16-8-6 16-3-7-7-1z",
  plus: "M12 5v14M5 12h14",
  pencil: "M4 20l1-5L16 4l4 4L9 19l-5 1z",
  menu: "M5 7h14M5 12h14M5 17h9",
  smile:
    "M12 21a9 9 0 100-18 9 9 0 000 18zM8.5 14.5c1 1.3 2.200 2 3.500 2s2.500-.7 3.500-2M9 9.500v.6M15 9.500v.6",
  close: "M6 6l12 12M18 6L6 18",
  down: "M6 9l6 6 6-6",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  reply: "M10 7L5 12l5 5M5 12h9a5 5 0 015 5v1",
  copy: "M9 9h10v11H9zM5 15V4h10",
  edit: "M4 20l1-5L16 4l4 4L9 19l-5 1z",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  forward: "M14 7l5 5-5 5M19 12h-9a5 5 0 00-5 5v1",
  sun: "M12 16a4 4 0 100-8 4 4 0 000 8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400",
  moon: "M20 14.500A8.500 8.500 0 019.500 4a8.500 8.500 0 1010.500 10.500z",
  auto: "M12 21a9 9 0 100-18 9 9 0 000 18zM12 3v18M12 7h6.500M12 12h9M12 17h6.500",
  group:
    "M9 11a3.500 3.500 0 100-7 3.500 3.500 0 000 7zM2.500 20c0-3.600 2.900-6 6.500-6s6.500 2.400 6.500 6M16 4.500a3.500 3.500 0 010 6M18 14.500c2.200.9 3.500 2.900 3.500 5.500",
  person:
    "M12 11.500a4 4 0 100-8 4 4 0 000 8zM4.500 20.500c0-4 3.400-6.500 7.500-6.500s7.500 2.500 7.500 6.500",
};

/** A line icon that inherits the text colour; screen readers skip it. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }))
    svg.setAttribute(key, value);
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/**
 * Make the children of `parent` those of `items`, in order. Elements that stay are kept and updated, so focus and
 * scroll positions survive.
 */
export function keyed(parent, items, keyOf, create, update) {
  const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let element = before.get(key);
    before.delete(key);
    if (!element) {
      element = create(item);
      element.dataset.key = key;
    }
    update(element, item);
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const gone of before.values()) gone.remove();
}

/** Move focus among `elements` with the arrow keys, Home and End; true when the key was one of them. */
export function roam(event, elements) {
  const at = elements.indexOf(document.activeElement);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  let next = null;
  if (step && at >= 0) next = elements[(at + step + elements.length) % elements.length];
  else if (event.key === "Home") next = elements[0];
  else if (event.key === "End") next = elements[elements.length - 1];
  if (!next) return false;
  event.preventDefault();
  next.focus();
  return true;
}
