// The notice instead of a score if a text of the pair is malformed.

import { sentenceOf } from "../parts/words.js";

/** @typedef {"truth" | "prediction"} Side */
/**
 * @typedef {object} FaultNotice
 * @property {string} title
 * @property {string} detail
 * @property {string} button  "" for none
 * @property {"" | "mend" | "repair" | "text"} does  edits the text ("mend"), or reads it in another way
 */

const NAMES = { truth: "ground truth", prediction: "prediction" };

/**
 * @param {Side} side
 * @param {string} text
 * @param {Server.Fault} fault
 * @param {string} label  the label of the repair, "" if there is none
 * @param {string} reading  how predictions are read
 * @returns {FaultNotice}
 */
export const noticeOf = (side, text, fault, label, reading) => {
  const name = NAMES[side];
  if (!text.trim()) return { title: `Not scored: the ${name} is empty.`, detail: "Paste it.", button: "", does: "" };
  if (!fault.line) return { title: sentenceOf(fault.text), detail: "", button: "", does: "" };
  const title = `Not scored: the ${name} is not JSON.`;
  const correct = `Correct line ${fault.line}`;
  if (side === "truth") return { title, detail: `${correct}.`, button: label, does: label ? "mend" : "" };
  if (fault.mend && !fault.mend.repairs) {
    return { title, detail: `${correct}, or keep the first of its values.`, button: label, does: "mend" };
  }
  if (fault.mend && reading === "json") {
    return { title, detail: `${correct}, or have it repaired.`, button: "Repair and score", does: "repair" };
  }
  return { title, detail: `${correct}, or compare it as plain text.`, button: "Compare as plain text", does: "text" };
};
