// Scores the verdicts of a review after a pause, and reports verdicts that cannot be applied.

import { Asker } from "../parts/asking.js";
import { counted, sentenceOf } from "../parts/words.js";
import { placeName } from "./places.js";

/** @import { Act } from "../parts/file_tab.js" */
/** @import { ReviewTab } from "./review.js" */
/** @typedef {"server" | "state" | "deciding" | "list" | "notice" | "run" | "visit" | "drawItem" | "head"} Parts */

const PAUSE = 150; // milliseconds until verdicts are scored
const OLD_SCORES = "The scores are old.";
const REFUSED = "cannot be applied.";

export class Scoring {
  constructor(/** @type {Pick<ReviewTab, Parts>} */ page) {
    this.page = page;
    this.timer = 0; // fires when verdicts are scored
    this.scorer = new Asker(page.server.score_verdicts);
  }

  /** Score documents with changed verdicts after a pause. */
  soon() {
    clearTimeout(this.timer);
    if (this.page.state.worklist.stale.size) this.timer = window.setTimeout(() => this.score(), PAUSE);
  }

  async now() {
    clearTimeout(this.timer);
    if (this.page.state.worklist.stale.size) await this.score();
  }

  async score() {
    const { page } = this;
    const { worklist } = page.state;
    if (!worklist.result) return;
    const asked = new Set(worklist.stale);
    const decided = () => worklist.asText(worklist.verdictsOn(asked));
    const verdicts = decided();
    const found = await this.scorer.ask({ run: worklist.result.run, verdicts });
    if (!found || page.state.worklist !== worklist) return;
    if ("refused" in found) {
      this.refuse(found);
      return;
    }
    if (page.state.noticed === OLD_SCORES) page.notice("");
    if (verdicts !== decided()) return; // newer verdicts are scored by the next request
    const before = worklist.refused();
    worklist.score(asked, found);
    page.head.drawScores();
    this.drawRefused(before);
  }

  refuse(/** @type {Server.Refusal} */ { refused, kind }) {
    const { page } = this;
    const again = () => {
      page.notice("");
      this.score();
    };
    /** @type {Act} */
    const act = kind === "gone" ? ["Review again", () => page.run()] : ["Try again", again];
    page.notice(OLD_SCORES, sentenceOf(refused), [act, ...this.undo()]);
  }

  /** Return a button for the last step, if there is one. @returns {Act[]} */
  undo() {
    const { state, deciding } = this.page;
    return state.worklist.steps.length ? [["Undo", () => deciding.undo()]] : [];
  }

  /** Report verdicts that cannot be applied at once, and show the reason at their places. */
  drawRefused(/** @type {number[]} */ before) {
    const { page } = this;
    const { worklist, noticed } = page.state;
    const refused = worklist.refused();
    if (refused.join() === before.join()) return;
    page.list.redraw();
    if ([...before, ...refused].includes(worklist.current)) page.drawItem();
    if (!refused.length) {
      if (noticed.endsWith(REFUSED)) page.notice("");
      return;
    }
    const number = refused.find((each) => !before.includes(each)) ?? refused[0];
    const place = worklist.places[number];
    const detail = `${place.id}, ${placeName(place)}: ${worklist.faultAt(number)}.`;
    const acts = [/** @type {Act} */ (["Show it", () => page.visit(number)]), ...this.undo()];
    page.notice(`${counted(refused.length, "verdict")} ${REFUSED}`, detail, acts);
  }
}
