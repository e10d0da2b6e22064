import assert from "node:assert/strict";
import { test } from "node:test";

import { noticeOf } from "./faults.js";

const fault = (changes = {}) => ({ text: "expected a comma", line: 2, column: 1, mend: null, ...changes });
const mend = (repairs) => ({ edits: [[0, 1, ""]], repairs });

test("an error that one button repairs is repaired each time the prediction is read", () => {
  const notice = noticeOf("prediction", "{", fault({ mend: mend(true) }), "Close it", "json");
  assert.deepEqual(notice, {
    title: "Not scored: the prediction is not JSON.",
    detail: "Correct line 2, or have it repaired.",
    button: "Repair and score",
    does: "repair",
  });
});

test("the large button keeps the first of several values", () => {
  for (const reading of ["json", "repair"]) {
    const notice = noticeOf("prediction", "{} {}", fault({ mend: mend(false) }), "Keep the first", reading);
    assert.deepEqual([notice.button, notice.does], ["Keep the first", "mend"]);
  }
});

test("a prediction that cannot be repaired is compared as text; a ground truth must be corrected", () => {
  assert.equal(noticeOf("prediction", "no", fault(), "", "json").does, "text");
  assert.equal(noticeOf("prediction", "{", fault({ mend: mend(true) }), "Close it", "repair").does, "text");
  assert.deepEqual(noticeOf("truth", "{", fault({ mend: mend(true) }), "Close it", "json").does, "mend");
  assert.equal(noticeOf("truth", "no", fault(), "", "json").button, "");
});

test("an empty text, and a file that is not text, get one sentence", () => {
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
