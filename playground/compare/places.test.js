import assert from "node:assert/strict";
import { test } from "node:test";

import { joinedMarks, letterOf, levelOfAll, rowsCitedApart } from "./places.js";

const BOX = [0.1, 0.1, 0.2, 0.12];
const mark = (letters, page = 1) => ({ page, boxes: [BOX], look: "cited", label: "", row: 1, letters });

test("systems that cite the same boxes share a mark with their letters", () => {
  assert.deepEqual(
    joinedMarks([{ ...mark("A"), look: "found" }, mark("B", 2), mark("C")]).map((each) => [
      each.page,
      each.look,
      each.letters,
    ]),
    [
      [1, "cited", "AC"],
      [2, "cited", "B"],
    ],
  );
  assert.equal(letterOf(2), "C");
});

test("pages are compared if a system cites no box", () => {
  const [boxes, pages] = [
    [1, [BOX], null],
    [1, [], null],
  ].map((place) => [{ cited: [place] }]);
  assert.equal(levelOfAll([boxes, boxes]), "box");
  assert.equal(levelOfAll([boxes, pages]), "page");
});

test("rows that a system cites in another region, or that systems cite differently, are found", () => {
  const row = (number, accepted, page = 1) => ({
    row: number,
    levels: { page: [accepted, 1] },
    predicted: true,
    cited: [[page, [], null]],
    found: [],
  });
  const silent = [0, 1, 2].map((number) => ({ ...row(number, 0), levels: null, cited: [] }));
  const [first, second] = [
    [row(0, 1), row(1, 1), row(2, 0)],
    [row(0, 1), row(1, 0), row(2, 0)],
  ];
  assert.deepEqual([...rowsCitedApart([first, second, silent])], [1, 2]);
  assert.deepEqual([...rowsCitedApart([silent, silent])], []);
});
