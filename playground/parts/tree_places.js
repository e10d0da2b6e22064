// The column "cited" of a rendered tree: the sign of each row, and for a fold the sign that its rows share.

import { around, findElements, newElement } from "./elements.js";
import { drawSign } from "./document_pane.js";
import { citedPage, labelOfSign, signOf, signOfFold } from "./places.js";
import { signsOf } from "./scene.js";

/** @import { DocumentPane } from "./document_pane.js" */
/** @import { Known, Level, Sign } from "./places.js" */

/** Return a sign followed by words. @type {(look: string, sign: Sign, label: string, words: string) => HTMLElement} */
export const newSignCell = (look, sign, label, words) => {
  const cell = newElement("span", `${look}${/elsewhere|nowhere/.test(sign) ? " lost" : ""}`);
  if (sign) cell.append(drawSign(sign, label));
  if (words) cell.append(words);
  return cell;
};

/** Return the placed rows of a row: its own, or all rows within its fold. */
export const rowsWithin = (/** @type {HTMLElement} */ row, /** @type {Map<number, Server.PlacedRow>} */ byRow) => {
  const own = byRow.get(numberOfRow(row));
  if (own || row.tagName !== "SUMMARY" || !row.parentElement) return own ? [own] : [];
  return findElements(row.parentElement, ".anls-row[id]").flatMap((each) => {
    const found = byRow.get(numberOfRow(each));
    return found ? [found] : [];
  });
};

/** Return where a predicted value is found, "" if nowhere. @type {(row: Server.PlacedRow, known: Known) => string} */
const lineOf = ({ found: [, spots] }, known) => {
  if (!spots?.length) return "";
  const { page, line } = known.lineOf(spots[0]);
  return [known.pages > 1 && page, line].filter(Boolean).join(":");
};

/** Remove the signs from a tree. */
export const eraseSigns = (/** @type {HTMLElement} */ place) => {
  for (const old of findElements(place, ".anls-cited")) old.remove();
};

/** Return the number of a row in its tree. */
export const numberOfRow = (/** @type {HTMLElement} */ row) => Number(row.id.split("-").pop());

/** Highlight the boxes of the row that has the pointer or the focus. */
export const lightRows = (/** @type {HTMLElement} */ tree, /** @type {DocumentPane} */ pane) => {
  for (const kind of ["pointerover", "focusin", "pointerleave"]) {
    tree.addEventListener(kind, (event) => {
      const row = kind === "pointerleave" ? null : around(event, ".anls-row[id]");
      pane.light(row && numberOfRow(row));
    });
  }
};

/**
 * Redraw the signs of all rows; without places the tree has no such column.
 * @param {HTMLElement} place
 * @param {Server.PlacedRow[]} rows
 * @param {Level} level
 * @param {Known} known
 */
export const drawSigns = (place, rows, level, known) => {
  const isMany = known.pages !== 1;
  eraseSigns(place);
  const byRow = new Map(rows.map((row) => [row.row, row]));
  const signs = new Map(rows.map((row) => [row, signOf(row, level)]));
  const isCited = rows.some((row) => row.levels || row.cited.length);
  const lines = new Map(isCited ? [] : rows.map((row) => [row, lineOf(row, known)]));
  const hasLines = rows.some(({ found: [, spots] }) => spots?.length && known.lineOf(spots[0]).line);
  const hasSigns = [...signs.values(), ...lines.values()].some(Boolean);
  const [tree] = findElements(place, ".anls-tree");
  tree?.classList.toggle("with-places", hasSigns);
  if (!hasSigns) return;
  for (const row of findElements(place, ".anls-row")) {
    const before = row.querySelector(".anls-points") ?? row.children[2];
    if (row.classList.contains("anls-header")) {
      before?.after(newElement("span", "anls-cited", isCited ? "cited" : hasLines ? "line" : "found"));
      continue;
    }
    const within = rowsWithin(row, byRow);
    if (!within.length) continue;
    const isOwn = within.length === 1 && row.tagName !== "SUMMARY";
    if (isOwn) {
      const sign = signs.get(within[0]) ?? "";
      const page = citedPage(within[0]);
      const words = isMany && page && sign !== "none" ? String(page) : (lines.get(within[0]) ?? "");
      if (sign || words) before?.after(newSignCell("anls-cited", sign, labelOfSign(sign, isMany ? page : 0), words));
      continue;
    }
    const { sign, pages, elsewhere } = signOfFold(signsOf(within, level));
    const label = elsewhere ? `${elsewhere} with another region` : labelOfSign(sign, 0);
    const words = elsewhere ? `${elsewhere}×` : isMany && sign !== "none" ? pages : "";
    if (sign) before?.after(newSignCell("anls-cited", sign, label, words));
  }
};
