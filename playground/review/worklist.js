// What a review holds: its places, which of them are listed, the verdicts on them with their undo, and what they
// change.

import { blindOrder, groupName, groupsOf, placeName, verdictWords } from "./places.js";

/** @import { Decision, Group } from "./places.js" */
/** @typedef {Pick<Server.ReviewRequest, "references" | "predictions" | "names" | "reading">} ReviewedFiles */
/** @typedef {Pick<Server.ReviewRequest, "verdicts" | "texts" | "sample" | "sample_of">} ReviewExtra */
/** @typedef {[number: number, decision: Decision]} Verdict  on a place, by its number */
/** @typedef {{place: Server.Place, decision: Decision}} Decided */

const SURE = 3; // places of a group that are decided alike before one verdict may decide the others
const LARGE = 0.2; // share of what is open from which a group is named
const SAMPLE = "sample "; // begins the names of lists that are drawn at random, before a system

/**
 * What of a review is shown, as it stands in the address.
 * @typedef {object} ReviewView
 * @property {string} list  the name of the list, "" for none
 * @property {string} find  a text in the places that are listed
 * @property {number | null} place  its number; null for the summary
 */

/** The name of a review and the view of it in an address; the name is null if there is none. */
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

export class Worklist {
  constructor() {
    /** @type {ReviewedFiles | null} */
    this.files = null;
    /** @type {ReviewExtra} beside files and options */
    this.extra = { verdicts: null, texts: null, sample: 0, sample_of: "" };
    /** @type {Server.Review | null} */
    this.result = null;
    // which places are listed: where predictions agree, "all", a "sample", those of an "earlier" file
    this.mode = "agree";
    this.isBlind = false; // whose value is whose is hidden
    /** @type {Map<number, Decision>} */
    this.decisions = new Map();
    /** @type {Map<number, Decision>} verdicts of an earlier file, which are looked at again */
    this.earlier = new Map();
    /** @type {Map<number, Decision>} of another window, on places that both decided differently */
    this.others = new Map();
    /** @type {[number: number, before: Decision | undefined][][]} what each step changed, the newest last */
    this.steps = [];
    /** @type {Group[]} of the places that are listed */
    this.groups = [];
    /** @type {number[]} the places that are listed */
    this.order = [];
    /** @type {Map<number, Group>} */
    this.groupsByPlace = new Map();
    this.current = -1; // the place that is shown
    this.chosen = 0; // its answer that is chosen
    /** @type {Set<number>} its values that are picked in blind work */
    this.picked = new Set();
    /** @type {Set<number>} documents whose scores are computed */
    this.stale = new Set();
    /** @type {Map<number, number[]>} what each system gains by the verdicts on a document */
    this.gains = new Map();
  }

  get places() {
    return this.result?.places ?? [];
  }

  /** The place that is shown; undefined if there is none. @returns {Server.Place | undefined} */
  get place() {
    return this.places[this.current];
  }

  get hasSystems() {
    return (this.result?.systems.length ?? 0) > 1;
  }

  /** How many of the listed places are decided. */
  get decided() {
    return this.order.filter((number) => !this.isOpen(number)).length;
  }

  /** Whether a place is to be decided, among those that two windows decided differently once more. */
  isOpen(/** @type {number} */ number) {
    return !this.decisions.has(number) || (this.mode === "twice" && this.others.has(number));
  }

  // Files and results

  /** Other files: places where predictions agree, without a sample; texts and verdicts stay if they were given. */
  begin(/** @type {ReviewedFiles} */ files, extra = this.extra) {
    this.files = files;
    this.extra = { ...extra, sample: 0, sample_of: "" };
    this.mode = "agree";
  }

  /** The files and what was beside them are those of the result. */
  restore() {
    if (!this.result) return;
    const { references, predictions, names, reading, texts, sample, sample_of } = this.result.asked;
    this.files = { references, predictions, names, reading };
    this.extra = { verdicts: null, texts, sample, sample_of };
  }

