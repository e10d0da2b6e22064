// An editor of JSON: a textarea, and behind it lines with colours, numbers and signs. Only visible lines are rendered.

import { around, findElement, listenToDrops, newButton, newElement } from "../parts/elements.js";
import { changedLines, formatted, lineAt, lineStarts, piecesOf, spread, textOf, tokensOf } from "./json_text.js";

/** @import { Piece } from "./json_text.js" */
/** @typedef {{glyph: string, lost: boolean}} Sign */
/** @typedef {{line: number, column: number}} Place  in a text, counted from 0 */
/**
 * @typedef {object} Placed  an error; the sentence is "" for none
 * @property {string} sentence
 * @property {Place | null} place
 * @property {string} label  the label of a button that helps, "" for none
 * @property {() => void} act
 */
/**
 * @typedef {object} EditorPage  the page around an editor
 * @property {() => void} typed  called when the text changes, shortly before it is rendered
 * @property {() => void} forgetResult  called when the text is rendered
 * @property {() => void} replaced  called before another text replaces the whole text
 * @property {() => void} changed
 * @property {(editor: Editor) => void} pointed  called when the caret moves
 * @property {(text: string) => void} say
 * @property {(pieces: Piece[]) => void} showChange
 * @property {{longest: number}} settings  the most bytes of a text
 */

const [LINE, ABOVE, CHARACTER] = [20, 8, 7.2]; // pixels
const MORE = 12; // lines rendered above and below the visible ones
const LONGEST_LINE = 5000; // characters rendered per line
const MOST_WRAPPED = 1000; // lines of a text that is rendered completely on a phone
const LONGEST_WRAPPED = 50000; // characters of such a text
const MOST_CHANGED = 12; // changed lines that are shown

