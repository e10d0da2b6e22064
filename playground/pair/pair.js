// The screen for one pair. It scores what is typed, marks rows of the tree in the editors, and keeps and shares the
// pair.

import { Asker, answerTo, busy } from "../parts/asking.js";
import {
  around,
  findElement,
  findElements,
  newButton,
  newElement,
  newIcon,
  partsOf,
  patchHtml,
} from "../parts/elements.js";
import { listKeys } from "../parts/keys.js";
import { copyLink, hashOfPair, pairOfHash } from "../parts/links.js";
import { Options } from "../parts/options.js";
import { Remedies } from "../parts/remedies.js";
import { schemaButtons } from "../parts/saving.js";
import { isShown } from "../parts/tabs.js";
import { newTreePane } from "../parts/tree.js";
import { Editor, differenceOf } from "./editor.js";
import { noticeOf } from "./faults.js";
import { piecesOf, wordsOfMend } from "./json_text.js";
import { sentenceOf } from "../parts/words.js";

/** @import { PairDocument, PairPage } from "./document.js" */
/** @import { Placed } from "./editor.js" */
/** @import { Piece } from "./json_text.js" */
/** @import { Side } from "./faults.js" */
/**
 * @typedef {object} PairSettings  what the server writes into the screen
 * @property {({title: string, document: string[]} & Server.Sides)[]} examples  the first has a document, given as lines
 * @property {number} longest  bytes of a text
 * @property {Server.PairAnswer & Server.WhatIfs} first  the answer to the first example
 */

const PAUSE = 30; // milliseconds until what was typed is scored
const STOPPABLE = 1000; // milliseconds until Cancel is offered
const LONGEST_ADDRESS = 30000; // characters; longer pairs are kept in this browser tab alone
export const STARTED = "docscore-pair";
const KEPT = "docscore-pair";
export const WIDE = "(min-width: 1200px)"; // the document of the example is open from this width
const HIDDEN = "docscore-hello"; // the storage key for a closed line of welcome
const ROW = ".anls-row:not(.anls-header)";
const CHEVRONS = { "-1": "m4.5 9.5 3.5-3.5 3.5 3.5", 1: "m4.5 6.5 3.5 3.5 3.5-3.5" };
const PAGE = "M4 1.75h5L12.25 5v9.25H4zM9 1.75V5h3.25M6 8.25h4.25M6 10.75h4.25";
/** @type {Side[]} */
const SIDES = ["truth", "prediction"];

/** Return the part of a request for the browser's storage and links: all but the text of the document. */
const kept = (/** @type {Server.PairRequest} */ { text: _, ...rest }) => rest;

const wasHidden = () => {
  try {
    return localStorage.getItem(HIDDEN) !== null;
  } catch {
    return false; // a frame may not have storage
  }
};

const newState = () => ({
  timer: 0, // fires when typed text is scored
  patience: 0, // fires when Cancel is offered
  saved: 0, // how often the pair was saved
  /** @type {(() => void) | null} the action of the notice's button */
  act: null,
  isStoppable: false, // the notice's button cancels a run
  /** @type {Server.Changes} the options that score higher */
  better: {},
  isNew: true, // nothing was typed since the pair was opened
  isExample: true, // the texts come from the first example, possibly edited
  /** @type {HTMLElement | null} */
  row: null, // the chosen row
  /** @type {Server.PairAnswer | null} the last answer without an error */
  found: null,
  /** @type {Server.Reading} */
  content: {}, // reading options that take content out of values
});

