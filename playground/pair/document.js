// The document next to a pair: the document of the example, or files that a visitor adds. Its pane shows where the
// values of the tree are expected, cited and found.

import { busy } from "../parts/asking.js";
import { DocumentFiles, NO_DOCUMENT, newDocumentInput, textOf } from "../parts/document_files.js";
import { DocumentPane } from "../parts/document_pane.js";
import { findElement, listenToDrops, newButton, newIcon } from "../parts/elements.js";
import { bindDocumentKeys } from "../parts/keys.js";
import { noDocument } from "../parts/no_document.js";
import { openPdf } from "../parts/pdfs.js";
import { IOU, levelOfCitations } from "../parts/places.js";
import { knownInTree, sceneOf } from "../parts/scene.js";
import { drawSigns, eraseSigns, lightRows, rowsWithin } from "../parts/tree_places.js";
import { STARTED, current } from "./pair.js";
import { printedPage } from "./printed.js";

/** @import { Fault } from "../parts/document_files.js" */
/** @import { PairTab } from "./pair.js" */

const NARROW = "(max-width: 720px)";
const NAME = "document"; // the id that all added files get
/** @type {Fault} */
const NONE = [
  "Drop the document here",
  "Values that are found in its text are marked, with or without citations.",
  "Choose a file",
];
const REPLACE = "M2 4.5h4l1.5 2H14v6.5H2zM8 11.5v-3M6.5 10 8 8.5 9.5 10";

export class PairDocument {
  constructor(/** @type {PairTab} */ tab) {
    this.tab = tab;
    this.state = tab.state;
    this.tree = tab.result.tree;
    this.button = tab.result.documentButton;
    this.narrow = matchMedia(NARROW);
    this.main = findElement(tab.screen, ".pair");
    this.name = "";
    this.files = this.newFiles();
    this.joined = ""; // the ground truth under which the document is kept
    this.loaded = NO_DOCUMENT;
    this.pane = new DocumentPane(tab.part("beside"), {
      choose: (number) => {
        const row = document.getElementById(`pair-${number}`);
        if (row) tab.result.reveal(row);
      },
      close: () => this.toggle(false),
    });
    const input = newDocumentInput((files) => this.add(files));
    this.pane.element.append(input);
    this.replaceButton = newButton("btn ghost icon", "", () => input.click());
    this.replaceButton.append(newIcon(REPLACE));
    this.replaceButton.title = "Choose another document";
    this.replaceButton.setAttribute("aria-label", this.replaceButton.title);
    this.listen();
    this.begin();
  }

  listen() {
    bindDocumentKeys("pair", this.pane, () => this.toggle(!this.state.isOpen));
    this.pane.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      if (this.pane.isZoomed) this.pane.zoom();
      else if (this.pane.isSheet) this.toggle(false);
    });
    lightRows(this.tree, this.pane);
    for (const place of [this.tree, this.pane.element]) listenToDrops(place, (files) => this.add(files));
    this.narrow.addEventListener("change", () => {
      this.pane.openSheet(false);
      this.open(false);
    });
  }

  /** Open the document of the example, or none for another pair. */
  begin() {
    const { isExample, isOpen } = this.state;
    this.name = isExample ? "The receipt" : "";
    this.files = this.newFiles();
    this.joined = "";
    this.loaded = isExample ? printedPage(this.tab.settings.examples[0].document) : NO_DOCUMENT;
    this.open(isOpen);
  }

  newFiles() {
    return new DocumentFiles((file) => openPdf(this.tab.server, () => "", file));
  }

  /** Replace the document by new files. */
  async add(/** @type {File[]} */ files) {
    const taken = this.newFiles();
    const others = taken.take(files);
    if (others.length) this.tab.say(`${others[0].name} is not an image, a PDF or a text of a document.`);
    if (taken.isEmpty) return;
    const { pdfs, images, texts } = taken;
    const wholes = [...pdfs.values(), ...texts.values()].filter((file) => !/\.hocr$/i.test(file.name) || !pdfs.size);
    if (wholes.length > 1) {
      this.tab.say(`${wholes[0].name} and ${wholes[1].name} are two documents; a pair has only one.`);
      return;
    }
    const inOrder = [...images].sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
    taken.images = new Map(inOrder.map(([, image], number) => [`${NAME}-${number + 1}`, image]));
    taken.pdfs = new Map([...pdfs.values()].map((pdf) => [NAME, pdf]));
    taken.texts = new Map([...texts.values()].map((text) => [NAME, text]));
    this.files = taken;
    this.state.isExample = false; // else an answer that comes before the document is loaded would reset it
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
    this.state.text = textOf(loaded);
    await this.join();
    this.drawScene();
    this.tab.changed();
  }

  /** Keep the document under the ground truth, or open the document that was kept under it. */
  async join() {
    const truth = this.tab.editors.truth.text;
    const { files } = this;
    if (this.state.isExample || this.joined === truth) return;
    this.joined = truth;
    if (!(await files.join(`pair ${truth}`)) || this.files !== files) return;
    this.open(!this.narrow.matches && !this.state.isKeptClosed);
    await this.load();
  }

  /** Show the places of an answer to the pair. */
  show() {
    if (this.state.isExample && !this.state.found?.is_example) {
      this.state.takeExample(false);
      this.begin();
    }
    this.draw();
    this.join();
  }

  /** Remove the signs from the tree before it is patched. */
  undraw() {
    eraseSigns(this.tree);
  }

  /** Whether pressing a row opens the document, as on a phone. */
  get opensWithRow() {
    return this.narrow.matches && !this.state.isOpen && this.state.places.length > 0;
  }

  draw() {
    const { places } = this.state;
    drawSigns(this.tree, places, levelOfCitations(places), knownInTree(this.loaded));
    this.drawScene();
  }

  /** The chosen row of the tree, null for none. */
  get row() {
    return document.getElementById(this.state.row);
  }

  drawScene() {
    if (!this.state.isOpen) return;
    const { places: rows } = this.state;
    const { row } = this;
    const chosen = row ? rowsWithin(row, new Map(rows.map((each) => [each.row, each]))) : [];
    const none = noDocument("", false, this.loaded.fault ?? NONE, (files) => this.add(files), "");
    const { name, loaded } = this;
    const scene = sceneOf({ name, rows, chosen, level: levelOfCitations(rows), asked: IOU, document: loaded, none });
    this.pane.show({ ...scene, tools: [this.replaceButton] });
  }

  /** Open or close the document, and keep it closed. On a phone it is a sheet, which returns the focus. */
  toggle(/** @type {boolean} */ isOpen) {
    const hadFocus = this.pane.element.contains(document.activeElement);
    const { row } = this;
    this.state.isKeptClosed = !isOpen;
    if (this.narrow.matches) this.pane.openSheet(isOpen, row);
    this.open(isOpen);
    if (!isOpen && hadFocus) (this.narrow.matches && row ? row : this.button).focus({ preventScroll: true });
  }

  open(/** @type {boolean} */ isOpen) {
    this.state.isOpen = isOpen;
    this.main.classList.toggle("doc-open", isOpen);
    this.button.setAttribute("aria-pressed", String(isOpen));
    this.drawScene();
  }
}

/** Join the document to the tab, which may start before or after this script. */
export const startDocument = () => {
  const join = () => current.tab?.join((tab) => new PairDocument(tab));
  if (current.tab) join();
  else document.addEventListener(STARTED, join, { once: true });
};
