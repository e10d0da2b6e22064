// The bar of tabs: the address says which is shown; a tab that comes into view hears of it.

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

/** The tab that an address names. @type {(hash: string) => string | undefined} */
export const tabOf = (hash) => TABS.get(hash.slice(1).split("=")[0]);

/** @type {(tab: string) => boolean} */
export const isShown = (tab) => document.documentElement.dataset.tab === tab;

/** From the files of a tab to a result: Back returns to the files. @type {(tab: string, address: string) => void} */
export const stepToResult = (tab, address) => {
  if (!isShown(tab)) return;
  history.replaceState({ files: true }, "", address);
  history.pushState(null, "", address);
};

/** The tab that the address names, if the page has it. */
const namedTab = () => {
  const tab = tabOf(location.hash);
  return document.querySelector(`.tabs [data-to="${tab}"]`) ? tab : undefined;
};

/** The bar is there: mark the tab that is shown. */
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

/** Follow the address; menus close where they are left. */
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

  // One popover at a time: a choice from a menu, Escape, and a click or the focus elsewhere close it; the focus returns
  // to its button, unless it went elsewhere.
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
