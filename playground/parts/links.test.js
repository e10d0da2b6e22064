import assert from "node:assert/strict";
import { test } from "node:test";

import { hashOfDocument, hashOfPair, pairOfHash } from "./links.js";

const LONGEST = 1000; // characters of a text
const OPTIONS = { threshold: 0.5, ignore_case: true, numbers: "text", normalise: false, donut: false, rules: "paper" };
const PAIR = { truth: '{"a": "é"}', prediction: "", reading: "json", metric: "anls_star", options: OPTIONS };
let skip = false; // Node has these streams since version 20.12
try {
  new CompressionStream("deflate-raw");
} catch {
  skip = true;
}

test("a pair survives its link", { skip }, async () => {
  const hash = await hashOfPair(PAIR);
  assert.match(hash, /^#pair=[\w-]+$/);
  assert.deepEqual(await pairOfHash(hash, LONGEST), PAIR);
});

test("a document of a test set is a pair with its metric", { skip }, async () => {
  const sides = { truth: "1", prediction: "2", reading: "json" };
  const hash = await hashOfDocument(sides, "nted", OPTIONS);
  assert.deepEqual(await pairOfHash(hash, LONGEST), { ...sides, metric: "nted", options: OPTIONS });
});

test("another address is not a link to a pair", async () => {
  assert.equal(await pairOfHash("#one-pair", LONGEST), undefined);
});

test("damaged links, long links and links that inflate too much are refused", { skip }, async () => {
  const hash = await hashOfPair(PAIR);
  for (const damaged of ["#pair=!", "#pair=AAAA", hash.slice(0, -8)]) {
    await assert.rejects(pairOfHash(damaged, LONGEST), { message: "it is damaged" });
  }
  const bomb = await hashOfPair({ ...PAIR, truth: "0".repeat(100_000) });
  assert.ok(bomb.length < LONGEST);
  for (const long of [bomb, `#pair=${"A".repeat(6 * LONGEST)}`]) {
    await assert.rejects(pairOfHash(long, LONGEST), { message: "it contains more text than this page accepts" });
  }
});
