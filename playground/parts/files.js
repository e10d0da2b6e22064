// The drop box: takes files, uploads them, and shows which is the ground truth, which are predictions and how they are read.

/** @typedef {{truth: Server.Upload | null, predictions: Server.Upload[], reading: Server.Reading}} Chosen */
/** @typedef {{name: string, path: string, share: number, fault: string, columns: string, request: XMLHttpRequest | null}} Item */

/** A name with its control characters and those that turn the direction of text as numbers. */
const docscorePrintable = (/** @type {string} */ text) => text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

const docscoreFileName = (/** @type {string} */ path) => path.split(/[\\/]/).pop() ?? path;

/**
 * Show the drop box of a screen, "empty", or its result; the options are in both, in the latter before another element.
 * @param {HTMLElement} screen
 * @param {string} state
 * @param {HTMLElement} options
 * @param {HTMLElement} next
 */
const docscoreSetState = (screen, state, options, next) => {
  screen.dataset.state = state;
  if (options.closest(state === "empty" ? ".drop" : ".setup")) return;  // what is moved loses the focus
  if (state === "empty") screen.querySelector(".drop-options")?.append(options);
  else next.before(options);
};

/**
 * What stands above a result: a title, a sentence, buttons, of which the same stay, and how far a run is.
 * @param {ReturnType<typeof docscoreParts>} part
 * @param {string} title
 * @param {string} detail
 * @param {[string, () => void][]} acts
 * @param {number | null} share
 */
const docscoreNotice = (part, title, detail, acts, share) => {
  part("notice").hidden = !title;
  part("notice-title").textContent = title;
  part("detail").textContent = detail;
  const bar = docscoreFind(part("notice"), ".bar");
  bar.hidden = share === null;
  bar.style.setProperty("--v", String(share ?? 0));
  bar.setAttribute("aria-valuenow", String(Math.round(100 * (share ?? 0))));
  const words = [...part("acts").children].map((button) => button.textContent).join();
  if (words !== acts.map(([label]) => label).join()) part("acts").replaceChildren(...acts.map(([label, action]) => docscoreButton("btn tint", label, action)));
};

/**
 * The files that were dropped, also those in folders; asked while they are, as a browser forgets them then.
 * @param {DataTransfer} dropped
 */
const docscoreDropped = async (dropped) => {
  const found = [...dropped.items].map((item) => { const entry = item.webkitGetAsEntry(); return entry?.isDirectory ? entry : item.getAsFile(); });
  /** @type {File[]} */
  const files = [];
  const enter = async (/** @type {FileSystemEntry | File | null} */ entry) => {
    if (entry instanceof File) files.push(entry);
    if (entry instanceof FileSystemFileEntry) files.push(await new Promise((done, fail) => { entry.file(done, fail); }));
    if (!(entry instanceof FileSystemDirectoryEntry)) return;
    const reader = entry.createReader();
    for (let more = true; more;) {  // some at a time
      /** @type {FileSystemEntry[]} */
      const entries = await new Promise((done, fail) => { reader.readEntries(done, fail); });
      for (const each of entries) await enter(each);
      more = entries.length > 0;
    }
  };
  for (const each of found) await enter(each);
  return files;
};

