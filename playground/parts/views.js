// The view of a test set in the address. A link is untrusted: this module checks its parts, and the server checks their
// meaning.

/**
 * @typedef {object} View
 * @property {string} documents  the name of the result
 * @property {number | null} document
 * @property {number | null} row  the row of its tree
 * @property {string | null} cause
 * @property {string | null} field
 * @property {string | null} within  a list in whose rows points were lost
 * @property {string | null} slice  a value of the column of slices
 * @property {string} find
 * @property {string} sort
 * @property {number} low
 * @property {number} high
 * @property {string} image  "1" while the document is open next to the values
 * @property {Server.Share | ""} share  the share of values by region, one of `SHARE_NAMES`; "" for all
 * @property {"page" | "box" | ""} level  the level that decides whether a region is right; "" for the finest
 */

const PREFIX = "#documents=";
const LONGEST_LINK = 2000; // characters
/** @type {View} */
export const NO_VIEW = {
  documents: "",
  document: null,
  row: null,
  cause: null,
  field: null,
  within: null,
  slice: null,
  find: "",
  sort: "loss",
  low: 0,
  high: 1,
  image: "",
  share: "",
  level: "",
};

/**
 * Return the view in an address, null if there is none.
 * @param {string} hash
 * @returns {View | null}
 * @throws {Error} with a sentence about the part that is not accepted
 */
export const viewOf = (hash) => {
  if (!hash.startsWith(PREFIX)) return null;
  if (hash.length > LONGEST_LINK) throw new Error("it is too long");
  /** @type {Record<string, string | number>} */
  const found = {};
  for (const [name, value] of new URLSearchParams(hash.slice(1))) {
    if (!Object.hasOwn(NO_VIEW, name) || Object.hasOwn(found, name)) throw new Error("it has unknown parts");
    found[name] = ["document", "row", "low", "high"].includes(name) ? Number(value) : value;
  }
  return { ...NO_VIEW, ...found };
};

/** @type {(view: View) => string} */
export const addressOf = (view) => {
  const parts = new URLSearchParams({ documents: view.documents });
  for (const [name, usual] of Object.entries(NO_VIEW)) {
    const value = view[/** @type {keyof View} */ (name)];
    if (name !== "documents" && value !== usual) parts.set(name, String(value));
  }
  return `#${parts}`;
};
