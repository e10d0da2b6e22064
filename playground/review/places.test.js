import assert from "node:assert/strict";
import { test } from "node:test";

import {
  SHOWN_OF_GROUP,
  blindOrder,
  decisionWords,
  faultOfRow,
  groupName,
  groupsOf,
  placeName,
  verdictWords,
} from "./places.js";
import { newAnswer, newPlace } from "./samples.js";

test("the name of a place is its path", () => {
  assert.equal(placeName({ path: "$.items[2].tax", row: null }), "items[2].tax");
  assert.equal(placeName({ path: "$", row: null }), "the whole value");
  assert.equal(placeName({ path: "$.items", row: 3 }), "items[+]");
});

test("a verdict on a whole row says whether it is in the document", () => {
  assert.equal(verdictWords(newPlace(), "both"), "both are right");
  assert.equal(verdictWords(newPlace(), "unclear"), "cannot tell");
  const words = ["ground_truth", "prediction"].map((verdict) => verdictWords(newPlace({ whole: true }), verdict));
  assert.deepEqual(words, ["is in the document", "not in the document"]);
  const added = newPlace({ whole: true, truth: null });
  assert.equal(verdictWords(added, "ground_truth"), "not in the document");
  assert.equal(verdictWords(added, "both"), "the row is optional");
});

test("the words of another reader's verdict include its value", () => {
  const words = (verdict, answer, value) => decisionWords(newPlace(), { verdict, answer, value });
  assert.equal(words("other", 0, "18"), "neither is right, but 18");
  assert.equal(words("prediction", 1, ""), "prediction is right, B");
  assert.equal(words("ground_truth", 1, ""), "ground truth is right");
});

test("a typed row is an object if other rows are", () => {
  const row = newPlace({ whole: true, truth: null, answers: [newAnswer({ text: '{"qty": 2}' })] });
  assert.equal(faultOfRow('{"qty": 3}', row), "");
  for (const text of ["3", "null", "[1]"]) assert.equal(faultOfRow(text, row), "A row is an object in braces.");
  assert.match(faultOfRow('{"qty": 3', row), /^This is not JSON: /);
  assert.equal(faultOfRow("tea", newPlace({ whole: true, truth: "coffee" })), "");
});

test("in blind work, the name of a group is only its field", () => {
  assert.equal(groupName("total: a space is missing", true), "total");
  assert.equal(groupName("total: a space is missing", false), "total: a space is missing");
});

test("in blind work, the order of sides is stable, and reveals nothing", () => {
  const places = Array.from({ length: 40 }, (_, at) => newPlace({ id: `d${at}` }));
  const orders = places.map(blindOrder);
  assert.deepEqual(orders, places.map(blindOrder));
  const first = orders.filter(([side]) => side === -1).length;
  assert.ok(first > 10 && first < 30, `${first} of 40`);
});

test("groups are sorted by points at stake; single places are the last", () => {
  const places = [
    newPlace({ group: "date", points: [0.1] }),
    newPlace({ group: "alone", points: [9] }),
    newPlace({ group: "total", points: [0.5] }),
    newPlace({ group: "date", points: [0.1] }),
    newPlace({ group: "total", points: [0.5] }),
  ];
  assert.deepEqual(groupsOf(places, [0, 1, 2, 3, 4]), [
    { name: "total", numbers: [2, 4], alike: true },
    { name: "date", numbers: [0, 3], alike: true },
    { name: "Single places", numbers: [1], alike: false },
  ]);
  assert.deepEqual(groupsOf(places, [1]), [{ name: "Single places", numbers: [1], alike: false }]);
});

test("the first places of a large group are random, and the others keep their order", () => {
  const places = Array.from({ length: 30 }, (_, at) => newPlace({ id: `d${at}` }));
  const [{ numbers }] = groupsOf(places, [...places.keys()]);
  const rest = numbers.slice(SHOWN_OF_GROUP);
  assert.deepEqual(
    [...numbers].sort((a, b) => a - b),
    [...places.keys()],
  );
  assert.deepEqual(
    rest,
    [...rest].sort((a, b) => a - b),
  );
  assert.notDeepEqual(numbers.slice(0, SHOWN_OF_GROUP), [0, 1, 2]);
});
