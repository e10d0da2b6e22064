// The tab for a test set: from the drop box to a result, with options, downloads and messages about failures.

import { PATIENCE, Runner, answerTo, busy } from "../parts/asking.js";
import { findElement, findElements, listenToDrops, newButton, newElement, partsOf } from "../parts/elements.js";
import { filesInWords } from "../parts/document_files.js";
import { DropBox } from "../parts/files.js";
import { copyLink, hashOfDocument } from "../parts/links.js";
import { Options } from "../parts/options.js";
import { Remedies } from "../parts/remedies.js";
import { saveFile, schemaButtons } from "../parts/saving.js";
import { stepToResult, tabOf } from "../parts/tabs.js";
import { askAgain } from "../parts/uploads.js";
import { viewOf } from "../parts/views.js";
import { Documents } from "./documents.js";
import { TestsetState } from "./state.js";
import { counted, sentenceOf } from "../parts/words.js";

/** @import { View } from "../parts/views.js" */
/** @import { Files } from "./state.js" */

const PAUSE = 300; // milliseconds until changed options are scored

export class TestsetTab {
  constructor(/** @type {HTMLElement} */ element, /** @type {Server.Functions} */ server) {
    this.server = server;
    this.state = new TestsetState();
    /** @type {(() => void) | null} what the button of the conclusion does */
    this.act = null;
    this.timer = 0; // fires when changed options are scored
    this.patience = 0; // fires when the page reports that they are being scored
    this.root = findElement(element, ".testset");
    this.part = partsOf(this.root, "#testset-");
    /** @type {Server.Upload[]} */
    this.examples = JSON.parse(this.root.dataset.examples ?? "[]");
    /** @type {Server.Upload[]} with the images of pages behind the two files */
    this.invoices = JSON.parse(this.root.dataset.invoices ?? "[]");
    this.runs = new Runner("testset", askAgain(server.score_files), server);
    /** @type {Options<Server.SchemaOptions & {metric: string, by: string}>} */
    this.options = new Options(this.part("options"));
    this.metric = this.part("metric", HTMLSelectElement);
    this.skip = this.part("skip", HTMLInputElement);
    this.beside = [...this.root.querySelectorAll("input[name=testset-beside]")].filter(
      (input) => input instanceof HTMLInputElement,
    );
    this.remedies = new Remedies(this.part("remedies"), (options) => this.take(options), server.try_remedy);
    this.figures = this.part("figures-shown", HTMLDialogElement);
    this.slices = this.part("slices-shown", HTMLDialogElement);
    this.box = new DropBox(findElement(this.root, ".drop"), server, {
      isPair: true,
      examples: this.examples,
      others: [["Try 12 invoices with their pages", () => this.tryInvoices()]],
      verb: "Score",
      sift: async (files) => this.siftDocuments(files),
      run: ({ truth, predictions, reading }) =>
        this.score({ references: truth?.path ?? null, predictions: predictions[0].path, reading }),
      allowed: () => ({ skip: this.skip.checked }),
      allow: () => {
        this.skip.checked = true;
      },
    });
    this.defaults = this.settings();
    this.panes = new Documents(this);
    this.listen();
    this.forgetOptions();
    this.view("files");
    this.follow(null).finally(() => {
      this.root.dataset.loaded = "";
    });
  }

  listen() {
    this.part("options").addEventListener("input", () => {
      this.drawChips();
      this.later();
    });
    for (const [name, act] of Object.entries({
      act: () => this.act?.(),
      change: () => this.changeFiles(),
      review: () => this.review(),
      link: () => this.share(),
      pair: () => this.openPair(),
      more: () => this.part("more").setAttribute("aria-expanded", String(this.root.classList.toggle("with-setup"))),
      figures: () => this.figures.showModal(),
      slices: () => {
        this.panes.filters.drawSlices(this.slices);
        this.slices.showModal();
      },
    })) {
      this.part(name).addEventListener("click", act);
    }
    for (const dialog of [this.figures, this.slices]) {
      findElement(dialog, ".btn").addEventListener("click", () => dialog.close());
    }
    listenToDrops(this.root, (files) => this.drop(files));
    window.addEventListener("popstate", (event) => this.follow(event));
    document.addEventListener("docscore-tab", (event) => {
      if (event.detail === "testset" && this.state.screen === "result") this.panes.write();
    });
  }

  /** Open the files of the result on the tab for reviews. */
  review() {
    if (!this.state.result) return;
    const { references, predictions, reading, skip, what_if } = this.state.result.asked;
    const detail = { references, predictions: [predictions], reading, skip, what_if };
    document.dispatchEvent(new CustomEvent("docscore-review", { detail }));
  }

