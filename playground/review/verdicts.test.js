import assert from "node:assert/strict";
import { test } from "node:test";

import { Verdicts, isForMany } from "./verdicts.js";

const decision = (verdict, isForGroup = false, answer = 0) => ({ verdict, answer, value: "", isForGroup });
const places = (...documents) => documents.map((document) => ({ document, group: "total: a digit differs" }));
const wordsAt = (verdicts) => verdicts.groups.map((_, number) => verdicts.at(number)?.verdict ?? "");

test("a verdict for a group applies to places of the document without their own verdict", () => {
  const verdicts = new Verdicts(places(0, 0, 1, 0));
  verdicts.set(3, decision("unclear"));
  verdicts.set(0, decision("prediction", true));
  assert.deepEqual(wordsAt(verdicts), ["prediction", "prediction", "", "unclear"]);
  assert.deepEqual([verdicts.followers(0), verdicts.followers(3), verdicts.followers(2)], [[1], [1], []]);
  verdicts.set(0, undefined);
  assert.deepEqual(wordsAt(verdicts), ["", "", "", "unclear"]);
});

test("one place holds the verdict of a group; the former holder keeps its verdict only for itself", () => {
  const verdicts = new Verdicts(places(0, 0, 0));
  verdicts.set(0, decision("both", true));
  for (const [number, each] of verdicts.forGroup(1, decision("unclear"))) verdicts.set(number, each);
  assert.deepEqual(wordsAt(verdicts), ["both", "unclear", "unclear"]);
  assert.deepEqual([verdicts.isHolder(0), verdicts.isHolder(1)], [false, true]);
  assert.equal(verdicts.forGroup(1, decision("both")).length, 1);
});

test("another value, and another answer than the first, cannot apply to a group", () => {
  assert.deepEqual(
    [decision("other"), decision("both", false, 1), decision("ground_truth", false, 1), decision("both")].map(
      isForMany,
    ),
    [false, false, true, true],
  );
});

test("equal verdicts on all places of a group become one verdict again", () => {
  const verdicts = new Verdicts(places(0, 0, 1, 1, 2));
  const given = [0, 1, 2, 3, 4].map((number) => [number, decision(number === 3 ? "both" : "prediction")]);
  assert.deepEqual(
    verdicts.folded(given).map(([number, { isForGroup }]) => [number, isForGroup]),
    [
      [0, true],
      [2, false],
      [3, false],
      [4, false],
    ],
  );
  assert.equal(verdicts.folded(given.slice(1)).length, 4, "a place without a verdict stays open");
  const others = [0, 1].map((number) => [number, decision("prediction", false, 1)]);
  assert.deepEqual(verdicts.folded(others), others);
});
