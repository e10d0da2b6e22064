// The places of a review: their names, the words of verdicts, and the groups of similar places.

/**
 * A verdict, with the number of the answer; it can apply to the other places of the group in the document too.
 * @typedef {{verdict: string, answer: number, value: string, isForGroup?: boolean}} Decision
 */
/** @typedef {{name: string, numbers: number[], alike: boolean}} Group  with the numbers of its places */

export const VERDICTS = ["ground_truth", "prediction", "both", "other", "unclear"]; // in order of their keys
export const SHOWN_OF_GROUP = 3; // places of a group that are shown, chosen at random
const ALONE = "Single places";
/** @type {Record<string, string>} */
const WORDS = {
  ground_truth: "ground truth is right",
  prediction: "prediction is right",
  both: "both are right",
  other: "neither is right",
};

/** Return the words of a verdict on a place. @type {(place: Server.Place, verdict: string) => string} */
export const verdictWords = (place, verdict) => {
  const [is, not] = ["is in the document", "not in the document"];
  if (place.whole && verdict === "both") return "the row is optional";
  if (place.whole && verdict === "ground_truth") return place.truth === null ? not : is;
  if (place.whole && verdict === "prediction") return place.truth === null ? is : not;
  return WORDS[verdict] ?? "cannot tell";
};

/** Return the words of a verdict with its value. @type {(place: Server.Place, decision: Decision) => string} */
export const decisionWords = (place, { verdict, answer, value }) => {
  const words = verdictWords(place, verdict);
  if (verdict === "other") return `${words}, but ${value}`;
  return answer && ["prediction", "both"].includes(verdict) ? `${words}, ${letterOf(answer)}` : words;
};

/** Return why a text is no row for a place, "" if it is one. @type {(text: string, place: Server.Place) => string} */
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

/** Return the name of a place: its path without the root. A new row of a list has no number. */
export const placeName = (/** @type {Pick<Server.Place, "path" | "row">} */ { path, row }) =>
  (path.replace(/^\$\.?/, "") || (row === null ? "the whole value" : "")) + (row === null ? "" : "[+]");

/**
 * Return the name of a group; in blind work only its field, since the difference would reveal the sides.
 * @type {(name: string, isBlind: boolean) => string}
 */
export const groupName = (name, isBlind) => (isBlind ? name.split(": ")[0] : name);

/** Return the letter of an answer or value. @type {(at: number) => string} */
export const letterOf = (at) => String.fromCharCode(65 + at);

/** Return a pseudorandom number that depends only on the text. @type {(text: string) => number} */
const textHash = (text) => {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return (Math.imul(hash ^ (hash >>> 15), 2246822507) ^ (hash >>> 13)) >>> 0;
};

/**
 * Return the items in a random order that depends only on their texts.
 * @template T
 * @param {T[]} all
 * @param {(each: T) => string} textOf
 */
const shuffled = (all, textOf) =>
  all
    .map((each) => ({ each, key: textHash(textOf(each)) }))
    .sort((one, other) => one.key - other.key)
    .map(({ each }) => each);

/** Return the sides in the order of blind work: -1 is the ground truth, other numbers are answers. */
export const blindOrder = (/** @type {Server.Place} */ place) =>
  shuffled([-1, ...place.answers.keys()], (side) => `${place.id} ${place.path} ${place.judged} ${side}`);

/**
 * Return the groups of places, most points at stake first and single places last.
 * @param {Server.Place[]} places
 * @param {number[]} numbers  the numbers of the listed places
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
