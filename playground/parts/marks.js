// The positions of values: in the text of their document, and on the images of its pages.

import { around } from "./places.js";
import { stemOf } from "./words.js";

/** @typedef {{start: number, end: number}} Span  part of a text, in UTF-16 code units */
/** @typedef {(Span & {look?: string})[]} MarkedPlace  the spans of a value, such as the words of a row */
/** @typedef {[left: number, top: number, right: number, bottom: number]} Box  on a page whose sides are 1 */
/** @typedef {Span & {page: number, box: Box}} PlacedWord  a word of the text with its box */
/** @typedef {{text: string, words: PlacedWord[], images: string[]}} PlacedText  images: names of the pages' images */

/** Return the offset in UTF-16 code units of each character of a text. @type {(text: string) => number[]} */
export const unitsOf = (text) => {
  const ends = [0];
  for (const sign of text) ends.push(ends[ends.length - 1] + sign.length);
  return ends;
};

/**
 * Return the places of the chosen answer, then of the ground truth, without duplicates; without a choice all places in
 * order. The server counts characters.
 * @type {(answer: Server.Beside, chosen: number | null) => MarkedPlace[]}
 */
export const matchesOf = ({ text, marks }, chosen) => {
  if (text === null) return [];
  const ends = unitsOf(text);
  const all = marks.flat().sort((one, other) => one[0][0] - other[0][0]);
  const wanted = chosen === null ? all : [...(marks[1 + chosen] ?? []), ...marks[0]];
  const overlaps = (/** @type {MarkedPlace} */ one, /** @type {MarkedPlace} */ other) =>
    other[0].start < one[one.length - 1].end && one[0].start < other[other.length - 1].end;
  /** @type {MarkedPlace[]} */
  const found = [];
  for (const mark of wanted) {
    const place = mark.map(([start, end]) => ({ start: ends[start], end: ends[end] }));
    if (!found.some((other) => overlaps(place, other))) found.push(place);
  }
  return found;
};

/** Return the words that a span touches, in order. @type {(words: PlacedWord[], span: Span) => PlacedWord[]} */
const wordsIn = (words, { start, end }) => {
  let [first, beyond] = [0, words.length];
  while (first < beyond) {
    const middle = (first + beyond) >> 1;
    if (words[middle].end <= start) first = middle + 1;
    else beyond = middle;
  }
  while (beyond < words.length && words[beyond].start < end) beyond += 1;
  return words.slice(first, beyond);
};

/**
 * Return the page of a place and the box around it there; null if unknown.
 * @type {(place: MarkedPlace, words: PlacedWord[]) => {number: number, box: Box} | null}
 */
export const boxOf = (place, words) => {
  const within = place.flatMap((span) => wordsIn(words, span));
  if (!within.length) return null;
  const { page: number } = within[0];
  return { number, box: around(within.filter(({ page }) => page === number).map(({ box }) => box)) };
};

/**
 * Return whether two spans are on one line: of the page if their boxes are known, else of the text.
 * @type {(one: Span, other: Span, placed: Pick<PlacedText, "text" | "words">) => boolean}
 */
const areOnOneLine = (one, other, { text, words }) => {
  const [first, second] = [one, other].map((span) => boxOf([span], words));
  if (!first || !second) {
    return !/[\n\f]/.test(text.slice(Math.min(one.end, other.end), Math.max(one.start, other.start)));
  }
  const [, top, , bottom] = second.box;
  const middle = (top + bottom) / 2;
  return first.number === second.number && first.box[1] <= middle && middle <= first.box[3];
};

/**
 * Return the number of the match with most of its row on the same line; among several, of the nearest to the row.
 * @type {(matches: MarkedPlace[], row: Server.Mark, placed: Pick<PlacedText, "text" | "words">) => number}
 */
export const inRowOf = (matches, row, placed) => {
  if (!row.length) return 0;
  const units = unitsOf(placed.text);
  const spans = row.map(([start, end]) => ({ start: units[start], end: units[end] }));
  const middle = (spans[0].start + spans[spans.length - 1].end) / 2;
  const beside = matches.map(([first]) => spans.filter((span) => areOnOneLine(first, span, placed)).length);
  const most = Math.max(...beside);
  const far = matches.map(([{ start }], at) => (beside[at] === most ? Math.abs(start - middle) : Infinity));
  return Math.max(0, far.indexOf(Math.min(...far)));
};

/**
 * Return the lines of a text, each in marked and unmarked pieces. If spans overlap, the later one marks only the rest.
 * @type {(text: string, place: MarkedPlace) => {text: string, isMarked: boolean, look?: string}[][]}
 */
export const markedLines = (text, place) => {
  let start = 0;
  return text.split("\n").map((line) => {
    const end = start + line.length;
    const pieces = [];
    let from = start;
    for (const span of place.filter((each) => each.start <= end && start < each.end)) {
      const [begin, stop] = [Math.max(from, span.start), Math.min(end, span.end)];
      if (stop <= begin) continue;
      pieces.push(
        { text: text.slice(from, begin), isMarked: false },
        { text: text.slice(begin, stop), isMarked: true, look: span.look ?? "" },
      );
      from = stop;
    }
    pieces.push({ text: text.slice(from, end), isMarked: false });
    start = end + 1;
    return pieces;
  });
};

/**
 * Return the page of an offset in a text, and the line on that page, both from 1.
 * @type {(text: string, start: number) => {page: number, line: number}}
 */
export const lineAt = (text, start) => {
  const before = text.slice(0, start).split("\f");
  return { page: before.length, line: before[before.length - 1].replace(/^\n/, "").split("\n").length };
};

/**
 * Return the images of a document's pages: the images that its text names, the image with its name, or the images with
 * its name and a number.
 * @template T
 * @param {string} name
 * @param {string[]} named  the names in its text
 * @param {Map<string, T>} images  by the stems of their names
 * @returns {(T | undefined)[]}
 */
export const imagesOf = (name, named, images) => {
  const stem = stemOf(name);
  const own = images.get(stem);
  const ofPages = named.map((image, number) => images.get(stemOf(image)) ?? (number ? undefined : own));
  if (ofPages.some(Boolean)) return ofPages;
  if (own) return [own];
  return [...images.keys()]
    .filter((key) => key.startsWith(stem) && /^[-_. ]?(p|page)?[-_. ]?\d+$/.test(key.slice(stem.length)))
    .sort((one, other) => one.localeCompare(other, "en", { numeric: true }))
    .map((key) => images.get(key));
};
