// Texts in hOCR, the format of Tesseract, which has the position of each word on a page. The positions stay in the
// browser, so hOCR is read here too; tests/data/documents.jsonl has what docscore/grounding reads alike.

/** @import { PlacedText, PlacedWord } from "./marks.js" */

const WORD = ".ocrx_word";
const LINES = ".ocr_line, .ocr_header, .ocr_caption, .ocr_textfloat";

const titleOf = (/** @type {Element} */ element) => element.getAttribute("title") ?? "";
const numbersOf = (/** @type {Element} */ element) =>
  /\bbbox +(\S+) +(\S+) +(\S+) +([\d.-]+)/.exec(titleOf(element))?.slice(1).map(Number);

const within = (/** @type {number} */ share) => Math.max(0, Math.min(1, share)); // of a page

/** Return the text of an hOCR file, one line per line of the page. @type {(source: string) => PlacedText} */
export const readHocr = (source) => {
  /** @type {PlacedWord[]} */
  const words = [];
  let text = "";
  let breaks = 0; // form feeds, which separate pages
  /** @type {Element | null} */
  let line = null;
  const document_ = new DOMParser().parseFromString(source, "text/html"); // loads and runs nothing
  for (const end of document_.querySelectorAll("br")) end.replaceWith(" ");
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
      const x = (/** @type {number} */ value) => within((value - left) / (right - left));
      const y = (/** @type {number} */ value) => within((value - top) / (bottom - top));
      const [x0, y0, x1, y1] = [x(box[0]), y(box[1]), x(box[2]), y(box[3])];
      if (!(x1 > x0 && y1 > y0) || (x1 - x0 === 1 && y1 - y0 === 1)) continue; // no size, or the whole page
      words.push({ start: text.length - said.length, end: text.length, page: number, box: [x0, y0, x1, y1] });
    }
  }
  return { text, words, images: pages.map((page) => /\bimage +["']?([^"';]+)/.exec(titleOf(page))?.[1] ?? "") };
};
