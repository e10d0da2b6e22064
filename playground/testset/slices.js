// The slices of a test set as a table: how each scored, and its share of what was lost.

import { cutName, newButton, newElement } from "../parts/elements.js";
import { percentOf } from "./grounding.js";

const HEADS = ["slice", "documents", "score", "interval", "share of the loss"];

/**
 * The slices that lost most first, each with its share of all that was lost.
 * @type {(slices: Server.Slice[]) => (Server.Slice & {share: number})[]}
 */
export const byLoss = (slices) => {
  const all = slices.reduce((sum, { lost }) => sum + lost, 0);
  return slices
    .map((slice) => ({ ...slice, share: all ? slice.lost / all : 0 }))
    .sort((one, other) => other.lost - one.lost);
};

/**
 * A slice is a button that shows its documents alone, or again all.
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
