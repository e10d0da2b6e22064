import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_VIEW, addressOf, viewOf } from "./views.js";

test("a view comes back from its address, which holds only what is not usual", () => {
  const view = { ...NO_VIEW, documents: "run1", document: 7, field: "items[].tax & more", find: "a=b#c", low: 0.25 };
  assert.deepEqual(viewOf(addressOf(view)), view);
  assert.equal(addressOf({ ...NO_VIEW, documents: "run1" }), "#documents=run1");
});

test("an address of something else has no view", () => {
  for (const hash of ["", "#compare=run1", "#test-set"]) assert.equal(viewOf(hash), null);
});

test("a part that is unknown, given twice or inherited, and a long link are refused", () => {
  for (const part of ["colour=red", "find=a&find=b", "constructor=1", "__proto__=1"]) {
    assert.throws(() => viewOf(`#documents=run1&${part}`), /^Error: it has unknown parts$/);
  }
  assert.throws(() => viewOf(`#documents=run1&find=${"x".repeat(2000)}`), /^Error: it is too long$/);
});
