// The tab for reviews. It takes files, options and one verdict per place by a key, and shows the corrected scores.

import { Asker, PATIENCE, Runner, answerTo, busy } from "../parts/asking.js";
import { around, findElement, newButton, newElement, partsOf } from "../parts/elements.js";
import { DropBox } from "../parts/files.js";
import { bindDocumentKeys, bindKeys } from "../parts/keys.js";
import { setScreenState, showNotice } from "../parts/notices.js";
import { Options } from "../parts/options.js";
import { openPdf } from "../parts/pdfs.js";
import { isShown, stepToResult, tabOf } from "../parts/tabs.js";
import { askAgain, droppedFiles, uploaded } from "../parts/uploads.js";
import { counted, fileName, printable, sentenceOf } from "../parts/words.js";
import { ReviewDocument } from "./document.js";
import { Export } from "./export.js";
import { Finished } from "./finished.js";
import { countFiles, decisionsOf, isReview } from "./given.js";
import { KeptReview, fitting, keyOf } from "./kept.js";
import { ReviewList } from "./list.js";
import { PlaceView } from "./place_view.js";
import { placeName, verdictWords } from "./places.js";
import { Readers } from "./readers.js";
import { drawScores } from "./scores.js";
import { conclusionOf } from "./sentences.js";
import { Worklist, addressOfReview, reviewOf } from "./worklist.js";

/** @import { Chosen } from "../parts/files.js" */
/** @import { Decision } from "./places.js" */
/** @import { Act } from "./readers.js" */
/** @import { ReviewView } from "./worklist.js" */
/** @typedef {{metric: string, parse: string, missing: string, skip: boolean, blind: boolean}} OwnOptions */
/** @typedef {Server.SchemaOptions & OwnOptions} ReviewOptions */

const PAUSE = 300; // milliseconds until changed options are applied
const SHOWN = 8000; // milliseconds that a toast is shown
const SCORED = 150; // milliseconds until verdicts are scored
const SAMPLE = 80; // places in a sample
const KEPT = "docscore-review "; // the prefix of the storage keys of verdicts in this browser
const STEPS = "docscore-review-steps"; // the storage key of undo steps in this browser tab
const HELD = 500; // milliseconds; places that a visitor passes faster than this are one step of Back
const OLD_SCORES = "The scores are old.";
const REFUSED = "cannot be applied.";
const TWICE = "decided differently in another window.";

class ReviewTab {
  constructor(/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) {
    this.server = server;
    this.state = new Worklist();
    /** @type {KeptReview | null} */
    this.kept = null;
    /** @type {Map<number, Promise<Server.Beside | Server.Refusal>>} the context of a place */
    this.asides = new Map();
    this.newest = 0; // the number of the latest run; answers of earlier runs are ignored
    this.timer = 0; // fires when changed options are applied
    this.patience = 0; // fires when the page reports that a run is still going on
    this.toastTimer = 0;
    this.scoring = 0; // fires when verdicts are scored
    this.writing = 0; // fires when verdicts are written to the storage
    this.drawing = 0; // the animation frame that renders the header
    this.moved = 0; // the time when another place was shown

    this.screen = findElement(root, ".rv");
    this.part = partsOf(this.screen, ".rv-");
    /** @type {Server.Upload[]} */
    this.examples = JSON.parse(this.screen.dataset.examples ?? "[]");
    /** @type {Options<ReviewOptions>} */
    this.options = new Options(this.part("options"));
    this.runs = new Runner("review", askAgain(server.begin_review), server);
    this.scorer = new Asker(server.score_verdicts);
    this.find = this.part("find", HTMLInputElement);
    this.crop = newElement("div", "rv-crop-place");
    const document_ = findElement(this.screen, ".review-document");
    this.pane = new ReviewDocument(document_, {
      crop: this.crop,
      add: (given) => this.sift(given),
      readPdf: (file) => openPdf(server, () => this.state.result?.run ?? "", file),
    });
    this.list = new ReviewList(this.part("list"), this.state, (number) => this.visit(number));
    this.item = new PlaceView(this.screen, this.state, {
      decide: (decision) => this.decide(decision),
      crop: this.crop,
      open: (number) => this.visit(number),
      redraw: () => this.drawItem(),
      references: () => this.references,
      say: (text) => this.say(text),
      toast: (text) => this.toast(text, false),
    });
    const page = {
      server,
      state: this.state,
      notice: this.notice.bind(this),
      visit: (/** @type {number} */ number) => this.visit(number),
      setMode: (/** @type {string} */ mode) => this.setMode(mode),
      score: () => this.scoreNow(),
      run: () => this.run(),
      drawAll: () => this.drawAll(),
      drawScores: () => this.drawScores(),
      corrected: () => this.correctedName,
    };
    this.readers = new Readers(page);
    this.export = new Export(this.screen, page);
    this.finished = new Finished(this.part("done"), { ...page, files: this.export });
    this.box = new DropBox(findElement(this.screen, ".drop"), server, {
      isPair: false,
      examples: this.examples,
      verb: "Review",
      run: (chosen) => this.begin(chosen),
      sift: (given) => this.sift(given),
      truth: ["ground truth, with the text if you have it", '{"question_id", "references", "text"}'],
      allowed: () => {
        const { missing, skip } = this.options.read();
        return { missing, skip };
      },
      allow: (option) => {
        this.options.take(option);
        this.drawChips();
      },
    });
    this.listen();
    this.drawChips();
    this.setState("empty");
    this.follow().finally(() => {
      this.screen.dataset.ready = "";
    });
  }