class PairTab {
  constructor(/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) {
    this.server = server;
    this.state = newState();
    this.screen = findElement(root, ".screen");
    this.part = partsOf(this.screen, "#pair-");
    /** @type {PairSettings} */
    this.settings = JSON.parse(this.screen.dataset.settings ?? "");
    this.result = this.part("result");
    this.tree = this.part("tree");
    this.treePane = newTreePane(this.tree, "pair");
    this.scores = new Asker(server.score_workspace, this.result);
    this.tries = new Asker(server.try_options);
    /** @type {Options<Server.SchemaOptions & {metric: string, reading: string}>} */
    this.options = new Options(this.part("options"));
    this.remedy = newButton("btn tint", "", () => {
      this.take(this.state.better);
      findElement(this.part("options"), "summary").focus();
    });
    this.remedies = new Remedies(newElement("ul", "remedies"), (options) => this.take(options));
    const page = {
      typed: () => this.typed(),
      replaced: () => {
        this.part("example").textContent = "";
        this.options.leave();
        this.drawChips();
      },
      drawn: () => this.forgetResult(),
      changed: () => this.changed(),
      pointed: (/** @type {Editor} */ editor) => this.pointed(editor),
      say: (/** @type {string} */ text) => this.setStatus(text),
      showChange: (/** @type {Piece[]} */ pieces) => this.showChange(pieces),
      longest: this.settings.longest,
    };
    this.editors = {
      truth: new Editor(this.part("truth"), page),
      prediction: new Editor(this.part("prediction"), page),
    };
    /** @type {PairDocument | null} null until its script is loaded */
    this.document = null;
    this.documentButton = this.newDocumentButton();
    this.walk = newElement(
      "span",
      "walk",
      this.documentButton,
      ...[this.stepButton("Previous loss", "p", -1), this.stepButton("Next loss", "n", 1)],
    );
    this.drawChips();
    this.plain = this.request(); // the request of the page as it was loaded
    this.first = JSON.stringify(kept(this.plain));
    this.listen();
    this.part("hello").hidden = wasHidden();
    this.begin(true);
    this.show(this.settings.first);
    this.offer(this.plain, this.settings.first);
    window.addEventListener("hashchange", (event) => this.follow(event));
    this.follow(null).finally(() => {
      this.screen.dataset.ready = "";
    });
  }

  /** Add the document next to the pair once its script is loaded. */
  join(/** @type {(page: PairPage) => PairDocument} */ newDocument) {
    this.document = newDocument({
      screen: this.screen,
      tree: this.tree,
      server: this.server,
      button: this.documentButton,
      example: this.settings.examples[0].document,
      changed: () => this.changed(),
      truth: () => this.editors.truth.text,
      choose: (row) => this.reveal(row),
      say: (text) => this.setStatus(text),
    });
    this.document.begin(this.state.isExample);
    if (this.state.found) this.present(this.state.found, this.state.row?.dataset.path);
  }

  /** Open the example with its document, or another pair without one. */
  begin(/** @type {boolean} */ isExample) {
    [this.state.isExample, this.state.row, this.state.isNew] = [isExample, null, true];
    if (this.document) this.document.begin(isExample);
    else findElement(this.screen, ".pair").classList.toggle("doc-open", isExample && matchMedia(WIDE).matches);
  }

  get isExample() {
    return this.document ? this.document.isExample : this.state.isExample;
  }

  /** Return the button of the document, which exists before the document's script is loaded. */
  newDocumentButton() {
    const button = newButton("btn tint", "", () => this.document?.toggle(!this.document.isOpen));
    const key = newElement("kbd", "wide-only", "d");
    key.setAttribute("aria-hidden", "true");
    button.append(newIcon(PAGE), newElement("span", "wide-only", "Document"), key);
    button.setAttribute("aria-label", "Document");
    button.setAttribute("aria-keyshortcuts", "d");
    button.title = "The document (d)";
    return button;
  }

  /** @type {(name: string, key: string, step: 1 | -1) => HTMLElement} */
  stepButton(name, key, step) {
    const button = newButton("btn ghost icon", "", () => this.treePane.toLoss(step));
    button.append(newIcon(CHEVRONS[step]));
    button.title = `${name}, by points lost (${key})`;
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-keyshortcuts", key);
    return button;
  }

