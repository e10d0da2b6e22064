// The tab for several systems. It takes files and options, requests the comparison, opens documents, follows links.

import { Asker, PATIENCE, Runner, answerTo, busy } from "../parts/asking.js";
import { DocumentFiles, NO_DOCUMENT, matchedInWords, textOf } from "../parts/document_files.js";
import { DocumentPane } from "../parts/document_pane.js";
import { around, cutName, findElement, findElements, newButton, newElement, partsOf } from "../parts/elements.js";
import { DropBox } from "../parts/files.js";
import { bindDocumentKeys, bindKeys, listKeys } from "../parts/keys.js";
import { copyLink, hashOfDocument } from "../parts/links.js";
import { setScreenState, showNotice } from "../parts/notices.js";
import { noDocument } from "../parts/no_document.js";
import { Options } from "../parts/options.js";
import { newPane } from "../parts/panes.js";
import { openPdf } from "../parts/pdfs.js";
import { isShown, stepToResult, tabOf } from "../parts/tabs.js";
import { Remedies } from "../parts/remedies.js";
import { askAgain } from "../parts/uploads.js";
import { counted, fileName, sentenceOf } from "../parts/words.js";
import { drawComparison, drawDocumentList, drawSystems } from "./comparison.js";
import { drawSystemSigns, rowsCitedApart, sceneOfSystems } from "./places.js";
import { CompareState, PLAIN_VIEW, comparisonOf, lossesOf } from "./state.js";

/** @import { Chosen } from "../parts/files.js" */
/** @import { ComparedFiles, ComparisonView } from "./state.js" */
/** @typedef {{metric: string, parse: string, missing: string, skip: boolean}} OwnOptions */
/** @typedef {Server.SchemaOptions & OwnOptions} ComparisonOptions */

const PAUSE = 300; // milliseconds until changed options are applied
const MOST_BESIDE = 3; // systems whose panes are shown side by side
const MOST_WITH_STRIPS = 6; // systems
const NAMES = ["base", "new", "text"]; // names of the systems of the example
const PART = "Compare"; // the section in the list of keys

class CompareTab {
  constructor(/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) {
    this.server = server;
    this.state = new CompareState();
    this.timer = 0; // fires when changed options are applied
    this.patience = 0; // fires when the page reports that a run is still going on
    this.newest = 0; // the number of the latest run; answers of earlier runs are ignored
    this.screen = findElement(root, ".screen");
    this.part = partsOf(this.screen, ".cmp-");
    /** @type {Server.Upload[]} */
    this.examples = JSON.parse(this.screen.dataset.examples ?? "[]");
    /** @type {Options<ComparisonOptions>} */
    this.options = new Options(this.part("options"));
    this.narrow = matchMedia("(max-width: 1200px)");
    this.phone = matchMedia("(max-width: 720px)");
    this.runs = new Runner("compare", askAgain(server.compare_files), server);
    this.documents = new Asker(server.open_document);
    this.remedies = new Remedies(this.part("warnings"), (options) => this.change(options), server.try_remedies);
    this.panes = Object.fromEntries(
      ["first", "fields", "documents", "opened"].map((name) => [name, newPane(this.part(name))]),
    );
    /** @type {Server.PlacedRow[][]} the rows of each system in the open document */
    this.places = [];
    /** @type {Set<number>} rows that a system cites in another region, or that systems cite differently */
    this.apart = new Set();
    /** @type {number | null} the row that is looked at, in the open document */
    this.row = null;
    this.files = new DocumentFiles((file) => openPdf(server, () => this.state.result?.run ?? "", file));
    this.loaded = NO_DOCUMENT;
    this.isPaper = false; // whether the document is open next to the values
    this.paper = new DocumentPane(this.part("paper"), {
      choose: (row) => this.lookAt(row),
      close: () => this.openPaper(false),
    });
    this.find = this.part("find", HTMLInputElement);
    this.unfold = findElement(this.part("unfold"), "input", HTMLInputElement);
    this.worse = this.part("worse", HTMLSelectElement);
    this.one = this.part("one", HTMLSelectElement);
    this.box = new DropBox(findElement(this.screen, ".drop"), server, {
      isPair: false,
      examples: this.examples,
      verb: "Compare",
      sift: async (files) => this.takeDocuments(files),
      run: (chosen) => this.begin(chosen),
      allowed: () => {
        const { missing, skip } = this.options.read();
        return { missing, skip };
      },
      allow: (option) => {
        this.options.take(option);
        this.drawChips();
      },
    });
    /** @type {Record<string, (button: HTMLElement) => void>} */
    this.acts = {
      change: () => this.changeFiles(),
      share: (button) => {
        this.share(button);
      },
      review: () => {
        if (this.state.result) {
          document.dispatchEvent(new CustomEvent("docscore-review", { detail: this.state.result.asked }));
        }
      },
      close: () => this.go({ document: "" }),
      paper: () => this.openPaper(!this.isPaper),
      previous: () => this.step(-1),
      next: () => this.step(1),
      more: (button) => button.setAttribute("aria-expanded", String(this.screen.classList.toggle("with-setup"))),
    };
    this.listen();
    this.drawChips();
    this.setState("empty");
    this.follow().finally(() => {
      this.screen.dataset.ready = "";
    });
  }