export class Editor {
  /**
   * @param {HTMLElement} element
   * @param {EditorPage} page
   */
  constructor(element, page) {
    this.element = element;
    this.page = page;
    this.narrow = matchMedia("(max-width: 720px)");
    this.area = findElement(element, "textarea", HTMLTextAreaElement);
    this.layer = findElement(element, ".layer");
    this.file = findElement(element, "input[type=file]", HTMLInputElement);
    /** @type {Server.Spans} the positions of values in the text, from the server */
    this.spans = {};
    /** @type {Map<number, Sign>} */
    this.signs = new Map();
    /** @type {Place | null} */
    this.fault = null;
    /** @type {number[][]} the first and the last line of each marked value */
    this.marked = [];
    this.before = ""; // the text that undo restores
    this.canUndo = false;
    this.starts = [0];
    this.drawing = 0; // the animation frame that renders typed text
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("scroll", () => this.draw());
    this.area.addEventListener("click", () => page.pointed(this));
    this.area.addEventListener("keyup", (event) => {
      if (/^(Arrow|Home|End|Page)/.test(event.key)) page.pointed(this);
    });
    this.area.addEventListener("keydown", (event) => this.undo(event));
    this.area.addEventListener("paste", (event) => {
      const { selectionStart, selectionEnd, value } = this.area;
      if (selectionEnd - selectionStart !== value.length) return;
      page.replaced();
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const lines = spread(text);
      if (lines === text) return;
      event.preventDefault();
      this.replace(lines);
      page.changed();
    });
    this.file.addEventListener("change", () => {
      this.open(this.file.files?.[0]);
      this.file.value = "";
    });
    listenToDrops(element, ([file]) => this.open(file));
    element.addEventListener("click", (event) => {
      const what = around(event, "[data-do]")?.dataset.do;
      if (what === "format") this.format();
      if (what === "open") this.file.click();
      if (what === "paste") this.paste();
    });
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.area);
    this.taken();
  }

  get text() {
    return this.area.value;
  }

  /** Replace the text. Ctrl+Z undoes it; inserting the text as if it was typed would take quadratic time. */
  replace(/** @type {string} */ text) {
    this.before = this.text;
    this.canUndo = this.before !== text;
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.taken();
  }

  /** Take typed text. Dictated text and text from form filling come in many parts, which are rendered together. */
  typed() {
    this.canUndo = false;
    this.page.typed();
    if (!this.drawing) this.drawing = requestAnimationFrame(() => this.flush());
  }

  /** Render typed text that is not rendered yet. */
  flush() {
    if (!this.drawing) return;
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    this.taken();
    this.page.forgetResult();
  }

  undo(/** @type {KeyboardEvent} */ event) {
    if (!this.canUndo || event.key !== "z" || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.replace(this.before);
    this.page.changed();
  }

  format() {
    const text = formatted(this.text);
    if (text === null) {
      this.page.say("Only JSON can be formatted.");
      return;
    }
    this.replace(text);
    this.page.changed();
  }

  async open(/** @type {File | undefined} */ file) {
    if (!file) return;
    if (file.size > this.page.settings.longest) {
      const limit = `${this.page.settings.longest / 1e6} MB, the limit of this page`;
      this.page.say(`${file.name} is larger than ${limit}; use \`docscore score\`.`);
      return;
    }
    const text = await file.text();
    const kind = text.startsWith("%PDF")
      ? "a PDF"
      : file.type.startsWith("image/")
        ? "a picture"
        : text.includes("\0")
          ? "not text"
          : "";
    if (kind) {
      this.setFault({
        sentence: `${file.name} is ${kind}: open the JSON that a model read from it`,
        place: null,
        label: "Choose another file",
        act: () => this.file.click(),
      });
      return;
    }
    this.page.replaced();
    this.replace(text);
    this.page.changed();
  }

  async paste() {
    this.area.focus();
    try {
      const text = await navigator.clipboard.readText();
      this.page.replaced();
      this.replace(spread(text));
    } catch {
      this.area.select();
      this.page.say("The browser does not let this page read the clipboard; press Ctrl+V.");
      return;
    }
    this.page.changed();
  }

  /** Take a changed text, and forget everything about its lines. */
  taken() {
    this.starts = lineStarts(this.text);
    this.signs.clear();
    this.fault = null;
    this.marked = [];
    this.count();
    this.draw();
  }

  count() {
    const lines = `· ${this.starts.length.toLocaleString("en")} line${this.starts.length === 1 ? "" : "s"}`;
    findElement(this.element, ".ed-count").textContent = lines + (this.fault ? " · 1 error" : "");
  }

  /** Show an error at its line with a button that helps, or show none. */
  setFault(/** @type {Placed} */ { sentence, place, label, act }) {
    this.fault = place;
    this.area.setAttribute("aria-invalid", String(sentence !== ""));
    findElement(this.element, ".fault").replaceChildren(sentence);
    if (label) findElement(this.element, ".fault").append(" ", newButton("", label, act));
    this.count();
    this.draw();
  }

  /** Apply edits, put the caret behind the first one, and show the changes. */
  edit(/** @type {Server.Edit[]} */ edits) {
    const { scrollTop } = this.area;
    const pieces = piecesOf(this.text, edits);
    const caret = textOf(pieces.slice(0, 3)).length;
    this.replace(textOf(pieces));
    this.area.focus();
    this.area.setSelectionRange(caret, caret);
    this.area.scrollTop = scrollTop;
    this.page.changed();
    this.page.showChange(pieces);
  }

  /** Show the glyphs of inexact values next to their lines; a lost value of a line wins. */
  setSigns(/** @type {(Sign & {position: string})[]} */ signs) {
    this.signs.clear();
    for (const sign of signs) {
      const span = this.spans[sign.position];
      if (!span) continue;
      const line = lineAt(this.starts, span[0]);
      if (!this.signs.get(line)?.lost) this.signs.set(line, sign);
    }
    this.draw();
  }

  /** Whether lines wrap, as on a phone: then all are rendered, they set the editor's height, and the page scrolls. */
  get isWrapped() {
    return this.narrow.matches && this.starts.length <= MOST_WRAPPED && this.text.length <= LONGEST_WRAPPED;
  }

  draw() {
    const { isWrapped } = this;
    this.area.wrap = isWrapped ? "soft" : "off";
    this.element.toggleAttribute("data-wrapped", isWrapped);
    const { scrollTop, scrollLeft, clientHeight } = this.area;
    const first = isWrapped ? 0 : Math.max(0, Math.floor(scrollTop / LINE) - MORE);
    const last = isWrapped
      ? this.starts.length
      : Math.min(this.starts.length, Math.ceil((scrollTop + clientHeight) / LINE) + MORE);
    this.layer.style.transform = `translateY(${first * LINE - scrollTop}px)`;
    this.layer.style.setProperty("--left", `${-scrollLeft}px`);
    const rows = [];
    for (let line = first; line < last; line += 1) rows.push(this.row(line));
    this.layer.replaceChildren(...rows);
    this.placeFault();
  }

  /**
   * Put the sentence of an error behind its line or an adjacent line with enough space, else at the bottom. If lines
   * wrap, put it at the bottom of the window.
   */
  placeFault() {
    const sentence = findElement(this.element, ".fault");
    const width = CHARACTER * (sentence.textContent ?? "").length;
    const top = (/** @type {number} */ line) => ABOVE + line * LINE - this.area.scrollTop;
    const hasRoom = (/** @type {number} */ line) => {
      const length = (this.starts[line + 1] ?? this.text.length) - (this.starts[line] ?? this.text.length);
      const isSeen = top(line) >= 0 && top(line) + LINE <= this.area.clientHeight;
      return isSeen && width < this.area.clientWidth - CHARACTER * (length + 2) + this.area.scrollLeft;
    };
    const at =
      this.fault && !this.isWrapped
        ? [this.fault.line, this.fault.line + 1, this.fault.line - 1].find(hasRoom)
        : undefined;
    sentence.style.top = at === undefined ? "" : `${top(at)}px`;
    sentence.style.bottom = at === undefined ? "" : "auto";
  }

  row(/** @type {number} */ line) {
    const sign = this.signs.get(line);
    const glyph = newElement("u", sign?.lost ? "lost" : "", sign?.glyph ?? "");
    const end = line + 1 < this.starts.length ? this.starts[line + 1] - 1 : this.text.length;
    const start = this.starts[line];
    const text = this.text.slice(start, this.isWrapped ? end : Math.min(end, start + LONGEST_LINE));
    const tokens = tokensOf(text, this.fault?.line === line ? this.fault.column : -1);
    const content = tokens.map(({ text: token, kind, isMarked }) =>
      newElement("span", isMarked ? `${kind} squiggle`.trim() : kind, token),
    );
    const number = newElement("s", "", String(line + 1));
    const row = newElement("div", "ln", number, glyph, newElement("span", "", newElement("span", "", ...content)));
    row.classList.toggle("bad", this.fault?.line === line);
    const isMarked = this.marked.some(([first, last]) => first <= line && line <= last);
    row.classList.toggle("on", isMarked);
    return row;
  }

  /** Mark the lines of the values at these positions, and scroll to the first. */
  show(/** @type {(string | undefined)[]} */ ...positions) {
    this.marked = positions.flatMap((position) => {
      const span = this.spans[position ?? "none"];
      return span ? [span.map((offset) => lineAt(this.starts, offset))] : [];
    });
    this.element.dataset.lines = this.marked.map((lines) => lines.map((line) => line + 1).join("-")).join(" ");
    if (this.marked.length) {
      const top = ABOVE + this.marked[0][0] * LINE;
      const room = this.area.clientHeight;
      if (top < this.area.scrollTop || top + LINE > this.area.scrollTop + room) this.area.scrollTop = top - room / 3;
    }
    this.draw();
  }

  /** Return the positions of the values around the caret, innermost first. */
  positions() {
    const at = this.area.selectionStart;
    const around = Object.entries(this.spans).filter(([, [start, end]]) => start <= at && at <= end);
    return around.sort(([, a], [, b]) => a[1] - a[0] - (b[1] - b[0])).map(([position]) => position);
  }
}

/**
 * Return the changed lines, each before and after the change, and their number.
 * @type {(pieces: Piece[]) => {count: number, rows: HTMLElement[]}}
 */
export const differenceOf = (pieces) => {
  const changed = changedLines(pieces);
  const more = changed.length - MOST_CHANGED;
  const side = (/** @type {Piece[]} */ all) =>
    newElement("code", "", ...all.map(({ kind, text }) => (kind ? newElement(kind, "", text) : text)));
  const rows = changed
    .slice(0, MOST_CHANGED)
    .flatMap(({ number, before, after }) => [newElement("s", "", String(number)), side(before), side(after)]);
  if (more > 0) rows.push(newElement("p", "soft", `and ${more.toLocaleString("en")} more lines`));
  return { count: changed.length, rows };
};
