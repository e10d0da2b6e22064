// The screen for one pair. It scores what is typed, marks rows of the tree in the editors, and keeps and shares the
// pair.

import { Asker, answerTo, busy } from "../parts/asking.js";
import { around, findElement, findElements, partsOf, press } from "../parts/elements.js";
import { listKeys } from "../parts/keys.js";
import { copyLink, hashOfPair, pairOfHash } from "../parts/links.js";
import { Options } from "../parts/options.js";
import { store, stored } from "../parts/stored.js";
import { isShown } from "../parts/tabs.js";
import { Editor, differenceOf } from "./editor.js";
import { noticeOf } from "./faults.js";
import { piecesOf, wordsOfMend } from "./json_text.js";
import { PairResult } from "./result.js";
import { PairState } from "./state.js";
import { counted, sentenceOf } from "../parts/words.js";

/** @import { PairDocument } from "./document.js" */
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
const WIDE = "(min-width: 1200px)"; // the document of the example is open from this width
const HIDDEN = "docscore-hello"; // the storage key for a closed line of welcome
/** @type {Side[]} */
const SIDES = ["truth", "prediction"];

/** Return the part of a request for the browser's storage and links: all but the text of the document. */
const kept = (/** @type {Server.PairRequest} */ { text: _, ...rest }) => rest;

export class PairTab {
  constructor(/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) {
    this.server = server;
    this.screen = findElement(root, ".screen");
    this.part = partsOf(this.screen, "#pair-");
    /** @type {PairSettings} */
    this.settings = JSON.parse(this.screen.dataset.settings ?? "");
    this.state = new PairState(this.settings.examples[0].document);
    this.timer = 0; // fires when typed text is scored
    this.patience = 0; // fires when Cancel is offered
    this.isReady = false; // the pair of the address is open
    this.saves = 0; // how often the pair was saved
    this.stop = () => answerTo(server.stop_workspace, { window: this.scores.window() });
    this.scores = new Asker(server.score_workspace, this.part("result"));
    this.tries = new Asker(server.try_options);
    /** @type {Options<Server.SchemaOptions & {metric: string, reading: string}>} */
    this.options = new Options(this.part("options"));
    this.editors = {
      truth: new Editor(this.part("truth"), this),
      prediction: new Editor(this.part("prediction"), this),
    };
    /** @type {PairDocument | null} null until its script is loaded */
    this.document = null;
    this.result = new PairResult(this);
    this.drawChips();
    this.plain = this.request(); // the request of the page as it was loaded
    this.first = JSON.stringify(kept(this.plain));
    this.listen();
    this.part("hello").hidden = stored("localStorage", HIDDEN) !== null;
    this.begin(true);
    this.show(this.settings.first);
    this.result.offer(this.plain, this.settings.first);
    window.addEventListener("hashchange", (event) => this.follow(event));
    this.follow(null).finally(() => {
      this.isReady = true;
      this.screen.dataset.ready = "";
    });
  }

  /** Add the document next to the pair once its script is loaded. */
  join(/** @type {(tab: PairTab) => PairDocument} */ newDocument) {
    this.document = newDocument(this);
    if (this.state.found) this.result.present();
  }

  /** Open the example with its document, or another pair without one. */
  begin(/** @type {boolean} */ isExample) {
    this.state.begin(isExample, matchMedia(WIDE).matches);
    findElement(this.screen, ".pair").classList.toggle("doc-open", this.state.isOpen);
    this.document?.begin();
  }

  listen() {
    this.screen.addEventListener("click", (event) => this.press(event));
    this.screen.addEventListener("input", (event) => {
      if (around(event, "textarea")) this.entitle("");
    });
    this.part("own").addEventListener("click", () => this.openOwn());
    this.part("hide").addEventListener("click", () => {
      this.part("hello").hidden = true;
      store("localStorage", HIDDEN, 1);
    });
    this.part("options").addEventListener("input", () => this.optionsChanged());
    this.part("more").addEventListener("click", () => {
      this.part("more").setAttribute("aria-expanded", String(this.screen.classList.toggle("with-setup")));
    });
    this.part("link").addEventListener("click", () => this.share());
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
    document.addEventListener("docscore-tab", (event) => {
      if (event.detail === "pair" && this.isReady && !location.hash.startsWith("#pair=")) this.keep(this.request());
    });
  }

