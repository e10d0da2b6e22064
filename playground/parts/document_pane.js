// The document next to values: sentences about the chosen row, its region enlarged, and the page with boxes of expected
// and cited regions, or the text. The pane knows no tab; it renders a scene.

import { listenToZoom, newGrip } from "./document_size.js";
import { NAMES, RATIO, drawCrop, drawPage, drawText, keyOf, lettersOf, lineHeight } from "./drawn_pages.js";
import { findElements, newButton, newDrawing, newElement, newIcon } from "./elements.js";
import { newPane } from "./panes.js";
import { areAlike, areNear, around } from "./places.js";
import { capital, counted, sentenceOf } from "./words.js";

/** @import { LoadedDocument, Page } from "./document_files.js" */
/** @import { PageMark } from "./drawn_pages.js" */
/** @import { MarkedPlace } from "./marks.js" */
/** @import { Sign } from "./places.js" */
/**
 * @typedef {object} Scene
 * @property {string} name  the name of the document
 * @property {string} field  the chosen field
 * @property {Sign} sign
 * @property {(string | HTMLElement)[]} said  sentences about the field, or one line per system
 * @property {(string | HTMLElement)[]} [saidInText]  the sentences for the text view, in which lines have numbers
 * @property {number} page  the page to turn to, 0 to stay
 * @property {PageMark[]} marks  the marks of the chosen row
 * @property {PageMark[]} others
 * @property {PageMark[]} losses  values that lost points, with a look by outcome
 * @property {MarkedPlace} spans  the marked spans of the text
 * @property {LoadedDocument} document
 * @property {number} pageCount
 * @property {Node[]} none  shown instead of a missing document
 * @property {"Image" | "Text"} [view]  the view unless the visitor chose one
 * @property {Node[]} [tools]  further buttons of the header
 */
/**
 * @typedef {object} PaneActions
 * @property {((row: number) => void) | null} choose  null if boxes are not buttons
 * @property {() => void} close
 */

const ABOVE_SHEET = 120; // pixels from the top of a phone to the chosen row
const ZOOM = 2.5; // the zoom by a key
const DEEPEST = 8; // the largest zoom
const OUTCOMES = /** @type {const} */ (["partial", "wrong", "missing", "extra"]);
const MOST_BESIDE = 8; // pages in a strip next to the page
const SEEN = 6; // pages in a strip above the page
const ICONS = {
  zoom: "M7 7m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M10.5 10.5l3 3M7 5v4M5 7h4",
  fill: "M6 2.5H2.5V6M10 2.5h3.5V6M6 13.5H2.5V10M10 13.5h3.5V10",
  close: "m4 4 8 8M12 4l-8 8",
};

/** @type {Record<Sign, [tag: string, attributes: Record<string, string | number>][]>} */
const SIGNS = {
  there: [
    ["rect", { x: 1.75, y: 1.75, width: 10.5, height: 10.5, rx: 1 }],
    ["rect", { class: "f", x: 4.25, y: 4.25, width: 5.5, height: 5.5 }],
  ],
  elsewhere: [
    ["rect", { class: "d", x: 1.25, y: 6.25, width: 6.5, height: 6.5 }],
    ["rect", { class: "f", x: 8, y: 1, width: 5.5, height: 5.5 }],
  ],
  none: [["rect", { class: "d", x: 1.75, y: 1.75, width: 10.5, height: 10.5 }]],
  free: [["rect", { class: "f", x: 4.25, y: 4.25, width: 5.5, height: 5.5 }]],
  nowhere: [
    ["rect", { x: 1.75, y: 1.75, width: 10.5, height: 10.5, rx: 1 }],
    ["path", { d: "m2 12 10-10" }],
  ],
  "": [],
};

/** Return the sign of a place, with a label if there is no text next to it. */
export const drawSign = (/** @type {Sign} */ sign, label = "") => {
  const drawing = newDrawing("svg", { class: `sg sg-${sign}`, viewBox: "0 0 14 14" });
  if (label) {
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", label);
  } else drawing.setAttribute("aria-hidden", "true");
  drawing.append(...SIGNS[sign].map(([tag, attributes]) => newDrawing(tag, attributes)));
  return drawing;
};

