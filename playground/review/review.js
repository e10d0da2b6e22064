// The tab for reviews. It takes files and options, requests the review, shows its places, and follows the address.

import { answerTo, busy } from "../parts/asking.js";
import { around, findElement, newElement } from "../parts/elements.js";
import { FileTab } from "../parts/file_tab.js";
import { bindDocumentKeys, bindKeys } from "../parts/keys.js";
import { isShown, stepToResult, tabOf } from "../parts/tabs.js";
import { droppedFiles } from "../parts/uploads.js";
import { sentenceOf } from "../parts/words.js";
import { Deciding } from "./deciding.js";
import { ReviewDocument } from "./document.js";
import { Export } from "./export.js";
import { Finished } from "./finished.js";
import { siftGiven } from "./given.js";
import { ReviewHead } from "./head.js";
import { Keeper } from "./keeper.js";
import { keyOf } from "./kept.js";
import { ReviewList } from "./list.js";
import { PlaceView } from "./place_view.js";
import { Readers } from "./readers.js";
import { Scoring } from "./scoring.js";
import { NO_EXTRA, ReviewState, reviewOf } from "./state.js";

/** @import { Act } from "../parts/file_tab.js" */
/** @import { Chosen } from "../parts/files.js" */
/** @import { ReviewView } from "./state.js" */

const SHOWN = 8000; // milliseconds that a toast is shown

/** @extends {FileTab<ReviewState, Server.ReviewRequest, Server.Review>} */
export class ReviewTab extends FileTab {
  constructor(/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) {
    super(findElement(root, ".rv"), ".rv-", server, new ReviewState(), server.begin_review, {
      verb: "Review",
      truth: ["ground truth, with the text if you have it", '{"question_id", "references", "text"}'],
      next: ".rv-export",
    });
    this.toastTimer = 0;
    this.find = this.part("find", HTMLInputElement);
    this.crop = newElement("div", "rv-crop-place");
    this.pane = new ReviewDocument(findElement(this.screen, ".review-document"), this);
    this.list = new ReviewList(this.part("list"), this);
    this.item = new PlaceView(this.screen, this);
    this.head = new ReviewHead(this.screen, this);
    this.keeper = new Keeper(this);
    this.scoring = new Scoring(this);
    this.deciding = new Deciding(this);
    this.readers = new Readers(this);
    this.export = new Export(this.screen, this);
    this.finished = new Finished(this.part("done"), this);
    /** @type {Record<string, (button: HTMLElement) => void>} */
    this.acts = {
      change: () => this.changeFiles(),
      references: () => this.export.download("references"),
      verdicts: () => this.export.download("verdicts"),
      readers: () => this.part("reader").click(),
      previous: () => this.step(-1),
      next: () => this.step(1),
      undo: () => this.deciding.undo(),
      cancel: () => this.item.closeNeither(),
      list: () => {
        this.openList(!this.state.isListOpen);
        this.list.mark();
      },
      more: (button) => this.toggleSetup(button),
    };
    this.start();
  }

