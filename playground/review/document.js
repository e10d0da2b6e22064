// The document next to an item of a review. The server finds the item's values in the text; an hOCR file or a PDF has
// the positions of words on a page. The pane is the same as on other tabs; the item itself shows the enlarged region.

import { answerTo } from "../parts/asking.js";
import { DocumentFiles, NO_DOCUMENT, newDocumentInput } from "../parts/document_files.js";
import { DocumentPane } from "../parts/document_pane.js";
import { RATIO, drawCrop, drawText, lineHeight } from "../parts/drawn_pages.js";
import { newButton, newElement, newIcon } from "../parts/elements.js";
import { boxOf, inRowOf, lineAt, matchesOf } from "../parts/marks.js";
import { openPdf } from "../parts/pdfs.js";
import { sentenceOf, stemOf } from "../parts/words.js";

/** @import { LoadedDocument } from "../parts/document_files.js" */
/** @import { PageMark } from "../parts/drawn_pages.js" */
/** @import { MarkedPlace } from "../parts/marks.js" */
/** @import { ReviewTab } from "./review.js" */

const STEPS = /** @type {const} */ ([
  ["Previous match", -1, "M4.5 9.5 8 6l3.5 3.5"],
  ["Next match", 1, "M4.5 6.5 8 10l3.5-3.5"],
]);

const newState = () => ({
  /** @type {{document: string, chosen: number | null} | null} `chosen`: null to mark all values in the same way */
  shown: null,
  /** @type {Server.Beside | Server.Refusal | null} the server's answer about the item */
  answer: null,
  document: NO_DOCUMENT,
  at: 0, // the number of the current match
});

