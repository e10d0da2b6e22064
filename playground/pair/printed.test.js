import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { placedLines } from "./printed.js";

const [example] = JSON.parse(readFileSync(new URL("examples.json", import.meta.url), "utf8"));

test("words have the boxes where they are printed, within the margins", () => {
  const { text, words, wide, high } = placedLines(["AB  c", "", "d"]);
  assert.deepEqual(
    words.map(({ start, end }) => text.slice(start, end)),
    ["AB", "c", "d"],
  );
  assert.deepEqual([wide, high], [13, 7]);
  assert.deepEqual(words[1].box, [8 / 13, 2 / 7, 9 / 13, 3 / 7]);
  assert.deepEqual(words[2].box, [4 / 13, 4 / 7, 5 / 13, 5 / 7]);
});

test("the evidence of the example is where its values are printed", () => {
  const valueAt = (value, path) => path.match(/[^$.[\]]+/g).reduce((part, key) => part[key], value);
  for (const [path, [line, start, length]] of Object.entries(example.evidence)) {
    const said = example.document[line].slice(start, start + length);
    assert.equal(said.toLowerCase(), String(valueAt(example.truth, path)).toLowerCase(), path);
  }
});
