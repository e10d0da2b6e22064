// The documents of a scored test set: a list of the documents that pass the filters, and the tree of the chosen one.
// The view, which is in the address, decides what is shown.

import { Asker, answerTo } from "../parts/asking.js";
import { around, cutName, findElement, findElements, newButton, newElement, partsOf } from "../parts/elements.js";
import { DocumentFiles, NO_DOCUMENT, matchedInWords, newDocumentSign, textOf } from "../parts/document_files.js";
import { DocumentPane } from "../parts/document_pane.js";
import { Facets } from "../parts/facets.js";
import { Histogram } from "../parts/histogram.js";
import { bindDocumentKeys, bindKeys, listKeys } from "../parts/keys.js";
import { openPdf } from "../parts/pdfs.js";
import { IOU, SHARE_NAMES } from "../parts/places.js";
import { knownInTree, sceneOf } from "../parts/scene.js";
import { isShown } from "../parts/tabs.js";
import { newTreePane } from "../parts/tree.js";
import { drawSigns, lightRows, numberOfRow, rowsWithin } from "../parts/tree_places.js";
import { drawGrounding } from "./grounding.js";
import { drawSlices } from "./slices.js";
import { drawLists } from "../parts/long_lists.js";
import { noDocument } from "../parts/no_document.js";
import { changesList } from "./state.js";
import { NO_VIEW, addressOf } from "../parts/views.js";
import { counted, sentenceOf } from "../parts/words.js";

/** @import { View } from "../parts/views.js" */
/** @import { TestsetState } from "./state.js" */
/**
 * @typedef {object} DocumentsPage  the page around the documents
 * @property {HTMLElement} root
 * @property {Server.Functions} server
 * @property {TestsetState} state
 * @property {(sentence: string) => void} say
 * @property {Fault} fault  called if the server does not answer
 */
/**
 * Called with the refusal, a function that asks again, and the name of the document that was not loaded.
 * @typedef {(found: Server.Refusal, again: (() => unknown) | null, document?: string) => void} Fault
 */

const PAUSE = 150; // milliseconds until a search or a brush is applied
const HELD = 500; // milliseconds; documents that a held key passes faster than this are one step of Back
const ABOVE_SHEET = 120; // pixels from the top of a phone to the chosen row
const BEYOND = 8; // rows rendered above and below the visible ones
const OF_ONE = ["image", "pair", "previous", "next"]; // buttons that need a chosen document
const PART = "Test set"; // the section in the list of keys

export class Documents {
  constructor(/** @type {DocumentsPage} */ { root, server, state, say, fault }) {
    this.root = root;
    this.server = server;
    this.state = state;
    this.say = say;
    this.fault = fault;
    this.timer = 0; // fires when a search or a brush is applied
    this.moved = 0; // when a key moved to another document
    this.isLoading = false;
    this.isMoved = false; // the page moves the focus, not the visitor
    this.unfolded = ""; // the document and the share whose remaining values are shown
    this.narrow = window.matchMedia("(max-width: 720px)");
    this.part = partsOf(this.root, "#testset-");
    this.list = this.part("list");
    this.tree = this.part("tree");
    this.find = this.part("find", HTMLInputElement);
    this.rail = this.part("rail");
    this.room = findElement(this.list, ".room");
    this.views = new Asker(server.view_documents, root);
    this.treePane = newTreePane(this.tree, "testset");
    this.files = new DocumentFiles((file) => openPdf(server, () => this.state.result?.run ?? "", file));
    this.isKeptClosed = false; // the visitor closed the document
    this.loaded = NO_DOCUMENT;
    this.pane = new DocumentPane(this.part("beside"), {
      choose: (row) => this.chooseRow(row),
      close: () => this.toggleDocument(false),
    });
    this.facets = new Facets(this.rail, (filter, name) => {
      // A new filter shows its first document; without it the document stays.
      this.go({ [filter]: name, row: null, ...(name === null ? {} : { document: null }) }, "push");
      if (this.narrow.matches && name !== null) this.seg("2");
    });
    this.histogram = new Histogram(this.part("histogram"), (low, high) => this.later({ low, high }));
    this.bind();
    this.listen();
  }