  /** A new result, without verdicts. */
  open(/** @type {Server.Review} */ found) {
    this.result = found;
    this.restore();
    this.steps = [];
    this.decisions = new Map();
    this.earlier = new Map();
    this.others = new Map();
    this.stale.clear();
    this.gains.clear();
    if (!this.hasSystems && this.mode === "agree") this.mode = "all";
    if (found.sampled !== null) this.mode = "sample";
  }

  // The list

  /** The lists that can be chosen. */
  modes() {
    const modes = [{ name: "all", label: "Everything that is not exact" }];
    if (this.hasSystems) modes.unshift({ name: "agree", label: "Where predictions agree" });
    for (const name of this.result?.asked.names ?? []) {
      modes.push({ name: SAMPLE + name, label: `A random sample of what ${name} lost` });
    }
    if (this.earlier.size) modes.push({ name: "earlier", label: "Of an earlier file" });
    if (this.others.size) modes.push({ name: "twice", label: "Decided differently in another window" });
    return modes;
  }

  /** The name of the list that is shown. */
  get modeName() {
    return this.mode === "sample" ? SAMPLE + this.extra.sample_of : this.mode;
  }

  /** What the list that is shown is called. */
  get modeLabel() {
    const { result } = this;
    if (result && this.mode === "sample") return `A sample of what ${result.systems[result.sampled ?? 0].name} lost`;
    return this.modes().find(({ name }) => name === this.mode)?.label ?? "";
  }

  /** Choose a list; returns whether the server must draw it. */
  setMode(/** @type {string} */ name, /** @type {number} */ size) {
    if (name.startsWith(SAMPLE)) {
      this.extra = { ...this.extra, sample: size, sample_of: name.slice(SAMPLE.length) };
      this.mode = "sample";
      return true;
    }
    const wasSample = this.extra.sample > 0;
    this.extra = { ...this.extra, sample: 0, sample_of: "" };
    this.mode = name;
    return wasSample;
  }

  /** List the places of the mode in which a text stands, in groups. */
  list(/** @type {string} */ text) {
    const wanted = text.trim().toLowerCase();
    const isFound = (/** @type {Server.Place} */ place) =>
      [place.id, placeName(place), place.truth, ...place.answers.map((answer) => answer.text)].some((each) =>
        each?.toLowerCase().includes(wanted),
      );
    const isListed = (/** @type {number} */ number) => {
      const place = this.places[number];
      if (this.mode === "agree" && place.agree < 2) return false;
      if (this.mode === "earlier" && !this.earlier.has(number)) return false;
      if (this.mode === "twice" && !this.others.has(number)) return false;
      return !wanted || isFound(place);
    };
    this.groups = groupsOf(this.places, [...this.places.keys()].filter(isListed));
    this.order = this.groups.flatMap((group) => group.numbers);
    this.groupsByPlace = new Map(
      this.groups.flatMap((group) => group.numbers.map((number) => /** @type {const} */ ([number, group]))),
    );
  }

  /** The group of a place with others that are alike. @returns {Group | undefined} */
  groupOf(/** @type {number} */ number) {
    const group = this.groupsByPlace.get(number);
    return group?.alike ? group : undefined;
  }

  /** The next open place of the list behind one, and then from its beginning; null if all are decided. */
  next(/** @type {number} */ from) {
    const at = this.order.indexOf(from);
    const others = [...this.order.slice(at + 1), ...this.order.slice(0, at + 1)];
    return others.find((number) => this.isOpen(number)) ?? null;
  }

  /** Show a place, with the answer of its verdict. */
  go(/** @type {number} */ number) {
    this.current = number;
    this.chosen = this.decisions.get(number)?.answer ?? 0;
    this.picked = new Set();
  }

  /** The largest group of open places, if it is a fifth of what is open. */
  largestOpen() {
    const [largest] = this.groups
      .filter(({ alike }) => alike)
      .map(({ name, numbers }) => ({ name, numbers: numbers.filter((number) => this.isOpen(number)) }))
      .sort((one, other) => other.numbers.length - one.numbers.length);
    const left = this.order.length - this.decided;
    if (!largest || largest.numbers.length < 2 || largest.numbers.length < LARGE * left) return null;
    return { name: largest.name, open: largest.numbers.length, first: largest.numbers[0] };
  }

