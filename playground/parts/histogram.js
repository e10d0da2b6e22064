// The scores of all documents as bars, and a brush that chooses a range of them: by pointer, or with the arrow keys.

import { findElements, newElement } from "./elements.js";

export class Histogram {
  /**
   * @param {HTMLElement} element
   * @param {(low: number, high: number) => void} changed  called with the chosen range
   */
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    /** @type {number[]} */
    this.edges = [0, 1];
    /** @type {number[]} */
    this.counts = [0];
    this.range = [0, 1]; // the numbers of the edges of the range
    this.begun = -1; // the bar at which the pointer went down
    this.isDragged = false;
    element.addEventListener("pointerdown", (event) => {
      this.begun = this.barAt(event);
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => {
      if (this.begun < 0) return;
      const at = this.barAt(event);
      if (at !== this.begun || this.isDragged) this.choose(Math.min(at, this.begun), Math.max(at, this.begun) + 1);
      this.isDragged = true;
    });
    element.addEventListener("pointerup", () => {
      if (this.begun >= 0 && !this.isDragged) this.choose(0, this.counts.length); // a click removes the range
      this.begun = -1;
      this.isDragged = false;
    });
  }

  barAt(/** @type {PointerEvent} */ event) {
    const box = this.element.getBoundingClientRect();
    const count = this.counts.length;
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count)));
  }

  choose(/** @type {number} */ from, /** @type {number} */ to) {
    if (from === this.range[0] && to === this.range[1]) return;
    this.range = [from, to];
    this.mark();
    const isWhole = from === 0 && to === this.counts.length;
    this.changed(isWhole ? 0 : this.edges[from], isWhole ? 1 : this.edges[to]);
  }

  /** Draw the bars, with the range from one score to another. */
  draw(/** @type {Server.HistogramBins} */ { edges, counts }, /** @type {number} */ low, /** @type {number} */ high) {
    [this.edges, this.counts] = [edges, counts];
    const most = Math.max(...counts, 1);
    const bars = counts.map((count) => {
      const bar = document.createElement("i");
      bar.style.setProperty("--v", String(count / most));
      return bar;
    });
    const handles = ["Lowest score", "Highest score"].map((label, at) => this.handle(label, at));
    const marks = [edges[0], edges[edges.length - 1]].map((mark) => newElement("small", "", String(mark)));
    this.element.replaceChildren(newElement("div", "bars", ...bars), ...handles, ...marks);
    this.show(counts);
    this.set(low, high);
  }

  /** Show how many documents of each bar pass the filters. */
  show(/** @type {number[]} */ left) {
    this.bars.forEach((bar, at) => {
      const count = this.counts[at];
      const some = left[at] < count ? `${left[at].toLocaleString("en")} of ` : "";
      bar.style.setProperty("--of", String(left[at] / Math.max(count, 1)));
      const range = `${this.edges[at].toFixed(2)} to ${this.edges[at + 1].toFixed(2)}`;
      bar.title = `${range}: ${some}${count.toLocaleString("en")}`;
    });
  }

  get bars() {
    return findElements(this.element, ".bars i");
  }

  /** Show a range that was chosen elsewhere. */
  set(/** @type {number} */ low, /** @type {number} */ high) {
    const last = this.counts.length;
    const nearest = (/** @type {number} */ score) => this.edges.findIndex((edge) => edge >= score - 1e-9);
    this.range = [Math.max(0, nearest(low)), high >= 1 ? last : Math.max(0, nearest(high))];
    this.mark();
  }

  mark() {
    const [from, to] = this.range;
    const last = this.counts.length;
    this.bars.forEach((bar, at) => bar.classList.toggle("out", at < from || at >= to));
    findElements(this.element, "[role=slider]").forEach((handle, at) => {
      handle.style.setProperty("--x", String(this.range[at] / last));
      const score = this.edges[this.range[at]];
      for (const [name, value] of [
        ["valuemin", this.edges[0]],
        ["valuemax", this.edges[last]],
        ["valuenow", score],
        ["valuetext", score.toFixed(2)],
      ]) {
        handle.setAttribute(`aria-${name}`, String(value));
      }
    });
  }

  handle(/** @type {string} */ label, /** @type {number} */ at) {
    const handle = newElement("span", "handle");
    handle.setAttribute("role", "slider");
    handle.setAttribute("aria-label", label);
    handle.tabIndex = 0;
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -100, End: 100 }[event.key];
      if (!step) return;
      event.preventDefault();
      const [from, to] = this.range;
      const last = this.counts.length;
      if (at === 0) this.choose(Math.max(0, Math.min(to - 1, from + step)), to);
      else this.choose(from, Math.min(last, Math.max(from + 1, to + step)));
    });
    return handle;
  }
}
