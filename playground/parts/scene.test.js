import assert from "node:assert/strict";
import { test } from "node:test";

import { sceneOf } from "./scene.js";

const BOX = [0.1, 0.1, 0.2, 0.12];
const OTHER = [0.5, 0.5, 0.6, 0.52];
const page = (name) => ({ name, url: name, width: 600, height: 800 });
const newRow = (changes) => ({
  row: 1,
  path: "total",
  right: true,
  predicted: true,
  levels: { page: [1, 1], box: [1, 1] },
  expected: [[1, [BOX], null]],
  cited: [[1, [BOX], null]],
  overlap: 1,
  extra: false,
  found: [],
  ...changes,
});
const scene = (rows, chosen, document = { pages: [page("1"), page("2")], placed: null, unread: "" }) =>
  sceneOf({ name: "a", rows, chosen, level: "box", asked: 0.5, document, none: [] });

test("the chosen row has both of its boxes, other rows have their cited boxes, faintly", () => {
  const [one, two] = [newRow({}), newRow({ row: 2, path: "date", cited: [[2, [OTHER], null]] })];
  const found = scene([one, two], [one]);
  assert.deepEqual(
    found.marks.map(({ look, label }) => [look, label]),
    [
      ["expected", "total, expected, page 1"],
      ["cited", "total, cited, page 1"],
    ],
  );
  assert.deepEqual(found.others, [{ page: 2, boxes: [OTHER], look: "other", label: "date, cited, page 2", row: 2 }]);
  assert.deepEqual([found.page, found.pageCount, found.sign], [1, 2, "there"]);
});

test("invalid citations and pages without a box have no mark", () => {
  const row = newRow({
    cited: [
      [-1, [BOX], null],
      [1, [], null],
    ],
  });
  assert.deepEqual(
    scene([row], [row]).marks.map(({ look }) => look),
    ["expected"],
  );
});

test("the values of a fold are counted", () => {
  const missing = newRow({ predicted: false, right: false, cited: [], levels: { page: [0, 0], box: [0, 0] } });
  const [other, there] = [{ ...missing, row: 2 }, newRow({ row: 3 })];
  assert.deepEqual(scene([missing, other], [missing, other]).said, ["Missing: 2 values are expected on page 1."]);
  const all = [missing, other, there];
  assert.deepEqual(scene(all, all).said, ["3 values.", "1 with the right region, 2 missing."]);
  const found = (spots, row) =>
    newRow({ levels: null, expected: [], cited: [], overlap: null, found: [null, spots], row });
  const looked = [found([[[0, 2]]], 1), found([], 2), found(null, 3)];
  assert.deepEqual(scene(looked, looked).said, ["3 values.", "1 of 2 predicted were found in the document."]);
});

const cell = (left, top, changes = {}) =>
  newRow({ row: left, cited: [], expected: [[1, [[left, top, left + 0.1, top + 0.02]], null]], ...changes });

test("the boxes of a fold on consecutive lines are one region", () => {
  const boxes = (rows) => scene(rows, rows).marks.map((mark) => mark.boxes);
  assert.deepEqual(boxes([cell(0.1, 0.3), cell(0.8, 0.34), cell(0.1, 0.38)]), [[[0.1, 0.3, 0.9, 0.4]]]);
  assert.equal(boxes([cell(0.1, 0.3), cell(0.1, 0.5)]).length, 2);
  const [first, between, last] = [cell(0.1, 0.3), cell(0.12, 0.34), cell(0.1, 0.38)];
  assert.equal(scene([first, between, last], [first, last]).marks.length, 2, "another value stands between them");
  const several = newRow({ cited: [], expected: [0.1, 0.8].map((left) => [1, [[left, 0.3, left + 0.1, 0.32]], null]) });
  assert.equal(boxes([several]).length, 2, "a value may stand at either place");
});

test("losses are marked where they are cited, else where they are expected", () => {
  const lost = { right: false, predicted: false, outcome: "missing" };
  const rows = [
    newRow({ row: 4, cited: [[2, [OTHER], null]], outcome: "wrong" }),
    cell(0.1, 0.3, lost),
    cell(0.1, 0.5, { outcome: "" }),
  ];
  const found = scene(rows, []).losses.map(({ look, label, row }) => [look, label, row]);
  assert.deepEqual(found, [
    ["wrong", "total, wrong, page 2", 4],
    ["missing", "total, missing, page 1", 0.1],
  ]);
});

test("without citations, values are marked where they occur in the text", () => {
  const text = "😀 Total\n12.50";
  const words = [{ start: 9, end: 14, page: 0, box: OTHER }];
  const row = newRow({ levels: null, expected: [], cited: [], overlap: null, found: [[[[8, 13]]], [[[8, 13]]]] });
  const found = scene([row], [row], { pages: [page("1")], placed: { text, words, images: [] }, unread: "" });
  const sentences = (where) => [`Ground truth found ${where}.`, `Prediction found ${where}.`];
  assert.deepEqual(found.said, sentences("in the document"), "lines of an image have no numbers");
  assert.deepEqual(found.saidInText, sentences("on line 2"));
  assert.deepEqual(
    found.spans.map(({ start, end }) => text.slice(start, end)),
    ["12.50", "12.50"],
  );
  assert.deepEqual(
    found.marks.map(({ boxes }) => boxes),
    [[OTHER], [OTHER]],
  );
});
