// The view of a place that is being decided: its values in a column, the evidence, the points at stake, and the rest of
// its row.

import { findElement, newButton, newElement } from "../parts/elements.js";
import { blindOrder, letterOf } from "./places.js";
import { evidenceOf, stakeOf } from "./sentences.js";

/**
 * @typedef {object} ItemLook
 * @property {string[]} systems  the names of the systems
 * @property {string} references  the name of the file
 * @property {number} chosen  the number of the chosen answer
 * @property {number} size  how many places the group has
 * @property {string} fault  the reason why its verdict cannot be applied, or ""
 * @property {string} both  the verdicts of two readers who differ, or ""
 * @property {HTMLElement} crop  the element for its region on the page
 * @property {boolean} isBlind
 * @property {Set<number>} picked  in blind work: the picked values; the ground truth is -1
 * @property {(answer: number) => void} choose
 */

const icon = (/** @type {string} */ name) => newElement("span", `rv-icon ${name}`);

/** Return the spans of a value. A differing space is shown as a sign, since a line through it looks like a hyphen. */
const spans = (/** @type {[string, boolean][]} */ parts, /** @type {"del" | "ins"} */ tag) =>
  parts.map(([text, differs]) => {
    return differs ? newElement(tag, "", text.replaceAll(" ", "␣")) : text;
  });

/** Return the fields of an object in JSON, with numbers in their notation; null for another value. */
const fieldsOf = (/** @type {string} */ text) => {
  /** @type {(key: string, value: unknown, context?: {source: string}) => unknown} */
  const asWritten = (_, value, context) => (typeof value === "number" ? (context?.source ?? String(value)) : value);
  try {
    const found = JSON.parse(text, asWritten);
    return found && typeof found === "object" && !Array.isArray(found) ? Object.entries(found) : null;
  } catch {
    return null;
  }
};

const cellText = (/** @type {unknown} */ value) => (typeof value === "string" ? value : JSON.stringify(value));

const table = (/** @type {string[]} */ heads, /** @type {(Node | string)[][]} */ rows, name = "") => {
  const cells = (/** @type {"th" | "td"} */ tag, /** @type {(Node | string)[]} */ all) =>
    newElement("tr", "", ...all.map((each) => newElement(tag, "", each)));
  const found = newElement(
    "table",
    `rv-table ${name}`,
    newElement("thead", "", cells("th", heads)),
    newElement("tbody", "", ...rows.map((row) => cells("td", row))),
  );
  for (const head of found.querySelectorAll("th")) head.scope = "col";
  return found;
};

/** Return the card of a value. */
const valueOf = (
  /** @type {Server.Place} */ place,
  /** @type {string | null} */ text,
  /** @type {[string, boolean][]} */ marked,
  /** @type {"del" | "ins"} */ tag,
) => {
  if (text === null) return newElement("span", "rv-absent", place.whole ? "no such row" : "absent");
  const fields = place.whole ? fieldsOf(text) : null;
  if (!fields) return newElement("span", "rv-val", ...spans(marked, tag));
  const heads = fields.map(([key]) => key);
  const cells = fields.map(([, value]) => cellText(value));
  return newElement("span", "rv-wide", table(heads, [cells], tag === "ins" ? "new" : "old"));
};

const card = (
  /** @type {string} */ title,
  /** @type {string} */ small,
  /** @type {HTMLElement} */ value,
  /** @type {string} */ note,
  /** @type {{isChosen: boolean, key: string, press: () => void, role: string} | null} */ choice,
) => {
  const who = newElement(
    "span",
    "rv-by",
    newElement("b", "", title, ...(choice ? [newElement("span", "rv-dot")] : [])),
    newElement("small", "", small),
  );
  const said = newElement("span", "rv-sim", note, ...(choice ? [newElement("kbd", "", choice.key)] : []));
  if (!choice) return newElement("div", "rv-value", who, value, said);
  const found = newButton("rv-value", "", choice.press);
  found.append(who, value, said);
  found.setAttribute("role", choice.role);
  found.setAttribute("aria-checked", String(choice.isChosen));
  found.setAttribute("aria-keyshortcuts", choice.key);
  return found;
};

/** Return the systems that agree with the ground truth, if known. */
const agreeing = (/** @type {Server.Place} */ place, /** @type {string[]} */ systems) => {
  const others = new Set(place.answers.flatMap((answer) => answer.systems));
  return others.size < place.of && place.of === systems.length
    ? systems.filter((_, number) => !others.has(number))
    : [];
};

