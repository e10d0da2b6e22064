import assert from "node:assert/strict";
import { test } from "node:test";

import { newAnswer, newPlace, newReview } from "./samples.js";
import { choicesOf, headlineOf } from "./sentences.js";
import { Worklist } from "./worklist.js";

const decision = (verdict, answer = 0, value = "") => ({ verdict, answer, value });

/** Return the worklist of a review, at the first open place. */
const openedReview = (review) => {
  const state = new Worklist(review);
  state.list();
  state.go(state.first);
  return state;
};
/** Return a worklist of places, at the first open place. */
const opened = (places, changes = {}) => openedReview(newReview(places, changes));
const alike = (count) => Array.from({ length: count }, () => newPlace());
/** Return places: for each number, a document with as many places. */
const alikeIn = (...counts) => counts.flatMap((count, document) => Array.from({ length: count }, () => document));
/** Return a worklist of similar places in documents. */
const openedIn = (...counts) => {
  const documents = alikeIn(...counts);
  const review = newReview(alike(documents.length));
  const places = review.places.map((place, at) => ({ ...place, document: documents[at] }));
  return openedReview({ ...review, places });
};
/** Decide the current place, and go to the next open place. */
const decide = (state, verdict, reach = "place") => {
  const numbers = state.apply(state.verdictsOf(decision(verdict), reach));
  state.go(state.next(state.current) ?? state.current);
  return numbers;
};

test("after three places, one verdict decides a group, and one step undoes it", () => {
  const state = opened(alike(8));
  for (const left of [3, 2, 1]) {
    assert.equal(state.untilSure(), `after ${left} more`);
    decide(state, "both");
  }
  assert.equal(state.untilSure(), "");
  assert.equal(decide(state, "both", "all").length, 5);
  assert.deepEqual([state.decided, state.next(-1)], [8, null]);
  assert.equal(state.undo().length, 5);
  assert.equal(state.decided, 3);
  for (let left = 3; left > 0; left -= 1) state.undo();
  assert.deepEqual([state.decided, state.undo()], [0, []]);
});

test("a group whose first places differ is decided one by one, and a small group at once", () => {
  const state = opened(alike(5));
  for (const verdict of ["both", "prediction"]) decide(state, verdict);
  assert.equal(state.untilSure(), "the first three differ");
  assert.equal(opened(alike(3)).untilSure(), "");
});

test("a verdict for all takes the answers of the same systems, and skips places without one", () => {
  const others = [newAnswer({ systems: [2], text: "9" }), newAnswer({ systems: [0, 1], text: "8" })];
  const state = opened([newPlace(), newPlace({ answers: others }), newPlace({ answers: [others[0]] })]);
  state.go(0);
  state.apply(state.verdictsOf(decision("prediction"), "all"));
  assert.deepEqual(
    [...state.decisions],
    [
      [0, decision("prediction")],
      [1, decision("prediction", 1)],
    ],
  );
});

test("the next open place comes after the current one, or from the beginning", () => {
  const state = opened(alike(4));
  const [first, second, third, last] = state.order;
  state.apply([[second, decision("both")]]);
  assert.deepEqual([state.next(first), state.next(third), state.next(last)], [third, last, first]);
});

test("the list has places where predictions agree, or all places, and finds them by any text", () => {
  const places = [newPlace(), newPlace({ agree: 1, path: "$.date", truth: "May" }), newPlace({ agree: 1, group: "x" })];
  const state = opened(places);
  assert.deepEqual(state.order, [0]);
  state.mode = "all";
  state.list();
  assert.equal(state.order.length, 3);
  for (const [text, count] of [
    ["MAY", 1],
    ["date", 1],
    ["d2", 1],
    ["17", 3],
    ["nowhere", 0],
  ]) {
    state.find = text;
    state.list();
    assert.equal(state.order.length, count, text);
  }
});

test("with one system all places are listed, or the sample if there is one", () => {
  const systems = [{ name: "alder", score: 0.5, text: "0.500" }];
  const one = opened([newPlace({ agree: 1, of: 1 })], { systems });
  assert.deepEqual([one.mode, one.order], ["all", [0]]);
  const sampled = new Worklist(newReview(alike(2), { sampled: 1 }), one);
  assert.deepEqual([sampled.mode, sampled.modeLabel], ["sample", "A sample of what birch lost"]);
});

test("the headline leads to the largest group while it has a fifth of the open places", () => {
  const state = opened([...alike(4), newPlace({ group: "alone" })]);
  assert.equal(headlineOf(state).title, "4 of 5 are similar: total: a digit differs");
  assert.equal(headlineOf(state).first, state.order[0]);
  decide(state, "both");
  assert.equal(headlineOf(state).title, "3 of the 4 left are similar: total: a digit differs");
  const many = Array.from({ length: 12 }, (_, at) => newPlace({ group: `group ${at >> 1}` }));
  assert.equal(headlineOf(opened(many)).title, "12 places to decide; the largest group has 2.");
  assert.equal(headlineOf(opened([newPlace()])).title, "No two places are similar.");
  assert.equal(headlineOf(opened([])).title, "Nothing to decide in this list.");
});

