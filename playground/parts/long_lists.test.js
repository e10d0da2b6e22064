import assert from "node:assert/strict";
import { test } from "node:test";

import { barsOf, labelOf } from "./long_lists.js";

test("each row is a bar, or several rows if there are many", () => {
  assert.deepEqual(
    barsOf("wdm").bars.map(({ look }) => look),
    ["", "half", "gone"],
  );
  const { size, bars } = barsOf(`${"w".repeat(300)}${"m".repeat(20)}`);
  assert.deepEqual([size, bars.length, bars[0].look, bars[159].look], [2, 160, "", "gone"]);
  assert.equal(barsOf(`w${"m".repeat(300)}`).bars[0].look, "half");
});

test("the text of the bars counts the outcomes of the rows", () => {
  const list = { path: "lines", expected: 5, predicted: 2, paired: 2, whole: 1, cut: 2, rows: "wdmmm", numbers: [] };
  const rows = "5 rows in the order of the ground truth: 1 fully right, 1 with an error, 3 missing";
  assert.equal(labelOf(list), `${rows}, cut off after row 2 of 5`);
});
