import assert from "node:assert/strict";
import { test } from "node:test";

import { newAnswer, newPlace } from "./samples.js";
import { conclusionOf, evidenceOf, orderOf, stakeOf } from "./sentences.js";

const evidence = (changes, look = {}) => evidenceOf(newPlace(changes), { isBlind: false, chosen: 0, ...look });

test("the evidence says which values were found in the text, never which is right", () => {
  assert.equal(evidence({}), "The prediction was found in the document’s text, the ground truth was not.");
  assert.equal(evidence({ found: "yes" }), "Both were found in the document’s text.");
  assert.equal(evidence({ answers: [newAnswer({ found: "no" })] }), "Neither was found in the document’s text.");
  assert.equal(evidence({ found: "" }), "The prediction was found in the document’s text.");
  assert.equal(evidence({ has_text: false }), "There is no text of this document.");
  const read = { found: ["yes", "no"] };
  const said = "The ground truth was found in the document’s text, the prediction was not.";
  assert.equal(evidence({ has_text: false, found: "" }, read), said, "a PDF is read later");
  assert.equal(
    evidence({ found: "", answers: [newAnswer({ found: "" })] }),
    "Values as short as these are not looked up.",
  );
  const row = { whole: true, truth: null, found: "" };
  assert.equal(evidence(row), "All values of the row were found in the document’s text.");
});

test("in blind work, the evidence names values by their letters", () => {
  assert.match(evidence({}, { isBlind: true }), /^[AB] was found in the document’s text, [AB] was not\.$/);
});

test("the cost of a place names the systems that lose points", () => {
  const place = newPlace({ points: [0.25, 0, 0.0001] });
  const said = stakeOf(place, ["alder", "birch", "cedar"], 1200);
  assert.equal(said, "Costs alder 0.250, cedar less than 0.001 here; 1,200 such places.");
});

test("a sentence names a system that now ranks before another", () => {
  const systems = ["alder", "birch"].map((name) => ({ name, score: 0.5, text: "0.500" }));
  assert.equal(orderOf(systems, [0.5, 0.5 + 1e-12]), "order unchanged");
  assert.equal(orderOf(systems, [0.5, 0.51]), "birch now before alder");
});

test("a conclusion counts the wrong ground truths and the other verdicts", () => {
  const decided = (...verdicts) =>
    verdicts.map((verdict) => ({ place: newPlace(), decision: { verdict, answer: 0, value: "" } }));
  assert.deepEqual(conclusionOf(decided("prediction", "other", "ground_truth", "both", "both")), {
    title: "The ground truth was wrong at 2 of 5 places.",
    text: "1 was an error of a system, 2 have two acceptable answers.",
  });
  for (const [verdicts, title] of [
    [["unclear"], "The ground truth was not found to be wrong."],
    [["other"], "The ground truth was wrong."],
    [["unclear", "both"], "The ground truth was wrong at none of 2 places."],
  ]) {
    assert.equal(conclusionOf(decided(...verdicts)).title, title);
  }
});