  listen() {
    for (const kind of ["click", "focusin"]) {
      this.tree.addEventListener(kind, (event) => {
        const row = around(event, ROW);
        if (!row) return;
        this.chosen(row);
        if (kind === "click" && this.document?.opensWithRow) this.document.toggle(true);
      });
    }
    this.tree.addEventListener("click", (event) => {
      if (!around(event, ".anls-conclusion a")) return;
      event.preventDefault();
      this.treePane.toRow(this.lead());
    });
    this.part("own").addEventListener("click", () => {
      history.pushState(null, "", location.href); // Back returns to the example
      this.part("example").textContent = "";
      this.open({ ...this.plain, truth: "", prediction: "", is_example: false });
      if (this.screen.dataset.seg !== "1") findElement(this.screen, "[data-to-seg='1']").click();
      this.editors.truth.area.focus();
    });
    this.part("hide").addEventListener("click", () => {
      this.part("hello").hidden = true;
      try {
        localStorage.setItem(HIDDEN, "1");
      } catch {
        /* a frame may not have storage */
      }
    });
    this.screen.addEventListener("click", (event) => {
      const toSeg = around(event, "[data-to-seg]");
      const example = around(event, "[data-example]");
      if (example) {
        const { title, truth, prediction, document: lines } = this.settings.examples[Number(example.dataset.example)];
        history.pushState(null, "", location.href); // Back returns to the previous pair
        this.part("example").textContent = title;
        this.open({ ...this.plain, truth, prediction, is_example: lines.length > 0 });
      }
      if (toSeg) {
        this.screen.dataset.seg = toSeg.dataset.toSeg;
        for (const button of findElements(this.screen, "[data-to-seg]")) {
          button.setAttribute("aria-pressed", String(button === toSeg));
        }
        for (const side of SIDES) this.editors[side].draw();
        findElements(this.screen, ".ln:is(.bad, .on)")
          .find((line) => line.checkVisibility())
          ?.scrollIntoView({ block: "center" });
      }
    });
    this.part("options").addEventListener("input", () => {
      this.drawChips();
      this.changed();
    });
    this.part("act").addEventListener("click", () => this.state.act?.());
    this.part("more").addEventListener("click", () => {
      this.part("more").setAttribute("aria-expanded", String(this.screen.classList.toggle("with-setup")));
    });
    this.screen.addEventListener("input", (event) => {
      if (around(event, "textarea")) this.part("example").textContent = "";
    });
    const keys = listKeys("pair", "One pair", [
      ["Ctrl+Enter", "score now", () => this.score()],
      ["Escape", "cancel a long run; unmark the lines", () => this.unmark()],
    ]);
    this.screen.addEventListener("keydown", (event) => {
      const name = event.ctrlKey || event.metaKey ? `Ctrl+${event.key}` : event.key;
      if (!(name in keys)) return;
      event.preventDefault();
      keys[name]();
    });
    this.part("link").addEventListener("click", async () => {
      const link = new URL(await hashOfPair(kept(this.request())), location.href).href;
      history.replaceState(null, "", link);
      this.setStatus(await copyLink(this.part("link"), link));
    });
    document.addEventListener("docscore-tab", (event) => {
      if (event.detail === "pair" && "ready" in this.screen.dataset && !location.hash.startsWith("#pair=")) {
        this.keep(this.request());
      }
    });
  }

  /** Unmark all lines, and stop a run that takes long. */
  unmark() {
    for (const side of SIDES) this.editors[side].show(undefined);
    this.treePane.look(null);
    if (this.state.isStoppable) this.stop();
  }

  setStatus(/** @type {string} */ text) {
    this.part("status").textContent = text;
  }

  /** Show the code and the JSON of a result, or the reason why there are none. */
  setCode(/** @type {string} */ python, json = python) {
    this.part("python").textContent = python;
    this.part("json").textContent = json;
  }

