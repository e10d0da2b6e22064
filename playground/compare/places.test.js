import assert from "node:assert/strict";
import { test } from "node:test";

import { joinedMarks, letterOf, levelOfAll } from "./places.js";

const BOX = [0.1, 0.1, 0.2, 0.12];
const mark = (letters, page = 1) => ({ page, boxes: [BOX], look: "cited", label: "", row: 1, letters });

test("systems that cite the same boxes share a mark with their letters", () => {
  assert.deepEqual(
    joinedMarks([mark("A"), mark("B", 2), mark("C")]).map(({ page, letters }) => [page, letters]),
    [
      [1, "AC"],
      [2, "B"],
    ],
  );
  assert.equal(letterOf(2), "C");
});

test("pages decide where a system cites no box", () => {
  const [boxes, pages] = [
    [1, [BOX], null],
    [1, [], null],
  ].map((place) => [{ cited: [place] }]);
  assert.equal(levelOfAll([boxes, boxes]), "box");
  assert.equal(levelOfAll([boxes, pages]), "page");
});
