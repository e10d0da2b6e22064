import assert from "node:assert/strict";
import { test } from "node:test";

import { counted, fileName, printable, sentenceOf, signed, stemOf } from "./words.js";

test("a count has a singular or plural noun, and a thousands separator", () => {
  assert.equal(counted(1, "row"), "1 row");
  assert.equal(counted(12345, "row"), "12,345 rows");
  assert.equal(counted(0, "place is", "places are"), "0 places are");
});

test("a difference has a sign and three digits", () => {
  assert.deepEqual([0.0125, -0.5, 0].map(signed), ["+0.013", "−0.500", "+0.000"]);
});

test("a message becomes a sentence, and a file name at its beginning stays the same", () => {
  assert.equal(sentenceOf("too large"), "Too large.");
  assert.equal(sentenceOf("is it there?"), "Is it there?");
  assert.equal(sentenceOf("rows.jsonl, line 3: expected JSON"), "rows.jsonl, line 3: expected JSON.");
});

test("invisible characters, and characters that change the text direction, become numbers", () => {
  assert.equal(printable("a\u202eb\u0000c"), "a\\u{202e}b\\u{0}c");
});

test("a file matches a document regardless of folders, case and extension", () => {
  assert.equal(fileName("C:\\scans\\Page 1.PNG"), "Page 1.PNG");
  assert.equal(stemOf("C:\\scans\\Page 1.PNG"), stemOf("page 1.tiff"));
  assert.equal(stemOf("v1.2"), "v1.2");
});
