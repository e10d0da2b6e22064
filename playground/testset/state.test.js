import assert from "node:assert/strict";
import { test } from "node:test";

import { TestsetState, changesList } from "./state.js";

const result = (run, references = "truths", by = "") => {
  const asked = { references, predictions: "p", by };
  return { run, example: false, asked };
};
const listing = (...names) => ({ names, scores: names.map(() => "0.5"), images: [], note: "" });

/** Return a state with a result of three documents, after filters. */
const opened = (order = [2, 0, 1]) => {
  const state = new TestsetState();
  const areSame = state.open(result("run1"), null);
  state.list(listing("a", "b", "c"), areSame);
  state.show({ order });
  return state;
};

test("another document is chosen if the filters exclude the chosen one", () => {
  const state = opened();
  assert.equal(state.choose(), true);
  assert.deepEqual([state.view.document, state.ofChosen("names")], [2, "c"]);
  assert.equal(state.choose(), false);
  state.show({ order: [1] });
  assert.equal(state.choose(), true);
  state.show({ order: [] });
  state.choose();
  assert.deepEqual([state.view.document, state.ofChosen("names")], [null, ""]);
});

test("steps stop at the first and the last document", () => {
  const state = opened();
  state.choose();
  assert.deepEqual(
    [1, -1, 99].map((step) => state.next(step)),
    [0, 2, 1],
  );
});

test("the document is the chosen one once it is rendered, and null until then", () => {
  const state = opened();
  state.choose();
  assert.equal(state.document, null);
  state.drawn = state.chosen;
  assert.equal(state.document, 2);
  state.change({ document: 1 });
  assert.equal(state.document, null);
});

test("other options keep the view if files and documents are the same", () => {
  const state = opened();
  state.change({ field: "total", document: 1, row: 7 });
  const view = () => [state.view.documents, state.view.field, state.view.document, state.view.row];
  state.list(listing("a", "b", "c"), state.open(result("run2"), null));
  assert.deepEqual(view(), ["run2", "total", 1, 7], "scored again, without other options");
  const areSame = state.open(result("run3", "truths", "language"), null);
  state.list(listing("a", "b", "c"), areSame);
  assert.deepEqual(view(), ["run3", "total", 1, null]);
  state.list(listing("a", "b"), areSame);
  assert.equal(state.view.field, null, "a document is left out now");
});

test("other files reset the view", () => {
  const state = opened();
  state.change({ field: "total" });
  assert.equal(state.open(result("run2", "others"), null), false);
  assert.deepEqual([state.all, state.view.field, state.view.documents], [null, null, "run2"]);
});

test("filters are removed one by one, the last in their order first", () => {
  const state = opened();
  assert.equal(state.cleared(false), null);
  state.change({ cause: "case", find: "a", high: 0.5 });
  assert.deepEqual(state.cleared(false), { low: 0, high: 1 });
  assert.deepEqual(state.cleared(true), { cause: null, find: "", low: 0, high: 1 });
});

test("changes within a document do not change the list", () => {
  assert.equal(changesList({ document: 1, row: null }), false);
  assert.equal(changesList({ document: null, field: "total" }), true);
});

test("a search goes on until it is empty", () => {
  const state = opened();
  assert.equal(state.goesOn({ find: "a" }), false);
  state.change({ find: "a" });
  assert.equal(state.goesOn({ find: "ab" }), true);
});

test("rows match the cause and the field together", () => {
  const state = opened();
  const marks = [
    [1, "total", "case"],
    [2, "total", "number"],
    [3, "date", "case"],
  ];
  state.answer = { html: "", image: "", marks };
  assert.deepEqual(state.hits(), []);
  state.change({ cause: "case" });
  assert.deepEqual(state.hits(), [1, 3]);
  state.change({ field: "total" });
  assert.deepEqual(state.hits(), [1]);
});

test("the filter of a list matches its rows", () => {
  const state = opened();
  const marks = [
    [1, "lines[]", "row"],
    [2, "lines[].item", "case"],
    [3, "lines", "type"],
  ];
  state.answer = { html: "", image: "", marks };
  state.change({ within: "lines[]" });
  assert.deepEqual(state.hits(), [1, 2]);
  assert.deepEqual(state.cleared(true), { within: null });
});

test("the values outside a share are folded, until they are unfolded for this share of this document", () => {
  const state = opened();
  state.choose();
  assert.equal(state.folds, false, "without a share");
  state.change({ share: "missing" });
  assert.equal(state.folds, true);
  state.unfold();
  assert.equal(state.folds, false);
  state.change({ document: 1 });
  assert.equal(state.folds, true);
});

test("a tree is needed while it is not the chosen document's, and again once its files changed", () => {
  const state = opened();
  assert.equal(state.needsTree, false, "no document is chosen");
  state.choose();
  assert.equal(state.needsTree, true);
  state.render(state.chosen, { html: "", image: "", marks: [] });
  assert.equal(state.needsTree, false);
  state.readAgain();
  assert.equal(state.needsTree, true);
});

test("each filter has words, and the changes that remove it alone", () => {
  const state = opened();
  state.show({ order: [0], causes: [{ name: "case", label: "upper and lower case" }] });
  state.change({ cause: "case", slice: "de", find: "a", row: 3 });
  state.result.asked.by = "language";
  assert.deepEqual(state.filters, [
    { words: "upper and lower case", without: { cause: null, row: null } },
    { words: "language: de", without: { slice: null } },
  ]);
});

test("the number of pages comes from the files and from the regions", () => {
  const state = opened();
  assert.equal(state.pageCount, 0);
  state.answer = { places: [{ cited: [[3, []]], expected: [[null, []]] }] };
  assert.equal(state.pageCount, 3);
  state.loaded = { pages: [null, null, null, null], placed: null, unread: "" };
  assert.equal(state.pageCount, 4);
});