  listen() {
    this.screen.addEventListener("click", (event) => this.press(event));
    this.part("reader").addEventListener("change", () => this.takeReader());
    this.find.addEventListener("input", () => this.search());
    this.find.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") this.part("path").focus({ preventScroll: true });
    });
    for (const kind of /** @type {const} */ (["dragover", "drop"])) {
      this.screen.addEventListener(kind, (event) => this.drag(event));
    }
    document.addEventListener("docscore-tab", ({ detail }) => {
      if (detail === "review" && location.hash === "#review" && !history.state?.files) this.write();
    });
    document.addEventListener("docscore-review", ({ detail }) => this.take(detail));
    window.addEventListener("hashchange", () => this.follow());
  }

  bind() {
    const isActive = () =>
      this.state.isShown && !document.querySelector("dialog[open]") && !this.screen.querySelector("details.pop[open]");
    const hasFourth = () => this.state.worklist.sideOf(3) !== undefined; // the side that "d" chooses
    const toggle = () => (hasFourth() ? this.item.chooseByLetter(3) : this.pane.open(!this.pane.isOpen));
    bindDocumentKeys("review", this.pane.pane, toggle, isActive, false);
    const press = (/** @type {KeyboardEvent} */ { key }) => this.item.press(key);
    const letter = (/** @type {KeyboardEvent} */ { key }) => this.item.chooseByLetter(key.charCodeAt(0) - 97);
    bindKeys(
      "review",
      "Review",
      [
        ["1", "the ground truth is right", press],
        ["2", "the prediction is right", press],
        ["3", "both are right", press],
        ["4", "neither: type what is right", press],
        ["5", "cannot tell", press],
        ["a b", "choose a prediction", letter, letter],
        ["c e f h", "", letter, letter, letter, letter],
        ["g", "for this place, its document or all documents", () => this.item.widen()],
        ["u", "undo", () => this.deciding.undo()],
        ["j k", "go to the next or previous place", () => this.step(1), () => this.step(-1)],
        ["/", "find a place", () => this.find.focus()],
      ],
      isActive,
    );
  }

  press(/** @type {Event} */ event) {
    const button = around(event, "button");
    if (button?.dataset.do) this.acts[button.dataset.do](button);
    else if (button?.dataset.choice) this.item.press(button.dataset.choice);
  }

  search() {
    this.state.worklist.find = this.find.value;
    this.drawAll();
    this.write();
  }

  /** Take files that are dropped on a review. */
  drag(/** @type {DragEvent} */ event) {
    if (!this.state.isShown || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (event.type === "drop") droppedFiles(event.dataTransfer).then((files) => this.sift(files));
  }

  // Messages

  say(/** @type {string} */ text) {
    this.part("heard").textContent = text;
  }

  toast(/** @type {string} */ text, canUndo = true) {
    this.part("toast-text").textContent = text;
    findElement(this.part("toast"), "button").hidden = !canUndo;
    this.part("toast").hidden = false;
    this.say(text);
    clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => this.hideToast(), SHOWN);
  }

  hideToast() {
    this.part("toast").hidden = true;
  }

  // Files and options

  begin(/** @type {Chosen} */ { truth, predictions, reading }) {
    const paths = predictions.map(({ path }) => path);
    this.state.begin({ references: truth?.path ?? null, predictions: paths, names: [], reading });
    this.run();
  }

  /** Take the files and options of another tab. */
  take(/** @type {Partial<Server.ReviewRequest>} */ asked) {
    const { references = null, predictions = [], names = [], reading = {} } = asked;
    const missing = asked.missing ?? reading.missing ?? "error";
    this.state.begin({ references, predictions, names, reading }, NO_EXTRA);
    this.takeOptions({ parse: asked.parse ?? "", missing, skip: asked.skip ?? false, ...asked.what_if });
    location.hash = "#review";
    this.run();
  }

  sift(/** @type {File[]} */ files) {
    return siftGiven(this, files);
  }

  /** Compare with the verdicts of a second reader. */
  takeReader() {
    const input = this.part("reader", HTMLInputElement);
    const [file] = input.files ?? [];
    input.value = "";
    this.export.close();
    if (file) this.readers.compare(file);
  }

  drawChips() {
    super.drawChips();
    this.state.worklist.isBlind = this.options.read().blind ?? false;
  }

  redraw() {
    this.state.worklist.picked = new Set();
    this.drawAll();
  }

  // A run

  refuse(/** @type {Server.Refusal} */ { refused, kind }, /** @type {boolean} */ isFirst) {
    this.state.add({ verdicts: null });
    if (refused.startsWith("texts:")) this.state.add({ texts: this.state.result?.asked.texts ?? null });
    const said = kind === "stopped" ? "" : `Not reviewed: ${sentenceOf(refused)}`;
    if (isFirst) {
      this.setShown(false);
      if (said && !this.box.items.length) this.changeFiles();
      this.box.say(said);
    } else if (said) {
      /** @type {Act[]} */
      const acts = [
        ["Change the files", () => this.changeFiles()],
        ["Keep this review", () => this.restore()],
      ];
      this.notice(said, "", acts);
    } else this.restore();
  }

  // Result

  /** Show a review with the view of the address, else with the previous place. */
  draw(/** @type {Server.Review} */ found, /** @type {ReviewView | null} */ view = null) {
    const { state } = this;
    this.keeper.finish();
    if (!state.isShown && !location.hash.includes("=")) stepToResult("review", "#review");
    const before = state.worklist.place && keyOf(state.worklist.place);
    state.open(found);
    const { worklist } = state;
    this.pane.join().then((isTaken) => isTaken && this.drawItem());
    this.restore();
    this.keeper.take(found);
    this.head.drawSetUp(found);
    if (view) state.takeView(view);
    worklist.touch([...worklist.decisions.keys()]);
    this.scoring.soon();
    this.drawAll();
    if (found.decided) this.deciding.takeOver(found.decided);
    const same = worklist.order.find((number) => keyOf(worklist.places[number]) === before);
    const wanted = worklist.order.find((number) => number === view?.place);
    const { isDecided } = worklist;
    this.go(wanted ?? same ?? worklist.first);
    this.write();
    if (isDecided && wanted === undefined) this.finish();
  }

  /** Return a button of a notice that shows a list. @type {(words: string, mode: string) => Act} */
  look(words, mode) {
    const act = () => {
      this.notice("");
      this.setMode(mode);
    };
    return [words, act];
  }

  setMode(/** @type {string} */ name) {
    const { state } = this;
    this.part("lists").removeAttribute("open");
    if (state.setMode(name)) {
      this.run();
      return;
    }
    this.drawAll();
    this.visit(state.worklist.first);
    if (state.worklist.isDecided) this.finish();
  }

  /** Draw the list: the places that contain the searched text, in groups. */
  drawAll() {
    const { worklist } = this.state;
    if (!worklist.result) return;
    worklist.list();
    if (this.find.value !== worklist.find) this.find.value = worklist.find;
    this.list.redraw();
    this.head.drawLists();
    this.head.draw();
    if (worklist.order.length && !worklist.order.includes(worklist.current)) this.go(worklist.first);
    else this.drawItem();
  }

  // Place

  /** Go to a place as a step of Back. */
  visit(/** @type {number} */ number) {
    const isHeld = this.state.pass(Date.now());
    this.go(number);
    this.write(isHeld ? "replace" : "push");
  }

  go(/** @type {number} */ number) {
    this.state.worklist.go(number);
    this.item.closeNeither();
    this.showItem();
    this.list.mark();
    this.drawItem();
    this.openList(false);
  }

  step(/** @type {number} */ by) {
    const { order, current } = this.state.worklist;
    const to = order[order.indexOf(current) + by];
    if (to !== undefined) this.visit(to);
  }

  drawItem() {
    const { worklist } = this.state;
    const { current, place } = worklist;
    if (place) {
      this.item.draw(place);
      this.pane.contextOf(current).then((found) => {
        if (this.state.worklist.place === place && !("refused" in found)) this.item.drawBeside(place, found);
      });
      const following = worklist.next(current);
      if (following !== null && !this.pane.files.pdfs.size) this.pane.contextOf(following);
    }
    this.pane.show();
  }

  /** Open or close the list, on a phone. */
  openList(/** @type {boolean} */ isOpen) {
    this.state.isListOpen = isOpen;
    this.screen.classList.toggle("with-list", isOpen);
    findElement(this.screen, "[data-do=list]").setAttribute("aria-expanded", String(isOpen));
  }

  /** Show the place, or the summary. */
  showItem(isDone = false) {
    this.state.isDone = isDone;
    this.part("done").hidden = !isDone;
    this.part("item").hidden = isDone;
    findElement(this.screen, ".review-document").hidden = isDone;
    this.part("panes").toggleAttribute("data-done", isDone);
  }

  async finish() {
    if (!this.state.result) return;
    this.showItem(true);
    this.write("push");
    this.list.fold();
    this.head.draw();
    await this.finished.draw();
  }

  // Address

  write(how = "replace") {
    if (!this.state.result || !isShown("review") || !this.state.isShown) return;
    const { address } = this.state;
    try {
      if (how === "push" && address !== location.hash) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      /* some browsers refuse more than a hundred changes in half a minute; a later change writes the same */
    }
  }

  /** Show the review, list and place of the address, or the files if the visitor goes back to them. */
  async follow() {
    const { run, view } = reviewOf(location.hash);
    const { result } = this.state;
    if (!run) {
      if (tabOf(location.hash) === "review" && history.state?.files && result) this.changeFiles();
      return;
    }
    if (result?.run === run) {
      this.showView(view);
      return;
    }
    const found = await busy(this.box.element, answerTo(this.server.open_result, { run }));
    if ("refused" in found || !("places" in found)) {
      const why = sentenceOf("refused" in found ? found.refused : "it is not a review");
      const kept = "Verdicts are kept in this browser: give the same files again.";
      this.box.say(`This review could not be opened: ${why} ${kept}`);
    } else this.draw({ ...found, decided: null }, view);
  }

  /** Follow a step in the history of this window. */
  showView(/** @type {ReviewView} */ view) {
    const { state } = this;
    if (!state.isShown) this.restore();
    if (state.takeView(view)) this.drawAll();
    const { worklist } = state;
    if (view.place !== null && worklist.order.includes(view.place)) this.go(view.place);
    else if (view.place === null && worklist.isDecided) this.finish();
  }
}

/** @type {(root: HTMLElement, server: Server.Functions) => void} */
export const startReview = (root, server) => {
  new ReviewTab(root, server);
};
