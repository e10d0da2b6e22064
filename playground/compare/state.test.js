import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CompareState,
  PLAIN_VIEW,
  addressOfComparison,
  comparisonOf,
  costsOf,
  listedDocuments,
  lossesOf,
  sortedSystems,
  ticks,
} from "./state.js";

const FOUND = {
  run: "run1",
  asked: { references: "r", predictions: ["a", "b", "c"], names: ["alder", "birch", "cedar"], reading: {} },
  systems: [{ name: "alder" }, { name: "birch" }, { name: "cedar" }],
  pairs: [
    { first: "alder", second: "birch" },
    { first: "cedar", second: "alder" },
  ],
  documents: [
    { id: "scan 1", spread: 0.5, scores: ["0.9", "0.4", "0.9"] },
    { id: "Scan 2", spread: 0.3, scores: ["0.5", "0.8", "0.6"] },
    { id: "fax", spread: 0.1, scores: ["0.7", "0.7", "0.75"] },
  ],
};
const ids = (changes) => listedDocuments(FOUND, { ...PLAIN_VIEW, ...changes }).map(({ id }) => id);

test("a view survives its address, and unknown parts of an address are ignored", () => {
  const view = { document: "a&b", find: "x=y", pair: 1, worse: "2 0", by: "cost", seg: "3" };
  assert.deepEqual(comparisonOf(addressOfComparison("run1", view)), { run: "run1", view });
  assert.equal(addressOfComparison("run1", PLAIN_VIEW), "#compare=run1");
  assert.deepEqual(comparisonOf("#compare=run1&pair=-1&by=name&seg=12"), { run: "run1", view: PLAIN_VIEW });
  assert.equal(comparisonOf("#compare").run, "");
});

test("systems are sorted by costs, systems without a sum last", () => {
  const costs = { alder: { cost: { total: 2 } }, birch: { cost: { total: null } }, cedar: { cost: { total: 0.5 } } };
  const systems = FOUND.systems.map(({ name }) => ({ name, costs: costs[name] }));
  const names = (by) => sortedSystems(systems, by).map(({ name }) => name);
  assert.deepEqual(names(""), ["alder", "birch", "cedar"]);
  assert.deepEqual(names("cost"), ["cedar", "alder", "birch"]);
  assert.deepEqual(names("seconds"), ["alder", "birch", "cedar"]);
  assert.deepEqual(costsOf(systems), ["cost"]);
});

test("documents are found by their ids, and sorted by the gain of one system", () => {
  assert.deepEqual(ids({}), ["scan 1", "Scan 2", "fax"]);
  assert.deepEqual(ids({ find: " SCAN" }), ["scan 1", "Scan 2"]);
  assert.deepEqual(ids({ pair: 1 }), ["Scan 2", "fax", "scan 1"]);
  assert.deepEqual(ids({ worse: "0 1" }), ["Scan 2"], "alder is worse than birch");
  assert.deepEqual(ids({ worse: "1 0", pair: 1 }), ["scan 1"]);
});

test("losses are read from the text in the table", () => {
  assert.deepEqual(lossesOf("−0.125||0.000|−1.000"), [0.125, 0, 0, 1]);
});

test("an axis has a few round marks around its values", () => {
  assert.deepEqual(ticks(0.62, 0.87), [0.6, 0.7, 0.8, 0.9]);
  assert.deepEqual(ticks(0.971, 0.982), [0.97, 0.98, 0.99]);
  assert.deepEqual(ticks(0, 1), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticks(0.5, 0.5), [0.5, 0.51]);
});

/** Return the state with a result and a view of it. */
const opened = (view = {}) => {
  const state = new CompareState();
  state.open(FOUND, { ...PLAIN_VIEW, ...view });
  return state;
};

test("following an address reports what changes", () => {
  const state = opened({ document: "fax" });
  assert.deepEqual(state.follow({ ...PLAIN_VIEW, document: "scan 1", pair: 9 }), {
    isOther: true,
    isOrdered: false,
    last: "fax",
  });
  assert.equal(state.view.pair, null, "the result has two pairs");
  assert.equal(state.follow({ ...state.view, find: "a" }).isOrdered, true);
  assert.equal(state.address({ document: "" }), "#compare=run1&find=a");
});

test("a view has only pairs and systems of the result", () => {
  const { pair, worse } = opened({ pair: 2, worse: "0 3" }).view;
  assert.deepEqual([pair, worse], [null, ""]);
  const state = opened({ pair: 1, worse: "2 0" });
  assert.deepEqual([state.view.pair, state.view.worse], [1, "2 0"]);
  assert.deepEqual(state.worseThan()[4], { value: "2 0", words: "cedar worse than alder" });
});

test("a step leads to the next document of the list", () => {
  const state = opened({ document: "Scan 2" });
  assert.deepEqual([state.next(-1), state.next(1)], ["scan 1", "fax"]);
  state.search("scan");
  assert.equal(state.next(1), undefined);
  assert.equal(opened().next(1), "scan 1");
});

test("rows on which all systems agree are folded, and a filter shows rows where one system lost more", () => {
  const shown = (state) =>
    [
      { isSame: true, lost: [0, 0, 0] },
      { isSame: false, lost: [0, 0.2, 0.1] },
      { isSame: true, lost: [0.5, 0.5, 0.5] },
    ].flatMap((row, number) => (state.isRowShown(number, row) ? [number] : []));
  const state = opened();
  assert.deepEqual(shown(state), [1]);
  state.openDocument({ html: "", number: 3, places: [[]] }, new Set([2]));
  assert.deepEqual([shown(state), state.isCited, state.row], [[1, 2], false, null]);
  state.isUnfolded = true;
  assert.deepEqual(shown(state), [0, 1, 2]);
  assert.deepEqual(shown(opened({ worse: "1 2" })), [1]);
  assert.equal(opened({ worse: "1 2" }).nothing, "No value here costs birch more points than cedar.");
  assert.equal(state.nothing, "All systems predict the same for this document.");
});

test("a new result shows the first system, and a restored one has its own files", () => {
  const state = opened();
  state.system = 2;
  state.begin({ references: "other", predictions: [], names: [], reading: {} });
  state.open(FOUND);
  assert.deepEqual([state.system, state.files], [0, FOUND.asked]);
});
