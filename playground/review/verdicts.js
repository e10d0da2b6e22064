// The verdicts of a review: on single places, and on a place's group within the document.

/** @import { Decision } from "./places.js" */
/** @typedef {[number: number, decision: Decision]} Verdict  a verdict with the number of its place */

export const OF_ANSWERS = ["prediction", "both"]; // verdicts that choose an answer

/**
 * Return whether a verdict can apply to a group, in which each place then takes its own first answer.
 * @type {(decision: Decision) => boolean}
 */
export const isForMany = ({ verdict, answer }) =>
  verdict !== "other" && (!OF_ANSWERS.includes(verdict) || answer === 0);

export class Verdicts {
  constructor(/** @type {Pick<Server.Place, "document" | "group">[]} */ places = []) {
    /** @type {Map<string, number[]>} */
    const alike = new Map();
    /** @type {number[][]} by place, the numbers of its group in its document, including its own */
    this.groups = places.map(({ document, group }, number) => {
      const key = `${document} ${group}`;
      const numbers = alike.get(key) ?? [];
      alike.set(key, numbers);
      numbers.push(number);
      return numbers;
    });
    /** @type {Map<number, Decision>} */
    this.own = new Map();
    /** @type {Map<number[], number>} by group, the place whose verdict applies to the group */
    this.holders = new Map();
  }

  /** Set or delete a place's own verdict. The latest place with a verdict for its group holds the group's verdict. */
  set(/** @type {number} */ number, /** @type {Decision | undefined} */ decision) {
    const group = this.groups[number];
    if (decision) this.own.set(number, decision);
    else this.own.delete(number);
    if (decision?.isForGroup) this.holders.set(group, number);
    else if (this.holders.get(group) === number) this.holders.delete(group);
  }

  /** Return whether the verdict of a place applies to its group. */
  isHolder(/** @type {number} */ number) {
    return this.holders.get(this.groups[number]) === number;
  }

  /** Return the verdict that applies to a place. @type {(number: number) => Decision | undefined} */
  at(number) {
    const own = this.own.get(number);
    const held = this.own.get(this.holders.get(this.groups[number]) ?? -1);
    return own ?? (held && { ...held, answer: 0, isForGroup: false });
  }

  /** Return the other places that a verdict on the group of a place would decide: places without their own verdict. */
  followers(/** @type {number} */ number) {
    return this.groups[number].filter((each) => each !== number && !this.own.has(each));
  }

  /** Return the changes of a verdict for a place's group. The former holder keeps its verdict only for itself. */
  forGroup(/** @type {number} */ number, /** @type {Decision} */ decision) {
    const holder = this.holders.get(this.groups[number]) ?? number;
    const held = this.own.get(holder);
    /** @type {Verdict[]} */
    const verdicts = [[number, { ...decision, isForGroup: true }]];
    if (held && holder !== number) verdicts.push([holder, { ...held, isForGroup: false }]);
    return verdicts;
  }

  /** Count the places that verdicts decide, without former holders of a group's verdict. */
  sizeOf(/** @type {Verdict[]} */ verdicts) {
    const places = verdicts
      .filter(([, { isForGroup }]) => isForGroup !== false)
      .flatMap(([number, { isForGroup }]) => [number, ...(isForGroup ? this.followers(number) : [])]);
    return new Set(places).size;
  }

  /**
   * Replace equal verdicts on all places of a group by one for the group.
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