  /** Score typed text after a pause, and ignore answers to earlier requests. */
  typed() {
    this.scores.forget();
    this.tries.forget();
    clearTimeout(this.state.timer);
    clearTimeout(this.state.patience);
    this.part("hello").hidden = true;
    this.state.isNew = false;
    this.state.timer = window.setTimeout(() => this.score(), PAUSE);
    if (!("stale" in this.result.dataset)) this.result.dataset.stale = "";
  }

  changed() {
    this.typed();
    this.forgetResult();
  }

  /** Remove everything that was shown about the previous text. */
  forgetResult() {
    this.setStatus("");
    this.showChange([]);
    this.setCode("Scoring …");
  }

  /** Show the changes that made a text valid JSON. */
  showChange(/** @type {Piece[]} */ pieces) {
    const { count, rows } = differenceOf(pieces);
    const change = this.part("change");
    change.hidden = !count;
    findElement(change, "summary").textContent =
      `Changed: ${count === 1 ? "1 line" : `${count.toLocaleString("en")} lines`}, before and after`;
    findElement(change, "div").replaceChildren(...rows);
  }

  request() {
    const { metric, reading, ...rest } = this.options.read();
    const { isExample: is_example } = this;
    const example = is_example ? this.settings.examples[0].document.join("\n") : "";
    const text = this.document ? this.document.text : example;
    const sides = { truth: this.editors.truth.text, prediction: this.editors.prediction.text };
    return { ...sides, metric, reading, options: rest, text, is_example, content: this.state.content };
  }

  /** Show a title, a sentence and a button with its action instead of the score. */
  notice(/** @type {string} */ title, detail = "", label = "", /** @type {(() => void) | null} */ action = null) {
    this.part("notice").hidden = !title;
    this.part("title").textContent = title;
    this.part("detail").textContent = detail;
    this.part("heard").textContent = `${title} ${detail}`;
    this.state.act = action;
    this.state.isStoppable = false;
    this.part("act").hidden = !action;
    this.part("act").textContent = label;
    this.tree.inert = Boolean(title);
    if (title) {
      this.result.dataset.stale = "";
      this.setCode(title);
    } else delete this.result.dataset.stale;
  }

  stop() {
    answerTo(this.server.stop_workspace, { window: this.scores.window() });
  }

  async score() {
    for (const side of SIDES) this.editors[side].flush();
    clearTimeout(this.state.timer);
    clearTimeout(this.state.patience);
    this.state.patience = window.setTimeout(() => {
      this.notice("Scoring …", "This is taking longer than usual.", "Cancel", () => this.stop());
      this.state.isStoppable = true;
    }, STOPPABLE);
    const asked = this.request();
    if (!asked.truth.trim() && !asked.prediction.trim()) {
      this.empty(asked);
      return;
    }
    const found = this.tooLong(asked) ?? (await this.scores.ask(asked));
    if (!found) return;
    clearTimeout(this.state.patience);
    this.show(found);
    this.keep(asked);
    if (!("refused" in found) && found.result) this.offer(asked, await this.tries.ask(asked));
  }

  /** Show neither a score nor an error while both texts are empty. */
  empty(/** @type {Server.PairRequest} */ asked) {
    clearTimeout(this.state.patience);
    this.scores.forget();
    this.tries.forget();
    [this.state.found, this.state.row] = [null, null];
    for (const side of SIDES) this.editors[side].setFault(this.placed(side, null));
    this.tree.replaceChildren();
    for (const name of ["short", "points", "stack"]) this.part(name).replaceChildren();
    this.notice("");
    this.setCode("Nothing is scored yet.");
    this.setStatus("Paste a ground truth and a prediction, or open files.");
    this.keep(asked);
  }

