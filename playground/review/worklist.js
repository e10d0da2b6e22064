// What a review holds: its places, which of them are listed, the verdicts on them with their undo, and what they
// change.

import { blindOrder, groupName, groupsOf, placeName, verdictWords } from "./places.js";
import { Verdicts, isForMany } from "./verdicts.js";
import { counted } from "../parts/words.js";

/** @import { Decision, Group } from "./places.js" */
/** @import { Verdict } from "./verdicts.js" */
/** @typedef {Pick<Server.ReviewRequest, "references" | "predictions" | "names" | "reading">} ReviewedFiles */
/** @typedef {Pick<Server.ReviewRequest, "verdicts" | "texts" | "sample" | "sample_of">} ReviewExtra */
/** @typedef {{place: Server.Place, decision: Decision}} Decided */
/** @typedef {"place" | "document" | "all"} Reach  of a verdict: a place, alike ones of its document, or of all */
/** @typedef {{reach: Reach, words: string, until: string}} Choice  and what it still waits for, "" for nothing */

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

/** @typedef {Group & {firsts: number[]}} ListedGroup  with the first of the alike places of each document */

export class Worklist {
  constructor() {
    this.text = ""; // that stands in the places that are listed
    /** @type {ReviewedFiles | null} */
    this.files = null;
    /** @type {ReviewExtra} beside files and options */
    this.extra = { verdicts: null, texts: null, sample: 0, sample_of: "" };
    /** @type {Server.Review | null} */
    this.result = null;
    // which places are listed: where predictions agree, "all", a "sample", those of an "earlier" file, those that
    // another window decided differently ("twice"), or a second reader ("readers")
    this.mode = "agree";
    this.isBlind = false; // whose value is whose is hidden
    this.verdicts = new Verdicts();
    /** @type {Map<number, Decision>} verdicts of an earlier file, which are looked at again */
    this.earlier = new Map();
    /** @type {Map<number, Decision>} of another window, on places that both decided differently */
    this.others = new Map();
    /** @type {Map<number, Decision>} of a second reader, on places that both decided differently */
    this.second = new Map();
    /** @type {[number: number, before: Decision | undefined][][]} what each step changed, the newest last */
    this.steps = [];
    /** @type {ListedGroup[]} of the places that are listed */
    this.groups = [];
    /** @type {number[]} the places that are listed; of alike ones in a document the first, until they are opened */
    this.order = [];
    /** @type {number[]} the places that are listed, of alike ones in a document always the first alone */
    this.firsts = [];
    /** @type {Set<number[]>} alike places of a document that are listed one by one */
    this.opened = new Set();
    /** @type {Map<number, ListedGroup>} */
    this.groupsByPlace = new Map();
    this.current = -1; // the place that is shown
    this.chosen = 0; // its answer that is chosen
    /** @type {Set<number>} its values that are picked in blind work */
    this.picked = new Set();
    /** @type {Set<number>} documents whose scores are computed */
    this.stale = new Set();
    /** @type {Map<number, number[]>} what each system gains by the verdicts on a document */
    this.gains = new Map();
    /** @type {Map<number, [path: string, text: string][]>} why the verdicts on a document cannot be applied */
    this.faults = new Map();
  }

