// The verdicts of a review: those that a place has itself, and those that hold for its group within the document.

/** @import { Decision } from "./places.js" */
/** @typedef {[number: number, decision: Decision]} Verdict  on a place, by its number */

const OF_ANSWERS = ["prediction", "both"]; // verdicts that mean an answer

/**
 * Whether a verdict can hold for a group: each of its places then takes its own first answer.
 * @type {(decision: Decision) => boolean}
 */
export const isForMany = ({ verdict, answer }) =>
  verdict !== "other" && (!OF_ANSWERS.includes(verdict) || answer === 0);

export class Verdicts {
  constructor(/** @type {Pick<Server.Place, "document" | "group">[]} */ places = []) {
    /** @type {Map<string, number[]>} */
    const alike = new Map();
    /** @type {number[][]} by the number of a place those that are alike in its document, itself among them */
    this.groups = places.map(({ document, group }, number) => {
      const key = `${document} ${group}`;
      const numbers = alike.get(key) ?? [];
      alike.set(key, numbers);
      numbers.push(number);
      return numbers;
    });
    /** @type {Map<number, Decision>} */
    this.own = new Map();
    /** @type {Map<number[], number>} by group the place whose verdict holds for it */
    this.holders = new Map();
  }

  /** Give a place a verdict of its own, or take it back. One place holds the verdict of a group: the latest. */
  set(/** @type {number} */ number, /** @type {Decision | undefined} */ decision) {
    const group = this.groups[number];
    if (decision) this.own.set(number, decision);
    else this.own.delete(number);
    if (decision?.isForGroup) this.holders.set(group, number);
    else if (this.holders.get(group) === number) this.holders.delete(group);
  }

  /** Whether the verdict of a place holds for its group. */
  isHolder(/** @type {number} */ number) {
    return this.holders.get(this.groups[number]) === number;
  }

  /** The verdict that holds for a place. @type {(number: number) => Decision | undefined} */
  at(number) {
    const own = this.own.get(number);
    const held = this.own.get(this.holders.get(this.groups[number]) ?? -1);
    return own ?? (held && { ...held, answer: 0, isForGroup: false });
  }

  /** The places for which a verdict on the group of a place would hold beside it: those without one of their own. */
  followers(/** @type {number} */ number) {
    return this.groups[number].filter((each) => each !== number && !this.own.has(each));
  }

  /** What a verdict for the group of a place changes: another place that held one keeps it for itself. */
  forGroup(/** @type {number} */ number, /** @type {Decision} */ decision) {
    const holder = this.holders.get(this.groups[number]) ?? number;
    const held = this.own.get(holder);
    /** @type {Verdict[]} */
    const verdicts = [[number, { ...decision, isForGroup: true }]];
    if (held && holder !== number) verdicts.push([holder, { ...held, isForGroup: false }]);
    return verdicts;
  }

  /** How many places verdicts decide; a place that holds that of its group no more is not among them. */
  sizeOf(/** @type {Verdict[]} */ verdicts) {
    const places = verdicts
      .filter(([, { isForGroup }]) => isForGroup !== false)
      .flatMap(([number, { isForGroup }]) => [number, ...(isForGroup ? this.followers(number) : [])]);
    return new Set(places).size;
  }

  /**
   * Verdicts with one for each group of which all places have the same.
   * @type {(verdicts: Verdict[]) => Verdict[]}
   */
  folded(verdicts) {
    const given = new Map(verdicts);
    return verdicts.flatMap(([number, decision]) => {
      const group = this.groups[number];
      const isSame = (/** @type {number} */ each) => {
        const other = given.get(each);
        return other?.verdict === decision.verdict && isForMany(other);
      };
      if (group.length < 2 || !group.every(isSame)) return [/** @type {Verdict} */ ([number, decision])];
      return number === group[0] ? [/** @type {Verdict} */ ([number, { ...decision, isForGroup: true }])] : [];
    });
  }
}