  /** What is left to decide, as a title and a sentence. */
  headline() {
    const left = this.order.length - this.decided;
    const largest = this.largestOpen();
    if (largest) {
      const of = this.decided ? `the ${left.toLocaleString("en")} left` : left.toLocaleString("en");
      const isMany = largest.open > SURE;
      return {
        title: `${largest.open} of ${of} are alike: ${groupName(largest.name, this.isBlind)}`,
        text: isMany ? "After three of them, one verdict decides the others." : "One verdict decides them all.",
      };
    }
    const most = Math.max(0, ...this.groups.filter(({ alike }) => alike).map(({ numbers }) => numbers.length));
    const size = `the largest group has ${most.toLocaleString("en")}`;
    if (most > 1) return { title: `${left.toLocaleString("en")} places to decide; ${size}.`, text: "" };
    return { title: this.order.length ? "No two places are alike." : "Nothing to decide in this list.", text: "" };
  }

  // Verdicts

  /** Set verdicts as one step. @type {(verdicts: Verdict[]) => number[]} */
  apply(verdicts) {
    if (!verdicts.length) return [];
    this.steps.push(verdicts.map(([number]) => [number, this.decisions.get(number)]));
    for (const [number, decision] of verdicts) {
      this.decisions.set(number, decision);
      this.others.delete(number);
    }
    return this.touch(verdicts.map(([number]) => number));
  }

  /**
   * Verdicts of another window, which no step of this window takes back; undefined where there is none any more.
   * @type {(verdicts: [number: number, decision: Decision | undefined][]) => number[]}
   */
  adopt(verdicts) {
    const numbers = verdicts.map(([number]) => number);
    for (const [number, decision] of verdicts) {
      if (decision) this.decisions.set(number, decision);
      else this.decisions.delete(number);
    }
    const isOwn = (/** @type {[number, unknown]} */ [number]) => !numbers.includes(number);
    this.steps = this.steps.map((step) => step.filter(isOwn)).filter((step) => step.length);
    return this.touch(numbers);
  }

  /** Take the last step back; returns its places. @type {() => number[]} */
  undo() {
    const last = this.steps.pop() ?? [];
    for (const [number, before] of last) {
      if (before) this.decisions.set(number, before);
      else this.decisions.delete(number);
    }
    return this.touch(last.map(([number]) => number));
  }

  /** The scores of the documents of these places are to be computed. @type {(numbers: number[]) => number[]} */
  touch(numbers) {
    for (const number of numbers) this.stale.add(this.places[number].document);
    return numbers;
  }

  /** Scores of documents are computed; @param {Set<number>} asked @param {number[][]} gains  by document */
  score(asked, gains) {
    for (const document of asked) {
      this.gains.delete(document);
      this.stale.delete(document);
    }
    for (const [document, ...gained] of gains) this.gains.set(document, gained);
  }

  /** The scores of the systems with the corrected documents. */
  after() {
    const { systems = [], count = 1 } = this.result ?? {};
    return systems.map(({ score }, system) => {
      let sum = 0;
      for (const gained of this.gains.values()) sum += gained[system];
      return score + sum / count;
    });
  }

  /**
   * A verdict on the place that is shown, and with `isForAll` on all open ones of its group, by what the same systems
   * say there.
   * @type {(decision: Decision, isForAll: boolean) => Verdict[]}
   */
  verdictsOf(decision, isForAll) {
    const { current, place } = this;
    const group = isForAll ? this.groupOf(current) : undefined;
    if (!place) return [];
    /** @type {Verdict[]} */
    const verdicts = [[current, decision]];
    for (const number of group?.numbers ?? []) {
      const answer = answerOf(this.places[number], place.answers[decision.answer].systems);
      if (number === current || this.decisions.has(number) || answer < 0) continue;
      verdicts.push([number, { verdict: decision.verdict, answer, value: "" }]);
    }
    return verdicts;
  }

  /** Why one verdict may not yet decide the group of the place that is shown; "" if it may. */
  untilSure() {
    const { numbers = [] } = this.groupOf(this.current) ?? {};
    if (numbers.length <= SURE) return "";
    const verdicts = numbers.slice(0, SURE).flatMap((number) => this.decisions.get(number)?.verdict ?? []);
    if (new Set(verdicts).size > 1) return ": its first three differ";
    return verdicts.length < SURE ? `, after ${SURE - verdicts.length} more of it` : "";
  }

