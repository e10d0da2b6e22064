// The figures of regions in the headline. Each share of right or wrong values in the right or another region filters.
// A button shows value, page and box F1 on one scale.

import { newButton, newElement, newIcon } from "../parts/elements.js";
import { SHARE_NAMES } from "../parts/places.js";

/** @import { Level, Share } from "../parts/places.js" */
/**
 * @typedef {object} GroundingLook
 * @property {Level} level  the requested level
 * @property {string} share  the share that filters, "" for none
 * @property {(level: Level) => void} ask
 * @property {(share: Share | "") => void} filter
 */

const ROWS = /** @type {const} */ ([
  ["right", "right_value_right_region", "rt", "right_value_other_region", "re"],
  ["wrong", "wrong_value_right_region", "wt", "wrong_value_other_region", "we"],
]);

const DOWN = "m4.5 6.5 3.5 3.5 3.5-3.5";

const threeDigits = (/** @type {number} */ value) => value.toFixed(3);
export const percentOf = (/** @type {number | null} */ share) =>
  share === null ? "–" : `${(100 * share).toFixed(1)} %`;

/** Return the finest level with evidence and citations: pages if no citation has a box; null without evidence. */
export const finestLevel = (/** @type {Server.Grounding | null} */ grounding) => {
  const { levels = [] } = grounding ?? {};
  const cited = levels.filter(({ cited: count }) => count > 0);
  const of = cited.length ? cited : levels;
  return of[of.length - 1]?.level ?? null;
};

const barOf = (/** @type {number} */ value) => {
  const bar = newElement("span", "bar", document.createElement("i"));
  bar.style.setProperty("--v", String(value));
  return bar;
};

/** @type {(name: string, value: number) => HTMLElement[]} */
const figure = (name, value) => [
  newElement("span", "", `${name} F1`),
  barOf(value),
  newElement("span", "num", threeDigits(value)),
];

/** Return a note for a test set without annotated regions. @type {(grounding: Server.Grounding) => HTMLElement} */
const ofNone = ({ cited, values }) => {
  const many = `${cited.toLocaleString("en")} of ${values.toLocaleString("en")} values are cited.`;
  const none = "No region is annotated in the ground truth, so whether they are right is not known.";
  return newElement("p", "soft", `${many} ${none}`);
};

/** @type {(element: HTMLElement, grounding: Server.Grounding | null, look: GroundingLook) => void} */
export const drawGrounding = (element, grounding, { level, share, ask, filter }) => {
  element.hidden = !grounding;
  if (!grounding) return;
  const shown = grounding.levels.find((each) => each.level === level);
  if (!shown || grounding.value === null) {
    element.replaceChildren(ofNone(grounding));
    return;
  }
  const figures = newElement("div", "", newElement("span", "", ...figure("value", grounding.value)));
  for (const each of grounding.levels) {
    const button = newButton("", "", () => ask(each.level));
    button.append(...figure(each.level, each.f1));
    button.setAttribute("aria-pressed", String(each.level === level));
    figures.append(button);
  }
  figures.setAttribute("role", "group");
  figures.setAttribute("aria-label", "F1 of the values, and what counts as the right region");
  const summary = newElement("summary", "btn ghost", `F1 (${level})`, newIcon(DOWN));
  const stairs = newElement("details", "pop stairs", summary, figures);
  stairs.open = element.querySelector("details")?.open ?? false;
  const heads = ["right", "other", ...(shown.missing ? ["missing"] : [])];
  const quad = newElement("div", "quad", newElement("span", "", "region"));
  quad.append(...heads.map((head) => newElement("span", "col", head)));
  quad.style.setProperty("--columns", String(heads.length));
  for (const [word, ...cells] of ROWS) {
    quad.append(newElement("span", "", word));
    for (const at of [0, 2]) {
      const name = /** @type {Share} */ (cells[at]);
      const said = percentOf(shown[/** @type {"right_value_right_region"} */ (name)]);
      quad.append(shareButton(name, cells[at + 1], said, share, filter));
    }
    const many = shown.missing.toLocaleString("en");
    if (shown.missing)
      quad.append(word === "wrong" ? shareButton("missing", "mi", many, share, filter) : newElement("span", ""));
  }
  quad.setAttribute("role", "group");
  quad.setAttribute("aria-label", "Show values that are");
  const held = element.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
  element.replaceChildren(quad, stairs);
  if (held) /** @type {HTMLElement | null} */ (element.querySelector(`[aria-label="${held}"]`))?.focus();
};

/** @type {(name: Share, look: string, said: string, share: string, filter: GroundingLook["filter"]) => HTMLElement} */
const shareButton = (name, look, said, share, filter) => {
  const button = newButton("", "", () => filter(share === name ? "" : name));
  button.append(newElement("i", `sw ${look}`), said);
  button.setAttribute("aria-pressed", String(share === name));
  button.setAttribute("aria-label", `${SHARE_NAMES[name]}: ${said}`);
  return button;
};
