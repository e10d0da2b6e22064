// Renders a comparison of several systems: verdict, intervals, causes, fields, documents, pairs.

import { newDocumentSign } from "../parts/document_files.js";
import { cutName, findElement, newButton, newDrawing, newElement } from "../parts/elements.js";
import { capital, signed } from "../parts/words.js";
import { costsOf, listedDocuments, sortedSystems, ticks } from "./state.js";

/** @import { ComparisonView } from "./state.js" */

const ROW = 28; // pixels
const AXIS = 16; // pixels
const LONGEST_HEAD = 20; // characters

/** Return a part of a grid with its role; arrow keys can reach cells. */
const part = (/** @type {string} */ role, /** @type {string} */ name, /** @type {(string | Node)[]} */ ...content) => {
  const found = newElement("span", name, ...content);
  found.setAttribute("role", role);
  if (role === "rowheader" || role === "gridcell") {
    found.dataset.cell = "";
    found.tabIndex = -1;
  }
  return found;
};

const row = (/** @type {string} */ name, /** @type {Node[]} */ ...cells) => {
  const found = newElement("div", `cmp-row ${name}`, ...cells);
  found.setAttribute("role", "row");
  if (name !== "cmp-head") found.dataset.row = "";
  return found;
};

/** Split a name at punctuation, so that it can wrap there but not within words. */
const pieces = (/** @type {string} */ name) => name.split(/(?<=[-_.\/ ])/);

/** Leave out the middle of a name that is too long for a column header. */
const shortName = (/** @type {string} */ name) => {
  const signs = [...name];
  const isLong = signs.length > LONGEST_HEAD;
  return isLong ? `${signs.slice(0, LONGEST_HEAD / 2).join("")}…${signs.slice(-LONGEST_HEAD / 2).join("")}` : name;
};

const heads = (/** @type {Node[]} */ first, /** @type {Server.System[]} */ systems) =>
  row(
    "cmp-head",
    ...first,
    ...systems.map(({ name }) => {
      const head = part(
        "columnheader",
        "cmp-system",
        newElement("span", "", ...pieces(shortName(name)).flatMap((piece) => [piece, document.createElement("wbr")])),
      );
      head.setAttribute("aria-label", name);
      head.title = name;
      return head;
    }),
  );

const grid = (
  /** @type {HTMLElement} */ place,
  /** @type {string} */ label,
  /** @type {number} */ systems,
  /** @type {Node[]} */ rows,
) => {
  const found = newElement("div", "cmp-grid", ...rows);
  found.setAttribute("role", "grid");
  found.setAttribute("aria-label", label);
  found.style.setProperty("--systems", String(systems));
  place.replaceChildren(found);
};

const shaded = (/** @type {string} */ text, /** @type {number} */ share) => {
  const found = part("gridcell", "cmp-heat", newElement("span", "", text));
  found.style.setProperty("--v", share.toFixed(2));
  return found;
};

/** Return a row of the points lost by a cause or a field; a cell opens the document that lost most. */
const losses = (
  /** @type {Server.LossRow} */ { name, label, paths, documents, few, cells },
  /** @type {Server.System[]} */ systems,
) => {
  const head = part("rowheader", "cut", paths ? newElement("code", "", ...cutName(name)) : (label ?? name));
  if (paths) head.title = paths.join("\n");
  const count = documents === undefined ? [] : [part("gridcell", "soft cmp-count", documents.toLocaleString("en"))];
  const found = row(
    few ? "cmp-few" : "",
    head,
    ...count,
    ...cells.map(({ text, share, document }, at) => {
      const cell = shaded(text, share ** 0.7);
      if (!document) return cell;
      cell.dataset.open = document;
      cell.title = `${systems[at].name} lost the most in ${document}`;
      return cell;
    }),
  );
  found.dataset[paths ? "ofField" : "ofCause"] = name;
  return found;
};

/** Return an interval with its point at a height, on a scale from 0 to 1; only the point without an interval. */
const interval = (
  /** @type {number} */ y,
  /** @type {number} */ point,
  /** @type {number | null} */ low,
  /** @type {number | null} */ high,
  /** @type {(value: number) => number} */ at,
) => {
  const x = (/** @type {number} */ value) => `${(100 * at(value)).toFixed(2)}%`;
  const ends =
    low === null || high === null
      ? []
      : [
          newDrawing("line", { class: "cmp-line", x1: x(low), x2: x(high), y1: y, y2: y }),
          ...[low, high].map((end) =>
            newDrawing("line", { class: "cmp-line", x1: x(end), x2: x(end), y1: y - 4, y2: y + 4 }),
          ),
        ];
  return [...ends, newDrawing("circle", { class: "cmp-point", cx: x(point), cy: y, r: 6 })];
};

