// The scene of a tree's values in the pane of a document: boxes of the chosen row and of other rows, sentences about
// the row, and the spans of its values in the text.

import { NAMES } from "./drawn_pages.js";
import { boxOf, lineAt, unitsOf } from "./marks.js";
import { around, citedPage, expectedPage, sentencesOf, signOf, signOfFold, wordsWithin } from "./places.js";
import { counted } from "./words.js";

/** @import { LoadedDocument } from "./document_files.js" */
/** @import { Scene } from "./document_pane.js" */
/** @import { PageMark } from "./drawn_pages.js" */
/** @import { MarkedPlace } from "./marks.js" */
/** @import { Box, Known, Level, Sign } from "./places.js" */
/**
 * @typedef {object} Values
 * @property {string} name  the name of the document
 * @property {Server.PlacedRow[]} rows  the rows of its tree
 * @property {Server.PlacedRow[]} chosen  the chosen rows
 * @property {Level} level
 * @property {number} asked  the least overlap of boxes
 * @property {LoadedDocument} document
 * @property {Node[]} none  shown instead of a missing document
 */

const APART = 2.5; // largest distance between lines of a region, in heights of a box

/** @type {WeakMap<object, number[]>} a cache by text, since texts can be long */
const UNITS = new WeakMap();

/** Return the offsets of a document's text, computed once. @type {(document: LoadedDocument) => number[]} */
const unitsIn = ({ placed }) => {
  if (!placed) return [0];
  const known = UNITS.get(placed) ?? unitsOf(placed.text);
  UNITS.set(placed, known);
  return known;
};

/** Return the number of a document's pages, as far as its files have it. */
export const pageCountOf = (/** @type {LoadedDocument} */ { pages, placed }) =>
  Math.max(pages.length, placed ? placed.text.split("\f").length : 0);

/** @type {(document: LoadedDocument) => Known} */
export const knownOf = (document) => {
  const { placed } = document;
  const text = placed?.text ?? "";
  const wordsOn = (/** @type {number | null} */ page) => (placed?.words ?? []).filter((word) => word.page + 1 === page);
  return {
    pages: pageCountOf(document),
    textAt: ([page, boxes]) => {
      const words = wordsWithin(wordsOn(page), boxes);
      return words.map(({ start, end }) => text.slice(start, end)).join(" ");
    },
    lineOf: (spot) => lineAt(text, unitsIn(document)[spot[0][0]]),
    lineAt: ([page, boxes]) => {
      const [word] = wordsWithin(wordsOn(page), boxes);
      return word ? lineAt(text, word.start).line : 0;
    },
  };
};

/** Return the facts without lines, for an image, in which lines have no numbers. @type {(known: Known) => Known} */
const withoutLines = (known) => ({
  ...known,
  lineOf: (spot) => ({ ...known.lineOf(spot), line: 0 }),
  lineAt: () => 0,
});

/** Return the facts for a tree: with lines if there are no images. @type {(document: LoadedDocument) => Known} */
export const knownInTree = (document) => {
  const known = knownOf(document);
  return document.pages.some((page) => page?.width) ? withoutLines(known) : known;
};

/** @type {(row: Server.PlacedRow, sides: ("cited" | "expected")[], isChosen: boolean) => PageMark[]} */
export const marksOf = (row, sides, isChosen) =>
  sides.flatMap((side) =>
    row[side].flatMap(([page, boxes]) =>
      page !== null && page > 0 && boxes.length
        ? [
            {
              page,
              boxes,
              look: isChosen ? side : /** @type {const} */ ("other"),
              label: `${row.path}, ${side}, page ${page}`,
              row: row.row,
            },
          ]
        : [],
    ),
  );

/** Return a row's spans in the text. @type {(row: Server.PlacedRow, document: LoadedDocument) => MarkedPlace[]} */
export const spansOf = ({ found }, document) => {
  const units = unitsIn(document);
  return found.flatMap((spots, side) =>
    (spots ?? []).map((spot) =>
      spot.map(([start, end]) => ({ start: units[start], end: units[end], look: side ? "" : "truth" })),
    ),
  );
};

