// The bar of tabs. The address names the current tab; a tab is notified when it is shown.

import { around, findElement, findElements } from "./elements.js";

const TABS = new Map([
  ["", "pair"],
  ["one-pair", "pair"],
  ["pair", "pair"],
  ["test-set", "testset"],
  ["documents", "testset"],
  ["compare", "compare"],
  ["review", "review"],
  ["api", "api"],
]);
export const TYPED = "input:not([type=checkbox], [type=radio]), textarea, select";

/** Return the tab that an address names. @type {(hash: string) => string | undefined} */
export const tabOf = (hash) => TABS.get(hash.slice(1).split("=")[0]);

/** @type {(tab: string) => boolean} */
export const isShown = (tab) => document.documentElement.dataset.tab === tab;

/** Go from files to a result; Back returns to the files. @type {(tab: string, address: string) => void} */
export const stepToResult = (tab, address) => {
  if (!isShown(tab)) return;
  history.replaceState({ files: true }, "", address);
  history.pushState(null, "", address);
};

/** Return the tab that the address names, if the page has it. */
const namedTab = () => {
  const tab = tabOf(location.hash);
  return document.querySelector(`.tabs [data-to="${tab}"]`) ? tab : undefined;
};

/** Mark the current tab in the bar. */
export const showBar = () => {
  const root = document.documentElement;
  root.dataset.tab = namedTab() ?? root.dataset.tab ?? "pair";
  markTab();
};

const markTab = () => {
  for (const link of findElements(document, ".tabs a")) {
    if (isShown(link.dataset.to ?? "")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
};

/** Start the tabs: follow the address, and close menus when they lose the focus. */
export const startTabs = () => {
  const root = document.documentElement;
  for (const kind of ["pointerdown", "keydown"]) {
    document.addEventListener(kind, () => root.toggleAttribute("data-pointer", kind === "pointerdown"), true);
  }

  window.addEventListener("hashchange", () => {
    const tab = namedTab();
    if (!tab || isShown(tab)) return;
    root.dataset.tab = tab;
    markTab();
    document.dispatchEvent(new CustomEvent("docscore-tab", { detail: tab }));
  });

  // One popover is open at a time. A choice from its menu, Escape, and a click or the focus outside close it. The focus
  // returns to its button, unless it has moved on.
  for (const kind of ["click", "focusin", "keydown"]) {
    document.addEventListener(kind, (event) => {
      for (const pop of findElements(document, "details.pop[open]")) {
        const isWithin = event.composedPath().includes(pop);
        const isChoice = kind === "click" && around(event, ".menu li");
        if (event instanceof KeyboardEvent ? event.key !== "Escape" : isWithin && !isChoice) continue;
        pop.removeAttribute("open");
        if (isWithin || document.activeElement === document.body) findElement(pop, "summary").focus();
      }
    });
  }

  root.dataset.tab = namedTab() ?? "pair";
};
