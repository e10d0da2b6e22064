import assert from "node:assert/strict";
import { test } from "node:test";

import { faultOf, textOfWords } from "./pdfs.js";

test("words at the same height form a line, and form feeds separate pages", () => {
  const at = (left, top) => [left, top, left + 0.1, top + 0.02];
  const pages = [
    [
      ["Total", at(0.1, 0.1)],
      ["12.50", at(0.5, 0.101)],
      ["Paid", at(0.1, 0.2)],
    ],
    [["Terms", at(0.1, 0.1)]],
  ];
  const found = textOfWords(pages);
  assert.equal(found.text, "Total 12.50\nPaid\n\fTerms");
  assert.deepEqual(
    found.words.map(({ start, end, page }) => [found.text.slice(start, end), page]),
    [
      ["Total", 0],
      ["12.50", 0],
      ["Paid", 0],
      ["Terms", 1],
    ],
  );
  assert.equal(textOfWords([[], []]), null);
});

test("a PDF that is not shown says why", () => {
  const said = (refused, kind = "input") => faultOf("a.pdf", { refused, kind })[0];
  assert.equal(said("a.pdf is encrypted"), "a.pdf has a password");
  assert.equal(said("a.pdf cannot be read as a PDF: Data format error"), "a.pdf cannot be read");
  assert.equal(said("PDFs are not accepted here", "limit"), "PDFs are not accepted here");
  assert.equal(said("a.pdf takes more than 20 seconds to read"), "a.pdf is not shown");
});
