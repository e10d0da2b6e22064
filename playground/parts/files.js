// The drop box. It takes and uploads files, and shows which is the ground truth, which are predictions and how they are
// read.

import { Asker } from "./asking.js";
import { around, findElement, findElements, newButton, newElement, partsOf } from "./elements.js";
import { askAgain, droppedFiles, upload } from "./uploads.js";
import { counted, fileName, limitInWords, printable, sentenceOf } from "./words.js";

/** @typedef {{truth: Server.Upload | null, predictions: Server.Upload[], reading: Server.Reading}} Chosen */
/**
 * @typedef {object} Item  a file
 * @property {string} name
 * @property {string} path  the path on the server, "" until the file is uploaded
 * @property {number} share  the share that is uploaded
 * @property {string} fault
 * @property {string} columns  the number of rows and their columns, in words
 * @property {XMLHttpRequest | null} request  the request that uploads the file
 */
/**
 * @typedef {object} BoxPage  the page around a drop box
 * @property {boolean} isPair  whether the box takes two files, not several systems
 * @property {Server.Upload[]} examples  the files of the example, the ground truth first
 * @property {[label: string, run: () => void][]} [others]  other examples
 * @property {string} verb  names the action on the files
 * @property {(chosen: Chosen) => void} run  starts the action
 * @property {(files: File[]) => Promise<File[]>} [sift]  takes some files for the page, and returns the others
 * @property {[label: string, columns: string]} [truth]  the label of the ground truth while there is no file
 * @property {() => {skip: boolean, missing?: string}} allowed  returns the options for rows that cannot be scored
 * @property {(option: object) => void} allow  changes these options
 */

/** @type {(item: {name: string, path: string}, share: number) => Item} */
const newItem = ({ name, path }, share) => ({ name, path, share, fault: "", columns: "", request: null });

export class DropBox {
  /**
   * @param {HTMLElement} element  the element of the macro `drop_box`
   * @param {Server.Functions} server
   * @param {BoxPage} page
   */
  constructor(element, server, page) {
    this.element = element;
    this.part = partsOf(element, ".drop-");
    this.page = page;
    this.largest = Number(element.dataset.largest);
    this.most = page.isPair ? 2 : Number(element.dataset.most);
    /** @type {Item[]} */
    this.items = [];
    /** @type {number | null} */
    this.truth = null;
    this.isUnsure = false;
    this.holdBoth = false; // whether each file holds both sides
    this.isRead = false; // whether the server has said what the files are
    this.isBlocked = false; // whether the server would refuse to score the files
    this.isBusy = false;
    this.isReplacing = false; // whether the next chosen files replace all files
    /** @type {(() => void) | null} */
    this.back = null; // returns to the result, as before these files were taken
    /** @type {Server.Reading} */
    this.reading = {};
    this.sorts = new Asker(askAgain(server.sort_files), element);
    this.input = this.part("input", HTMLInputElement);
    this.input.addEventListener("change", () => {
      const files = [...(this.input.files ?? [])];
      if (files.length && this.isReplacing) this.clear();
      this.give(files);
      this.input.value = "";
    });
    for (const kind of /** @type {const} */ (["dragenter", "dragover", "dragleave", "drop"])) {
      element.addEventListener(kind, (event) => this.drag(event));
    }
    this.part("how").addEventListener("change", ({ target }) => {
      const isTyped = target instanceof HTMLInputElement;
      if (!(target instanceof HTMLSelectElement || isTyped) || !target.dataset.choice) return;
      this.reading[target.dataset.choice] = isTyped ? target.value.trim() || null : JSON.parse(target.value);
      this.sort(true);
    });
    this.part("doubts").addEventListener("click", (event) => {
      const { allow = "", value = "" } = around(event, "[data-allow]")?.dataset ?? {};
      if (!allow) return;
      if (allow in page.allowed()) page.allow({ [allow]: JSON.parse(value) });
      else if (allow === "reading") Object.assign(this.reading, JSON.parse(value));
      else this.reading[allow] = JSON.parse(value);
      this.sort(true);
    });
    this.draw();
  }

  drag(/** @type {DragEvent} */ event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    this.element.classList.toggle("over", event.type === "dragenter" || event.type === "dragover");
    if (event.type === "drop") droppedFiles(event.dataTransfer).then((files) => this.give(files));
  }

