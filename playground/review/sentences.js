// The sentences of a review: about the evidence for values, the cost of a place, the list, and the verdicts.

import { counted } from "../parts/words.js";
import { blindOrder, groupName, letterOf } from "./places.js";
import { SURE } from "./worklist.js";

/** @import { Decided, Worklist } from "./worklist.js" */

const TOO_SMALL = 0.0005; // points that round to 0 with three digits
const STANDS = "was found in the document’s text";

const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

/**
 * Return a function that names the sides of a place.
 * @type {(place: Server.Place, isBlind: boolean) => (side: number) => string}
 */
const sideNames = (place, isBlind) => {
  const order = isBlind ? blindOrder(place) : [];
  return (side) => {
    if (isBlind) return letterOf(order.indexOf(side));
    if (side < 0) return "the ground truth";
    return place.answers.length > 1 ? `prediction ${letterOf(side)}` : "the prediction";
  };
};

/**
 * Say which values were found in the text of the document, but never which is right.
 * @param {Server.Place} place
 * @param {{isBlind: boolean, chosen: number, found?: Server.Found[]}} look  the number of the chosen answer;
 *   `found` says which sides a text has that was added later: the ground truth, then each answer
 */
export const evidenceOf = (place, { isBlind, chosen, found }) => {
  const nameOf = sideNames(place, isBlind);
  const known = found ?? [place.found, ...place.answers.map((answer) => answer.found)];
  const sides = (isBlind ? blindOrder(place) : [-1, chosen])
    .filter((side) => known[side + 1])
    .map((side) => ({ name: nameOf(side), stands: known[side + 1] === "yes" }));
  if (!place.has_text && !found) return "There is no text of this document.";
  if (!sides.length) return "Values as short as these are not looked up.";
  const isOne = sides.length === 1;
  if (place.whole && isOne) {
    const whose = place.answers.length > 1 || isBlind ? sides[0].name : "the row";
    return `${sides[0].stands ? "All" : "Not all"} values of ${whose} were found in the document’s text.`;
  }
  const yes = sides.filter(({ stands }) => stands).map(({ name }) => name);
  const no = sides.filter(({ stands }) => !stands).map(({ name }) => name);
  const isTwo = sides.length === 2;
  if (!yes.length && isOne) return capital(`${no[0]} was not found in the document’s text.`);
  if (!yes.length) return `${isTwo ? "Neither" : "None of them"} ${STANDS}.`;
  const stand = yes.length > 1 ? STANDS.replace("was", "were") : STANDS;
  if (no.length)
    return capital(`${yes.join(" and ")} ${stand}, ${no.join(" and ")} ${no.length > 1 ? "were" : "was"} not.`);
  const all = isTwo ? "both" : "all of them";
  return capital(`${isOne ? yes[0] : all} ${stand}.`);
};

/**
 * Say what a place costs each system, and how many such places there are.
 * @type {(place: Server.Place, systems: string[], size: number) => string}
 */
export const stakeOf = (place, systems, size) => {
  const said = place.points
    .map((points, system) => ({ points: points < TOO_SMALL ? "less than 0.001" : points.toFixed(3), system }))
    .filter(({ system }) => place.points[system])
    .map(({ points, system }) => `${systems[system]} ${points}`);
  return `Costs ${said.join(", ")} here${size > 1 ? `; ${size.toLocaleString("en")} such places` : ""}.`;
};

/**
 * Name the first system that now ranks before a system with a higher score before.
 * @type {(systems: Server.ReviewedSystem[], after: number[]) => string}
 */
export const orderOf = (systems, after) => {
  const round = (/** @type {number} */ score) => Math.round(score * 1e9);
  for (let at = 1; at < systems.length; at += 1) {
    const behind = after.findIndex((score, other) => other < at && round(score) < round(after[at]));
    if (behind >= 0) return `${systems[at].name} now before ${systems[behind].name}`;
  }
  return "order unchanged";
};

/** Say how many places have each verdict. */
export const verdictCounts = (/** @type {Decided[]} */ decided) => {
  const count = (/** @type {string[]} */ ...verdicts) =>
    decided.filter(({ decision }) => verdicts.includes(decision.verdict)).length;
  return {
    corrected: count("prediction", "other"),
    acceptable: count("both"),
    errors: count("ground_truth"),
    unclear: count("unclear"),
  };
};

