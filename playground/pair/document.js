// The document next to a pair: the document of the example, or files that a visitor adds. Its pane shows where the
// values of the tree are expected, cited and found.

import { busy } from "../parts/asking.js";
import { DocumentFiles, NO_DOCUMENT, newDocumentInput, textOf } from "../parts/document_files.js";
import { DocumentPane } from "../parts/document_pane.js";
import { findElement, newButton, newIcon } from "../parts/elements.js";
import { bindDocumentKeys } from "../parts/keys.js";
import { noDocument } from "../parts/no_document.js";
import { openPdf } from "../parts/pdfs.js";
import { IOU, levelOfCitations } from "../parts/places.js";
import { knownInTree, sceneOf } from "../parts/scene.js";
import { drawSigns, eraseSigns, lightRows, rowsWithin } from "../parts/tree_places.js";
import { STARTED, WIDE, current } from "./pair.js";
import { printedPage } from "./printed.js";

/** @import { Fault } from "../parts/document_files.js" */
/**
 * @typedef {object} PairPage  the tab around the document
 * @property {HTMLElement} screen
 * @property {HTMLElement} tree
 * @property {Server.Functions} server
 * @property {HTMLElement} button  the button that opens and closes the document
 * @property {string[]} example  the lines of the example's document
 * @property {() => void} changed  called when the text of the document changes
 * @property {() => string} truth  returns the text of the ground truth, which is the key of the kept document
 * @property {(row: HTMLElement) => void} choose
 * @property {(sentence: string) => void} say
 */

const NARROW = "(max-width: 720px)";
const NAME = "document"; // the id that all added files get
const ABOVE_SHEET = 120; // pixels from the top of a phone to the chosen row
/** @type {Fault} */
const NONE = [
  "Drop the document here",
  "Values that are found in its text are marked, with or without citations.",
  "Choose a file",
];
const REPLACE = "M2 4.5h4l1.5 2H14v6.5H2zM8 11.5v-3M6.5 10 8 8.5 9.5 10";

export class PairDocument {
  constructor(/** @type {PairPage} */ page) {
    this.page = page;
    this.narrow = matchMedia(NARROW);
    this.main = findElement(page.screen, ".pair");
    this.isExample = true;
    this.name = "";
    this.files = this.newFiles();
    this.joined = ""; // the ground truth under which the document is kept
    this.loaded = NO_DOCUMENT;
    this.isOpen = false;
    this.isKeptClosed = false; // the visitor closed the document
    /** @type {Server.PlacedRow[]} */
    this.places = [];
    /** @type {HTMLElement | null} */
    this.row = null; // the chosen row
    this.pane = new DocumentPane(findElement(page.screen, "#pair-beside"), {
      choose: (number) => {
        const row = document.getElementById(`pair-${number}`);
        if (row) page.choose(row);
      },
      close: () => this.toggle(false),
    });
    const input = newDocumentInput((files) => this.add(files));
    this.pane.element.append(input);
    this.replaceButton = newButton("btn ghost icon", "", () => input.click());
    this.replaceButton.append(newIcon(REPLACE));
    this.replaceButton.title = "Choose another document";
    this.replaceButton.setAttribute("aria-label", this.replaceButton.title);
    this.button = page.button;
    this.listen();
  }