class DropBox {
  /**
   * @param {HTMLElement} element of the macro `drop_box`
   * @param {Server.Functions} server
   * @param {{isPair: boolean, examples: Server.Upload[], verb: string, run: (chosen: Chosen) => void, sift?: (files: File[]) => Promise<File[]>, truth?: [label: string, columns: string], allowed: () => {skip: boolean, missing?: string}, allow: (option: object) => void}} page
   *   with the names of the example's files, the ground truth first; what is done with files that were chosen; what takes
   *   files for itself and answers the others; what the ground truth is called while there is no file; and the options
   *   that say what happens to rows that cannot be scored
   */
  constructor(element, server, page) {
    this.element = element;
    this.part = docscoreParts(element, ".drop-");
    this.page = page;
    this.largest = Number(element.dataset.largest);
    this.most = page.isPair ? 2 : Number(element.dataset.most);
    /** @type {Item[]} */
    this.items = [];
    /** @type {number | null} */
    this.truth = null;
    this.isUnsure = false;
    this.holdBoth = false;  // whether each file holds both sides
    this.isRead = false;  // whether the server has said what the files are
    this.isBlocked = false;  // whether it would refuse to score them
    this.isBusy = false;
    this.isReplacing = false;  // whether what is chosen next takes the place of all files
    /** @type {(() => void) | null} */
    this.back = null;  // leaves the box as it was before these files were taken
    /** @type {Server.Reading} */
    this.reading = {};
    this.sorts = docscoreAsker(server.sort_files);
    this.input = this.part("input", HTMLInputElement);
    this.input.addEventListener("change", () => {
      const files = [...this.input.files ?? []];
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
      const { allow = "", value = "" } = docscoreAround(event, "[data-allow]")?.dataset ?? {};
      if (!allow) return;
      if (allow in page.allowed()) page.allow({ [allow]: JSON.parse(value) });
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
    if (event.type === "drop") docscoreDropped(event.dataTransfer).then((files) => this.give(files));
  }

  /** A sentence on what went wrong, with a button where it can be tried again. */
  say(/** @type {string} */ sentence, /** @type {(() => void) | null} */ again = null) {
    this.part("fault").replaceChildren(sentence, ...(again ? [" ", docscoreButton("btn", "Try again", () => { this.say(""); again(); })] : []));
  }

  /** Something is done with the files, which can be stopped. */
  busy(/** @type {string} */ text, /** @type {number} */ share, /** @type {(() => void) | null} */ stop) {
    this.say("");
    this.element.dataset.state = "busy";
    this.part("title").textContent = text;
    const [bar = this.runningBar()] = docscoreFindAll(this.part("slots"), ".running");
    bar.style.setProperty("--v", String(share));
    bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    if (!this.isBusy) this.part("acts").replaceChildren(...(stop ? [docscoreButton("btn", "Cancel", stop)] : []));
    this.isBusy = true;
  }

  runningBar() {
    const bar = docscoreElement("span", "bar running", document.createElement("i"));
    bar.setAttribute("role", "progressbar");
    bar.setAttribute("aria-label", this.page.verb);
    this.part("slots").append(bar);
    return bar;
  }

  /** It is done. */
  idle() {
    if (!this.isBusy) return;
    this.isBusy = false;
    this.draw();
  }

  /** Files that a visitor gives. */
  async give(/** @type {File[]} */ files) {
    this.add(this.page.sift ? await this.page.sift(files) : files);
  }

  /** Upload files beside those that are here; a pair that is whole makes room for them. */
  add(/** @type {File[]} */ files) {
    const large = files.find((file) => file.size > this.largest);
    if (!files.length) return;
    if (large) { this.say(`${docscorePrintable(large.name)} is larger than ${this.largest / 1e6} MB, the limit of this page.`); return; }
    this.items = this.items.filter((item) => !item.fault);  // those with a fault are replaced
    if (this.page.isPair && this.items.length + files.length > this.most) this.clear();
    if (this.items.length + files.length > this.most) {
      this.say(this.page.isPair ? "A test set has two files: the ground truth and the predictions. For several systems, use the tab Compare."
        : `There are more than ${this.most} files: choose one with the ground truth and up to ${this.most - 1} with predictions.`);
      return;
    }
    this.say("");
    const added = files.map((file) => ({ name: docscorePrintable(file.name), path: "", share: 0, fault: "", columns: "", request: null }));
    this.items.push(...added);
    this.truth = null;
    this.isUnsure = this.isRead = false;
    this.reading = {};
    added.forEach((item, at) => this.upload(item, files[at]));
    this.draw();
  }

  upload(/** @type {Item} */ item, /** @type {File} */ file) {
    const request = item.request = new XMLHttpRequest(), form = new FormData();
    form.append("files", file, file.name);
    const ended = (/** @type {string} */ fault) => {
      item.request = null;
      item.fault = fault;
      if (!this.items.includes(item)) return;
      this.draw();
      if (this.items.every((each) => each.path)) this.sort();
    };
    request.upload.addEventListener("progress", (event) => {
      item.share = event.loaded / event.total;
      this.showProgress();
    });
    request.addEventListener("load", () => {
      try { [item.path] = request.status === 200 ? JSON.parse(request.responseText) : [""]; } catch { /* no answer of ours */ }
      ended(item.path ? "" : request.status === 413 ? `It is larger than ${this.largest / 1e6} MB, the limit of this page.` : "The server did not accept it.");
    });
    request.addEventListener("error", () => ended(navigator.onLine ? "The server does not respond." : "You are offline."));
    request.open("POST", "gradio_api/upload");
    request.send(form);
  }

  showProgress() {
    this.items.forEach((item, at) => {
      for (const bar of docscoreFindAll(this.element, `[data-item="${at}"] .bar`)) {
        bar.style.setProperty("--v", String(item.share));
        bar.setAttribute("aria-valuenow", String(Math.round(100 * item.share)));
      }
    });
  }

  /** The options changed: whether the files can be scored may be otherwise. */
  check() { if (this.isRead) this.sort(true); }

  /** Ask the server which file is which, and how they are read; once it is known, the choice stays. */
  async sort(isKept = false) {
    const files = this.items.map((item) => item.path);
    this.element.setAttribute("aria-busy", "true");
    const asked = isKept && !this.isFaulty ? this.truth ?? -1 : null;  // of files that could not be read it is not known yet
    const found = await this.sorts.ask({ files, truth: asked, reading: this.reading, is_pair: this.page.isPair, missing: "error", ...this.page.allowed() });
    if (!found) return;
    this.element.removeAttribute("aria-busy");
    if ("refused" in found) { this.say(docscoreSentence(found.refused)); return; }
    this.truth = found.truth;
    this.isUnsure = found.unsure;
    this.holdBoth = found.both;
    this.isRead = true;
    this.isBlocked = found.blocked;
    this.items.forEach((item, at) => {
      const { rows = 0, columns = [], fault } = found.files[at];
      item.fault = fault ?? "";
      item.columns = fault ? "" : [`${rows.toLocaleString("en")} row${rows === 1 ? "" : "s"}`, columns.join(", ")].filter(Boolean).join(": ");
    });
    const how = this.part("how"), held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.choice : "";
    how.innerHTML = found.html;  // of the server's templates, which escape every value
    this.part("doubts").replaceChildren(...how.querySelectorAll(".wz-doubts"));
    this.draw();
    if (held) docscoreFindAll(how, `[data-choice="${held}"]`)[0]?.focus();
    else docscoreFindAll(this.element, ".drop-doubts .btn, .btn.main")[0]?.focus({ preventScroll: true });  // how they are read stays in view
  }

  clear() {
    for (const item of this.items) item.request?.abort();
    this.items = [];
    this.truth = null;
    this.isUnsure = this.isRead = false;
    this.reading = {};
    this.sorts.forget();
    this.element.removeAttribute("aria-busy");
    for (const name of ["how", "doubts"]) this.part(name).replaceChildren();
    this.say("");
    this.draw();
  }

  /** Another file holds the ground truths. */
  makeTruth(/** @type {number} */ at) {
    this.truth = at;
    this.isUnsure = false;
    this.reading = {};
    this.sort(true);
  }

  /** Files that the server has; what is known of how they are read stays. */
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
   * The files of a request that was answered before.
   * @param {Pick<Server.CompareRequest, "references" | "predictions" | "reading">} files
   * @param {(() => void) | null} back
   */
  takeAgain({ references, predictions, reading }, back) {
    const upload = (/** @type {string} */ path) => ({ name: docscoreFileName(path), path });
    this.take({ truth: references ? upload(references) : null, predictions: predictions.map(upload), reading }, back);
  }

  /** @returns {Chosen} */
  get chosen() {
    const uploads = this.items.map(({ name, path }) => ({ name, path }));
    return { truth: this.truth === null ? null : uploads[this.truth], predictions: uploads.filter((_, at) => at !== this.truth), reading: this.reading };
  }

  get isReady() {
    const { truth, predictions } = this.chosen;
    return this.isRead && !this.isUnsure && !this.isFaulty && predictions.length > 0 && (truth !== null || this.holdBoth || !this.page.isPair);
  }

  get isFaulty() { return this.items.some((item) => item.fault); }

  draw() {
    const isEmpty = !this.items.length, isUploading = this.items.some((item) => item.request);
    this.element.dataset.state = isEmpty ? "empty" : isUploading ? "uploading" : "chosen";
    this.part("title").textContent = isEmpty ? this.element.dataset.title ?? "" : isUploading ? "Uploading …"
      : this.isFaulty ? "Not accepted" : this.isUnsure ? "Which file is the ground truth?" : this.isReady ? (this.isBlocked ? "This cannot be scored as it is" : "Is this correct?") : this.isRead ? "Add the other file" : "Reading …";
    this.part("slots").replaceChildren(...(isEmpty ? this.emptySlots() : this.filledSlots()));
    this.part("acts").replaceChildren(...this.buttons(isEmpty, isUploading));
  }

  buttons(/** @type {boolean} */ isEmpty, /** @type {boolean} */ isUploading) {
    const choose = (/** @type {string} */ look, /** @type {string} */ words, isReplacing = false) => docscoreButton(look, words, () => {
      this.isReplacing = isReplacing;
      this.input.click();
    });
    const { back } = this, leave = back ? [docscoreButton("btn", "Back to the result", back)] : [];
    if (isUploading) return [docscoreButton("btn", "Cancel", () => this.clear())];
    if (isEmpty) {
      const { examples } = this.page;
      const example = docscoreButton("btn", this.element.dataset.example ?? "", () => this.page.run({ truth: examples[0], predictions: examples.slice(1), reading: {} }));
      return [choose("btn main", "Choose files"), ...(back ? leave : [example])];  // the example would take the place of the result
    }
    const more = this.isFaulty ? [choose("btn main", "Choose another file")]
      : this.items.length < this.most ? [choose(this.isReady || this.isUnsure ? "btn" : "btn main", "Add a file")] : [];
    const run = this.isReady ? [docscoreButton(this.isBlocked ? "btn" : "btn main", this.page.verb, () => this.page.run(this.chosen))] : [];
    const other = back && !this.isFaulty ? choose("btn", "Choose other files", true) : docscoreButton("btn", "Start over", () => this.clear());
    return [...run, ...more, other, ...leave];
  }

  emptySlots() {
    const slot = (/** @type {string} */ label, /** @type {string} */ columns) =>
      docscoreElement("div", "slot", docscoreElement("span", "t12 soft", label), docscoreElement("code", "cut", columns));
    const truth = this.page.truth ?? ["ground truth", '{"question_id", "references"}'];
    return [slot(...truth), docscoreElement("span", "soft", "×"), slot("predictions", '{"question_id", "prediction"}')];
  }

  filledSlots() {
    const slots = this.items.map((item, at) => this.slot(item, at));
    const [first, second] = slots;
    if (!this.page.isPair && this.isUnsure) return [docscoreElement("div", "slot-list", ...slots)];
    if (!this.page.isPair) {
      const others = slots.filter((_, at) => at !== this.truth);
      return [this.truth === null ? this.missingSlot() : slots[this.truth], docscoreElement("span", "soft", "×"), docscoreElement("div", "slot-list", ...others)];
    }
    if (!second) return [first];
    const between = this.isReady ? docscoreButton("btn", "⇄ Swap", () => this.makeTruth(1 - (this.truth ?? 0))) : docscoreElement("span", "soft", "×");
    return this.truth === 1 ? [second, between, first] : [first, between, second];
  }

  missingSlot() {
    const text = this.isReady && this.items.length > 1 ? "in the files of predictions" : "";
    return docscoreElement("div", "slot", docscoreElement("span", "t12 soft", "ground truth"), docscoreElement("span", "soft", text));
  }

  slot(/** @type {Item} */ item, /** @type {number} */ at) {
    const isOne = this.page.isPair && this.items.length === 1, isKnown = this.isRead && !this.isFaulty && (!isOne || this.holdBoth);
    const role = !isKnown || this.isUnsure ? `file ${at + 1}` : isOne ? "ground truth and predictions" : at === this.truth ? "ground truth" : "predictions";
    const slot = docscoreElement("div", "slot", docscoreElement("span", "t12 soft", role), docscoreElement("code", "cut", item.name));
    slot.dataset.item = String(at);
    if (item.request) {
      const bar = docscoreElement("span", "bar", document.createElement("i"));
      for (const [name, value] of [["role", "progressbar"], ["aria-label", `Upload of ${item.name}`], ["aria-valuenow", "0"]]) bar.setAttribute(name, value);
      slot.append(bar);
    } else slot.append(docscoreElement("span", item.fault ? "slot-fault" : "t12 soft cut", item.fault || item.columns));
    const isOther = isKnown && !this.page.isPair && at !== this.truth && this.items.length > 1;
    if (this.isUnsure || isOther) slot.append(docscoreButton("btn", "Use as ground truth", () => this.makeTruth(at)));
    return slot;
  }
}
