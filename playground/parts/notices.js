// What the tabs for files show: the drop box or a result, and a notice above the result.

import { findElement, newButton } from "./elements.js";

/** @import { partsOf } from "./elements.js" */

/**
 * Show the drop box of a screen, "empty", or its result; the options are in both, in the latter before another element.
 * @param {HTMLElement} screen
 * @param {string} state
 * @param {HTMLElement} options
 * @param {HTMLElement} next
 */
export const setScreenState = (screen, state, options, next) => {
  screen.dataset.state = state;
  if (options.closest(state === "empty" ? ".drop" : ".setup")) return; // what is moved loses the focus
  if (state === "empty") screen.querySelector(".drop-options")?.append(options);
  else next.before(options);
};

/**
 * What stands above a result: a title, a sentence, buttons, of which the same stay, and how far a run is.
 * @param {ReturnType<typeof partsOf>} part
 * @param {string} title
 * @param {string} detail
 * @param {[string, () => void][]} acts
 * @param {number | null} share
 */
export const showNotice = (part, title, detail, acts, share) => {
  part("notice").hidden = !title;
  part("notice-title").textContent = title;
  part("detail").textContent = detail;
  const bar = findElement(part("notice"), ".bar");
  bar.hidden = share === null;
  bar.style.setProperty("--v", String(share ?? 0));
  bar.setAttribute("aria-valuenow", String(Math.round(100 * (share ?? 0))));
  const words = [...part("acts").children].map((button) => button.textContent).join();
  if (words === acts.map(([label]) => label).join()) return;
  part("acts").replaceChildren(...acts.map(([label, action]) => newButton("btn tint", label, action)));
};