  listen() {
    /** @type {Record<string, (button: HTMLElement) => void>} */
    const acts = {
      change: () => this.changeFiles(),
      references: () => this.export.download("references"),
      verdicts: () => this.export.download("verdicts"),
      readers: () => this.part("reader").click(),
      previous: () => this.step(-1),
      next: () => this.step(1),
      undo: () => this.undo(),
      cancel: () => this.item.closeNeither(),
      list: () => {
        const isOpen = this.screen.classList.toggle("with-list");
        findElement(this.screen, "[data-do=list]").setAttribute("aria-expanded", String(isOpen));
        this.list.mark();
      },
      more: (button) => button.setAttribute("aria-expanded", String(this.screen.classList.toggle("with-setup"))),
    };
    this.screen.addEventListener("click", (event) => {
      const button = around(event, "button");
      if (button?.dataset.do) acts[button.dataset.do](button);
      else if (button?.dataset.choice) this.item.press(button.dataset.choice);
    });
    const reader = this.part("reader", HTMLInputElement);
    reader.addEventListener("change", () => {
      const [file] = reader.files ?? [];
      reader.value = "";
      this.export.close();
      if (file) this.readers.compare(file);
    });
    this.find.addEventListener("input", () => {
      this.drawAll();
      this.write();
    });
    this.find.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") this.part("path").focus({ preventScroll: true });
    });
    this.part("options").addEventListener("input", (event) => {
      this.drawChips();
      if (this.screen.dataset.state === "empty") this.box.check();
      if (!this.state.result || this.screen.dataset.state !== "shown") return;
      if (around(event, "[data-option=blind]")) {
        this.state.picked = new Set();
        this.drawAll();
        return;
      }
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.run(), PAUSE);
    });
    this.bind();
    document.addEventListener("docscore-tab", (event) => {
      if (event.detail === "review" && location.hash === "#review" && !history.state?.files) this.write();
    });
    document.addEventListener("docscore-review", ({ detail }) => this.take(detail));
    // a file of verdicts can be dropped on a review
    for (const kind of /** @type {const} */ (["dragover", "drop"])) {
      this.screen.addEventListener(kind, (event) => {
        if (this.screen.dataset.state !== "shown" || !event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        if (kind === "drop") droppedFiles(event.dataTransfer).then((files) => this.sift(files));
      });
    }
    window.addEventListener("hashchange", () => this.follow());
    window.addEventListener("storage", ({ key }) => {
      if (!this.kept || key !== this.kept.name) return;
      const { changed, isWritten } = this.kept.merge();
      this.adopt(changed);
      if (!isWritten) this.keep([]);
    });
    window.addEventListener("pagehide", () => {
      if (this.writing) this.store();
    });
  }

  bind() {
    const isActive = () =>
      this.screen.dataset.state === "shown" &&
      !document.querySelector("dialog[open]") &&
      !this.screen.querySelector("details.pop[open]");
    const hasFourth = () => this.state.sideOf(3) !== undefined; // the side that "d" chooses
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
        ["u", "undo", () => this.undo()],
        ["j k", "go to the next or previous place", () => this.step(1), () => this.step(-1)],
        ["/", "find a place", () => this.find.focus()],
      ],
      isActive,
    );
  }

  say(/** @type {string} */ text) {
    this.part("heard").textContent = text;
  }

  /** The name of the file of the ground truths. */
  get references() {
    const { asked } = this.state.result ?? {};
    return fileName(asked?.references ?? asked?.predictions[0] ?? "");
  }

  get correctedName() {
    return this.references.replace(/(\.[^.]+)$/, "_corrected$1");
  }

  // Requests

  request() {
    const { files, extra } = this.state;
    const { metric, parse, missing, skip, blind: _, ...whatIf } = this.options.read();
    return files && { ...files, ...extra, metric, parse: parse || null, missing, skip, what_if: whatIf };
  }

  takeOptions(/** @type {Server.ReviewRequest} */ { parse, missing, skip, what_if: whatIf }) {
    this.options.take({ parse: parse ?? "", missing, skip, ...whatIf });
    this.drawChips();
  }

  drawChips() {
    this.options.show("anls_star");
    this.state.isBlind = this.options.read().blind;
    const takeBack = (/** @type {string} */ name) => () => {
      this.options.reset(name);
      this.drawChips();
      if (name === "blind") this.drawAll();
      else this.run();
    };
    const chips = this.options.changed().map(({ name, words, show }) => ({ words, show, takeBack: takeBack(name) }));
    this.options.chips(this.part("chips"), chips);
  }

  begin(/** @type {Chosen} */ { truth, predictions, reading }) {
    const paths = predictions.map(({ path }) => path);
    this.state.begin({ references: truth?.path ?? null, predictions: paths, names: [], reading });
    this.run();
  }

  /** Take the files and options of another tab. */
  take(/** @type {Partial<Server.ReviewRequest>} */ asked) {
    const { references = null, predictions = [], names = [], reading = {} } = asked;
    const missing = asked.missing ?? reading.missing ?? "error";
    const nothing = { verdicts: null, texts: null, sample: 0, sample_of: "" };
    this.state.begin({ references, predictions, names, reading }, nothing);
    this.options.take({ parse: asked.parse ?? "", missing, skip: asked.skip ?? false, ...asked.what_if });
    this.drawChips();
    location.hash = "#review";
    this.run();
  }

  /** Take page images, texts and verdicts among the given files; the drop box takes the others. */
  async sift(/** @type {File[]} */ given) {
    const { state } = this;
    const others = this.pane.files.take(given);
    const taken = countFiles(given.filter((file) => !others.includes(file)));
    const sorted = await Promise.all(others.map(async (file) => ({ file, isReview: await isReview(file) })));
    const found = sorted.find((each) => each.isReview)?.file;
    // a visitor with verdicts can compare the verdicts of another reader
    const isAsked = found && state.result && state.decisions.size > 0;
    const verdicts = isAsked ? undefined : found;
    const said = taken.words ? [`Added: ${taken.words}.`] : [];
    if (verdicts) said.push(`${printable(verdicts.name)}: its verdicts are taken over.`);
    try {
      const file = taken.texts ? await this.pane.files.textFile() : null;
      if (file) state.extra.texts = await uploaded(file);
      if (verdicts) state.extra.verdicts = await uploaded(verdicts);
      if (said.length && state.result) this.toast(said.join(" "), false);
      else if (said.length) this.part("also").textContent = said.join(" ");
    } catch (error) {
      const fault = sentenceOf(error instanceof Error ? error.message : String(error));
      if (state.result) this.notice(fault, "", [["Close", () => this.notice("")]]);
      else this.part("also").textContent = fault;
    }
    if (isAsked) this.readers.offer(found);
    this.asides.clear();
    if (state.result) this.pane.files.join(state.result.run);
    if (state.result && (taken.texts || verdicts)) this.run();
    else if (state.result) this.drawItem();
    return sorted.filter((each) => !each.isReview).map(({ file }) => file);
  }

  // A run

  notice(
    /** @type {string} */ title,
    detail = "",
    /** @type {Act[]} */ acts = [],
    /** @type {number | null} */ share = null,
  ) {
    showNotice(this.part, title, detail, acts, share);
  }

  async run() {
    clearTimeout(this.timer);
    const asked = this.request();
    if (!asked) return;
    const isFirst = this.state.result === null;
    const show = (/** @type {number} */ share, /** @type {string} */ text) => {
      clearTimeout(this.patience);
      if (isFirst) this.box.busy(text || "Comparing …", share, () => this.runs.stop());
      else this.notice("Comparing …", text, [["Cancel", () => this.runs.stop()]], share);
    };
    clearTimeout(this.patience);
    this.patience = window.setTimeout(() => show(0, ""), isFirst ? 0 : PATIENCE);
    const mine = ++this.newest;
    const found = await this.runs.run(asked, show);
    if (!found || mine !== this.newest) return;
    clearTimeout(this.patience);
    this.box.idle();
    this.state.extra.verdicts = null;
    if ("refused" in found) this.refuse(found, isFirst);
    else this.draw(found);
  }

  refuse(/** @type {Server.Refusal} */ { refused, kind }, /** @type {boolean} */ isFirst) {
    if (refused.startsWith("texts:")) this.state.extra.texts = this.state.result?.asked.texts ?? null;
    const said = kind === "stopped" ? "" : `Not reviewed: ${sentenceOf(refused)}`;
    if (isFirst) {
      this.setState("empty");
      if (said && !this.box.items.length) this.changeFiles();
      this.box.say(said);
    } else if (said) {
      this.notice(said, "", [
        ["Change the files", () => this.changeFiles()],
        ["Keep this review", () => this.restore()],
      ]);
    } else this.restore();
  }

  /** Go back to the files and options of the current review. */
  restore() {
    if (!this.state.result) return;
    this.state.restore();
    this.takeOptions(this.state.result.asked);
    this.setState("shown");
    this.notice("");
  }

  setState(/** @type {"empty" | "shown"} */ state) {
    setScreenState(this.screen, state, this.part("options"), this.part("export"));
  }

  changeFiles() {
    const { files, result } = this.state;
    this.newest += 1;
    this.runs.stop();
    clearTimeout(this.patience);
    this.notice("");
    this.setState("empty");
    if (files) this.box.takeAgain(files, result ? () => this.restore() : null);
  }

  // Storage of this browser

  keep(/** @type {number[]} */ changed) {
    const { places, decisions } = this.state;
    for (const number of changed) this.kept?.set(places[number], decisions.get(number));
    if (!this.writing) this.writing = window.setTimeout(() => this.store(), 0); // must not delay a key's response
  }

  /** Write verdicts and steps, and take over the verdicts of other windows. */
  store() {
    const { result, steps } = this.state;
    clearTimeout(this.writing);
    this.writing = 0;
    try {
      sessionStorage.setItem(STEPS, JSON.stringify({ run: result?.run, steps }));
      this.adopt(this.kept?.write() ?? []);
    } catch {
      this.notice("This browser cannot keep the verdicts.", "Download them before you leave the page.");
    }
  }

  /** Take over the verdicts of other windows on the places with these keys. */
  adopt(/** @type {string[]} */ keys) {
    const { state, kept } = this;
    if (!kept) return;
    const before = state.others.size;
    state.others = fitting(kept.beside, state.places);
    if (keys.length) {
      const decisions = fitting(kept.verdicts, state.places);
      const numbers = [...state.places.keys()].filter((number) => keys.includes(keyOf(state.places[number])));
      state.adopt(numbers.map((number) => [number, decisions.get(number)]));
      this.scoreSoon();
    }
    if (!keys.length && state.others.size === before) return;
    this.drawAll();
    if (!state.others.size && this.part("notice-title").textContent?.endsWith(TWICE)) this.notice("");
    if (state.others.size <= before) return;
    const count = counted(state.others.size, "place was", "places were");
    const look = () => {
      this.notice("");
      this.setMode("twice");
    };
    this.notice(`${count} ${TWICE}`, "", [["Look at them", look]]);
  }

  /** Restore the undo steps of this browser tab, which survive a reload. */
  takeSteps(/** @type {Server.Review} */ { run }) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(STEPS) ?? "null");
      if (kept?.run === run) this.state.steps = kept.steps;
    } catch {
      /* then nothing can be undone */
    }
  }

  /** Take the kept verdicts for these files, and offer verdicts on other ground truths. */
  takeKept(/** @type {Server.Review} */ found) {
    const { state } = this;
    const name = KEPT + [this.references, ...found.asked.predictions.map(fileName)].join(" ");
    this.kept = new KeptReview(localStorage, name, found.fingerprint);
    const { earlier } = this.kept;
    for (const each of fitting(this.kept.verdicts, state.places)) state.verdicts.set(...each);
    state.earlier = fitting(earlier, state.places);
    state.others = fitting(this.kept.beside, state.places);
    this.takeSteps(found);
    const count = Object.keys(earlier).length;
    if (count) this.offerEarlier(count);
  }

  /** Offer verdicts on other ground truths, as far as they fit places of this review. */
  offerEarlier(/** @type {number} */ count) {
    const { state } = this;
    const fit = state.earlier.size;
    const gone = count - fit;
    const lost = gone ? `, ${counted(gone, "place is", "places are")} gone` : "";
    const forget = () => {
      if (this.kept) this.kept.earlier = {};
      state.earlier = new Map();
      this.notice("");
      this.keep([]);
      if (state.mode === "earlier") this.setMode("agree");
    };
    const look = () => {
      this.notice("");
      this.setMode("earlier");
    };
    /** @type {Act[]} */
    const acts = [["Discard", forget]];
    if (fit) acts.unshift(["Look at them again", look]);
    const fits = `${fit} fit${fit === 1 ? "s" : ""}`;
    this.notice(`${counted(count, "verdict")} of an earlier file: ${fits}${lost}.`, "", acts);
  }

  // Result

  /** Show a review with the view of the address, else with the previous place. */
  draw(/** @type {Server.Review} */ found, /** @type {ReviewView | null} */ view = null) {
    const { state } = this;
    if (this.writing) this.store();
    const isJoined = this.pane.files.join(found.run);
    if (this.screen.dataset.state === "empty" && !location.hash.includes("=")) stepToResult("review", "#review");
    const before = state.place && keyOf(state.place);
    state.open(found);
    this.asides.clear();
    this.restore();
    this.takeKept(found);
    this.drawSetUp(found);
    if (view) this.takeView(view);
    state.touch([...state.decisions.keys()]);
    this.scoreSoon();
    this.drawAll();
    if (found.decided) this.takeVerdicts(found.decided);
    const same = state.order.find((number) => keyOf(state.places[number]) === before);
    const open = state.next(-1);
    const wanted = view?.place !== null && state.order.includes(view?.place ?? -1) ? view?.place : undefined;
    this.go(wanted ?? same ?? open ?? state.order[0] ?? -1);
    this.write();
    isJoined.then((isTaken) => {
      if (!isTaken) return;
      this.asides.clear();
      this.drawItem();
    });
    if (open === null && state.order.length && wanted === undefined) this.finish();
  }

  /** Take the list and the text of a view. */
  takeView(/** @type {ReviewView} */ { list, find }) {
    const { state } = this;
    this.find.value = find;
    const isKnown = state.modes().some(({ name }) => name === list);
    if (isKnown && list !== state.modeName && !list.startsWith("sample ")) state.mode = list;
  }

  drawSetUp(/** @type {Server.Review} */ { asked, systems, count, left_out: leftOut, python }) {
    const soft = (/** @type {string} */ text) => newElement("span", "soft", text);
    const truth = asked.references ? [newElement("code", "", this.references), soft(" × ")] : [];
    const names = systems.length === 1 ? systems[0].name : `${systems.length} systems`;
    this.part("what").replaceChildren(...truth, names, soft(` · ${counted(count, "document")}`));
    this.part("left-out").textContent = leftOut.join(" ");
    findElement(this.screen, "#review-python").textContent = python;
  }

  /** Take the verdicts of a file for open places, and report how many were carried over. */
  takeVerdicts(/** @type {Server.DecidedBefore} */ { verdicts, note }) {
    const { state } = this;
    const open = decisionsOf(verdicts).filter(([number]) => !state.verdicts.at(number));
    this.changed(state.apply(state.verdicts.folded(open)));
    const decided = verdicts.length - open.length;
    const said = decided ? `${note} ${counted(decided, "place was", "places were")} decided here already.` : note;
    if (decided || note.includes(";")) this.notice(said, "", [["Close", () => this.notice("")]]);
    else this.toast(said);
  }

  setMode(/** @type {string} */ name) {
    const { state } = this;
    this.part("lists").removeAttribute("open");
    if (state.setMode(name, SAMPLE)) {
      this.run();
      return;
    }
    this.drawAll();
    const open = state.next(-1);
    this.visit(open ?? state.order[0] ?? -1);
    if (open === null && state.order.length) this.finish();
  }

  /** Draw the list: the places that contain the searched text, in groups. */
  drawAll() {
    const { state } = this;
    if (!state.result) return;
    state.list(this.find.value);
    this.list.redraw();
    this.part("list-name").textContent = state.modeLabel;
    const modes = state.modes().map(({ name, label }) => {
      const button = newButton("", label, () => this.setMode(name));
      button.setAttribute("aria-pressed", String(name === state.modeName));
      return newElement("li", "", button);
    });
    findElement(this.part("lists"), "ul").replaceChildren(...modes);
    this.part("none").replaceChildren(...(state.order.length ? [] : this.nothing()));
    this.screen.toggleAttribute("data-none", !state.order.length);
    this.screen.toggleAttribute("data-blind", state.isBlind);
    this.drawHead();
    if (state.order.length && !state.order.includes(state.current)) this.go(state.next(-1) ?? state.order[0]);
    else this.drawItem();
  }

  /** Return the sentences for an empty list, and buttons for other lists. */
  nothing() {
    const { state } = this;
    if (this.find.value.trim()) return ["No place contains this text."];
    const count = state.result?.count ?? 0;
    const documents = `${count === 1 ? "this" : "these"} ${counted(count, "document")}`;
    if (state.mode !== "agree") return [`No prediction loses points in ${documents}.`];
    const others = state.modes().filter(({ name }) => name !== "agree");
    const buttons = others.map(({ name, label }) => newButton("btn", label, () => this.setMode(name)));
    return [`No two systems agree against a ground truth in ${documents}. `, ...buttons];
  }

  drawHead() {
    const { state } = this;
    if (!state.result) return;
    const { decided } = state;
    const all = state.firsts.length;
    const progress = this.part("progress");
    this.part("count").textContent = decided.toLocaleString("en");
    this.part("of").textContent = `of ${counted(all, "decision")}`;
    progress.style.setProperty("--v", String(all ? decided / all : 0));
    for (const [name, value] of Object.entries({ valuenow: decided, valuemin: 0, valuemax: all })) {
      progress.setAttribute(`aria-${name}`, String(value));
    }
    this.drawScores();
    const isDone = all > 0 && decided === all;
    const done = { ...conclusionOf(state.decidedPlaces()), act: "Summary", first: null };
    const { title, text, act: label, first } = isDone ? done : state.headline();
    this.part("title").textContent = title;
    this.part("text").textContent = text;
    const act = this.part("act");
    act.hidden = !label;
    act.textContent = label;
    act.onclick = () => {
      if (isDone) this.finish();
      else if (first !== null) this.visit(first);
      else this.compareByValue();
    };
    this.part("references").textContent = `${this.correctedName}, ${counted(state.result.count, "document")}`;
    this.part("verdicts").textContent = `verdicts.jsonl, ${counted(state.decisions.size, "verdict")}`;
    findElement(this.screen, ".rv-undo", HTMLButtonElement).disabled = !state.steps.length;
  }

  /** Review again without places that differ only in the notation of a number. */
  compareByValue() {
    this.options.accept({ numbers: "value" });
    this.drawChips();
    this.run();
  }

  drawScores() {
    const { result, stale } = this.state;
    if (!result) return;
    const after = this.state.after();
    drawScores(this.part("moves"), result.systems, after, stale.size > 0);
    const own = this.part("done").querySelector(".rv-moves-done");
    if (own instanceof HTMLElement) drawScores(own, result.systems, after, stale.size > 0, true);
  }

  /** Score documents with changed verdicts after a pause. */
  scoreSoon() {
    clearTimeout(this.scoring);
    if (this.state.stale.size) this.scoring = window.setTimeout(() => this.score(), SCORED);
  }

  async scoreNow() {
    clearTimeout(this.scoring);
    if (this.state.stale.size) await this.score();
  }

  async score() {
    const { state } = this;
    if (!state.result) return;
    const { run } = state.result;
    const asked = new Set(state.stale);
    const decided = () => state.asText(state.verdictsOn(asked));
    const verdicts = decided();
    const found = await this.scorer.ask({ run, verdicts });
    if (!found || state.result.run !== run) return;
    if ("refused" in found) {
      const again = () => {
        this.notice("");
        this.score();
      };
      /** @type {Act[]} */
      const acts = [found.kind === "gone" ? ["Review again", () => this.run()] : ["Try again", again]];
      if (state.steps.length) acts.push(["Undo", () => this.undo()]);
      this.notice(OLD_SCORES, sentenceOf(found.refused), acts);
      return;
    }
    if (this.part("notice-title").textContent === OLD_SCORES) this.notice("");
    if (verdicts !== decided()) return; // newer verdicts are scored by the next request
    const before = state.refused();
    state.score(asked, found);
    this.drawScores();
    this.drawRefused(before);
  }

  /** Report verdicts that cannot be applied at once, and show the reason at their places. */
  drawRefused(/** @type {number[]} */ before) {
    const { state } = this;
    const refused = state.refused();
    if (refused.join() === before.join()) return;
    this.list.redraw();
    if ([...before, ...refused].includes(state.current)) this.drawItem();
    const title = this.part("notice-title").textContent ?? "";
    if (!refused.length) {
      if (title.endsWith(REFUSED)) this.notice("");
      return;
    }
    const number = refused.find((each) => !before.includes(each)) ?? refused[0];
    const { id } = state.places[number];
    const detail = `${id}, ${placeName(state.places[number])}: ${state.faultAt(number)}.`;
    /** @type {Act[]} */
    const acts = [["Show it", () => this.visit(number)]];
    if (state.steps.length) acts.push(["Undo", () => this.undo()]);
    this.notice(`${counted(refused.length, "verdict")} ${REFUSED}`, detail, acts);
  }

  // Place

  /** Go to a place as a step of Back. */
  visit(/** @type {number} */ number) {
    const isHeld = Date.now() - this.moved < HELD;
    this.moved = Date.now();
    this.go(number);
    this.write(isHeld ? "replace" : "push");
  }

  go(/** @type {number} */ number) {
    this.state.go(number);
    this.item.begin();
    this.showItem();
    this.list.mark();
    this.drawItem();
    this.screen.classList.remove("with-list");
  }

  step(/** @type {number} */ by) {
    const { order, current } = this.state;
    const to = order[order.indexOf(current) + by];
    if (to !== undefined) this.visit(to);
  }

  drawItem() {
    const { state } = this;
    const { current: number, place } = state;
    if (!place) {
      this.pane.clear();
      return;
    }
    this.item.draw(place);
    this.beside(number).then((found) => {
      if (state.current === number && !("refused" in found)) this.item.drawBeside(place, found);
    });
    const following = state.next(number);
    if (following !== null && !this.pane.files.pdfs.size) this.beside(following);
    const chosen = state.isBlind ? null : state.chosen;
    this.pane.show({ document: place.id, chosen, found: this.beside(number) });
  }

  /** Return the context of a place, which is requested once. */
  beside(/** @type {number} */ number) {
    const run = this.state.result?.run ?? "";
    const ask = async () => {
      const text = await this.pane.pdfText(this.state.places[number].id);
      return answerTo(this.server.read_beside, { run, number, text });
    };
    const found = this.asides.get(number) ?? ask();
    this.asides.set(number, found);
    return found;
  }

  // Verdicts

  /** Keep and score changed verdicts on places; the worklist is redrawn with the next place. */
  changed(/** @type {number[]} */ numbers) {
    this.keep(numbers);
    this.scoreSoon();
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.drawHead();
    });
  }

  undo() {
    const numbers = this.state.undo();
    if (!numbers.length) return;
    this.changed(numbers);
    this.hideToast();
    this.say(`Undone: ${counted(numbers.length, "value")}.`);
    this.visit(numbers[0]);
  }

  /** Decide the current place and all other places in the reach of the verdict. */
  decide(/** @type {Decision} */ decision) {
    const { state } = this;
    const { place, current } = state;
    if (!place) return;
    const verdicts = state.verdictsOf(decision, this.item.reach);
    const words = verdictWords(place, decision.verdict);
    this.changed(state.apply(verdicts));
    const size = state.verdicts.sizeOf(verdicts);
    if (state.more(current) && state.isRowOpen(current)) {
      state.unfold(current); // the other places are decided one by one
      this.list.redraw();
    }
    if (size > 1) this.toast(`${size.toLocaleString("en")} values: ${words}.`);
    else {
      this.hideToast();
      this.say(state.isBlind ? "Decided." : `${placeName(place)}: ${words}.`);
    }
    const open = state.next(current);
    if (open !== null) {
      this.visit(open);
      return;
    }
    this.list.mark();
    if (this.find.value.trim()) {
      this.drawItem();
      this.toast("All places that were found are decided.");
    } else this.finish();
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

  // Summary

  showItem(isDone = false) {
    this.part("done").hidden = !isDone;
    this.part("item").hidden = isDone;
    findElement(this.screen, ".review-document").hidden = isDone;
    this.part("panes").toggleAttribute("data-done", isDone);
  }

  async finish() {
    const { state } = this;
    if (!state.result) return;
    this.showItem(true);
    this.write("push");
    this.list.fold();
    this.drawHead();
    await this.finished.draw();
  }

  // Address

  /** The current view. @returns {ReviewView} */
  view() {
    const { state } = this;
    const place = this.part("item").hidden || state.current < 0 ? null : state.current;
    return { list: state.modeName, find: this.find.value, place };
  }

  write(how = "replace") {
    const { result } = this.state;
    if (!result || !isShown("review") || this.screen.dataset.state !== "shown") return;
    const address = addressOfReview(result.run, this.view());
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
    const { state } = this;
    if (!run) {
      if (tabOf(location.hash) === "review" && history.state?.files && state.result) this.changeFiles();
      return;
    }
    if (state.result?.run === run) {
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
    if (this.screen.dataset.state === "empty") this.restore();
    if (view.list !== state.modeName || view.find !== this.find.value) {
      this.takeView(view);
      this.drawAll();
    }
    if (view.place !== null && state.order.includes(view.place)) this.go(view.place);
    else if (view.place === null && state.order.length && state.next(-1) === null) this.finish();
  }
}

/** @type {(root: HTMLElement, server: Server.Functions) => void} */
export const startReview = (root, server) => {
  new ReviewTab(root, server);
};
