// The worklist of a review: its places, the listed places, the verdicts with undo steps, and their effects.

import { blindOrder, groupsOf, placeName, verdictWords } from "./places.js";
import { Verdicts, isForMany } from "./verdicts.js";

/** @import { Decision, Group } from "./places.js" */
/** @import { Verdict } from "./verdicts.js" */
/** @typedef {{place: Server.Place, decision: Decision}} Decided */
/** @typedef {"place" | "document" | "all"} Reach  a place, similar places of its document, or of all documents */
/** @typedef {{reach: Reach, words: string, until: string}} Choice  until: the open condition, "" for none */
/** @typedef {Group & {firsts: number[]}} ListedGroup  with the first place of each document */
/** @typedef {{mode: string, find: string, isBlind: boolean}} Look  which places are listed, and how they are shown */

export const SURE = 3; // equal verdicts on a group that are needed before one verdict can decide the other places
const LARGE = 0.2; // the least share of open places at which the headline names a group
export const SAMPLE = "sample "; // the prefix of the names of random samples, before the name of a system

/** @type {Look} */
const LOOK = { mode: "agree", find: "", isBlind: false };

export class Worklist {
  /**
   * @param {Server.Review | null} result
   * @param {Look} look  of the previous worklist
   */
  constructor(result = null, { mode, find, isBlind } = LOOK) {
    this.result = result;
    // the listed places: where predictions "agree", "all", a "sample", places with verdicts on an "earlier" file, or
    // places that another window ("twice") or a second reader ("readers") decided differently
    this.mode = mode === "agree" && result && !this.hasSystems ? "all" : mode;
    if (result && result.sampled !== null) this.mode = "sample";
    this.find = find; // a text that listed places contain
    this.isBlind = isBlind; // whether the sides of values are hidden
    this.verdicts = new Verdicts(this.places);
    /** @type {Map<number, Decision>} verdicts on an earlier file, to be looked at again */
    this.earlier = new Map();
    /** @type {Map<number, Decision>} different verdicts of another window */
    this.others = new Map();
    /** @type {Map<number, Decision>} different verdicts of a second reader */
    this.second = new Map();
    /** @type {[number: number, before: Decision | undefined][][]} the undo steps: what each changed, the newest last */
    this.steps = [];
    /** @type {ListedGroup[]} groups of the listed places */
    this.groups = [];
    /** @type {number[]} the listed places; only the first of similar places in a document, until these are opened */
    this.order = [];
    /** @type {number[]} the listed places; always only the first of similar places in a document */
    this.firsts = [];
    /** @type {Set<number[]>} similar places of a document that are listed one by one */
    this.opened = new Set();
    /** @type {Map<number, ListedGroup>} */
    this.groupsByPlace = new Map();
    this.current = -1; // the number of the current place
    this.chosen = 0; // the number of its chosen answer
    /** @type {Set<number>} its picked values in blind work */
    this.picked = new Set();
    /** @type {Reach} the places that the visitor wants to decide by the next verdict */
    this.wanted = "place";
    /** @type {Set<number>} documents whose scores must be computed again */
    this.stale = new Set();
    /** @type {Map<number, number[]>} the gain of each system by the verdicts on a document */
    this.gains = new Map();
    /** @type {Map<number, [path: string, text: string][]>} why the verdicts on a document cannot be applied */
    this.faults = new Map();
  }

  /** The places' own verdicts. */
  get decisions() {
    return this.verdicts.own;
  }

  get places() {
    return this.result?.places ?? [];
  }

  /** The current place; undefined if there is none. @returns {Server.Place | undefined} */
  get place() {
    return this.places[this.current];
  }

  get hasSystems() {
    return (this.result?.systems.length ?? 0) > 1;
  }

  /** The number of decided listed places; similar places of a document count once. */
  get decided() {
    return this.doneOf(this.firsts);
  }

  /** Count the places that are decided, together with similar places in their documents. */
  doneOf(/** @type {number[]} */ firsts) {
    return firsts.filter((number) => !this.alikeOf(number).some((each) => this.isOpen(each))).length;
  }

