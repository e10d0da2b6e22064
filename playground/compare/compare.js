// The tab for several systems. It takes files and options, requests the comparison, opens documents, follows links.

import { answerTo, busy } from "../parts/asking.js";
import { matchedInWords } from "../parts/document_files.js";
import { around, findElement, findElements, newButton, newElement } from "../parts/elements.js";
import { FileTab } from "../parts/file_tab.js";
import { bindDocumentKeys, bindKeys, listKeys } from "../parts/keys.js";
import { copyLink } from "../parts/links.js";
import { newPane } from "../parts/panes.js";
import { Remedies } from "../parts/remedies.js";
import { isShown, stepToResult, tabOf } from "../parts/tabs.js";
import { counted, fileName, sentenceOf } from "../parts/words.js";
import { drawComparison, drawDocumentList, drawSystems } from "./comparison.js";
import { OpenedDocument } from "./opened.js";
import { CompareState, PLAIN_VIEW, comparisonOf } from "./state.js";

/** @import { Act, Notice } from "../parts/file_tab.js" */
/** @import { Chosen } from "../parts/files.js" */
/** @import { ComparisonView } from "./state.js" */

const MOST_BESIDE = 3; // systems whose panes are shown side by side
const MOST_WITH_STRIPS = 6; // systems
const NAMES = ["base", "new", "text"]; // names of the systems of the example
const PART = "Compare"; // the section in the list of keys

/** @extends {FileTab<CompareState, Server.CompareRequest, Server.Comparison>} */
export class CompareTab extends FileTab {
  constructor(/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) {
    const look = { verb: "Compare", next: "[data-do=review]" };
    super(findElement(root, ".screen"), ".cmp-", server, new CompareState(), server.compare_files, look);
    this.narrow = matchMedia("(max-width: 1200px)");
    this.remedies = new Remedies(this.part("warnings"), (options) => this.change(options), server.try_remedies);
    this.panes = Object.fromEntries(["first", "fields", "documents"].map((name) => [name, newPane(this.part(name))]));
    this.opened = new OpenedDocument(this.screen, this);
    this.find = this.part("find", HTMLInputElement);
    this.worse = this.part("worse", HTMLSelectElement);
    /** @type {Record<string, (button: HTMLElement) => void>} */
    this.acts = {
      change: () => this.changeFiles(),
      share: (button) => this.share(button),
      review: () => this.review(),
      close: () => this.go({ document: "" }),
      paper: () => this.opened.toggle(),
      previous: () => this.step(-1),
      next: () => this.step(1),
      more: (button) => this.toggleSetup(button),
    };
    this.start();
  }

  listen() {
    this.screen.addEventListener("click", (event) => this.press(event));
    this.part("names").addEventListener("change", () => this.rename());
    this.part("names").addEventListener("input", (event) => event.stopPropagation()); // names are taken when complete
    this.find.addEventListener("input", () => this.search());
    this.worse.addEventListener("change", () => this.go({ worse: this.worse.value }));
    document.addEventListener("docscore-tab", ({ detail }) => {
      if (detail === "compare" && location.hash === "#compare") this.keepAddress();
    });
    window.addEventListener("hashchange", () => this.follow());
    this.narrow.addEventListener("change", () => this.fit());
  }

