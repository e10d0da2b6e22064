import assert from "node:assert/strict";
import { test } from "node:test";

import { keepFiles, setOf } from "./kept_files.js";

test("a browser without a store keeps nothing, without an error", async () => {
  await keepFiles("set 1", { images: new Map(), pdfs: new Map(), texts: new Map() });
  assert.equal(await setOf("run"), undefined);
});
