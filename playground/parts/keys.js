// The keys of the page. The list of keys shows the keys that are bound here.

import { around } from "./elements.js";
import { TYPED, isShown } from "./tabs.js";

/**
 * Keys, separated by spaces, words that describe them, and one function per key. Keys without words are not listed.
 * @template {unknown[]} A
 * @typedef {[keys: string, words: string, ...acts: ((...given: A) => unknown)[]]} Binding
 */
/** @typedef {{tab: string, part: string, keys: string, words: string}} Listed */

/** @type {Listed[]} */
export const listed = [];

/**
 * List keys of a part of a tab, and return the function of each key.
 * @template {unknown[]} A
 * @param {string} tab  "" for all
 * @param {string} part
 * @param {Binding<A>[]} bindings
 * @returns {Record<string, (...given: A) => unknown>}
 */
export const listKeys = (tab, part, bindings) => {
  /** @type {Record<string, (...given: A) => unknown>} */
  const acts = {};
  for (const [keys, words, ...own] of bindings) {
    if (words) listed.push({ tab, part, keys, words });
    for (const [at, key] of keys.split(" ").entries()) if (own[at]) acts[key] = own[at];
  }
  return acts;
};

/**
 * Bind keys of a tab. They work everywhere in it, except in fields, dialogs and menus.
 * @param {string} tab
 * @param {string} part
 * @param {Binding<[KeyboardEvent]>[]} bindings
 * @param {() => boolean} isActive
 */
export const bindKeys = (tab, part, bindings, isActive = () => true) => {
  const acts = listKeys(tab, part, bindings);
  document.addEventListener("keydown", (event) => {
    const act = acts[event.key];
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isShown(tab) || !isActive() || around(event, `${TYPED}, [contenteditable=true], dialog, .pop[open]`)) return;
    event.preventDefault();
    act(event);
  });
};

/**
 * Bind the keys of the document that a tab shows next to its values.
 * @param {string} tab
 * @param {import("./document_pane.js").DocumentPane} pane
 * @param {() => void} toggle
 * @param {() => boolean} isActive
 * @param {boolean} hasLosses  whether the tab marks losses in the document
 */
export const bindDocumentKeys = (tab, pane, toggle, isActive = () => true, hasLosses = true) => {
  const seen = (/** @type {() => void} */ act) => () => pane.element.checkVisibility() && act();
  /** @type {Binding<[KeyboardEvent]>} */
  const losses = ["l", "mark all losses", seen(() => pane.markLosses())];
  bindKeys(
    tab,
    "Document",
    [
      ["d", "open or close it", toggle],
      ["z", "enlarge the region", seen(() => pane.zoom())],
      ["w", "show it full screen", seen(() => pane.fill())],
      ...(hasLosses ? [losses] : []),
      ["[ ]", "turn pages", seen(() => pane.turn(-1)), seen(() => pane.turn(1))],
    ],
    isActive,
  );
};
