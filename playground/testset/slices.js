// The slices of a test set as a table: the score of each, and its share of the lost points.

import { cutName, newButton, newElement } from "../parts/elements.js";
import { percentOf } from "./grounding.js";

const HEADS = ["slice", "documents", "score", "interval", "share of the loss"];

/**
 * Sort the slices by the points that they lost, most first, and add the share of each in all lost points.
 * @type {(slices: Server.Slice[]) => (Server.Slice & {share: number})[]}
 */
export const byLoss = (slices) => {
  const all = slices.reduce((sum, { lost }) => sum + lost, 0);
  return slices
    .map((slice) => ({ ...slice, share: all ? slice.lost / all : 0 }))
    .sort((one, other) => other.lost - one.lost);
};

/**
 * Return a table of the slices; the button of a slice filters its documents, or shows all again.
 * @type {(slices: Server.Slice[], chosen: string | null, choose: (slice: string | null) => void) => HTMLElement}
 */
export const drawSlices = (slices, chosen, choose) => {
  const heads = HEADS.map((head) => {
    const cell = newElement("th", "", head);
    cell.scope = "col";
    return cell;
  });
  const rows = byLoss(slices).map(({ value, documents, score, ends, share }) => {
    const isPressed = value === chosen;
    const button = newButton("btn ghost", "", () => choose(isPressed ? null : value));
    button.append(...cutName(value));
    button.setAttribute("aria-pressed", String(isPressed));
    const name = newElement("th", "", button);
    name.scope = "row";
    const bar = newElement("span", "bar lost", document.createElement("i"));
    bar.style.setProperty("--v", String(share));
    return newElement(
      "tr",
      "",
      name,
      newElement("td", "num", documents.toLocaleString("en")),
      newElement("td", "num", score.toFixed(3)),
      newElement("td", "num soft", ends ? ends.map((end) => end.toFixed(3)).join("–") : "–"),
      newElement("td", "num", bar, percentOf(share)),
    );
  });
  return newElement(
    "table",
    "",
    newElement("thead", "", newElement("tr", "", ...heads)),
    newElement("tbody", "", ...rows),
  );
};
