import assert from "node:assert/strict";
import { test } from "node:test";

import { PairState } from "./state.js";

const answer = (changes) => ({ places: [], taken: [], ...changes });

test("the example has its document, open where the window is wide, and another pair has none", () => {
  const state = new PairState(["TOTAL", "9.00"]);
  const document = () => [state.text, state.isExample, state.isOpen];
  state.begin(true, true);
  assert.deepEqual(document(), ["TOTAL\n9.00", true, true]);
  state.begin(false, true);
  assert.deepEqual(document(), ["", false, false]);
  state.begin(true, false);
  assert.deepEqual(document(), ["TOTAL\n9.00", true, false]);
});

test("a document that the visitor closed stays closed", () => {
  const state = new PairState([]);
  state.isKeptClosed = true;
  state.begin(true, true);
  assert.equal(state.isOpen, false);
});

test("no row is chosen in another pair, which is new; without the example's document the pair is the same", () => {
  const state = new PairState([]);
  state.choose("pair-3", "$.total");
  state.isNew = false;
  state.takeExample(false);
  assert.deepEqual([state.row, state.path, state.isNew], ["pair-3", "$.total", false]);
  state.begin(false, true);
  assert.deepEqual([state.row, state.path, state.isNew], ["", undefined, true]);
});

test("the tree has a column for regions if a value is cited, expected or found in a region", () => {
  const state = new PairState([]);
  const place = { levels: null, cited: [], found: [[[0, 1]], null] };
  const has = (...places) => {
    state.found = answer({ places });
    return state.hasPlaces;
  };
  assert.equal(state.hasPlaces, false, "before an answer");
  assert.equal(has(place), false, "the ground truth alone is found");
  assert.equal(has(place, { ...place, found: [null, [[[0, 1]]]] }), true);
  assert.equal(has({ ...place, cited: [[1, []]] }), true);
  assert.equal(has({ ...place, levels: [0, 0] }), true);
});

test("content that is taken out of values is named while the option is set", () => {
  const state = new PairState([]);
  state.found = answer({ taken: [{ name: "confidences", words: "confidences apart" }] });
  assert.deepEqual(state.taken, []);
  state.content = { confidences: true };
  assert.deepEqual(
    state.taken.map(({ words }) => words),
    ["confidences apart"],
  );
});
