// The rows of a score tree as a pane. Right and Left open and close a part, n and p go to the next and the previous
// loss by points, c copies a path.

import { cutName, findElement, findElements } from "./elements.js";
import { bindKeys, listKeys } from "./keys.js";
import { tellBelow } from "./links.js";
import { newPane } from "./panes.js";

const PART = "Score tree"; // the section in the list of keys

const copyPath = async (/** @type {HTMLElement} */ row) => {
  const { path } = row.dataset;
  if (!path) return;
  try {
    await navigator.clipboard.writeText(path);
    tellBelow(row, `Copied: ${path}`);
  } catch {
    tellBelow(row, `Your browser does not let this page copy ${path}`);
  }
};

/** Return the lost points in the text of a row, such as "−0.030". */
const pointsOf = (/** @type {HTMLElement} */ row) =>
  Number(row.querySelector(".anls-lost")?.textContent?.replace("−", "") ?? 0);

export const newTreePane = (/** @type {HTMLElement} */ place, /** @type {string} */ tab) => {
  const ROW = ".anls-row:not(.anls-header)";

  const isLoss = (/** @type {HTMLElement} */ row) =>
    row.querySelector(".anls-lost") && (row.tagName !== "SUMMARY" || /missing|extra/.test(row.dataset.status ?? ""));

  /** Return the line of the part around a row that is missing entirely, which is one loss. */
  const lossAround = (/** @type {HTMLElement} */ row) => {
    const above = (row.tagName === "SUMMARY" ? row.parentElement : row)?.parentElement?.closest("details");
    return above && /missing|extra/.test(above.dataset.status ?? "") ? findElement(above, "summary") : null;
  };

  /** @type {(row: HTMLElement) => HTMLElement} */
  const wholeLoss = (row) => {
    const around = lossAround(row);
    return around ? wholeLoss(around) : row;
  };

  /** Return the losses among some rows, or all rows, the largest first. */
  const losses = (/** @type {HTMLElement[]} */ among = findElements(place, ROW)) =>
    [...new Set(among.map(wholeLoss))].filter(isLoss).sort((one, other) => pointsOf(other) - pointsOf(one));

  /** Open all parts around a row. */
  const unfold = (/** @type {HTMLElement} */ row) => {
    for (let part = row.parentElement; part && part !== place; part = part.parentElement) {
      if (part instanceof HTMLDetailsElement && part.firstElementChild !== row) part.open = true;
    }
  };

  const toRow = (/** @type {HTMLElement | null | undefined} */ row) => {
    if (!row) return;
    unfold(row);
    pane.go(row);
  };

  /** Go from loss to loss, in the order of lost points; from another row, go to the largest loss. */
  const toLoss = (/** @type {number} */ step) => {
    const all = losses();
    const at = all.findIndex((row) => row.classList.contains("here"));
    toRow(all[at < 0 ? 0 : at + step]);
  };

  /** Unfold exact rows from the top, until the tree fills its place. */
  const fill = () => {
    const [grid] = findElements(place, ".anls-grid");
    if (!grid?.clientHeight || getComputedStyle(grid).overflowY === "visible") return;
    for (const part of grid.querySelectorAll("details[data-status=exact]:not([open])")) {
      if (!(part instanceof HTMLDetailsElement)) continue;
      if (grid.scrollHeight > grid.clientHeight) return;
      part.open = true;
      if (grid.scrollHeight > grid.clientHeight) part.open = false;
    }
  };

  const open = (/** @type {HTMLElement} */ row, /** @type {boolean} */ isOpen) => {
    if (row.tagName === "SUMMARY") row.parentElement?.toggleAttribute("open", isOpen);
  };

  /** Mark a row, or none, and the rows of the places that its notes name; return these rows. */
  const look = (/** @type {HTMLElement | null} */ row) => {
    for (const marked of place.querySelectorAll(".here, .there")) marked.classList.remove("here", "there");
    row?.classList.add("here");
    const named = row ? findElements(row, "[data-there]").map(({ dataset }) => dataset.there) : [];
    const others = findElements(place, ROW).filter(({ dataset }) => dataset.path && named.includes(dataset.path));
    for (const other of others) other.classList.add("there");
    return others;
  };

  const pane = newPane(place, {
    row: ROW,
    cell: ROW,
    keys: listKeys(tab, PART, [
      ["ArrowRight ArrowLeft", "open or close a part", (row) => open(row, true), (row) => open(row, false)],
      ["c", "copy the path", copyPath],
    ]),
  });
  bindKeys(tab, PART, [
    ["n p", "go to the next or previous loss, the largest first", () => toLoss(1), () => toLoss(-1)],
  ]);

  /** Prepare the tree after its content changed. */
  const fresh = () => {
    for (const label of findElements(place, "code.anls-label")) {
      const parts = cutName(label.textContent);
      if (parts.length > 1) label.replaceChildren(...parts); // short names stay as they are
    }
    pane.fresh();
  };

  return { ...pane, fresh, look, losses, unfold, toRow, toLoss, fill };
};
