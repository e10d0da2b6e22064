// The result of a pair: the tree with its chosen row, options that score higher, and a notice instead of the score.

import { around, findElement, findElements, newButton, newElement, newIcon, patchHtml } from "../parts/elements.js";
import { Remedies } from "../parts/remedies.js";
import { schemaButtons } from "../parts/saving.js";
import { newTreePane } from "../parts/tree.js";

/** @import { Side } from "./faults.js" */
/** @import { PairTab } from "./pair.js" */

const ROW = ".anls-row:not(.anls-header)";
const CHEVRONS = { "-1": "m4.5 9.5 3.5-3.5 3.5 3.5", 1: "m4.5 6.5 3.5 3.5 3.5-3.5" };
const PAGE = "M4 1.75h5L12.25 5v9.25H4zM9 1.75V5h3.25M6 8.25h4.25M6 10.75h4.25";

export class PairResult {
  constructor(/** @type {PairTab} */ tab) {
    this.tab = tab;
    this.state = tab.state;
    this.part = tab.part;
    this.element = this.part("result");
    this.tree = this.part("tree");
    this.pane = newTreePane(this.tree, "pair");
    this.remedy = newButton("btn tint", "", () => {
      tab.take(this.state.better);
      findElement(this.part("options"), "summary").focus();
    });
    this.remedies = new Remedies(newElement("ul", "remedies"), (options) => tab.take(options));
    this.documentButton = this.newDocumentButton();
    const steps = [this.stepButton("Previous loss", "p", -1), this.stepButton("Next loss", "n", 1)];
    this.walk = newElement("span", "walk", this.documentButton, ...steps);
    for (const kind of ["click", "focusin"]) this.tree.addEventListener(kind, (event) => this.press(event));
    this.part("act").addEventListener("click", () => this.state.act?.());
  }

  /** Return the button of the document, which exists before the document's script is loaded. */
  newDocumentButton() {
    const button = newButton("btn tint", "", () => this.tab.document?.toggle(!this.state.isOpen));
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
    const button = newButton("btn ghost icon", "", () => this.pane.toLoss(step));
    button.append(newIcon(CHEVRONS[step]));
    button.title = `${name}, by points lost (${key})`;
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-keyshortcuts", key);
    return button;
  }

  /** Choose the row that was pressed or has the focus, or go to the one that the conclusion names. */
  press(/** @type {Event} */ event) {
    const row = around(event, ROW);
    if (row) this.choose(row);
    if (event.type !== "click") return;
    if (row && this.tab.document?.opensWithRow) this.tab.document.toggle(true);
    if (!around(event, ".anls-conclusion a")) return;
    event.preventDefault();
    this.pane.toRow(this.lead());
  }

  /** Mark the lines of a chosen row in both editors, and the lines that have its value at another place. */
  choose(/** @type {HTMLElement} */ row) {
    this.state.choose(row.id, row.dataset.path);
    this.tab.document?.drawScene();
    const others = this.pane.look(row);
    const { truth, prediction } = this.tab.editors;
    truth.show(row.dataset.truth);
    prediction.show(row.dataset.prediction, ...others.map(({ dataset }) => dataset.prediction));
  }

  /** Choose a row and bring it into view; the focus stays where it is. */
  reveal(/** @type {HTMLElement} */ row) {
    this.pane.unfold(row);
    this.choose(row);
    row.scrollIntoView({ block: "nearest" });
  }

  /** Mark the score as the one of an earlier text, or as current. */
  age(/** @type {boolean} */ isOld) {
    this.state.isOld = isOld;
    this.element.toggleAttribute("data-stale", isOld);
  }

  /** Show the code and the JSON of a result, or the reason why there are none. */
  setCode(/** @type {string} */ python, json = python) {
    this.part("python").textContent = python;
    this.part("json").textContent = json;
  }

  /** Show a title, a sentence and a button with its action instead of the score. */
  notice(/** @type {string} */ title, detail = "", label = "", /** @type {(() => void) | null} */ action = null) {
    this.state.act = action;
    this.part("notice").hidden = !title;
    this.part("title").textContent = title;
    this.part("detail").textContent = detail;
    this.part("heard").textContent = `${title} ${detail}`;
    this.part("act").hidden = !action;
    this.part("act").textContent = label;
    this.tree.inert = Boolean(title);
    this.age(Boolean(title));
    if (title) this.setCode(title);
  }

  /** Show neither a score nor an error. */
  empty() {
    this.tree.replaceChildren();
    for (const name of ["short", "points", "stack"]) this.part(name).replaceChildren();
    this.notice("");
    this.setCode("Nothing is scored yet.");
  }

  /** Render the tree of an answer; what is equal stays. */
  draw(/** @type {Server.PairAnswer} */ found) {
    const only = findElements(this.tree, ".anls-legend input:checked").map((input) => input.className);
    this.tab.document?.undraw();
    patchHtml(this.tree, found.result, ROW);
    for (const name of only) findElements(this.tree, `.${name}:not(:checked)`)[0]?.click();
    this.pane.fresh();
    this.pane.fill();
    this.remedy.disabled = true;
    const head = findElement(this.tree, ".anls-head");
    head.append(this.remedy, this.walk);
    head.after(this.remedies.place);
    this.part("short").textContent = findElement(this.tree, ".anls-score").textContent;
    this.part("points").textContent = findElement(this.tree, ".anls-detail").textContent.split(";")[0];
    this.part("stack").replaceChildren(findElement(this.tree, ".anls-stack").cloneNode(true));
    this.notice("");
    this.setCode(found.python, found.raw);
    this.part("heard").textContent =
      `Score ${this.part("short").textContent}. ${this.tree.querySelector(".anls-conclusion")?.textContent ?? ""}`;
  }

  /**
   * Show the places of values. A chosen row stays chosen; for a new pair, choose the row that the conclusion names.
   * Nothing scrolls while a visitor types.
   */
  present() {
    const { hasPlaces, path, isNew } = this.state;
    // add the column before its signs, so that nothing moves later
    if (!this.tab.document) findElement(this.tree, ".anls-tree").classList.toggle("with-places", hasPlaces);
    this.tab.document?.show();
    const again = path === undefined ? null : findElements(this.tree, ROW).find((row) => row.dataset.path === path);
    this.state.choose(again?.id, again?.dataset.path);
    this.pane.look(again ?? null);
    const lead = isNew && this.state.isOpen ? this.lead() : null;
    if (lead) this.reveal(lead);
  }

  /** Return the row with the largest loss of the cause that the conclusion names. */
  lead() {
    const link = this.tree.querySelector(".anls-conclusion a")?.getAttribute("href");
    return link ? document.getElementById(link.slice(1)) : null;
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

  rowsOf(/** @type {Side} */ side) {
    return findElements(this.tree, `.anls-row[data-${side}]`);
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
}
