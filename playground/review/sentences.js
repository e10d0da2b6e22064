// The sentences of a review: about the evidence for values, the cost of a place, and the verdicts.

import { counted } from "../parts/words.js";
import { blindOrder, letterOf } from "./places.js";

/** @import { Decided } from "./worklist.js" */

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
