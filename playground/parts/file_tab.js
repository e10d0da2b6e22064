// What the tabs for several systems share: files and options are given in a drop box, and a run makes a result of them.
// The previous result stays until there is another.

import { PATIENCE, Runner } from "./asking.js";
import { around, findElement, newButton, partsOf } from "./elements.js";
import { DropBox } from "./files.js";
import { Options } from "./options.js";
import { askAgain } from "./uploads.js";

/** @import { BoxPage, Chosen } from "./files.js" */
/** @typedef {[label: string, act: () => void]} Act  a button of a notice */
/** @typedef {[title: string, detail?: string, acts?: Act[], share?: number | null]} Notice */
/** @typedef {Pick<Server.CompareRequest, "references" | "predictions" | "names" | "reading">} ComparedFiles */
/** @typedef {{metric: string, parse: string, missing: string, skip: boolean}} OwnOptions */
/** @typedef {Server.SchemaOptions & OwnOptions & {blind?: boolean}} FileOptions */
/**
 * @typedef {object} FileState  the state of such a tab
 * @property {boolean} isShown  whether the result is shown, not the drop box
 * @property {string} noticed  the title of the notice
 * @property {ComparedFiles | null} files
 * @property {object} extra  further parts of a request
 * @property {{asked: Server.CompareRequest, taken?: Server.Taken[]} | null} result
 * @property {() => void} restore  goes back to the files of the result
 */

const PAUSE = 300; // milliseconds until changed options are applied

/**
 * @template {FileState} S
 * @template {Server.CompareRequest} Q
 * @template {object} R  the result
 */
export class FileTab {
  /**
   * @param {HTMLElement} screen
   * @param {string} prefix  of the classes of its parts
   * @param {Server.Functions} server
   * @param {S} state
   * @param {Server.Ask<Q, R | Server.Running>} begin
   * @param {Pick<BoxPage, "verb" | "truth"> & {next: string}} look  `next`: the selector of what follows the options
   */
  constructor(screen, prefix, server, state, begin, { next, ...look }) {
    this.screen = screen;
    this.part = partsOf(screen, prefix);
    this.server = server;
    this.state = state;
    this.next = findElement(screen, next);
    this.timer = 0; // fires when changed options are applied
    this.patience = 0; // fires when the page reports that a run is still going on
    /** @type {Server.Upload[]} */
    this.examples = JSON.parse(screen.dataset.examples ?? "[]");
    /** @type {Options<FileOptions>} */
    this.options = new Options(this.part("options"));
    this.runner = new Runner(look.verb, askAgain(begin), server);
    this.box = new DropBox(findElement(screen, ".drop"), server, {
      ...look,
      isPair: false,
      examples: this.examples,
      run: (chosen) => this.begin(chosen),
      sift: (files) => this.sift(files),
      allowed: () => {
        const { missing, skip } = this.options.read();
        return { missing, skip };
      },
      allow: (option) => this.takeOptions(option),
    });
    this.part("options").addEventListener("input", (event) => this.changeOptions(event));
  }

  /** Begin with the drop box, and open the result of the address. A tab calls it at the end of its constructor. */
  start() {
    this.listen();
    this.bind();
    this.drawChips();
    this.setShown(false);
    this.follow().finally(() => {
      this.screen.dataset.ready = "";
    });
  }

  // How a tab listens, binds its keys, and opens the result of the address

  listen() {}

  bind() {}

  async follow() {}

  // What a tab does with chosen files, further files, an option of the page only, a result, and a failure

  begin(/** @type {Chosen} */ _) {}

  async sift(/** @type {File[]} */ files) {
    return files;
  }

  redraw() {}

  draw(/** @type {R} */ _) {}

  refuse(/** @type {Server.Refusal} */ _, /** @type {boolean} */ _isFirst) {}

  /** Show a title, a sentence, buttons and the progress of a run above the result. Equal buttons keep their elements. */
  notice(/** @type {Notice} */ ...[title, detail = "", acts = [], share = null]) {
    const { part } = this;
    this.state.noticed = title;
    part("notice").hidden = !title;
    part("notice-title").textContent = title;
    part("detail").textContent = detail;
    const bar = findElement(part("notice"), ".bar");
    bar.hidden = share === null;
    bar.style.setProperty("--v", String(share ?? 0));
    bar.setAttribute("aria-valuenow", String(Math.round(100 * (share ?? 0))));
    const words = [...part("acts").children].map((button) => button.textContent).join();
    if (words === acts.map(([label]) => label).join()) return;
    part("acts").replaceChildren(...acts.map(([label, act]) => newButton("btn tint", label, act)));
  }

