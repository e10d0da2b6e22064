// Long lists: the outcome of each row as a bar, in the order of the ground truth, and where a list was cut off.

import { cutName, newButton, newElement } from "./elements.js";
import { counted } from "./words.js";

const MOST_BARS = 160;
const LONG = 20; // rows from which a list is long
const NAMES = /** @type {const} */ ([
  ["fully right row", ""],
  ["a value differs", "half"],
  ["missing", "gone"],
]);
/** @type {Record<string, string>} */
const LOOKS = { w: "", d: "half", m: "gone" };

/**
 * Return the rows of a list as bars; if there are many rows, each bar represents several.
 * @type {(rows: string) => {size: number, bars: {look: string, at: number}[]}}
 */
export const barsOf = (rows) => {
  const size = Math.ceil(rows.length / MOST_BARS);
  const bars = [];
  for (let at = 0; at < rows.length; at += size) {
    const states = new Set(rows.slice(at, at + size));
    bars.push({ look: states.size === 1 ? LOOKS[rows[at]] : "half", at });
  }
  return { size, bars };
};

/** Return the text of the bars for screen readers. @type {(list: Server.LongList) => string} */
export const labelOf = ({ rows, whole, cut, expected }) => {
  const count = (/** @type {string} */ state) => [...rows].filter((each) => each === state).length;
  const ends = cut ? `, cut off after row ${cut} of ${expected}` : "";
  const of = counted(rows.length, "row");
  const parts = `${whole} fully right, ${count("d")} with an error, ${count("m")} missing`;
  return `${of} in the order of the ground truth: ${parts}${ends}`;
};

/** @type {(list: Server.LongList, go: (row: number) => void) => HTMLElement} */
const drawBars = (list, go) => {
  const { size, bars } = barsOf(list.rows);
  const drawn = newElement("div", "inorder");
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", labelOf(list) + (size > 1 ? `; each bar stands for ${size} rows` : ""));
  drawn.style.maxWidth = `${Math.min(384, 6 * bars.length)}px`;
  for (const { look, at } of bars) {
    const bar = newElement("i", look);
    const number = list.numbers[at];
    if (number !== null) bar.addEventListener("click", () => go(number));
    drawn.append(bar);
  }
  if (list.cut) {
    const mark = newElement("i", "cut");
    mark.style.setProperty("--at", String(list.cut / list.rows.length));
    drawn.append(mark);
  }
  return drawn;
};

/**
 * Return the long lists of a document.
 * @type {(lists: Server.LongList[], go: (row: number) => void) => HTMLElement[]}
 */
export const drawLists = (lists, go) => {
  if (!lists.length) return [];
  const cells = (/** @type {string} */ role, /** @type {(string | number)[]} */ texts) =>
    texts.map((text) => {
      const cell = newElement("span", "num", typeof text === "number" ? text.toLocaleString("en") : text);
      cell.setAttribute("role", role);
      return cell;
    });
  /** @type {(content: HTMLElement[], look?: string) => HTMLElement} */
  const row = (content, look = "r") => {
    const element = newElement("div", look, ...content);
    element.setAttribute("role", "row");
    return element;
  };
  const heads = cells("columnheader", [
    "list",
    "expected",
    "predicted",
    "paired",
    "right",
    "in the order of the ground truth",
  ]);
  const rows = lists.map((list) => {
    const name = newElement("code", "cut", ...cutName(list.path));
    name.setAttribute("role", "rowheader");
    const bars = newElement("span", "", drawBars(list, go));
    bars.setAttribute("role", "cell");
    return row([name, ...cells("cell", [list.expected, list.predicted, list.paired, list.whole]), bars]);
  });
  const table = newElement("div", "rows", row(heads, "r hd"), ...rows);
  table.setAttribute("role", "table");
  table.setAttribute("aria-label", "Lists of this document");
  const said = lists.flatMap(({ cut, expected, path, numbers }) => {
    const last = numbers[cut - 1];
    if (!cut || last === null || last === undefined) return [];
    const lead = newButton("lead", `row ${cut.toLocaleString("en")}`, () => go(last));
    const of = lists.length > 1 ? `${path}: cut off after ` : "Cut off after ";
    return [newElement("p", "", newElement("b", "", of, lead, ` of ${expected.toLocaleString("en")}.`))];
  });
  const size = Math.max(...lists.map((list) => barsOf(list.rows).size));
  const key = newElement("p", "soft t12 key");
  for (const [name, look] of NAMES) {
    key.append(newElement("span", "", newElement("span", "inorder", newElement("i", look)), name));
  }
  if (said.length) key.append(newElement("span", "", newElement("i", "bar-cut"), "cut off here"));
  if (size > 1) key.append(`A bar stands for up to ${size} rows.`);
  return [newElement("section", "lists", table, ...said, key)];
};

/** @type {(sum: Server.ListSum) => boolean} */
const isLong = ({ lists, expected, cut_off: cut }) => cut > 0 || expected >= LONG * lists;

/**
 * Return one button per long list, with the share of its rows that was found; one list can be chosen.
 * @type {(lists: Server.ListSum[], chosen: string | null, choose: (list: string | null) => void) => HTMLElement[]}
 */
export const drawListSums = (lists, chosen, choose) =>
  lists.filter(isLong).map(({ field, lists: count, expected, paired, right, cut_off: cut }) => {
    const bar = newElement("span", "bar", document.createElement("i"));
    bar.style.setProperty("--v", String(expected ? paired / expected : 0));
    const many = (/** @type {number} */ number) => number.toLocaleString("en");
    const isPressed = field === chosen;
    const facet = newButton("facet", "", () => choose(isPressed ? null : field));
    Object.assign(facet.dataset, { name: field, cell: "" });
    facet.tabIndex = -1;
    facet.setAttribute("aria-pressed", String(isPressed));
    facet.append(
      newElement("bdi", "name mono cut", ...cutName(field)),
      newElement("span", "num", `${many(paired)} of ${many(expected)}`),
      newElement("small", "", cut ? `cut off in ${many(cut)} of ${many(count)}` : "never cut off"),
      newElement("small", "num", `${expected ? Math.round((100 * right) / expected) : 0} % right`),
      bar,
    );
    const item = newElement("li", "", facet);
    item.dataset.row = "";
    return item;
  });