test("counts of places include similar places in documents, counts of decisions do not", () => {
  const places = Array.from({ length: 18 }, (_, at) => newPlace({ group: `group ${at % 6}`, path: `$[${at}]` }));
  const state = opened([], { places });
  assert.equal(state.firsts.length, 6);
  assert.equal(headlineOf(state).title, "18 places in 6 decisions; the largest group has 3.");
});

test("comparison by value is offered first while nothing is decided", () => {
  const state = opened([...alike(4), newPlace({ group: "alone", by_value: true })]);
  assert.equal(headlineOf(state).act, "Compare by value");
  assert.equal(headlineOf(state).title, "1 of 5 places differ only in how a number is written.");
  decide(state, "both");
  assert.equal(headlineOf(state).act, "Show them");
});

test("scores after the correction are the scores before plus the gains of documents", () => {
  const state = opened(alike(4));
  const numbers = decide(state, "prediction");
  assert.deepEqual([...state.stale], numbers);
  state.score(new Set(numbers), { gains: [[numbers[0], 0.4, 0.4, 0]], faults: [] });
  assert.deepEqual([state.after(), state.stale.size], [[0.6, 0.6, 0.5], 0]);
  state.undo();
  state.score(new Set(numbers), { gains: [], faults: [] });
  assert.deepEqual(state.after(), [0.5, 0.5, 0.5]);
});

test("in blind work, the picked values give the verdict", () => {
  const state = opened([newPlace({ answers: [newAnswer(), newAnswer({ systems: [2], text: "9" })] })]);
  state.isBlind = true;
  const picked = (...sides) => {
    state.picked = new Set(sides);
    return state.pickedDecision();
  };
  assert.deepEqual(picked(-1), decision("ground_truth"));
  assert.deepEqual(picked(1), decision("prediction", 1));
  assert.deepEqual(picked(-1, 1), decision("both", 1));
  for (const sides of [[], [0, 1], [-1, 0, 1]]) assert.equal(picked(...sides), null);
  state.choose(0);
  state.choose(0);
  assert.equal(state.picked.has(0), true);
});

test("similar places of a document are one row of the list, and one verdict decides them", () => {
  const state = openedIn(3, 1, 2);
  assert.deepEqual([state.order.length, state.firsts.length, state.decided], [3, 3, 0]);
  assert.deepEqual(
    [state.order, state.order.map((number) => state.more(number))],
    [
      [0, 3, 4],
      [2, 0, 1],
    ],
  );
  assert.equal(state.sizeOf(state.groups[0]), 6);
  assert.equal(state.usualReach, "document");
  decide(state, "prediction", "document");
  assert.deepEqual([state.decisions.size, state.decided, state.current], [1, 1, 3]);
  assert.equal(state.asText(), '[[0,"prediction",0,"",true]]');
  assert.equal(state.verdictsAt([0]).length, 3);
  assert.equal(state.decidedPlaces().length, 3);
  state.undo();
  assert.deepEqual([state.decisions.size, state.decided], [0, 0]);
});

test("a place of a group can be decided differently, before or after the others", () => {
  const state = openedIn(3, 1);
  state.apply(state.verdictsOf(decision("unclear"), "document"));
  state.go(1);
  assert.deepEqual(state.order, [0, 1, 2, 3], "the group is listed place by place");
  assert.equal(state.usualReach, "place");
  state.apply(state.verdictsOf(decision("other", 0, "18"), "place"));
  const verdicts = [0, 1, 2].map((number) => state.verdicts.at(number).verdict);
  assert.deepEqual(verdicts, ["unclear", "other", "unclear"]);
  state.go(2);
  state.apply(state.verdictsOf(decision("both"), "document"));
  assert.deepEqual([state.verdicts.isHolder(0), state.verdicts.isHolder(2)], [false, true]);
  state.undo();
  assert.deepEqual([state.verdicts.isHolder(0), state.verdicts.at(2).verdict], [true, "unclear"]);
});

test("a verdict applies to a place, to similar places of its document, or to all once three documents agree", () => {
  const state = openedIn(2, 2, 1, 1);
  const words = () => state.reaches().map(({ words, until }) => [words, until].filter(Boolean).join(", "));
  assert.deepEqual(words(), ["Only this", "2 in this document", "All 6, after 3 more"]);
  const reaches = [0, 1].map(() => [state.reach, state.widen()][0]);
  assert.deepEqual(reaches, ["document", "place"]);
  state.wanted = "all";
  assert.equal(state.reach, "place", "not possible yet");
  for (const reach of ["document", "document", "place"]) decide(state, "both", reach);
  assert.deepEqual(words(), ["Only this", "All 6"]);
  assert.equal(state.usualReach, "place");
  decide(state, "both", "all");
  assert.equal(state.next(-1), null);
  state.isBlind = true;
  state.list();
  assert.deepEqual([words(), state.order.length], [["Only this"], 6], "blind, each place is decided by itself");
});

