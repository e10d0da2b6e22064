import assert from "node:assert/strict";
import { test } from "node:test";

import { effectSentences, effectsOf } from "./effects.js";
import { newAnswer, newPlace } from "./samples.js";

const decision = (verdict, value = "") => ({ verdict, answer: 0, value });
const effects = (...pairs) =>
  effectsOf(
    pairs.map(([place]) => place),
    (number) => pairs[number][1],
  );
const only = (name) => ({ ...effects(), [name]: 1 });

test("a verdict changes a value, a row, or nothing", () => {
  const row = newPlace({ whole: true });
  const added = newPlace({ whole: true, truth: null, edit: null });
  for (const [place, given, name] of [
    [newPlace(), decision("prediction"), "changed"],
    [newPlace({ answers: [newAnswer({ text: null })] }), decision("prediction"), "changed"],
    [newPlace(), decision("other", "18"), "changed"],
    [newPlace({ edit: "12" }), decision("other", "12"), "same"],
    [newPlace(), decision("both"), "options"],
    [newPlace(), decision("ground_truth"), "same"],
    [newPlace(), decision("unclear"), "same"],
    [newPlace(), undefined, "open"],
    [row, decision("prediction"), "removed"],
    [row, decision("other", "{}"), "changed"],
    [row, decision("both"), "optional"],
    [added, decision("prediction"), "added"],
    [added, decision("other", "{}"), "added"],
    [added, decision("ground_truth"), "same"],
  ]) {
    assert.deepEqual(effects([place, given]), only(name), `${given?.verdict}: ${name}`);
  }
});

test("the sentences name the effects, and refused verdicts", () => {
  assert.deepEqual(effectSentences({ ...effects(), changed: 2, added: 1, same: 1, open: 1200 }, 0), [
    "Changes 2 values and adds 1 row.",
    "1 verdict changes nothing, 1,200 places are open.",
  ]);
  const all = { changed: 1, added: 2, removed: 1, options: 3, optional: 1, same: 2, open: 0 };
  assert.equal(
    effectSentences(all, 0)[0],
    "Changes 1 value, adds 2 rows, removes 1 row, accepts two answers at 3 places and makes 1 row optional.",
  );
  assert.deepEqual(effectSentences(effects(), 2), [
    "Changes nothing.",
    "2 verdicts are refused; so nothing is written.",
  ]);
});