/**
 * Draw the systems: scores with intervals, an axis, and brackets around systems that are not shown to differ. If files
 * have costs, the systems can be sorted by them.
 * @type {(place: HTMLElement, found: Server.Comparison, by: ComparisonView["by"]) => void}
 */
export const drawSystems = (place, found, by) => {
  const systems = sortedSystems(found.systems, by);
  const ties = by ? [] : found.ties; // brackets need neighbours by score
  const costs = costsOf(systems);
  const below = costs.length ? 1 : 0; // rows of headers
  const marks = ticks(
    Math.min(...systems.map(({ low, score }) => low ?? score)),
    Math.max(...systems.map(({ high, score }) => high ?? score)),
  );
  const from = marks[0];
  const to = marks[marks.length - 1];
  const at = (/** @type {number} */ value) => (value - from) / (to - from);
  const height = systems.length * ROW;
  const plot = newDrawing(
    "svg",
    { class: "cmp-plot", height: height + AXIS, role: "img" },
    ...marks.flatMap((mark) => {
      const x = `${(100 * at(mark)).toFixed(2)}%`;
      return [
        newDrawing("line", { class: "cmp-mark", x1: x, x2: x, y1: 0, y2: height }),
        newDrawing("text", { x, y: height + AXIS - 4, "text-anchor": "middle" }, String(mark)),
      ];
    }),
    ...systems.flatMap(({ score, low, high }, number) => interval((number + 0.5) * ROW, score, low, high, at)),
  );
  plot.setAttribute(
    "aria-label",
    `Scores: ${systems.map(({ name, text, interval: said }) => `${name} ${text}, ${said}`).join("; ")}.`,
  );
  plot.style.gridRow = String(below + 1);
  const placed = (/** @type {HTMLElement} */ element, /** @type {number} */ row, column = 1) => {
    element.style.gridArea = `${row} / ${column}`;
    return element;
  };
  const names = systems.map(({ name, interval: said }, number) => {
    const cell = newElement("b", "cut", ...cutName(name));
    cell.title = `${name}: ${said}`;
    return placed(cell, below + number + 1);
  });
  /** @type {(name: ComparisonView["by"], at: number, text: (system: Server.System) => string) => HTMLElement[]} */
  const column = (name, at, text) => {
    const head = newButton("btn ghost", name || "score", () => {});
    head.dataset.by = name;
    head.setAttribute("aria-pressed", String(name === by));
    head.setAttribute("aria-label", `Sort systems by ${name || "score"}`);
    const cells = systems.map((system, number) =>
      placed(newElement("span", "cmp-number", text(system)), below + number + 1, at),
    );
    return below ? [placed(head, 1, at), ...cells] : cells;
  };
  const columns = costs.flatMap((name, at) => column(name, at + 4, (system) => costText(system.costs[name])));
  const scores = column("", 3, ({ text }) => text);
  place.replaceChildren(...names, plot, ...scores, ...columns, ...brackets(ties, systems, below));
  place.classList.toggle("with-costs", below > 0);
  place.style.setProperty("--costs", String(costs.length));
  place.style.setProperty("--lanes", String(Math.max(1, found.ties.length)));
};

/** Format a sum of costs with few digits. */
const costText = (/** @type {Server.Cost | undefined} */ cost) => {
  const total = cost?.total ?? null;
  if (total === null) return "–";
  return total.toLocaleString("en", total < 1000 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 0 });
};

/** @type {(ties: [number, number][], systems: Server.System[], below: number) => HTMLElement[]} */
const brackets = (ties, systems, below) =>
  ties.map(([first, last], lane) => {
    const found = newElement("span", "cmp-tie", ...(ties.length === 1 ? [newElement("em", "", "tied")] : []));
    found.setAttribute("role", "img");
    found.setAttribute(
      "aria-label",
      `No difference is proven among ${systems
        .slice(first, last + 1)
        .map(({ name }) => name)
        .join(", ")}.`,
    );
    found.style.gridRow = `${below + first + 1} / ${below + last + 2}`;
    found.style.setProperty("--lane", String(lane));
    return found;
  });