  /** Say what went wrong, with a button if it can be tried again. */
  say(/** @type {string} */ sentence, /** @type {(() => void) | null} */ again = null) {
    this.part("fault").replaceChildren(
      sentence,
      ...(again
        ? [
            " ",
            newButton("btn", "Try again", () => {
              this.say("");
              again();
            }),
          ]
        : []),
    );
  }

  /** Show the progress of an action on the files, which can be stopped. */
  busy(/** @type {string} */ text, /** @type {number} */ share, /** @type {(() => void) | null} */ stop) {
    this.say("");
    this.element.dataset.state = "busy";
    this.part("title").textContent = text;
    const [bar = this.runningBar()] = findElements(this.part("slots"), ".running");
    bar.style.setProperty("--v", String(share));
    bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    if (!this.isBusy) this.part("acts").replaceChildren(...(stop ? [newButton("btn", "Cancel", stop)] : []));
    this.isBusy = true;
  }

  runningBar() {
    const bar = newElement("span", "bar running", document.createElement("i"));
    bar.setAttribute("role", "progressbar");
    bar.setAttribute("aria-label", this.page.verb);
    this.part("slots").append(bar);
    return bar;
  }

  /** End the display of progress. */
  idle() {
    if (!this.isBusy) return;
    this.isBusy = false;
    this.draw();
  }

  /** Take the files that a visitor gives. */
  async give(/** @type {File[]} */ files) {
    this.add(this.page.sift ? await this.page.sift(files) : files);
  }

  /** Upload further files; they replace a complete pair. */
  add(/** @type {File[]} */ files) {
    const large = files.find((file) => file.size > this.largest);
    if (!files.length) return;
    if (large) {
      const command = `docscore ${this.page.verb.toLowerCase()}`;
      this.say(`${printable(large.name)} is larger than ${limitInWords(this.largest)}; use \`${command}\`.`);
      return;
    }
    this.items = this.items.filter((item) => !item.fault); // replace invalid files
    if (this.page.isPair && this.items.length + files.length > this.most) this.clear();
    if (this.items.length + files.length > this.most) {
      const several = `choose one with the ground truth and up to ${this.most - 1} with predictions`;
      const two = "A test set has two files: the ground truth and the predictions.";
      const isPair = `${two} For several systems, use the tab Compare.`;
      this.say(this.page.isPair ? isPair : `There are more than ${this.most} files: ${several}.`);
      return;
    }
    this.say("");
    const added = files.map((file) => newItem({ name: printable(file.name), path: "" }, 0));
    this.items.push(...added);
    this.truth = null;
    this.isUnsure = this.isRead = false;
    this.reading = {};
    added.forEach((item, at) => this.upload(item, files[at]));
    this.draw();
  }

  upload(/** @type {Item} */ item, /** @type {File} */ file) {
    const progress = (/** @type {number} */ share) => {
      item.share = share;
      this.showProgress();
    };
    const ended = (/** @type {string} */ path, /** @type {string} */ fault) => {
      Object.assign(item, { path, fault, request: null });
      if (!this.items.includes(item)) return;
      this.draw();
      if (this.items.every((each) => each.path)) this.sort();
    };
    item.request = upload(file, progress, ended, this.largest);
  }

  showProgress() {
    this.items.forEach((item, at) => {
      for (const bar of findElements(this.element, `[data-item="${at}"] .bar`)) {
        bar.style.setProperty("--v", String(item.share));
        bar.setAttribute("aria-valuenow", String(Math.round(100 * item.share)));
      }
    });
  }

  /** Check again whether the files can be scored, after the options changed. */
  check() {
    if (this.isRead) this.sort(true);
  }

