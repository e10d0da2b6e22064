// The documents of a scored test set: filters, a list of the documents that pass them, and the tree of the chosen one
// next to its document. The view, which is in the address, decides what is shown.

import { Asker, answerTo } from "../parts/asking.js";
import { around, findElement, partsOf, press } from "../parts/elements.js";
import { textOf } from "../parts/document_files.js";
import { bindKeys, listKeys } from "../parts/keys.js";
import { isShown } from "../parts/tabs.js";
import { NO_VIEW, addressOf } from "../parts/views.js";
import { sentenceOf } from "../parts/words.js";
import { DocumentBeside } from "./document_beside.js";
import { DocumentList } from "./document_list.js";
import { DocumentTree } from "./document_tree.js";
import { Filters } from "./filters.js";
import { changesList } from "./state.js";

/** @import { View } from "../parts/views.js" */
/** @import { TestsetTab } from "./testset.js" */

const PART = "Test set"; // the section in the list of keys

export class Documents {
  constructor(/** @type {TestsetTab} */ tab) {
    this.tab = tab;
    this.root = tab.root;
    this.server = tab.server;
    this.state = tab.state;
    this.isLoading = false;
    this.narrow = window.matchMedia("(max-width: 720px)");
    this.part = partsOf(this.root, "#testset-");
    this.isActive = () => this.state.screen === "result";
    this.views = new Asker(this.server.view_documents, this.root);
    this.tree = new DocumentTree(this);
    this.beside = new DocumentBeside(this);
    this.list = new DocumentList(this);
    this.filters = new Filters(this);
    this.root.addEventListener("click", (event) => this.press(event));
    this.bind();
  }