export class DocumentPane {
  /**
   * @param {HTMLElement} element
   * @param {PaneActions} actions
   */
  constructor(element, actions) {
    this.element = element;
    this.actions = actions;
    /** @type {Scene | null} */
    this.scene = null;
    this.page = 1;
    this.isSheet = false; // whether the document is a sheet over the page, as on a phone
    this.frame = 0; // the animation frame of the next drawing
    this.width = 0; // pixels
    this.scale = 1; // the width of the page divided by the width of the pane
    this.said = ""; // the sentences that are shown
    this.wanted = ""; // the view that the visitor chose
    this.hasLosses = false; // whether all losses are marked
    this.field = newElement("code", "narrow-only");
    this.title = newElement("span", "");
    this.number = newElement("input", "field");
    this.zoomButton = newButton("btn ghost icon wide-only", "", () => this.zoom());
    this.fillButton = newButton("btn ghost icon", "", () => this.fill());
    this.tools = newElement("span", "ev-tools");
    this.views = newElement("span", "seg");
    this.buttons = ["Image", "Text"].map((name) => newButton("", name, () => this.choose(name)));
    this.closeButton = newButton("btn ghost icon", "", () =>
      document.fullscreenElement ? this.fill() : actions.close(),
    );
    this.say = newElement("div", "ev-say");
    this.crops = newElement("div", "ev-crops");
    this.lossButton = newButton("btn ghost", "", () => this.markLosses());
    this.losses = newElement("p", "ev-losses soft", this.lossButton);
    this.strip = newElement("nav", "ev-strip");
    this.sheet = newElement("div", "ev-sheet");
    this.paper = newElement("div", "ev-paper", this.strip, this.sheet);
    this.none = newElement("div", "ev-void");
    this.build();
    this.boxes = newPane(this.sheet, {
      row: ".ev-box",
      cell: ".ev-box",
      keys: {
        ArrowRight: (box) => this.moveFrom(box, 1),
        ArrowLeft: (box) => this.moveFrom(box, -1),
      },
    });
  }

  build() {
    const heading = newElement("h2", "", this.field, this.title);
    for (const [button, name, key, path] of /** @type {const} */ ([
      [this.zoomButton, "Zoom to the region", "z", ICONS.zoom],
      [this.fillButton, "Show full screen", "w", ICONS.fill],
      [this.closeButton, "Close the document", "d", ICONS.close],
    ])) {
      button.setAttribute("aria-label", name);
      button.setAttribute("aria-keyshortcuts", key);
      button.title = `${name} (${key})`;
      button.append(newIcon(path));
    }
    this.views.setAttribute("role", "group");
    this.views.setAttribute("aria-label", "View of the document");
    this.views.append(...this.buttons);
    this.say.setAttribute("role", "status");
    this.strip.setAttribute("aria-label", "Pages");
    this.lossButton.setAttribute("aria-keyshortcuts", "l");
    this.sheet.tabIndex = 0;
    this.sheet.setAttribute("role", "region");
    this.number.setAttribute("aria-label", "Page");
    this.number.inputMode = "numeric";
    this.number.addEventListener("change", () => this.turnTo(Number(this.number.value)));
    const grow = newElement("span", "grow");
    const buttons = [this.tools, this.zoomButton, this.fillButton, this.views, this.closeButton];
    this.element.append(newGrip(this.element, () => this.draw()));
    listenToZoom(this.sheet, this.zoomBy.bind(this));
    document.addEventListener("fullscreenchange", () => this.draw());
    const head = newElement("div", "pane-title", heading, grow, ...buttons);
    this.element.append(head, this.say, this.crops, this.losses, this.paper, this.none);
  }

  /** Draw another scene. A new document starts at the page of its marks, or at its first page. */
  show(/** @type {Scene} */ scene) {
    const isOther = this.scene?.name !== scene.name;
    this.scene = scene;
    if (scene.page) this.page = scene.page;
    else if (isOther) this.page = 1;
    this.draw();
  }

  /** Clear the pane. */
  clear() {
    this.scene = null;
    this.said = "";
    for (const part of [this.paper, this.none, this.views, this.zoomButton, this.fillButton, this.losses]) {
      part.hidden = true;
    }
    for (const part of [this.title, this.say, this.crops, this.strip, this.sheet]) part.replaceChildren();
  }

  get pages() {
    return this.scene?.document.pages ?? [];
  }

  get text() {
    return this.scene?.document.placed?.text ?? null;
  }

  get isImage() {
    if (!this.pages.length) return false;
    return this.text === null || (this.wanted || this.scene?.view) !== "Text";
  }

