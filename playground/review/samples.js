// Sample places and reviews for the tests in this folder.

/** Return a place where two of three systems agree on a value other than the ground truth. */
export const newPlace = (changes = {}) => {
  const place = { ...PLACE, answers: [newAnswer()], ...changes };
  return { ...place, identity: changes.identity ?? [place.id, place.path, null, place.reference] };
};

const PLACE = {
  document: 0,
  id: "d0",
  path: "$.total",
  row: null,
  judged: "hash",
  reference: 0,
  group: "total: a digit differs",
  about: "",
  agree: 2,
  of: 3,
  drawn: 0,
  points: [0.25, 0.25, 0],
  whole: false,
  has_text: true,
  by_value: false,
  truth: "12",
  edit: '"12"',
  found: "no",
};

export const newAnswer = (changes = {}) => ({
  systems: [0, 1],
  text: "17",
  found: "yes",
  similarity: "0.500",
  marked: [[["12", true]], [["17", true]]],
  ...changes,
});

/** Return a review of places by three systems, each place in its own document. */
export const newReview = (places, changes = {}) => ({
  run: "run1",
  asked: {
    references: "truths.jsonl",
    predictions: ["a", "b", "c"],
    names: ["alder", "birch", "cedar"],
    reading: {},
    texts: null,
    sample: 0,
    sample_of: "",
  },
  fingerprint: "f1",
  count: places.length,
  systems: ["alder", "birch", "cedar"].map((name) => ({ name, score: 0.5, text: "0.500" })),
  sampled: null,
  places: places.map((place, document) => newPlace({ ...place, identity: undefined, document, id: `d${document}` })),
  decided: null,
  left_out: [],
  python: "",
  ...changes,
});