  /** Offer options that score higher once they are computed; the button keeps its place until then. */
  offer(/** @type {Server.PairRequest} */ asked, /** @type {Server.WhatIfs | Server.Refusal | null} */ found) {
    if (!found) return;
    const { what_ifs: whatIfs, remedies } = "refused" in found ? { what_ifs: [], remedies: [] } : found;
    this.remedies.show(remedies);
    this.part("schemas").replaceChildren(...schemaButtons(asked.options.schema ?? "", whatIfs));
    this.remedy.hidden = !whatIfs.length;
    this.remedy.disabled = false;
    if (whatIfs.length) [this.remedy.textContent, this.state.better] = [whatIfs[0].label, whatIfs[0].options];
  }

  /** Take options in the groups of a request, such as the options of a remedy. */
  take(/** @type {Server.Changes} */ { what_if: whatIf, reading }) {
    const { parse, ...content } = reading ?? {};
    this.options.accept({ ...whatIf, ...(parse ? { reading: parse } : {}) });
    Object.assign(this.state.content, content);
    this.drawChips();
    this.score();
  }

  before() {
    return this.tree.childElementCount ? " The score below is from before the edit." : "";
  }

  /**
   * Return the answer to a text that is too long to send; null if no text is.
   * @type {(asked: Server.PairRequest) => Server.PairAnswer | null}
   */
  tooLong(asked) {
    const most = this.settings.longest;
    const faults = SIDES.map((side) => {
      const length = new Blob([asked[side]]).size;
      const sizes = `${length.toLocaleString("en")} bytes, ${most.toLocaleString("en")} at most here`;
      const text = `too large: ${sizes}; score it with \`docscore score\``;
      return length > most ? { text, line: null, column: null, mend: null } : null;
    });
    const nothing = { note: "", edits: [], result: "", raw: "", python: "", spans: [], places: [], taken: [] };
    return faults.some(Boolean) ? { faults, ...nothing, is_example: this.isExample } : null;
  }

  /** @type {(side: Side, fault: Server.Fault | null) => Placed} */
  placed(side, fault) {
    return {
      sentence: fault?.text ?? "",
      place: fault?.line ? { line: fault.line - 1, column: (fault.column ?? 1) - 1 } : null,
      label: fault?.mend ? wordsOfMend(this.editors[side].text, fault.mend) : "",
      act: () => this.editors[side].edit(fault?.mend?.edits ?? []),
    };
  }

  show(/** @type {Server.PairAnswer | Server.Refusal} */ found) {
    const { faults, spans } = "refused" in found ? { faults: [null, null], spans: [] } : found;
    SIDES.forEach((side, at) => {
      this.editors[side].spans = spans[at] ?? {};
      this.editors[side].setFault(this.placed(side, faults[at]));
    });
    if ("refused" in found) {
      const sentence = `${sentenceOf(found.refused)}${this.before()}`;
      if (found.kind === "input" && this.options.read().schema) {
        this.notice("Not scored.", sentence, "Leave the schema out", () => this.take({ what_if: { schema: "" } }));
      } else this.notice("Not scored.", sentence, "Try again", () => this.score());
      return;
    }
    const wrong = faults.findIndex(Boolean);
    const fault = faults[wrong];
    if (fault) {
      this.sayFault(SIDES[wrong], fault);
      return;
    }
    const only = findElements(this.tree, ".anls-legend input:checked").map((input) => input.className);
    const path = this.state.row?.dataset.path;
    this.document?.undraw();
    patchHtml(this.tree, found.result, ROW);
    for (const name of only) findElements(this.tree, `.${name}:not(:checked)`)[0]?.click();
    this.treePane.fresh();
    this.treePane.fill();
    this.remedy.disabled = true;
    const head = findElement(this.tree, ".anls-head");
    head.append(this.remedy, this.walk);
    head.after(this.remedies.place);
    this.part("short").textContent = findElement(this.tree, ".anls-score").textContent;
    this.part("points").textContent = findElement(this.tree, ".anls-detail").textContent.split(";")[0];
    this.part("stack").replaceChildren(findElement(this.tree, ".anls-stack").cloneNode(true));
    this.setCode(found.python, found.raw);
    this.notice("");
    this.part("heard").textContent =
      `Score ${this.part("short").textContent}. ${this.tree.querySelector(".anls-conclusion")?.textContent ?? ""}`;
    this.setStatus([this.part("status").textContent, found.note].filter(Boolean).join(" "));
    if (found.edits.length) this.showChange(piecesOf(this.editors.prediction.text, found.edits));
    for (const side of SIDES) this.editors[side].setSigns(this.signsOf(side));
    this.state.found = found;
    this.drawChips();
    this.present(found, path);
  }

