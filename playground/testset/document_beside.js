// The document next to the values of a test set: the files of its documents, and the pane of the chosen one.

import { DocumentFiles, matchedInWords } from "../parts/document_files.js";
import { DocumentPane } from "../parts/document_pane.js";
import { findElement, findElements, press } from "../parts/elements.js";
import { bindDocumentKeys } from "../parts/keys.js";
import { noDocument } from "../parts/no_document.js";
import { openPdf } from "../parts/pdfs.js";
import { sceneOf } from "../parts/scene.js";
import { lightRows, rowsWithin } from "../parts/tree_places.js";
import { counted } from "../parts/words.js";

/** @import { Documents } from "./documents.js" */

export class DocumentBeside {
  constructor(/** @type {Documents} */ page) {
    this.page = page;
    this.state = page.state;
    this.part = page.part;
    this.narrow = page.narrow;
    this.files = new DocumentFiles((file) => openPdf(page.server, () => this.state.result?.run ?? "", file));
    this.pane = new DocumentPane(this.part("beside"), {
      choose: (row) => page.tree.choose(row),
      close: () => this.toggle(false),
    });
    lightRows(page.tree.element, this.pane);
    bindDocumentKeys("testset", this.pane, () => this.toggle(!this.isOpen), page.isActive);
    this.part("image").addEventListener("click", () => this.toggle(!this.isOpen));
  }

  get isOpen() {
    return this.narrow.matches ? this.pane.isSheet : this.state.view.image !== "";
  }

  /** Open or close the document, and keep it closed. On a phone it is a sheet, which returns the focus. */
  toggle(/** @type {boolean} */ isOpen) {
    if (!this.narrow.matches) {
      this.state.isKeptClosed = !isOpen;
      this.page.go({ image: isOpen ? "1" : "" }, "push");
      if (!isOpen && this.pane.element.contains(document.activeElement)) this.part("image").focus();
      return;
    }
    const { row } = this.page.tree;
    this.pane.openSheet(isOpen, row);
    this.drawScene();
    if (!isOpen) row?.focus({ preventScroll: true });
  }

  /** Whether the document opens without a press, once it has a file. */
  get opensItself() {
    return !this.state.isKeptClosed && !this.narrow.matches;
  }

  /** Arrange the page. With an open document, documents and causes share a column below the histogram. */
  draw() {
    const isOpen = this.state.view.image !== "";
    const { root } = this.page;
    this.part("image").setAttribute("aria-pressed", String(this.isOpen));
    root.classList.toggle("doc-open", isOpen);
    const histogram = this.part("histogram");
    const place = isOpen && !this.narrow.matches ? this.part("spread-open") : findElement(root, ".spread");
    if (histogram.parentElement !== place) place.prepend(histogram);
    this.drawScene();
  }

  drawScene() {
    if (!this.isOpen) return;
    const { places: rows, level, iou: asked, loaded } = this.state;
    const { row } = this.page.tree;
    const chosen = row ? rowsWithin(row, new Map(rows.map((each) => [each.row, each]))) : [];
    const add = (/** @type {File[]} */ files) => this.add(files);
    const none = noDocument(this.state.ofChosen("images"), rows.length > 0, loaded.fault, add);
    this.pane.show(sceneOf({ name: this.state.ofChosen("names"), rows, chosen, level, asked, document: loaded, none }));
  }

  /** Show documents or causes if they share a column. */
  side(/** @type {string} */ name) {
    const { root } = this.page;
    root.dataset.sideShown = name;
    press(root, "side", name);
    findElements(root, `[data-side="${name}"]`)
      .find((button) => button.checkVisibility())
      ?.focus();
    this.page.list.drawRows();
  }

  hasFile(/** @type {number} */ number) {
    return this.files.has(...this.state.fileOf(number));
  }

  /** Say how many documents have a file, and return the number. */
  drawMatched() {
    const names = this.state.all?.names ?? [];
    const count = names.filter((_, number) => this.hasFile(number)).length;
    this.part("matched").textContent = this.files.isEmpty ? "" : matchedInWords(count, names.length);
    return count;
  }

  /** Keep images and texts, and return the other files. */
  take(/** @type {File[]} */ files) {
    const others = this.files.take(files);
    if (others.length < files.length) this.tell(files.length - others.length);
    return others;
  }

  tell(/** @type {number} */ count) {
    if (!this.state.all || !this.state.result) return;
    this.files.join(this.state.result.run);
    const matched = this.drawMatched();
    this.page.list.renew(); // with signs of the files
    this.state.readAgain();
    if (matched && this.opensItself) this.page.go({ image: "1" });
    else this.page.draw();
    this.page.tab.say(`${counted(count, "file")} added, for ${counted(matched, "document")}.`);
  }

  add(/** @type {File[]} */ files) {
    const others = this.take(files);
    if (others.length) this.page.tab.say(`${others[0].name} is not an image, a PDF or a text of a document.`);
  }
}
