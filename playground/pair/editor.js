// An editor of JSON: a textarea, and behind it the lines with colours, numbers and signs; only those in view are drawn.

/** @typedef {{glyph: string, lost: boolean}} Sign */
/** @typedef {{line: number, column: number}} Place  in a text, counted from 0 */
/** @typedef {{sentence: string, place: Place | null, label: string, act: () => void}} Placed  a fault, or none with the sentence ""; a button that helps, or none with the label "" */
/** @typedef {{kind: "" | "del" | "ins", text: string}} Piece  of a text that is edited */

const LINE = 20, ABOVE = 8, CHARACTER = 7.2, MORE = 12;  // pixels; and lines that are drawn beyond those in view
const MOST_WRAPPED = 1000, LONGEST_WRAPPED = 50000;  // lines and characters of a text that is drawn as a whole on a phone
const NARROW = matchMedia("(max-width: 720px)");
const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|([{}[\],:])|([^\s{}[\],:"]+)|(\s+)/g;

/** The number of the line that holds a character, by binary search in the beginnings of the lines. */
const lineAt = (/** @type {number[]} */ starts, /** @type {number} */ offset) => {
  let low = 0, high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle; else high = middle;
  }
  return low;
};

/** JSON with a line for each value, its texts and numbers as they are written; null if it is not JSON. */
const formatted = (/** @type {string} */ text) => {
  try { JSON.parse(text); } catch { return null; }
  let depth = 0, last = "";
  const parts = [], lineBreak = () => `\n${"  ".repeat(depth)}`;
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []) {
    const closes = token === "}" || token === "]", opened = last === "{" || last === "[";
    if (closes) depth -= 1;
    if (closes ? !opened : opened || last === ",") parts.push(lineBreak());
    parts.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth += 1;
    last = token;
  }
  return parts.join("");
};