  /** Draw once in the next frame, however often this is called until then. */
  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.drawNow();
    });
  }

  drawNow() {
    if (!this.scene) return;
    this.width = this.element.clientWidth; // measure before changing the page
    const { activeElement } = document;
    const focused = this.sheet.contains(activeElement) ? (activeElement?.getAttribute("aria-label") ?? null) : null;
    const { field, document: loaded, none } = this.scene;
    const isThere = loaded.pages.length > 0 || this.text !== null;
    this.page = Math.max(1, Math.min(this.scene.pageCount || 1, this.page));
    this.field.textContent = field;
    this.views.hidden = !loaded.pages.length || this.text === null;
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String((button.textContent === "Image") === this.isImage));
    }
    this.tools.replaceChildren(...(this.scene.tools ?? []));
    this.zoomButton.hidden = !this.isImage;
    this.fillButton.hidden = !isThere || !document.fullscreenEnabled;
    this.paper.hidden = !isThere;
    this.none.hidden = isThere;
    this.none.replaceChildren(...(isThere ? [] : none));
    this.drawTitle(isThere);
    this.drawSentence();
    this.drawSheet(); // first, so that the browser loads this page before the others
    this.drawCrops();
    this.drawLosses();
    this.drawStrip();
    this.keepFocus(focused);
    this.reveal();
  }

  drawTitle(/** @type {boolean} */ isThere) {
    const { pageCount = 0, name = "" } = this.scene ?? {};
    this.title.classList.toggle("mono", pageCount < 2);
    if (!isThere) this.title.textContent = "Document";
    else if (pageCount < 2) this.title.textContent = name;
    else if (pageCount > MOST_BESIDE && this.isImage) {
      this.number.value = String(this.page);
      this.title.replaceChildren("Page ", this.number, ` of ${pageCount.toLocaleString("en")}`);
    } else this.title.textContent = `Page ${this.page} of ${pageCount}`;
  }

  drawSentence() {
    const { sign = "", said = [], saidInText = said } = this.scene ?? {};
    const lines = (this.isImage ? said : saidInText).map((line, at) => {
      if (line instanceof HTMLElement) return line;
      return at ? newElement("p", "soft", line) : newElement("p", "", newElement("b", "", line));
    });
    const key = JSON.stringify([sign, lines.map((line) => line.textContent)]);
    if (this.said === key) return; // unchanged sentences must not be read aloud again
    this.said = key;
    this.say.replaceChildren(drawSign(sign), ...lines);
  }

  /** Return the page of a number, if it has an image. */
  pageAt(/** @type {number} */ number) {
    const page = this.pages[number - 1];
    return page?.width ? page : null;
  }

  /** Enlarge the cited region, and the expected region if the first crop does not show it. */
  drawCrops() {
    const marks = this.isImage && !this.isZoomed ? (this.scene?.marks ?? []) : [];
    const drawn = marks.filter(({ page, boxes }) => boxes.length && this.pageAt(page));
    const isNear = (/** @type {PageMark} */ one, /** @type {PageMark} */ other) =>
      one.page === other.page && areNear(around(one.boxes), around(other.boxes));
    /** @type {PageMark[]} */
    const groups = [];
    const predicted = drawn.filter(({ look }) => look === "cited" || look === "found");
    const expected = drawn.filter((mark) => !predicted.includes(mark));
    const most = new Set(drawn.map(({ row }) => row)).size > 1 ? 1 : 2; // a fold has one crop
    const isSeen = expected.some((mark) => predicted.slice(0, 1).some((other) => isNear(mark, other)));
    for (const mark of [...predicted, ...(isSeen ? [] : expected)]) {
      if (groups.length < most && !groups.some((group) => isNear(group, mark))) groups.push(mark);
    }
    const ratio = RATIO[groups.length > 1 ? 2 : 1];
    const width = this.width / Math.max(1, groups.length); // about the width of a crop
    const words = this.scene?.document.placed?.words ?? [];
    this.crops.replaceChildren(
      ...groups.map((group) => {
        const { page, boxes, look, letters } = group;
        const near = drawn.filter((each) => isNear(group, each));
        const onPage = words.filter((word) => word.page + 1 === page);
        const looks = [...new Set([look, ...near.map((each) => each.look)])];
        const box = around(near.flatMap((each) => each.boxes));
        const which = (this.scene?.pageCount ?? 0) > 1 ? `, page ${page}` : "";
        const caption = looks.flatMap((name, at) => [
          ...(letters && name === look ? lettersOf(letters) : [keyOf(name)]),
          newElement("span", "", newElement("b", "", NAMES[name]), at === looks.length - 1 ? which : ""),
        ]);
        const line = lineHeight(boxes, onPage);
        return drawCrop(/** @type {Page} */ (this.pageAt(page)), box, near, { ratio, width, line, caption });
      }),
    );
  }

  /** Draw the button that marks all losses, and the legend of their colours. */
  drawLosses() {
    const losses = this.scene?.losses ?? [];
    this.losses.hidden = !losses.length || !this.isImage;
    this.lossButton.textContent = this.hasLosses ? "Hide the losses" : "Mark all losses";
    this.lossButton.setAttribute("aria-pressed", String(this.hasLosses));
    const keys = OUTCOMES.flatMap((outcome) => {
      const isThere = this.hasLosses && losses.some(({ look }) => look === outcome);
      return isThere ? [newElement("span", "", keyOf(outcome), NAMES[outcome])] : [];
    });
    this.losses.replaceChildren(this.lossButton, ...keys);
  }

  markLosses() {
    this.hasLosses = !this.hasLosses;
    this.draw();
  }

  /** Return the marks of the chosen row on a page. A region that is expected and cited has one mark. */
  ownMarks(/** @type {number} */ number) {
    const marks = (this.scene?.marks ?? []).filter(({ page }) => page === number);
    const predicted = marks.filter(({ look }) => look === "cited" || look === "found");
    return marks.filter(
      (mark) => predicted.includes(mark) || !predicted.some(({ boxes }) => areAlike(boxes, mark.boxes)),
    );
  }

  marksOn(/** @type {number} */ number) {
    const { others = [], losses = [] } = this.scene ?? {};
    return [...(this.hasLosses ? losses : others).filter(({ page }) => page === number), ...this.ownMarks(number)];
  }

  /** Draw the strip of pages next to the page; if there are many, only pages with values, above the page. */
  drawStrip() {
    const { pageCount = 0, marks = [], others = [] } = this.scene ?? {};
    const isLong = pageCount > MOST_BESIDE;
    this.strip.hidden = pageCount < 2 || !this.isImage;
    this.paper.classList.toggle("long", isLong);
    if (this.strip.hidden) {
      this.strip.replaceChildren();
      return;
    }
    let numbers = this.pages.map((_, at) => at + 1);
    if (isLong) {
      const having = new Set([...marks, ...others].map(({ page }) => page).concat(this.page));
      numbers = numbers.filter((number) => having.has(number));
      const at = Math.max(0, Math.min(numbers.length - SEEN, numbers.indexOf(this.page) - SEEN / 2));
      numbers = numbers.slice(at, at + SEEN);
    }
    this.strip.replaceChildren(...numbers.map((number) => this.thumbnail(number)));
  }

  thumbnail(/** @type {number} */ number) {
    const page = this.pageAt(number);
    const marks = (this.scene?.marks ?? []).filter((mark) => mark.page === number);
    const looks = [...new Set(marks.map(({ look }) => NAMES[look]))].join(" and ");
    const letters = marks.map((mark) => mark.letters ?? "").join("");
    const drawn = page
      ? drawPage(page, this.hasLosses ? this.marksOn(number) : this.ownMarks(number))
      : newElement("span", "ev-blank");
    const button = newButton("", "", () => this.turnTo(number));
    button.append(newElement("span", "th", drawn), String(number));
    button.append(newElement("span", "", ...lettersOf(letters)));
    button.setAttribute("aria-label", `Page ${number}${looks ? `, ${looks} here` : ""}`);
    if (number === this.page) button.setAttribute("aria-current", "page");
    return button;
  }

  drawSheet() {
    const { name = "", spans = [], document: loaded } = this.scene ?? {};
    const page = this.pageAt(this.page);
    this.showZoom();
    this.sheet.setAttribute("aria-label", this.isImage ? `Page ${this.page} of ${name}` : `Text of ${name}`);
    if (!this.isImage) {
      this.sheet.replaceChildren(...(this.text === null ? [] : [drawText(this.text, spans)]));
    } else if (page) this.sheet.replaceChildren(this.drawPage(page));
    else {
      const file = this.pages[this.page - 1]?.name;
      const said = file ? `${file} cannot be shown as an image.` : "There is no image of this page.";
      this.sheet.replaceChildren(newElement("p", "soft", said));
    }
    if (loaded?.unread) this.sheet.append(newElement("p", "soft", `${loaded.unread} can no longer be read.`));
  }

  /** Draw the current page. A sentence says that its image is loading, or that it could not be loaded. */
  drawPage(/** @type {Page} */ page) {
    const having = this.marksOn(this.page).filter(({ boxes }) => boxes.length);
    const inOrder = having.sort(({ boxes: [one] }, { boxes: [other] }) => one[1] - other[1]);
    const which = this.pages.length > 1 ? `page ${this.page} of ${this.pages.length}` : page.name;
    const waiting = newElement("p", "ev-wait", `Loading ${which} …`);
    const drawn = drawPage(page, inOrder, this.actions.choose, ({ message }) => {
      const again = newButton("", "Try again", () => this.draw());
      waiting.replaceChildren(`${capital(which)} could not be loaded. ${sentenceOf(message)} `, again);
      waiting.classList.add("failed");
    });
    drawn.append(waiting);
    return drawn;
  }

  /** Keep the focus on a box, or return it to the box. */
  keepFocus(/** @type {string | null} */ label) {
    this.boxes.fresh();
    const boxes = label === null ? [] : findElements(this.sheet, ".ev-box");
    boxes.find((box) => box.getAttribute("aria-label") === label)?.focus({ preventScroll: true });
  }

  /** Scroll the marks into view within the pane. Everything is measured before anything moves. */
  reveal() {
    const mark = this.sheet.querySelector("mark, .ev-box:not(.other)");
    const own = mark?.getBoundingClientRect();
    const frame = this.sheet.getBoundingClientRect();
    if (!own) this.sheet.scrollTop = 0;
    else {
      const isSeen = own.top >= frame.top && own.bottom <= frame.bottom;
      if (!isSeen || this.isZoomed) this.sheet.scrollTop += own.top - frame.top - (frame.height - own.height) / 2;
      if (this.isZoomed) this.sheet.scrollLeft += own.left - frame.left - (frame.width - own.width) / 2;
    }
    this.strip.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  moveFrom(/** @type {HTMLElement} */ box, /** @type {number} */ step) {
    const all = findElements(this.sheet, ".ev-box");
    this.boxes.go(all[all.indexOf(box) + step]);
  }

  turnTo(/** @type {number} */ number) {
    this.page = number || this.page;
    this.draw();
  }

  turn(/** @type {number} */ step) {
    this.turnTo(Math.max(1, this.page + step));
  }

  get isZoomed() {
    return this.scale > 1;
  }

  showZoom() {
    this.sheet.classList.toggle("zoomed", this.isZoomed && this.isImage);
    this.sheet.style.setProperty("--zoom", String(this.scale));
    this.zoomButton.setAttribute("aria-pressed", String(this.isZoomed));
  }

  zoom() {
    if (!this.isImage) return;
    this.scale = this.isZoomed ? 1 : ZOOM;
    this.draw();
  }

  /** Zoom the page around a fixed point of the window. */
  zoomBy(/** @type {number} */ factor, /** @type {number} */ x, /** @type {number} */ y) {
    const page = this.sheet.querySelector(".ev-page");
    if (!page || !this.isImage) return;
    const before = page.getBoundingClientRect();
    const [across, down] = [(x - before.left) / before.width, (y - before.top) / before.height];
    const wasZoomed = this.isZoomed;
    this.scale = Math.max(1, Math.min(DEEPEST, factor * this.scale));
    this.showZoom();
    if (wasZoomed !== this.isZoomed) this.drawCrops();
    const { left, top, width, height } = page.getBoundingClientRect();
    this.sheet.scrollLeft += left + across * width - x;
    this.sheet.scrollTop += top + down * height - y;
  }

  /** Show the document on the full screen, or in its pane again. */
  fill() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (!this.fillButton.hidden) this.element.requestFullscreen();
  }

  choose(/** @type {string} */ view) {
    this.wanted = view;
    this.draw();
  }

  /** Highlight the boxes of a row, or no boxes. */
  light(/** @type {number | null} */ row) {
    for (const box of findElements(this.sheet, ".ev-box")) {
      box.classList.toggle("lit", row !== null && box.dataset.row === String(row));
    }
  }

  /** Open or close the document as a sheet; the chosen row stays visible above it. */
  openSheet(/** @type {boolean} */ isOpen, /** @type {HTMLElement | null} */ row = null) {
    this.isSheet = isOpen;
    this.element.classList.toggle("sheet", isOpen);
    if (isOpen) this.element.setAttribute("role", "dialog");
    else this.element.removeAttribute("role");
    if (isOpen) this.closeButton.focus({ preventScroll: true });
    if (isOpen && row) window.scrollBy(0, row.getBoundingClientRect().top - ABOVE_SHEET);
  }
}
