// The document beside an item of a review: the images of its pages with a box around the place, and the place enlarged,
// or its text with the place marked. Where a value stands in the text is what the server says; where words stand on a
// page is in a file in hOCR. Images stay in the browser.

import { DOCUMENT_TYPES, DocumentFiles, NO_DOCUMENT } from "../parts/document_files.js";
import { newButton, newDrawing, newElement } from "../parts/elements.js";
import { boxOf, lineOf, markedLines, matchesOf, nearestTo } from "../parts/marks.js";
import { sentenceOf } from "../parts/words.js";

/** @import { Page } from "../parts/document_files.js" */
/** @import { MarkedPlace } from "../parts/marks.js" */
/**
 * @typedef {object} DocumentParts
 * @property {HTMLElement} crop  where the place enlarged is drawn in the item, on a phone
 * @property {(files: File[]) => void} add  takes images and texts that the visitor chose here
 */
/**
 * @typedef {object} ShownItem
 * @property {string} document  the id of the document
 * @property {number | null} chosen  the answer that is chosen, null to mark all values alike
 * @property {Promise<Server.Beside | Server.Refusal>} found  what the server says of the item
 */
/** @typedef {{page: Page, number: number, x: number, y: number, width: number, height: number}} PageBox  in pixels */

const LEAST = 0.45; // the least part of a page's width that is enlarged
const MARGIN = 0.6; // space above and below the place, in its height
const STEPS = /** @type {const} */ ([
  ["Previous match", -1, "M4.5 9.5 8 6l3.5 3.5"],
  ["Next match", 1, "M4.5 6.5 8 10l3.5-3.5"],
]);

const newState = () => ({
  /** @type {ShownItem | null} */
  shown: null,
  /** @type {Server.Beside | Server.Refusal | null} what the server says of it */
  answer: null,
  document: NO_DOCUMENT,
  wanted: "", // the view that the visitor chose
  at: 0, // the number of the match
});

/**
 * A page, or a part of it, with a box.
 * @type {(page: Page, box: PageBox | null, label: string, viewBox?: string) => Element}
 */
const drawPage = (page, box, label, viewBox = `0 0 ${page.width} ${page.height}`) => {
  const { width, height, url } = page;
  const image = newDrawing("image", { href: url, width, height });
  const drawing = newDrawing("svg", { class: "rv-page", viewBox, role: "img", "aria-label": label }, image);
  if (!box) return drawing;
  const space = height / 250;
  const [x, y] = [box.x - space, box.y - space];
  const sides = { width: box.width + 2 * space, height: box.height + 2 * space };
  drawing.append(newDrawing("rect", { x, y, ...sides, rx: space }));
  return drawing;
};

const enlarged = (/** @type {PageBox} */ box) => {
  const { page, x, y } = box;
  const margin = MARGIN * box.height;
  const width = Math.min(page.width, Math.max(2 * box.width, LEAST * page.width));
  const height = Math.min(page.height, box.height + 2 * margin);
  const left = Math.max(0, Math.min(page.width - width, x + box.width / 2 - width / 2));
  const top = Math.max(0, Math.min(page.height - height, y - margin));
  return drawPage(page, box, "The place, enlarged", `${left} ${top} ${width} ${height}`);
};

/** The lines of a text, numbered, with a place marked; of all or of those with the place. */
const drawText = (/** @type {string} */ text, /** @type {MarkedPlace} */ place, isWhole = true) => {
  const lines = newElement("pre", "said-text");
  markedLines(text, place).forEach((pieces, number) => {
    const isOn = pieces.some(({ isMarked }) => isMarked);
    if (!isWhole && !isOn) return;
    const content = pieces.map((piece) => (piece.isMarked ? newElement("mark", "", piece.text) : piece.text));
    const line = newElement("s", "", String(number + 1));
    lines.append(newElement("span", isOn ? "on" : "", line, newElement("span", "", ...content)));
  });
  return lines;
};

