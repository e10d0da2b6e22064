// What filters the documents of a test set: causes and fields, scores, a text, regions and slices. Chips remove filters.

import { findElement, newButton, newElement } from "../parts/elements.js";
import { Facets } from "../parts/facets.js";
import { Histogram } from "../parts/histogram.js";
import { drawGrounding } from "./grounding.js";
import { drawSlices } from "./slices.js";

/** @import { View } from "../parts/views.js" */
/** @import { Documents } from "./documents.js" */

const PAUSE = 150; // milliseconds until a search or a brush is applied

export class Filters {
  constructor(/** @type {Documents} */ page) {
    this.page = page;
    this.state = page.state;
    this.part = page.part;
    this.timer = 0; // fires when a search or a brush is applied
    this.find = this.part("find", HTMLInputElement);
    this.rail = this.part("rail");
    // A new filter shows its first document; without it the document stays.
    this.facets = new Facets(this.rail, (filter, name) =>
      this.set({ [filter]: name, row: null, ...(name === null ? {} : { document: null }) }, name !== null),
    );
    this.histogram = new Histogram(this.part("histogram"), (low, high) => this.later({ low, high }));
    this.find.addEventListener("input", () => this.later({ find: this.find.value }));
    this.find.addEventListener("keydown", (event) => this.leave(event));
    this.part("all").addEventListener("click", () => this.clear(true));
  }

  /** Go from the field of the search to the list; Escape removes the last filter. */
  leave(/** @type {KeyboardEvent} */ event) {
    if (!["Escape", "ArrowDown", "Enter"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") this.clear(false);
    this.page.list.element.focus();
  }

  /** Change a filter; a phone then shows the documents that it lists. */
  set(/** @type {Partial<View>} */ changes, /** @type {boolean} */ isSet) {
    this.page.go(changes, "push");
    if (this.page.narrow.matches && isSet) this.page.seg("2");
  }

  /** Apply a search or a brush after a pause; all of it is one step of Back, however long it takes. */
  later(/** @type {Partial<View>} */ changes) {
    clearTimeout(this.timer);
    const how = this.state.goesOn(changes) ? "replace" : "push";
    this.timer = window.setTimeout(() => this.page.go(changes, how), PAUSE);
  }

  /** Remove the last filter in their order, or all filters. */
  clear(/** @type {boolean} */ isAll) {
    const changes = this.state.cleared(isAll);
    if (!changes) return;
    if (changes.find === "") this.find.value = "";
    this.page.go(changes, "push");
  }

  /** Show the causes, fields and scores of the documents that pass the filters. */
  show(/** @type {Server.TestSet} */ result, /** @type {Server.Listing} */ all, /** @type {Server.View} */ found) {
    const isPart = found.order.length < all.names.length;
    const ofAll = isPart ? ` of all ${all.names.length.toLocaleString("en")}` : "";
    this.facets.draw(found, this.state.view, result.lists, isPart ? null : result.intervals);
    this.histogram.show(found.bins);
    this.part("spread").textContent = found.spread.join("\n");
    this.part("interval").textContent = `${result.range}${ofAll}`.trim();
  }

  draw() {
    const { find, low, high } = this.state.view;
    if (this.find.value !== find && document.activeElement !== this.find) this.find.value = find;
    this.histogram.set(low, high);
    this.drawGrounding();
    this.drawChips();
  }

  drawGrounding() {
    const { result, view, level } = this.state;
    const grounding = result?.grounding ?? null;
    this.page.root.classList.toggle("with-grounding", grounding !== null);
    drawGrounding(this.part("grounding"), grounding, {
      level,
      share: view.share,
      ask: (asked) => {
        this.page.go({ level: asked }, "push");
        this.drawGrounding();
        this.page.tree.drawSigns();
        this.page.beside.drawScene();
      },
      // list only documents with values of the share, and choose the first
      filter: (share) => this.set({ share, row: null }, share !== ""),
    });
  }

  /** Draw the filters as chips that remove them. */
  drawChips() {
    const chips = this.state.filters.map(({ words, without }) => {
      const close = newButton("", "×", () => this.page.go(without, "push"));
      close.setAttribute("aria-label", `Undo: ${words}`);
      return newElement("span", "chip", newElement("span", "cut", words), close);
    });
    this.part("share").replaceChildren(...chips);
  }

  /** Draw the slices as a table; a slice in it can be the filter. */
  drawSlices(/** @type {HTMLDialogElement} */ dialog) {
    const { result, view } = this.state;
    findElement(dialog, "h2").textContent = this.part("slices").textContent;
    const table = drawSlices(result?.slices ?? [], view.slice, (slice) => {
      dialog.close();
      this.set({ slice, row: null, document: null }, slice !== null);
    });
    findElement(dialog, ".scroll").replaceChildren(table);
  }
}