  /**
   * Show the places of values. A chosen row stays chosen; for a new pair, choose the row that the conclusion names.
   * Nothing scrolls while a visitor types.
   */
  present(/** @type {Server.PairAnswer} */ found, /** @type {string | undefined} */ path = undefined) {
    const hasPlaces = found.places.some(
      ({ levels, cited, found: [, spots] }) => levels || cited.length || spots?.length,
    );
    // add the column before its signs, so that nothing moves later
    if (!this.document) findElement(this.tree, ".anls-tree").classList.toggle("with-places", hasPlaces);
    this.document?.show(found);
    const before = path === undefined ? null : findElements(this.tree, ROW).find((row) => row.dataset.path === path);
    this.state.row = before ?? null;
    this.treePane.look(this.state.row);
    this.document?.look(this.state.row);
    const isOpen = findElement(this.screen, ".pair").classList.contains("doc-open");
    const row = this.state.isNew && isOpen ? this.lead() : null;
    if (row) this.reveal(row);
  }

  /** Return the row with the largest loss of the cause that the conclusion names. */
  lead() {
    const link = this.tree.querySelector(".anls-conclusion a")?.getAttribute("href");
    return link ? document.getElementById(link.slice(1)) : null;
  }

  sayFault(/** @type {Side} */ side, /** @type {Server.Fault} */ fault) {
    const { label, act: mend } = this.placed(side, fault);
    const { title, detail, button, does } = noticeOf(
      side,
      this.editors[side].text,
      fault,
      label,
      this.options.read().reading,
    );
    const read = () => this.take({ reading: { parse: does } });
    this.notice(title, detail + this.before(), button, does ? (does === "mend" ? mend : read) : null);
  }

  /** Return the glyphs of inexact values with their positions in the text of a side. */
  signsOf(/** @type {Side} */ side) {
    return this.rowsOf(side)
      .filter(({ tagName, dataset: { status = "" } }) =>
        tagName === "DIV" ? status !== "exact" : /missing|extra/.test(status),
      )
      .map((row) => ({
        position: row.dataset[side] ?? "",
        glyph: findElement(row, ".anls-glyph").textContent,
        lost: row.dataset.status !== "partial",
      }));
  }

  rowsOf(/** @type {Side} */ side) {
    return findElements(this.tree, `.anls-row[data-${side}]`);
  }

  /** Mark the lines of a chosen row in both editors, and the lines that have its value at another place. */
  chosen(/** @type {HTMLElement} */ row) {
    this.state.row = row;
    this.document?.look(row);
    const others = this.treePane.look(row);
    this.editors.truth.show(row.dataset.truth);
    this.editors.prediction.show(row.dataset.prediction, ...others.map(({ dataset }) => dataset.prediction));
  }

  /** Choose the innermost row around the caret, and mark its lines in the other editor. */
  pointed(/** @type {Editor} */ editor) {
    const side = editor === this.editors.truth ? "truth" : "prediction";
    const rows = new Map(this.rowsOf(side).map((row) => [row.dataset[side], row]));
    const row = editor
      .positions()
      .map((position) => rows.get(position))
      .find(Boolean);
    if (row && !("stale" in this.result.dataset)) this.reveal(row);
  }

