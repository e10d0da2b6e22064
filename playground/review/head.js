// The header of a review: files, progress, scores, what is left to decide, and the name of the list.

import { findElement, newButton, newElement, partsOf } from "../parts/elements.js";
import { counted } from "../parts/words.js";
import { drawScores } from "./scores.js";
import { headlineOf, nothingOf } from "./sentences.js";

/** @import { ReviewTab } from "./review.js" */
/** @typedef {Pick<ReviewTab, "state" | "setMode" | "visit" | "finish" | "change">} HeadPage */

export class ReviewHead {
  /**
   * @param {HTMLElement} screen
   * @param {HeadPage} page
   */
  constructor(screen, page) {
    this.screen = screen;
    this.page = page;
    this.part = partsOf(screen, ".rv-");
    this.part("act").addEventListener("click", () => this.act());
  }

  drawSetUp(/** @type {Server.Review} */ { asked, systems, count, left_out: leftOut, python }) {
    const soft = (/** @type {string} */ text) => newElement("span", "soft", text);
    const truth = asked.references ? [newElement("code", "", this.page.state.references), soft(" × ")] : [];
    const names = systems.length === 1 ? systems[0].name : `${systems.length} systems`;
    this.part("what").replaceChildren(...truth, names, soft(` · ${counted(count, "document")}`));
    this.part("left-out").textContent = leftOut.join(" ");
    findElement(this.screen, "#review-python").textContent = python;
  }

  /** Draw the name of the list, the lists that can be chosen, and why the list is empty. */
  drawLists() {
    const { page } = this;
    const { worklist, view } = page.state;
    this.part("list-name").textContent = worklist.modeLabel;
    const modes = worklist.modes().map(({ name, label }) => {
      const button = newButton("", label, () => page.setMode(name));
      button.setAttribute("aria-pressed", String(name === view.list));
      return newElement("li", "", button);
    });
    findElement(this.part("lists"), "ul").replaceChildren(...modes);
    const isEmpty = !worklist.order.length;
    const { sentence, modes: others } = nothingOf(worklist);
    const buttons = others.map(({ name, label }) => newButton("btn", label, () => page.setMode(name)));
    this.part("none").replaceChildren(...(isEmpty ? [sentence, ...buttons] : []));
    this.screen.toggleAttribute("data-none", isEmpty);
    this.screen.toggleAttribute("data-blind", worklist.isBlind);
  }

  draw() {
    const { result, decisions, decided, firsts, steps } = this.page.state.worklist;
    if (!result) return;
    const all = firsts.length;
    const progress = this.part("progress");
    this.part("count").textContent = decided.toLocaleString("en");
    this.part("of").textContent = `of ${counted(all, "decision")}`;
    progress.style.setProperty("--v", String(all ? decided / all : 0));
    for (const [name, value] of Object.entries({ valuenow: decided, valuemin: 0, valuemax: all })) {
      progress.setAttribute(`aria-${name}`, String(value));
    }
    this.drawScores();
    const { title, text, act } = headlineOf(this.page.state.worklist);
    this.part("title").textContent = title;
    this.part("text").textContent = text;
    this.part("act").hidden = !act;
    this.part("act").textContent = act;
    this.part("references").textContent = `${this.page.state.corrected}, ${counted(result.count, "document")}`;
    this.part("verdicts").textContent = `verdicts.jsonl, ${counted(decisions.size, "verdict")}`;
    findElement(this.screen, ".rv-undo", HTMLButtonElement).disabled = !steps.length;
  }

  /** Do what the button of the headline says. */
  act() {
    const { worklist } = this.page.state;
    const { first } = headlineOf(worklist);
    if (worklist.isDecided) this.page.finish();
    else if (first !== null) this.page.visit(first);
    else this.page.change({ what_if: { numbers: "value" } });
  }

  /** Draw the scores before and after, also in the summary. */
  drawScores() {
    const { worklist } = this.page.state;
    if (!worklist.result) return;
    const [after, isOld] = [worklist.after(), worklist.stale.size > 0];
    drawScores(this.part("moves"), worklist.result.systems, after, isOld);
    const own = this.part("done").querySelector(".rv-moves-done");
    if (own instanceof HTMLElement) drawScores(own, worklist.result.systems, after, isOld, true);
  }
}
