// The document that is opened from a comparison: its values in all systems, and the document itself next to them.

import { Asker, answerTo, busy } from "../parts/asking.js";
import { DocumentFiles, NO_DOCUMENT, textOf } from "../parts/document_files.js";
import { DocumentPane } from "../parts/document_pane.js";
import { around, cutName, findElement, findElements, newButton, newElement, partsOf } from "../parts/elements.js";
import { hashOfDocument } from "../parts/links.js";
import { noDocument } from "../parts/no_document.js";
import { newPane } from "../parts/panes.js";
import { openPdf } from "../parts/pdfs.js";
import { counted, sentenceOf } from "../parts/words.js";
import { drawSystemSigns, rowsCitedApart, sceneOfSystems } from "./places.js";
import { lossesOf } from "./state.js";

/** @import { CompareTab } from "./compare.js" */
/** @typedef {"server" | "state" | "options" | "isStacked" | "setStatus" | "run" | "mark" | "drawDocuments"} Parts */

export class OpenedDocument {
  /**
   * @param {HTMLElement} screen
   * @param {Pick<CompareTab, Parts>} page
   */
  constructor(screen, page) {
    this.screen = screen;
    this.page = page;
    this.part = partsOf(screen, ".cmp-");
    this.phone = matchMedia("(max-width: 720px)");
    this.asker = new Asker(page.server.open_document);
    this.files = new DocumentFiles((file) => openPdf(page.server, () => page.state.result?.run ?? "", file));
    this.loaded = NO_DOCUMENT;
    this.pane = newPane(this.part("opened"));
    this.paper = new DocumentPane(this.part("paper"), {
      choose: (row) => this.lookAt(row),
      close: () => this.openPaper(false),
    });
    this.unfold = findElement(this.part("unfold"), "input", HTMLInputElement);
    this.one = this.part("one", HTMLSelectElement);
    this.unfold.addEventListener("change", () => this.showAll(this.unfold.checked));
    this.one.addEventListener("change", () => {
      page.state.system = this.one.selectedIndex;
      this.drawRows();
    });
    for (const kind of ["click", "focusin"]) this.part("opened").addEventListener(kind, (event) => this.press(event));
  }

  /** Draw the choices of a system. */
  drawSystems() {
    const { systems, system } = this.page.state;
    const pairs = systems.map((name, at) =>
      newElement(
        "li",
        "",
        newButton("", name, () => this.openPair(at)),
      ),
    );
    findElement(this.part("pair"), "ul").replaceChildren(...pairs);
    this.one.replaceChildren(...systems.map((name, at) => new Option(name, String(at), false, at === system)));
  }

  /** Request the document of the view. The previous document stays until then, under its own name. */
  async open() {
    const { page } = this;
    const { result, view } = page.state;
    if (!result) return;
    this.screen.toggleAttribute("data-document", Boolean(view.document));
    this.part("side").hidden = !view.document;
    page.mark();
    if (!view.document) {
      this.asker.forget();
      return;
    }
    if (!this.part("opened").childElementCount) this.part("opened").textContent = "Loading …";
    this.part("side").setAttribute("aria-busy", "true");
    const text = textOf(await this.files.open(view.document));
    const found = await this.asker.ask({ run: result.run, document: view.document, text });
    if (!found) return;
    this.loaded = await this.files.open(view.document);
    this.part("side").removeAttribute("aria-busy");
    this.part("name").replaceChildren(...cutName(page.state.view.document));
    if ("refused" in found) this.refuse(found);
    else this.draw(found);
  }

  refuse(/** @type {Server.Refusal} */ { refused, kind }) {
    this.page.state.openDocument(null);
    const act =
      kind === "gone"
        ? newButton("btn", "Compare again", () => this.page.run())
        : newButton("btn", "Try again", () => this.open());
    this.part("opened").replaceChildren(newElement("p", "cmp-none", sentenceOf(refused), " ", act));
  }

  draw(/** @type {Server.SideBySide} */ found) {
    this.page.state.openDocument(found, rowsCitedApart(found.places));
    this.part("opened").innerHTML = found.html; // from the server's templates, which escape every value
    drawSystemSigns(this.part("opened"), found.places);
    this.drawRows();
    this.pane.fresh();
    this.seek();
    this.drawPaper();
  }

  rows() {
    return findElements(this.part("opened"), "tr[data-row]");
  }