  /** Ask the server for the role of each file and how it is read; a known ground truth stays. */
  async sort(isKept = false) {
    const files = this.items.map((item) => item.path);
    // the ground truth is unknown while a file cannot be read
    const asked = isKept && !this.isFaulty ? (this.truth ?? -1) : null;
    const found = await this.sorts.ask({
      files,
      truth: asked,
      reading: this.reading,
      is_pair: this.page.isPair,
      missing: "error",
      ...this.page.allowed(),
    });
    if (!found) return;
    if ("refused" in found) {
      this.say(sentenceOf(found.refused));
      return;
    }
    this.truth = found.truth;
    this.isUnsure = found.unsure;
    this.holdBoth = found.both;
    this.isRead = true;
    this.isBlocked = found.blocked;
    this.items.forEach((item, at) => {
      const { rows = 0, columns = [], fault } = found.files[at];
      item.fault = fault ?? "";
      item.columns = fault
        ? ""
        : [`${rows.toLocaleString("en")} row${rows === 1 ? "" : "s"}`, columns.join(", ")].filter(Boolean).join(": ");
    });
    const how = this.part("how");
    const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.choice : "";
    how.innerHTML = found.html; // from the server's templates, which escape every value
    this.part("doubts").replaceChildren(...how.querySelectorAll(".wz-doubts"));
    this.draw();
    if (held) findElements(how, `[data-choice="${held}"]`)[0]?.focus();
    // without scrolling, so that the way of reading stays in view
    else findElements(this.element, ".drop-doubts .btn, .btn.main")[0]?.focus({ preventScroll: true });
  }

  clear() {
    for (const item of this.items) item.request?.abort();
    this.items = [];
    this.truth = null;
    this.isUnsure = this.isRead = false;
    this.reading = {};
    this.sorts.forget();
    for (const name of ["how", "doubts"]) this.part(name).replaceChildren();
    this.say("");
    this.draw();
  }

  /** Make another file the ground truth. */
  makeTruth(/** @type {number} */ at) {
    this.truth = at;
    this.isUnsure = false;
    this.reading = {};
    this.sort(true);
  }

  /** Take files that the server has, with the options by which they were read. */
  take(/** @type {Chosen | null} */ chosen, /** @type {(() => void) | null} */ back = null) {
    this.clear();
    this.back = back;
    if (!chosen) return;
    const { truth, predictions, reading } = chosen;
    const files = truth ? [truth, ...predictions] : predictions;
    this.items = files.map((file) => ({ ...file, share: 1, fault: "", columns: "", request: null }));
    this.truth = truth ? 0 : null;
    this.reading = { ...reading };
    this.sort(true);
  }

  /**
   * Take the files of a request that was answered earlier.
   * @param {Pick<Server.CompareRequest, "references" | "predictions" | "reading">} files
   * @param {(() => void) | null} back
   */
  takeAgain({ references, predictions, reading }, back) {
    const upload = (/** @type {string} */ path) => ({ name: fileName(path), path });
    this.take({ truth: references ? upload(references) : null, predictions: predictions.map(upload), reading }, back);
  }

  /** @returns {Chosen} */
  get chosen() {
    const uploads = this.items.map(({ name, path }) => ({ name, path }));
    return {
      truth: this.truth === null ? null : uploads[this.truth],
      predictions: uploads.filter((_, at) => at !== this.truth),
      reading: this.reading,
    };
  }

  get isReady() {
    const { truth, predictions } = this.chosen;
    return (
      this.isRead &&
      !this.isUnsure &&
      !this.isFaulty &&
      predictions.length > 0 &&
      (truth !== null || this.holdBoth || !this.page.isPair)
    );
  }

  get isFaulty() {
    return this.items.some((item) => item.fault);
  }

  draw() {
    const isEmpty = !this.items.length;
    const isUploading = this.items.some((item) => item.request);
    this.element.dataset.state = isEmpty ? "empty" : isUploading ? "uploading" : "chosen";
    this.part("title").textContent = isEmpty
      ? (this.element.dataset.title ?? "")
      : isUploading
        ? "Uploading …"
        : this.isFaulty
          ? "Not accepted"
          : this.isUnsure
            ? "Which file is the ground truth?"
            : this.isReady
              ? this.isBlocked
                ? "This cannot be scored as it is"
                : "Is this correct?"
              : this.isRead
                ? "Add the other file"
                : "Reading …";
    this.part("slots").replaceChildren(...(isEmpty ? this.emptySlots() : this.filledSlots()));
    this.part("acts").replaceChildren(...this.buttons(isEmpty, isUploading));
  }

