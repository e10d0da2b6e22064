import assert from "node:assert/strict";
import { test } from "node:test";

import { KeptReview, fitting, keyOf } from "./kept.js";
import { newAnswer, newPlace, newReview } from "./samples.js";

const newStorage = () => {
  const items = new Map();
  return { getItem: (name) => items.get(name) ?? null, setItem: (name, text) => items.set(name, text) };
};
const decision = (verdict, answer = 0, value = "") => ({ verdict, answer, value });
const { places } = newReview([newPlace(), newPlace({ answers: [newAnswer({ text: "18" }), newAnswer()] })]);

test("verdicts come back for the same files", () => {
  const storage = newStorage();
  const kept = new KeptReview(storage, "files", "f1");
  kept.set(places[0], decision("other", 0, "x"));
  kept.set(places[1], decision("prediction", 1));
  kept.write();
  const again = new KeptReview(storage, "files", "f1");
  assert.deepEqual(
    [...fitting(again.verdicts, places)],
    [
      [0, decision("other", 0, "x")],
      [1, decision("prediction", 1)],
    ],
  );
  assert.deepEqual([...fitting(new KeptReview(storage, "others", "f1").verdicts, places)], []);
});

test("verdicts on other ground truths are earlier ones, until they are decided again", () => {
  const storage = newStorage();
  const kept = new KeptReview(storage, "files", "f1");
  kept.set(places[0], decision("both"));
  kept.write();
  const other = new KeptReview(storage, "files", "f2");
  assert.deepEqual([other.verdicts, Object.keys(other.earlier)], [{}, [keyOf(places[0])]]);
  other.set(places[0], decision("unclear"));
  other.write();
  const again = new KeptReview(storage, "files", "f2");
  assert.deepEqual([...fitting(again.verdicts, places)], [[0, decision("unclear")]]);
  assert.deepEqual(again.earlier, {});
});

test("a verdict on an answer fits where a system still gives that answer", () => {
  const verdicts = { [keyOf(places[0])]: ["prediction", "99", ""] };
  assert.deepEqual([...fitting(verdicts, places)], []);
  verdicts[keyOf(places[0])][0] = "unclear";
  assert.deepEqual([...fitting(verdicts, places)], [[0, decision("unclear")]]);
});

test("what is damaged is nothing", () => {
  const storage = newStorage();
  storage.setItem("files", "{");
  assert.deepEqual(new KeptReview(storage, "files", "f1").verdicts, {});
});
