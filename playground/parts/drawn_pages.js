// Pages of documents as elements: with boxes, enlarged around a region, or as text with marks.

import { busy, noAnswer } from "./asking.js";
import { newButton, newElement } from "./elements.js";
import { markedLines } from "./marks.js";
import { partAround, wordsWithin } from "./places.js";

/** @import { Page } from "./document_files.js" */
/** @import { MarkedPlace } from "./marks.js" */
/** @import { Box } from "./places.js" */
/**
 * @typedef {object} PageMark  boxes with the same look on a page
 * @property {number} page  its number, from 1
 * @property {Box[]} boxes
 * @property {"cited" | "expected" | "found" | "truth" | "other" | "partial" | "wrong" | "missing" | "extra"} look
 * @property {string} label
 * @property {number} row  the row of the tree that a press chooses
 * @property {string} [letters]  the letters of the systems that cite the boxes
 */

const BESIDE = 0.1; // the part of a page that letters next to a box need
const LEAST_LINE = 14; // pixels; the least height of a line's box in an enlarged region
const UNSEEN = 400; // pixels, the width to assume before an element is visible
export const RATIO = { 1: 0.16, 2: 0.3 }; // height divided by width of an enlarged region, with one region and with two
/** @type {Record<PageMark["look"], string>} */
export const NAMES = {
  ...{ cited: "cited", expected: "expected", found: "found", truth: "ground truth", other: "cited" },
  ...{ partial: "partial", wrong: "wrong", missing: "missing", extra: "extra" },
};

export const lettersOf = (/** @type {string} */ letters) =>
  [...letters].map((letter) => newElement("b", "abc", letter));

const percent = (/** @type {number} */ share) => `${100 * share}%`;

/** @type {(element: HTMLElement, box: Box) => HTMLElement} */
const placed = (element, [left, top, right, bottom]) => {
  const sides = { "--x": left, "--y": top, "--w": right - left, "--h": bottom - top };
  for (const [name, value] of Object.entries(sides)) element.style.setProperty(name, percent(value));
  return element;
};

/**
 * Insert the image of a page as soon as it is loaded, without changing anything else. An image that the server no
 * longer has is requested once more.
 * @type {(place: HTMLElement, page: Page) => Promise<void>}
 */
const fill = async (place, page) => {
  const isNew = !page.url;
  if (isNew) await page.load?.();
  const image = newElement("img", "");
  Object.assign(image, { src: page.url, alt: "", draggable: false });
  place.prepend(image);
  try {
    await image.decode();
  } catch {
    image.remove();
    if (page.load) page.url = "";
    if (isNew || !page.load) throw new Error(noAnswer().refused);
    await fill(place, page);
  }
};

/**
 * Return a page with boxes, which can be buttons that choose the rows of their values.
 * @param {Page} page
 * @param {PageMark[]} marks
 * @param {((row: number) => void) | null} choose
 * @param {(error: Error) => void} failed  called if the image could not be loaded
 */
export const drawPage = (page, marks, choose = null, failed = () => {}) => {
  const drawn = newElement("div", "ev-page");
  busy(drawn, fill(drawn, page)).catch(failed);
  drawn.style.aspectRatio = `${page.width} / ${page.height}`;
  for (const { boxes, look, label, row, letters } of marks) {
    for (const box of boxes) {
      const mark = choose ? newButton(`ev-box ${look}`, "", () => choose(row)) : newElement("span", `ev-box ${look}`);
      if (letters) mark.append(newElement("span", "letters", ...lettersOf(letters)));
      mark.classList.toggle("at-left", box[0] < BESIDE);
      mark.classList.toggle("at-right", box[2] > 1 - BESIDE);
      if (choose) {
        mark.setAttribute("aria-label", label);
        mark.dataset.row = String(row);
        if (look !== "other") mark.setAttribute("aria-current", "true");
      }
      drawn.append(placed(mark, box));
    }
  }
  return drawn;
};

/**
 * Return the lines of a text with marks, numbered per page: all lines, or only lines with a mark.
 * @type {(text: string, spans: MarkedPlace, isWhole?: boolean) => HTMLElement}
 */
export const drawText = (text, spans, isWhole = true) => {
  const lines = newElement("pre", "said-text");
  const isTruth = (/** @type {MarkedPlace[0]} */ { look }) => Number(look === "truth");
  const sorted = [...spans].sort((one, other) => one.start - other.start || isTruth(one) - isTruth(other));
  let [page, number] = [1, 0];
  for (const pieces of markedLines(text, sorted)) {
    const line = pieces.map((piece) => piece.text).join("");
    const breaks = line.split("\f").length - 1;
    if (breaks) {
      [page, number] = [page + breaks, 0];
      if (isWhole)
        lines.append(newElement("span", "page", newElement("s", ""), newElement("span", "", `page ${page}`)));
      if (!line.replaceAll("\f", "")) continue;
    }
    number += 1;
    const content = pieces.map(({ text: piece, isMarked, look }) =>
      isMarked ? newElement("mark", look ?? "", piece) : piece.replaceAll("\f", ""),
    );
    const isOn = pieces.some(({ isMarked }) => isMarked);
    if (!isOn && !isWhole) continue;
    const shown = newElement("s", "", String(number));
    lines.append(newElement("span", isOn ? "on" : "", shown, newElement("span", "", ...content)));
  }
  return lines;
};

/** @type {(look: string) => HTMLElement} */
export const keyOf = (look) => newElement("span", `ln-k ${look}`);

/**
 * Return an enlarged region with the boxes near it.
 * @param {Page} page
 * @param {Box} box
 * @param {PageMark[]} marks
 * @param {object} look
 * @param {number} look.ratio  height divided by width
 * @param {number} look.width  pixels
 * @param {number} look.line  the height of a line, as a part of the page's height
 * @param {(string | Node)[]} [look.caption]
 */
export const drawCrop = (page, box, marks, { ratio, width, line, caption = [] }) => {
  const most = (line * (width || UNSEEN) * page.height) / (LEAST_LINE * page.width);
  const [left, top, right, bottom] = partAround(box, page, ratio, most);
  const drawn = drawPage(page, marks);
  Object.assign(drawn.style, {
    width: percent(1 / (right - left)),
    left: percent(-left / (right - left)),
    top: percent(-top / (bottom - top)),
  });
  const frame = newElement("div", "win", drawn);
  frame.style.aspectRatio = `${(right - left) * page.width} / ${(bottom - top) * page.height}`;
  frame.setAttribute("role", "img");
  frame.setAttribute("aria-label", "The region, enlarged");
  return newElement("figure", "ev-crop", newElement("figcaption", "", ...caption), frame);
};

/**
 * Return the line height of a value: the height of its highest word if words are known, else of its lowest box.
 * @type {(boxes: Box[], words: {box: Box}[]) => number}
 */
export const lineHeight = (boxes, words) => {
  const heights = (/** @type {Box[]} */ of) => of.map(([, top, , bottom]) => bottom - top);
  const within = wordsWithin(words, boxes).map(({ box }) => box);
  return within.length ? Math.max(...heights(within)) : Math.min(...heights(boxes));
};
