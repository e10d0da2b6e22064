// The verdicts that this browser keeps for the files of a review, by place. A later review of the same files continues
// with them, and reviews in several windows share them.

import { OF_ANSWERS } from "./verdicts.js";

/** @import { Decision } from "./places.js" */
/**
 * A verdict, with the text of its answer, a unique stamp, the stamp of the verdict that it replaced, and whether it
 * applies to its group.
 * @typedef {[
 *   verdict: string, answer: string | null, value: string, stamp?: string, before?: string, isForGroup?: boolean
 * ]} KeptVerdict
 */
/** @typedef {Record<string, KeptVerdict>} KeptVerdicts  by place; the verdict "" is a deleted one */
/** @typedef {Record<string, [stamp: string, other: KeptVerdict]>} OtherVerdicts  by place; conflicts with this stamp */
/**
 * @typedef {object} KeptFile
 * @property {string} fingerprint  the fingerprint of the ground truths
 * @property {KeptVerdicts} verdicts
 * @property {KeptVerdicts} [earlier]  verdicts on other ground truths
 * @property {OtherVerdicts} [others]  conflicts: verdicts of two windows that did not know of each other
 */

/** Return the key of a place among the kept verdicts. */
export const keyOf = (/** @type {Pick<Server.Place, "identity">} */ { identity }) => JSON.stringify(identity);

/**
 * Return the verdict on an added row that an earlier version of the page kept. It used one key for all rows of a list
 * with the same index, so only the text of the answer identifies the row.
 * @type {(verdicts: KeptVerdicts, place: Server.Place) => KeptVerdict | undefined}
 */
const ofEarlierPage = (verdicts, { id, path, row, reference, answers }) => {
  const kept = row === null ? undefined : verdicts[JSON.stringify([id, path, row, reference])];
  return answers.some(({ text }) => text === kept?.[1]) ? kept : undefined;
};

const stampOf = (/** @type {KeptVerdict | undefined} */ verdict) => verdict?.[3] ?? "";
const saysSame = (/** @type {KeptVerdict} */ one, /** @type {KeptVerdict} */ other) =>
  [0, 1, 2].every((part) => one[part] === other[part]) && !one[5] === !other[5];

/**
 * Return the verdict that replaced the other, undefined if neither did.
 * @type {(one: KeptVerdict, other: KeptVerdict) => KeptVerdict | undefined}
 */
const later = (one, other) => {
  if (stampOf(one) === stampOf(other) || (one[4] ?? "") === stampOf(other)) return one;
  return (other[4] ?? "") === stampOf(one) ? other : undefined;
};

/**
 * Return the kept verdicts that fit a place.
 * @type {(verdicts: KeptVerdicts, places: Server.Place[]) => Map<number, Decision>}
 */
export const fitting = (verdicts, places) => {
  /** @type {Map<number, Decision>} */
  const found = new Map();
  places.forEach((place, number) => {
    const kept = verdicts[keyOf(place)] ?? ofEarlierPage(verdicts, place);
    if (!kept?.[0]) return;
    const [verdict, text, value, , , isForGroup] = kept;
    const answer = place.answers.findIndex((each) => each.text === text);
    if (answer < 0 && OF_ANSWERS.includes(verdict)) return;
    const decision = { verdict, answer: Math.max(0, answer), value };
    found.set(number, isForGroup ? { ...decision, isForGroup } : decision);
  });
  return found;
};

export class KeptReview {
  /**
   * @param {Pick<Storage, "getItem" | "setItem">} storage
   * @param {string} name  the name of the files
   * @param {string} fingerprint  the fingerprint of their ground truths
   */
  constructor(storage, name, fingerprint) {
    this.storage = storage;
    this.name = name;
    this.fingerprint = fingerprint;
    /** @type {KeptVerdicts} includes verdicts on places of other lists */
    this.verdicts = {};
    /** @type {KeptVerdicts} the last state that this window shared with the browser */
    this.agreed = {};
    /** @type {KeptVerdicts} verdicts on other ground truths */
    this.earlier = { ...this.read()?.earlier };
    /** @type {OtherVerdicts} */
    this.others = {};
    this.merge();
  }

  /** @returns {KeptFile | null} */
  read() {
    try {
      return JSON.parse(this.storage.getItem(this.name) ?? "null");
    } catch {
      return null;
    }
  }

  /** Keep the verdict on a place, or its deletion. */
  set(/** @type {Server.Place} */ place, /** @type {Decision | undefined} */ decision) {
    const key = keyOf(place);
    const { verdict, answer, value, isForGroup = false } = decision ?? { verdict: "", answer: -1, value: "" };
    const stamp = Date.now().toString(36) + Math.random().toString(36).slice(2);
    const text = place.answers[answer]?.text ?? null;
    this.verdicts[key] = [verdict, text, value, stamp, stampOf(this.agreed[key])];
    if (isForGroup) this.verdicts[key].push(isForGroup);
    delete this.earlier[key];
    delete this.others[key];
  }

  /**
   * The verdicts of another window that conflict with the kept verdicts.
   * @returns {KeptVerdicts}
   */
  get beside() {
    return Object.fromEntries(Object.entries(this.others).map(([key, [, other]]) => [key, other]));
  }

  /**
   * Take over the newer verdicts of another window. A window can write before it reads what another window wrote. So if
   * two verdicts do not know of each other, the later is kept, and the other is kept as a conflict.
   * @returns {{changed: string[], isWritten: boolean}} the places whose verdict has changed, and whether the browser
   *   has all verdicts and conflicts
   */
  merge() {
    const file = this.read();
    if (file && file.fingerprint !== this.fingerprint) {
      const open = Object.entries(file.verdicts).filter(([key]) => !(key in this.verdicts));
      this.earlier = { ...Object.fromEntries(open), ...this.earlier };
      return { changed: [], isWritten: false };
    }
    const { verdicts: read = {}, others = {} } = file ?? {};
    const changed = [];
    for (const [key, theirs] of Object.entries(read)) {
      const mine = this.verdicts[key];
      const kept = mine ? this.kept(key, mine, theirs) : theirs;
      if (!mine || !saysSame(mine, kept)) changed.push(key);
      this.verdicts[key] = kept;
    }
    for (const [key, other] of Object.entries({ ...others, ...this.others })) {
      if (stampOf(this.verdicts[key]) === other[0]) this.others[key] = other;
      else delete this.others[key];
    }
    const isWritten =
      Object.entries(this.verdicts).every(([key, each]) => stampOf(each) === stampOf(read[key])) &&
      Object.entries(this.others).every(([key, [stamp]]) => others[key]?.[0] === stamp);
    this.agreed = { ...this.verdicts };
    return { changed, isWritten };
  }

  /**
   * Return which of two verdicts on a place to keep.
   * @type {(key: string, mine: KeptVerdict, theirs: KeptVerdict) => KeptVerdict}
   */
  kept(key, mine, theirs) {
    const known = later(mine, theirs);
    if (known) return known;
    if (!mine[0] || !theirs[0]) return mine[0] ? mine : theirs;
    const [first, last] = stampOf(mine) < stampOf(theirs) ? [mine, theirs] : [theirs, mine];
    if (!saysSame(mine, theirs)) this.others[key] = [stampOf(last), first];
    return last;
  }

  /**
   * Merge and write the verdicts; throw an error if the browser does not store them.
   * @returns {string[]} the places whose verdict has changed
   */
  write() {
    const { changed } = this.merge();
    const { fingerprint, verdicts, earlier, others } = this;
    this.storage.setItem(this.name, JSON.stringify({ fingerprint, verdicts, earlier, others }));
    return changed;
  }
}
