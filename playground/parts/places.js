// Where values are expected and cited: the sign and the sentence of a row, and the part of a page to enlarge.

import { counted } from "./words.js";

/** @typedef {"page" | "box"} Level */
/** @typedef {[left: number, top: number, right: number, bottom: number]} Box  on a page whose sides are 1 */
/**
 * The region that a value cites: "there" the right region, "elsewhere" another, "none" nothing cited or predicted,
 * "free" no region annotated, "nowhere" value not found in the document, "" unknown.
 * @typedef {"there" | "elsewhere" | "none" | "free" | "nowhere" | ""} Sign
 */
/** @typedef {Server.Share} Share */
/**
 * @typedef {object} Known  known facts about the document
 * @property {number} pages  the number of pages, 0 if unknown
 * @property {(place: Server.Region) => string} textAt  returns the text at a place, "" if unknown
 * @property {(spot: Server.Mark) => {page: number, line: number}} lineOf  returns the position of a span of the text;
 *   line 0 if lines are not shown
 * @property {(place: Server.Region) => number} lineAt  returns the line of a place on its page, 0 if unknown
 */

export const IOU = 0.5; // the least overlap at which a box is accepted, by default

/** @type {Record<Share, string>} */
export const SHARE_NAMES = {
  right_value_right_region: "right value, right region",
  right_value_other_region: "right value, other region",
  wrong_value_right_region: "wrong value, right region",
  wrong_value_other_region: "wrong value, other region",
  missing: "missing value",
};

const SIGN_NAMES = {
  there: "with the right region",
  elsewhere: "with another region",
  none: "nothing cited",
  free: "cited, no region is annotated",
  nowhere: "not found in the document",
  "": "",
};

/** Return the level of a system's citations: "box" if at least one has a box, else "page". */
export const levelOfCitations = (/** @type {Pick<Server.PlacedRow, "cited">[]} */ rows) =>
  rows.some(({ cited }) => cited.some(([, boxes]) => boxes.length)) ? "box" : "page";

/** Return whether a row has a box as evidence, and cites pages without a box. */
const citesPagesAlone = (/** @type {Server.PlacedRow} */ { levels }) =>
  Boolean(levels?.box && !levels.box[1] && levels.page?.[1]);

/**
 * Return the level by which a row is evaluated: the requested level, or else the level of its evidence. A value that
 * cites pages alone is evaluated by its pages.
 */
const levelOf = (/** @type {Server.PlacedRow} */ row, /** @type {Level} */ level) =>
  row.levels && (row.levels[level] && !citesPagesAlone(row) ? level : row.levels.page ? "page" : null);

/** Return the share that counts the value of a row. @type {(row: Server.PlacedRow, level: Level) => Share | null} */
export const shareOf = (row, level) => {
  const counts = row.levels?.[level];
  if (!counts) return null;
  if (!row.predicted) return "missing";
  return `${row.right ? "right" : "wrong"}_value_${counts[0] > 0 ? "right" : "other"}_region`;
};

/** @type {(row: Server.PlacedRow, level: Level) => Sign} */
export const signOf = (row, level) => {
  const at = levelOf(row, level);
  const [, prediction] = row.found;
  if (at) {
    const [accepted, cited] = row.levels?.[at] ?? [0, 0];
    if (!row.predicted || !cited) return "none";
    return accepted ? "there" : "elsewhere";
  }
  if (row.cited.length) return "free";
  return prediction && !prediction.length ? "nowhere" : "";
};

/** Return the first page that a row cites, 0 for none. @type {(row: Server.PlacedRow) => number} */
export const citedPage = (row) => row.cited.find(([page]) => page !== null && page > 0)?.[0] ?? 0;

/** Return the page on which the value is expected; among several, the cited page. */
export const expectedPage = (/** @type {Server.PlacedRow} */ row) => {
  const cited = citedPage(row);
  const pages = row.expected.map(([page]) => page ?? 0).filter((page) => page > 0);
  return pages.includes(cited) ? cited : (pages[0] ?? 0);
};

/**
 * Return the text of a sign for screen readers.
 * @type {(sign: Sign, page: number) => string}
 */
export const labelOfSign = (sign, page) => SIGN_NAMES[sign] + (page && sign !== "none" ? `, page ${page}` : "");

/**
 * Summarize the rows of a fold: the sign and the pages that they share, else how many cite another region.
 * @type {(rows: {sign: Sign, page: number}[]) => {sign: Sign, pages: string, elsewhere: number}}
 */