  /** Show the title of the example, "" for another pair. */
  entitle(/** @type {string} */ title) {
    this.part("example").textContent = title;
  }

  /** Open an example of the menu, or choose the pane that a phone shows. */
  press(/** @type {Event} */ event) {
    const { example, toSeg } = around(event, "[data-example], [data-to-seg]")?.dataset ?? {};
    if (example) {
      const { title, truth, prediction, document: lines } = this.settings.examples[Number(example)];
      history.pushState(null, "", location.href); // Back returns to the previous pair
      this.entitle(title);
      this.open({ ...this.plain, truth, prediction, is_example: lines.length > 0 });
    }
    if (toSeg) this.seg(toSeg);
  }

  /** Open an empty pair. */
  openOwn() {
    history.pushState(null, "", location.href); // Back returns to the example
    this.entitle("");
    this.open({ ...this.plain, truth: "", prediction: "", is_example: false });
    if (this.state.seg !== "1") this.seg("1");
    this.editors.truth.area.focus();
  }

  /** Choose the pane that a phone shows. */
  seg(/** @type {string} */ number) {
    this.state.seg = number;
    this.screen.dataset.seg = number;
    press(this.screen, "to-seg", number);
    for (const side of SIDES) this.editors[side].draw();
    findElements(this.screen, ".ln:is(.bad, .on)")
      .find((line) => line.checkVisibility())
      ?.scrollIntoView({ block: "center" });
  }

  /** Copy a link to the pair, and take it as the address. */
  async share() {
    const link = new URL(await hashOfPair(kept(this.request())), location.href).href;
    history.replaceState(null, "", link);
    this.say(await copyLink(this.part("link"), link));
  }

  /** Unmark all lines, and stop a run that takes long. */
  unmark() {
    for (const side of SIDES) this.editors[side].show(undefined);
    this.result.pane.look(null);
    if (this.state.act === this.stop) this.stop();
  }

  say(/** @type {string} */ text) {
    this.part("status").textContent = text;
  }

  /** Score typed text after a pause, and ignore answers to earlier requests. */
  typed() {
    this.scores.forget();
    this.tries.forget();
    clearTimeout(this.timer);
    clearTimeout(this.patience);
    this.part("hello").hidden = true;
    this.state.isNew = false;
    this.timer = window.setTimeout(() => this.score(), PAUSE);
    this.result.age(true);
  }

  /** Prepare for another text in an editor. */
  replaced() {
    this.entitle("");
    this.options.leave();
    this.drawChips();
  }

  changed() {
    this.typed();
    this.forgetResult();
  }

  optionsChanged() {
    this.drawChips();
    this.changed();
  }

  /** Remove everything that was shown about the previous text. */
  forgetResult() {
    this.say("");
    this.showChange([]);
    this.result.setCode("Scoring …");
  }

  /** Show the changes that made a text valid JSON. */
  showChange(/** @type {Piece[]} */ pieces) {
    const { count, rows } = differenceOf(pieces);
    const change = this.part("change");
    change.hidden = !count;
    findElement(change, "summary").textContent = `Changed: ${counted(count, "line")}, before and after`;
    findElement(change, "div").replaceChildren(...rows);
  }

  request() {
    const { metric, reading, ...rest } = this.options.read();
    const { text, content, isExample } = this.state;
    const sides = { truth: this.editors.truth.text, prediction: this.editors.prediction.text };
    return { ...sides, metric, reading, options: rest, text, is_example: isExample, content };
  }

  async score() {
    for (const side of SIDES) this.editors[side].flush();
    clearTimeout(this.timer);
    clearTimeout(this.patience);
    this.patience = window.setTimeout(() => {
      this.result.notice("Scoring …", "This is taking longer than usual.", "Cancel", this.stop);
    }, STOPPABLE);
    const asked = this.request();
    if (!asked.truth.trim() && !asked.prediction.trim()) {
      this.empty(asked);
      return;
    }
    const found = this.tooLong(asked) ?? (await this.scores.ask(asked));
    if (!found) return;
    clearTimeout(this.patience);
    this.show(found);
    this.keep(asked);
    if (!("refused" in found) && found.result) this.result.offer(asked, await this.tries.ask(asked));
  }

