// The summary of a finished review: verdicts, scores before and after, the estimate of a sample, files, groups.

import { newButton, newElement, newIcon } from "../parts/elements.js";
import { counted, signed } from "../parts/words.js";
import { verdictCounts } from "./sentences.js";

/** @import { Decided } from "./worklist.js" */
/** @typedef {{name: string, places: number, verdicts: string, gains: number[] | null}} GroupGains */
/**
 * @typedef {object} Summary
 * @property {Decided[]} decided
 * @property {string} references  the name of the corrected file
 * @property {number} count  the number of documents
 * @property {HTMLElement} written  sentences about what will be written
 * @property {(name: "references" | "verdicts") => void} download
 * @property {HTMLElement} loss  the estimate of a sample
 * @property {HTMLElement} scores
 * @property {HTMLElement} groups
 */

/**
 * Return a table with one row per group and a total: the verdicts, and the points that systems gain by them.
 * @type {(groups: GroupGains[], systems: string[]) => HTMLElement}
 */
export const gainsTable = (groups, systems) => {
  const most = Math.max(1e-9, ...groups.flatMap((group) => (group.gains ?? []).map(Math.abs)));
  const heads = ["group", "places", "verdict", ...systems].map((text) => newElement("th", "", text));
  for (const cell of heads) cell.scope = "col";
  const gainOf = (/** @type {number | undefined} */ gain) => {
    const text = gain === undefined ? "…" : signed(gain);
    const shown = newElement("span", "", /[1-9…]/.test(text) ? text : "·");
    shown.style.setProperty("--v", Math.max(0, (gain ?? 0) / most).toFixed(2));
    return newElement("td", "rv-heat", shown);
  };
  const rows = groups.map(({ name, places, verdicts, gains }) => {
    const cells = [newElement("td", "", name), newElement("td", "soft", String(places))];
    cells.push(newElement("td", "soft", verdicts), ...systems.map((_, at) => gainOf(gains?.[at])));
    return newElement("tr", "", ...cells);
  });
  const head = newElement("thead", "", newElement("tr", "", ...heads));
  return newElement("table", "rv-gains", head, newElement("tbody", "", ...rows));
};

/** @type {(name: string, title: string, ...content: (string | Node)[]) => HTMLElement} */
const section = (name, title, ...content) => newElement("section", name, newElement("h2", "", title), ...content);

/** Return a bar whose parts show how many places have each verdict. */
const bars = (/** @type {Decided[]} */ decided) => {
  const { corrected, acceptable, errors, unclear } = verdictCounts(decided);
  const isRow = (/** @type {Decided} */ { place, decision }) => place.whole && decision.verdict === "prediction";
  const rows = decided.filter(isRow).length;
  const added = rows ? `${counted(rows, "row")} added or removed` : "";
  const accepted = `${acceptable.toLocaleString("en")} more acceptable`;
  const parts = [
    { count: corrected, look: "exact", words: `${counted(corrected, "ground truth")} corrected`, note: added },
    { count: acceptable, look: "partial", words: accepted, note: "the prediction counts as well" },
    { count: errors, look: "wrong", words: `${counted(errors, "error")} of systems`, note: "nothing changes" },
    { count: unclear, look: "unclear", words: counted(unclear, "unclear", "unclear"), note: "nothing changes" },
  ];
  return parts
    .filter(({ count }) => count)
    .map(({ count, look, words, note }) => {
      const bar = newElement(
        "div",
        "",
        newElement("i", look),
        newElement("b", "t15", words),
        newElement("p", "soft", note),
      );
      bar.style.setProperty("--w", String(Math.max(count / decided.length, 0.02)));
      bar.style.flexGrow = String(count);
      return bar;
    });
};

// Return a button for a download, with a description of the file.
/** @type {(button: HTMLButtonElement, name: string, ...text: (string | Node)[]) => HTMLElement} */
const fileOf = (button, name, ...text) => {
  button.prepend(newIcon("M8 2.5v7.5M4.5 7 8 10.5 11.5 7M2.5 13.5h11"));
  const note = newElement("p", "soft t12", newElement("code", "", name), document.createElement("br"), ...text);
  return newElement("div", "", button, note);
};

/** Draw the summary. */
export const drawSummary = (/** @type {HTMLElement} */ part, /** @type {Summary} */ found) => {
  const all = found.decided.length.toLocaleString("en");
  const documents = counted(found.count, "document");
  const same = newElement("p", "soft t12", `○ before, ● after. ${documents}, the same options.`);
  const references = newButton("btn main", "Download corrected references", () => found.download("references"));
  const verdicts = newButton("btn", "Download verdicts", () => found.download("verdicts"));
  const files = [
    fileOf(references, found.references, `${documents}. `, found.written),
    fileOf(verdicts, "verdicts.jsonl", "one line for each place; drop it here again to continue"),
  ];
  const summary = [
    section(
      "full",
      `${all} ${found.decided.length === 1 ? "place" : "places"} decided`,
      newElement("div", "rv-sum", ...bars(found.decided)),
    ),
    section("", "Scores before → after", found.scores, same),
    section("", "How much of the loss is not the system’s", found.loss),
    section("full rv-files", "Files", ...files),
    section("full", "What each group gave back", newElement("div", "rv-scroll", found.groups)),
  ];
  const scroller = newElement("div", "scroll rv-summary", ...summary);
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "region");
  scroller.setAttribute("aria-label", "Summary");
  part.replaceChildren(scroller);
};

/** Draw the estimate of a sample, with its interval on a scale from 0 to 100 %. */
export const estimateOf = (/** @type {Server.EstimatedLoss} */ { lines, share }, /** @type {number} */ draws) => {
  const [point, low, high] = share;
  const plot = newElement("span", "rv-plot rv-share", newElement("i", "w"), newElement("i", "p"));
  for (const [sign, value] of Object.entries({ "--a": low, "--b": high, "--p": point })) {
    plot.style.setProperty(sign, String(value));
  }
  const [ofPoint, ofLow, ofHigh] = share.map((each) => Math.round(100 * each));
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `${ofPoint} %, 95 % interval ${ofLow} to ${ofHigh} %`);
  const axis = ["0", "50 %", "100 %"].map((text) => newElement("span", "", text));
  const drawn = `From ${counted(draws, "place")} sampled at random by the points lost there, with a 95 % interval.`;
  return [
    newElement("p", "", lines[0]),
    plot,
    newElement("div", "rv-axis soft t12", ...axis),
    newElement("p", "soft t12", `${drawn} The sample cannot show errors of both sides.`),
  ];
};
