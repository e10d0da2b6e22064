// What the tab for several systems shows: files, their comparison, and the view of it that stands in the address.

/** @typedef {Pick<Server.CompareRequest, "references" | "predictions" | "names" | "reading">} ComparedFiles */
/**
 * @typedef {object} ComparisonView
 * @property {string} document  that is open, "" for none
 * @property {string} find  a text in the ids of the documents that are listed
 * @property {number | null} pair  the number of the pair of systems by which documents are sorted
 * @property {string} worse  "2 0": documents where the third system is worse than the first; "" for all
 * @property {Server.CostColumn | ""} by  what the systems are sorted by, least first; "" for the score, best first
 * @property {string} seg  the pane that a phone shows
 */
/** @typedef {Server.DocumentScores & {numbers: number[]}} ListedDocument */

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.25]; // of an axis
const MOST_STEPS = 4;
/** @type {ComparisonView} */
export const PLAIN_VIEW = { document: "", find: "", pair: null, worse: "", by: "", seg: "1" };
const COSTS = /** @type {const} */ (["cost", "seconds", "tokens"]);

/**
 * The name of a result and the view of it in an address; the name is null if there is none.
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
 * The documents that a view lists: those most apart first, for a pair of systems by what one gains, and where one
 * system is worse than another by what it loses.
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

/** The columns of costs that any system has. */
export const costsOf = (/** @type {Server.System[]} */ systems) =>
  COSTS.filter((name) => systems.some(({ costs }) => costs[name]));

/**
 * The systems by a column of costs, least first, those without a sum last; else best first.
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
 * The points that systems lost at a place, as the table of a document writes them.
 * @type {(text: string) => number[]}
 */
export const lossesOf = (text) => text.split("|").map((loss) => Number(loss.replace("−", "")) || 0);

/**
 * Round numbers from one below the least to one above the most, in few steps.
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
    /** @type {ComparedFiles | null} */
    this.files = null;
    /** @type {Server.Comparison | null} */
    this.result = null;
    /** @type {ComparisonView} */
    this.view = { ...PLAIN_VIEW };
    this.sought = { field: "", cause: "" }; // what of the next document that is opened is brought into view
    /** @type {number | null} the number of the document that is open */
    this.opened = null;
  }

  /** The files that were chosen; the view begins anew. */
  begin(/** @type {ComparedFiles} */ files) {
    [this.files, this.view] = [files, { ...PLAIN_VIEW }];
  }

  /** The files are those of the result. */
  restore() {
    if (!this.result) return;
    const { references, predictions, names, reading } = this.result.asked;
    this.files = { references, predictions, names, reading };
  }

  /** The address of a view of the result. */
  address(/** @type {Partial<ComparisonView>} */ changes = {}) {
    return addressOfComparison(this.result?.run ?? "", { ...this.view, ...changes });
  }

  /** The address of the rows by which the best system leads the second, "" if it does not. */
  addressOfLead(/** @type {(id: string) => boolean} */ hasFile) {
    const view = { ...PLAIN_VIEW, worse: "1 0" };
    const listed = this.result ? listedDocuments(this.result, view) : [];
    const { id = "" } = listed.find((each) => hasFile(each.id)) ?? listed[0] ?? {};
    const [pair] = this.result?.pairs ?? [];
    return id && pair && pair.difference > 0 ? this.address({ ...view, document: id }) : "";
  }

  /** What changes where a view takes the place of that before; a pair that the result lacks is left out. */
  follow(/** @type {ComparisonView} */ view) {
    const before = this.view;
    const hasPair = view.pair !== null && view.pair < (this.result?.pairs.length ?? 0);
    this.view = { ...view, pair: hasPair ? view.pair : null };
    const { pair } = this.view;
    const isOrdered = view.find !== before.find || pair !== before.pair || view.worse !== before.worse;
    return { isOther: view.document !== before.document, isOrdered, last: before.document };
  }
}