/** Summarize the verdicts in a title and a sentence. */
export const conclusionOf = (/** @type {Decided[]} */ decided) => {
  const { corrected, acceptable, errors, unclear } = verdictCounts(decided);
  const said = [
    errors ? counted(errors, "was an error of a system", "were errors of the systems") : "",
    acceptable ? counted(acceptable, "has two acceptable answers", "have two acceptable answers") : "",
    unclear ? counted(unclear, "is unclear", "are unclear") : "",
  ].filter(Boolean);
  const one = `The ground truth was ${corrected ? "" : "not found to be "}wrong.`;
  const many = `The ground truth was wrong at ${corrected || "none"} of ${counted(decided.length, "place")}.`;
  return { title: decided.length === 1 ? one : many, text: said.length ? `${said.join(", ")}.` : "" };
};

/**
 * Say what is left to decide, or what was decided: a title, a sentence, and the label of a button with its place.
 * @type {(worklist: Worklist) => {title: string, text: string, act: string, first: number | null}}
 */
export const headlineOf = (worklist) => {
  if (worklist.isDecided) return { ...conclusionOf(worklist.decidedPlaces()), act: "Summary", first: null };
  const many = (/** @type {number} */ count) => count.toLocaleString("en");
  const { decided, firsts, groups } = worklist;
  const listed = worklist.placesOf(firsts);
  const equal = worklist.byValue();
  if (equal) {
    const title = `${many(equal)} of ${counted(listed.length, "place")} differ only in how a number is written.`;
    return { title, text: "Compared by value, they are right.", act: "Compare by value", first: null };
  }
  const largest = worklist.largestOpen();
  if (largest) {
    const of = decided ? `the ${many(largest.left)} left` : many(largest.left);
    const isMany = largest.rows.length > SURE;
    return {
      title: `${many(largest.open)} of ${of} are similar: ${groupName(largest.name, worklist.isBlind)}`,
      text: isMany ? "After three of them, one verdict decides the others." : "One verdict decides them all.",
      act: "Show them",
      first: largest.rows[0],
    };
  }
  const open = listed.filter((number) => worklist.isOpen(number)).length;
  const left = firsts.length - decided;
  const most = Math.max(0, ...groups.filter(({ alike }) => alike).map((group) => worklist.sizeOf(group)));
  const places = counted(open, "place") + (left < open ? ` in ${counted(left, "decision")}` : " to decide");
  const none = listed.length ? "No two places are similar." : "Nothing to decide in this list.";
  return { title: most > 1 ? `${places}; the largest group has ${many(most)}.` : none, text: "", act: "", first: null };
};

/** Say why a list is empty, and return other lists. */
export const nothingOf = (/** @type {Worklist} */ worklist) => {
  const count = worklist.result?.count ?? 0;
  const documents = `${count === 1 ? "this" : "these"} ${counted(count, "document")}`;
  if (worklist.find.trim()) return { sentence: "No place contains this text.", modes: [] };
  if (worklist.mode !== "agree") return { sentence: `No prediction loses points in ${documents}.`, modes: [] };
  const modes = worklist.modes().filter(({ name }) => name !== "agree");
  return { sentence: `No two systems agree against a ground truth in ${documents}. `, modes };
};

/** Return the words of the choices by key: their statements and consequences. */
export const choicesOf = (/** @type {Worklist} */ { place, isBlind, chosen, picked }) => {
  /** @type {Record<string, [says: string, does: string]>} */
  const words = {
    1: ["Ground truth is right", "the systems are wrong"],
    2: ["Prediction is right", ""],
    3: ["Both are right", ""],
    4: ["Neither…", "you type what is right"],
    5: ["Cannot tell", "nothing changes"],
  };
  if (!place) return words;
  const it = place.answers.length > 1 && !isBlind ? letterOf(chosen) : "it";
  const isAdded = place.truth === null;
  const isGone = place.answers[chosen]?.text === null;
  words[2][1] = isGone ? "the value is removed" : `${it} becomes the ground truth`;
  words[3][1] = isGone ? "an absent value is accepted as well" : `${it} is accepted as well`;
  if (place.whole) {
    const [is, not] = ["Is in the document", "Not in the document"];
    words[1][0] = isAdded ? not : is;
    words[2] = isAdded ? [is, "the row is added"] : [not, "the row is removed"];
    words[3] = ["Optional", "accepted, not demanded"];
    words[4] = ["Neither…", "you type the row"];
  }
  if (isBlind) {
    const isOne = picked.size <= 1;
    words[1] = isOne
      ? ["The chosen value is right", "choose one or more above"]
      : ["The chosen values are right", "each is accepted"];
  }
  return words;
};