/**
 * Mark the values of a row where they are found on the pages.
 * @type {(row: Server.PlacedRow, document: LoadedDocument) => PageMark[]}
 */
export const foundMarks = (row, document) =>
  spansOf(row, document).flatMap((place) => {
    const at = boxOf(place, document.placed?.words ?? []);
    if (!at) return [];
    const [page, label] = [at.number + 1, `${row.path}, found, page ${at.number + 1}`];
    return [{ page, boxes: [at.box], look: place[0].look ? "truth" : "found", label, row: row.row }];
  });

/**
 * Join the marks of several values into regions: marks with the same look on consecutive lines, if no other mark is in
 * between.
 * @type {(marks: PageMark[], chosen: Server.PlacedRow[], rows: Server.PlacedRow[]) => PageMark[]}
 */
const regionsOf = (marks, chosen, rows) => {
  const own = new Set(chosen);
  const others = rows.flatMap((row) => (own.has(row) ? [] : marksOf(row, ["expected", "cited"], false)));
  const centers = others.flatMap(({ page, boxes }) =>
    boxes.map(([left, top, right, bottom]) => ({ page, x: (left + right) / 2, y: (top + bottom) / 2 })),
  );
  const isFree = (/** @type {number} */ on, /** @type {Box} */ [left, top, right, bottom]) =>
    !centers.some(({ page, x, y }) => page === on && left < x && x < right && top < y && y < bottom);
  const inOrder = marks.map((mark) => ({ mark, box: around(mark.boxes), count: 1 }));
  inOrder.sort((one, other) => one.mark.page - other.mark.page || one.box[1] - other.box[1]);
  /** @type {Map<string, typeof inOrder[0]>} */
  const lasts = new Map();
  const regions = inOrder.filter((each) => {
    const key = `${each.mark.look} ${each.mark.page}`;
    const last = lasts.get(key);
    const [, top, , bottom] = each.box;
    if (last && top - last.box[3] < APART * (bottom - top)) {
      const box = around([last.box, each.box]);
      if (isFree(each.mark.page, box)) {
        Object.assign(last, { box, count: last.count + 1 });
        return false;
      }
    }
    lasts.set(key, each);
    return true;
  });
  return regions.map(({ mark, box, count }) => {
    const label = `${counted(count, "value")}, ${NAMES[mark.look]}, page ${mark.page}`;
    return count > 1 ? { ...mark, boxes: [box], label } : mark;
  });
};

/**
 * Mark the values that lost points where they are cited, else expected, else found.
 * @type {(rows: Server.PlacedRow[], document: LoadedDocument) => PageMark[]}
 */
export const lossMarks = (rows, document) =>
  rows.flatMap((row) => {
    const { outcome: look } = row;
    if (!look) return [];
    const cited = marksOf(row, ["cited"], true);
    const others = cited.length ? [] : [...marksOf(row, ["expected"], true), ...foundMarks(row, document)].slice(0, 1);
    return [...cited, ...others].map((mark) => ({ ...mark, look, label: `${row.path}, ${look}, page ${mark.page}` }));
  });

/** Return sentences about several rows. @type {(rows: Server.PlacedRow[], level: Level, known: Known) => string[]} */
const saidOfAll = (rows, level, known) => {
  const missing = rows.filter((row) => row.levels && !row.predicted && !row.empty);
  const pages = [...new Set(missing.map(expectedPage))].filter(Boolean);
  const lines = new Set(missing.flatMap(({ found: [truth] }) => (truth?.length ? [known.lineOf(truth[0]).line] : [])));
  const [line] = lines.size === 1 ? lines : [0];
  const where =
    pages.length === 1 && known.pages !== 1
      ? ` on page ${pages[0]}`
      : line && known.pages === 1
        ? ` on line ${line}`
        : "";
  const are = missing.length === 1 ? "is" : "are";
  if (missing.length && missing.length === rows.length) {
    return [`Missing: ${counted(missing.length, "value")} ${are} expected${where}.`];
  }
  const signs = rows.map((row) => signOf(row, level));
  const count = (/** @type {string} */ name) => signs.filter((sign) => sign === name).length;
  const said = [
    [count("there"), "with the right region"],
    [count("elsewhere"), "with another region"],
    [count("none") - missing.length, "not cited"],
    [missing.length, "missing"],
  ].filter(([many]) => many);
  const parts = said.map(([many, words]) => `${many} ${words}`);
  const looked = rows.flatMap(({ found: [, spots] }) => (spots ? [spots.length] : []));
  if (!parts.length && looked.length) {
    parts.push(`${looked.filter(Boolean).length} of ${looked.length} predicted were found in the document`);
  }
  return [`${counted(rows.length, "value")}.`, ...(parts.length ? [`${parts.join(", ")}.`] : [])];
};

