import assert from "node:assert/strict";
import { test } from "node:test";

import { tabOf } from "./tabs.js";

test("an address names a tab by its first word", () => {
  const tabs = { "": "pair", "#pair=AAA": "pair", "#documents=run&find=a=b": "testset", "#compare": "compare" };
  for (const [hash, tab] of Object.entries(tabs)) assert.equal(tabOf(hash), tab);
  for (const hash of ["#constructor", "#elsewhere"]) assert.equal(tabOf(hash), undefined);
});