  /** Return the keys for documents, for their list, and for going back. */
  bind() {
    const find = () => {
      if (this.narrow.matches) this.seg("2");
      this.filters.find.focus();
    };
    bindKeys(
      "testset",
      PART,
      [
        ["j k", "go to the next or previous document", () => this.list.move(1), () => this.list.move(-1)],
        ["/", "find a document", find],
      ],
      this.isActive,
    );
    const ofList = this.list.keys(PART);
    const back = listKeys("testset", PART, [
      ["Escape", "go back to the list; take back a filter", (/** @type {Element} */ from) => this.back(from)],
    ]);
    findElement(this.root, ".panes").addEventListener("keydown", (event) => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element) || target.matches("input")) {
        return;
      }
      const act = back[event.key] ?? (target === this.list.element ? ofList[event.key] : undefined);
      if (!act) return;
      event.preventDefault();
      act(target);
    });
  }

  /** Go one step back: leave the zoom, the sheet, the share or the tree, then remove the last filter. */
  back(/** @type {Element} */ from) {
    if (this.beside.pane.isZoomed) this.beside.pane.zoom();
    else if (this.beside.pane.isSheet) this.beside.toggle(false);
    else if (this.state.view.share) this.go({ share: "", row: null }, "push");
    else if (this.tree.element.contains(from)) this.list.element.focus();
    else if (from === this.list.element || this.filters.rail.contains(from)) this.filters.clear(false);
  }

  /** Go from the list to the tree. */
  openTree() {
    if (this.narrow.matches) this.seg("3", "push");
    this.tree.pane.stop()?.focus();
  }

  /** Choose a pane, an order or a side of the screen. */
  press(/** @type {Event} */ event) {
    const { toSeg, sort, side } = around(event, "[data-to-seg], [data-sort], [data-side]")?.dataset ?? {};
    if (side) this.beside.side(side);
    if (toSeg) this.seg(toSeg, "push");
    if (sort) this.go({ sort }, "push");
  }

  write(how = "replace") {
    if (!this.state.result || !isShown("testset")) return;
    try {
      const { seg, view } = this.state;
      history[how === "push" ? "pushState" : "replaceState"]({ seg }, "", addressOf(view));
    } catch {
      /* some browsers refuse more than a hundred changes in half a minute; a later change writes the same */
    }
  }

  go(/** @type {Partial<View>} */ changes, how = "replace") {
    this.tab.say("");
    this.state.change(changes);
    this.write(how);
    if (changesList(changes)) this.ask();
    else this.draw();
  }

  /** Go from the headline to the rows of its cause, in the document that lost most by it. */
  leadTo(/** @type {string} */ cause) {
    this.go({ cause, field: null, within: null, share: "", row: null, document: null }, "push");
    if (this.narrow.matches) this.seg("3");
  }

  /** Choose the pane that a phone shows. */
  seg(/** @type {string} */ number, how = "replace") {
    this.state.seg = number;
    this.root.dataset.seg = number;
    press(this.root, "to-seg", number);
    this.write(how);
    this.list.drawRows();
  }

  /** Request and render the documents that pass the filters; return a sentence if the server refuses the view. */
  async ask() {
    const { result, all, question } = this.state;
    if (!result || !all) return "";
    const found = await this.views.ask({ run: result.run, ...question });
    if (!found) return "";
    if ("refused" in found) {
      if (found.kind !== "input") {
        this.tab.fault(found, () => this.ask());
        return "";
      }
      this.tab.say(sentenceOf(found.refused));
      return found.refused;
    }
    const isNew = this.state.show(found);
    this.list.renew();
    this.filters.show(result, all, found);
    if (isNew) this.list.element.scrollTop = 0;
    this.draw();
    return "";
  }

  draw() {
    if (!this.state.shown || !this.state.all) return;
    if (this.state.choose((number) => this.beside.hasFile(number))) this.write();
    this.filters.draw();
    this.list.draw();
    this.drawDocument();
  }

  /**
   * Load and render the chosen document. If the choice changes during a request, the new choice is loaded next. Until
   * then the previous tree stays, under its own name.
   */
  async drawDocument() {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      while (this.state.needsTree) if (!(await this.load())) return;
    } finally {
      this.isLoading = false;
      // the choice may have returned to the document that is rendered
      if (!this.state.needsTree) this.tree.wait(false);
    }
    if (this.state.view.document === null) {
      this.state.render("", null);
      this.tree.show(null);
    }
    this.tree.draw();
    this.beside.draw();
  }

  /** Load and render the chosen document; return whether the server answered. */
  async load() {
    const { result, chosen, view } = this.state;
    if (!result || view.document === null) return true;
    this.tree.wait(true);
    const text = textOf(await this.beside.files.open(...this.state.fileOf(view.document)));
    const found = await answerTo(this.server.read_document, { run: result.run, number: view.document, text });
    if (chosen !== this.state.chosen) return true;
    const isRefused = "refused" in found;
    if (isRefused && found.kind !== "input" && found.kind !== "limit") {
      this.tab.fault(found, () => this.draw(), this.state.ofChosen("names"));
      return false;
    }
    this.state.render(chosen, isRefused ? null : found);
    const held = this.state.answer?.image;
    this.state.loaded = await this.beside.files.open(...this.state.fileOf(view.document), held);
    this.tree.show(found);
    return true;
  }

  /** Remove the documents of the previous files from the screen. */
  empty() {
    this.views.forget();
    this.list.renew();
    this.part("count").textContent = "";
    this.tree.show(null);
    this.beside.draw();
  }

  /** Show the view of a link, or report what is wrong with it and show everything. */
  async apply(/** @type {View} */ asked) {
    const isKnown = asked.document === null || (this.state.all !== null && asked.document in this.state.all.names);
    this.state.view = isKnown ? asked : { ...asked, document: null, row: null };
    const refused = isKnown ? await this.ask() : "its document is not in this test set";
    if (!refused) return;
    this.state.view = { ...NO_VIEW, documents: asked.documents };
    await this.ask();
    this.tab.say(`A part of this link could not be opened: ${refused}.`);
  }

  /** Follow a step in the history of this window. */
  follow(/** @type {View} */ asked) {
    this.seg(history.state?.seg ?? "1");
    this.apply({ ...asked, documents: this.state.view.documents });
  }

  /**
   * Show a result with the view of a link, else with the previous view if the files and documents are the same. After a
   * remedy, filters that now match other documents are removed.
   * @type {(found: Server.TestSet, asked: View | null, areSame: boolean, isRemedy: boolean) => Promise<boolean>}
   */
  async show(found, asked, areSame, isRemedy) {
    const { state, filters, beside } = this;
    const meant = new Set(state.order);
    if (!areSame) this.empty();
    this.write();
    const listing = await answerTo(this.server.read_documents, { run: found.run });
    if ("refused" in listing) {
      this.tab.fault(listing, null);
      return false;
    }
    const { documents } = state.view;
    state.list(listing, areSame);
    filters.facets.areAll = false;
    this.views.forget();
    this.tab.say(listing.note);
    filters.histogram.draw(found.histogram, 0, 1);
    await beside.files.join(found.run);
    if (beside.drawMatched() && !asked && beside.opensItself) state.change({ image: "1" });
    if (asked) await this.apply({ ...asked, documents });
    else {
      const isRefused = Boolean(await this.ask());
      const areOthers = meant.size !== state.order.length || state.order.some((number) => !meant.has(number));
      if (isRefused || !state.order.length || (isRemedy && areOthers)) {
        state.change({ cause: null, field: null, low: 0, high: 1, share: "" });
        await this.ask();
      }
    }
    this.write();
    return true;
  }
}