  /** Return places and the similar places that they represent in their documents. */
  placesOf(/** @type {number[]} */ firsts) {
    return firsts.flatMap((number) => this.alikeOf(number));
  }

  /** Return the number of places in a group of the list. */
  sizeOf(/** @type {ListedGroup} */ { firsts }) {
    return this.placesOf(firsts).length;
  }

  /** The verdicts of another window or reader whose places are listed, to be decided again; null in other lists. */
  get differing() {
    if (this.mode === "twice") return this.others;
    return this.mode === "readers" ? this.second : null;
  }

  /** Return whether a place is open; in a list of differing verdicts, it is open again. */
  isOpen(/** @type {number} */ number) {
    return this.differing?.has(number) || !this.verdicts.at(number);
  }

  /** Whether similar places of a document are listed as one. In other lists, places were chosen one by one. */
  get isByGroup() {
    return !this.isBlind && ["agree", "all"].includes(this.mode);
  }

  /** Return the places of a document that are listed as one with a place, including itself. */
  alikeOf(/** @type {number} */ number) {
    return this.isByGroup ? this.verdicts.groups[number] : [number];
  }

  /** Return whether a row of the list is open: a place, or similar places that are listed as one. */
  isRowOpen(/** @type {number} */ number) {
    const alike = this.alikeOf(number);
    return this.opened.has(alike) ? this.isOpen(number) : alike.some((each) => this.isOpen(each));
  }

  /** Return how many more places a row of the list represents. */
  more(/** @type {number} */ number) {
    const alike = this.alikeOf(number);
    return this.opened.has(alike) ? 0 : alike.length - 1;
  }

  /** List the similar places of a document one by one. */
  unfold(/** @type {number} */ number) {
    if (this.alikeOf(number).length < 2 || this.opened.has(this.alikeOf(number))) return;
    this.opened.add(this.alikeOf(number));
    this.list();
  }

  // List

  /** Return the lists that can be chosen. */
  modes() {
    const modes = [{ name: "all", label: "Everything that is not exact" }];
    if (this.hasSystems) modes.unshift({ name: "agree", label: "Where predictions agree" });
    for (const name of this.result?.asked.names ?? []) {
      modes.push({ name: SAMPLE + name, label: `A random sample of what ${name} lost` });
    }
    if (this.earlier.size) modes.push({ name: "earlier", label: "Of an earlier file" });
    if (this.others.size) modes.push({ name: "twice", label: "Decided differently in another window" });
    if (this.second.size) modes.push({ name: "readers", label: "Where a second reader differs" });
    return modes;
  }

  /** The label of the current list. */
  get modeLabel() {
    const { result } = this;
    if (result && this.mode === "sample") return `A sample of what ${result.systems[result.sampled ?? 0].name} lost`;
    return this.modes().find(({ name }) => name === this.mode)?.label ?? "";
  }

  /** Return the number of places in the group of the current place. */
  sizeOfGroup() {
    const group = this.groupOf(this.current);
    return group ? this.sizeOf(group) : this.place ? this.alikeOf(this.current).length : 0;
  }

