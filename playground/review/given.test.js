import assert from "node:assert/strict";
import { test } from "node:test";

import { countFiles, decisionsOf, isReview } from "./given.js";

test("a file of verdicts is recognized by its first line", async () => {
  const line = JSON.stringify({ path: "$", judged: "9f2c1e07", verdict: null });
  const judge = (name, ...lines) => isReview(new File([lines.join("\n")], name));
  assert.equal(await judge("verdicts.jsonl", line, "{"), true);
  for (const [name, text] of [
    ["verdicts.json", line],
    ["predictions.jsonl", '{"verdict": 1}'],
    ["broken.jsonl", "{"],
    ["null.jsonl", "null"],
  ]) {
    assert.equal(await judge(name, text), false, name);
  }
});

test("files of documents are counted by kind", () => {
  const files = [
    { name: "a.png", type: "image/png" },
    { name: "a.PDF", type: "application/pdf" },
    { name: "a.txt", type: "text/plain" },
    { name: "b.hocr", type: "" },
  ];
  assert.deepEqual(countFiles(files), { texts: 2, words: "1 page image, 1 PDF, 2 texts" });
  assert.deepEqual(countFiles([]), { texts: 0, words: "" });
});

test("a verdict that the server shows belongs to the place of its number", () => {
  const shown = { number: 3, verdict: "both", answer: 1, value: "" };
  assert.deepEqual(decisionsOf([shown]), [[3, { verdict: "both", answer: 1, value: "" }]]);
});
