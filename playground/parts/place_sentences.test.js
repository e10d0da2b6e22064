import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { sentencesOf, signOf } from "./places.js";
import { knownOf } from "./scene.js";

const TABLE = new URL("../../tests/data/place_sentences.jsonl", import.meta.url);

test("the page describes a place in the words of the report", () => {
  for (const line of readFileSync(TABLE, "utf8").trim().split("\n")) {
    const { why, row, pages, text, words: boxes, sign, said } = JSON.parse(line);
    const found = [...text.matchAll(/\S+/g)].map(({ index: start, 0: { length } }) => ({ start, end: start + length }));
    const words = boxes.map((box, at) => ({ ...found[at], page: 0, box }));
    const placed = text ? { text, words, images: [] } : null;
    const known = knownOf({ pages: Array(pages).fill(null), placed, unread: "" });
    const [title, detail] = sentencesOf({ overlap: null, ...row }, "box", known, 0.5);
    assert.deepEqual([signOf(row, "box"), title], [sign, said[0]], why);
    if (said.length > 1) assert.equal(detail, said[1], why);
  }
});