test("a verdict for an answer other than the first becomes one verdict per place", () => {
  const answers = [newAnswer({ systems: [0, 1] }), newAnswer({ systems: [2], text: "9" })];
  const { places, ...rest } = newReview([newPlace({ answers }), newPlace({ answers }), newPlace()]);
  const state = openedReview({ ...rest, places: places.map((place) => ({ ...place, document: 0 })) });
  state.go(0);
  const verdicts = state.verdictsOf(decision("prediction", 1), "document");
  assert.deepEqual(verdicts, [
    [0, decision("prediction", 1)],
    [1, decision("prediction", 1)],
  ]);
});

test("the reason why a verdict cannot be applied is at its places until they are scored again", () => {
  const state = opened([newPlace(), newPlace({ whole: true, path: "$.rows" }), newPlace()]);
  state.apply([
    [0, decision("prediction")],
    [1, decision("both")],
  ]);
  const faults = [
    [0, "$.total", "two verdicts on one place"],
    [1, "", "at most 3 groups"],
    [2, "$.total", "of an open place"],
  ];
  state.score(new Set([0, 1, 2]), { gains: [], faults });
  assert.deepEqual(state.refused(), [0, 1]);
  assert.deepEqual([state.faultAt(0), state.faultAt(1)], ["two verdicts on one place", "at most 3 groups"]);
  state.score(new Set([0, 1]), { gains: [], faults: [] });
  assert.deepEqual(state.refused(), []);
});

test("places that a second reader decided differently are listed until they are decided again", () => {
  const state = opened(alike(3));
  for (const number of [0, 1, 2]) state.apply([[number, decision("both")]]);
  state.second = new Map([[1, decision("unclear")]]);
  state.mode = "readers";
  state.list();
  assert.deepEqual([state.order, state.modeLabel, state.decided], [[1], "Where a second reader differs", 0]);
  state.apply([[1, decision("unclear")]]);
  assert.deepEqual([state.decided, state.next(-1)], [1, null]);
});

test("the choices name their consequences", () => {
  const says = (changes, isBlind = false) => {
    const state = opened([newPlace(changes)]);
    state.isBlind = isBlind;
    return choicesOf(state);
  };
  assert.deepEqual(says({})[2], ["Prediction is right", "it becomes the ground truth"]);
  assert.deepEqual(says({ answers: [newAnswer({ text: null })] })[3], [
    "Both are right",
    "an absent value is accepted as well",
  ]);
  assert.deepEqual(says({ whole: true, truth: null })[2], ["Is in the document", "the row is added"]);
  assert.deepEqual(says({ whole: true })[3], ["Optional", "accepted, not demanded"]);
  assert.deepEqual(says({ whole: true })[4], ["Neither…", "you type the row"]);
  assert.deepEqual(says({ whole: true }, true)[1], ["The chosen value is right", "choose one or more above"]);
  const two = { answers: [newAnswer(), newAnswer({ systems: [2] })] };
  assert.equal(says(two)[2][1], "A becomes the ground truth");
});

test("a letter stands for an answer, and in blind work for a side", () => {
  const state = opened([newPlace()]);
  assert.deepEqual([state.sideOf(0), state.sideOf(1)], [0, undefined]);
  state.isBlind = true;
  assert.deepEqual(new Set([state.sideOf(0), state.sideOf(1)]), new Set([-1, 0]));
});

test("verdicts for the server are all verdicts, or the verdicts on some documents", () => {
  const state = opened(alike(3));
  state.apply([
    [0, decision("other", 0, "x")],
    [2, decision("both", 0)],
  ]);
  assert.equal(state.asText(), '[[0,"other",0,"x",false],[2,"both",0,"",false]]');
  assert.equal(state.asText(state.verdictsOn(new Set([2]))), '[[2,"both",0,"",false]]');
  assert.equal(state.wordsAt([0, 2]), "neither is right, both are right");
});

test("verdicts of another window are not undo steps of this window", () => {
  const state = opened(alike(3));
  state.apply([[0, decision("both")]]);
  state.apply([[1, decision("both")]]);
  state.adopt([
    [1, undefined],
    [2, decision("unclear")],
  ]);
  assert.deepEqual([state.decided, state.steps.length], [2, 1]);
  assert.deepEqual(state.undo(), [0]);
  assert.deepEqual([...state.decisions], [[2, decision("unclear")]]);
});

test("places that two windows decided differently are listed", () => {
  const state = opened(alike(3));
  state.others = new Map([[1, decision("unclear")]]);
  state.mode = "twice";
  state.list();
  assert.deepEqual([state.order, state.modeLabel], [[1], "Decided differently in another window"]);
  state.decisions.set(1, decision("both"));
  assert.deepEqual([state.decided, state.next(-1)], [0, 1], "it is to be decided once more");
  state.apply([[1, decision("both")]]);
  assert.deepEqual([state.decided, state.next(-1)], [1, null]);
});