export const signOfFold = (rows) => {
  const signs = new Set(rows.map(({ sign }) => sign));
  const pages = [...new Set(rows.map(({ page }) => page))].filter(Boolean).sort((one, other) => one - other);
  const run = pages.length > 1 && pages[pages.length - 1] - pages[0] === pages.length - 1;
  const said = run ? `${pages[0]}–${pages[pages.length - 1]}` : pages.length === 1 ? String(pages[0]) : "";
  const elsewhere = rows.filter(({ sign }) => sign === "elsewhere").length;
  if (signs.size === 1) return { sign: rows[0].sign, pages: said, elsewhere: 0 };
  return { sign: elsewhere ? "elsewhere" : "", pages: "", elsewhere };
};

/** @type {(values: (string | number)[]) => string} */
const listed = (values) => [values.slice(0, -1).join(", "), values[values.length - 1]].filter(Boolean).join(" and ");

/** Say where a value was found in the text. @type {(spots: Server.Mark[], known: Known) => string} */
const standing = (spots, known) => {
  if (!spots.length) return "not found in the document";
  const { page, line } = known.lineOf(spots[0]);
  const where = [known.pages > 1 && `page ${page}`, line && `line ${line}`].filter(Boolean).join(", ");
  if (spots.length > 1) return `found ${counted(spots.length, "time")}${where && `, first on ${where}`}`;
  return `found ${where ? `on ${where}` : "in the document"}`;
};

/** Quote the document at the cited place, in a sentence. @type {(row: Server.PlacedRow, known: Known) => string} */
const saidThere = (row, known) => {
  const said = row.cited.map(known.textAt).find(Boolean) ?? "";
  return said ? `The document says ${said} there.` : "";
};

/** @type {(row: Server.PlacedRow, level: Level, known: Known, asked: number) => [title: string, detail: string]} */
const ofElsewhere = (row, level, known, asked) => {
  const value = row.right ? "Right" : "Wrong";
  const [cited, expected] = [citedPage(row), expectedPage(row)];
  const beyond = known.pages && cited > known.pages;
  if (beyond) {
    const has = `the document has ${counted(known.pages, "page")}`;
    return [`The citation names page ${cited}; ${has}.`, "It counts as another region."];
  }
  if (!cited) return [`${value} value, other region.`, "The citation is invalid: it names no region."];
  const pages = [...new Set(row.expected.map(([page]) => page ?? 0))];
  const accepted = pages.length > 1 ? `Pages ${listed(pages)} are accepted.` : `Only page ${pages[0]} is accepted.`;
  const said = saidThere(row, known);
  if (cited !== expected) {
    const title = `${value} value, other region: page ${cited}, expected page ${expected}.`;
    return [title, row.right ? accepted : said || accepted];
  }
  const apart =
    row.overlap === null || level === "page"
      ? "No box is cited."
      : `The boxes overlap by ${row.overlap.toFixed(2)}; at least ${asked.toFixed(2)} is required.`;
  const [line, expectedLine] = [row.cited, row.expected].map((places) => places.map(known.lineAt).find(Boolean) ?? 0);
  const lines = line && expectedLine && line !== expectedLine ? `: line ${line}, expected line ${expectedLine}` : "";
  const where = known.pages === 1 ? lines : ` on page ${cited}`;
  return [`${value} value, other region${where}.`, row.right ? apart : said || apart];
};

/** @type {(row: Server.PlacedRow, level: Level, known: Known) => [title: string, detail: string]} */
const ofThere = (row, level, known) => {
  const boxes = row.overlap === null ? "" : `The boxes overlap by ${row.overlap.toFixed(2)}.`;
  if (!row.right) {
    const said = saidThere(row, known);
    return ["Wrong value, right region: misread.", [said, level === "box" ? boxes : ""].filter(Boolean).join(" ")];
  }
  const place = level === "box" ? "region" : "page";
  if (row.expected.length > 1) {
    const pages = [...new Set(row.expected.map(([page]) => page ?? 0))].sort((one, other) => one - other);
    const accepted = pages.length > 1 ? `Pages ${listed(pages)} are accepted.` : boxes;
    return [`Right value, right ${place}: one of ${row.expected.length} accepted.`, accepted];
  }
  return [`Right value, right ${place}.`, level === "box" ? boxes : "No box is annotated."];
};

/**
 * Return a sentence about a row, and details.
 * @type {(row: Server.PlacedRow, level: Level, known: Known, asked: number) => [title: string, detail: string]}
 */
