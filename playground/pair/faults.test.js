import assert from "node:assert/strict";
import { test } from "node:test";

import { noticeOf } from "./faults.js";

const fault = (changes = {}) => ({ text: "expected a comma", line: 2, column: 1, mend: null, ...changes });
const mend = (repairs) => ({ edits: [[0, 1, ""]], repairs });

test("a fault that one button repairs is repaired on every reading of a prediction", () => {
  const notice = noticeOf("prediction", "{", fault({ mend: mend(true) }), "Close it", "json");
  assert.deepEqual(notice, {
    title: "Not scored: the prediction is not JSON.",
    detail: "Correct line 2, or have it repaired.",
    button: "Repair and score",
    does: "repair",
  });
});

test("of several values keeping the first is the large button", () => {
  for (const reading of ["json", "repair"]) {
    const notice = noticeOf("prediction", "{} {}", fault({ mend: mend(false) }), "Keep the first", reading);
    assert.deepEqual([notice.button, notice.does], ["Keep the first", "mend"]);
  }
});

test("what nothing mends is compared as plain text, and a ground truth is corrected", () => {
  assert.equal(noticeOf("prediction", "no", fault(), "", "json").does, "text");
  assert.equal(noticeOf("prediction", "{", fault({ mend: mend(true) }), "Close it", "repair").does, "text");
  assert.deepEqual(noticeOf("truth", "{", fault({ mend: mend(true) }), "Close it", "json").does, "mend");
  assert.equal(noticeOf("truth", "no", fault(), "", "json").button, "");
});

test("nothing, and what is no text, is one sentence", () => {
  assert.equal(
    noticeOf("prediction", " \n", fault({ line: null }), "", "text").title,
    "Not scored: the prediction is empty.",
  );
  const pdf = fault({ text: "a PDF, not text: paste the JSON that a model read from it", line: null });
  assert.equal(
    noticeOf("truth", "%PDF-1.7", pdf, "", "json").title,
    "A PDF, not text: paste the JSON that a model read from it.",
  );
});