  /** Show the rows of the view, and the values of one system on a phone. */
  drawRows() {
    const { state } = this.page;
    const agreed = this.part("opened").querySelector("table")?.dataset.agreed ?? "";
    this.part("unfold").hidden = !agreed || state.view.worse !== "";
    this.unfold.checked = state.isUnfolded;
    findElement(this.part("unfold"), "span").textContent = `Show ${state.apart.size ? "all " : ""}${agreed}`;
    const rows = this.rows();
    for (const [number, row] of rows.entries()) {
      const look = { isSame: "same" in row.dataset, lost: lossesOf(row.dataset.lost ?? "") };
      row.hidden = !state.isRowShown(number, look);
    }
    this.part("nothing").textContent = rows.some((row) => !row.hidden) ? "" : state.nothing;
    for (const cell of findElements(this.part("opened"), "[data-system]")) {
      cell.classList.toggle("cmp-other", cell.dataset.system !== String(state.system));
    }
  }

  showAll(/** @type {boolean} */ isUnfolded) {
    this.page.state.isUnfolded = isUnfolded;
    this.drawRows();
  }

  /** Bring the rows of the pressed field or cause into view. */
  seek() {
    const { state } = this.page;
    const { field, cause } = state.sought;
    const rows = this.rows().filter(
      ({ dataset }) => (field && dataset.field === field) || (cause && dataset.causes?.split("|").includes(cause)),
    );
    state.sought = { field: "", cause: "" };
    if (rows.some((row) => row.hidden)) this.showAll(true);
    for (const row of rows) row.classList.add("here");
    const cell =
      rows[0]?.querySelector("[data-cell]") ?? this.part("opened").querySelector("tr:not([hidden]) > [data-cell]");
    if (cell instanceof HTMLElement) this.pane.go(cell);
    if (this.page.isStacked) this.part("side").scrollIntoView();
  }

  /** Look at the values of the row of an event; on a phone, a click opens the document. */
  press(/** @type {Event} */ event) {
    const { state } = this.page;
    const row = around(event, "tr[data-row]");
    const number = row ? this.rows().indexOf(row) : -1;
    if (number < 0) return;
    if (number !== state.row) this.lookAt(number);
    if (event.type === "click" && this.phone.matches && !this.files.isEmpty && state.isCited) this.openPaper(true);
  }

  /** Look at the values of a row. */
  lookAt(/** @type {number} */ number) {
    this.page.state.row = number;
    const rows = this.rows();
    for (const [at, row] of rows.entries()) row.toggleAttribute("data-looked", at === number);
    rows[number]?.scrollIntoView({ block: "nearest" });
    this.drawPaper();
  }

  // The document next to the values

  /** Keep images, PDFs and texts, and return the other files. */
  take(/** @type {File[]} */ files) {
    const { page } = this;
    const others = this.files.take(files);
    if (others.length < files.length) {
      page.state.isPaper = !this.phone.matches;
      if (page.state.result) this.files.join(page.state.result.run);
      page.setStatus(`${counted(files.length - others.length, "document file")} added.`);
      page.drawDocuments();
      if (page.state.view.document) this.open();
    }
    return others;
  }

  /** Keep the files with a result, or take the files that were kept with it. */
  async join(/** @type {string} */ run) {
    if (await this.files.join(run)) this.page.state.isPaper = !this.phone.matches;
  }

  toggle() {
    this.openPaper(!this.page.state.isPaper);
  }

  openPaper(/** @type {boolean} */ isOpen) {
    const { state } = this.page;
    state.isPaper = isOpen;
    if (this.phone.matches) this.paper.openSheet(isOpen);
    this.drawPaper();
    const back = this.phone.matches ? this.rows()[state.row ?? -1]?.querySelector("[data-cell]") : this.part("show");
    if (!isOpen && back instanceof HTMLElement) back.focus();
  }

  drawPaper() {
    const { isPaper, isCited, result, systems, places, row, view } = this.page.state;
    this.part("beside").classList.toggle("with-paper", isPaper);
    this.part("show").setAttribute("aria-pressed", String(isPaper));
    if (!isPaper || !result) return;
    const none = noDocument("", isCited, this.loaded.fault, (files) => {
      this.take(files);
    });
    this.paper.show(sceneOfSystems({ name: view.document, systems, places, row, document: this.loaded, none }));
  }

  /** Open the document with the prediction of one system on the tab for one pair, under the same options. */
  async openPair(/** @type {number} */ system) {
    const { page } = this;
    const { result, opened } = page.state;
    if (!result || !opened) return;
    const asked = { run: result.run, number: opened.number, system };
    const found = await busy(this.part("pair"), answerTo(page.server.read_pair, asked));
    if ("refused" in found) {
      page.setStatus(sentenceOf(found.refused));
      return;
    }
    const { metric, parse, missing, skip, ...whatIf } = page.options.read();
    location.hash = await hashOfDocument(found, metric, whatIf);
  }
}
