import assert from "node:assert/strict";
import { test } from "node:test";

import { newPlace, newReview } from "./samples.js";
import { ReviewState, addressOfReview, reviewOf } from "./state.js";

/** Return the state with a review of two places. */
const opened = (changes = {}) => {
  const state = new ReviewState();
  state.open(newReview([newPlace(), newPlace({ agree: 1 })], changes));
  return state;
};

test("a view survives its address", () => {
  const view = { list: "sample birch", find: "a=b&c", place: 12 };
  assert.deepEqual(reviewOf(addressOfReview("run1", view)), { run: "run1", view });
  const summary = { list: "all", find: "", place: null };
  assert.deepEqual(reviewOf(addressOfReview("run1", summary)), { run: "run1", view: summary });
  assert.equal(reviewOf("#review").run, "");
});

test("a sample comes from the server, and so does the list of all places after a sample", () => {
  const state = opened();
  assert.equal(state.setMode("all"), false);
  assert.equal(state.setMode("sample birch"), true);
  assert.deepEqual([state.extra.sample, state.extra.sample_of, state.view.list], [80, "birch", "sample birch"]);
  const { asked } = newReview([]);
  state.open(newReview([newPlace()], { sampled: 1, asked: { ...asked, sample: 80, sample_of: "birch" } }));
  assert.equal(state.view.list, "sample birch");
  assert.equal(state.setMode("all"), true);
});

test("a view is taken as far as its list exists, and no sample is requested for it", () => {
  const state = opened();
  assert.equal(state.takeView({ list: "agree", find: "", place: null }), false);
  assert.equal(state.takeView({ list: "all", find: "tea", place: 1 }), true);
  for (const list of ["twice", "sample birch", ""]) state.takeView({ list, find: "", place: 1 });
  assert.deepEqual(state.view, { list: "all", find: "", place: null });
  state.worklist.go(1);
  assert.equal(state.address, "#review=run1&list=all&place=1");
  state.isDone = true;
  assert.equal(state.address, "#review=run1&list=all");
});

test("a new result keeps list, text and blind work, but neither place nor verdicts", () => {
  const state = opened();
  Object.assign(state.worklist, { mode: "all", find: "tea", isBlind: true });
  state.worklist.go(0);
  state.worklist.apply([[0, { verdict: "both", answer: 0, value: "" }]]);
  state.open(newReview([newPlace()]));
  const { mode, find, isBlind, current, decisions, steps } = state.worklist;
  assert.deepEqual([mode, find, isBlind], ["all", "tea", true]);
  assert.deepEqual([current, decisions.size, steps.length], [-1, 0, 0]);
});

test("other files keep added texts, and a restored review has its own files and texts again", () => {
  const state = opened();
  state.add({ texts: "t.json", verdicts: "v.jsonl" });
  state.begin({ references: "other.jsonl", predictions: ["d"], names: [], reading: {} });
  assert.deepEqual(
    [state.extra.texts, state.extra.verdicts, state.files.references],
    ["t.json", "v.jsonl", "other.jsonl"],
  );
  state.restore();
  assert.deepEqual([state.extra.texts, state.extra.verdicts, state.files.references], [null, null, "truths.jsonl"]);
  assert.deepEqual([state.references, state.corrected], ["truths.jsonl", "truths_corrected.jsonl"]);
});

test("places that a visitor passes fast are one step of Back", () => {
  const state = opened();
  assert.deepEqual(
    [10_000, 10_400, 11_000].map((now) => state.pass(now)),
    [false, true, false],
  );
});