  /** Return the keys for documents, for their list, and for going back. */
  bind() {
    const isActive = () => this.root.dataset.view === "result";
    const find = () => {
      if (this.narrow.matches) this.seg("2");
      this.find.focus();
    };
    const open = () => {
      if (this.narrow.matches) this.seg("3", "push");
      this.treePane.stop()?.focus();
    };
    bindDocumentKeys("testset", this.pane, () => this.toggleDocument(!this.isOpen), isActive);
    bindKeys(
      "testset",
      PART,
      [
        ["j k", "go to the next or previous document", () => this.move(1), () => this.move(-1)],
        ["/", "find a document", find],
      ],
      isActive,
    );
    const ofList = listKeys("testset", PART, [
      ["ArrowDown ArrowUp", "", () => this.move(1), () => this.move(-1)],
      ["PageDown PageUp", "", () => this.move(this.aPage()), () => this.move(-this.aPage())],
      ["End Home", "", () => this.move(this.state.order.length), () => this.move(-this.state.order.length)],
      ["Enter", "go to its tree", open],
    ]);
    const back = listKeys("testset", PART, [
      ["Escape", "go back to the list; take back a filter", (/** @type {Element} */ from) => this.back(from)],
    ]);
    findElement(this.root, ".panes").addEventListener("keydown", (event) => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element) || target.matches("input")) {
        return;
      }
      const act = back[event.key] ?? (target === this.list ? ofList[event.key] : undefined);
      if (!act) return;
      event.preventDefault();
      act(target);
    });
  }

  /** Go one step back: leave the zoom, the sheet, the share or the tree, then remove the last filter. */
  back(/** @type {Element} */ from) {
    if (this.pane.isZoomed) this.pane.zoom();
    else if (this.pane.isSheet) this.toggleDocument(false);
    else if (this.state.view.share) this.go({ share: "", row: null }, "push");
    else if (this.tree.contains(from)) this.list.focus();
    else if (from === this.list || this.rail.contains(from)) this.clear(false);
  }

  listen() {
    this.find.addEventListener("input", () => this.later({ find: this.find.value }));
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        this.clear(false);
        this.list.focus();
      }
      if (event.key === "ArrowDown" || event.key === "Enter") {
        event.preventDefault();
        this.list.focus();
      }
    });
    this.list.addEventListener("click", (event) => {
      const row = around(event, ".doc");
      if (!row) return;
      this.go({ document: Number(row.dataset.number), row: null }, "push");
      if (this.narrow.matches) this.seg("3");
    });
    this.list.addEventListener("scroll", () => this.drawRows());
    window.addEventListener(
      "scroll",
      () => {
        if (this.narrow.matches) this.drawRows();
      },
      { passive: true },
    );
    this.narrow.addEventListener("change", () => {
      this.room.replaceChildren();
      this.draw();
    });
    new ResizeObserver(() => this.drawRows()).observe(this.list);
    for (const kind of ["click", "focusin"]) {
      this.tree.addEventListener(kind, (event) => {
        const row = around(event, ".anls-row[id]");
        if (row === null || this.isMoved) return;
        const number = numberOfRow(row);
        const opensSheet = kind === "click" && this.narrow.matches && this.state.places.length > 0;
        if (number === this.state.view.row) {
          if (opensSheet) this.toggleDocument(true);
          return;
        }
        this.state.view = { ...this.state.view, row: number };
        this.treePane.look(row);
        this.write();
        this.drawScene();
        if (opensSheet) this.toggleDocument(true);
      });
    }
    lightRows(this.tree, this.pane);
    this.root.addEventListener("click", (event) => {
      const toSeg = around(event, "[data-to-seg]")?.dataset.toSeg;
      const by = around(event, "[data-sort]")?.dataset.sort;
      const side = around(event, "[data-side]")?.dataset.side;
      if (side) this.side(side);
      if (toSeg) this.seg(toSeg, "push");
      if (by) this.go({ sort: by }, "push");
    });
    this.part("all").addEventListener("click", () => this.clear(true));
    this.part("previous").addEventListener("click", () => this.move(-1));
    this.part("next").addEventListener("click", () => this.move(1));
    this.part("image").addEventListener("click", () => this.toggleDocument(!this.isOpen));
  }

  height() {
    return this.narrow.matches ? 54 : 46;
  }

  rows() {
    return findElements(this.room, ".doc");
  }

  /** Apply a search or a brush after a pause; all of it is one step of Back, however long it takes. */
  later(/** @type {Partial<View>} */ changes) {
    clearTimeout(this.timer);
    const how = this.state.goesOn(changes) ? "replace" : "push";
    this.timer = window.setTimeout(() => this.go(changes, how), PAUSE);
  }

  write(how = "replace") {
    if (!this.state.result || !isShown("testset")) return;
    try {
      const { seg } = this.root.dataset;
      history[how === "push" ? "pushState" : "replaceState"]({ seg }, "", addressOf(this.state.view));
    } catch {
      /* some browsers refuse more than a hundred changes in half a minute; a later change writes the same */
    }
  }

  go(/** @type {Partial<View>} */ changes, how = "replace") {
    this.say("");
    this.state.change(changes);
    this.write(how);
    if (changesList(changes)) this.ask();
    else this.draw();
  }

  /** Go from the headline to the rows of its cause, in the document that lost most by it. */
  leadTo(/** @type {string} */ cause) {
    this.go({ cause, field: null, within: null, share: "", row: null, document: null }, "push");
    if (this.narrow.matches) this.seg("3");
  }

  /** Choose the pane that a phone shows. */
  seg(/** @type {string} */ number, how = "replace") {
    this.root.dataset.seg = number;
    for (const button of findElements(this.root, "[data-to-seg]")) {
      button.setAttribute("aria-pressed", String(button.dataset.toSeg === number));
    }
    this.write(how);
    this.drawRows();
  }

  /** Request and render the documents that pass the filters; return a sentence if the server refuses the view. */
  async ask() {
    if (!this.state.result || !this.state.all) return "";
    const { cause, field, within, slice, find: text, sort, low, high, share } = this.state.view;
    const { level } = this.state;
    const asked = { cause, field, within, slice, find: text, sort, low, high, share: share || null, level };
    const found = await this.views.ask({ run: this.state.result.run, ...asked });
    if (!found) return "";
    if ("refused" in found) {
      if (found.kind !== "input") {
        this.fault(found, () => this.ask());
        return "";
      }
      this.say(sentenceOf(found.refused));
      return found.refused;
    }
    const isNew = this.state.show(found);
    this.room.replaceChildren();
    const { result, all, view, order } = this.state;
    const isPart = order.length < all.names.length;
    const ofAll = isPart ? ` of all ${all.names.length.toLocaleString("en")}` : "";
    this.facets.draw(found, view, result.lists, isPart ? null : result.intervals);
    this.histogram.show(found.bins);
    this.part("spread").textContent = found.spread.join("\n");
    this.part("interval").textContent = `${result.range}${ofAll}`.trim();
    if (isNew) this.list.scrollTop = 0;
    this.draw();
    return "";
  }

  draw() {
    if (!this.state.shown || !this.state.all) return;
    if (this.state.choose((number) => this.hasFile(number))) this.write();
    if (this.find.value !== this.state.view.find && document.activeElement !== this.find) {
      this.find.value = this.state.view.find;
    }
    this.histogram.set(this.state.view.low, this.state.view.high);
    this.part("count").textContent = this.state.shown.count;
    for (const button of findElements(this.root, "[data-side=documents]")) button.textContent = this.state.shown.count;
    this.drawGrounding();
    this.drawChips();
    for (const button of findElements(this.root, "[data-sort]")) {
      button.setAttribute("aria-pressed", String(button.dataset.sort === this.state.view.sort));
    }
    const none = this.state.view.find ? "No document contains this text." : "No document matches these filters.";
    this.part("none").textContent = this.state.order.length ? "" : none;
    this.room.style.height = `${this.state.order.length * this.height()}px`;
    for (const row of this.rows()) {
      row.setAttribute("aria-selected", String(Number(row.dataset.number) === this.state.view.document));
    }
    this.reveal();
    this.drawRows();
    this.drawDocument();
  }

  reveal() {
    const top = this.state.order.indexOf(this.state.view.document ?? -1) * this.height();
    if (top < 0 || this.narrow.matches) return;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    if (top + this.height() > this.list.scrollTop + this.list.clientHeight) {
      this.list.scrollTop = top + this.height() - this.list.clientHeight;
    }
  }

  /** Render the visible rows. Rows that stay visible keep their elements, since a visitor may be pressing one. */
  drawRows() {
    if (!this.state.shown || !this.state.all) return;
    const top =
      (this.narrow.matches ? 0 : this.list.getBoundingClientRect().top) - this.room.getBoundingClientRect().top;
    const seenHeight = this.narrow.matches ? window.innerHeight : this.list.clientHeight;
    const first = Math.max(0, Math.floor(top / this.height()) - BEYOND);
    const last = Math.min(this.state.order.length, Math.ceil((top + seenHeight) / this.height()) + BEYOND);
    const seen = this.state.order.slice(first, last);
    const still = new Set(seen);
    for (const row of this.rows()) if (!still.has(Number(row.dataset.number))) row.remove();
    const here = this.rows();
    for (const [at, number] of seen.entries()) {
      if (Number(here[0]?.dataset.number) === number) here.shift();
      else this.room.insertBefore(this.rowOf(number, first + at, this.state.all, this.state.shown), here[0] ?? null);
    }
    if (this.room.querySelector(`#testset-option-${this.state.view.document}`)) {
      this.list.setAttribute("aria-activedescendant", `testset-option-${this.state.view.document}`);
    } else this.list.removeAttribute("aria-activedescendant");
  }

  /** @type {(number: number, at: number, all: Server.Listing, shown: Server.View) => HTMLElement} */
  rowOf(number, at, { names, scores }, { why, lost, title }) {
    const bar = newElement("span", "bar", document.createElement("i"));
    bar.style.setProperty("--v", scores[number]);
    const name = newElement("bdi", "mono cut", ...cutName(names[number]));
    const row = newElement(
      "div",
      "doc",
      newElement("span", "doc-name", name, ...(this.hasFile(number) ? [newDocumentSign()] : [])),
      bar,
      newElement("span", "num", scores[number]),
      newElement("small", "cut", why[at]),
      newElement("small", "num", lost[at]),
    );
    row.id = `testset-option-${number}`;
    row.dataset.number = String(number);
    row.style.top = `${at * this.height()}px`;
    row.title = title[at];
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(number === this.state.view.document));
    row.setAttribute("aria-setsize", String(this.state.order.length));
    row.setAttribute("aria-posinset", String(at + 1));
    return row;
  }

  /**
   * Load and render the chosen document. If the choice changes during a request, the new choice is loaded next. Until
   * then the previous tree stays, under its own name.
   */
  async drawDocument() {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      while (this.state.result && this.state.view.document !== null && this.state.drawn !== this.state.chosen) {
        const wanted = this.state.chosen;
        this.part("document").dataset.stale = "";
        const { names, images } = this.state.all ?? { names: [], images: [] };
        const number = this.state.view.document;
        const text = textOf(await this.files.open(names[number], images[number]));
        const asked = { run: this.state.result.run, number, text };
        const found = await answerTo(this.server.read_document, asked);
        if (wanted !== this.state.chosen) continue;
        const isRefused = "refused" in found;
        if (isRefused && found.kind !== "input" && found.kind !== "limit") {
          this.fault(found, () => this.draw(), this.state.ofChosen("names"));
          return;
        }
        const hadFocus = this.tree.contains(document.activeElement);
        this.state.drawn = wanted;
        this.state.answer = isRefused ? null : found;
        this.loaded = await this.files.open(names[number], images[number], this.state.answer?.image);
        this.showDocument(found);
        this.isMoved = true;
        if (hadFocus) this.treePane.stop()?.focus({ preventScroll: true });
        this.isMoved = false;
      }
    } finally {
      this.isLoading = false;
      // the choice may have returned to the document that is rendered
      if (this.state.drawn === this.state.chosen) delete this.part("document").dataset.stale;
    }
    if (this.state.view.document === null) {
      [this.state.drawn, this.state.answer, this.loaded] = ["", null, NO_DOCUMENT];
      this.showDocument(null);
    }
    this.drawHits();
    this.drawPage();
  }

  /** Remove the documents of the previous files from the screen. */
  empty() {
    this.views.forget();
    this.room.replaceChildren();
    this.part("count").textContent = "";
    this.showDocument(null);
    this.drawPage();
  }

  showDocument(/** @type {Server.Document | Server.Refusal | null} */ found) {
    if (found && "refused" in found) this.tree.replaceChildren(newElement("p", "soft", sentenceOf(found.refused)));
    else this.tree.innerHTML = found?.html ?? ""; // from the server's templates, which escape every value
    this.tree.scrollTop = 0;
    const name = this.state.ofChosen("names") || (this.state.all ? "No document" : "");
    this.part("name").replaceChildren(...cutName(name));
    this.part("of").textContent = this.state.ofChosen("scores");
    this.part("points").textContent = this.tree.querySelector(".anls-detail")?.textContent.split(";")[0] ?? "";
    delete this.part("document").dataset.stale;
    for (const name of OF_ONE) {
      this.part(name, HTMLButtonElement).disabled = !this.state.all || this.state.view.document === null;
    }
    this.drawSigns();
    this.drawLists();
    this.treePane.fresh();
  }

  rowElement(/** @type {number} */ number) {
    return document.getElementById(`document-${number}`);
  }

  scrollTo(/** @type {HTMLElement} */ row) {
    const pane = findElement(this.tree, ".anls-grid");
    const box = row.getBoundingClientRect();
    const frame = pane.getBoundingClientRect();
    if (!this.narrow.matches && (box.top < frame.top + 30 || box.bottom > frame.bottom)) {
      pane.scrollTop += box.top - frame.top - frame.height / 3;
    }
  }

  /** Mark the rows of the tree that match the filters, open the folds around them, and go to the row of the view. */
  drawHits() {
    for (const row of this.tree.querySelectorAll(".hit")) row.classList.remove("hit");
    for (const old of this.tree.querySelectorAll(".rest")) old.remove();
    const folds = this.state.view.share !== "" && this.unfolded !== this.folding;
    this.tree.classList.toggle("only-hits", folds);
    if (!this.state.answer) return;
    const marked = this.state
      .hits()
      .map((row) => this.rowElement(row))
      .filter((row) => row !== null);
    this.chooseFirst(marked);
    const here = this.state.view.row === null ? null : this.rowElement(this.state.view.row);
    for (const row of marked) row.classList.add("hit");
    this.treePane.look(here);
    for (const row of [...marked, here]) {
      for (let above = row?.parentElement; above && above !== this.tree; above = above.parentElement) {
        if (above instanceof HTMLDetailsElement) above.open = true;
      }
    }
    const first = here ?? marked[0];
    if (folds) this.foldRest();
    if (first) this.scrollTo(first);
  }

  /** If no row is chosen, choose the first of the share, or the row that lost most if the document is open. */
  chooseFirst(/** @type {HTMLElement[]} */ marked) {
    const { share, row } = this.state.view;
    if (row !== null || !(share || this.isOpen)) return;
    const first = share ? marked[0] : this.treePane.losses(marked.length ? marked : undefined)[0];
    if (!first) return;
    this.state.change({ row: numberOfRow(first) });
    this.write();
  }

  get folding() {
    return `${this.state.chosen} ${this.state.view.share}`;
  }

  /** Add a line that shows the values outside the share, until another share or document is chosen. */
  foldRest() {
    const [head] = findElements(this.tree, ".anls-header");
    const count = findElements(this.tree, "div.anls-row[data-path]:not(.hit)").length;
    if (!head || !count) return;
    const button = newButton("rest", `▸ ${counted(count, "other value")}`, () => {
      this.unfolded = this.folding;
      this.tree.classList.remove("only-hits");
      button.remove();
      this.treePane.stop()?.focus();
    });
    head.after(button);
  }

  // The document next to the values

  get isOpen() {
    return this.narrow.matches ? this.pane.isSheet : this.state.view.image !== "";
  }

  /** Open or close the document, and keep it closed. On a phone it is a sheet, which returns the focus. */
  toggleDocument(/** @type {boolean} */ isOpen) {
    if (!this.narrow.matches) {
      this.isKeptClosed = !isOpen;
      this.go({ image: isOpen ? "1" : "" }, "push");
      if (!isOpen && this.pane.element.contains(document.activeElement)) this.part("image").focus();
      return;
    }
    this.pane.openSheet(isOpen);
    this.drawScene();
    const { row } = this.state.view;
    const chosen = row === null ? null : this.rowElement(row);
    if (!isOpen) chosen?.focus({ preventScroll: true });
    else if (chosen) window.scrollBy(0, chosen.getBoundingClientRect().top - ABOVE_SHEET);
  }

  /** Arrange the page. With an open document, documents and causes share a column below the histogram. */
  drawPage() {
    const isOpen = this.state.view.image !== "";
    this.part("image").setAttribute("aria-pressed", String(this.isOpen));
    this.root.classList.toggle("doc-open", isOpen);
    const histogram = this.part("histogram");
    const place = isOpen && !this.narrow.matches ? this.part("spread-open") : findElement(this.root, ".spread");
    if (histogram.parentElement !== place) place.prepend(histogram);
    this.drawScene();
  }

  /** Show documents or causes if they share a column. */
  side(/** @type {string} */ name) {
    this.root.dataset.sideShown = name;
    for (const button of findElements(this.root, "[data-side]")) {
      button.setAttribute("aria-pressed", String(button.dataset.side === name));
    }
    const shown = findElements(this.root, `[data-side="${name}"]`).find((button) => button.checkVisibility());
    shown?.focus();
    this.drawRows();
  }

  drawGrounding() {
    const { result, view, level } = this.state;
    const grounding = result?.grounding ?? null;
    this.root.classList.toggle("with-grounding", grounding !== null);
    drawGrounding(this.part("grounding"), grounding, {
      level,
      share: view.share,
      ask: (asked) => {
        this.go({ level: asked }, "push");
        this.drawGrounding();
        this.drawSigns();
        this.drawScene();
      },
      filter: (share) => this.filterShare(share),
    });
  }

  /** Draw the filters as chips that remove them. */
  drawChips() {
    const { cause, field, share, within, slice } = this.state.view;
    const { label = cause } = this.state.shown?.causes.find(({ name }) => name === cause) ?? {};
    /** @type {[words: string | null | undefined, without: Partial<View>][]} */
    const filters = [
      [label, { cause: null, row: null }],
      [field, { field: null, row: null }],
      [Object.entries(SHARE_NAMES).find(([name]) => name === share)?.[1], { share: "", row: null }],
      [within, { within: null }],
      [slice && `${this.state.result?.asked.by}: ${slice}`, { slice: null }],
    ];
    const chips = filters.flatMap(([words, without]) => {
      if (!words) return [];
      const close = newButton("", "×", () => this.go(without, "push"));
      close.setAttribute("aria-label", `Undo: ${words}`);
      return [newElement("span", "chip", newElement("span", "cut", words), close)];
    });
    this.part("share").replaceChildren(...chips);
  }

  /** Draw the slices as a table; a slice in it can be the filter. */
  drawSlices(/** @type {HTMLDialogElement} */ dialog) {
    const { result, view } = this.state;
    findElement(dialog, "h2").textContent = this.part("slices").textContent;
    const table = drawSlices(result?.slices ?? [], view.slice, (slice) => {
      dialog.close();
      this.go({ slice, row: null, document: null }, "push");
      if (this.narrow.matches && slice !== null) this.seg("2");
    });
    findElement(dialog, ".scroll").replaceChildren(table);
  }

  /** List only documents with values of a share, and choose the first. */
  filterShare(/** @type {Server.Share | ""} */ share) {
    this.go({ share, row: null }, "push");
    if (this.narrow.matches && share) this.seg("2");
  }

  drawSigns() {
    const known = knownInTree(this.loaded);
    drawSigns(this.tree, this.state.places, this.state.level, { ...known, pages: this.pageCount() });
  }

  /** Draw the long lists above the rows, and a line among the rows where a list was cut off. */
  drawLists() {
    const lists = this.state.answer?.lists ?? [];
    const [grid] = findElements(this.tree, ".anls-grid");
    grid?.before(...drawLists(lists, (row) => this.chooseRow(row)));
    for (const { cut, numbers } of lists) {
      const first = cut ? this.rowElement(numbers[cut] ?? -1) : null;
      const fold = first?.closest("details")?.parentElement?.closest("details[data-status=missing]");
      const place = fold ?? first?.closest("details") ?? first;
      place?.before(newElement("p", "cut-here", newElement("b", "", "Cut off here")));
    }
  }

  /** Return the number of pages of the document, 0 if unknown. */
  pageCount() {
    const cited = this.state.places.flatMap(({ cited: places, expected }) => [...places, ...expected]);
    const pages = cited.map(([page]) => page ?? 0);
    return Math.max(this.loaded.pages.length, ...pages, 0);
  }

  drawScene() {
    if (!this.isOpen) return;
    const { view, places, level } = this.state;
    const here = view.row === null ? null : this.rowElement(view.row);
    const chosen = here ? rowsWithin(here, new Map(places.map((row) => [row.row, row]))) : [];
    const none = noDocument(this.state.ofChosen("images"), places.length > 0, this.loaded.fault, (files) =>
      this.addDocuments(files),
    );
    const { name, asked } = { name: this.state.ofChosen("names"), asked: this.iou() };
    this.pane.show(sceneOf({ name, rows: places, chosen, level, asked, document: this.loaded, none }));
  }

  /** Return the least overlap at which a box is accepted. */
  iou() {
    const asked = this.state.result?.asked.what_if;
    return asked && "iou" in asked ? Number(asked.iou) : IOU;
  }

  /** Choose the row of a box that was pressed, and bring it into view. */
  chooseRow(/** @type {number} */ number) {
    const row = this.rowElement(number);
    if (!row) return;
    this.state.view = { ...this.state.view, row: number };
    this.drawHits();
    this.write();
    this.drawScene();
  }

  /** Keep images and texts, and return the other files. */
  takeDocuments(/** @type {File[]} */ files) {
    const others = this.files.take(files);
    if (others.length < files.length) this.tellOfDocuments(files.length - others.length);
    return others;
  }

  hasFile(/** @type {number} */ number) {
    const { names, images } = this.state.all ?? { names: [], images: [] };
    return this.files.has(names[number], images[number]);
  }

  /** Return the numbers of the documents that have a file. */
  matched() {
    return [...(this.state.all?.names.keys() ?? [])].filter((number) => this.hasFile(number));
  }

  /** Say how many documents have a file, and return the number. */
  drawMatched() {
    const count = this.matched().length;
    this.part("matched").textContent = this.files.isEmpty
      ? ""
      : matchedInWords(count, this.state.all?.names.length ?? 0);
    return count;
  }

  tellOfDocuments(/** @type {number} */ count) {
    if (!this.state.all || !this.state.result) return;
    this.files.join(this.state.result.run);
    const matched = this.drawMatched();
    this.room.replaceChildren(); // its rows are drawn anew, with signs of the files
    this.state.drawn = "";
    if (matched && !this.isKeptClosed && !this.narrow.matches) this.go({ image: "1" });
    else this.draw();
    this.say(`${counted(count, "file")} added, for ${counted(matched, "document")}.`);
  }

  addDocuments(/** @type {File[]} */ files) {
    const others = this.takeDocuments(files);
    if (others.length) this.say(`${others[0].name} is not an image, a PDF or a text of a document.`);
  }

  move(/** @type {number} */ step) {
    const next = this.state.next(step);
    if (next === undefined || next === this.state.view.document) return;
    const isHeld = Date.now() - this.moved < HELD;
    this.moved = Date.now();
    this.go({ document: next, row: null }, isHeld ? "replace" : "push");
  }

  /** Remove the last filter in their order, or all filters. */
  clear(/** @type {boolean} */ isAll) {
    const changes = this.state.cleared(isAll);
    if (!changes) return;
    if (changes.find === "") this.find.value = "";
    this.go(changes, "push");
  }

  aPage() {
    return Math.max(1, Math.floor(this.list.clientHeight / this.height()));
  }

  /** Show the view of a link, or report what is wrong with it and show everything. */
  async apply(/** @type {View} */ asked) {
    const isKnown = asked.document === null || (this.state.all !== null && asked.document in this.state.all.names);
    this.state.view = isKnown ? asked : { ...asked, document: null, row: null };
    const refused = isKnown ? await this.ask() : "its document is not in this test set";
    if (!refused) return;
    this.state.view = { ...NO_VIEW, documents: asked.documents };
    await this.ask();
    this.say(`A part of this link could not be opened: ${refused}.`);
  }

  /** Follow a step in the history of this window. */
  follow(/** @type {View} */ asked) {
    this.seg(history.state?.seg ?? "1");
    this.apply({ ...asked, documents: this.state.view.documents });
  }

  /**
   * Show a result with the view of a link, else with the previous view if the files and documents are the same. After a
   * remedy, filters that now match other documents are removed.
   * @type {(found: Server.TestSet, asked: View | null, areSame: boolean, isRemedy: boolean) => Promise<boolean>}
   */
  async show(found, asked, areSame, isRemedy) {
    const { state } = this;
    const meant = new Set(state.order);
    if (!areSame) this.empty();
    this.write();
    const listing = await answerTo(this.server.read_documents, { run: found.run });
    if ("refused" in listing) {
      this.fault(listing, null);
      return false;
    }
    const { documents } = state.view;
    state.list(listing, areSame);
    this.facets.areAll = false;
    this.views.forget();
    this.say(listing.note);
    this.histogram.draw(found.histogram, 0, 1);
    await this.files.join(found.run);
    if (this.drawMatched() && !asked && !this.isKeptClosed && !this.narrow.matches) state.change({ image: "1" });
    if (asked) await this.apply({ ...asked, documents });
    else {
      const isRefused = Boolean(await this.ask());
      const areOthers = meant.size !== state.order.length || state.order.some((number) => !meant.has(number));
      if (isRefused || !state.order.length || (isRemedy && areOthers)) {
        state.change({ cause: null, field: null, low: 0, high: 1, share: "" });
        await this.ask();
      }
    }
    this.write();
    return true;
  }
}