/** Draw every pair of systems: the difference with its interval, and the p-value. */
const pairs = (/** @type {HTMLElement} */ place, /** @type {Server.Comparison} */ { pairs: all, count }) => {
  const most = Math.max(
    1e-9,
    ...all.flatMap(({ difference, low, high }) => [difference, low ?? 0, high ?? 0].map(Math.abs)),
  );
  const at = (/** @type {number} */ value) => 0.02 + 0.96 * (0.5 + value / most / 2);
  const rows = all.map((pair, number) => {
    const name = part(
      "rowheader",
      "",
      newElement("span", "cut", ...cutName(pair.first)),
      "–",
      newElement("span", "cut", ...cutName(pair.second)),
    );
    const range =
      pair.low === null || pair.high === null ? "" : `95 % interval ${signed(pair.low)} to ${signed(pair.high)}; `;
    const said = `${range}${pair.first} is better on ${pair.better}, worse on ${pair.worse} of ${count} documents`;
    name.title = `${pair.first} – ${pair.second}: ${said}`;
    const plot = newDrawing(
      "svg",
      { class: "cmp-plot", height: ROW, role: "img", "aria-label": said },
      newDrawing("line", { class: "cmp-zero", x1: "50%", x2: "50%", y1: 0, y2: ROW }),
      ...interval(ROW / 2, pair.difference, pair.low, pair.high, at),
    );
    const p = part("gridcell", pair.proven ? "cmp-number" : "cmp-number soft", `p ${pair.p}`);
    const found = row(
      "",
      name,
      part("gridcell", "cmp-interval", plot),
      part("gridcell", "cmp-number", signed(pair.difference)),
      p,
    );
    found.dataset.pair = String(number);
    return found;
  });
  grid(place, "All pairs", 0, rows);
};

const strip = (/** @type {number[]} */ scores) => {
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  const x = (/** @type {number} */ value) => `${(100 * value).toFixed(1)}%`;
  return newDrawing(
    "svg",
    { class: "cmp-strip", height: 12, "aria-hidden": "true" },
    newDrawing("line", { class: "cmp-track", x1: 0, x2: "100%", y1: 6, y2: 6 }),
    newDrawing("line", { class: "cmp-line", x1: x(least), x2: x(most), y1: 6, y2: 6 }),
    ...[...new Set(scores)].map((score) => newDrawing("circle", { class: "cmp-dot", cx: x(score), cy: 6, r: 3 })),
  );
};

/**
 * Draw the documents that a view lists.
 * @param {HTMLElement} place
 * @param {Server.Comparison} found
 * @param {ComparisonView} view
 * @param {(id: string) => string} link
 * @param {(id: string) => boolean} hasFile
 */
export const drawDocumentList = (place, found, view, link, hasFile) => {
  const { documents, count, systems } = found;
  const shown = listedDocuments(found, view);
  const chosen = view.pair === null ? null : found.pairs[view.pair];
  const rows = shown.map(({ id, numbers, scores }) => {
    const name = newElement("a", "", newElement("code", "", ...cutName(id)));
    const head = part("rowheader", "cut", name, ...(hasFile(id) ? [newDocumentSign()] : []));
    name.href = link(id);
    name.dataset.cell = "";
    name.tabIndex = -1;
    const cells = scores.map((score, at) => {
      const cell = shaded(score, Math.min(1, 1.6 * (1 - numbers[at])));
      cell.dataset.open = id;
      return cell;
    });
    const listed = row("cmp-document", head, part("presentation", "cmp-wide", strip(numbers)), ...cells);
    delete head.dataset.cell;
    head.removeAttribute("tabindex");
    listed.dataset.document = id;
    return listed;
  });
  const byPair = chosen ? `${chosen.first} over ${chosen.second}` : "by difference";
  const order = part("columnheader", "cut", view.worse ? `${shown.length} of ${count}` : byPair);
  const axis = part("presentation", "cmp-wide cmp-axis", newElement("span", "", "0"), newElement("span", "", "1"));
  grid(place, "Documents", systems.length, [heads([order, axis], systems), ...rows]);
  if (!rows.length) place.append(note(view.worse ? "No such document." : "No id contains this text."));
  if (count <= documents.length) return;
  const listed = `Only the ${documents.length.toLocaleString("en")} documents with the largest differences are listed`;
  place.append(note(`${listed}; Export has all ${count.toLocaleString("en")}.`));
};