  /** Copy a link to the view of the result. */
  async share() {
    this.panes.write();
    const isExample = this.state.result?.example;
    const kept = isExample ? "" : " Anyone who has it can see these documents for an hour after they were scored.";
    this.say(await copyLink(this.part("link"), location.href, kept));
  }

  /** Take files that were dropped next to the box, or on a result. */
  drop(/** @type {File[]} */ files) {
    const others = this.siftDocuments(files);
    if (!others.length) return;
    this.view("files");
    this.box.take(null, this.state.result && (() => this.restore()));
    this.box.add(others);
  }

  /** Score the example that has documents, whose pages this server has. */
  tryInvoices() {
    const [references, predictions, ...pages] = this.invoices;
    this.panes.beside.files.offer(pages);
    this.forgetOptions();
    this.score({ references: references.path, predictions: predictions.path, reading: {} });
  }

  /** Keep images and texts of documents, and return the other files. */
  siftDocuments(/** @type {File[]} */ files) {
    const others = this.panes.beside.take(files);
    const { images, pdfs, texts } = this.panes.beside.files;
    const added = filesInWords(images.size, pdfs.size, texts.size);
    if (others.length < files.length) this.part("also").textContent = `Added: ${added}.`;
    return others;
  }

  say(/** @type {string} */ text) {
    this.part("status").textContent = text;
  }

  /** Show the drop box or the result; the options move along. */
  view(/** @type {"files" | "result"} */ name) {
    this.state.screen = name;
    this.root.dataset.view = name;
    if (this.part("options").closest(name === "files" ? ".drop" : ".setup")) return; // moving them would lose the focus
    if (name === "files") findElement(this.root, ".drop-options").append(this.part("options"));
    else this.part("review").before(this.part("options"));
  }

  /**
   * Report that a request about the result, or about a document of this name, failed.
   * @type {(found: Server.Refusal, again: (() => unknown) | null, document?: string) => void}
   */
  fault(found, again, document = "") {
    const isGone = found.kind === "gone";
    const notLoaded = document ? `${document} could not be loaded.` : "Not shown.";
    const retry = () => {
      this.conclude();
      again?.();
    };
    this.old();
    this.notice(
      isGone ? "This result is no longer available." : notLoaded,
      sentenceOf(found.refused),
      isGone ? "Score again" : "Try again",
      isGone ? () => this.rescore() : retry,
    );
  }

  /**
   * Show a title, a sentence, a button and the progress of a run instead of the conclusion.
   * @type {(title: string, detail: string, label?: string, act?: (() => void) | null, share?: number | null) => void}
   */
  notice(title, detail, label = "", act = null, share = null) {
    this.part("title").textContent = title;
    this.part("detail").textContent = detail;
    this.part("act").hidden = !act;
    this.part("act").textContent = label;
    this.part("progress").hidden = share === null;
    this.part("progress").style.setProperty("--v", String(share ?? 0));
    this.part("progress").setAttribute("aria-valuenow", String(Math.round(100 * (share ?? 0))));
    this.act = act;
  }

  conclude() {
    delete this.root.dataset.stale;
    if (!this.state.result) return;
    const { title, text, remedy, lead } = this.state.result.headline;
    this.part("heard").textContent = `${this.state.result.label} ${this.state.result.text}.`;
    this.notice(title, text, remedy?.label, remedy && (() => this.take(remedy.options)));
    if (!lead) return;
    const button = newButton("lead", lead.words, () => this.panes.leadTo(lead.cause));
    this.part("title").replaceChildren(button, title.slice(lead.words.length));
  }

  old() {
    this.root.dataset.stale = "";
  }

  /** Return the options of a request, in the form of the server. */
  settings() {
    const { metric: first, by, ...what_if } = this.options.read();
    const others = this.beside.filter(({ checked, value }) => checked && value !== first).map(({ value }) => value);
    return {
      what_if,
      metrics: [first, ...others],
      by: by.trim(),
      skip: this.skip.checked,
    };
  }

  showOptions(/** @type {Omit<Server.FileRequest, keyof Files>} */ from) {
    this.options.take({ ...from.what_if, metric: from.metrics[0], by: from.by });
    for (const input of this.beside) input.checked = from.metrics.slice(1).includes(input.value);
    this.skip.checked = from.skip;
    this.drawChips();
  }

  forgetOptions() {
    return this.showOptions(this.defaults);
  }