  buttons(/** @type {boolean} */ isEmpty, /** @type {boolean} */ isUploading) {
    const choose = (/** @type {string} */ look, /** @type {string} */ words, isReplacing = false) =>
      newButton(look, words, () => {
        this.isReplacing = isReplacing;
        this.input.click();
      });
    const { back } = this;
    const leave = back ? [newButton("btn", "Back to the result", back)] : [];
    if (isUploading) return [newButton("btn", "Cancel", () => this.clear())];
    if (isEmpty) {
      const { examples } = this.page;
      const example = newButton("btn", this.element.dataset.example ?? "", () =>
        this.page.run({ truth: examples[0], predictions: examples.slice(1), reading: {} }),
      );
      // with a result, no example is offered, since it would replace the result
      const others = (this.page.others ?? []).map(([label, run]) => newButton("btn", label, run));
      return [choose("btn main", "Choose files"), ...(back ? leave : [example, ...others])];
    }
    const more = this.isFaulty
      ? [choose("btn main", "Choose another file")]
      : this.items.length < this.most
        ? [choose(this.isReady || this.isUnsure ? "btn" : "btn main", "Add a file")]
        : [];
    const run = this.isReady
      ? [newButton(this.isBlocked ? "btn" : "btn main", this.page.verb, () => this.page.run(this.chosen))]
      : [];
    const other =
      back && !this.isFaulty
        ? choose("btn", "Choose other files", true)
        : newButton("btn", "Start over", () => this.clear());
    return [...run, ...more, other, ...leave];
  }

  emptySlots() {
    const slot = (/** @type {string} */ label, /** @type {string} */ columns) =>
      newElement("div", "slot", newElement("span", "t12 soft", label), newElement("code", "cut", columns));
    const truth = this.page.truth ?? ["ground truth", '{"question_id", "references"}'];
    return [slot(...truth), newElement("span", "soft", "×"), slot("predictions", '{"question_id", "prediction"}')];
  }

  filledSlots() {
    const slots = this.items.map((item, at) => this.slot(item, at));
    const [first, second] = slots;
    if (!this.page.isPair && this.isUnsure) return [newElement("div", "slot-list", ...slots)];
    if (!this.page.isPair) {
      const others = slots.filter((_, at) => at !== this.truth);
      return [
        this.truth === null ? this.missingSlot() : slots[this.truth],
        newElement("span", "soft", "×"),
        newElement("div", "slot-list", ...others),
      ];
    }
    if (!second) return [first];
    const between = this.isReady
      ? newButton("btn", "⇄ Swap", () => this.makeTruth(1 - (this.truth ?? 0)))
      : newElement("span", "soft", "×");
    return this.truth === 1 ? [second, between, first] : [first, between, second];
  }

  missingSlot() {
    const text = this.isReady && this.items.length > 1 ? "in the files of predictions" : "";
    return newElement("div", "slot", newElement("span", "t12 soft", "ground truth"), newElement("span", "soft", text));
  }

  slot(/** @type {Item} */ item, /** @type {number} */ at) {
    const isOne = this.page.isPair && this.items.length === 1;
    const isKnown = this.isRead && !this.isFaulty && (!isOne || this.holdBoth);
    const role =
      !isKnown || this.isUnsure
        ? `file ${at + 1}`
        : isOne
          ? "ground truth and predictions"
          : at === this.truth
            ? "ground truth"
            : "predictions";
    const slot = newElement("div", "slot", newElement("span", "t12 soft", role), newElement("code", "cut", item.name));
    slot.dataset.item = String(at);
    if (item.request) {
      const bar = newElement("span", "bar", document.createElement("i"));
      for (const [name, value] of [
        ["role", "progressbar"],
        ["aria-label", `Upload of ${item.name}`],
        ["aria-valuenow", "0"],
      ]) {
        bar.setAttribute(name, value);
      }
      slot.append(bar);
    } else slot.append(newElement("span", item.fault ? "slot-fault" : "t12 soft cut", item.fault || item.columns));
    const isOther = isKnown && !this.page.isPair && at !== this.truth && this.items.length > 1;
    if (this.isUnsure || isOther) slot.append(newButton("btn", "Use as ground truth", () => this.makeTruth(at)));
    return slot;
  }
}
