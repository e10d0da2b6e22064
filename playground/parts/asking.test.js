import assert from "node:assert/strict";
import { test } from "node:test";

import { Asker, Runner, answerTo } from "./asking.js";

Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });
const SILENT = { refused: "The server does not respond.", kind: "silent" };

/** A server that answers each request when the test tells it to. */
const held = () => {
  const open = [];
  const ask = (question) => new Promise((answer, fail) => open.push({ question, answer, fail }));
  return { open, ask };
};

test("a server that fails or answers nothing is silent", async () => {
  assert.deepEqual(await answerTo(async () => undefined, {}), SILENT);
  assert.deepEqual(await answerTo(() => Promise.reject(new Error("502")), {}), SILENT);
});

test("only the newest request is answered, and no forgotten one", async () => {
  const { open, ask } = held();
  const asker = new Asker(ask);
  const [first, second] = [asker.ask({}), asker.ask({})];
  assert.ok(open[1].question.window[1] > open[0].question.window[1]);
  open[1].answer({ score: 2 });
  open[0].answer({ score: 1 });
  assert.deepEqual(await Promise.all([first, second]), [null, { score: 2 }]);
  const third = asker.ask({});
  asker.forget();
  open[2].answer({ score: 3 });
  assert.equal(await third, null);
});

test("progress is requested until a run ends, even if the server is silent for a moment", async () => {
  const answers = [{ running: true, share: 0.5, text: "Scoring" }, null, null, { score: 1 }];
  const shown = [];
  const server = { progress: async () => answers.shift(), stop: async () => ({}) };
  const runner = new Runner("test", async () => ({ running: true, share: 0, text: "Reading" }), server, 0);
  assert.deepEqual(await runner.run({}, (share, text) => shown.push([share, text])), { score: 1 });
  assert.deepEqual(shown, [
    [0, "Reading"],
    [0.5, "Scoring"],
  ]);
});

test("a run that a restarted server does not know is started again, once", async () => {
  const gone = { refused: "this run no longer exists; start it again", kind: "gone" };
  const answers = [
    { running: true, share: 0, text: "" },
    { running: true, share: 0, text: "" },
  ];
  const server = { progress: async () => gone, stop: async () => ({}) };
  const runner = new Runner("test", async () => answers.shift() ?? { score: 1 }, server, 0);
  assert.deepEqual(await runner.run({}, () => {}), gone);
  assert.equal(answers.length, 0);
  answers.push({ running: true, share: 0, text: "" });
  assert.deepEqual(await runner.run({}, () => {}), { score: 1 });
});

test("requests to a silent server end, and a run that was replaced or left has no answer", async () => {
  const running = async () => ({ running: true, share: 0, text: "" });
  const silent = new Runner("test", running, { progress: async () => undefined, stop: async () => ({}) }, 0);
  assert.deepEqual(await silent.run({}, () => {}), SILENT);
  const { open, ask } = held();
  const runner = new Runner("test", ask, { progress: ask, stop: ask }, 0);
  const [first, second] = [runner.run({}, () => {}), runner.run({}, () => {})];
  open[0].answer({ score: 1 });
  open[1].answer({ score: 2 });
  assert.deepEqual(await Promise.all([first, second]), [null, { score: 2 }]);
  const left = runner.run({}, () => {});
  runner.leave();
  open[2].answer({ score: 3 });
  assert.equal(await left, null);
});
