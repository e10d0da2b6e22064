// The worklist of a review: groups of similar places. Only visible rows are rendered.

import { findElement, findElements, newButton, newElement } from "../parts/elements.js";
import { SHOWN_OF_GROUP, groupName, placeName, verdictWords } from "./places.js";

/** @import { ReviewTab } from "./review.js" */
/** @import { ListedGroup } from "./worklist.js" */
/**
 * @typedef {{id: string, height: number, number: number | null, draw: () => HTMLElement}} ListRow  of a group or place
 */

const BEYOND = 200; // pixels rendered above and below the view
const HEAD = 32; // height of a group's header in pixels

const newTick = (/** @type {string} */ label) => {
  const tick = newElement("span", "rv-tick");
  tick.setAttribute("role", "img");
  tick.setAttribute("aria-label", label);
  return tick;
};

export class ReviewList {
  /**
   * @param {HTMLElement} scroller  an element with the container of the rows
   * @param {Pick<ReviewTab, "state" | "visit">} page
   */
  constructor(scroller, page) {
    this.scroller = scroller;
    this.page = page;
    /** @type {ListRow[]} */
    this.rows = [];
    /** @type {Map<number, number>} numbers of rows by the numbers of their places */
    this.rowOf = new Map();
    this.tops = new Float64Array(1);
    this.height = 0;
    /** @type {Set<string>} names of closed groups */
    this.folded = new Set();
    /** @type {Set<string>} names of groups that are shown with all their places */
    this.whole = new Set();
    this.room = findElement(this.scroller, ".room");
    this.narrow = matchMedia("(max-width: 720px)");
    this.scroller.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => {
      this.height = this.scroller.clientHeight;
      this.draw();
    }).observe(this.scroller);
    this.narrow.addEventListener("change", () => this.redraw());
  }

  get worklist() {
    return this.page.state.worklist;
  }

  head(/** @type {ListedGroup} */ group) {
    const { name, firsts } = group;
    const decided = this.worklist.doneOf(firsts);
    const isDone = decided === firsts.length;
    const words = groupName(name, this.worklist.isBlind);
    const title = newElement("span", "cut", words);
    const found = newButton(`rv-kind${isDone ? " done" : ""}`, "", () => {
      if (!this.folded.delete(name)) this.folded.add(name);
      this.redraw();
    });
    title.title = words;
    const state = isDone ? newTick("all decided") : decided ? newElement("span", "rv-some", `${decided} decided`) : "";
    found.append(
      newElement("span", "rv-twig"),
      title,
      newElement("span", "rv-size", `· ${this.worklist.sizeOf(group).toLocaleString("en")}`),
      newElement("span", "grow"),
      state,
    );
    found.setAttribute("aria-expanded", String(!this.folded.has(name)));
    return found;
  }

  item(/** @type {number} */ number) {
    const place = this.worklist.places[number];
    const decision = this.worklist.verdicts.at(number);
    const isDone = !this.worklist.isRowOpen(number);
    const isHere = number === this.worklist.current;
    const isRefused = this.worklist.faultAt(number) !== "";
    const found = newButton(`rv-it${isDone ? " done" : ""}`, "", () => this.page.visit(number));
    const state = isDone && !isRefused ? newTick("decided") : newElement("span", "rv-state");
    if (isRefused) state.classList.add("refused");
    if (!isDone || isRefused) {
      state.setAttribute("role", "img");
      state.setAttribute("aria-label", isRefused ? "cannot be applied" : isHere ? "this one" : "open");
    }
    const { isBlind, hasSystems, mode } = this.worklist;
    const hasAgreement = hasSystems && mode !== "sample";
    const verdict = decision && !isBlind ? verdictWords(place, decision.verdict) : "decided";
    const words = decision ? ` · ${verdict}` : "";
    found.append(
      state,
      newElement("span", "mono cut", placeName(place)),
      newElement("small", "", hasAgreement ? `${place.agree} of ${place.of}` : ""),
      newElement("small", "cut", place.id + words),
    );
    if (isHere) found.setAttribute("aria-current", "true");
    return found;
  }

  /** Compute the rows and their positions. */
  layOut() {
    const [ofHead, ofItem, ofMore] = this.narrow.matches ? [44, 50, 40] : [32, 44, 28];
    this.rows = this.worklist.groups.flatMap((group) => {
      /** @type {ListRow[]} */
      const found = [{ id: `group ${group.name}`, height: ofHead, number: null, draw: () => this.head(group) }];
      if (this.folded.has(group.name)) return found;
      const isLong = group.alike && group.numbers.length > SHOWN_OF_GROUP + 1;
      const isCut = isLong && !this.whole.has(group.name) && group.numbers.length === group.firsts.length;
      const shown = isCut
        ? group.numbers.filter((number, at) => at < SHOWN_OF_GROUP || number === this.worklist.current)
        : group.numbers;
      for (const number of shown) {
        found.push({ id: `place ${number}`, height: ofItem, number, draw: () => this.item(number) });
        const alike = this.worklist.more(number);
        const unfold = () => {
          this.worklist.unfold(number);
          this.redraw();
        };
        const draw = () => newButton("rv-more", `and ${alike.toLocaleString("en")} more like it`, unfold);
        if (alike) found.push({ id: `alike ${number}`, height: ofMore, number: null, draw });
      }
      const rest = group.numbers.length - shown.length;
      if (rest) {
        const more = `${rest.toLocaleString("en")} more`;
        const showAll = () => {
          this.whole.add(group.name);
          this.redraw();
        };
        const draw = () => newButton("rv-more", more, showAll);
        found.push({ id: `more ${group.name}`, height: ofMore, number: null, draw });
      }
      return found;
    });
    this.tops = new Float64Array(this.rows.length + 1);
    this.rows.forEach(({ height }, at) => {
      this.tops[at + 1] = this.tops[at] + height;
    });
    this.room.style.height = `${this.tops[this.rows.length]}px`;
    this.rowOf = new Map(this.rows.flatMap(({ number }, at) => (number === null ? [] : [[number, at]])));
  }

  /** Return the first row that ends below a height. */
  rowAt(/** @type {number} */ height) {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1] > height) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Render the visible rows. Unless all are new, rendered rows keep their elements, and the focus stays on them. */
  draw(isNew = false) {
    const { scrollTop } = this.scroller;
    const to = scrollTop + this.height + BEYOND;
    const { activeElement } = document;
    const held = this.room.contains(activeElement) ? activeElement?.parentElement?.dataset.row : undefined;
    const old = new Map(findElements(this.room, ":scope > [data-row]").map((row) => [row.dataset.row, row]));
    const drawn = [];
    for (let at = this.rowAt(scrollTop - BEYOND); at < this.rows.length && this.tops[at] < to; at += 1) {
      const { id, height: tall, draw: make } = this.rows[at];
      const row = (isNew ? undefined : old.get(id)) ?? newElement("div", "", make());
      row.dataset.row = id;
      row.setAttribute("role", "listitem");
      row.style.top = `${this.tops[at]}px`;
      row.style.height = `${tall}px`;
      drawn.push(row);
    }
    this.room.replaceChildren(...drawn);
    if (held) {
      drawn
        .find((row) => row.dataset.row === held)
        ?.querySelector("button")
        ?.focus({ preventScroll: true });
    }
  }

  redraw() {
    this.layOut();
    this.draw(true);
  }

  /** Scroll the current place into view. */
  reveal() {
    const at = this.rowOf.get(this.worklist.current);
    const { scrollTop } = this.scroller;
    if (at === undefined || !this.height) return;
    const above = this.tops[at] - HEAD;
    const below = this.tops[at + 1] - this.height;
    if (above < scrollTop) this.scroller.scrollTop = Math.max(0, above);
    else if (below > scrollTop) this.scroller.scrollTop = below;
  }

  /** Close all groups. */
  fold() {
    for (const { name } of this.worklist.groups) this.folded.add(name);
    this.redraw();
  }

  /** Scroll the current place into view, and render new verdicts. */
  mark() {
    const { current, groupsByPlace } = this.worklist;
    if (this.folded.delete(groupsByPlace.get(current)?.name ?? "") || !this.rowOf.has(current)) this.layOut();
    this.reveal();
    this.draw(true);
  }
}
