import assert from "node:assert/strict";
import { test } from "node:test";

import { boxOf, imagesOf, inRowOf, lineAt, markedLines, matchesOf } from "./marks.js";

const beside = (text, marks, row = []) => ({ heads: [], rows: [], places: [], count: 0, text, marks, row });

test("matches count UTF-16 code units, and contain each place once", () => {
  const answer = beside("😀 12 and 17", [[[[2, 4]]], [[[9, 11]], [[2, 4]]]]);
  const [truth, prediction] = [
    { start: 3, end: 5 },
    { start: 10, end: 12 },
  ];
  assert.deepEqual(matchesOf(answer, 0), [[prediction], [truth]]);
  assert.deepEqual(matchesOf(answer, null), [[truth], [prediction]]);
  assert.deepEqual(matchesOf(beside(null, [[]]), 0), []);
});

test("a match on the line of its row is preferred, on the page before in the text, else the nearest match", () => {
  const text = "12 tea 4\n13 rum 4\n4";
  const matches = [7, 16, 18].map((start) => [{ start, end: start + 1 }]);
  const row = /** @type {[number, number][]} */ ([[9, 11]]); // "13"
  assert.equal(inRowOf(matches, row, { text, words: [] }), 1);
  const heights = { 7: 0.1, 9: 0.3, 16: 0.2, 18: 0.3 };
  const words = [
    [7, 8],
    [9, 11],
    [16, 17],
    [18, 19],
  ].map(([start, end]) => ({ start, end, page: 0, box: [0, heights[start], 1, heights[start] + 0.05] }));
  assert.equal(inRowOf(matches, row, { text, words }), 2);
  assert.equal(inRowOf(matches, [], { text, words }), 0);
  assert.equal(inRowOf([], row, { text, words }), 0);
});

test("the box of a place contains its words on their first page", () => {
  const words = [
    { start: 0, end: 3, page: 1, box: [0.1, 0.2, 0.3, 0.25] },
    { start: 4, end: 6, page: 1, box: [0.35, 0.19, 0.5, 0.26] },
    { start: 7, end: 9, page: 2, box: [0, 0, 1, 1] },
  ];
  assert.deepEqual(boxOf([{ start: 0, end: 9 }], words), { number: 1, box: [0.1, 0.19, 0.5, 0.26] });
  assert.equal(boxOf([{ start: 3, end: 4 }], words), null);
});

test("a place is marked in its lines", () => {
  const text = "ab\ncd\nef";
  const lines = markedLines(text, [{ start: 1, end: 4 }]);
  const marked = lines.map((pieces) => pieces.map(({ text: piece, isMarked }) => (isMarked ? `[${piece}]` : piece)));
  assert.deepEqual(
    marked.map((pieces) => pieces.join("")),
    ["a[b]", "[c]d", "ef"],
  );
  assert.deepEqual(lineAt(text, 4), { page: 1, line: 2 });
  assert.deepEqual(lineAt("a\nb\n\fc\nd", 7), { page: 2, line: 2 });
  assert.deepEqual(lineAt("a\f\nb", 3), { page: 2, line: 1 });
});

test("no letter is shown twice if spans overlap", () => {
  const spans = [
    { start: 5, end: 9, look: "" },
    { start: 5, end: 9, look: "truth" },
    { start: 7, end: 11, look: "truth" },
  ];
  const [pieces] = markedLines("Date 2026-05", spans);
  assert.deepEqual(
    pieces.filter(({ text }) => text).map(({ text, look }) => [text, look]),
    [
      ["Date ", undefined],
      ["2026", ""],
      ["-0", "truth"],
      ["5", undefined],
    ],
  );
});

test("images belong to a document by the names in its text, its own name, or its name with a number", () => {
  const images = new Map(["scan", "scan-10", "scan-2", "scanner", "other"].map((name) => [name, name]));
  assert.deepEqual(imagesOf("scan.pdf", [], images), ["scan"]);
  assert.deepEqual(imagesOf("scan.pdf", ["a/other.png", "gone.png"], images), ["other", undefined]);
  images.delete("scan");
  assert.deepEqual(imagesOf("scan.pdf", [], images), ["scan-2", "scan-10"]);
});