  listen() {
    bindDocumentKeys("pair", this.pane, () => this.toggle(!this.isOpen));
    this.pane.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      if (this.pane.isZoomed) this.pane.zoom();
      else if (this.pane.isSheet) this.toggle(false);
    });
    lightRows(this.page.tree, this.pane);
    for (const place of [this.page.tree, this.pane.element]) {
      place.addEventListener("dragover", (event) => {
        if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
      });
      place.addEventListener("drop", (event) => {
        if (!event.dataTransfer?.files.length) return;
        event.preventDefault();
        this.add([...event.dataTransfer.files]);
      });
    }
    this.narrow.addEventListener("change", () => {
      this.pane.openSheet(false);
      this.open(false);
    });
  }

  /** The text in which values are looked up. */
  get text() {
    return textOf(this.loaded);
  }

  /** Open the example with its document, or another pair without one. */
  begin(/** @type {boolean} */ isExample) {
    this.isExample = isExample;
    this.row = null;
    this.name = isExample ? "The receipt" : "";
    this.files = this.newFiles();
    this.joined = "";
    this.loaded = isExample ? printedPage(this.page.example) : NO_DOCUMENT;
    this.open(isExample && !this.isKeptClosed && matchMedia(WIDE).matches);
  }

  newFiles() {
    return new DocumentFiles((file) => openPdf(this.page.server, () => "", file));
  }

  /** Replace the document by new files. */
  async add(/** @type {File[]} */ files) {
    const taken = this.newFiles();
    const others = taken.take(files);
    if (others.length) this.page.say(`${others[0].name} is not an image, a PDF or a text of a document.`);
    if (taken.isEmpty) return;
    const { pdfs, images, texts } = taken;
    const wholes = [...pdfs.values(), ...texts.values()].filter((file) => !/\.hocr$/i.test(file.name) || !pdfs.size);
    if (wholes.length > 1) {
      this.page.say(`${wholes[0].name} and ${wholes[1].name} are two documents; a pair has only one.`);
      return;
    }
    const inOrder = [...images].sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
    taken.images = new Map(inOrder.map(([, image], number) => [`${NAME}-${number + 1}`, image]));
    taken.pdfs = new Map([...pdfs.values()].map((pdf) => [NAME, pdf]));
    taken.texts = new Map([...texts.values()].map((text) => [NAME, text]));
    this.files = taken;
    this.isExample = false; // else an answer that comes before the document is loaded would reset it
    this.toggle(true);
    await this.load();
  }

  async load() {
    const { files } = this;
    const loaded = await busy(this.pane.element, files.open(NAME));
    if (this.files !== files) return;
    const [first] = [files.pdfs, files.texts, files.images].flatMap((all) => [...all.values()]);
    this.joined = "";
    this.name = first instanceof File ? first.name : "";
    this.loaded = loaded;
    await this.join();
    this.drawScene();
    this.page.changed();
  }

  /** Keep the document under the ground truth, or open the document that was kept under it. */
  async join() {
    const truth = this.page.truth();
    const { files } = this;
    if (this.isExample || this.joined === truth) return;
    this.joined = truth;
    if (!(await files.join(`pair ${truth}`)) || this.files !== files) return;
    this.open(!this.narrow.matches && !this.isKeptClosed);
    await this.load();
  }

  /** Show the places of an answer to a pair. */
  show(/** @type {Server.PairAnswer} */ found) {
    if (this.isExample && !found.is_example) this.begin(false);
    this.places = found.places;
    this.draw();
    this.join();
  }

  /** Remove the signs from the tree before it is patched. */
  undraw() {
    eraseSigns(this.page.tree);
  }

  /** Whether pressing a row opens the document, as on a phone. */
  get opensWithRow() {
    return this.narrow.matches && !this.isOpen && this.places.length > 0;
  }

  /** Show the chosen row of the tree, or none. */
  look(/** @type {HTMLElement | null} */ row) {
    this.row = row;
    this.drawScene();
  }

  draw() {
    drawSigns(this.page.tree, this.places, levelOfCitations(this.places), knownInTree(this.loaded));
    this.drawScene();
  }

  drawScene() {
    if (!this.isOpen) return;
    const byRow = new Map(this.places.map((row) => [row.row, row]));
    const chosen = this.row ? rowsWithin(this.row, byRow) : [];
    const none = noDocument("", false, this.loaded.fault ?? NONE, (files) => this.add(files), "");
    const { name, places: rows, loaded } = this;
    const scene = sceneOf({ name, rows, chosen, level: levelOfCitations(rows), asked: IOU, document: loaded, none });
    this.pane.show({ ...scene, tools: [this.replaceButton] });
  }

  /** Open or close the document, and keep it closed. On a phone it is a sheet, which returns the focus. */
  toggle(/** @type {boolean} */ isOpen) {
    const hadFocus = this.pane.element.contains(document.activeElement);
    this.isKeptClosed = !isOpen;
    if (this.narrow.matches) this.pane.openSheet(isOpen);
    this.open(isOpen);
    if (!isOpen && hadFocus) (this.narrow.matches && this.row ? this.row : this.button).focus({ preventScroll: true });
    else if (isOpen && this.narrow.matches && this.row) {
      window.scrollBy(0, this.row.getBoundingClientRect().top - ABOVE_SHEET);
    }
  }

  open(/** @type {boolean} */ isOpen) {
    this.isOpen = isOpen;
    this.main.classList.toggle("doc-open", isOpen);
    this.button.setAttribute("aria-pressed", String(isOpen));
    this.drawScene();
  }
}

/** Join the document to the tab, which may start before or after this script. */
export const startDocument = () => {
  const join = () => current.tab?.join((page) => new PairDocument(page));
  if (current.tab) join();
  else document.addEventListener(STARTED, join, { once: true });
};
