// The state of the tab for reviews: its files, the worklist of its result, and the view of it, which is in the address.

import { fileName } from "../parts/words.js";
import { SAMPLE, Worklist } from "./worklist.js";

/** @import { ComparedFiles } from "../parts/file_tab.js" */
/** @typedef {Pick<Server.ReviewRequest, "verdicts" | "texts" | "sample" | "sample_of">} ReviewExtra */
/**
 * @typedef {object} ReviewView
 * @property {string} list  the name of the list, "" for none
 * @property {string} find  a text that listed places contain
 * @property {number | null} place  the number of the place; null for the summary
 */

export const SAMPLED = 80; // places in a sample
const HELD = 500; // milliseconds; places that a visitor passes faster than this are one step of Back
/** @type {ReviewExtra} */
export const NO_EXTRA = { verdicts: null, texts: null, sample: 0, sample_of: "" };

/** Return the name of the review in an address, null if there is none, and the view of the review. */
export const reviewOf = (/** @type {string} */ hash) => {
  const asked = new URLSearchParams(hash.slice(1));
  const place = Number.parseInt(asked.get("place") ?? "", 10);
  const view = { list: asked.get("list") ?? "", find: asked.get("find") ?? "", place: place >= 0 ? place : null };
  return { run: asked.get("review"), view };
};

/** @type {(run: string, view: ReviewView) => string} */
export const addressOfReview = (run, { list, find, place }) => {
  const parts = new URLSearchParams({ review: run, list });
  if (find) parts.set("find", find);
  if (place !== null) parts.set("place", String(place));
  return `#${parts}`;
};

export class ReviewState {
  constructor() {
    this.isShown = false; // whether the result is shown, not the drop box
    this.isDone = false; // whether the summary is shown, not a place
    this.isListOpen = false; // on a phone
    this.noticed = ""; // the title of the notice
    this.moved = 0; // the time when another place was shown
    /** @type {ComparedFiles | null} */
    this.files = null;
    this.extra = NO_EXTRA; // further parts of a request
    this.worklist = new Worklist();
  }

  get result() {
    return this.worklist.result;
  }

  /** The name of the file of the ground truths. */
  get references() {
    const { asked } = this.result ?? {};
    return fileName(asked?.references ?? asked?.predictions[0] ?? "");
  }

  get corrected() {
    return this.references.replace(/(\.[^.]+)$/, "_corrected$1");
  }

  /** Take other files, and list places where predictions agree, without a sample. Given texts and verdicts stay. */
  begin(/** @type {ComparedFiles} */ files, extra = this.extra) {
    this.files = files;
    this.extra = { ...extra, sample: 0, sample_of: "" };
    this.worklist.mode = "agree";
  }

  /** Add further parts to the next request. */
  add(/** @type {Partial<ReviewExtra>} */ extra) {
    this.extra = { ...this.extra, ...extra };
  }

  /** Go back to the files and the further parts of the result's request. */
  restore() {
    if (!this.result) return;
    const { references, predictions, names, reading, texts, sample, sample_of } = this.result.asked;
    this.files = { references, predictions, names, reading };
    this.extra = { verdicts: null, texts, sample, sample_of };
  }

  /** Take a new result, without verdicts. */
  open(/** @type {Server.Review} */ found) {
    this.worklist = new Worklist(found, this.worklist);
    this.restore();
  }

  /** Choose a list; return whether the server must sample it. */
  setMode(/** @type {string} */ name) {
    const isSample = name.startsWith(SAMPLE);
    const wasSample = this.extra.sample > 0;
    this.add({ sample: isSample ? SAMPLED : 0, sample_of: isSample ? name.slice(SAMPLE.length) : "" });
    this.worklist.mode = isSample ? "sample" : name;
    return isSample || wasSample;
  }

  /** The current view. @returns {ReviewView} */
  get view() {
    const { mode, find, current } = this.worklist;
    const list = mode === "sample" ? SAMPLE + this.extra.sample_of : mode;
    return { list, find, place: this.isDone || current < 0 ? null : current };
  }

  get address() {
    return addressOfReview(this.result?.run ?? "", this.view);
  }

  /** Take the list, if it exists, and the text of a view; return whether they change. No sample is drawn again. */
  takeView(/** @type {ReviewView} */ { list, find }) {
    const { worklist, view } = this;
    const isKnown = worklist.modes().some(({ name }) => name === list);
    if (isKnown && list !== view.list && !list.startsWith(SAMPLE)) worklist.mode = list;
    worklist.find = find;
    return list !== view.list || find !== view.find;
  }

  /** Pass to another place; return whether the previous one was shown so briefly that both are one step of Back. */
  pass(/** @type {number} */ now) {
    const isHeld = now - this.moved < HELD;
    this.moved = now;
    return isHeld;
  }
}