  bind() {
    const isActive = () => this.state.view.document !== "" && this.state.isShown;
    bindDocumentKeys("compare", this.opened.paper, () => this.opened.toggle(), isActive);
    bindKeys(
      "compare",
      PART,
      [["j k", "go to the next or previous document", () => this.step(1), () => this.step(-1)]],
      isActive,
    );
    const keys = listKeys("compare", PART, [
      ["Enter", "open a document"], // like any cell
      ["Escape", "close it", () => this.leave()],
    ]);
    this.screen.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || around(event, "input")) return;
      keys[event.key]?.();
    });
  }

  press(/** @type {MouseEvent} */ event) {
    const button = around(event, "button")?.dataset ?? {};
    const row = around(event, "[data-row]")?.dataset ?? {};
    const cell = around(event, "[data-open]")?.dataset.open;
    const pair = around(event, "[data-pair]")?.dataset.pair;
    if (around(event, "[data-document] a") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      // the link has the address of the view in which it was rendered
      event.preventDefault();
      this.go({ document: row.document });
    } else if (button.do) this.acts[button.do](/** @type {HTMLElement} */ (around(event, "button")));
    else if (button.toSeg) this.go({ seg: button.toSeg });
    else if (button.by !== undefined) this.go({ by: /** @type {ComparisonView["by"]} */ (button.by) });
    else if (cell) this.openAt(cell, row);
    else if (pair) this.go({ pair: this.state.view.pair === Number(pair) ? null : Number(pair) });
  }

  /** Open a document at the rows of a field or a cause. */
  openAt(/** @type {string} */ document, /** @type {DOMStringMap} */ { ofField = "", ofCause = "" }) {
    this.state.sought = { field: ofField, cause: ofCause };
    if (document === this.state.view.document) this.opened.seek();
    else this.go({ document });
  }

  rename() {
    if (!this.state.files) return;
    this.state.files.names = [...this.part("names").querySelectorAll("input")].map(({ value }) => value.trim());
    this.run();
  }

  search() {
    if (!this.state.view.find) history.pushState(null, "", location.href); // all typing is one step of Back
    this.state.search(this.find.value);
    this.drawDocuments();
    this.keepAddress();
  }

  review() {
    const { result } = this.state;
    if (result) document.dispatchEvent(new CustomEvent("docscore-review", { detail: result.asked }));
  }

  /** Go one step back: leave the zoom, the document next to the values, or the opened document. */
  leave() {
    const { paper } = this.opened;
    if (paper.isZoomed) paper.zoom();
    else if (paper.isSheet) this.opened.openPaper(false);
    else if (this.state.view.document && !this.screen.querySelector("details.pop[open]")) this.go({ document: "" });
  }

  setStatus(/** @type {string} */ text) {
    this.part("status").textContent = text;
  }

  async sift(/** @type {File[]} */ files) {
    return this.opened.take(files);
  }

  /** Compare the chosen files. One system of the example writes text around its JSON. */
  begin(/** @type {Chosen} */ { truth, predictions, reading }) {
    const isExample = truth?.path === this.examples[0].path;
    if (this.state.result && this.state.result.asked.references !== truth?.path) this.options.leave();
    this.state.begin({
      references: truth?.path ?? null,
      predictions: predictions.map(({ path }) => path),
      names: isExample ? NAMES : [],
      reading,
    });
    this.takeOptions({ parse: isExample ? "repair" : "parse" in reading ? "" : this.options.read().parse });
    this.run();
  }

  notice(/** @type {Notice} */ ...said) {
    super.notice(...said);
    this.setOld(Boolean(said[0]) && this.state.result !== null);
  }

  setOld(/** @type {boolean} */ isOld) {
    this.part("result").toggleAttribute("data-stale", isOld);
    this.part("result").inert = isOld;
  }

  /** Show the previous result, marked as old, while a run goes on. */
  async run() {
    if (this.state.files && this.state.result) {
      this.setShown(true);
      this.notice("");
      this.setOld(true);
    }
    await super.run();
  }

  /** Report that a request failed. The previous result stays, marked as old. */
  refuse(/** @type {Server.Refusal} */ found, /** @type {boolean} */ isFirst) {
    if (isFirst) {
      this.box.say(found.kind === "stopped" ? "" : `Not compared: ${sentenceOf(found.refused)}`);
      return;
    }
    if (found.kind === "stopped") {
      this.restore();
      return;
    }
    const isOfFiles = found.kind === "gone" || found.kind === "input";
    /** @type {Act[]} */
    const acts = [
      isOfFiles ? ["Change the files", () => this.changeFiles()] : ["Try again", () => this.run()],
      ...(found.kind === "input" ? this.mends() : []),
      ["Keep this result", () => this.restore()],
    ];
    this.notice("Not compared.", `${sentenceOf(found.refused)} The previous comparison is shown below.`, acts);
  }

  /** Return options, not chosen yet, under which missing predictions and invalid rows are no errors. */
  mends() {
    const { missing, skip } = this.options.read();
    /** @type {Act[]} */
    const found = [];
    if (missing === "error")
      found.push(["Score missing predictions 0", () => this.change({ own: { missing: "zero" } })]);
    if (!skip) found.push(["Leave out invalid rows", () => this.change({ own: { skip: true } })]);
    return found;
  }

  async draw(/** @type {Server.Comparison} */ found, view = this.state.view) {
    const { state } = this;
    if (!state.isShown && !location.hash.includes("=")) stepToResult("compare", "#compare");
    state.open(found, view);
    this.restore();
    this.fit();
    this.setStatus("");
    this.drawResult(found);
    this.showView();
    this.remedies.show(found.remedies, found.run);
    this.drawDocuments();
    this.panes.first.fresh();
    this.panes.fields.fresh();
    this.keepAddress();
    await this.opened.join(found.run);
    if (state.result !== found) return;
    if (state.view.document) this.opened.open();
    else if (document.activeElement === document.body && isShown("compare")) this.part("verdict").focus();
  }

  drawResult(/** @type {Server.Comparison} */ found) {
    const { state } = this;
    this.drawSetUp(found);
    drawComparison(
      this.screen,
      found,
      (id) => state.address({ ...PLAIN_VIEW, document: id }),
      state.addressOfLead((id) => this.opened.files.has(id)),
    );
    findElement(this.screen, "#compare-python").textContent = found.python;
    const worse = state.worseThan().map(({ words, value }) => new Option(words, value));
    this.worse.replaceChildren(new Option("all", ""), ...worse);
    this.opened.drawSystems();
    this.part("remedies").replaceChildren(
      ...found.verdict.remedies.map(({ label, options: values }) =>
        newButton("btn tint", label, () => this.change(values)),
      ),
    );
  }

  /** Whether panes are stacked. */
  get isStacked() {
    return this.narrow.matches || this.state.systems.length > MOST_BESIDE;
  }

  /** Decide whether panes are stacked, and whether documents have strips of dots. */
  fit() {
    const hasStrips = !this.narrow.matches && this.state.systems.length <= MOST_WITH_STRIPS;
    this.screen.toggleAttribute("data-stacked", this.isStacked);
    this.screen.toggleAttribute("data-strips", hasStrips);
  }

  drawSetUp(/** @type {Server.Comparison} */ { asked, systems, count, downloads }) {
    const soft = (/** @type {string} */ text) => newElement("span", "soft", text);
    const truth = asked.references ? [newElement("code", "", fileName(asked.references)), soft(" × ")] : [];
    this.part("what").replaceChildren(
      ...truth,
      `${systems.length} systems`,
      soft(` · ${counted(count, "document")} each`),
      newElement("span", "soft cmp-matched"),
    );
    this.part("export").replaceChildren(
      ...downloads.map(({ label, name, path }) => {
        const link = newElement("a", "", label);
        link.href = `gradio_api/file=${path}`;
        link.download = name;
        return newElement("li", "", link);
      }),
    );
    const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.system : undefined;
    this.part("names").replaceChildren(
      ...asked.predictions.map((path, at) => {
        const input = newElement("input", "field");
        Object.assign(input, { value: asked.names[at], maxLength: 80 });
        input.dataset.system = String(at);
        return newElement("label", "opt", newElement("span", "", fileName(path)), input);
      }),
    );
    if (held) findElements(this.part("names"), `[data-system="${held}"]`)[0]?.focus();
  }

  drawDocuments() {
    if (!this.state.result) return;
    const { files } = this.opened;
    const address = (/** @type {string} */ id) => this.state.address({ document: id });
    drawDocumentList(this.part("documents"), this.state.result, this.state.view, address, (id) => files.has(id));
    const { count, documents } = this.state.result;
    const matched = documents.filter(({ id }) => files.has(id)).length;
    this.part("matched").textContent = files.isEmpty ? "" : matchedInWords(matched, count);
    for (const row of findElements(this.part("pairs"), "[data-pair]")) {
      row.toggleAttribute("data-chosen", Number(row.dataset.pair) === this.state.view.pair);
    }
    this.panes.documents.fresh();
    this.mark();
  }

  /** Mark the open document in the list. */
  mark() {
    for (const row of findElements(this.part("documents"), "[data-document]")) {
      const isChosen = row.dataset.document === this.state.view.document;
      row.toggleAttribute("data-chosen", isChosen);
      if (isChosen && !this.isStacked) row.scrollIntoView({ block: "nearest" });
    }
  }

  go(/** @type {Partial<ComparisonView>} */ changes) {
    location.hash = this.state.address(changes);
  }

  step(/** @type {number} */ by) {
    const document = this.state.next(by);
    if (document !== undefined) this.go({ document });
  }

  keepAddress() {
    if (this.state.result && isShown("compare")) history.replaceState(null, "", this.state.address());
  }

  /** Set the controls to the view. */
  showView() {
    const { view } = this.state;
    this.screen.dataset.seg = view.seg;
    for (const button of findElements(this.screen, "[data-to-seg]")) {
      button.setAttribute("aria-pressed", String(button.dataset.toSeg === view.seg));
    }
    if (this.find.value !== view.find) this.find.value = view.find;
    this.worse.value = view.worse;
    const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.by : undefined;
    if (this.state.result) drawSystems(this.part("forest"), this.state.result, view.by);
    if (held !== undefined) findElements(this.part("forest"), `[data-by="${held}"]`)[0]?.focus();
  }

  /** Show the view of the address, and request its result if it is not loaded. */
  async follow() {
    const { run, view } = comparisonOf(location.hash);
    if (!run) {
      if (tabOf(location.hash) === "compare" && history.state?.files) this.changeFiles();
      return;
    }
    if (this.state.result?.run === run) {
      if (!this.state.isShown) this.restore();
      const { isOther, isOrdered, last } = this.state.follow(view);
      this.showView();
      if (isOrdered) this.drawDocuments();
      if (isOther) await this.opened.open();
      else if (isOrdered) this.opened.drawRows();
      if (isOther && !this.state.view.document) this.back(last);
      return;
    }
    const found = await busy(this.box.element, answerTo(this.server.open_result, { run }));
    if ("refused" in found || !("pairs" in found)) {
      const why = "refused" in found ? found.refused : "it is not a comparison";
      this.setStatus(`This link could not be opened: ${sentenceOf(why)}`);
      return;
    }
    this.draw(found, view);
  }

  /** Return the focus to the document that was open. */
  back(/** @type {string} */ name) {
    const row = findElements(this.part("documents"), "[data-document]").find(
      ({ dataset }) => dataset.document === name,
    );
    const cell = row?.querySelector("[data-cell]");
    if (cell instanceof HTMLElement) this.panes.documents.go(cell);
  }

  async share(/** @type {HTMLElement} */ button) {
    const address = new URL(this.state.address(), location.href).href;
    this.setStatus(await copyLink(button, address, " It works for an hour."));
  }
}

/** @type {(root: HTMLElement, server: Server.Functions) => void} */
export const startCompare = (root, server) => {
  new CompareTab(root, server);
};