  /** The verdicts that places have themselves. */
  get decisions() {
    return this.verdicts.own;
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

  /** How many of the listed places are decided, alike ones of a document being one. */
  get decided() {
    return this.doneOf(this.firsts);
  }

  /** How many of these are decided, with those alike in their documents. */
  doneOf(/** @type {number[]} */ firsts) {
    return firsts.filter((number) => !this.alikeOf(number).some((each) => this.isOpen(each))).length;
  }

  /** The places for which these stand, with those alike in their documents. */
  placesOf(/** @type {number[]} */ firsts) {
    return firsts.flatMap((number) => this.alikeOf(number));
  }

  /** How many places a group of the list has. */
  sizeOf(/** @type {ListedGroup} */ { firsts }) {
    return this.placesOf(firsts).length;
  }

  /** Whether a place is to be decided, among those that two readers decided differently once more. */
  isOpen(/** @type {number} */ number) {
    const isTwice = (this.mode === "twice" && this.others.has(number)) || this.isOfReaders(number);
    return isTwice || !this.verdicts.at(number);
  }

  isOfReaders(/** @type {number} */ number) {
    return this.mode === "readers" && this.second.has(number);
  }

  /** Whether alike places of a document are listed as one. In other lists, places were chosen one by one. */
  get isByGroup() {
    return !this.isBlind && ["agree", "all"].includes(this.mode);
  }

  /** The places of a document that are listed as one with a place, itself among them. */
  alikeOf(/** @type {number} */ number) {
    return this.isByGroup ? this.verdicts.groups[number] : [number];
  }

  /** Whether a row of the list is to be decided: a place, or alike ones that are listed as one. */
  isRowOpen(/** @type {number} */ number) {
    const alike = this.alikeOf(number);
    return this.opened.has(alike) ? this.isOpen(number) : alike.some((each) => this.isOpen(each));
  }

  /** How many places a row of the list stands for, beside the one that it names. */
  more(/** @type {number} */ number) {
    const alike = this.alikeOf(number);
    return this.opened.has(alike) ? 0 : alike.length - 1;
  }

  /** List the alike places of a document one by one. */
  unfold(/** @type {number} */ number) {
    if (this.alikeOf(number).length < 2 || this.opened.has(this.alikeOf(number))) return;
    this.opened.add(this.alikeOf(number));
    this.list(this.text);
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
    this.verdicts = new Verdicts(found.places);
    this.earlier = new Map();
    this.others = new Map();
    this.second = new Map();
    this.opened.clear();
    this.faults.clear();
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
    if (this.second.size) modes.push({ name: "readers", label: "Where a second reader differs" });
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

  /** How many places are in the group of the place that is shown. */
  sizeOfGroup() {
    const group = this.groupOf(this.current);
    return group ? this.sizeOf(group) : this.place ? this.alikeOf(this.current).length : 0;
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
    this.text = text;
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
      if (this.mode === "readers" && !this.second.has(number)) return false;
      return !wanted || isFound(place);
    };
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

  /** The group of a place with others that are alike. @returns {ListedGroup | undefined} */
  groupOf(/** @type {number} */ number) {
    const group = this.groupsByPlace.get(number);
    return group?.alike ? group : undefined;
  }

  /** The next open place of the list behind one, and then from its beginning; null if all are decided. */
  next(/** @type {number} */ from) {
    const at = this.order.indexOf(from);
    const others = [...this.order.slice(at + 1), ...this.order.slice(0, at + 1)];
    return others.find((number) => this.isRowOpen(number)) ?? null;
  }

  /** Show a place, with the answer of its verdict. */
  go(/** @type {number} */ number) {
    if (number >= 0 && !this.order.includes(number) && this.groupsByPlace.has(number)) this.unfold(number);
    this.current = number;
    this.chosen = this.verdicts.at(number)?.answer ?? 0;
    this.picked = new Set();
  }

  /** The largest group of open places, if it is a fifth of what is open. */
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

  /** How many listed places comparison by value would settle, if it is a fifth and nothing is decided yet; else 0. */
  byValue() {
    const listed = this.placesOf(this.firsts);
    const count = listed.filter((number) => this.places[number].by_value).length;
    return this.decisions.size || count < LARGE * listed.length ? 0 : count;
  }

  /** What is left to decide: a title and a sentence, and the label of a button with the place that it leads to. */
  headline() {
    const many = (/** @type {number} */ count) => count.toLocaleString("en");
    const listed = this.placesOf(this.firsts);
    const equal = this.byValue();
    if (equal) {
      const title = `${many(equal)} of ${counted(listed.length, "place")} differ only in how a number is written.`;
      return { title, text: "Compared by value, they are right.", act: "Compare by value", first: null };
    }
    const largest = this.largestOpen();
    if (largest) {
      const of = this.decided ? `the ${many(largest.left)} left` : many(largest.left);
      const isMany = largest.rows.length > SURE;
      return {
        title: `${many(largest.open)} of ${of} are alike: ${groupName(largest.name, this.isBlind)}`,
        text: isMany ? "After three of them, one verdict decides the others." : "One verdict decides them all.",
        act: "Show them",
        first: largest.rows[0],
      };
    }
    const open = listed.filter((number) => this.isOpen(number)).length;
    const left = this.firsts.length - this.decided;
    const most = Math.max(0, ...this.groups.filter(({ alike }) => alike).map((group) => this.sizeOf(group)));
    const places = counted(open, "place") + (left < open ? ` in ${counted(left, "decision")}` : " to decide");
    const none = this.order.length ? "No two places are alike." : "Nothing to decide in this list.";
    const title = most > 1 ? `${places}; the largest group has ${many(most)}.` : none;
    return { title, text: "", act: "", first: null };
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
   * Verdicts of another window, which no step of this window takes back; undefined where there is none any more.
   * @type {(verdicts: [number: number, decision: Decision | undefined][]) => number[]}
   */
  adopt(verdicts) {
    const numbers = verdicts.map(([number]) => number);
    for (const [number, decision] of verdicts) this.verdicts.set(number, decision);
    const isOwn = (/** @type {[number, unknown]} */ [number]) => !numbers.includes(number);
    this.steps = this.steps.map((step) => step.filter(isOwn)).filter((step) => step.length);
    return this.touch(numbers);
  }

  /** Take the last step back; returns its places. @type {() => number[]} */
  undo() {
    const last = this.steps.pop() ?? [];
    for (const [number, before] of [...last].reverse()) this.verdicts.set(number, before);
    return this.touch(last.map(([number]) => number));
  }

  /** The scores of the documents of these places are to be computed. @type {(numbers: number[]) => number[]} */
  touch(numbers) {
    for (const number of numbers) this.stale.add(this.places[number].document);
    return numbers;
  }

  /** Scores of documents are computed. @type {(asked: Set<number>, found: Server.Gains) => void} */
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

  /** Why the verdict on a place cannot be applied, "" if it can. */
  faultAt(/** @type {number} */ number) {
    const { document, path, whole } = this.places[number];
    const verdict = this.verdicts.at(number)?.verdict;
    const isOptional = whole && verdict === "both";
    const isHere = (/** @type {string} */ at) => (at ? at === path : isOptional);
    return (verdict && this.faults.get(document)?.find(([at]) => isHere(at))?.[1]) || "";
  }

  /** The places whose verdicts cannot be applied. */
  refused() {
    return [...this.places.keys()].filter(
      (number) => this.faults.has(this.places[number].document) && this.faultAt(number),
    );
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
   * A verdict on the place that is shown, on alike ones of its document, or on all open ones of its group. Where it
   * cannot hold for a group as it is, each place gets one of its own, by what the same systems say there.
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

  /** What a verdict on the place that is shown can be for. @returns {Choice[]} */
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

  /** What a verdict on the place that is shown is for unless something else is chosen. @returns {Reach} */
  get usualReach() {
    const { current, opened } = this;
    if (!this.place || !this.isByGroup || opened.has(this.alikeOf(current)) || !this.verdicts.followers(current).length)
      return "place";
    return "document";
  }

  /** Why one verdict may not yet decide the group of the place that is shown; "" if it may. */
  untilSure() {
    const { firsts = [] } = this.groupOf(this.current) ?? {};
    if (firsts.length <= SURE) return "";
    const verdicts = firsts.slice(0, SURE).flatMap((number) => this.verdicts.at(number)?.verdict ?? []);
    if (new Set(verdicts).size > 1) return "the first three differ";
    return verdicts.length < SURE ? `after ${SURE - verdicts.length} more` : "";
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
    if (!this.picked.size || answers.length > 1) return null;
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
      words[3] = ["Optional", "accepted, not demanded"];
      words[4] = ["Neither…", "you type the row"];
    }
    if (this.isBlind) {
      const isOne = this.picked.size <= 1;
      words[1] = isOne
        ? ["The chosen value is right", "choose one or more above"]
        : ["The chosen values are right", "each is accepted"];
    }
    return words;
  }

  // For the server, and the summary

  /** Verdicts as the server takes them; those on the documents alone if there are any. */
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

  /** The verdicts on some documents. */
  verdictsOn(/** @type {Set<number>} */ documents) {
    return [...this.decisions].filter(([number]) => documents.has(this.places[number].document));
  }

  /** The verdicts that hold for places of the list, with those alike. @type {(numbers: number[]) => Verdict[]} */
  verdictsAt(numbers) {
    return [...new Set(numbers.flatMap((number) => this.alikeOf(number)))].flatMap((number) => {
      const decision = this.verdicts.at(number);
      return decision ? [/** @type {Verdict} */ ([number, decision])] : [];
    });
  }

  /** The listed places that are decided. @returns {Decided[]} */
  decidedPlaces() {
    return this.verdictsAt(this.order).map(([number, decision]) => ({ place: this.places[number], decision }));
  }

  /** The words of the verdicts on some places, each once. */
  wordsAt(/** @type {number[]} */ numbers) {
    const words = this.verdictsAt(numbers).map(([number, { verdict }]) => verdictWords(this.places[number], verdict));
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
