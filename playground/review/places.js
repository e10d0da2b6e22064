// The places of a review: their names, the words of verdicts, and the groups of places that are alike.

/**
 * A verdict, with the number of the answer; it may hold for the other places of the group in the document too.
 * @typedef {{verdict: string, answer: number, value: string, isForGroup?: boolean}} Decision
 */
/** @typedef {{name: string, numbers: number[], alike: boolean}} Group  with the numbers of its places */

export const VERDICTS = ["ground_truth", "prediction", "both", "other", "unclear"]; // by their keys, from 1
export const SHOWN_OF_GROUP = 3; // places of a group that are shown, drawn at random
const ALONE = "Single places";
/** @type {Record<string, string>} */
const WORDS = {
  ground_truth: "ground truth is right",
  prediction: "prediction is right",
  both: "both are right",
  other: "neither is right",
};

/** The words of a verdict on a place. @type {(place: Server.Place, verdict: string) => string} */
export const verdictWords = (place, verdict) => {
  const [is, not] = ["is in the document", "not in the document"];
  if (place.whole && verdict === "both") return "the row is optional";
  if (place.whole && verdict === "ground_truth") return place.truth === null ? not : is;
  if (place.whole && verdict === "prediction") return place.truth === null ? is : not;
  return WORDS[verdict] ?? "cannot tell";
};

/** The words of a verdict with the value that it names. @type {(place: Server.Place, decision: Decision) => string} */
export const decisionWords = (place, { verdict, answer, value }) => {
  const words = verdictWords(place, verdict);
  if (verdict === "other") return `${words}, but ${value}`;
  return answer && ["prediction", "both"].includes(verdict) ? `${words}, ${letterOf(answer)}` : words;
};

/** Why a text is no row such as a place has, "" if it is one. @type {(text: string, place: Server.Place) => string} */
export const faultOfRow = (text, { truth, answers }) => {
  const isObject = /^\s*\{/.test(truth ?? answers.find((answer) => answer.text !== null)?.text ?? "");
  if (!isObject) return "";
  try {
    const found = JSON.parse(text);
    return found && typeof found === "object" && !Array.isArray(found) ? "" : "A row is an object in braces.";
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/** The name of a place: its path without the root; a new row of a list has no number. */
export const placeName = (/** @type {Pick<Server.Place, "path" | "row">} */ { path, row }) =>
  (path.replace(/^\$\.?/, "") || (row === null ? "the whole value" : "")) + (row === null ? "" : "[+]");

/**
 * The name of a group; without names of sides, only its field: the difference would tell which value is whose.
 * @type {(name: string, isBlind: boolean) => string}
 */
export const groupName = (name, isBlind) => (isBlind ? name.split(": ")[0] : name);

/** A letter for each answer or value. @type {(at: number) => string} */
export const letterOf = (at) => String.fromCharCode(65 + at);

/** A number by which things are in random order, always the same for the same text. @type {(text: string) => number} */
const textHash = (text) => {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return (Math.imul(hash ^ (hash >>> 15), 2246822507) ^ (hash >>> 13)) >>> 0;
};

/**
 * In random order, always the same for the same texts.
 * @template T
 * @param {T[]} all
 * @param {(each: T) => string} textOf
 */
const shuffled = (all, textOf) =>
  all
    .map((each) => ({ each, key: textHash(textOf(each)) }))
    .sort((one, other) => one.key - other.key)
    .map(({ each }) => each);

/** Both sides in the order in which blind work shows them: -1 is the ground truth, others are answers. */
export const blindOrder = (/** @type {Server.Place} */ place) =>
  shuffled([-1, ...place.answers.keys()], (side) => `${place.id} ${place.path} ${place.judged} ${side}`);

/**
 * The groups of places, most at stake first; places of which there is one of a kind are the last.
 * @param {Server.Place[]} places
 * @param {number[]} numbers  of the places that are listed
 */
export const groupsOf = (places, numbers) => {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (const number of numbers) {
    const { group } = places[number];
    const members = found.get(group);
    if (members) members.push(number);
    else found.set(group, [number]);
  }
  const sum = (/** @type {number[]} */ all) => all.reduce((one, other) => one + other, 0);
  const stake = (/** @type {number[]} */ members) => sum(members.map((number) => sum(places[number].points)));
  const keyOf = (/** @type {number} */ number) => {
    const { judged, id, path, row } = places[number];
    return `${judged} ${id} ${path} ${row}`;
  };
  /** @type {Group[]} */
  const groups = [...found]
    .filter(([, members]) => members.length > 1)
    .map(([name, members]) => ({ name, stake: stake(members), members }))
    .sort((one, other) => other.stake - one.stake)
    .map(({ name, members }) => {
      if (members.length <= SHOWN_OF_GROUP) return { name, numbers: members, alike: true };
      const first = shuffled(members, keyOf).slice(0, SHOWN_OF_GROUP);
      return { name, numbers: [...new Set([...first, ...members])], alike: true };
    });
  const alone = [...found.values()].filter((members) => members.length === 1).flat();
  return alone.length ? [...groups, { name: ALONE, numbers: alone, alike: false }] : groups;
};
