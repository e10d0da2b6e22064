import assert from "node:assert/strict";
import { test } from "node:test";

import { counted, fileName, printable, sentenceOf, signed, stemOf } from "./words.js";

test("a count has the name of one or of many, and its thousands are marked", () => {
  assert.equal(counted(1, "row"), "1 row");
  assert.equal(counted(12345, "row"), "12,345 rows");
  assert.equal(counted(0, "place is", "places are"), "0 places are");
});

test("a difference has a sign and three digits", () => {
  assert.deepEqual([0.0125, -0.5, 0].map(signed), ["+0.013", "−0.500", "+0.000"]);
});

test("a message is a sentence, and the name of a file that begins it stays as it is", () => {
  assert.equal(sentenceOf("too large"), "Too large.");
  assert.equal(sentenceOf("is it there?"), "Is it there?");
  assert.equal(sentenceOf("rows.jsonl, line 3: expected JSON"), "rows.jsonl, line 3: expected JSON.");
});

test("signs that are not seen, or turn the direction of a text, are numbers", () => {
  assert.equal(printable("a\u202eb\u0000c"), "a\\u{202e}b\\u{0}c");
});

test("a file is matched to a document without folders, case and ending", () => {
  assert.equal(fileName("C:\\scans\\Page 1.PNG"), "Page 1.PNG");
  assert.equal(stemOf("C:\\scans\\Page 1.PNG"), stemOf("page 1.tiff"));
  assert.equal(stemOf("v1.2"), "v1.2");
});
