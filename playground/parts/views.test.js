import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_VIEW, addressOf, viewOf } from "./views.js";

test("a view survives its address, which contains only values other than the defaults", () => {
  const view = { ...NO_VIEW, documents: "run1", document: 7, field: "items[].tax & more", find: "a=b#c", low: 0.25 };
  assert.deepEqual(viewOf(addressOf(view)), view);
  assert.equal(addressOf({ ...NO_VIEW, documents: "run1" }), "#documents=run1");
});

test("another address has no view", () => {
  for (const hash of ["", "#compare=run1", "#test-set"]) assert.equal(viewOf(hash), null);
});

test("unknown, repeated and inherited parts, and long links are refused", () => {
  for (const part of ["colour=red", "find=a&find=b", "constructor=1", "__proto__=1"]) {
    assert.throws(() => viewOf(`#documents=run1&${part}`), /^Error: it has unknown parts$/);
  }
  assert.throws(() => viewOf(`#documents=run1&find=${"x".repeat(2000)}`), /^Error: it is too long$/);
});