class Editor {
  /**
   * @param {HTMLElement} element
   * @param {{changed: () => void, pointed: (editor: Editor) => void, say: (text: string) => void, showChange: (pieces: Piece[]) => void, longest: number}} page
   */
  constructor(element, page) {
    this.element = element;
    this.page = page;
    this.area = docscoreFind(element, "textarea", HTMLTextAreaElement);
    this.layer = docscoreFind(element, ".layer");
    this.file = docscoreFind(element, "input[type=file]", HTMLInputElement);
    /** @type {Server.Spans} where values stand in the text, as the server says */
    this.spans = {};
    /** @type {Map<number, Sign>} */
    this.signs = new Map();
    /** @type {Place | null} */
    this.fault = null;
    /** @type {number[][]} the first and the last line of each value that is marked */
    this.marked = [];
    this.before = "";  // what a replaced text can be undone to
    this.canUndo = false;
    this.starts = [0];
    this.area.addEventListener("input", () => { this.canUndo = false; this.taken(); page.changed(); });
    this.area.addEventListener("scroll", () => this.draw());
    this.area.addEventListener("click", () => page.pointed(this));
    this.area.addEventListener("keyup", (event) => { if (/^(Arrow|Home|End|Page)/.test(event.key)) page.pointed(this); });
    this.area.addEventListener("keydown", (event) => this.undo(event));
    this.file.addEventListener("change", () => {
      this.open(this.file.files?.[0]);
      this.file.value = "";
    });
    for (const kind of /** @type {const} */ (["dragover", "drop"])) {
      element.addEventListener(kind, (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        if (kind === "drop") this.open(event.dataTransfer.files[0]);
      });
    }
    element.addEventListener("click", (event) => {
      const what = docscoreAround(event, "[data-do]")?.dataset.do;
      if (what === "format") this.format();
      if (what === "open") this.file.click();
      if (what === "paste") this.paste();
    });
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.area);
    this.taken();
  }

  get text() { return this.area.value; }

  /** A new text, which Ctrl+Z takes back; to insert it as typed would take quadratic time. */
  replace(/** @type {string} */ text) {
    this.before = this.text;
    this.canUndo = this.before !== text;
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.taken();
  }

  undo(/** @type {KeyboardEvent} */ event) {
    if (!this.canUndo || event.key !== "z" || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.replace(this.before);
    this.page.changed();
  }

  format() {
    const text = formatted(this.text);
    if (text === null) { this.page.say("Only JSON can be formatted."); return; }
    this.replace(text);
    this.page.changed();
  }

  async open(/** @type {File | undefined} */ file) {
    if (!file) return;
    if (file.size > this.page.longest) { this.page.say(`${file.name} is larger than ${this.page.longest / 1e6} MB, the limit of this page.`); return; }
    const text = await file.text(), kind = text.startsWith("%PDF") ? "a PDF" : file.type.startsWith("image/") ? "a picture" : text.includes("\0") ? "not text" : "";
    if (kind) {
      this.setFault({ sentence: `${file.name} is ${kind}: open the JSON that a model read from it`, place: null, label: "Choose another file", act: () => this.file.click() });
      return;
    }
    this.replace(text);
    this.page.changed();
  }

  async paste() {
    this.area.focus();
    try { this.replace(await navigator.clipboard.readText()); }
    catch { this.area.select(); this.page.say("The browser does not let this page read the clipboard; press Ctrl+V."); return; }
    this.page.changed();
  }

  /** The text is another one: nothing is known of its lines. */
  taken() {
    this.starts = [0];
    for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1)) this.starts.push(at + 1);
    this.signs.clear();
    this.fault = null;
    this.marked = [];
    this.count();
    this.draw();
  }

  count() {
    const lines = `· ${this.starts.length.toLocaleString("en")} line${this.starts.length === 1 ? "" : "s"}`;
    docscoreFind(this.element, ".ed-count").textContent = lines + (this.fault ? " · 1 error" : "");
  }

  /** Show a fault at its line, or none, with a button that helps. */
  setFault(/** @type {Placed} */ { sentence, place, label, act }) {
    this.fault = place;
    this.area.setAttribute("aria-invalid", String(sentence !== ""));
    docscoreFind(this.element, ".fault").replaceChildren(sentence);
    if (label) docscoreFind(this.element, ".fault").append(" ", docscoreButton("", label, act));
    this.count();
    this.draw();
  }

  /** Edit the text, with the caret behind the first change, and show what was changed. */
  edit(/** @type {Server.Edit[]} */ edits) {
    const { scrollTop } = this.area, pieces = docscorePieces(this.text, edits);
    const textOf = (/** @type {Piece[]} */ some) => some.filter(({ kind }) => kind !== "del").map(({ text }) => text).join("");
    const caret = textOf(pieces.slice(0, 3)).length;
    this.replace(textOf(pieces));
    this.area.focus();
    this.area.setSelectionRange(caret, caret);
    this.area.scrollTop = scrollTop;
    this.page.changed();
    this.page.showChange(pieces);
  }

  /** Signs beside the lines: of each value that is not exact its glyph, the first of a line wins. */
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

  /** On a phone lines wrap: all are drawn, they say how high the editor is, and the page scrolls. */
  get isWrapped() { return NARROW.matches && this.starts.length <= MOST_WRAPPED && this.text.length <= LONGEST_WRAPPED; }

  draw() {
    const { isWrapped } = this;
    this.area.wrap = isWrapped ? "soft" : "off";
    this.element.toggleAttribute("data-wrapped", isWrapped);
    const { scrollTop, scrollLeft, clientHeight } = this.area;
    const first = isWrapped ? 0 : Math.max(0, Math.floor(scrollTop / LINE) - MORE);
    const last = isWrapped ? this.starts.length : Math.min(this.starts.length, Math.ceil((scrollTop + clientHeight) / LINE) + MORE);
    this.layer.style.transform = `translateY(${first * LINE - scrollTop}px)`;
    this.layer.style.setProperty("--left", `${-scrollLeft}px`);
    const rows = [];
    for (let line = first; line < last; line += 1) rows.push(this.row(line));
    this.layer.replaceChildren(...rows);
    this.placeFault();
  }

  /** The sentence of a fault stands behind its line, or one beside that, where there is room, else at the foot; where lines wrap, at the foot of the window. */
  placeFault() {
    const sentence = docscoreFind(this.element, ".fault"), width = CHARACTER * (sentence.textContent ?? "").length;
    const top = (/** @type {number} */ line) => ABOVE + line * LINE - this.area.scrollTop;
    const hasRoom = (/** @type {number} */ line) => {
      const length = (this.starts[line + 1] ?? this.text.length) - (this.starts[line] ?? this.text.length);
      const isSeen = top(line) >= 0 && top(line) + LINE <= this.area.clientHeight;
      return isSeen && width < this.area.clientWidth - CHARACTER * (length + 2) + this.area.scrollLeft;
    };
    const at = this.fault && !this.isWrapped ? [this.fault.line, this.fault.line + 1, this.fault.line - 1].find(hasRoom) : undefined;
    sentence.style.top = at === undefined ? "" : `${top(at)}px`;
    sentence.style.bottom = at === undefined ? "" : "auto";
  }

  row(/** @type {number} */ line) {
    const row = document.createElement("div"), number = document.createElement("s"), glyph = document.createElement("u");
    const cell = document.createElement("span"), content = document.createElement("span"), sign = this.signs.get(line);
    row.className = "ln";
    row.classList.toggle("bad", this.fault?.line === line);
    row.classList.toggle("on", this.marked.some(([first, last]) => first <= line && line <= last));
    number.textContent = String(line + 1);
    glyph.textContent = sign?.glyph ?? "";
    glyph.classList.toggle("lost", sign?.lost ?? false);
    const end = line + 1 < this.starts.length ? this.starts[line + 1] - 1 : this.text.length;
    const column = this.fault?.line === line ? this.fault.column : -1;
    content.append(...coloured(this.text.slice(this.starts[line], this.isWrapped ? end : Math.min(end, this.starts[line] + 5000)), column));
    cell.append(content);
    row.append(number, glyph, cell);
    return row;
  }

  /** Mark the lines of values, and scroll to those of the first; none without a position. */
  show(/** @type {(string | undefined)[]} */ ...positions) {
    this.marked = positions.flatMap((position) => {
      const span = this.spans[position ?? "none"];
      return span ? [span.map((offset) => lineAt(this.starts, offset))] : [];
    });
    this.element.dataset.lines = this.marked.map((lines) => lines.map((line) => line + 1).join("-")).join(" ");
    if (this.marked.length) {
      const top = ABOVE + this.marked[0][0] * LINE, room = this.area.clientHeight;
      if (top < this.area.scrollTop || top + LINE > this.area.scrollTop + room) this.area.scrollTop = top - room / 3;
    }
    this.draw();
  }

  /** The positions of the values around the caret, innermost first. */
  positions() {
    const at = this.area.selectionStart;
    const around = Object.entries(this.spans).filter(([, [start, end]]) => start <= at && at <= end);
    return around.sort(([, a], [, b]) => (a[1] - a[0]) - (b[1] - b[0])).map(([position]) => position);
  }
}

