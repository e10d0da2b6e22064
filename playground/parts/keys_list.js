// A dialog that lists the bound keys.

import { around, findElement, findElements, newElement } from "./elements.js";
import { listKeys, listed } from "./keys.js";
import { TYPED, isShown } from "./tabs.js";

/** @type {Record<string, string>} */
const SIGNS = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

/** Draw the keys of the current tab, by part. */
const drawKeys = (/** @type {HTMLElement} */ place) => {
  for (const old of findElements(place, "section")) old.remove();
  /** @type {Map<string, HTMLElement>} */
  const lists = new Map();
  for (const { part, keys, words } of listed.filter(({ tab }) => !tab || isShown(tab))) {
    const list = lists.get(part) ?? newElement("dl", "");
    if (!lists.has(part)) place.append(newElement("section", "", newElement("h3", "", part), list));
    lists.set(part, list);
    const signs = keys.split(" ").map((key) => newElement("kbd", "", SIGNS[key] ?? key));
    list.append(newElement("dt", "", ...signs), newElement("dd", "", words));
  }
};

/** Set up the dialog with the list of keys. */
export const startKeys = () => {
  const dialog = () => findElement(document, "dialog.keys", HTMLDialogElement);
  const show = () => {
    drawKeys(dialog());
    dialog().showModal();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || around(event, TYPED)) return;
    event.preventDefault();
    if (dialog().open) dialog().close();
    else show();
  });
  document.addEventListener("click", (event) => {
    const isOutside = event.target === document.querySelector("dialog.keys[open]");
    if (around(event, ".keys-open")) show();
    else if (isOutside || around(event, ".keys button")) dialog().close();
  });
  listKeys("", "Everywhere", [
    ["?", "show these keys"],
    ["Tab", "go to the next part of the page"],
    ["ArrowUp ArrowDown ArrowLeft ArrowRight", "move within a part"],
  ]);
};
