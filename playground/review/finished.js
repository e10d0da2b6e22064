// Fills the summary of a review once its list is decided: verdicts, the estimate of a sample, and the points that each
// group gave back.

import { answerTo, busy } from "../parts/asking.js";
import { newButton, newElement } from "../parts/elements.js";
import { counted, sentenceOf } from "../parts/words.js";
import { drawSummary, estimateOf, gainsTable } from "./done.js";

/** @import { Export } from "./export.js" */
/** @import { Worklist } from "./worklist.js" */
/**
 * @typedef {object} FinishedPage  the page around the summary
 * @property {Server.Functions} server
 * @property {Worklist} state
 * @property {() => string} corrected  the name of the corrected file
 * @property {Export} files  the downloads
 * @property {(mode: string) => void} setMode
 * @property {() => void} drawScores
 * @property {() => Promise<void>} score  scores documents that are not scored yet
 */

const SAMPLE = 80; // places in a sample
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
    const { state, corrected, files, drawScores } = this.page;
    if (!state.result) return;
    const loss = newElement("div", "rv-loss");
    const groups = newElement("div", "");
    const written = newElement("span", "", files.effects().join(" "));
    drawSummary(this.part, {
      decided: state.decidedPlaces(),
      references: corrected(),
      count: state.result.count,
      written,
      download: (name) => files.download(name),
      loss,
      scores: newElement("div", "rv-moves rv-moves-done"),
      groups,
    });
    drawScores();
    await busy(loss, this.drawLoss(loss, state.result.run));
    await this.page.score(); // scoring finds the refused verdicts
    written.textContent = files.effects().join(" ");
    await busy(groups, this.drawGains(groups, state.result));
  }

  /** Draw the estimate of a sample. If the places are not a random sample, offer samples. */
  async drawLoss(/** @type {HTMLElement} */ place, /** @type {string} */ run) {
    const { server, state, setMode } = this.page;
    if (state.mode === "sample") {
      const found = await answerTo(server.estimate_review, { run, verdicts: state.asText() });
      const why = "refused" in found ? [newElement("p", "soft", sentenceOf(found.refused))] : estimateOf(found, SAMPLE);
      place.replaceChildren(...why);
      return;
    }
    const samples = state.modes().filter(({ name }) => name.startsWith("sample "));
    const acts = samples.map(({ name, label }) =>
      newButton("btn", `Draw ${label[0].toLowerCase()}${label.slice(1)}`, () => setMode(name)),
    );
    const why = "These places were not sampled at random, so they cannot answer this. A random sample can.";
    place.replaceChildren(newElement("p", "soft", why), newElement("div", "rv-draws", ...acts));
  }

  /** Draw the points that each group gave back by itself. */
  async drawGains(/** @type {HTMLElement} */ place, /** @type {Server.Review} */ { run, systems, count }) {
    const { server, state } = this.page;
    const rows = state.groups.slice(0, MOST_GROUPS).map(({ name, numbers }) => ({
      name,
      numbers,
      places: state.verdictsAt(numbers).length,
      verdicts: state.wordsAt(numbers),
      gains: /** @type {number[] | null} */ (null),
    }));
    const all = state.groups.length > rows.length ? `All ${counted(state.groups.length, "group")}` : "All";
    const places = state.verdictsAt(state.order).length;
    rows.push({ name: all, numbers: state.order, places, verdicts: "", gains: null });
    const names = systems.map(({ name }) => name);
    const show = () => place.replaceChildren(gainsTable(rows, names));
    show();
    for (const row of rows) {
      if (state.result?.run !== run || this.part.hidden) return;
      const verdicts = state.asText(state.verdictsAt(row.numbers));
      const found = await answerTo(server.score_verdicts, { run, verdicts });
      if ("refused" in found) continue;
      row.gains = systems.map((_, at) => found.gains.reduce((sum, each) => sum + each[at + 1], 0) / count);
      show();
    }
  }
}