/** The tokens of a line in their colours; from a column on, the first is underlined as the place of a fault. */
const coloured = (/** @type {string} */ text, /** @type {number} */ column) => {
  const found = [];
  let isMarked = column < 0;
  for (const token of text.matchAll(TOKEN)) {
    const [whole, quoted, colon, mark, other, space] = token;
    const pieces = quoted ? [[quoted, colon ? "k" : ""], [colon ?? "", "m"]] : [[whole, mark ? "m" : other ? "n" : ""]];
    for (const [piece, look] of pieces) {
      if (!piece) continue;
      const element = document.createElement("span");
      element.textContent = piece;
      element.className = look;
      if (!isMarked && !space && (token.index ?? 0) + whole.length > column) { element.classList.add("squiggle"); isMarked = true; }
      found.push(element);
    }
  }
  if (!isMarked && found.length) found[found.length - 1].classList.add("squiggle");
  return found;
};

/**
 * What edits keep, remove and add in a text; they count characters, not code units.
 * @type {(text: string, edits: Server.Edit[]) => Piece[]}
 */
const docscorePieces = (text, edits) => {
  const characters = [...text], kept = (/** @type {number} */ from, /** @type {number} */ to) => characters.slice(from, to).join("");
  let last = 0;
  /** @type {Piece[]} */
  const pieces = [];
  for (const [begin, end, added] of edits) {
    pieces.push({ kind: "", text: kept(last, begin) }, { kind: "del", text: kept(begin, end) }, { kind: "ins", text: added });
    last = end;
  }
  return [...pieces, { kind: "", text: kept(last, characters.length) }];
};

/** What edits do, in the words of a button. */
const docscoreWordsOf = (/** @type {string} */ text, /** @type {Server.Mend} */ { edits, repairs }) => {
  if (!repairs) return "Keep the first";
  const pieces = docscorePieces(text, edits), it = edits.length === 1 ? "it" : "them";
  if (edits.every(([, , added]) => added === "\\")) return `Escape ${it}`;
  const kinds = new Set(edits.map(([begin, end, added]) => (begin === end ? "Insert" : added ? "Replace" : "Remove")));
  const [kind] = kinds, ends = [0, [...text].length], isAround = edits.every(([begin, end]) => begin === ends[0] || end === ends[1]);
  if (kinds.size > 1) return "Repair it";
  if (kind === "Remove") return isAround && pieces.some((piece) => piece.kind === "del" && /[\p{L}\p{N}`]/u.test(piece.text)) ? "Take the JSON" : it === "it" ? "Remove it" : "Remove all";
  return it === "it" && !pieces[3].text.trim() ? "Close it" : `${kind} ${it}`;
};

/** The lines that are changed, each before and after, and how many there are; of the rest of a line its ends alone. */
const docscoreDifference = (/** @type {Piece[]} */ pieces) => {
  const MOST = 12, LONGEST = 60;  // lines, and characters that stay
  const line = (/** @type {number} */ number) => ({ number, isChanged: false, before: docscoreElement("code", ""), after: docscoreElement("code", "") });
  const lines = [line(1)];
  for (const { kind, text } of pieces) {
    const parts = kind === "ins" ? [text] : text.split("\n");
    parts.forEach((part, at) => {
      if (at) lines.push(line(lines.length + 1));
      const { before, after } = lines[lines.length - 1], isBreak = kind === "del" && !text.trim() && at < parts.length - 1;
      if (!kind) for (const side of [before, after]) side.append(part.length > LONGEST ? `${part.slice(0, LONGEST / 2)} … ${part.slice(-LONGEST / 2)}` : part);
      else if (part || isBreak) {
        (kind === "del" ? before : after).append(docscoreElement(kind, "", part + (isBreak ? "↵" : "")));
        lines[lines.length - 1].isChanged = true;
      }
    });
  }
  const changed = lines.filter(({ isChanged }) => isChanged), more = changed.length - MOST;
  const rows = changed.slice(0, MOST).flatMap(({ number, before, after }) => [docscoreElement("s", "", String(number)), before, after]);
  return { count: changed.length, rows: more > 0 ? [...rows, docscoreElement("p", "soft", `and ${more.toLocaleString("en")} more lines`)] : rows };
};
