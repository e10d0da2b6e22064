import assert from "node:assert/strict";
import { test } from "node:test";

import {
  areNear,
  expectedPage,
  labelOfSign,
  partAround,
  sentencesOf,
  shareOf,
  signOf,
  signOfFold,
  wordsWithin,
} from "./places.js";

const BOX = [0.1, 0.1, 0.2, 0.12];
const at = (page, box = BOX) => [page, box ? [box] : [], null];
const row = (changes) => ({
  row: 1,
  path: "total",
  right: true,
  predicted: true,
  levels: { page: [1, 1], box: [1, 1] },
  expected: [at(1)],
  cited: [at(1)],
  overlap: 0.84,
  extra: false,
  found: [],
  ...changes,
});
const known = { pages: 3, textAt: () => "", lineOf: () => ({ page: 1, line: 5 }), lineAt: () => 0 };
const said = (changes, what = {}, level = "box") => sentencesOf(row(changes), level, { ...known, ...what }, 0.5);
const elsewhere = { levels: { page: [0, 1], box: [0, 1] }, cited: [at(2)], overlap: 0 };
const uncited = { levels: { page: [0, 0], box: [0, 0] }, cited: [], overlap: null };
const free = { levels: null, expected: [], overlap: null };

test("a row has a sign and a share at the requested level", () => {
  const onPage = row({ levels: { page: [1, 1], box: [0, 1] } });
  assert.deepEqual([signOf(onPage, "page"), signOf(onPage, "box")], ["there", "elsewhere"]);
  assert.equal(shareOf(onPage, "page"), "right_value_right_region");
  assert.equal(shareOf(onPage, "box"), "right_value_other_region");
  const pages = row({ levels: { page: [1, 1] }, right: false });
  assert.deepEqual(
    [signOf(pages, "box"), shareOf(pages, "box"), shareOf(pages, "page")],
    ["there", null, "wrong_value_right_region"],
  );
  assert.deepEqual([signOf(row(uncited), "box"), shareOf(row(uncited), "box")], ["none", "right_value_other_region"]);
  const missing = row({ ...uncited, predicted: false, right: false });
  assert.deepEqual([signOf(missing, "box"), shareOf(missing, "box")], ["none", "missing"]);
  assert.equal(signOf(row(free), "box"), "free");
  assert.equal(signOf(row({ ...free, cited: [], found: [null, []] }), "box"), "nowhere");
  assert.equal(signOf(row({ ...free, cited: [], found: [null, null] }), "box"), "");
});

test("a fold has the sign that its rows share, else the number of rows that cite another region", () => {
  const there = (page) => ({ sign: "there", page });
  assert.deepEqual(signOfFold([there(1), there(3), there(2)]), { sign: "there", pages: "1–3", elsewhere: 0 });
  assert.deepEqual(signOfFold([there(1), there(3)]), { sign: "there", pages: "", elsewhere: 0 });
  const lost = { sign: "elsewhere", page: 2 };
  assert.deepEqual(signOfFold([there(1), lost, lost]), { sign: "elsewhere", pages: "", elsewhere: 2 });
  assert.equal(signOfFold([there(1), { sign: "none", page: 0 }]).sign, "");
  assert.equal(labelOfSign("elsewhere", 2), "with another region, page 2");
});

test("sentences about right values", () => {
  assert.deepEqual(said({}), ["Right value, right region.", "The boxes overlap by 0.84."]);
  assert.deepEqual(said({ levels: { page: [1, 1] } }), ["Right value, right page.", "No box is annotated."]);
  assert.deepEqual(said({ expected: [at(2), at(1)] }), [
    "Right value, right region: one of 2 accepted.",
    "Pages 1 and 2 are accepted.",
  ]);
  assert.deepEqual(said(elsewhere), [
    "Right value, other region: page 2, expected page 1.",
    "Only page 1 is accepted.",
  ]);
  assert.deepEqual(said({ ...elsewhere, cited: [at(1)] }), [
    "Right value, other region on page 1.",
    "The boxes overlap by 0.00; at least 0.50 is required.",
  ]);
  assert.equal(said({ ...elsewhere, cited: [at(1)] }, { pages: 1 })[0], "Right value, other region.");
  assert.deepEqual(said(uncited), ["Right value, nothing cited.", "It is expected on page 1."]);
});

