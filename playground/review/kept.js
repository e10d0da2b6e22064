// The verdicts that this browser keeps for the files of a review, by place: a review of the same files goes on with
// them.

/** @import { Decision } from "./places.js" */
/** @typedef {Record<string, [verdict: string, answer: string | null, value: string]>} KeptVerdicts  by place */
/** @typedef {{fingerprint: string, verdicts: KeptVerdicts, earlier?: KeptVerdicts}} KeptFile */

const OF_ANSWERS = ["prediction", "both"]; // verdicts that mean an answer

/** What a place is called among the verdicts that are kept. */
export const keyOf = (/** @type {Pick<Server.Place, "id" | "path" | "row" | "reference">} */ place) =>
  JSON.stringify([place.id, place.path, place.row, place.reference]);

/**
 * The verdicts among those kept that fit a place.
 * @type {(verdicts: KeptVerdicts, places: Server.Place[]) => Map<number, Decision>}
 */
export const fitting = (verdicts, places) => {
  /** @type {Map<number, Decision>} */
  const found = new Map();
  places.forEach((place, number) => {
    const kept = verdicts[keyOf(place)];
    if (!kept) return;
    const [verdict, text, value] = kept;
    const answer = place.answers.findIndex((each) => each.text === text);
    if (answer < 0 && OF_ANSWERS.includes(verdict)) return;
    found.set(number, { verdict, answer: Math.max(0, answer), value });
  });
  return found;
};

export class KeptReview {
  /**
   * @param {Pick<Storage, "getItem" | "setItem">} storage
   * @param {string} name  of the files
   * @param {string} fingerprint  of their ground truths
   */
  constructor(storage, name, fingerprint) {
    this.storage = storage;
    this.name = name;
    this.fingerprint = fingerprint;
    const file = this.read();
    const isSame = file?.fingerprint === fingerprint;
    /** @type {KeptVerdicts} those of places that another list has, too */
    this.verdicts = isSame && file ? file.verdicts : {};
    /** @type {KeptVerdicts | undefined} those on other ground truths */
    this.earlier = isSame ? file?.earlier : file?.verdicts;
  }

  /** @returns {KeptFile | null} */
  read() {
    try {
      return JSON.parse(this.storage.getItem(this.name) ?? "null");
    } catch {
      return null;
    }
  }

  /** Keep the verdict on a place, or that there is none. */
  set(/** @type {Server.Place} */ place, /** @type {Decision | undefined} */ decision) {
    const key = keyOf(place);
    if (decision) {
      this.verdicts[key] = [decision.verdict, place.answers[decision.answer]?.text ?? null, decision.value];
    } else delete this.verdicts[key];
    delete this.earlier?.[key];
  }

  /** Write what is kept; an error if the browser does not. */
  write() {
    const { fingerprint, verdicts, earlier } = this;
    this.storage.setItem(this.name, JSON.stringify({ fingerprint, verdicts, ...(earlier ? { earlier } : {}) }));
  }
}