  /** List the places of the mode that contain the text, in groups. */
  list() {
    const wanted = this.find.trim().toLowerCase();
    const isFound = (/** @type {Server.Place} */ place) =>
      [place.id, placeName(place), place.truth, ...place.answers.map((answer) => answer.text)].some((each) =>
        each?.toLowerCase().includes(wanted),
      );
    const isListed = (/** @type {number} */ number) => {
      const place = this.places[number];
      if (this.mode === "agree" && place.agree < 2) return false;
      return (chosen?.has(number) ?? true) && (!wanted || isFound(place));
    };
    const chosen = this.mode === "earlier" ? this.earlier : this.differing;
    const listed = [...this.places.keys()].filter(isListed);
    /** @type {Map<number[], number>} */
    const firstOf = new Map();
    for (const number of listed) {
      const alike = this.verdicts.groups[number];
      if (!firstOf.has(alike)) firstOf.set(alike, number);
    }
    const first = (/** @type {number} */ number) =>
      this.isByGroup ? (firstOf.get(this.verdicts.groups[number]) ?? number) : number;
    const rows = (/** @type {number} */ number) => {
      const alike = this.alikeOf(number);
      return this.opened.has(alike) ? [number, ...alike.filter((each) => each !== number)] : [number];
    };
    this.groups = groupsOf(this.places, listed).map((group) => {
      const firsts = [...new Set(group.numbers.map(first))];
      return { ...group, firsts, numbers: firsts.flatMap(rows) };
    });
    this.firsts = this.groups.flatMap(({ firsts }) => firsts);
    this.order = this.groups.flatMap((group) => group.numbers);
    this.groupsByPlace = new Map(
      this.groups.flatMap((group) =>
        group.firsts.flatMap((each) => this.alikeOf(each).map((number) => /** @type {const} */ ([number, group]))),
      ),
    );
  }

  /** Return the group of a place, if it has similar places. @returns {ListedGroup | undefined} */
  groupOf(/** @type {number} */ number) {
    const group = this.groupsByPlace.get(number);
    return group?.alike ? group : undefined;
  }

  /** Return the next open place of the list after a place, or from the beginning; null if all are decided. */
  next(/** @type {number} */ from) {
    const at = this.order.indexOf(from);
    const others = [...this.order.slice(at + 1), ...this.order.slice(0, at + 1)];
    return others.find((number) => this.isRowOpen(number)) ?? null;
  }

  /** Whether the list has places, and all are decided. */
  get isDecided() {
    return this.order.length > 0 && this.next(-1) === null;
  }

  /** The first open place of the list, else its first place; -1 in an empty list. */
  get first() {
    return this.next(-1) ?? this.order[0] ?? -1;
  }

  /** Show a place, with the answer of its verdict. */
  go(/** @type {number} */ number) {
    if (number >= 0 && !this.order.includes(number) && this.groupsByPlace.has(number)) this.unfold(number);
    this.current = number;
    this.chosen = this.verdicts.at(number)?.answer ?? 0;
    this.picked = new Set();
    this.wanted = this.usualReach;
  }

  /** Return the largest group of open places, if it is at least a fifth of the open places. */
  largestOpen() {
    const isOpen = (/** @type {number} */ number) => this.isOpen(number);
    const [largest] = this.groups
      .filter(({ alike }) => alike)
      .map(({ name, firsts }) => ({
        name,
        open: this.placesOf(firsts).filter(isOpen).length,
        rows: firsts.filter((number) => this.isRowOpen(number)),
      }))
      .sort((one, other) => other.open - one.open);
    const left = this.placesOf(this.firsts).filter(isOpen).length;
    return largest?.open > 1 && largest.open >= LARGE * left ? { ...largest, left } : null;
  }

  /** Return how many listed places a comparison by value settles; 0 if below a fifth, or after the first verdict. */
  byValue() {
    const listed = this.placesOf(this.firsts);
    const count = listed.filter((number) => this.places[number].by_value).length;
    return this.decisions.size || count < LARGE * listed.length ? 0 : count;
  }

  // Verdicts

  /** Set verdicts as one step. @type {(verdicts: Verdict[]) => number[]} */
  apply(verdicts) {
    if (!verdicts.length) return [];
    this.steps.push(verdicts.map(([number]) => [number, this.decisions.get(number)]));
    for (const [number, decision] of verdicts) {
      this.verdicts.set(number, decision);
      this.others.delete(number);
      this.second.delete(number);
    }
    return this.touch(verdicts.map(([number]) => number));
  }

  /**
   * Take over verdicts of another window, undefined for deleted ones. Undo steps of this window do not change them.
   * @type {(verdicts: [number: number, decision: Decision | undefined][]) => number[]}
   */
  adopt(verdicts) {
    const numbers = verdicts.map(([number]) => number);
    for (const [number, decision] of verdicts) this.verdicts.set(number, decision);
    const isOwn = (/** @type {[number, unknown]} */ [number]) => !numbers.includes(number);
    this.steps = this.steps.map((step) => step.filter(isOwn)).filter((step) => step.length);
    return this.touch(numbers);
  }

