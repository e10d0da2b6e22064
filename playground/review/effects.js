// A preview, in words, of what `docscore review apply` does with the verdicts of a review.

import { counted } from "../parts/words.js";

/** @import { Decision } from "./places.js" */
/** @typedef {Record<"changed" | "added" | "removed" | "options" | "optional" | "same" | "open", number>} Effects */

/** Return the effect of a verdict. @type {(place: Server.Place, decision: Decision | undefined) => keyof Effects} */
const effectOf = (place, decision) => {
  if (!decision) return "open";
  const { verdict, value } = decision;
  if (verdict === "other" && place.whole) return place.truth === null ? "added" : "changed";
  if (verdict === "other") return value === place.edit ? "same" : "changed";
  if (verdict === "both") return place.whole ? "optional" : "options";
  if (verdict !== "prediction") return "same";
  if (place.whole) return place.truth === null ? "added" : "removed";
  return "changed";
};

/** Count the places by the effect of their verdicts. */
export const effectsOf = (
  /** @type {Server.Place[]} */ places,
  /** @type {(number: number) => Decision | undefined} */ decisionAt,
) => {
  /** @type {Effects} */
  const effects = { changed: 0, added: 0, removed: 0, options: 0, optional: 0, same: 0, open: 0 };
  places.forEach((place, number) => {
    effects[effectOf(place, decisionAt(number))] += 1;
  });
  return effects;
};

/**
 * Return sentences that say what will be written, or that nothing is while verdicts are refused.
 * @type {(effects: Effects, refused: number) => string[]}
 */
export const effectSentences = (effects, refused) => {
  const { changed, added, removed, options, optional, same, open } = effects;
  const verbs = [
    changed ? `changes ${counted(changed, "value")}` : "",
    added ? `adds ${counted(added, "row")}` : "",
    removed ? `removes ${counted(removed, "row")}` : "",
    options ? `accepts two answers at ${counted(options, "place")}` : "",
    optional ? `makes ${counted(optional, "row")} optional` : "",
  ].filter(Boolean);
  const last = verbs.pop();
  const done = last ? [...(verbs.length ? [verbs.join(", ")] : []), last].join(" and ") : "changes nothing";
  const rest = [
    same ? `${counted(same, "verdict")} ${same === 1 ? "changes" : "change"} nothing` : "",
    open ? `${counted(open, "place is", "places are")} open` : "",
  ].filter(Boolean);
  return [
    `${done[0].toUpperCase()}${done.slice(1)}.`,
    ...(rest.length ? [`${rest.join(", ")}.`] : []),
    ...(refused ? [`${counted(refused, "verdict is", "verdicts are")} refused; so nothing is written.`] : []),
  ];
};
