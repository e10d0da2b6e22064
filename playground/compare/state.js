// The state of the tab for several systems: files, their comparison, and the view of it, which is in the address.

/** @import { ComparedFiles } from "../parts/file_tab.js" */
/**
 * @typedef {object} ComparisonView
 * @property {string} document  the open document, "" for none
 * @property {string} find  a text that the ids of listed documents contain
 * @property {number | null} pair  the number of the pair of systems by which documents are sorted
 * @property {string} worse  "2 0" lists documents where the third system is worse than the first, "" all documents
 * @property {Server.CostColumn | ""} by  the column that sorts the systems, least first; "" for the score, best first
 * @property {string} seg  the pane that a phone shows
 */
/** @typedef {Server.DocumentScores & {numbers: number[]}} ListedDocument */

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.25]; // steps of an axis
const MOST_STEPS = 4;
/** @type {ComparisonView} */
export const PLAIN_VIEW = { document: "", find: "", pair: null, worse: "", by: "", seg: "1" };
const COSTS = /** @type {const} */ (["cost", "seconds", "tokens"]);

/**
 * Return the name of the result in an address, null if there is none, and the view of the result.
 * @type {(hash: string) => {run: string | null, view: ComparisonView}}
 */
export const comparisonOf = (hash) => {
  const asked = new URLSearchParams(hash.slice(1));
  const pair = Number.parseInt(asked.get("pair") ?? "", 10);
  const seg = asked.get("seg") ?? "";
  const [document, find, worse] = ["document", "find", "worse"].map((name) => asked.get(name) ?? "");
  const by = COSTS.find((name) => name === asked.get("by")) ?? "";
  const shown = ["1", "2", "3"].includes(seg) ? seg : "1";
  return {
    run: asked.get("compare"),
    view: { document, find, pair: pair >= 0 ? pair : null, worse, by, seg: shown },
  };
};

/** @type {(run: string, view: ComparisonView) => string} */
export const addressOfComparison = (run, { document, find, pair, worse, by, seg }) => {
  const parts = new URLSearchParams({ compare: run });
  if (document) parts.set("document", document);
  if (find) parts.set("find", find);
  if (pair !== null) parts.set("pair", String(pair));
  if (worse) parts.set("worse", worse);
  if (by) parts.set("by", by);
  if (seg !== "1") parts.set("seg", seg);
  return `#${parts}`;
};

/**
 * Return the documents that a view lists. The most different documents come first; with a pair of systems, the largest
 * gains of one of them; with "worse", the largest losses.
 * @type {(found: Server.Comparison, view: ComparisonView) => ListedDocument[]}
 */
export const listedDocuments = ({ documents, systems, pairs }, { find, pair, worse }) => {
  const wanted = find.trim().toLowerCase();
  const chosen = pair === null ? undefined : pairs[pair];
  const listed = documents
    .filter(({ id }) => id.toLowerCase().includes(wanted))
    .map((each) => ({ ...each, numbers: each.scores.map(Number) }));
  /** @type {(one: number, other: number) => (document: ListedDocument) => number} */
  const lead =
    (one, other) =>
    ({ numbers }) =>
      numbers[one] - numbers[other];
  if (worse) {
    const [less, more] = worse.split(" ").map(Number);
    const gain = lead(more, less);
    return listed.filter((document) => gain(document) > 0).sort((one, other) => gain(other) - gain(one));
  }
  if (!chosen) return listed;
  const [first, second] = [chosen.first, chosen.second].map((name) => systems.findIndex((each) => each.name === name));
  const gain = lead(first, second);
  return listed.sort((one, other) => gain(other) - gain(one));
};

/** Return the columns of costs that at least one system has. */
export const costsOf = (/** @type {Server.System[]} */ systems) =>
  COSTS.filter((name) => systems.some(({ costs }) => costs[name]));

/**
 * Sort systems by a column of costs, least first and systems without a sum last; without a column, best first.
 * @type {(systems: Server.System[], by: ComparisonView["by"]) => Server.System[]}
 */
export const sortedSystems = (systems, by) => {
  if (!by) return systems;
  const isKnown = (/** @type {Server.System} */ { costs }) => typeof costs[by]?.total === "number";
  const total = (/** @type {Server.System} */ { costs }) => costs[by]?.total ?? 0;
  return [
    ...systems.filter(isKnown).sort((one, other) => total(one) - total(other)),
    ...systems.filter((system) => !isKnown(system)),
  ];
};

/**
 * Return the points that systems lost at a place, from the text in the table of a document.
 * @type {(text: string) => number[]}
 */
export const lossesOf = (text) => text.split("|").map((loss) => Number(loss.replace("−", "")) || 0);

/**
 * Return a few round numbers, from just below the least to just above the most.
 * @type {(least: number, most: number) => number[]}
 */
export const ticks = (least, most) => {
  const begins = (/** @type {number} */ step) => Math.floor(least / step + 1e-9);
  const ends = (/** @type {number} */ step) => Math.ceil(most / step - 1e-9);
  const step = STEPS.find((each) => ends(each) - begins(each) <= MOST_STEPS) ?? STEPS[STEPS.length - 1];
  const first = begins(step);
  const last = Math.max(first + 1, ends(step));
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toFixed(2)));
};