  /** Undo the last step; return its places. @type {() => number[]} */
  undo() {
    const last = this.steps.pop() ?? [];
    for (const [number, before] of [...last].reverse()) this.verdicts.set(number, before);
    return this.touch(last.map(([number]) => number));
  }

  /** Mark the documents of places for scoring. @type {(numbers: number[]) => number[]} */
  touch(numbers) {
    for (const number of numbers) this.stale.add(this.places[number].document);
    return numbers;
  }

  /** Take the computed gains of documents. @type {(asked: Set<number>, found: Server.Gains) => void} */
  score(asked, { gains, faults }) {
    for (const document of asked) {
      this.gains.delete(document);
      this.stale.delete(document);
      this.faults.delete(document);
    }
    for (const [document, ...gained] of gains) this.gains.set(document, gained);
    for (const [document, ...fault] of faults) {
      this.faults.set(document, [...(this.faults.get(document) ?? []), fault]);
    }
  }

  /** Return why the verdict on a place cannot be applied, "" if it can. */
  faultAt(/** @type {number} */ number) {
    const { document, path, whole } = this.places[number];
    const verdict = this.verdicts.at(number)?.verdict;
    const isOptional = whole && verdict === "both";
    const isHere = (/** @type {string} */ at) => (at ? at === path : isOptional);
    return (verdict && this.faults.get(document)?.find(([at]) => isHere(at))?.[1]) || "";
  }

  /** Return the places whose verdicts cannot be applied. */
  refused() {
    return [...this.places.keys()].filter(
      (number) => this.faults.has(this.places[number].document) && this.faultAt(number),
    );
  }

  /** Return the scores of the systems with the corrected documents. */
  after() {
    const { systems = [], count = 1 } = this.result ?? {};
    return systems.map(({ score }, system) => {
      let sum = 0;
      for (const gained of this.gains.values()) sum += gained[system];
      return score + sum / count;
    });
  }

  /**
   * Return the verdicts of a decision on the current place, on similar places of its document, or on all open places of
   * its group. If one verdict cannot apply to a group, each place gets its own, from the answer of the same systems.
   * @type {(decision: Decision, reach?: Reach) => Verdict[]}
   */
  verdictsOf(decision, reach = "place") {
    const { current, place } = this;
    if (!place) return [];
    if (reach === "document" && isForMany(decision)) return this.verdicts.forGroup(current, { ...decision, answer: 0 });
    const all = this.placesOf(this.groupOf(current)?.firsts ?? []);
    const others = { place: [], document: this.verdicts.followers(current), all }[reach];
    /** @type {Verdict[]} */
    const verdicts = [[current, decision]];
    for (const number of others) {
      const answer = answerOf(this.places[number], place.answers[decision.answer].systems);
      if (number === current || !this.isOpen(number) || answer < 0) continue;
      verdicts.push([number, { verdict: decision.verdict, answer, value: "" }]);
    }
    return this.verdicts.folded(verdicts);
  }

  /** Return the possible reaches of a verdict on the current place. @returns {Choice[]} */
  reaches() {
    const { current } = this;
    const group = this.isBlind ? undefined : this.groupOf(current);
    const followers = this.isBlind || !this.place ? 0 : this.verdicts.followers(current).length;
    /** @type {Choice[]} */
    const choices = [{ reach: "place", words: "Only this", until: "" }];
    if (followers) {
      choices.push({ reach: "document", words: `${(followers + 1).toLocaleString("en")} in this document`, until: "" });
    }
    if (!group || group.firsts.length < 2) return choices;
    const words = `All ${this.sizeOf(group).toLocaleString("en")}`;
    return [...choices, { reach: "all", words, until: this.untilSure() }];
  }