const cards = (/** @type {Server.Place} */ place, /** @type {ItemLook} */ look) => {
  const { answers, truth } = place;
  const first = answers[look.chosen] ?? answers[0];
  const several = answers.length > 1;
  const same = agreeing(place, look.systems).join(", ");
  const truthValue = valueOf(place, truth, first.marked[0], "del");
  if (look.isBlind) {
    const values = blindOrder(place).map((side, at) => {
      const text = side < 0 ? null : answers[side].text;
      const value = side < 0 ? truthValue : valueOf(place, text, text === null ? [] : [[text, false]], "ins");
      if (side < 0 && truth !== null && !place.whole) value.replaceChildren(truth);
      return card(`Value ${letterOf(at)}`, "", value, "", {
        isChosen: look.picked.has(side),
        key: letterOf(at).toLowerCase(),
        press: () => look.choose(side),
        role: "checkbox",
      });
    });
    return [group("group", "Values", values)];
  }
  const predictions = answers.map((answer, at) => {
    const choice = {
      isChosen: at === look.chosen,
      key: letterOf(at).toLowerCase(),
      press: () => look.choose(at),
      role: "radio",
    };
    return card(
      several ? `Prediction ${letterOf(at)}` : "Prediction",
      answer.systems.map((system) => look.systems[system]).join(", "),
      valueOf(place, answer.text, answer.marked[1], "ins"),
      answer.similarity,
      several ? choice : null,
    );
  });
  const top = card("Ground truth", [look.references, same].filter(Boolean).join(", "), truthValue, "", null);
  top.classList.add("truth");
  return [top, several ? group("radiogroup", "Predictions", predictions) : predictions[0]];
};

const group = (/** @type {string} */ role, /** @type {string} */ label, /** @type {HTMLElement[]} */ content) => {
  const found = newElement("div", "rv-values", ...content);
  found.setAttribute("role", role);
  found.setAttribute("aria-label", label);
  return found;
};

const fact = (/** @type {string} */ name, /** @type {string} */ look, /** @type {string} */ text) =>
  newElement("p", look, icon(name), newElement("span", "", text));

/** Draw a place. @type {(body: HTMLElement, place: Server.Place, look: ItemLook) => void} */
export const drawPlace = (body, place, look) => {
  const values = cards(place, look);
  const facts = newElement("div", "rv-facts");
  if (look.fault) facts.append(fact("minus", "rv-fault", `Cannot be applied: ${look.fault}.`));
  if (look.both) facts.append(newElement("p", "rv-both", look.both));
  if (place.about) facts.append(newElement("p", "rv-about", place.about));
  facts.append(fact("page", "rv-evidence", evidenceOf(place, look)));
  if (!look.isBlind) {
    const hasSpace = values.some((value) =>
      [...value.querySelectorAll("del, ins")].some(({ textContent }) => textContent?.includes("␣")),
    );
    facts.append(fact("minus", "soft", stakeOf(place, look.systems, look.size) + (hasSpace ? " ␣ is a space." : "")));
  }
  body.replaceChildren(look.crop, ...values, facts, newElement("div", "rv-row"));
};

/**
 * Draw the context of a place from the server's answer, and the text of a PDF that only this browser has.
 * @param {HTMLElement} body
 * @param {Server.Place} place
 * @param {Server.Beside} beside
 * @param {{isBlind: boolean, chosen: number}} look
 * @param {(number: number) => void} open  called if another place is pressed
 */
export const drawBeside = (body, place, { heads, rows, places, count, text, found }, look, open) => {
  if (!place.has_text && text !== null) {
    findElement(body, ".rv-evidence").replaceWith(fact("page", "rv-evidence", evidenceOf(place, { ...look, found })));
  }
  const within = findElement(body, ".rv-row");
  if (!heads.length) {
    within.replaceChildren();
    return;
  }
  const differing = places.filter((each) => each !== null).length;
  const isRow = /\]\.[^.]*$|\]\["[^"]*"\]$/.test(place.path);
  const first = count > rows.length ? `, the first ${rows.length} of ${count}` : "";
  const differ = differing ? `${differing} of ${heads.length} differ${differing === 1 ? "s" : ""} too` : "all agree";
  const rest = `The rest of this ${isRow ? "row" : "document"} in the ground truth: ${differ}`;
  const title = place.whole ? `The ground truth’s rows${first}` : rest;
  const cells = rows.map((row) =>
    row.map((text, at) => {
      const to = places[at];
      if (place.whole) return text;
      if (to === null) return newElement("span", "", newElement("span", "rv-glyph", "="), text);
      const lead = newButton("rv-lead", "", () => open(to));
      lead.append(newElement("span", "rv-glyph differs", "≠"), newElement("u", "", text));
      lead.setAttribute("aria-label", `${heads[at]}: ${text}, differs too`);
      return lead;
    }),
  );
  within.replaceChildren(newElement("h3", "", title), newElement("div", "rv-scroll", table(heads, cells)));
};
