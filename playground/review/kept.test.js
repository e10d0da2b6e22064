import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { KeptReview, fitting, keyOf } from "./kept.js";
import { newAnswer, newPlace, newReview } from "./samples.js";

const newStorage = () => {
  const items = new Map();
  return { getItem: (name) => items.get(name) ?? null, setItem: (name, text) => items.set(name, text) };
};
const decision = (verdict, answer = 0, value = "") => ({ verdict, answer, value });
const { places } = newReview([newPlace(), newPlace({ answers: [newAnswer({ text: "18" }), newAnswer()] })]);

test("verdicts are restored for the same files", () => {
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

const TABLE = new URL("../../tests/data/review.jsonl", import.meta.url);

test("each item has its own verdict", () => {
  const cases = readFileSync(TABLE, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const { why, items, identities } of cases.filter(({ table }) => table === "identity")) {
    if (items.some(({ sample }) => sample)) continue; // the lists of the page share the verdicts on a place
    const listed = identities.map((identity) => newPlace({ identity: identity.slice(0, 4) }));
    const kept = new KeptReview(newStorage(), "files", "f1");
    for (const [number, place] of listed.entries()) kept.set(place, decision("other", 0, String(number)));
    const all = listed.map((_, number) => [number, decision("other", 0, String(number))]);
    assert.deepEqual([...fitting(kept.verdicts, listed)], all, why);
  }
});

test("a verdict of an earlier page on several rows goes to the row with its answer", () => {
  const [tea, rum] = ["tea", "rum"].map((text) =>
    newPlace({ row: 1, identity: ["d0", "$.l", [0, text, 1], 0], path: "$.l", answers: [newAnswer({ text })] }),
  );
  const verdicts = { '["d0","$.l",1,0]': ["ground_truth", "rum", ""] };
  assert.deepEqual([...fitting(verdicts, [tea, rum])], [[1, decision("ground_truth")]]);
  const undone = { ...verdicts, [keyOf(rum)]: ["", null, ""] };
  assert.deepEqual([...fitting(undone, [tea, rum])], []);
});

test("a restored verdict on a group still applies to the group", () => {
  const storage = newStorage();
  const kept = new KeptReview(storage, "files", "f1");
  const decision = { verdict: "both", answer: 0, value: "", isForGroup: true };
  kept.set(newPlace(), decision);
  kept.write();
  const again = new KeptReview(storage, "files", "f1");
  assert.deepEqual(fitting(again.verdicts, [newPlace()]).get(0), decision);
});

test("verdicts on other ground truths count as earlier until they are decided again", () => {
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

test("a verdict on an answer fits if a system still gives that answer", () => {
  const verdicts = { [keyOf(places[0])]: ["prediction", "99", ""] };
  assert.deepEqual([...fitting(verdicts, places)], []);
  verdicts[keyOf(places[0])][0] = "unclear";
  assert.deepEqual([...fitting(verdicts, places)], [[0, decision("unclear")]]);
});

test("damaged data is ignored", () => {
  const storage = newStorage();
  storage.setItem("files", "{");
  assert.deepEqual(new KeptReview(storage, "files", "f1").verdicts, {});
});

/** Two windows of one review. */
const windows = () => {
  const storage = newStorage();
  return [0, 1].map(() => new KeptReview(storage, "files", "f1"));
};
const fit = ({ verdicts }) => [...fitting(verdicts, places)];

test("the verdicts of two windows are merged, whichever writes last", () => {
  const [one, two] = windows();
  one.set(places[0], decision("both"));
  two.set(places[1], decision("unclear"));
  assert.deepEqual(one.write(), []);
  assert.deepEqual(two.write(), [keyOf(places[0])]);
  assert.deepEqual(one.merge().changed, [keyOf(places[1])]);
  const all = [
    [0, decision("both")],
    [1, decision("unclear")],
  ];
  assert.deepEqual([fit(one), fit(two)], [all, all]);
});

test("a verdict that is changed or deleted in one window changes in the other", () => {
  const [one, two] = windows();
  one.set(places[0], decision("both"));
  one.write();
  two.merge();
  two.set(places[0], decision("unclear"));
  two.write();
  one.merge();
  assert.deepEqual([fit(one), one.others], [[[0, decision("unclear")]], {}]);
  one.set(places[0], undefined);
  one.write();
  assert.deepEqual([two.merge().changed, fit(two)], [[keyOf(places[0])], []]);
});

/** Wait some milliseconds, so that stamps differ and are in order. */
const later = () => new Promise((done) => setTimeout(done, 3));
const both = [[0, decision("both")]];
const unclear = [[0, decision("unclear")]];

test("a place that two windows decided differently shows both until it is decided again", async () => {
  const [one, two] = windows();
  one.set(places[0], decision("both"));
  await later();
  two.set(places[0], decision("unclear"));
  one.write();
  assert.deepEqual(two.write(), []);
  assert.deepEqual([fit(two), [...fitting(two.beside, places)]], [unclear, both]);
  one.merge();
  assert.deepEqual([fit(one), one.others], [fit(two), two.others]);
  one.set(places[0], decision("both"));
  one.write();
  two.merge();
  assert.deepEqual([fit(two), two.others, one.others], [both, {}, {}]);
});

test("a window that writes before it reads what another wrote loses nothing", async () => {
  const storage = newStorage();
  const [one, two] = ["one", "two"].map(() => new KeptReview(storage, "files", "f1"));
  one.set(places[0], decision("both"));
  one.set(places[1], decision("unclear"));
  one.write();
  const stale = { ...storage, getItem: () => null }; // this process does not see yet what the other wrote
  two.storage = stale;
  await later();
  two.set(places[0], decision("unclear"));
  two.write();
  const { changed, isWritten } = one.merge();
  assert.deepEqual([changed, isWritten], [[keyOf(places[0])], false]);
  assert.deepEqual([...fitting(one.beside, places)], both);
  one.write();
  two.storage = storage;
  assert.equal(two.merge().isWritten, true);
  assert.deepEqual([fit(two), two.others], [fit(one), one.others]);
  assert.deepEqual(fit(one), [...unclear, [1, decision("unclear")]]);
});

test("a conflict that only one window knows reaches the others", async () => {
  const storage = newStorage();
  const [one, two] = ["one", "two"].map(() => new KeptReview(storage, "files", "f1"));
  one.set(places[0], decision("both"));
  one.write();
  two.storage = { ...storage, getItem: () => null };
  await later();
  two.set(places[0], decision("unclear"));
  two.write();
  assert.equal(one.merge().isWritten, false);
  one.write();
  two.storage = storage;
  two.merge();
  assert.deepEqual([...fitting(two.beside, places)], both);
});

test("if one window deletes a verdict and another decides, the decision stays", () => {
  const [one, two] = windows();
  one.set(places[0], decision("both"));
  one.write();
  two.merge();
  one.set(places[0], undefined);
  two.set(places[0], decision("unclear"));
  two.write();
  one.write();
  assert.deepEqual([fit(one), one.others], [unclear, {}]);
});

test("the same verdict in two windows is no conflict", () => {
  const [one, two] = windows();
  for (const window of [one, two]) window.set(places[0], decision("both"));
  one.write();
  two.write();
  assert.deepEqual([fit(two), two.others], [both, {}]);
});

test("verdicts that an earlier version of the page kept are still read", () => {
  const storage = newStorage();
  const verdicts = { [keyOf(places[0])]: ["both", "17", ""] };
  storage.setItem("files", JSON.stringify({ fingerprint: "f1", verdicts }));
  const kept = new KeptReview(storage, "files", "f1");
  assert.deepEqual(fit(kept), both);
  kept.set(places[0], decision("unclear"));
  kept.write();
  assert.deepEqual([fit(kept), kept.others], [unclear, {}]);
});

test("windows with different ground truths offer each other's verdicts as earlier ones", () => {
  const storage = newStorage();
  const one = new KeptReview(storage, "files", "f1");
  const two = new KeptReview(storage, "files", "f2");
  one.set(places[0], decision("both"));
  one.write();
  two.set(places[1], decision("unclear"));
  two.write();
  assert.deepEqual([...fitting(two.earlier, places)], both);
  one.merge();
  assert.deepEqual([...fitting(one.earlier, places)], [[1, decision("unclear")]]);
});