  /** The reach of the next verdict: the wanted one, if it is possible. @returns {Reach} */
  get reach() {
    return this.reaches().some(({ reach, until }) => reach === this.wanted && !until) ? this.wanted : "place";
  }

  /** Let the next verdict apply to more places, or to only this one again. */
  widen() {
    const offered = this.reaches().filter(({ until }) => !until);
    const at = offered.findIndex(({ reach }) => reach === this.reach);
    this.wanted = offered[(at + 1) % offered.length].reach;
  }

  /** The default reach of a verdict on the current place. @returns {Reach} */
  get usualReach() {
    const { current, opened } = this;
    if (!this.place || !this.isByGroup || opened.has(this.alikeOf(current)) || !this.verdicts.followers(current).length)
      return "place";
    return "document";
  }

  /** Return why one verdict cannot decide the group of the current place yet; "" if it can. */
  untilSure() {
    const { firsts = [] } = this.groupOf(this.current) ?? {};
    if (firsts.length <= SURE) return "";
    const verdicts = firsts.slice(0, SURE).flatMap((number) => this.verdicts.at(number)?.verdict ?? []);
    if (new Set(verdicts).size > 1) return "the first three differ";
    return verdicts.length < SURE ? `after ${SURE - verdicts.length} more` : "";
  }

  /** Choose an answer; in blind work, pick a value or put it back. */
  choose(/** @type {number} */ side) {
    if (!this.isBlind) this.chosen = side;
    else if (!this.picked.delete(side)) this.picked.add(side);
  }

  /** Return the side of a letter; undefined if there is none. */
  sideOf(/** @type {number} */ letter) {
    const { place } = this;
    if (!place) return undefined;
    return this.isBlind ? blindOrder(place)[letter] : [...place.answers.keys()][letter];
  }

  /** Return the verdict that the values picked in blind work are right; null if they do not give a verdict. */
  pickedDecision() {
    const answers = [...this.picked].filter((side) => side >= 0);
    const hasTruth = this.picked.has(-1);
    if (!this.picked.size || answers.length > 1) return null;
    const verdict = !answers.length ? "ground_truth" : hasTruth ? "both" : "prediction";
    return { verdict, answer: answers[0] ?? 0, value: "" };
  }

  // For the server and the summary

  /** Return verdicts in the form of the server, by default all of them. */
  asText(/** @type {Iterable<Verdict>} */ verdicts = this.decisions) {
    return JSON.stringify(
      [...verdicts].map(([number, { verdict, answer, value }]) => [
        number,
        verdict,
        answer,
        value,
        this.verdicts.isHolder(number),
      ]),
    );
  }

  /** Return the verdicts on some documents. */
  verdictsOn(/** @type {Set<number>} */ documents) {
    return [...this.decisions].filter(([number]) => documents.has(this.places[number].document));
  }

  /** Return the verdicts on listed places and similar ones. @type {(numbers: number[]) => Verdict[]} */
  verdictsAt(numbers) {
    return [...new Set(numbers.flatMap((number) => this.alikeOf(number)))].flatMap((number) => {
      const decision = this.verdicts.at(number);
      return decision ? [/** @type {Verdict} */ ([number, decision])] : [];
    });
  }

  /** Return the decided listed places. @returns {Decided[]} */
  decidedPlaces() {
    return this.verdictsAt(this.order).map(([number, decision]) => ({ place: this.places[number], decision }));
  }

  /** Return the words of the verdicts on some places, without duplicates. */
  wordsAt(/** @type {number[]} */ numbers) {
    const words = this.verdictsAt(numbers).map(([number, { verdict }]) => verdictWords(this.places[number], verdict));
    return [...new Set(words)].join(", ");
  }
}

/**
 * Return the answer of a place that most of the same systems give, -1 if none of them gives one.
 * @type {(place: Server.Place, systems: number[]) => number}
 */
const answerOf = (place, systems) => {
  const shared = place.answers.map((answer) => answer.systems.filter((system) => systems.includes(system)).length);
  const most = Math.max(...shared);
  return most ? shared.indexOf(most) : -1;
};
