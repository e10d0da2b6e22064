// Fills the summary of a review once its list is decided: verdicts, the estimate of a sample, and the points that each
// group gave back.

import { answerTo, busy } from "../parts/asking.js";
import { newButton, newElement } from "../parts/elements.js";
import { counted, sentenceOf } from "../parts/words.js";
import { drawSummary, estimateOf, gainsTable } from "./done.js";
import { SAMPLED } from "./state.js";
import { SAMPLE } from "./worklist.js";

/** @import { ReviewTab } from "./review.js" */
/** @typedef {Pick<ReviewTab, "server" | "state" | "scoring" | "export" | "setMode" | "head">} FinishedPage */

const MOST_GROUPS = 20; // rows of the table of groups

export class Finished {
  /**
   * @param {HTMLElement} part
   * @param {FinishedPage} page
   */
  constructor(part, page) {
    this.part = part;
    this.page = page;
  }

  async draw() {
    const { state, scoring, head, export: files } = this.page;
    if (!state.result) return;
    const loss = newElement("div", "rv-loss");
    const groups = newElement("div", "");
    const written = newElement("span", "", files.effects().join(" "));
    drawSummary(this.part, {
      decided: state.worklist.decidedPlaces(),
      references: state.corrected,
      count: state.result.count,
      written,
      download: (name) => files.download(name),
      loss,
      scores: newElement("div", "rv-moves rv-moves-done"),
      groups,
    });
    head.drawScores();
    await busy(loss, this.drawLoss(loss, state.result.run));
    await scoring.now(); // scoring finds the refused verdicts
    written.textContent = files.effects().join(" ");
    await busy(groups, this.drawGains(groups, state.result));
  }

  /** Draw the estimate of a sample. If the places are not a random sample, offer samples. */
  async drawLoss(/** @type {HTMLElement} */ place, /** @type {string} */ run) {
    const { page } = this;
    const { worklist } = page.state;
    if (worklist.mode === "sample") {
      const found = await answerTo(page.server.estimate_review, { run, verdicts: worklist.asText() });
      const why =
        "refused" in found ? [newElement("p", "soft", sentenceOf(found.refused))] : estimateOf(found, SAMPLED);
      place.replaceChildren(...why);
      return;
    }
    const samples = worklist.modes().filter(({ name }) => name.startsWith(SAMPLE));
    const acts = samples.map(({ name, label }) =>
      newButton("btn", `Draw ${label[0].toLowerCase()}${label.slice(1)}`, () => page.setMode(name)),
    );
    const why = "These places were not sampled at random, so they cannot answer this. A random sample can.";
    place.replaceChildren(newElement("p", "soft", why), newElement("div", "rv-draws", ...acts));
  }

  /** Draw the points that each group gave back by itself. */
  async drawGains(/** @type {HTMLElement} */ place, /** @type {Server.Review} */ { run, systems, count }) {
    const { server, state } = this.page;
    const { worklist } = state;
    const rows = worklist.groups.slice(0, MOST_GROUPS).map(({ name, numbers }) => ({
      name,
      numbers,
      places: worklist.verdictsAt(numbers).length,
      verdicts: worklist.wordsAt(numbers),
      gains: /** @type {number[] | null} */ (null),
    }));
    const all = worklist.groups.length > rows.length ? `All ${counted(worklist.groups.length, "group")}` : "All";
    const places = worklist.verdictsAt(worklist.order).length;
    rows.push({ name: all, numbers: worklist.order, places, verdicts: "", gains: null });
    const names = systems.map(({ name }) => name);
    const show = () => place.replaceChildren(gainsTable(rows, names));
    show();
    for (const row of rows) {
      if (state.result?.run !== run || !state.isDone) return;
      const verdicts = worklist.asText(worklist.verdictsAt(row.numbers));
      const found = await answerTo(server.score_verdicts, { run, verdicts });
      if ("refused" in found) continue;
      row.gains = systems.map((_, at) => found.gains.reduce((sum, each) => sum + each[at + 1], 0) / count);
      show();
    }
  }
}