test("sentences about wrong and missing values", () => {
  const textAt = ([page]) => (page === 1 ? "KX-2208" : "");
  assert.deepEqual(said({ right: false }, { textAt }), [
    "Wrong value, right region: misread.",
    "The document says KX-2208 there. The boxes overlap by 0.84.",
  ]);
  assert.equal(said({ right: false, ...elsewhere })[0], "Wrong value, other region: page 2, expected page 1.");
  assert.equal(said({ right: false, predicted: false, ...uncited })[0], "Missing: it is expected on page 1.");
  assert.deepEqual(said({ right: false, predicted: false, empty: true, ...uncited }), [
    "Wrong value: it is empty.",
    "It is expected on page 1.",
  ]);
});

test("sentences about invalid citations and regions that are not annotated", () => {
  assert.deepEqual(said({ ...elsewhere, cited: [at(7)] }), [
    "The citation names page 7; the document has 3 pages.",
    "It counts as another region.",
  ]);
  assert.equal(said({ ...elsewhere, cited: [at(-1)] })[1], "The citation is invalid: it names no region.");
  assert.equal(said(free)[0], "Cited on page 1. No region is annotated.");
  const invented = { ...free, cited: [], extra: true, found: [undefined, []] };
  assert.equal(said(invented)[0], "The value was not found in the document.");
  assert.deepEqual(said({ ...free, cited: [], found: [[[[0, 2]]], []] }), [
    "Ground truth found on page 1, line 5.",
    "Prediction not found in the document.",
  ]);
});

test("on the only page, another region is named by its line", () => {
  const apart = { levels: { page: [1, 1], box: [0, 1] }, cited: [at(1, [0.1, 0.5, 0.2, 0.52])], overlap: 0 };
  const lineAt = ([, [box]]) => (box === BOX ? 3 : 12);
  assert.equal(said(apart, { pages: 1, lineAt })[0], "Right value, other region: line 12, expected line 3.");
  assert.equal(said(apart, { pages: 1, lineAt: () => 3 })[0], "Right value, other region.");
  assert.equal(said(apart, { pages: 2, lineAt })[0], "Right value, other region on page 1.");
});

test("sentences about a page that is cited without a box", () => {
  const page = { cited: [[1, [], null]], overlap: null };
  assert.deepEqual(said({ ...page, levels: { page: [1, 1], box: [0, 0] } }), [
    "Right value, right page.",
    "No box is cited.",
  ]);
  const [title] = said({ ...page, cited: [[2, [], null]], levels: { page: [0, 1], box: [0, 0] } });
  assert.equal(title, "Right value, other region: page 2, expected page 1.");
});

test("the expected page is the cited page if that is accepted", () => {
  assert.equal(expectedPage(row({ expected: [at(2), at(1)] })), 1);
  assert.equal(expectedPage(row({ expected: [at(2), at(3)] })), 2);
});

test("the enlarged part is around the region and within the page", () => {
  const page = { width: 600, height: 800 };
  const [left, top, right, bottom] = partAround([0.9, 0.97, 1, 0.99], page, 0.16);
  assert.ok(left >= 0 && top >= 0 && right <= 1 && bottom <= 1);
  assert.ok(left <= 0.9 && top <= 0.97);
  assert.ok(Math.abs(((bottom - top) * 800) / ((right - left) * 600) - 0.16) < 1e-9);
  const [, above, , below] = partAround([0.1, 0.2, 0.9, 0.6], page, 0.16);
  assert.ok(0.18 < above && above < 0.2 && below < 0.59, "of a high place the beginning");
  const [from, , to] = partAround([0.1, 0.2, 0.9, 0.22], page, 0.16, 0.3);
  assert.ok(0.09 < from && from < 0.1 && Math.abs(to - from - 0.3) < 1e-9, "of a wide place the beginning");
  assert.ok(areNear(BOX, [0.15, 0.11, 0.25, 0.13]));
  assert.ok(!areNear(BOX, [0.1, 0.5, 0.2, 0.52]));
  const wide = [0.05, 0.3, 0.95, 0.32];
  assert.ok(areNear(wide, wide) && areNear(wide, [0.8, 0.3, 0.9, 0.32]));
  assert.ok(areNear([0, 0, 1, 0.4], [0, 0.01, 1, 0.4]));
});

test("a word belongs to a box if its centre lies within", () => {
  const words = [
    { text: "Total", box: [0.0, 0.1, 0.12, 0.12] },
    { text: "12.50", box: [0.12, 0.1, 0.2, 0.12] },
  ];
  assert.deepEqual(wordsWithin(words, [BOX]), [words[1]]);
});
