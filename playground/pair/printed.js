// The page of the example: its lines in a font of fixed width.

import { newDrawing } from "../parts/elements.js";

/** @import { LoadedDocument } from "../parts/document_files.js" */
/** @import { PlacedWord } from "../parts/marks.js" */

const [COLUMN, LINE, SIZE] = [6.6, 19, 11]; // units of the drawing
const [BESIDE, ABOVE] = [4, 2]; // columns and lines of the margin, as in examples.py
const FONT = '"JetBrains Mono", ui-monospace, monospace';

/**
 * Return the text of lines, with the boxes of its words on a page whose sides have length 1.
 * @param {string[]} lines
 */
export const placedLines = (lines) => {
  const [wide, high] = [Math.max(...lines.map(({ length }) => length)) + 2 * BESIDE, lines.length + 2 * ABOVE];
  /** @type {PlacedWord[]} */
  const words = [];
  let start = 0;
  for (const [number, line] of lines.entries()) {
    const [top, bottom] = [(number + ABOVE) / high, (number + ABOVE + 1) / high];
    for (const { 0: word, index } of line.matchAll(/\S+/g)) {
      const end = index + word.length;
      const box = /** @type {const} */ ([(index + BESIDE) / wide, top, (end + BESIDE) / wide, bottom]);
      words.push({ start: start + index, end: start + end, page: 0, box: [...box] });
    }
    start += line.length + 1;
  }
  return { text: lines.join("\n"), words, images: [], wide, high };
};

/** @type {(lines: string[]) => LoadedDocument} */
export const printedPage = (lines) => {
  const { wide, high, ...placed } = placedLines(lines);
  const [width, height] = [wide * COLUMN, high * LINE];
  const rows = lines.map((line, number) => {
    const text = newDrawing("text", {
      x: BESIDE * COLUMN,
      y: (number + ABOVE + 0.7) * LINE,
      "xml:space": "preserve",
      "font-weight": /^[A-Z]{5}/.test(line) ? 700 : 400,
      textLength: line.length * COLUMN,
    });
    text.append(line);
    return text;
  });
  const look = { width, height, fill: "#2b2b2b", "font-family": FONT, "font-size": SIZE };
  const drawing = newDrawing("svg", { viewBox: `0 0 ${width} ${height}`, ...look }, ...rows);
  const url = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
  return { pages: [{ name: "", width, height, url }], placed, unread: "" };
};
