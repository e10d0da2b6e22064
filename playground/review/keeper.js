// Keeps the verdicts and undo steps of a review in this browser, and takes over verdicts of other windows and files.

import { counted, fileName } from "../parts/words.js";
import { KeptReview, fitting, keyOf } from "./kept.js";

/** @import { Act } from "../parts/file_tab.js" */
/** @import { ReviewTab } from "./review.js" */

const KEPT = "docscore-review "; // the prefix of the storage keys of verdicts in this browser
const STEPS = "docscore-review-steps"; // the storage key of undo steps in this browser tab
const TWICE = "decided differently in another window.";

export class Keeper {
  constructor(/** @type {Pick<ReviewTab, "state" | "scoring" | "notice" | "look" | "setMode" | "drawAll">} */ page) {
    this.page = page;
    /** @type {KeptReview | null} */
    this.kept = null;
    this.writing = 0; // fires when verdicts are written to the storage
    window.addEventListener("storage", ({ key }) => this.hear(key));
    window.addEventListener("pagehide", () => this.finish());
  }

  keep(/** @type {number[]} */ changed) {
    const { places, decisions } = this.page.state.worklist;
    for (const number of changed) this.kept?.set(places[number], decisions.get(number));
    if (!this.writing) this.writing = window.setTimeout(() => this.store(), 0); // must not delay a key's response
  }

  /** Write what is not written yet. */
  finish() {
    if (this.writing) this.store();
  }

  /** Write verdicts and steps, and take over the verdicts of other windows. */
  store() {
    const { result, steps } = this.page.state.worklist;
    clearTimeout(this.writing);
    this.writing = 0;
    try {
      sessionStorage.setItem(STEPS, JSON.stringify({ run: result?.run, steps }));
      this.adopt(this.kept?.write() ?? []);
    } catch {
      this.page.notice("This browser cannot keep the verdicts.", "Download them before you leave the page.");
    }
  }

  /** Take over what another window has written. */
  hear(/** @type {string | null} */ key) {
    if (!this.kept || key !== this.kept.name) return;
    const { changed, isWritten } = this.kept.merge();
    this.adopt(changed);
    if (!isWritten) this.keep([]);
  }

  /** Take over the verdicts of other windows on the places with these keys. */
  adopt(/** @type {string[]} */ keys) {
    const { page, kept } = this;
    const { worklist } = page.state;
    if (!kept) return;
    const before = worklist.others.size;
    worklist.others = fitting(kept.beside, worklist.places);
    const count = worklist.others.size;
    if (keys.length) {
      const decisions = fitting(kept.verdicts, worklist.places);
      const numbers = [...worklist.places.keys()].filter((number) => keys.includes(keyOf(worklist.places[number])));
      worklist.adopt(numbers.map((number) => [number, decisions.get(number)]));
      page.scoring.soon();
    }
    if (!keys.length && count === before) return;
    page.drawAll();
    if (!count && page.state.noticed.endsWith(TWICE)) page.notice("");
    if (count > before) {
      const look = page.look("Look at them", "twice");
      page.notice(`${counted(count, "place was", "places were")} ${TWICE}`, "", [look]);
    }
  }

  /** Take the kept verdicts for the files of a result, and offer verdicts on other ground truths. */
  take(/** @type {Server.Review} */ { run, asked, fingerprint }) {
    const { references, worklist } = this.page.state;
    const name = KEPT + [references, ...asked.predictions.map(fileName)].join(" ");
    this.kept = new KeptReview(localStorage, name, fingerprint);
    for (const each of fitting(this.kept.verdicts, worklist.places)) worklist.verdicts.set(...each);
    worklist.earlier = fitting(this.kept.earlier, worklist.places);
    worklist.others = fitting(this.kept.beside, worklist.places);
    this.takeSteps(run);
    const count = Object.keys(this.kept.earlier).length;
    if (count) this.offerEarlier(count);
  }

  /** Restore the undo steps of this browser tab, which survive a reload. */
  takeSteps(/** @type {string} */ run) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(STEPS) ?? "null");
      if (kept?.run === run) this.page.state.worklist.steps = kept.steps;
    } catch {
      /* then nothing can be undone */
    }
  }

  /** Offer verdicts on other ground truths, as far as they fit places of this review. */
  offerEarlier(/** @type {number} */ count) {
    const fit = this.page.state.worklist.earlier.size;
    const gone = count - fit;
    const lost = gone ? `, ${counted(gone, "place is", "places are")} gone` : "";
    /** @type {Act[]} */
    const acts = [["Discard", () => this.forgetEarlier()]];
    if (fit) acts.unshift(this.page.look("Look at them again", "earlier"));
    const fits = `${fit} fit${fit === 1 ? "s" : ""}`;
    this.page.notice(`${counted(count, "verdict")} of an earlier file: ${fits}${lost}.`, "", acts);
  }

  forgetEarlier() {
    const { worklist } = this.page.state;
    if (this.kept) this.kept.earlier = {};
    worklist.earlier = new Map();
    this.page.notice("");
    this.keep([]);
    if (worklist.mode === "earlier") this.page.setMode("agree");
  }
}