  /** Blind: pick a value, or put it back; else choose an answer. */
  choose(/** @type {number} */ side) {
    if (!this.isBlind) this.chosen = side;
    else if (!this.picked.delete(side)) this.picked.add(side);
  }

  /** The side that a letter means; undefined if there is none. */
  sideOf(/** @type {number} */ letter) {
    const { place } = this;
    if (!place) return undefined;
    return this.isBlind ? blindOrder(place)[letter] : [...place.answers.keys()][letter];
  }

  /** Blind: the verdict that the values which are picked are right; null if they are none. */
  pickedDecision() {
    const answers = [...this.picked].filter((side) => side >= 0);
    const hasTruth = this.picked.has(-1);
    if (!this.picked.size || answers.length > 1 || (this.place?.whole && this.picked.size > 1)) return null;
    const verdict = !answers.length ? "ground_truth" : hasTruth ? "both" : "prediction";
    return { verdict, answer: answers[0] ?? 0, value: "" };
  }

  /** The words of the choices by their keys: what they say, and what follows. */
  choices() {
    const { place } = this;
    /** @type {Record<string, [says: string, does: string]>} */
    const words = {
      1: ["Ground truth is right", "the systems are wrong"],
      2: ["Prediction is right", ""],
      3: ["Both are right", ""],
      4: ["Neither…", "you type what is right"],
      5: ["Cannot tell", "nothing changes"],
    };
    if (!place) return words;
    const it = place.answers.length > 1 && !this.isBlind ? String.fromCharCode(65 + this.chosen) : "it";
    const isAdded = place.truth === null;
    const isGone = place.answers[this.chosen]?.text === null;
    words[2][1] = isGone ? "the value is removed" : `${it} becomes the ground truth`;
    words[3][1] = isGone ? "an absent value is accepted as well" : `${it} is accepted as well`;
    if (place.whole) {
      const [is, not] = ["Is in the document", "Not in the document"];
      words[1][0] = isAdded ? not : is;
      words[2] = isAdded ? [is, "the row is added"] : [not, "the row is removed"];
    }
    if (this.isBlind) {
      const one = place.whole ? "choose one above" : "choose one or more above";
      const isOne = this.picked.size <= 1;
      words[1] = isOne ? ["The chosen value is right", one] : ["The chosen values are right", "each is accepted"];
    }
    return words;
  }

  // For the server, and the summary

  /** Verdicts as the server takes them; those on the documents alone if there are any. */
  asText(/** @type {Iterable<Verdict>} */ verdicts = this.decisions) {
    return JSON.stringify(
      [...verdicts].map(([number, { verdict, answer, value }]) => [number, verdict, answer, value]),
    );
  }

  /** The verdicts on some documents. */
  verdictsOn(/** @type {Set<number>} */ documents) {
    return [...this.decisions].filter(([number]) => documents.has(this.places[number].document));
  }

  /** The verdicts on some places. @type {(numbers: number[]) => Verdict[]} */
  verdictsAt(numbers) {
    return numbers.flatMap((number) => {
      const decision = this.decisions.get(number);
      return decision ? [/** @type {Verdict} */ ([number, decision])] : [];
    });
  }

  /** The listed places that are decided. @returns {Decided[]} */
  decidedPlaces() {
    return this.verdictsAt(this.order).map(([number, decision]) => ({ place: this.places[number], decision }));
  }

  /** The words of the verdicts on some places, each once. */
  wordsAt(/** @type {number[]} */ numbers) {
    const words = numbers.map((number) => verdictWords(this.places[number], this.decisions.get(number)?.verdict ?? ""));
    return [...new Set(words)].join(", ");
  }
}

/**
 * The answer of a place that the same systems give, -1 if none of them does.
 * @type {(place: Server.Place, systems: number[]) => number}
 */
const answerOf = (place, systems) => {
  const shared = place.answers.map((answer) => answer.systems.filter((system) => systems.includes(system)).length);
  const most = Math.max(...shared);
  return most ? shared.indexOf(most) : -1;
};