  listen() {
    this.screen.addEventListener("click", (event) => {
      const button = around(event, "button");
      const cell = around(event, "[data-open]");
      const row = around(event, "[data-row]");
      const link = around(event, "[data-document] a");
      if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        // the link has the address of the view in which it was rendered
        event.preventDefault();
        this.go({ document: row?.dataset.document });
      } else if (button?.dataset.do) this.acts[button.dataset.do](button);
      else if (button?.dataset.toSeg) this.go({ seg: button.dataset.toSeg });
      else if (button?.dataset.by !== undefined) {
        this.go({ by: /** @type {ComparisonView["by"]} */ (button.dataset.by) });
      } else if (cell) {
        this.state.sought = { field: row?.dataset.ofField ?? "", cause: row?.dataset.ofCause ?? "" };
        if (cell.dataset.open === this.state.view.document) this.seek();
        else this.go({ document: cell.dataset.open });
      } else {
        const chosen = around(event, "[data-pair]");
        if (!chosen) return;
        const pair = Number(chosen.dataset.pair);
        this.go({ pair: this.state.view.pair === pair ? null : pair });
      }
    });
    this.part("options").addEventListener("input", (event) => {
      if (around(event, "[data-system]")) return;
      this.drawChips();
      clearTimeout(this.timer);
      if (this.screen.dataset.state === "empty") this.box.check();
      else if (this.state.result && this.screen.dataset.state === "shown") {
        this.timer = window.setTimeout(() => this.run(), PAUSE);
      }
    });
    this.part("names").addEventListener("change", () => {
      if (!this.state.files) return;
      this.state.files.names = [...this.part("names").querySelectorAll("input")].map(({ value }) => value.trim());
      this.run();
    });
    this.find.addEventListener("input", () => {
      if (!this.state.view.find) history.pushState(null, "", location.href); // all typing is one step of Back
      this.state.view.find = this.find.value;
      this.drawDocuments();
      this.keepAddress();
    });
    this.worse.addEventListener("change", () => this.go({ worse: this.worse.value }));
    for (const input of [this.unfold, this.one]) {
      input.addEventListener("change", () => this.drawPlaces());
    }
    const isActive = () => this.state.view.document !== "" && this.screen.dataset.state === "shown";
    bindDocumentKeys("compare", this.paper, () => this.openPaper(!this.isPaper), isActive);
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
    document.addEventListener("docscore-tab", (event) => {
      if (event.detail === "compare" && location.hash === "#compare") this.keepAddress();
    });
    for (const kind of ["click", "focusin"]) {
      this.part("opened").addEventListener(kind, (event) => {
        const row = around(event, "tr[data-row]");
        const number = row ? findElements(this.part("opened"), "tr[data-row]").indexOf(row) : -1;
        if (number < 0) return;
        if (number !== this.row) this.lookAt(number);
        const isThere = !this.files.isEmpty && this.places.some((ofSystem) => ofSystem.length);
        if (kind === "click" && this.phone.matches && isThere) this.openPaper(true);
      });
    }
    window.addEventListener("hashchange", () => this.follow());
    this.narrow.addEventListener("change", () => this.fit());
  }

  /** Go one step back: leave the zoom, the document next to the values, or the opened document. */
  leave() {
    if (this.paper.isZoomed) this.paper.zoom();
    else if (this.paper.isSheet) this.openPaper(false);
    else if (this.state.view.document && !this.screen.querySelector("details.pop[open]")) this.go({ document: "" });
  }

  setStatus(/** @type {string} */ text) {
    this.part("status").textContent = text;
  }

  request(/** @type {ComparedFiles} */ chosen) {
    const { metric, parse, missing, skip, ...whatIf } = this.options.read();
    return { ...chosen, metric, parse: parse || null, missing, skip, what_if: whatIf };
  }

  /** Show the options of a request that was answered earlier. */
  takeOptions(/** @type {Server.CompareRequest} */ { metric, parse, missing, skip, what_if: whatIf }) {
    this.options.take({ metric, parse: parse ?? "", missing, skip, ...whatIf });
    this.drawChips();
  }

  drawChips() {
    const metric = findElement(this.part("options"), "select", HTMLSelectElement);
    this.options.show(metric.value);
    const { asked, taken = [] } = this.state.result ?? {};
    const ofFiles = this.state.files && asked?.references === this.state.files.references ? taken : [];
    const changed = [
      ...this.options.changed().map((each) => ({ ...each, takeBack: () => this.options.reset(each.name) })),
      ...ofFiles.map(({ name, words }) => ({
        words,
        show: () => this.changeFiles(),
        takeBack: () => {
          delete this.state.files?.reading[name];
        },
      })),
    ];
    this.options.chips(
      this.part("chips"),
      changed.map((each) => ({
        ...each,
        takeBack: () => {
          each.takeBack();
          this.drawChips();
          this.run();
        },
      })),
    );
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
    this.options.take({ parse: isExample ? "repair" : "parse" in reading ? "" : this.options.read().parse });
    this.drawChips();
    this.run();
  }

  notice(
    /** @type {string} */ title,
    detail = "",
    /** @type {[string, () => void][]} */ acts = [],
    /** @type {number | null} */ share = null,
  ) {
    showNotice(this.part, title, detail, acts, share);
    this.setOld(Boolean(title) && this.state.result !== null);
  }

  setOld(/** @type {boolean} */ isOld) {
    this.part("result").toggleAttribute("data-stale", isOld);
    this.part("result").inert = isOld;
  }

  async run() {
    clearTimeout(this.timer);
    if (!this.state.files) return;
    const isFirst = this.state.result === null;
    const show = (/** @type {number} */ share, /** @type {string} */ text) => {
      clearTimeout(this.patience);
      if (isFirst) this.box.busy(text || "Comparing …", share, () => this.runs.stop());
      else this.notice("Comparing …", text, [["Cancel", () => this.runs.stop()]], share);
    };
    if (!isFirst) {
      this.setState("shown");
      this.notice("");
      this.setOld(true);
    }
    clearTimeout(this.patience);
    this.patience = window.setTimeout(() => show(0, ""), isFirst ? 0 : PATIENCE);
    const mine = ++this.newest;
    const found = await this.runs.run(this.request(this.state.files), show);
    if (!found || mine !== this.newest) return;
    clearTimeout(this.patience);
    this.box.idle();
    if (!("refused" in found)) this.draw(found);
    else if (isFirst) this.box.say(found.kind === "stopped" ? "" : `Not compared: ${sentenceOf(found.refused)}`);
    else this.refuse(found);
  }

  /** Report that a request failed. The previous result stays, marked as old. */
  refuse(/** @type {Server.Refusal} */ found) {
    if (found.kind === "stopped") {
      this.restore();
      return;
    }
    /** @type {[string, () => void][]} */
    const acts = [];
    if (found.kind === "gone" || found.kind === "input") acts.push(["Change the files", () => this.changeFiles()]);
    else acts.push(["Try again", () => this.run()]);
    if (found.kind === "input") acts.push(...this.mends());
    acts.push(["Keep this result", () => this.restore()]);
    this.notice("Not compared.", `${sentenceOf(found.refused)} The previous comparison is shown below.`, acts);
  }

  /** Show the files and options of the result again, so that it is no longer old. */
  restore() {
    if (!this.state.result) return;
    this.state.restore();
    this.takeOptions(this.state.result.asked);
    this.setState("shown");
    this.notice("");
  }

  /** Return options, not chosen yet, under which missing predictions and invalid rows are no errors. */
  mends() {
    const { missing, skip } = this.options.read();
    /** @type {[string, () => void][]} */
    const found = [];
    if (missing === "error")
      found.push(["Score missing predictions 0", () => this.change({ own: { missing: "zero" } })]);
    if (!skip) found.push(["Leave out invalid rows", () => this.change({ own: { skip: true } })]);
    return found;
  }

  /** Score with other options. Reading options that have no control here are kept with the files. */
  change(/** @type {Server.Changes & {own?: Partial<OwnOptions>}} */ { what_if: whatIf, reading, own }) {
    const { parse, ...others } = reading ?? {};
    this.options.accept({ ...whatIf, ...own, ...(parse ? { parse } : {}) });
    Object.assign(this.state.files?.reading ?? {}, others);
    this.drawChips();
    this.run();
  }

  /** Show the drop box or the result; the options move along. */
  setState(/** @type {string} */ state) {
    setScreenState(this.screen, state, this.part("options"), findElement(this.screen, "[data-do=review]"));
  }

  changeFiles() {
    this.newest += 1;
    this.runs.stop();
    clearTimeout(this.patience);
    this.notice("");
    this.setState("empty");
    if (this.state.files) this.box.takeAgain(this.state.files, () => this.restore());
  }

  async draw(/** @type {Server.Comparison} */ found) {
    if (this.screen.dataset.state === "empty" && !location.hash.includes("=")) stepToResult("compare", "#compare");
    this.state.result = found;
    this.restore();
    this.fit();
    this.setStatus("");
    this.drawSetUp(found);
    drawComparison(
      this.screen,
      found,
      (id) => this.state.address({ ...PLAIN_VIEW, document: id }),
      this.state.addressOfLead((id) => this.files.has(id)),
    );
    findElement(this.screen, "#compare-python").textContent = found.python;
    const pairs = found.systems.map(({ name }, at) => newButton("", name, () => this.openPair(at)));
    findElement(this.part("pair"), "ul").replaceChildren(...pairs.map((button) => newElement("li", "", button)));
    const names = found.systems.map(({ name }) => name);
    const others = names.flatMap((name, at) =>
      names.flatMap((other, than) => (at === than ? [] : [[`${name} worse than ${other}`, `${at} ${than}`]])),
    );
    this.worse.replaceChildren(...[["all", ""], ...others].map(([label, value]) => new Option(label, value)));
    this.one.replaceChildren(...names.map((name, at) => new Option(name, String(at))));
    this.showView();
    this.part("remedies").replaceChildren(
      ...found.verdict.remedies.map(({ label, options: values }) =>
        newButton("btn tint", label, () => this.change(values)),
      ),
    );
    this.remedies.show(found.remedies, found.run);
    this.drawDocuments();
    this.panes.first.fresh();
    this.panes.fields.fresh();
    this.keepAddress();
    if (await this.files.join(found.run)) this.isPaper = !this.phone.matches;
    if (this.state.result !== found) return;
    if (this.state.view.document) this.open();
    else if (document.activeElement === document.body && isShown("compare")) this.part("verdict").focus();
  }

  /** Decide whether panes are stacked, and whether documents have strips of dots. */
  fit() {
    const count = this.state.result?.systems.length ?? 0;
    this.screen.toggleAttribute("data-stacked", this.narrow.matches || count > MOST_BESIDE);
    this.screen.toggleAttribute("data-strips", !this.narrow.matches && count <= MOST_WITH_STRIPS);
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
    const address = (/** @type {string} */ id) => this.state.address({ document: id });
    drawDocumentList(this.part("documents"), this.state.result, this.state.view, address, (id) => this.files.has(id));
    const { count, documents } = this.state.result;
    const matched = documents.filter(({ id }) => this.files.has(id)).length;
    this.part("matched").textContent = this.files.isEmpty ? "" : matchedInWords(matched, count);
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
      if (isChosen && !("stacked" in this.screen.dataset)) row.scrollIntoView({ block: "nearest" });
    }
  }

  async open() {
    if (!this.state.result) return;
    this.screen.toggleAttribute("data-document", Boolean(this.state.view.document));
    this.part("side").hidden = !this.state.view.document;
    this.mark();
    if (!this.state.view.document) {
      this.documents.forget();
      return;
    }
    // the previous document stays, under its own name
    if (!this.part("opened").childElementCount) this.part("opened").textContent = "Loading …";
    this.part("side").setAttribute("aria-busy", "true");
    const { document: name } = this.state.view;
    const { run } = this.state.result;
    const text = textOf(await this.files.open(name));
    const found = await this.documents.ask({ run, document: name, text });
    if (!found) return;
    this.loaded = await this.files.open(name);
    [this.places, this.row] = ["refused" in found ? [] : found.places, null];
    this.part("side").removeAttribute("aria-busy");
    this.part("name").replaceChildren(...cutName(this.state.view.document));
    this.state.opened = "refused" in found ? null : found.number;
    if ("refused" in found) {
      const act =
        found.kind === "gone"
          ? newButton("btn", "Compare again", () => this.run())
          : newButton("btn", "Try again", () => this.open());
      this.part("opened").replaceChildren(newElement("p", "cmp-none", sentenceOf(found.refused), " ", act));
      return;
    }
    this.part("opened").innerHTML = found.html; // from the server's templates, which escape every value
    this.apart = rowsCitedApart(this.places);
    drawSystemSigns(this.part("opened"), this.places);
    this.drawPlaces();
    this.panes.opened.fresh();
    this.seek();
    this.drawPaper();
  }

  // The document next to the values

  /** Keep images, PDFs and texts, and return the other files. */
  takeDocuments(/** @type {File[]} */ files) {
    const others = this.files.take(files);
    if (others.length < files.length) {
      this.isPaper = !this.phone.matches;
      if (this.state.result) this.files.join(this.state.result.run);
      this.setStatus(`${counted(files.length - others.length, "document file")} added.`);
      this.drawDocuments();
      if (this.state.view.document) this.open();
    }
    return others;
  }

  openPaper(/** @type {boolean} */ isOpen) {
    this.isPaper = isOpen;
    if (this.phone.matches) this.paper.openSheet(isOpen);
    this.drawPaper();
    const rows = findElements(this.part("opened"), "tr[data-row]");
    const back = this.phone.matches ? rows[this.row ?? -1]?.querySelector("[data-cell]") : this.part("show");
    if (!isOpen && back instanceof HTMLElement) back.focus();
  }

  drawPaper() {
    this.part("beside").classList.toggle("with-paper", this.isPaper);
    this.part("show").setAttribute("aria-pressed", String(this.isPaper));
    if (!this.isPaper || !this.state.result) return;
    const isCited = this.places.some((ofSystem) => ofSystem.length);
    const none = noDocument("", isCited, this.loaded.fault, (files) => {
      this.takeDocuments(files);
    });
    const systems = this.state.result.systems.map(({ name }) => name);
    const { document: name } = this.state.view;
    this.paper.show(sceneOfSystems({ name, systems, places: this.places, row: this.row, document: this.loaded, none }));
  }

  /** Look at the values of a row. */
  lookAt(/** @type {number} */ number) {
    this.row = number;
    const rows = findElements(this.part("opened"), "tr[data-row]");
    for (const [at, row] of rows.entries()) row.toggleAttribute("data-looked", at === number);
    rows[number]?.scrollIntoView({ block: "nearest" });
    this.drawPaper();
  }

  /**
   * Show the rows of the open document where systems differ, or all; with the filter "worse", only the worse rows.
   */
  drawPlaces() {
    const agreed = this.part("opened").querySelector("table")?.dataset.agreed ?? "";
    this.part("unfold").hidden = !agreed || this.state.view.worse !== "";
    findElement(this.part("unfold"), "span").textContent = `Show ${this.apart.size ? "all " : ""}${agreed}`;
    const rows = findElements(this.part("opened"), "tr[data-row]");
    const [at, than] = this.state.view.worse.split(" ").map(Number);
    for (const [number, row] of rows.entries()) {
      const lost = lossesOf(row.dataset.lost ?? "");
      const isFolded = "same" in row.dataset && !this.unfold.checked && !this.apart.has(number);
      row.hidden = this.state.view.worse ? lost[at] <= lost[than] : isFolded;
    }
    const none = this.state.view.worse
      ? `No value here costs ${this.worse.selectedOptions[0].text.replace("worse", "more points")}.`
      : "All systems predict the same for this document.";
    this.part("nothing").textContent = rows.some((row) => !row.hidden) ? "" : none;
    for (const cell of findElements(this.part("opened"), "[data-system]")) {
      cell.classList.toggle("cmp-other", cell.dataset.system !== this.one.value);
    }
  }

  /** Bring the rows of the pressed field or cause into view. */
  seek() {
    const { field, cause } = this.state.sought;
    const rows = findElements(this.part("opened"), "tr[data-field]").filter(
      ({ dataset }) => (field && dataset.field === field) || (cause && dataset.causes?.split("|").includes(cause)),
    );
    this.state.sought = { field: "", cause: "" };
    if (rows.some((row) => row.hidden)) {
      this.unfold.checked = true;
      this.drawPlaces();
    }
    for (const row of rows) row.classList.add("here");
    const cell =
      rows[0]?.querySelector("[data-cell]") ?? this.part("opened").querySelector("tr:not([hidden]) > [data-cell]");
    if (cell instanceof HTMLElement) this.panes.opened.go(cell);
    if ("stacked" in this.screen.dataset) this.part("side").scrollIntoView();
  }

  /** Open the document with the prediction of one system on the tab for one pair, under the same options. */
  async openPair(/** @type {number} */ system) {
    if (!this.state.result || this.state.opened === null) return;
    const asked = { run: this.state.result.run, number: this.state.opened, system };
    const found = await busy(this.part("pair"), answerTo(this.server.read_pair, asked));
    if ("refused" in found) {
      this.setStatus(sentenceOf(found.refused));
      return;
    }
    const { metric, parse, missing, skip, ...whatIf } = this.options.read();
    location.hash = await hashOfDocument(found, metric, whatIf);
  }

  go(/** @type {Partial<ComparisonView>} */ changes) {
    location.hash = this.state.address(changes);
  }

  step(/** @type {number} */ by) {
    const rows = findElements(this.part("documents"), "[data-document]");
    const next = rows[rows.findIndex(({ dataset }) => dataset.document === this.state.view.document) + by];
    if (next) this.go({ document: next.dataset.document });
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
    if (this.worse.selectedIndex < 0) view.worse = this.worse.value = "";
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
      if (this.screen.dataset.state === "empty") this.restore();
      const { isOther, isOrdered, last } = this.state.follow(view);
      this.showView();
      if (isOrdered) this.drawDocuments();
      if (isOther) await this.open();
      else if (isOrdered) this.drawPlaces();
      if (isOther && !this.state.view.document) this.back(last);
      return;
    }
    const found = await busy(this.box.element, answerTo(this.server.open_result, { run }));
    if ("refused" in found || !("pairs" in found)) {
      const why = "refused" in found ? found.refused : "it is not a comparison";
      this.setStatus(`This link could not be opened: ${sentenceOf(why)}`);
      return;
    }
    this.state.result = found;
    this.state.follow(view);
    this.draw(found);
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
    return this.setStatus(
      await copyLink(button, new URL(this.state.address(), location.href).href, " It works for an hour."),
    );
  }
}

/** @type {(root: HTMLElement, server: Server.Functions) => void} */
export const startCompare = (root, server) => {
  new CompareTab(root, server);
};
