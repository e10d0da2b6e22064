// Where several systems cite the values of a row: one sentence per system, and boxes with the letters of the systems.

import { drawSign } from "../parts/document_pane.js";
import { newElement } from "../parts/elements.js";
import {
  ALIKE,
  IOU,
  citedPage,
  expectedPage,
  labelOfSign,
  levelOfCitations,
  sentencesOf,
  signOf,
} from "../parts/places.js";
import { foundMarks, knownOf, lossMarks, marksOf, spansOf } from "../parts/scene.js";
import { newSignCell } from "../parts/tree_places.js";

/** @import { LoadedDocument } from "../parts/document_files.js" */
/** @import { Scene } from "../parts/document_pane.js" */
/** @import { PageMark } from "../parts/drawn_pages.js" */
/** @import { Level } from "../parts/places.js" */
/**
 * @typedef {object} SystemsValues
 * @property {string} name  the name of the document
 * @property {string[]} systems  their names, best first
 * @property {Server.PlacedRow[][]} places  the rows of each system
 * @property {number | null} row  the row that is looked at
 * @property {LoadedDocument} document
 * @property {Node[]} none
 */

/** Compare boxes if every system cites some, else pages. @type {(places: Server.PlacedRow[][]) => Level} */
export const levelOfAll = (places) =>
  places.every((ofSystem) => levelOfCitations(ofSystem) === "box") ? "box" : "page";

/**
 * Return the rows that a system cites in another region, or that systems cite differently. A system without any
 * citations does not count.
 * @type {(places: Server.PlacedRow[][]) => Set<number>}
 */
export const rowsCitedApart = (places) => {
  const level = levelOfAll(places);
  const citing = places.filter((ofSystem) => ofSystem.some(({ cited }) => cited.length));
  const numbers = new Set(citing.flatMap((ofSystem) => ofSystem.map(({ row }) => row)));
  return new Set(
    [...numbers].filter((number) => {
      const signs = citing.map((ofSystem) => {
        const row = ofSystem.find((each) => each.row === number);
        return row ? signOf(row, level) : "";
      });
      return signs.includes("elsewhere") || new Set(signs).size > 1;
    }),
  );
};

/**
 * Mark a system's value in the document: where it is cited, else where it is first found, preferably on the cited
 * page, else the cited page.
 * @type {(row: Server.PlacedRow, document: LoadedDocument) => PageMark[]}
 */
const predictedMarks = (row, document) => {
  const cited = marksOf(row, ["cited"], true);
  if (cited.length) return cited;
  const found = foundMarks(row, document).filter(({ look }) => look === "found");
  const page = citedPage(row);
  const [first = null] = [...found.filter((mark) => mark.page === page), ...found];
  if (first) return [first];
  return page ? [{ page, boxes: [], look: "cited", label: row.path, row: row.row }] : [];
};

/** Return the letter of a system. */
export const letterOf = (/** @type {number} */ system) => String.fromCharCode("A".charCodeAt(0) + system);

/**
 * Join marks on the same boxes into one mark with all letters, which is cited if one system cites it.
 * @type {(marks: PageMark[]) => PageMark[]}
 */
export const joinedMarks = (marks) => {
  /** @type {Map<string, PageMark>} */
  const found = new Map();
  for (const mark of marks) {
    const rounded = mark.boxes.map((box) => box.map((side) => Math.round(side / ALIKE)));
    const key = JSON.stringify([mark.page, mark.look === "found" ? "cited" : mark.look, rounded]);
    const same = found.get(key) ?? { ...mark, letters: "" };
    same.letters = (same.letters ?? "") + (mark.letters ?? "");
    if (mark.look === "cited") [same.look, same.label] = [mark.look, mark.label];
    found.set(key, same);
  }
  return [...found.values()];
};

/**
 * Mark the values that each system lost. Only the label names the system.
 * @type {(places: Server.PlacedRow[][], document: LoadedDocument) => PageMark[]}
 */
const lossesOfAll = (places, document) => {
  const losses = places.flatMap((rows, system) =>
    lossMarks(rows, document).map((mark) => ({ ...mark, letters: letterOf(system) })),
  );
  return joinedMarks(losses).map(({ letters, ...mark }) => ({ ...mark, label: `${mark.label}, ${letters}` }));
};

/** @type {(values: SystemsValues) => Scene} */
export const sceneOfSystems = ({ name, systems, places, row, document, none }) => {
  const level = levelOfAll(places);
  const known = knownOf(document);
  const rows = places.map((ofSystem) => ofSystem.find((each) => each.row === row) ?? null);
  const [first = null] = rows.filter((each) => each !== null);
  const said = rows.map((each, system) => {
    const sign = each ? signOf(each, level) : "";
    const [first, second] = each ? sentencesOf(each, level, known, IOU) : ["Nothing is cited.", ""];
    const title = second.startsWith("Prediction") ? second : first;
    const letter = newElement("b", "abc", letterOf(system));
    return newElement("p", "ev-who", letter, newElement("span", "", systems[system]), drawSign(sign), title);
  });
  const cited = rows.flatMap((each, system) =>
    each ? predictedMarks(each, document).map((mark) => ({ ...mark, letters: letterOf(system) })) : [],
  );
  const expected = first ? marksOf(first, ["expected"], true) : [];
  const others = places.flatMap((ofSystem) => ofSystem.filter((each) => each.row !== row));
  const pages = rows.map((each) => (each ? citedPage(each) || expectedPage(each) : 0)).filter(Boolean);
  return {
    name,
    field: first?.path ?? "",
    sign: "",
    said: first ? said : ["Choose a value to see its regions."],
    page: pages[0] ?? cited[0]?.page ?? 0,
    marks: [...expected, ...joinedMarks(cited)],
    losses: lossesOfAll(places, document),
    others: joinedMarks(others.flatMap((each) => marksOf(each, ["cited"], false))),
    spans: rows.flatMap((each) => (each ? spansOf(each, document).flat() : [])),
    document,
    pageCount: known.pages,
    none,
  };
};

/**
 * Put signs and letters into the table of a document.
 * @type {(table: HTMLElement, places: Server.PlacedRow[][]) => void}
 */
export const drawSystemSigns = (table, places) => {
  const rows = [...table.querySelectorAll("tr[data-row]")];
  const level = levelOfAll(places);
  const hasSigns = places.some((ofSystem) => ofSystem.length);
  for (const [system, ofSystem] of places.entries()) {
    const head = table.querySelector(`thead [data-system="${system}"]`);
    if (hasSigns) head?.prepend(newElement("b", "abc", letterOf(system)), " ");
    for (const each of ofSystem) {
      const sign = signOf(each, level);
      const page = citedPage(each);
      const cell = rows[each.row]?.querySelector(`[data-system="${system}"] .cmp-at`);
      if (!sign || !cell) continue;
      const words = page && sign !== "none" ? String(page) : "";
      cell.append(newSignCell("cmp-cited", sign, labelOfSign(sign, page), words));
      const expected = expectedPage(each);
      if (sign !== "elsewhere" || !page) continue;
      const where = page === expected ? "cites another region" : `cites page ${page}, expected page ${expected}`;
      cell.after(newElement("small", "cmp-where", where));
    }
  }
};