export const sentencesOf = (row, level, known, asked) => {
  const at = levelOf(row, level);
  const sign = signOf(row, level);
  const page = expectedPage(row);
  const line = known.pages === 1 ? row.expected.map(known.lineAt).find(Boolean) : 0;
  const expected = line ? ` on line ${line}` : known.pages === 1 || !page ? "" : ` on page ${page}`;
  if (at && (sign === "there" || sign === "elsewhere")) {
    const [title, detail] = sign === "there" ? ofThere(row, at, known) : ofElsewhere(row, at, known, asked);
    return [title, level === "box" && citesPagesAlone(row) ? "No box is cited." : detail];
  }
  if (at && row.empty) return ["Wrong value: it is empty.", expected ? `It is expected${expected}.` : ""];
  if (at && !row.predicted) return [expected ? `Missing: it is expected${expected}.` : "Missing.", ""];
  if (at) {
    return [`${row.right ? "Right" : "Wrong"} value, nothing cited.`, expected ? `It is expected${expected}.` : ""];
  }
  if (sign === "free") {
    const cited = citedPage(row);
    const said = saidThere(row, known);
    return [
      known.pages === 1 || !cited
        ? "Cited. No region is annotated."
        : `Cited on page ${cited}. No region is annotated.`,
      said,
    ];
  }
  if (sign === "nowhere" && (row.extra || row.found[0] === undefined)) {
    return ["The value was not found in the document.", "Nothing is cited."];
  }
  const [truth, prediction] = row.found;
  const said = [
    ...(truth ? [`Ground truth ${standing(truth, known)}.`] : []),
    ...(prediction ? [`Prediction ${standing(prediction, known)}.`] : []),
  ];
  if (said.length) return [said[0], said[1] ?? ""];
  return [
    row.found.length ? "Values as short as this are not looked up." : "Nothing is cited, and no region is annotated.",
    "",
  ];
};

/** Return the box around boxes. @type {(boxes: Box[]) => Box} */
export const around = (boxes) => {
  const least = (/** @type {number} */ side) => Math.min(...boxes.map((box) => box[side]));
  const most = (/** @type {number} */ side) => Math.max(...boxes.map((box) => box[side]));
  return [least(0), least(1), most(2), most(3)];
};

const USUAL = 0.42; // the part of a page's width to enlarge; more for a wide region
const LEFT = 0.02; // margin before a region that is cut off, as a part of the enlarged width
const ROOM = 1.2; // margin above and below a region, as a multiple of its height

const HIGHEST = 3; // the largest height of an enlarged part around a high region, as a multiple of the usual one

/**
 * Return the part of a page to enlarge around a region. Its height is `ratio` of its width, or somewhat more if the
 * region is higher. It is at most `most` of the page wide, so that the text is large enough. If the region is larger,
 * the part shows the region's beginning.
 * @type {(box: Box, page: {width: number, height: number}, ratio: number, most?: number) => Box}
 */
export const partAround = ([left, top, right, bottom], { width, height }, ratio, most = 1) => {
  const shape = width / height; // heights are fractions of the height
  const high = (bottom - top) * (1 + 2 * ROOM);
  const wide = Math.min(1, most, Math.max(USUAL, (right - left) * 1.15, high / (ratio * shape)));
  const usual = wide * ratio * shape;
  const tall = Math.min(1, HIGHEST * usual, Math.max(usual, (bottom - top) * 1.15));
  const x = Math.max(0, Math.min(1 - wide, left - LEFT * wide, (left + right - wide) / 2));
  const y = Math.max(0, Math.min(1 - tall, top - LEFT * tall, (top + bottom - tall) / 2));
  return [x, y, x + wide, y + tall];
};

/** Return whether one enlarged part can show two regions: they are near each other, or hardly larger together. */
export const areNear = (/** @type {Box} */ one, /** @type {Box} */ other) => {
  const [wide, high] = [0, 1].map((side) => Math.max(one[side + 2] - one[side], other[side + 2] - other[side]));
  const [left, top, right, bottom] = around([one, other]);
  return right - left < Math.max(0.6, 1.1 * wide) && bottom - top < Math.max(0.12, 1.1 * high);
};

export const ALIKE = 0.005; // part of a page; boxes that differ by less look the same

/** Return whether regions look the same. @type {(one: Box[], other: Box[]) => boolean} */
export const areAlike = (one, other) =>
  one.length === other.length &&
  one.every((box, at) => box.every((side, number) => Math.abs(side - other[at][number]) < ALIKE));

/**
 * Return the words of a page whose centres are within boxes.
 * @template {{box: Box}} W
 * @param {W[]} words
 * @param {Box[]} boxes
 */
export const wordsWithin = (words, boxes) =>
  words.filter(({ box: [left, top, right, bottom] }) => {
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return boxes.some((box) => box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3]);
  });