export class CompareState {
  constructor() {
    this.isShown = false; // whether the result is shown, not the drop box
    this.noticed = ""; // the title of the notice
    /** @type {ComparedFiles | null} */
    this.files = null;
    this.extra = {}; // further parts of a request
    /** @type {Server.Comparison | null} */
    this.result = null;
    /** @type {ComparisonView} */
    this.view = { ...PLAIN_VIEW };
    this.sought = { field: "", cause: "" }; // the rows to bring into view in the next document that is opened
    /** @type {Server.SideBySide | null} the document that is open */
    this.opened = null;
    /** @type {Set<number>} its rows that a system cites in another region, or that systems cite differently */
    this.apart = new Set();
    /** @type {number | null} its row that is looked at */
    this.row = null;
    this.isPaper = false; // whether the document is open next to its values
    this.isUnfolded = false; // whether rows are shown for which all systems predict the same
    this.system = 0; // the system that a phone shows
  }

  /** The names of the systems, best first. */
  get systems() {
    return (this.result?.systems ?? []).map(({ name }) => name);
  }

  /** The regions of the open document, by system. */
  get places() {
    return this.opened?.places ?? [];
  }

  get isCited() {
    return this.places.some((ofSystem) => ofSystem.length);
  }

  /** Take the chosen files, and reset the view. */
  begin(/** @type {ComparedFiles} */ files) {
    [this.files, this.view] = [files, { ...PLAIN_VIEW }];
  }

  /** Go back to the files of the result. */
  restore() {
    if (!this.result) return;
    const { references, predictions, names, reading } = this.result.asked;
    this.files = { references, predictions, names, reading };
  }

  /** Take a result, and show a view of it. */
  open(/** @type {Server.Comparison} */ found, view = this.view) {
    [this.result, this.system] = [found, 0];
    this.restore();
    this.follow(view);
  }

  /** Take the open document, null for none. @type {(found: Server.SideBySide | null, apart?: Set<number>) => void} */
  openDocument(found, apart = new Set()) {
    [this.opened, this.apart, this.row] = [found, apart, null];
  }

  /** Return the address of a view of the result. */
  address(/** @type {Partial<ComparisonView>} */ changes = {}) {
    return addressOfComparison(this.result?.run ?? "", { ...this.view, ...changes });
  }

  /** Return the address of the rows by which the best system leads the second, "" if it does not lead. */
  addressOfLead(/** @type {(id: string) => boolean} */ hasFile) {
    const view = { ...PLAIN_VIEW, worse: "1 0" };
    const listed = this.result ? listedDocuments(this.result, view) : [];
    const { id = "" } = listed.find((each) => hasFile(each.id)) ?? listed[0] ?? {};
    const [pair] = this.result?.pairs ?? [];
    return id && pair && pair.difference > 0 ? this.address({ ...view, document: id }) : "";
  }

  /** Set the view and return what changes; ignore a pair or systems that the result does not have. */
  follow(/** @type {ComparisonView} */ { pair, worse, ...view }) {
    const before = this.view;
    const hasPair = pair !== null && pair < (this.result?.pairs.length ?? 0);
    const hasWorse = this.worseThan().some(({ value }) => value === worse);
    this.view = { ...view, pair: hasPair ? pair : null, worse: hasWorse ? worse : "" };
    const isOrdered = /** @type {const} */ (["find", "pair", "worse"]).some((name) => this.view[name] !== before[name]);
    return { isOther: view.document !== before.document, isOrdered, last: before.document };
  }

  /** Search documents. */
  search(/** @type {string} */ find) {
    this.view = { ...this.view, find };
  }

  /** Return the filters for documents where one system is worse than another. */
  worseThan() {
    return this.systems.flatMap((name, at) =>
      this.systems.flatMap((other, than) =>
        at === than ? [] : [{ value: `${at} ${than}`, words: `${name} worse than ${other}` }],
      ),
    );
  }

  /** Return the id of the document some steps from the open one. @type {(by: number) => string | undefined} */
  next(by) {
    const listed = this.result ? listedDocuments(this.result, this.view) : [];
    return listed[listed.findIndex(({ id }) => id === this.view.document) + by]?.id;
  }

  /**
   * Return whether a row of the open document is shown: all rows, or those where systems differ; with the filter
   * "worse", the rows where one system lost more.
   * @type {(number: number, row: {isSame: boolean, lost: number[]}) => boolean}
   */
  isRowShown(number, { isSame, lost }) {
    const [at, than] = this.view.worse.split(" ").map(Number);
    return this.view.worse ? lost[at] > lost[than] : !isSame || this.isUnfolded || this.apart.has(number);
  }

  /** Say why no row of the open document is shown. */
  get nothing() {
    const worse = this.worseThan().find(({ value }) => value === this.view.worse)?.words;
    return worse
      ? `No value here costs ${worse.replace("worse", "more points")}.`
      : "All systems predict the same for this document.";
  }
}
