// Texts in hOCR, the format of Tesseract, which has the position of each word on a page.

/** @import { PlacedText, PlacedWord } from "./marks.js" */

const WORD = ".ocrx_word";
const LINES = ".ocr_line, .ocr_header, .ocr_caption, .ocr_textfloat";

const titleOf = (/** @type {Element} */ element) => element.getAttribute("title") ?? "";
const numbersOf = (/** @type {Element} */ element) =>
  /\bbbox +(\S+) +(\S+) +(\S+) +([\d.-]+)/.exec(titleOf(element))?.slice(1).map(Number);

/** Return the text of an hOCR file, one line per line of the page. @type {(source: string) => PlacedText} */
export const readHocr = (source) => {
  /** @type {PlacedWord[]} */
  const words = [];
  let text = "";
  let breaks = 0; // form feeds, which separate pages
  /** @type {Element | null} */
  let line = null;
  const document_ = new DOMParser().parseFromString(source, "text/html"); // loads and runs nothing
  const pages = [...document_.querySelectorAll(".ocr_page")];
  for (const [number, page] of pages.entries()) {
    const [left, top, right, bottom] = numbersOf(page) ?? [];
    // some programs write only lines
    for (const word of page.querySelectorAll(page.querySelector(WORD) ? WORD : LINES)) {
      const said = word.textContent.trim().replace(/\s+/g, " ");
      const box = numbersOf(word);
      const around = word.closest(LINES) ?? word.parentElement;
      if (!said) continue;
      text += (!text ? "" : around === line ? " " : "\n") + "\f".repeat(number - breaks) + said;
      [line, breaks] = [around, number];
      if (!box || !(right > left && bottom > top)) continue;
      const x = (/** @type {number} */ value) => (value - left) / (right - left);
      const y = (/** @type {number} */ value) => (value - top) / (bottom - top);
      const placed = /** @type {const} */ ([x(box[0]), y(box[1]), x(box[2]), y(box[3])]);
      words.push({ start: text.length - said.length, end: text.length, page: number, box: [...placed] });
    }
  }
  return { text, words, images: pages.map((page) => /\bimage +["']?([^"';]+)/.exec(titleOf(page))?.[1] ?? "") };
};