/** Say why no region of a value is known. */
const withoutRows = (/** @type {LoadedDocument} */ { pages, placed }) => {
  const isThere = pages.length || placed;
  return isThere && !placed?.text.trim() ? "There is no text in which values can be found." : "No regions are known.";
};

/**
 * Return the row whose ground truth is found where a value is predicted.
 * @type {(row: Server.PlacedRow, rows: Server.PlacedRow[]) => Server.PlacedRow | undefined}
 */
const ownerOf = ({ row: own, found: [, spots] }, rows) =>
  rows.find(({ row, found: [truth] }) => row !== own && truth?.some((spot) => String(spot) === String(spots?.[0])));

/** @type {(values: Values) => Scene} */
export const sceneOf = ({ name, rows, chosen, level, asked, document, none }) => {
  const known = knownOf(document);
  const [first] = chosen;
  const isOne = chosen.length === 1;
  const spans = chosen.flatMap((row) => spansOf(row, document));
  const placed = chosen.flatMap((row) => marksOf(row, ["expected", "cited"], true));
  const own = placed.length ? placed : chosen.flatMap((row) => foundMarks(row, document));
  const marks = isOne ? own : regionsOf(own, chosen, rows);
  const others = isOne ? rows.filter((row) => row !== first) : rows;
  const areCited = rows.some((row) => row.cited.length);
  /** @type {(row: Server.PlacedRow) => PageMark[]} */
  const faint = (row) =>
    areCited
      ? marksOf(row, ["cited"], false)
      : foundMarks(row, document).flatMap((mark) => (mark.look === "found" ? [{ ...mark, look: "other" }] : []));
  const sign = isOne ? signOf(first, level) : chosen.length ? signOfFold(signsOf(chosen, level)).sign : "";
  /** @type {(shown: Known) => string[]} */
  const saidWith = (shown) => {
    if (!chosen.length) return [rows.length ? "Choose a value to see its region." : withoutRows(document)];
    if (!isOne) return saidOfAll(chosen, level, shown);
    const said = sentencesOf(first, level, shown, asked);
    const owner = /^Prediction found (on|in) /.test(said[1]) ? ownerOf(first, rows) : undefined;
    if (owner) said[1] = `${said[1].slice(0, -1)}, where ${owner.path} is expected.`;
    return said;
  };
  const [page = 0] = chosen.map((row) => citedPage(row) || expectedPage(row)).filter(Boolean);
  return {
    name,
    field: first?.path ?? "",
    sign,
    said: saidWith(withoutLines(known)),
    saidInText: saidWith(known),
    page: page || (marks[0]?.page ?? (spans[0] ? pageOfSpan(document, spans[0]) : 0)),
    marks,
    others: others.flatMap(faint),
    losses: lossMarks(rows, document),
    spans: spans.flat(),
    document,
    pageCount: known.pages,
    none,
  };
};

/** @type {(document: LoadedDocument, place: MarkedPlace) => number} */
const pageOfSpan = ({ placed }, [{ start }]) => (placed?.text ?? "").slice(0, start).split("\f").length;

/**
 * Return the signs of rows, and the pages that they cite.
 * @type {(rows: Server.PlacedRow[], level: Level) => {sign: Sign, page: number}[]}
 */
export const signsOf = (rows, level) => rows.map((row) => ({ sign: signOf(row, level), page: citedPage(row) }));