  /** Draw the options that differ from the defaults as chips that reset them. */
  drawChips() {
    const { asked, taken = [] } = this.state.result ?? {};
    this.options.show(this.metric.value);
    const skipped = {
      words: "invalid rows left out",
      show: this.options.opener(this.skip),
      takeBack: () => {
        this.skip.checked = false;
      },
    };
    const ofFiles = taken.map(({ name, words }) => ({
      words,
      show: () => this.changeFiles(),
      takeBack: () => delete asked?.reading[name],
    }));
    const chips = [...this.options.changed(), ...(this.skip.checked ? [skipped] : []), ...ofFiles];
    this.options.chips(this.part("chips"), chips, () => {
      this.drawChips();
      this.rescore();
    });
  }

  /** Take options in the groups of a request, such as the options of a remedy. */
  take(/** @type {Server.Changes} */ changes) {
    this.options.accept(changes.what_if ?? {});
    Object.assign(this.state.result?.asked.reading ?? {}, changes.reading);
    this.drawChips();
    this.rescore(true);
  }

  /** Score the files of the result with the current options. */
  rescore(isRemedy = false) {
    if (!this.state.result) return;
    const { references, predictions, reading } = this.state.result.asked;
    this.score({ references, predictions, reading }, null, isRemedy);
  }

  stop() {
    clearTimeout(this.patience);
    if (this.state.result) {
      this.showOptions(this.state.result.asked);
    }
    this.runs.stop();
  }

  /** @type {(files: Files, link?: View | null, isRemedy?: boolean) => Promise<void>} */
  async score(files, link = null, isRemedy = false) {
    clearTimeout(this.timer);
    clearTimeout(this.patience);
    const before = this.state.result?.asked;
    const truthOf = (/** @type {Files} */ { references, predictions }) => references ?? predictions;
    if (before && truthOf(before) !== truthOf(files)) this.options.leave();
    const isFirst = this.state.screen === "files";
    const show = (/** @type {number} */ share, /** @type {string} */ text) => {
      if (isFirst) this.box.busy(text || "Scoring …", share, () => this.stop());
      else this.notice("Scoring …", text, "Cancel", () => this.stop(), share);
    };
    if (!isFirst) this.old();
    this.patience = window.setTimeout(() => show(0, ""), isFirst ? 0 : PATIENCE);
    const asked = { ...files, ...this.settings(), before: this.state.result?.run ?? "" };
    const found = await this.runs.run(asked, (share, text) => {
      if (share > 0) show(share, text);
    });
    if (!found) return;
    clearTimeout(this.patience);
    this.box.idle();
    if ("refused" in found) this.refuse(found, isFirst, files);
    else await this.open(found, link, isRemedy);
  }

  /** Show the result with its own options again, so that it is no longer old. */
  restore() {
    if (this.state.result) this.showOptions(this.state.result.asked);
    this.conclude();
    this.view("result");
  }

  /**
   * Report that a request failed. The previous result stays, marked as old.
   * @type {(found: Server.Refusal, isFirst: boolean, files: Files) => void}
   */
  refuse(found, isFirst, files) {
    if (found.kind === "stopped" && this.state.result && !isFirst) {
      this.conclude();
      return;
    }
    if (isFirst) {
      if (found.kind !== "stopped") this.box.say(`Not scored: ${sentenceOf(found.refused)}`);
      return;
    }
    /** @type {[label: string, action: () => void]} */
    let act = ["Try again", () => this.score(files)];
    if (found.kind === "gone") act = ["Choose files", () => this.view("files")];
    if (found.kind === "input") act = ["Undo", () => this.restore()];
    this.notice("Not scored.", `${sentenceOf(found.refused)} The previous result is shown below.`, ...act);
  }

  async open(/** @type {Server.TestSet} */ found, /** @type {View | null} */ link, isRemedy = false) {
    if (this.state.screen === "files" && !link) stepToResult("testset", "#test-set");
    const areSame = this.state.open(found, link);
    this.showOptions(found.asked);
    this.drawResult(found);
    this.conclude();
    this.view("result");
    if (await this.panes.show(found, link, areSame, isRemedy)) this.root.dataset.ready = "";
  }