export class DocumentPane {
  /**
   * @param {HTMLElement} element
   * @param {DocumentParts} parts
   */
  constructor(element, { crop, add }) {
    this.element = element;
    this.crop = crop;
    this.state = newState();
    this.files = new DocumentFiles();
    this.title = newElement("h2", "");
    this.said = newElement("span", "soft t12", "");
    this.steps = newElement("span", "rv-steps");
    this.paper = newElement("div", "paper");
    this.large = newElement("div", "rv-large");
    this.views = newElement("span", "seg");
    this.close = newButton("btn ghost narrow-only", "Close", () => this.open(false));
    this.buttons = ["Image", "Text"].map((name) => newButton("", name, () => this.choose(name)));
    this.input = newElement("input", "");
    this.build();
    this.input.addEventListener("change", () => {
      const files = [...(this.input.files ?? [])];
      this.input.value = "";
      add(files);
    });
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !element.classList.contains("open")) return;
      event.stopPropagation();
      this.open(false);
    });
    this.clear();
  }

  build() {
    const grow = newElement("span", "grow");
    const head = newElement("div", "pane-title rv-paper-title", this.title, grow, this.said, this.steps);
    this.said.setAttribute("role", "status");
    this.views.setAttribute("role", "group");
    this.views.setAttribute("aria-label", "View of the document");
    this.views.append(...this.buttons);
    this.paper.tabIndex = 0;
    this.paper.setAttribute("role", "region");
    for (const [name, by, path] of STEPS) {
      const button = newButton("btn ghost icon", "", () => this.step(by));
      const icon = { viewBox: "0 0 16 16", "aria-hidden": "true" };
      button.setAttribute("aria-label", name);
      button.append(newDrawing("svg", icon, newDrawing("path", { d: path })));
      this.steps.append(button);
    }
    head.append(this.views, this.close);
    Object.assign(this.input, { type: "file", accept: DOCUMENT_TYPES, multiple: true, hidden: true });
    this.element.append(head, this.large, this.paper, this.input);
  }

  clear() {
    this.files.forget();
    this.state.document = NO_DOCUMENT;
    this.state.shown = this.state.answer = null;
    this.element.classList.remove("open");
    for (const part of [this.large, this.paper, this.crop]) part.replaceChildren();
    this.title.textContent = this.said.textContent = "";
    this.views.hidden = this.steps.hidden = true;
  }

  /** The matches of the item, none where the server refused to say them. */
  matches() {
    const { answer, shown } = this.state;
    return !shown || !answer || "refused" in answer ? [] : matchesOf(answer, shown.chosen);
  }

  /**
   * Where a place is on a page, in its pixels; null if that is not known.
   * @type {(place: MarkedPlace | undefined) => PageBox | null}
   */
  boxOf(place) {
    const { answer, document: shown } = this.state;
    const { placed, pages } = shown;
    if (!place || !placed || !answer || "refused" in answer || placed.text !== answer.text) return null;
    const found = boxOf(place, placed.words);
    const page = found && pages[found.number];
    if (!page) return null;
    const [left, top, right, bottom] = found.box;
    const [x, y] = [left * page.width, top * page.height];
    return { page, number: found.number, x, y, width: right * page.width - x, height: bottom * page.height - y };
  }

  note(/** @type {string} */ sentence, ask = "") {
    const acts = ask ? [" ", newButton("rv-add", ask, () => this.input.click())] : [];
    return newElement("p", "soft t12", sentence, ...acts);
  }

  draw() {
    const { shown, answer, wanted, at } = this.state;
    const { pages } = this.state.document;
    if (!shown || !answer) return;
    const text = "refused" in answer ? null : answer.text;
    const matches = this.matches();
    const place = matches[at];
    const box = this.boxOf(place);
    const hasImage = pages.some((page) => page?.width);
    const isImage = hasImage && (text === null || (wanted ? wanted === "Image" : Boolean(box) || !place));
    this.drawHead(isImage, box?.number ?? 0, matches);
    const drawn = isImage ? this.drawPages(box) : [];
    if (!isImage && text !== null) drawn.push(drawText(text, place ?? []));
    this.large.replaceChildren(...(isImage && box ? [enlarged(box)] : []));
    const [before, after] = this.notes(isImage, box, matches);
    this.paper.replaceChildren(...before, ...drawn, ...after);
    const inText = text !== null && place ? drawText(text, place, false) : null;
    this.drawCrop(box ? enlarged(box) : inText, hasImage || text !== null);
    this.reveal();
  }

  /**
   * The title, which match it is, and the controls.
   * @type {(isImage: boolean, number: number, matches: MarkedPlace[]) => void}
   */
  drawHead(isImage, number, matches) {
    const { shown, answer, at } = this.state;
    const { pages } = this.state.document;
    const text = !answer || "refused" in answer ? null : answer.text;
    const hasImage = pages.some((page) => page?.width);
    this.element.dataset.view = isImage ? "image" : "text";
    this.views.hidden = !hasImage || text === null;
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String((button.textContent === "Image") === isImage));
    }
    const title = text === null ? "Document" : "Text";
    this.title.textContent = isImage ? `Page ${number + 1} of ${pages.length}` : title;
    this.paper.setAttribute("aria-label", `${isImage ? "Pages" : "Text"} of ${shown?.document}`);
    this.steps.hidden = matches.length < 2;
    const line = text !== null && matches[at] ? `line ${lineOf(text, matches[at])}` : "";
    const which = matches.length > 1 ? [`${at + 1} of ${matches.length}`] : [];
    if (matches.length && !isImage) which.push(matches.length > 1 ? line : `1 match, in ${line}`);
    this.said.textContent = which.join(", ");
  }

  /** @type {(box: PageBox | null) => Element[]} */
  drawPages(box) {
    const { shown } = this.state;
    const { pages } = this.state.document;
    return pages.flatMap((page, number) => {
      if (!page?.width) return [];
      const isMarked = box?.page === page;
      const label = `Page ${number + 1} of ${shown?.document}${isMarked ? ", the place is marked" : ""}`;
      return [drawPage(page, isMarked ? box : null, label)];
    });
  }

  /**
   * What is said above and below the document.
   * @type {(isImage: boolean, box: PageBox | null, matches: MarkedPlace[]) => HTMLElement[][]}
   */
  notes(isImage, box, matches) {
    const { answer, at } = this.state;
    const { pages, unread } = this.state.document;
    const text = !answer || "refused" in answer ? null : answer.text;
    const before = [];
    if (answer && "refused" in answer) before.push(this.note(sentenceOf(answer.refused)));
    if (isImage && text === null) {
      before.push(this.note("There is no text of this document, so the place is not marked.", "Add texts"));
    } else if (isImage && text !== null && !box && matches.length) {
      const where = `The place is in line ${lineOf(text, matches[at])} of the text.`;
      before.push(this.note(`${where} To see it here, add the positions of the words in hOCR.`, "Add files"));
    }
    if (text !== null && !matches.length) {
      before.push(this.note("No value of this item stands in the text of this document."));
    }
    const broken = pages.filter((page) => page && !page.width);
    const after = broken.map((page) => this.note(`${page?.name} cannot be shown as an image.`));
    if (unread) after.push(this.note(`${unread} cannot be read any more.`, "Choose it again"));
    const hasImage = pages.some((page) => page?.width);
    if (!hasImage && !after.length) after.push(this.note("No image belongs to this document.", "Add page images"));
    return [before, after];
  }

  /** What is marked comes into view, without moving the page. */
  reveal() {
    const marked = this.paper.querySelector("mark, rect");
    if (!marked) {
      this.paper.scrollTop = 0;
      return;
    }
    const own = marked.getBoundingClientRect();
    const frame = this.paper.getBoundingClientRect();
    if (own.top >= frame.top && own.bottom <= frame.bottom) return;
    this.paper.scrollTop += own.top - frame.top - (frame.height - own.height) / 2;
  }

  /** On a phone the place stands in the item, and opens the document. */
  drawCrop(/** @type {Element | null} */ place, /** @type {boolean} */ hasDocument) {
    const button = newButton("rv-crop", place ? "" : "Show the document", () => this.open(true));
    if (place) button.append(place);
    if (place) button.setAttribute("aria-label", "The place in the document; show the document");
    this.crop.replaceChildren(...(hasDocument ? [button] : []));
  }

  open(/** @type {boolean} */ isOpen) {
    if (isOpen) this.element.setAttribute("role", "dialog");
    else this.element.removeAttribute("role");
    if (this.element.classList.toggle("open", isOpen)) {
      this.draw();
      this.close.focus();
    } else this.crop.querySelector("button")?.focus();
  }

  /** The view that the visitor wants, the image or the text. */
  choose(/** @type {string} */ view) {
    this.state.wanted = view;
    this.draw();
  }

  step(/** @type {number} */ by) {
    const { length } = this.matches();
    this.state.at = (this.state.at + by + length) % length;
    this.draw();
  }

  /** Show the document of an item; the newest item wins. */
  async show(/** @type {ShownItem} */ item) {
    this.state.shown = item;
    this.element.setAttribute("aria-busy", "true");
    const [found, loaded] = await Promise.all([item.found, this.files.open(item.document)]);
    if (this.state.shown !== item) return;
    [this.state.answer, this.state.document] = [found, loaded];
    this.element.removeAttribute("aria-busy");
    this.state.at = "refused" in found ? 0 : nearestTo(this.matches(), found.row);
    this.draw();
  }
}
