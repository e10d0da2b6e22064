// The document of a place of a review: its page or its text, with the place marked.

/** What is shown: the run, the number of the document in it, its id, and the values that are looked for. @typedef {{run: string, document: number, id: string, ground_truth: string | null, proposals: (string | null)[]}} ReviewedPlace */

const docscoreReviewDocument = (/** @type {HTMLElement} */ element) => ({
  show: (/** @type {ReviewedPlace} */ { id }) => { element.dataset.document = id; },
  clear: () => { delete element.dataset.document; },
});