  drawResult(/** @type {Server.TestSet} */ found) {
    this.part("slices").hidden = found.slices.length < 2;
    this.part("slices").textContent = `${counted(found.slices.length, "slice")} by ${found.asked.by}`;
    const { references, predictions } = found.names;
    this.part("truth").textContent = references ?? predictions;
    this.part("prediction").textContent = references ? predictions : "";
    this.part("times").hidden = !references;
    this.part("paired").textContent = found.paired;
    this.part("score").textContent = found.text;
    this.part("label").textContent = found.label === "ANLS*" ? "" : found.label;
    this.part("python").textContent = found.python;
    const plot = this.part("plot");
    const ends = { v: found.score, a: found.low ?? found.score, b: found.high ?? found.score };
    for (const [name, value] of Object.entries(ends)) plot.style.setProperty(`--${name}`, String(value));
    const interval = found.interval ? `, ${found.interval}` : "";
    plot.setAttribute("aria-label", `${found.label} ${found.text} on a scale from 0 to 1${interval}`);
    this.remedies.show(found.remedies, found.run);
    this.part("left-out").hidden = !found.left_out.length;
    this.part("left-out").textContent = found.left_out.join(" ");
    const links = found.downloads.map(({ label, path }) => {
      const link = newElement("a", "", label);
      link.href = `gradio_api/file=${encodeURI(path)}`;
      link.download = path.split("/").pop() ?? "";
      return newElement("li", "", link);
    });
    const schemas = schemaButtons(found.asked.what_if.schema ?? "", found.what_ifs);
    const rows = newButton("", "These documents as JSONL", () => this.downloadRows());
    findElement(this.part("export"), "ul").replaceChildren(...links, ...schemas, newElement("li", "", rows));
    const scroll = findElement(this.figures, ".scroll");
    scroll.innerHTML = found.figures; // from the server's templates, which escape every value
    for (const noted of findElements(scroll, "abbr[title]")) noted.tabIndex = 0;
    scroll.prepend(newElement("ul", "", ...found.counts.map((line) => newElement("li", "", line))));
  }

  async downloadRows() {
    if (!this.state.result) return;
    const documents = this.state.order;
    const asked = { run: this.state.result.run, documents: documents.join(" ") };
    const found = await busy(this.part("export"), answerTo(this.server.read_rows, asked));
    if ("refused" in found) {
      this.say(sentenceOf(found.refused));
      return;
    }
    saveFile("documents.jsonl", found.text);
    this.say(`${counted(documents.length, "row")} downloaded, with both sides. They can be scored as a test set.`);
  }

  /** Open the chosen document on the tab for one pair, under the same options. */
  async openPair() {
    const number = this.state.document;
    if (!this.state.result || number === null) return;
    const asked = { run: this.state.result.run, number };
    const found = await busy(this.part("pair"), answerTo(this.server.read_pair, asked));
    if ("refused" in found) {
      this.say(sentenceOf(found.refused));
      return;
    }
    const { metric: name, by, ...rest } = this.options.read();
    location.hash = await hashOfDocument(found, name, rest);
  }

  /** Open the result that the address names: a kept result, or the example. */
  async follow(/** @type {Event | null} */ event) {
    let link;
    try {
      link = viewOf(location.hash);
    } catch (error) {
      this.box.say(`This link could not be opened: ${error instanceof Error ? error.message : error}.`);
      return;
    }
    if (!link) {
      if (tabOf(location.hash) === "testset" && history.state?.files) this.changeFiles();
      return;
    }
    if (this.state.isOpen(link.documents)) {
      if (event?.type !== "popstate") return;
      this.view("result");
      this.panes.follow(link);
      return;
    }
    if (link.documents === "example") {
      this.forgetOptions();
      await this.score({ references: this.examples[0].path, predictions: this.examples[1].path, reading: {} }, link);
      return;
    }
    this.box.busy("Opening …", 0, null);
    const found = await answerTo(this.server.open_result, { run: link.documents });
    this.box.idle();
    if ("pairs" in found || "places" in found) this.box.say("This link could not be opened: it is not a test set.");
    else if (!("refused" in found)) await this.open(found, link);
    else if (found.kind === "silent") this.box.say(sentenceOf(found.refused), () => this.follow(null));
    else this.box.say(`This link could not be opened: ${sentenceOf(found.refused)}`);
  }

  later() {
    if (this.state.screen === "files") {
      this.box.check();
      return;
    }
    if (!this.state.result) return;
    this.old();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.rescore(), PAUSE);
  }

  changeFiles() {
    if (!this.state.result) return;
    const { references, predictions, reading } = this.state.result.asked;
    const { names } = this.state.result;
    this.view("files");
    this.box.take(
      {
        truth: references === null ? null : { name: names.references ?? "", path: references },
        predictions: [{ name: names.predictions, path: predictions }],
        reading,
      },
      () => this.restore(),
    );
  }
}

/** @type {(element: HTMLElement, server: Server.Functions) => void} */
export const startTestset = (element, server) => {
  new TestsetTab(element, server);
};