  /** Choose a row and bring it into view; the focus stays where it is. */
  reveal(/** @type {HTMLElement} */ row) {
    this.treePane.unfold(row);
    this.chosen(row);
    row.scrollIntoView({ block: "nearest" });
  }

  drawChips() {
    this.options.show(this.options.read().metric);
    const changed = [
      ...this.options.changed().map((option) => ({ ...option, takeBack: () => this.options.reset(option.name) })),
      ...(this.state.found?.taken ?? [])
        .filter(({ name }) => this.state.content[name])
        .map(({ name, words }) => ({ words, show: () => {}, takeBack: () => delete this.state.content[name] })),
    ];
    this.options.chips(
      this.part("chips"),
      changed.map((option) => ({
        ...option,
        takeBack: () => {
          option.takeBack();
          this.drawChips();
          this.changed();
        },
      })),
    );
  }

  /** Save the pair in this tab's storage, and in the address while the tab is shown. */
  async keep(/** @type {Server.PairRequest} */ asked) {
    const mine = ++this.state.saved;
    const pair = kept(asked);
    const text = JSON.stringify(pair);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ pair, isSuggested: !this.options.chosenSchema }));
    } catch {
      /* storage is full, or not allowed in a frame */
    }
    const hash = text === this.first ? "" : await hashOfPair(pair);
    if (mine !== this.state.saved || !isShown("pair")) return;
    const address = hash.length > LONGEST_ADDRESS ? "#one-pair" : hash;
    history.replaceState(null, "", address || location.pathname + location.search);
  }

  /** Open another pair with its options; the schema that the visitor chose stays, unless the pair has its own. */
  open(/** @type {Server.PairRequest} */ values, { schema = this.options.chosenSchema, isSuggested = false } = {}) {
    const { metric, reading, options, content } = values;
    this.state.content = { ...content };
    this.options.take({ ...this.plain.options, ...options, schema, metric, reading });
    this.options.suggested = isSuggested ? schema : "";
    for (const side of SIDES) this.editors[side].replace(values[side]);
    this.begin(values.is_example ?? false);
    this.part("hello").hidden = true;
    this.drawChips();
    this.result.dataset.stale = "";
    return this.score();
  }

  /** Return the pair that this browser tab had. @returns {{pair?: unknown, isSuggested?: boolean}} */
  kept() {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
    } catch {
      return {};
    }
  }

  /** Open the pair of the address, else the pair that this browser tab had. */
  async follow(/** @type {Event | null} */ event) {
    let link;
    try {
      link = await pairOfHash(location.hash, this.settings.longest);
    } catch (error) {
      this.setStatus(`This link could not be opened: ${error instanceof Error ? error.message : error}.`);
      return;
    }
    if (event && !location.hash) {
      this.part("example").textContent = this.settings.examples[0].title;
      await this.open(this.plain);
      return;
    }
    const before = event ? {} : this.kept();
    const own = link === undefined ? before.pair : undefined;
    if (link === undefined && own === undefined) return;
    const found = await busy(this.result, answerTo(this.server.open_link, { link: link ?? own }));
    if ("refused" in found) {
      if (!own) this.setStatus(`This link could not be opened: ${found.refused}.`);
      return;
    }
    this.part("example").textContent = "";
    // a reload restores the pair of this tab, even if the address has it too
    const isOwn = JSON.stringify(link ?? own) === JSON.stringify(before.pair);
    const { schema } = found.options;
    if (schema) await this.open(found, { schema, isSuggested: !isOwn || before.isSuggested });
    else await this.open(found);
  }
}

/** @type {{tab: PairTab | null}} */
export const current = { tab: null };

/** @type {(root: HTMLElement, server: Server.Functions) => void} */
export const startPair = (root, server) => {
  current.tab = new PairTab(root, server);
  document.dispatchEvent(new Event(STARTED));
};