  /** Show neither a score nor an error while both texts are empty. */
  empty(/** @type {Server.PairRequest} */ asked) {
    clearTimeout(this.patience);
    this.scores.forget();
    this.tries.forget();
    this.state.found = null;
    this.state.choose();
    for (const side of SIDES) this.editors[side].setFault(this.placed(side, null));
    this.result.empty();
    this.say("Paste a ground truth and a prediction, or open files.");
    this.keep(asked);
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
    return this.result.tree.childElementCount ? " The score below is from before the edit." : "";
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
    return faults.some(Boolean) ? { faults, ...nothing, is_example: this.state.isExample } : null;
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
        this.result.notice("Not scored.", sentence, "Leave the schema out", () =>
          this.take({ what_if: { schema: "" } }),
        );
      } else this.result.notice("Not scored.", sentence, "Try again", () => this.score());
      return;
    }
    const wrong = faults.findIndex(Boolean);
    const fault = faults[wrong];
    if (fault) {
      this.sayFault(SIDES[wrong], fault);
      return;
    }
    this.result.draw(found);
    this.say([this.part("status").textContent, found.note].filter(Boolean).join(" "));
    if (found.edits.length) this.showChange(piecesOf(this.editors.prediction.text, found.edits));
    for (const side of SIDES) this.editors[side].setSigns(this.result.signsOf(side));
    this.state.found = found;
    this.drawChips();
    this.result.present();
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
    this.result.notice(title, detail + this.before(), button, does ? (does === "mend" ? mend : read) : null);
  }

  /** Choose the innermost row around the caret, and mark its lines in the other editor. */
  pointed(/** @type {Editor} */ editor) {
    const side = editor === this.editors.truth ? "truth" : "prediction";
    const rows = new Map(this.result.rowsOf(side).map((row) => [row.dataset[side], row]));
    const row = editor
      .positions()
      .map((position) => rows.get(position))
      .find(Boolean);
    if (row && !this.state.isOld) this.result.reveal(row);
  }

  drawChips() {
    this.options.show(this.options.read().metric);
    const ofContent = this.state.taken.map(({ name, words }) => ({
      words,
      show: () => {},
      takeBack: () => delete this.state.content[name],
    }));
    this.options.chips(this.part("chips"), [...this.options.changed(), ...ofContent], () => this.optionsChanged());
  }

  /** Save the pair in this tab's storage, and in the address while the tab is shown. */
  async keep(/** @type {Server.PairRequest} */ asked) {
    const mine = ++this.saves;
    const pair = kept(asked);
    store("sessionStorage", KEPT, { pair, isSuggested: !this.options.chosenSchema });
    const hash = JSON.stringify(pair) === this.first ? "" : await hashOfPair(pair);
    if (mine !== this.saves || !isShown("pair")) return;
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
    this.result.age(true);
    return this.score();
  }

  /** Open the pair of the address, else the pair that this browser tab had. */
  async follow(/** @type {Event | null} */ event) {
    let link;
    try {
      link = await pairOfHash(location.hash, this.settings.longest);
    } catch (error) {
      this.say(`This link could not be opened: ${error instanceof Error ? error.message : error}.`);
      return;
    }
    if (event && !location.hash) {
      this.entitle(this.settings.examples[0].title);
      await this.open(this.plain);
      return;
    }
    /** @type {{pair?: unknown, isSuggested?: boolean}} the pair that this browser tab had */
    const before = (event ? null : stored("sessionStorage", KEPT)) ?? {};
    const own = link === undefined ? before.pair : undefined;
    if (link === undefined && own === undefined) return;
    const found = await busy(this.result.element, answerTo(this.server.open_link, { link: link ?? own }));
    if ("refused" in found) {
      if (!own) this.say(`This link could not be opened: ${found.refused}.`);
      return;
    }
    this.entitle("");
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