export class ReviewDocument {
  /**
   * @param {HTMLElement} element
   * @param {Pick<ReviewTab, "server" | "state" | "crop" | "sift">} page
   */
  constructor(element, page) {
    this.element = element;
    this.page = page;
    this.crop = page.crop; // the element in the item for the enlarged region
    this.state = newState();
    this.files = new DocumentFiles((file) => openPdf(page.server, () => page.state.result?.run ?? "", file));
    /** @type {Map<number, Promise<Server.Beside | Server.Refusal>>} the contexts of places */
    this.contexts = new Map();
    this.narrow = matchMedia("(max-width: 720px)");
    this.pane = new DocumentPane(element, { choose: null, close: () => this.open(false) });
    this.steps = STEPS.map(([name, by, path]) => {
      const button = newButton("btn ghost icon", "", () => this.step(by));
      button.setAttribute("aria-label", name);
      button.append(newIcon(path));
      return button;
    });
    this.input = newDocumentInput((files) => page.sift(files));
    element.append(this.input);
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.pane.isSheet) return;
      event.stopPropagation();
      this.open(false);
    });
    this.clear();
  }

  clear() {
    this.files.forget();
    this.state = newState();
    this.pane.openSheet(false);
    this.pane.clear();
    this.crop.replaceChildren();
  }

  /** Keep the files with the result. Without files, take the files that were kept; return whether there are any. */
  async join() {
    this.contexts.clear(); // they depend on the files
    const isTaken = await this.files.join(this.page.state.result?.run ?? "");
    if (isTaken) this.contexts.clear();
    return isTaken;
  }

  /** Return the context of a place, which is requested once. */
  contextOf(/** @type {number} */ number) {
    const found = this.contexts.get(number) ?? this.readContext(number);
    this.contexts.set(number, found);
    return found;
  }

  /** Request the context of a place, with the text of its PDF, which only this browser has. */
  async readContext(/** @type {number} */ number) {
    const { server, state } = this.page;
    const { run } = state.result ?? { run: "" };
    const { id } = state.worklist.places[number];
    const text = this.files.pdfs.has(stemOf(id)) ? (await this.files.open(id)).placed?.text : "";
    return answerTo(server.read_beside, { run, number, text: text ?? "" });
  }

  /** The text of the document, null if there is none. */
  get text() {
    const { answer } = this.state;
    return !answer || "refused" in answer ? null : answer.text;
  }

  /** Return the matches of the item, none if the server refused the request. */
  matches() {
    const { answer, shown } = this.state;
    return !shown || !answer || "refused" in answer ? [] : matchesOf(answer, shown.chosen);
  }

  /** Return the files of the document, with the text that the server knows. @returns {LoadedDocument} */
  loaded() {
    const { document: loaded } = this.state;
    const { text } = this;
    const words = loaded.placed?.text === text ? (loaded.placed?.words ?? []) : [];
    return { ...loaded, placed: text === null ? null : { text, words, images: [] } };
  }

  /** Return the marks of a place on its page, if known. @type {(place: MarkedPlace | undefined) => PageMark[]} */
  marks(place) {
    const found = place && boxOf(place, this.loaded().placed?.words ?? []);
    if (!found) return [];
    return [{ page: found.number + 1, boxes: [found.box], look: "found", label: "The place", row: 0 }];
  }

  note(/** @type {string} */ sentence, ask = "") {
    const acts = ask ? [" ", newButton("rv-add", ask, () => this.input.click())] : [];
    return newElement("p", "soft t12", sentence, ...acts);
  }

  draw() {
    const { shown, answer, at } = this.state;
    if (!shown || !answer) return;
    const matches = this.matches();
    const place = matches[at];
    const marks = this.marks(place);
    const document = this.loaded();
    const hasImage = document.pages.some((page) => page?.width);
    const pages = hasImage ? document.pages : [];
    this.pane.show({
      name: shown.document,
      field: "",
      sign: "",
      said: this.said(matches, marks, hasImage, false),
      saidInText: this.said(matches, marks, hasImage, true),
      page: marks[0]?.page ?? 0,
      marks,
      others: [],
      losses: [],
      spans: place ?? [],
      document: { ...document, pages },
      pageCount: Math.max(pages.length, 1),
      none: [],
      view: marks.length || !place ? "Image" : "Text",
      tools: matches.length > 1 ? this.steps : [],
    });
    const number = marks[0]?.page ?? 0;
    const page = document.pages[number - 1];
    const inText = this.text !== null && place ? drawText(this.text, place, false) : null;
    const isOnPage = Boolean(page?.width && marks.length);
    this.crop.classList.toggle("on-page", isOnPage);
    const look = { ratio: RATIO[1], width: this.crop.clientWidth, line: isOnPage ? lineHeight(marks[0].boxes, []) : 0 };
    const onPage = page && isOnPage ? drawCrop(page, marks[0].boxes[0], marks, look) : null;
    this.drawCrop(onPage ?? inText, hasImage || this.text !== null);
  }

  /**
   * Return the number of the match, and a note about missing parts.
   * @type {(matches: MarkedPlace[], marks: PageMark[], hasImage: boolean, isText: boolean) => (string | HTMLElement)[]}
   */
  said(matches, marks, hasImage, isText) {
    const { answer, at, document: loaded } = this.state;
    const { text } = this;
    const said = [];
    if (answer && "refused" in answer) said.push(sentenceOf(answer.refused));
    if (text !== null && matches.length) {
      const { page, line } = lineAt(text, matches[at][0].start);
      const where = [text.includes("\f") && `page ${page}`, isText && `line ${line}`].filter(Boolean).join(", ");
      const which = matches.length > 1 ? `${at + 1} of ${matches.length}` : "1 match";
      said.push(where ? `${which}, on ${where}` : which);
    } else if (text !== null) said.push("No value of this item was found in the text of this document.");
    if (hasImage && text === null) {
      said.push(this.note("There is no text of this document, so the place is not marked.", "Add texts"));
    } else if (hasImage && matches.length && !marks.length) {
      said.push(this.note("To see it on the page, add the positions of the words in hOCR.", "Add files"));
    }
    for (const page of loaded.pages) {
      if (page && !page.width) said.push(this.note(`${page.name} cannot be shown as an image.`));
    }
    if (loaded.unread) said.push(this.note(`${loaded.unread} can no longer be read.`, "Choose it again"));
    const [title, detail, button] = loaded.fault ?? ["", "", ""];
    if (title) said.push(this.note(`${title}. ${detail}`, button));
    else if (!hasImage) said.push(this.note("No image belongs to this document.", "Add page images"));
    return said;
  }

  /** Draw a button above the values with the region, or else the place in the text; it opens the document. */
  drawCrop(/** @type {Element | null} */ place, /** @type {boolean} */ hasDocument) {
    const button = newButton("rv-crop", place ? "" : "Show the document", () => this.enlarge());
    if (place) button.append(place);
    if (place) button.setAttribute("aria-label", "The place in the document; show the document");
    this.crop.replaceChildren(...(hasDocument ? [button] : []));
  }

  enlarge() {
    if (this.isOpen) this.pane.zoom();
    else this.open(true);
  }

  /** Whether the document is open: on a phone as a sheet, else as a pane, which stays open until it is closed. */
  get isOpen() {
    return this.narrow.matches ? this.pane.isSheet : !this.element.classList.contains("closed");
  }

  open(/** @type {boolean} */ isOpen) {
    if (this.narrow.matches) this.pane.openSheet(isOpen);
    else this.element.classList.toggle("closed", !isOpen);
    if (isOpen) this.draw();
    else this.crop.querySelector("button")?.focus();
  }

  step(/** @type {number} */ by) {
    const { length } = this.matches();
    this.state.at = (this.state.at + by + length) % length;
    this.draw();
  }

  /** Show the document of the current place; the newest place wins. */
  async show() {
    const { place, current, isBlind, chosen } = this.page.state.worklist;
    if (!place) {
      this.clear();
      return;
    }
    const shown = { document: place.id, chosen: isBlind ? null : chosen };
    this.state.shown = shown;
    this.element.setAttribute("aria-busy", "true");
    const [found, loaded] = await Promise.all([this.contextOf(current), this.files.open(place.id)]);
    if (this.state.shown !== shown) return;
    [this.state.answer, this.state.document] = [found, loaded];
    this.element.removeAttribute("aria-busy");
    const { placed } = this.loaded();
    this.state.at = "refused" in found || !placed ? 0 : inRowOf(this.matches(), found.row, placed);
    this.draw();
  }
}
