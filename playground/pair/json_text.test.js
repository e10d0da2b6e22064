import assert from "node:assert/strict";
import { test } from "node:test";

import {
  changedLines,
  formatted,
  lineAt,
  lineStarts,
  piecesOf,
  spread,
  textOf,
  tokensOf,
  wordsOfMend,
} from "./json_text.js";

test("formatting keeps every number and string literally", () => {
  const lines = ["{", '  "a": 12345678901234567890,', '  "b": [', "    1.50,", "    {}", "  ],", '  "c": "x:{,"', "}"];
  assert.equal(formatted('{"a":12345678901234567890,"b":[1.50,{}],"c":"x:{,"}'), lines.join("\n"));
  assert.equal(formatted("[ ]"), "[]");
  assert.equal(formatted('{"a": }'), null);
});

test("a character is found in its line", () => {
  const starts = lineStarts("a\n\nbcd\n");
  assert.deepEqual(starts, [0, 2, 3, 7]);
  assert.deepEqual(
    [0, 1, 2, 3, 6, 7, 99].map((offset) => lineAt(starts, offset)),
    [0, 0, 1, 2, 2, 3, 3],
  );
});

test("tokens of a line are keys, marks, bare words and strings", () => {
  const kinds = tokensOf('{"a": "b", c', -1).map(({ text, kind }) => [text, kind]);
  const expected = [
    ["{", "m"],
    ['"a"', "k"],
    [":", "m"],
    [" ", ""],
    ['"b"', ""],
    [",", "m"],
    [" ", ""],
    ["c", "n"],
  ];
  assert.deepEqual(kinds, expected);
});

test("the token at an error is marked, else the last of the line", () => {
  const marked = (line, column) => tokensOf(line, column).filter(({ isMarked }) => isMarked);
  assert.deepEqual(
    [0, 1, 4, 99].map((column) => marked('["a", 1', column).map(({ text }) => text)),
    [["["], ['"a"'], [","], ["1"]],
  );
  assert.deepEqual(marked("", 0), []);
});

test("edits count characters, including those beyond U+FFFF", () => {
  const pieces = piecesOf('{"😀": 1,}', [[7, 8, ""]]);
  assert.deepEqual(
    pieces.map(({ kind, text }) => kind + text),
    ['{"😀": 1', "del,", "ins", "}"],
  );
  assert.equal(textOf(pieces), '{"😀": 1}');
});

test("the label of a button names its edits", () => {
  const words = (text, edits, repairs = true) => wordsOfMend(text, { edits, repairs });
  assert.equal(words('{"a": 1}', [[1, 2, ""]], false), "Keep the first");
  assert.equal(words('["a"b"]', [[3, 3, "\\"]]), "Escape it");
  assert.equal(
    words('["a" "b" "c"]', [
      [4, 4, ","],
      [8, 8, ","],
    ]),
    "Insert them",
  );
  assert.equal(words('{"a": [1', [[8, 8, "]}"]]), "Close it");
  assert.equal(words("[1,]", [[2, 3, ""]]), "Remove it");
  assert.equal(
    words("[1,,,]", [
      [2, 3, ""],
      [3, 4, ""],
    ]),
    "Remove all",
  );
  assert.equal(words("Here it is: [1]", [[0, 12, ""]]), "Take the JSON");
  assert.equal(
    words("```json\n[1,]\n```", [
      [0, 8, ""],
      [10, 11, ""],
      [12, 16, ""],
    ]),
    "Take the JSON",
  );
  assert.equal(
    words("{'a': 1,}", [
      [1, 2, '"'],
      [3, 4, '"'],
      [7, 8, ""],
    ]),
    "Repair it",
  );
});

test("long JSON in one line gets one line per value, and other texts stay the same", () => {
  const row = `{"name": "${"x".repeat(60)}", "n": 1.50}`;
  assert.equal(spread(row), `{\n  "name": "${"x".repeat(60)}",\n  "n": 1.50\n}`);
  for (const text of ['{"a": 1}', `${row.slice(0, -1)}\n}`, `Here: ${row}`]) assert.equal(spread(text), text);
});

test("changes are shown line by line, before and after", () => {
  const asText = (pieces) =>
    pieces
      .map(({ text }) => text)
      .filter(Boolean)
      .join("|");
  const shown = (text, edits) =>
    changedLines(piecesOf(text, edits)).map(({ number, before, after }) => [number, asText(before), asText(after)]);
  const edits = [
    [2, 2, ","],
    [5, 6, ""],
  ];
  assert.deepEqual(shown("[1\n 2,\n]", edits), [
    [1, "[1", "[1|,"],
    [2, " 2|,", " 2"],
  ]);
  assert.deepEqual(shown("[1\n\n]", [[2, 3, ""]]), [[1, "[1|↵", "[1"]]);
  const [[, before]] = shown(`"${"x".repeat(100)}",]`, [[102, 103, ""]]);
  assert.match(before, /^"x{29} … x{29}"\|,\|\]$/);
});