  toggleSetup(/** @type {HTMLElement} */ button) {
    button.setAttribute("aria-expanded", String(this.screen.classList.toggle("with-setup")));
  }

  takeOptions(/** @type {Partial<FileOptions>} */ options) {
    this.options.take(options);
    this.drawChips();
  }

  changeOptions(/** @type {Event} */ event) {
    this.drawChips();
    if (!this.state.isShown) this.box.check();
    else if (around(event, "[data-option=blind]")) this.redraw();
    else {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.run(), PAUSE);
    }
  }

  /** Score with other options. Reading options that have no control here are kept with the files. */
  change(/** @type {Server.Changes & {own?: Partial<OwnOptions>}} */ { what_if: whatIf, reading, own }) {
    const { parse, ...others } = reading ?? {};
    this.options.accept({ ...whatIf, ...own, ...(parse ? { parse } : {}) });
    Object.assign(this.state.files?.reading ?? {}, others);
    this.drawChips();
    this.run();
  }

  /** Draw the changed options, and how the files are read, as chips that reset them. */
  drawChips() {
    const { files, result } = this.state;
    this.options.show(findElement(this.part("options"), "select", HTMLSelectElement).value);
    const taken = files && files.references === result?.asked.references ? (result.taken ?? []) : [];
    const show = () => this.changeFiles();
    const chips = [
      ...this.options.changed().map((each) => ({ ...each, reset: () => this.options.reset(each.name) })),
      ...taken.map((each) => ({ ...each, show, reset: () => delete this.state.files?.reading[each.name] })),
    ].map(({ name, words, show, reset }) => {
      const takeBack = () => {
        reset();
        this.drawChips();
        if (name === "blind") this.redraw();
        else this.run();
      };
      return { words, show, takeBack };
    });
    this.options.chips(this.part("chips"), chips);
  }

  async run() {
    clearTimeout(this.timer);
    const { files, extra, result } = this.state;
    if (!files) return;
    const stop = () => this.runner.stop();
    const show = (/** @type {number} */ share, /** @type {string} */ text) => {
      clearTimeout(this.patience);
      if (result) this.notice("Comparing …", text, [["Cancel", stop]], share);
      else this.box.busy(text || "Comparing …", share, stop);
    };
    const { metric, parse, missing, skip, blind: _, ...whatIf } = this.options.read();
    const asked = { ...files, ...extra, metric, parse: parse || null, missing, skip, what_if: whatIf };
    clearTimeout(this.patience);
    this.patience = window.setTimeout(() => show(0, ""), result ? PATIENCE : 0);
    const found = await this.runner.run(/** @type {Q} */ (asked), show);
    if (!found) return;
    clearTimeout(this.patience);
    this.box.idle();
    if ("refused" in found) this.refuse(found, !result);
    else this.draw(found);
  }

  /** Show the files and options of the result again, so that it is no longer old. */
  restore() {
    if (!this.state.result) return;
    this.state.restore();
    const { metric, parse, missing, skip, what_if: whatIf } = this.state.result.asked;
    this.takeOptions({ metric, parse: parse ?? "", missing, skip, ...whatIf });
    this.setShown(true);
    this.notice("");
  }

  /** Show the result or the drop box; the options move along. */
  setShown(/** @type {boolean} */ isShown) {
    const options = this.part("options");
    this.state.isShown = isShown;
    this.screen.dataset.state = isShown ? "shown" : "empty";
    if (options.closest(isShown ? ".setup" : ".drop")) return; // moving them would lose the focus
    if (isShown) this.next.before(options);
    else findElement(this.screen, ".drop-options").append(options);
  }

  changeFiles() {
    const { files, result } = this.state;
    this.runner.leave();
    clearTimeout(this.patience);
    this.notice("");
    this.setShown(false);
    if (files) this.box.takeAgain(files, result ? () => this.restore() : null);
  }
}
