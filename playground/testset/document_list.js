// The list of the documents that pass the filters. Only the visible rows are rendered.

import { around, cutName, findElement, findElements, newElement, press } from "../parts/elements.js";
import { newDocumentSign } from "../parts/document_files.js";
import { listKeys } from "../parts/keys.js";

/** @import { Documents } from "./documents.js" */

const HELD = 500; // milliseconds; documents that a held key passes faster than this are one step of Back
const BEYOND = 8; // rows rendered above and below the visible ones

export class DocumentList {
  constructor(/** @type {Documents} */ page) {
    this.page = page;
    this.state = page.state;
    this.narrow = page.narrow;
    this.element = page.part("list");
    this.room = findElement(this.element, ".room");
    this.moved = 0; // when a key moved to another document
    this.listen();
  }

  listen() {
    this.element.addEventListener("click", (event) => this.press(event));
    this.element.addEventListener("scroll", () => this.drawRows());
    window.addEventListener("scroll", () => this.narrow.matches && this.drawRows(), { passive: true });
    this.narrow.addEventListener("change", () => {
      this.renew();
      this.page.draw();
    });
    new ResizeObserver(() => this.drawRows()).observe(this.element);
    this.page.part("previous").addEventListener("click", () => this.move(-1));
    this.page.part("next").addEventListener("click", () => this.move(1));
  }

  /** List the keys that work while the list has the focus. @type {(part: string) => Record<string, () => unknown>} */
  keys(part) {
    return listKeys("testset", part, [
      ["ArrowDown ArrowUp", "", () => this.move(1), () => this.move(-1)],
      ["PageDown PageUp", "", () => this.move(this.aPage()), () => this.move(-this.aPage())],
      ["End Home", "", () => this.move(this.state.order.length), () => this.move(-this.state.order.length)],
      ["Enter", "go to its tree", () => this.page.openTree()],
    ]);
  }

  press(/** @type {Event} */ event) {
    const row = around(event, ".doc");
    if (!row) return;
    this.page.go({ document: Number(row.dataset.number), row: null }, "push");
    if (this.narrow.matches) this.page.seg("3");
  }

  move(/** @type {number} */ step) {
    const next = this.state.next(step);
    if (next === undefined || next === this.state.view.document) return;
    const isHeld = Date.now() - this.moved < HELD;
    this.moved = Date.now();
    this.page.go({ document: next, row: null }, isHeld ? "replace" : "push");
  }

  height() {
    return this.narrow.matches ? 54 : 46;
  }

  aPage() {
    return Math.max(1, Math.floor(this.element.clientHeight / this.height()));
  }

  rows() {
    return findElements(this.room, ".doc");
  }

  /** Remove all rows, which are then drawn anew. */
  renew() {
    this.room.replaceChildren();
  }

  draw() {
    const { shown, order, view } = this.state;
    const { count = "" } = shown ?? {};
    this.page.part("count").textContent = count;
    for (const button of findElements(this.page.root, "[data-side=documents]")) button.textContent = count;
    press(this.page.root, "sort", view.sort);
    const none = view.find ? "No document contains this text." : "No document matches these filters.";
    this.page.part("none").textContent = order.length ? "" : none;
    this.room.style.height = `${order.length * this.height()}px`;
    for (const row of this.rows())
      row.setAttribute("aria-selected", String(Number(row.dataset.number) === view.document));
    this.reveal();
    this.drawRows();
  }

  reveal() {
    const top = this.state.order.indexOf(this.state.view.document ?? -1) * this.height();
    if (top < 0 || this.narrow.matches) return;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    if (top + this.height() > this.element.scrollTop + this.element.clientHeight) {
      this.element.scrollTop = top + this.height() - this.element.clientHeight;
    }
  }

  /** Render the visible rows. Rows that stay visible keep their elements, since a visitor may be pressing one. */
  drawRows() {
    const { all, shown, order, view } = this.state;
    if (!shown || !all) return;
    const above = this.narrow.matches ? 0 : this.element.getBoundingClientRect().top;
    const top = above - this.room.getBoundingClientRect().top;
    const seenHeight = this.narrow.matches ? window.innerHeight : this.element.clientHeight;
    const first = Math.max(0, Math.floor(top / this.height()) - BEYOND);
    const last = Math.min(order.length, Math.ceil((top + seenHeight) / this.height()) + BEYOND);
    const seen = order.slice(first, last);
    const still = new Set(seen);
    for (const row of this.rows()) if (!still.has(Number(row.dataset.number))) row.remove();
    const here = this.rows();
    for (const [at, number] of seen.entries()) {
      if (Number(here[0]?.dataset.number) === number) here.shift();
      else this.room.insertBefore(this.rowOf(number, first + at, all, shown), here[0] ?? null);
    }
    const option = `testset-option-${view.document}`;
    if (this.room.querySelector(`#${option}`)) this.element.setAttribute("aria-activedescendant", option);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** @type {(number: number, at: number, all: Server.Listing, shown: Server.View) => HTMLElement} */
  rowOf(number, at, { names, scores }, { why, lost, title }) {
    const bar = newElement("span", "bar", document.createElement("i"));
    bar.style.setProperty("--v", scores[number]);
    const name = newElement("bdi", "mono cut", ...cutName(names[number]));
    const row = newElement(
      "div",
      "doc",
      newElement("span", "doc-name", name, ...(this.page.beside.hasFile(number) ? [newDocumentSign()] : [])),
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
}
