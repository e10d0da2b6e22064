import assert from "node:assert/strict";
import { test } from "node:test";

import { askAgain, remember } from "./uploads.js";

const GONE = { refused: "This file is no longer on the server; choose it again.", kind: "gone" };

/** A server after a restart: it has only files that are uploaded from now. */
const restarted = (...uploads) => {
  const [files, asked, uploaded] = [new Set(), [], []];
  const ask = async (question) => {
    asked.push(question);
    const named = [question.references, ...question.predictions].filter(Boolean);
    return named.every((name) => files.has(name)) ? { score: 1, asked: question } : GONE;
  };
  const upload = async (file) => {
    const path = `/new/${file.name}`;
    uploaded.push(file.name);
    files.add(path);
    return path;
  };
  for (const name of uploads) remember(`/old/${name}`, { name });
  return { asked, uploaded, ask: askAgain(ask, upload) };
};

test("files that the server lost are uploaded again, once each, and the request is sent again", async () => {
  const { asked, uploaded, ask } = restarted("truth.jsonl", "a.jsonl", "b.jsonl");
  const question = { references: "/old/truth.jsonl", predictions: ["/old/a.jsonl", "/old/b.jsonl"], metric: "nted" };
  const names = { references: "/new/truth.jsonl", predictions: ["/new/a.jsonl", "/new/b.jsonl"] };
  const found = await ask(question);
  assert.deepEqual(found, { score: 1, asked: { ...question, ...names } });
  await ask(question);
  assert.deepEqual([uploaded.length, asked.length], [3, 3], "the new names are known");
});

test("a file that this browser does not have is gone", async () => {
  const { asked, ask } = restarted();
  assert.deepEqual(await ask({ references: null, predictions: ["/old/elsewhere.jsonl"] }), GONE);
  assert.equal(asked.length, 1);
});

test("other answers stay the same, and so does the answer about a file that cannot be uploaded", async () => {
  const busy = { refused: "busy", kind: "busy" };
  assert.equal(await askAgain(async () => busy)({ predictions: [] }), busy);
  remember("/old/d.jsonl", { name: "d.jsonl" });
  const offline = askAgain(
    async () => GONE,
    () => Promise.reject(new Error("offline")),
  );
  assert.deepEqual(await offline({ predictions: ["/old/d.jsonl"] }), GONE);
});
