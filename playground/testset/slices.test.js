import assert from "node:assert/strict";
import { test } from "node:test";

import { byLoss } from "./slices.js";

test("slices are sorted by lost points, each with its share", () => {
  const slices = [
    { value: "de", documents: 9, lost: 1 },
    { value: "en", documents: 3, lost: 3 },
  ];
  assert.deepEqual(
    byLoss(slices).map(({ value, share }) => [value, share]),
    [
      ["en", 0.75],
      ["de", 0.25],
    ],
  );
  assert.deepEqual(
    byLoss([{ value: "de", documents: 9, lost: 0 }]).map(({ share }) => share),
    [0],
  );
});
