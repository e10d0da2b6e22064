// The tabs for files: switch between drop box and result, and show a notice above the result.

import { findElement, newButton } from "./elements.js";

/** @import { partsOf } from "./elements.js" */

/**
 * Show the drop box of a screen (state "empty") or its result. The options move along, in the result before `next`.
 * @param {HTMLElement} screen
 * @param {string} state
 * @param {HTMLElement} options
 * @param {HTMLElement} next
 */
export const setScreenState = (screen, state, options, next) => {
  screen.dataset.state = state;
  if (options.closest(state === "empty" ? ".drop" : ".setup")) return; // moving them would lose the focus
  if (state === "empty") screen.querySelector(".drop-options")?.append(options);
  else next.before(options);
};

/**
 * Show a title, a sentence, buttons and the progress of a run above a result. Unchanged buttons keep their elements.
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