const note = (/** @type {string} */ text) => newElement("p", "soft cmp-none", text);

const all = (/** @type {Server.System[]} */ systems) =>
  row(
    "cmp-all",
    part("rowheader", "soft", "All"),
    ...systems.map(({ lost }) => part("gridcell", "", newElement("b", "", lost))),
  );

/** Return links to the documents that account for the lead, to follow its sentence. */
const leader = (/** @type {Server.Verdict} */ { documents: ids }, /** @type {(id: string) => string} */ link) => {
  const links = ids.flatMap((id, at) => {
    const found = newElement("a", "", newElement("code", "", id));
    found.href = link(id);
    return [at ? ", " : ": ", found];
  });
  return ids.length ? [...links, "."] : [];
};

/**
 * Draw everything but the documents.
 * @param {HTMLElement} screen
 * @param {Server.Comparison} found
 * @param {(id: string) => string} link  the address of a document
 * @param {string} leads  the address of the rows that account for the lead, "" if no system leads
 */
export const drawComparison = (screen, found, link, leads) => {
  const place = (/** @type {string} */ name) => findElement(screen, `.cmp-${name}`);
  const { systems, verdict, causes, fields, left_out: left, signature } = found;
  const longest = Math.max(...systems.flatMap(({ name }) => pieces(name)).map(({ length }) => length));
  screen.style.setProperty("--systems", String(systems.length));
  screen.style.setProperty("--name", `${14 + 7 * Math.min(17, longest)}px`);
  const p = newElement("span", "pvalue soft", `(p ${verdict.p}).`);
  const rest = newElement("span", "", `${verdict.rest} `, p);
  const title = leads ? newElement("a", "lead", verdict.title) : newElement("span", "", verdict.title);
  if (leads && title instanceof HTMLAnchorElement) title.href = leads;
  place("verdict").replaceChildren(title, "; ", rest);
  place("verdict").classList.toggle("cmp-long", verdict.title.length > 60);
  place("text").replaceChildren(verdict.text, ...leader(verdict, link));
  place("order").textContent = verdict.remarks.join(" ");
  grid(place("causes"), "Points lost by cause", systems.length, [
    heads([part("columnheader", "", "cause")], systems),
    ...causes.map((each) => losses(each, systems)),
    all(systems),
  ]);
  drawFields(place("fields"), found);
  const few = fields.some((field) => field.few) ? "; grey: in fewer than 5 documents" : "";
  place("meaning").textContent = fields.length ? `points lost${few}` : "";
  const tests = found.pairs.length > 1 ? `, p adjusted for ${found.pairs.length} tests` : "";
  place("adjusted").textContent = `difference${tests}`;
  pairs(place("pairs"), found);
  const lines = systems.flatMap(({ name, counts, costs }) =>
    [...counts, ...Object.values(costs).map(({ note: why }) => why)].filter(Boolean).map((line) => `${name}: ${line}`),
  );
  const bracket = found.ties.length > 1 ? ["Within a bracket, no difference between two systems is proven."] : [];
  const names = costsOf(systems).join(", ");
  const sums = names ? [`${capital(names)}: sums over the documents.`] : [];
  const ofFields = fields.length && found.note ? [found.note] : [];
  const notes = [...left, ...lines, ...bracket, ...sums, ...ofFields, signature];
  place("notes").replaceChildren(...notes.map((text) => newElement("li", "", text)));
};

const drawFields = (/** @type {HTMLElement} */ place, /** @type {Server.Comparison} */ found) => {
  const { systems, fields } = found;
  if (!fields.length) {
    place.replaceChildren(note(found.note || "No field lost points."));
    return;
  }
  grid(place, "Points lost by field", systems.length, [
    heads([part("columnheader", "", "field"), part("columnheader", "cmp-count", "docs")], systems),
    ...fields.map((each) => losses(each, systems)),
  ]);
  if (found.field_count <= fields.length) return;
  const count = found.field_count.toLocaleString("en");
  place.append(note(`Only the fields with the largest losses are listed; Export has all ${count}.`));
};
